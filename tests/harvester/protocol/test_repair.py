"""Mending: what it may touch, and that it touches nothing else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalogue.documents import complexity, xml_tree
from catalogue.reasons import ReasonCode
from harvester.errors import BrokenReply, FaultCode, TooLarge
from harvester.protocol import answers, repair
from tests.support.world import iso_record

OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'


def document(number: int) -> bytes:
    return iso_record(f"urn:x:{number}", title=f"Title {number}").split(b"?>\n", 1)[1].strip()


def page(*records: bytes) -> bytes:
    listed = b"".join(
        b"<record><header><identifier>urn:x:%d</identifier><datestamp>2026-01-01</datestamp></header>"
        b"<metadata>%s</metadata></record>\n" % (number, record)
        for number, record in enumerate(records)
    )
    return (
        f"<?xml version='1.0'?>\n<OAI-PMH {OAI}><responseDate>2026-01-01T00:00:00Z</responseDate><request/>"
        "<ListRecords>".encode()
        + listed
        + b'<resumptionToken completeListSize="9">t</resumptionToken></ListRecords></OAI-PMH>'
    )


def mended(body: bytes) -> answers.Page:
    with pytest.raises(BrokenReply) as broken:
        answers.parse_page(body, continued=False)
    return repair.repair_page(body, broken.value, continued=False)


@pytest.mark.spec("H32")
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (b"caf\xe9", "café"),
        ("café".encode() + b"\x80\xff", "café€ÿ"),
        (b"a\x00b\x1fc\xef\xbf\xbe", "abc"),
        (b"a&#0;&#x1F;&#xd800;&#xFFFF;&#99999999999;&#233;b", "a&#233;b"),
        (b"&eacute;&nbsp;&amp;&lt;", "é\xa0&amp;&lt;"),
        (b"R&D & co; &# &;", "R&amp;D &amp; co; &amp;# &amp;;"),
    ],
)
def test_each_kind_of_damage_is_mended_in_its_record_alone(wrong: bytes, right: str) -> None:
    damaged = document(1).replace(b"Title", wrong)

    got = mended(page(document(0), damaged, document(2)))

    assert [entry.metadata for entry in got.entries] == [
        document(0),
        document(1).replace(b"Title", right.encode()),
        document(2),
    ]
    assert [bool(entry.repairs) for entry in got.entries] == [False, True, False]
    assert (got.token, got.list_size) == ("t", 9)
    assert len(got.warnings) == 1


@pytest.mark.spec("H33")
@pytest.mark.parametrize(
    "wrong", [b"<", b"</gmd:nothing>", b"&unheard;", b"<x:y/>", b"<a b=c/>", b"]]>", b"<!DOCTYPE a>"]
)
def test_what_cannot_be_mended_is_kept_apart_with_its_bytes(wrong: bytes) -> None:
    damaged = document(1).replace(b"Title", wrong)

    got = mended(page(document(0), damaged, document(2)))

    assert [entry.header.identifier for entry in got.entries] == ["urn:x:0", "urn:x:1", "urn:x:2"]
    assert [bool(entry.fault) for entry in got.entries] == [False, True, False]
    bad = got.entries[1].metadata
    assert bad is not None and bad.startswith(b"<record>") and damaged in bad


@given(junk=st.binary(max_size=30))
@example(b"</record><record>")
@example(b"</record>")
@example(b"<record>")
@example(b"<metadata>")
@example(b"</metadata></record></ListRecords></OAI-PMH>")
@example(b"<!--")
@example(b"<![CDATA[")
def test_whatever_stands_in_one_record_the_others_are_read_as_they_are_or_the_page_is_refused(junk: bytes) -> None:
    body = page(document(0), document(1).replace(b"Title", junk), document(2))
    try:
        got = answers.parse_page(body, continued=False)
    except BrokenReply as broken:
        try:
            got = repair.repair_page(body, broken, continued=False)
        except BrokenReply:
            return
    whole = {e.header.identifier: e for e in got.entries if not e.fault and not e.repairs}
    for number in (0, 2):
        if f"urn:x:{number}" in whole:
            assert whole[f"urn:x:{number}"].metadata == document(number)
    for entry in got.entries:
        if not entry.fault and entry.metadata is not None:
            entry.metadata.decode()


@pytest.mark.spec("H21")
@given(cut=st.integers(1, 2500))
def test_a_page_that_was_cut_short_is_never_mended(cut: int) -> None:
    body = page(document(0), document(1))[:-cut]
    with pytest.raises(BrokenReply) as broken:
        answers.parse_page(body, continued=False)
    with pytest.raises(BrokenReply):
        repair.repair_page(body, broken.value, continued=False)


def test_a_header_that_would_have_to_be_mended_names_nobody() -> None:
    body = page(document(0), document(1)).replace(b"<identifier>urn:x:1", b"<identifier>urn:\x01x:1")
    bad = mended(body).entries[1]
    assert bad.fault
    assert bad.header.identifier == "urn:\ufffdx:1"


def test_an_ampersand_in_an_identifier_is_what_it_says() -> None:
    body = page(document(0)).replace(b"<identifier>urn:x:0", b"<identifier>http://x.example.org/?a=1&b=2")
    (entry,) = mended(body).entries
    assert entry.header.identifier == "http://x.example.org/?a=1&b=2"
    assert entry.repairs == ("ampersands",)


# --- Pages with too much in them ---------------------------------------------------------------------


def without_trees(page: answers.Page) -> list[answers.ReceivedEntry]:
    return [entry._replace(root=None) for entry in page.entries]


@pytest.mark.spec("F22")
def test_a_page_that_is_too_much_for_one_tree_is_parsed_record_by_record() -> None:
    body = page(*(document(number).replace(b"Title", b"x" * 1_500_000) for number in range(3)))
    whole = repair.read_page(body, continued=False)
    with complexity.LIMITS.replaced(page_tags=50):
        with pytest.raises(TooLarge, match="tags"):
            answers.parse_page(body, continued=False)
        called: list[bool] = []
        alone = repair.read_page(body, continued=False, before_repair=lambda: called.append(True))
    assert without_trees(alone) == without_trees(whole)
    assert (alone.token, alone.list_size, alone.warnings) == (whole.token, whole.list_size, ())
    assert called == [True]
    assert all(entry.root is None for entry in alone.entries)


@pytest.mark.spec("F22")
def test_a_record_with_too_much_in_it_costs_that_record_alone() -> None:
    bomb = document(1).replace(b">", b"".join(b' a%d=""' % number for number in range(60_000)) + b">", 1)
    found = repair.read_page(page(document(0), bomb, document(2)), continued=False)
    assert [entry.metadata for entry in found.entries if entry.fault is None] == [document(0), document(2)]
    (refused,) = (entry for entry in found.entries if entry.fault is not None)
    assert (refused.header.identifier, refused.fault.code) == ("urn:x:1", ReasonCode.TOO_COMPLEX)
    assert refused.repairs == ()


@pytest.mark.spec("F22")
def test_a_record_of_100_mb_is_refused_unparsed() -> None:
    found = repair.read_page(page(document(0), document(1).replace(b"Title", b"x" * 100_000_000)), continued=False)
    good, refused = found.entries
    assert good.metadata == document(0)
    assert (refused.header.identifier, refused.fault and refused.fault.code) == ("urn:x:1", ReasonCode.TOO_LARGE)
    assert len(refused.metadata or b"") <= xml_tree.MAX_RECORD_BYTES


@pytest.mark.parametrize(
    "body",
    [
        b"<a/>" + b" " * 2_000_000,
        b"<a" + b"".join(b' a%d=""' % number for number in range(300)) + b"/>",
        page(*[b"<a/>"] * 9_000),
        page(document(0)).replace(b"<OAI-PMH", b"<OAI-PMH" + b"".join(b' xmlns:p%d="u"' % number for number in range(60))),
    ],
    ids=["white space", "attributes", "records", "namespaces"],
)  # fmt: skip
def test_an_answer_that_cannot_be_split_is_refused_with_what_to_do(body: bytes) -> None:
    with pytest.raises(TooLarge, match="ask the provider for smaller pages, or what has made it so") as refusal:
        repair.read_page(body, continued=False)
    assert refusal.value.code == FaultCode.ANSWER_TOO_COMPLEX


def test_a_page_without_records_that_does_not_parse_is_a_broken_reply() -> None:
    body = page().replace(b"<request/>", b"<request>&</request>")
    with pytest.raises(BrokenReply):
        repair.read_page(body, continued=False)


def test_a_list_size_of_a_thousand_digits_is_none() -> None:
    body = page(document(0)).replace(b'completeListSize="9"', b'completeListSize="%b"' % (b"9" * 5_000))
    assert repair.read_page(body, continued=False).list_size is None
