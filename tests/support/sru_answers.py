"""Read answers of SRU, each checked against the grammar of its responses."""

import functools
from dataclasses import dataclass

from lxml import etree

from tests.support.paths import ROOT

NS = {
    "sru": "http://www.loc.gov/zing/srw/",
    "diag": "http://www.loc.gov/zing/srw/diagnostic/",
    "zr": "http://explain.z3950.org/dtd/2.0/",
}


@functools.cache
def _grammar() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(ROOT / "tests" / "data" / "sru.rng"))


@dataclass(frozen=True, slots=True)
class SruAnswer:
    """An answer that is as the standard describes it."""

    root: etree._Element

    def texts(self, path: str) -> list[str]:
        return [element.text or "" for element in self.root.iterfind(path, NS)]

    @property
    def number(self) -> int:
        return int(self.texts("sru:numberOfRecords")[0])

    @property
    def identifiers(self) -> list[str]:
        return self.texts("sru:records/sru:record/sru:recordIdentifier")

    @property
    def following(self) -> int | None:
        return next((int(text) for text in self.texts("sru:nextRecordPosition")), None)

    @property
    def codes(self) -> list[int]:
        """The numbers of its diagnostics."""
        return [int(uri.rpartition("/")[2]) for uri in self.texts("sru:diagnostics/diag:diagnostic/diag:uri")]

    @property
    def details(self) -> list[str]:
        return self.texts("sru:diagnostics/diag:diagnostic/diag:details")

    @property
    def terms(self) -> dict[str, int]:
        values, numbers = self.texts(".//sru:term/sru:value"), self.texts(".//sru:term/sru:numberOfRecords")
        return dict(zip(values, map(int, numbers), strict=True))


def read(body: bytes) -> SruAnswer:
    """Read an answer. Fails if it is not as the standard describes it."""
    root = etree.fromstring(body)
    grammar = _grammar()
    assert grammar.validate(root), (grammar.error_log, body[:2000])
    return SruAnswer(root)
