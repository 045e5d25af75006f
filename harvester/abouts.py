"""The abouts of the records of a page that are no provenance (P126): each container as it came. No Django, no network."""

from collections import Counter
from collections.abc import Sequence

from lxml import etree

from catalogue import oai
from harvester import cutting
from harvester.remarks import Code, Remark

_ABOUT = f"{{{oai.OAI_NS}}}about"
_PROVENANCE = f"{{{oai.PROVENANCE_NS}}}provenance"


def others(text: bytes, records: Sequence[etree._Element]) -> tuple[list[tuple[oai.About, ...]], tuple[Remark, ...]]:
    """What each record carries beside its metadata and its provenance, and of how many records something is left out.

    `text` is what the page was parsed from; `records` are in its order.
    """
    holders = [[about for about in record.iterchildren(_ABOUT) if _says_more(about)] for record in records]
    if not any(holders):
        return [()] * len(records), ()
    every = [about for record in records for about in record.iterchildren(_ABOUT)]
    roots = [next(about.iterchildren("*"), None) for about in every]
    cut = dict(zip(every, cutting.payloads(text, every, roots), strict=True))
    found: list[tuple[oai.About, ...]] = []
    left_out: Counter[str] = Counter()
    for abouts in holders:
        kept, reasons = oai.bounded_abouts([one for about in abouts for one in _containers(about, cut[about])])
        found.append(kept)
        left_out.update(set(reasons))
    return found, tuple(
        Remark(Code.ABOUT, f"An about of a record was left out, {reason}.", count)
        for reason, count in sorted(left_out.items())
    )


def _says_more(about: etree._Element) -> bool:
    return any(child.tag != _PROVENANCE for child in about.iterchildren("*"))


def _containers(about: etree._Element, cut: bytes | None) -> list[oai.About]:
    """One, as it should be; more of them are taken one by one, written out anew (P48)."""
    children = list(about.iterchildren("*"))
    alone = len(children) == 1
    return [
        oai.About(
            etree.QName(child).namespace or "",
            cut if alone and cut is not None else etree.tostring(child, encoding="utf-8", with_tail=False),
        )
        for child in children
        if child.tag != _PROVENANCE
    ]
