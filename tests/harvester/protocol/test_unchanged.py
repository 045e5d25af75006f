"""Records that are held byte for byte are not parsed; nothing else about a page may differ by it (promises 3 and 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import oai
from harvester.errors import BrokenReply
from harvester.protocol import answers, unchanged
from harvester.protocol.unchanged import StoredVersion
from tests.support.provider import OAI
from tests.support.world import iso_record

NUMBER = unchanged.MIN_RECORDS + 5


@dataclass(frozen=True)
class AsHeld:
    """A version in a catalogue that holds plain bytes."""

    element: bytes
    identifier: str = ""
    digest: bytes = b""
    metadata_date: datetime | None = None

    @property
    def size(self) -> int:
        return len(self.element)

    def equals(self, element: bytes) -> bool:
        return element == self.element


def identifier(number: int) -> str:
    return f"urn:x:{number}"


def element(number: int, title: str = "Waves") -> bytes:
    return iso_record(identifier(number), title=f"{title} {number}").split(b"?>\n", 1)[1].strip()


def holding(numbers: Sequence[int]) -> Mapping[str, AsHeld]:
    return {oai.oai_identifier(identifier(number)): AsHeld(element(number)) for number in numbers}


def page(elements: Sequence[bytes], *, around: tuple[bytes, bytes] = (b"", b""), before: bytes = b"") -> bytes:
    records = b"".join(
        b"<record><header><identifier>%b</identifier><datestamp>2026-01-01</datestamp></header>"
        b"<metadata>%b%b%b</metadata></record>" % (identifier(number).encode(), around[0], each, around[1])
        for number, each in enumerate(elements)
    )
    return (
        b'<?xml version="1.0"?><OAI-PMH xmlns="%b"><responseDate>2026-01-01T00:00:00Z</responseDate><request/>'
        b"<ListRecords>%b%b<resumptionToken>next</resumptionToken></ListRecords></OAI-PMH>"
        % (OAI.encode(), before, records)
    )


def read(body: bytes, held: Mapping[str, StoredVersion] | None = None) -> answers.Page | str:
    """The page, or why it is none. What is held of an entry is told apart from what the entry is."""
    try:
        whole = answers.parse_page(body, continued=True, load_stored=None if held is None else lambda keys: held)
    except BrokenReply:
        return "broken"
    return replace(whole, entries=tuple(entry._replace(root=None, stored=None) for entry in whole.entries))


def recognised(body: bytes, held: Mapping[str, StoredVersion]) -> int:
    entries = answers.parse_page(body, continued=True, load_stored=lambda keys: held).entries
    return sum(entry.stored is not None for entry in entries)


@given(st.sets(st.integers(0, NUMBER - 1)), st.sampled_from([b"", b" ", b"\n\t"]))
def test_a_page_reads_the_same_whatever_of_it_is_held(numbers: set[int], blank: bytes) -> None:
    body = page([element(number) for number in range(NUMBER)], around=(blank, blank))

    assert read(body, holding(sorted(numbers))) == read(body)
    assert recognised(body, holding(sorted(numbers))) == len(numbers)


@pytest.mark.spec("H31")
@given(st.data())
def test_a_damaged_page_is_as_broken_as_without_what_is_held(data: st.DataObject) -> None:
    body = page([element(number) for number in range(NUMBER)])
    at = data.draw(st.integers(0, len(body) - 1))
    damage = data.draw(st.sampled_from([b"", b"<", b">", b"&", b"\x00", b"</record>", b"<!--", b"]]>", b"\xff"]))
    damaged = body[:at] + damage + body[at + data.draw(st.integers(0, 3)) :]

    assert read(damaged, holding(range(NUMBER))) == read(damaged)


@pytest.mark.parametrize(("opening", "closing"), [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?x ", b"?>")])
def test_what_stands_in_no_metadata_of_its_own_is_not_taken_for_a_record(opening: bytes, closing: bytes) -> None:
    copy = b"<record><header><identifier>urn:x:3</identifier></header><metadata>%b</metadata></record>" % element(3)
    body = page([element(number) for number in range(NUMBER)], before=opening + copy + closing)

    assert read(body, holding(range(NUMBER))) == read(body) != "broken"


def test_a_record_that_would_break_the_comment_it_stands_in_breaks_the_page() -> None:
    inner = element(3).replace(b"><gmd:", b"><!-- within --><gmd:", 1)
    held = {**holding(range(NUMBER)), oai.oai_identifier(identifier(3)): AsHeld(inner)}
    copy = b"<record><header><identifier>urn:x:3</identifier></header><metadata>%b</metadata></record>" % inner
    body = page([element(number) for number in range(NUMBER)], before=b"<!--" + copy + b"-->")

    assert read(body) == "broken"
    assert read(body, held) == "broken"


@pytest.mark.parametrize(
    "around", [(b"", b"<other/>"), (b"<!-- a -->", b""), (b"", b"text")], ids=["element", "comment", "text"]
)
def test_a_record_with_something_beside_it_is_parsed(around: tuple[bytes, bytes]) -> None:
    body = page([element(number) for number in range(NUMBER)], around=around)

    assert read(body, holding(range(NUMBER))) == read(body)
    assert recognised(body, holding(range(NUMBER))) == 0


def test_a_record_that_stands_under_another_identifier_is_parsed() -> None:
    swapped = [element(1), element(0), *(element(number) for number in range(2, NUMBER))]

    entries = answers.parse_page(page(swapped), continued=True, load_stored=lambda keys: holding(range(NUMBER))).entries

    assert [entry.stored is not None for entry in entries] == [False, False] + [True] * (NUMBER - 2)
    assert [entry.root is None for entry in entries] == [False, False] + [True] * (NUMBER - 2)


def test_a_changed_record_is_parsed() -> None:
    body = page([element(number, "Tides" if number == 7 else "Waves") for number in range(NUMBER)])

    assert recognised(body, holding(range(NUMBER))) == NUMBER - 1
    assert read(body, holding(range(NUMBER))) == read(body)


def test_of_a_few_records_the_catalogue_is_not_asked() -> None:
    asked: list[Sequence[str]] = []

    def held(keys: Sequence[str]) -> Mapping[str, StoredVersion]:
        asked.append(keys)
        return holding(range(3))

    answers.parse_page(page([element(number) for number in range(3)]), continued=True, load_stored=held)
    assert asked == []
    answers.parse_page(page([element(number) for number in range(NUMBER)]), continued=True, load_stored=held)
    assert len(asked) == 1
