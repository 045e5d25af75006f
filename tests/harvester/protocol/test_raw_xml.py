"""What is cut from a page: the bytes as received, and the digest without a second parse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from catalogue.documents import iso19139, xml_tree
from harvester.protocol import answers
from tests.support.paths import shared
from tests.support.world import iso_record

OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
ISO = iso_record("urn:x:1", title="Wind & waves").split(b"?>\n", 1)[1].strip().decode()


def page(*contents: str, opening: str = f"<OAI-PMH {OAI}>", about: str = "") -> bytes:
    records = "".join(
        f"<record><header><identifier>urn:x:{n}</identifier><datestamp>2026-01-01</datestamp></header>{content}{about}</record>"
        for n, content in enumerate(contents)
    )
    return (
        f"{opening}<responseDate>2026-01-01T00:00:00Z</responseDate><request/><ListRecords>{records}</ListRecords></OAI-PMH>"
    ).encode()


def cut(body: bytes) -> list[bytes | None]:
    return [entry.metadata for entry in answers.parse_page(body, continued=False).entries]


def wrapped(element: str) -> str:
    return f"<metadata>{element}</metadata>"


def agree(body: bytes) -> None:
    """Each record's digest from the page is that of its bytes read by themselves."""
    for entry in answers.parse_page(body, continued=False).entries:
        if entry.metadata is not None:
            assert xml_tree.digest_of(entry.root) == iso19139.read(entry.metadata).digest


def digests(*elements: bytes | None) -> list[bytes]:
    return [iso19139.read(element).digest for element in elements if element is not None]


def test_records_are_cut_byte_for_byte() -> None:
    odd = ISO.replace("<gmd:contact>", "<!-- a\n comment --><gmd:contact \n >")
    assert cut(page(wrapped(ISO), wrapped(f"\n  {odd}\n"), "", "<metadata/>", wrapped("  "))) == [
        ISO.encode(),
        odd.encode(),
        None,
        None,
        None,
    ]


HIDDEN = [
    "<!-- <metadata>fake</metadata> -->",
    "<![CDATA[</metadata><metadata>]]>",
    "<?pi </metadata> ?>",
    "<!-- </gmd:MD_Metadata></metadata> -->",
]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_tags_in_comments_cdata_and_instructions_are_no_tags(hidden: str) -> None:
    odd = ISO.replace("SYNOP", f"{hidden}SYNOP")
    body = page(wrapped(odd), wrapped(ISO))
    assert cut(body) == [odd.encode(), ISO.encode()]
    agree(body)


@pytest.mark.parametrize("beside", ["<!-- beside -->", "<?pi x?>", "<other xmlns='urn:o'/>"])
def test_what_stands_beside_a_record_is_left_out(beside: str) -> None:
    for content in (f"{beside}{ISO}", f"{ISO}{beside}", f"{beside}{ISO}{beside}"):
        body = page(wrapped(content), wrapped(ISO))
        assert digests(*cut(body)) == digests(ISO.encode(), ISO.encode())
        agree(body)


def test_a_record_that_holds_a_metadata_element_is_written_out_the_same() -> None:
    odd = ISO.replace("<gmd:contact>", '<metadata xmlns="urn:other">x</metadata><gmd:contact>')
    body = page(wrapped(odd), wrapped(ISO))
    assert digests(*cut(body)) == digests(odd.encode(), ISO.encode())
    agree(body)


def test_a_metadata_element_in_an_about_does_not_shift_the_records() -> None:
    other = ISO.replace("Wind", "Other")
    body = page(wrapped(ISO), wrapped(other), about='<about><metadata xmlns="urn:other"/></about>')
    assert digests(*cut(body)) == digests(ISO.encode(), other.encode())
    agree(body)


def test_namespaces_of_the_envelope_are_carried_in_where_they_are_used() -> None:
    opening = f"""<OAI-PMH {OAI} xmlns:gmd="http://www.isotc211.org/2005/gmd"
        xmlns:gco='http://www.isotc211.org/2005/gco' xmlns:odd="urn:a&amp;b" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">"""
    bare = (
        "<gmd:MD_Metadata a='>'><gmd:fileIdentifier><gco:CharacterString>urn:x:0</gco:CharacterString>"
        '</gmd:fileIdentifier><odd:x xmlns:gco="urn:inner"/></gmd:MD_Metadata>'
    )
    (element,) = cut(page(wrapped(bare), opening=opening))
    assert element is not None
    root = etree.fromstring(element)
    assert root.nsmap == {
        "gmd": "http://www.isotc211.org/2005/gmd",
        "gco": "http://www.isotc211.org/2005/gco",
        "odd": "urn:a&b",
    }
    assert element.endswith(bare[len("<gmd:MD_Metadata") :].encode())
    agree(page(wrapped(bare), opening=opening))


def test_a_default_namespace_of_the_envelope_is_carried_in() -> None:
    opening = '<o:OAI-PMH xmlns:o="http://www.openarchives.org/OAI/2.0/" xmlns="http://www.isotc211.org/2005/gmd">'
    body = page(wrapped("<MD_Metadata><fileIdentifier>urn:x:0</fileIdentifier></MD_Metadata>"), opening=opening)
    for name in (
        "OAI-PMH",
        "responseDate",
        "request",
        "ListRecords",
        "record",
        "header",
        "identifier",
        "datestamp",
        "metadata",
    ):
        body = body.replace(f"<{name}>".encode(), f"<o:{name}>".encode()).replace(
            f"</{name}>".encode(), f"</o:{name}>".encode()
        )
    body = body.replace(b"<request/>", b"<o:request/>")
    (element,) = cut(body)
    assert (
        element
        == b'<MD_Metadata xmlns="http://www.isotc211.org/2005/gmd"><fileIdentifier>urn:x:0</fileIdentifier></MD_Metadata>'
    )
    agree(body)


BLANKS = st.text(" \n\t", max_size=300)


@given(before=BLANKS, after=BLANKS, inside=BLANKS)
def test_no_amount_of_white_space_changes_bytes_or_digest(before: str, after: str, inside: str) -> None:
    odd = ISO.replace("<gmd:contact>", f"{inside}<gmd:contact>")
    body = page(wrapped(f"{before}{odd}{after}"), wrapped(ISO))
    assert cut(body)[0] == odd.encode()
    agree(body)
    first, second = answers.parse_page(body, continued=False).entries
    assert xml_tree.digest_of(first.root) == xml_tree.digest_of(second.root)


@given(junk=st.binary(max_size=40))
def test_what_parses_is_utf8(junk: bytes) -> None:
    body = page(wrapped(ISO)).replace(b"SYNOP", junk)
    try:
        (element,) = cut(body)
    except Exception:
        return  # refused
    assert element is not None
    element.decode()


def test_the_real_records_are_cut_as_they_are_and_have_the_same_digest() -> None:
    files = sorted(shared("data", "iso19139").rglob("*.xml"))
    assert len(files) > 1000
    elements = []
    for file in files:
        try:
            element = xml_tree.root_element(file.read_bytes())
            elements.append((element, iso19139.read(element).digest))
        except xml_tree.Unusable:
            continue
    for start in range(0, len(elements), 100):
        some = elements[start : start + 100]
        body = page(*(wrapped(element.decode()) for element, _ in some))
        entries = answers.parse_page(body, continued=False).entries
        for (element, digest), entry in zip(some, entries, strict=True):
            assert entry.metadata == element
            assert xml_tree.digest_of(entry.root) == digest
