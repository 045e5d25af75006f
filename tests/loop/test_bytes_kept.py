"""A record goes out as it came in: the bytes of its root element, whatever way it came (P48, P49, P124).

What is changed is what has to be: the encoding, where it was not UTF-8, and declarations of namespaces that stood
on the envelope, which are carried in.
"""

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lxml import etree

from catalogue import bootstrap
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.models import Record
from catalogue.payloads import zstd
from catalogue.provenance import About, Provenance
from catalogue.writing import store
from catalogue.writing.decisions import Action
from harvester.errors import BrokenReply
from harvester.protocol import answers
from tests.support import asking, world

pytestmark = pytest.mark.django_db

GMD, GCO = "http://www.isotc211.org/2005/gmd", "http://www.isotc211.org/2005/gco"
DECLARED = f"xmlns:gmd='{GMD}'  xmlns:gco = \"{GCO}\""
# Spellings that a parser would not give back: quotes, white space, references, CDATA, line ends, empty elements.
ODD = (
    "<gmd:MD_Metadata {namespaces}\n\t>\r\n<!-- a comment > -->"
    "<gmd:fileIdentifier ><gco:CharacterString>{identifier}</gco:CharacterString ></gmd:fileIdentifier>"
    '<gmd:contact gco:nilReason=\'a "b"\'></gmd:contact><gmd:contact   gco:nilReason = "unknown" />'
    "<?keep me?><gmd:language><gco:CharacterString><![CDATA[<&>]]>&#x41;&gt;&quot;\u6771\u4eac</gco:CharacterString>"
    "</gmd:language></gmd:MD_Metadata  >"
)


@pytest.fixture(autouse=True)
def _founded(db: None) -> None:
    bootstrap.ensure_sets()


def odd(identifier: str, namespaces: str = DECLARED) -> str:
    return ODD.format(identifier=identifier, namespaces=namespaces)


def page(*records: str, on_root: str = "", default: str = "xmlns='http://www.openarchives.org/OAI/2.0/'") -> str:
    """A list of records without a datestamp of interest, the declarations of the root as given."""
    prefix = "o:" if "xmlns:o" in default else ""
    listed = "".join(
        f"<{prefix}record><{prefix}header><{prefix}identifier>urn:{number}</{prefix}identifier>"
        f"<{prefix}datestamp>2025-01-01</{prefix}datestamp></{prefix}header>{inside}</{prefix}record>"
        for number, inside in enumerate(records)
    )
    return (
        f"<{prefix}OAI-PMH {default} {on_root}><{prefix}responseDate>2025-01-01T00:00:00Z</{prefix}responseDate>"
        f"<{prefix}request>http://a</{prefix}request><{prefix}ListRecords>{listed}</{prefix}ListRecords></{prefix}OAI-PMH>"
    )


def received(document: str, encoding: str = "utf-8") -> list[bytes | None]:
    """The payloads of a page, as they are handed to the catalogue."""
    raw = f"<?xml version='1.0' encoding='{encoding}'?>{document}".encode(encoding, "xmlcharrefreplace")
    return [one.metadata for one in answers.parse_page(raw, continued=False).entries]


def served(client: Client, identifier: str) -> bytes:
    """What stands between <metadata> and </metadata>, byte for byte."""
    content: bytes = asking.get(client, verb="GetRecord", identifier=identifier, metadataPrefix="iso19139").content
    return content.partition(b"<metadata>")[2].rpartition(b"</metadata>")[0]


def offer(client: Client, document: str, encoding: str = "utf-8") -> list[bytes]:
    """Take a page in, and ask for each of its records."""
    payloads = received(document, encoding)
    store.put_entries([store.prepare(payload or b"") for payload in payloads], into=world.peer_set(world.TOULOUSE))
    return [served(client, f"urn:{number}") for number in range(len(payloads))]


@pytest.mark.spec("P48", "P49", "P62", "P124")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_harvested_record_is_served_with_the_bytes_it_had(client: Client, encoding: str) -> None:
    around = "<metadata >\n  <!-- by us --> {} <?and so on?>\n</metadata>"
    document = page(*(around.format(odd(f"urn:{number}")) for number in range(3)))
    assert offer(client, document, encoding) == [odd(f"urn:{number}").encode() for number in range(3)]


@pytest.mark.spec("P48", "S36")
def test_namespaces_of_the_envelope_are_carried_in_and_nothing_else_changes(client: Client) -> None:
    bare = odd("urn:0", namespaces="gco:nilReason='x'")
    [made] = offer(client, page(f"<metadata>{bare}</metadata>", on_root=f"xmlns:gmd='{GMD}' xmlns:gco='{GCO}'"))
    tag, rest = b"<gmd:MD_Metadata", bare.encode().removeprefix(b"<gmd:MD_Metadata")
    assert made.startswith(tag) and made.endswith(rest)
    assert sorted(made.removeprefix(tag).removesuffix(rest).split()) == sorted(
        [f'xmlns:gmd="{GMD}"'.encode(), f'xmlns:gco="{GCO}"'.encode()]
    )
    assert etree.fromstring(made).tag == f"{{{GMD}}}MD_Metadata"


@pytest.mark.spec("P48", "S36")
def test_a_default_namespace_of_the_envelope_is_carried_in(client: Client) -> None:
    inside = "<fileIdentifier><gco:CharacterString>urn:0</gco:CharacterString></fileIdentifier>"
    plain = f"<MD_Metadata xmlns:gco='{GCO}'>{inside}</MD_Metadata>"
    document = page(
        f"<o:metadata xmlns='{GMD}'>{plain}</o:metadata>", default="xmlns:o='http://www.openarchives.org/OAI/2.0/'"
    )
    assert offer(client, document) == [plain.replace("<MD_Metadata", f'<MD_Metadata xmlns="{GMD}"', 1).encode()]


@pytest.mark.spec("P48", "P124")
@pytest.mark.parametrize(
    "about",
    [
        "<about><x xmlns='urn:x'><metadata>not this</metadata></x></about>",
        "<!-- <metadata> -->",
        "<about><x xmlns='urn:x'><![CDATA[</metadata>]]></x></about>",
        "<metadata/>",
    ],
)
def test_one_record_with_such_words_elsewhere_does_not_cost_the_others_their_bytes(client: Client, about: str) -> None:
    document = page(f"<metadata>{odd('urn:0')}</metadata>", f"<metadata>\n{odd('urn:1')}</metadata>{about}")
    assert offer(client, document) == [odd("urn:0").encode(), odd("urn:1").encode()]


@pytest.mark.spec("P48")
def test_an_element_called_metadata_inside_a_record_stays_where_it_is(client: Client) -> None:
    with_inner = odd("urn:0").replace("<?keep me?>", "<metadata xmlns='urn:inner'><a/></metadata>")
    assert offer(client, page(f"<metadata>{with_inner}</metadata>", f"<metadata>{odd('urn:1')}</metadata>")) == [
        with_inner.encode(),
        odd("urn:1").encode(),
    ]


def test_records_in_the_wrong_place_make_a_broken_reply() -> None:
    twice = page(f"<metadata>{odd('urn:0')}</metadata>")
    listed = twice[twice.index("<ListRecords>") : twice.index("</OAI-PMH>")]
    with pytest.raises(BrokenReply, match="where no record belongs"):
        received(twice.replace("</OAI-PMH>", f"{listed}</OAI-PMH>"))


@pytest.mark.spec("P49", "S37")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-2022-jp", "cp1252"])
def test_a_record_from_a_file_is_served_with_its_bytes_in_utf8(client: Client, tmp_path, encoding: str) -> None:
    text = odd("urn:0") if encoding != "cp1252" else odd("urn:0").replace("\u6771\u4eac", "\u00e9\u2013")
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    file = tmp_path / "a.xml"
    file.write_bytes(f"<?xml version='1.0' encoding='{declared}'?>\n<!-- b -->{text}\n<?c?>\n".encode(encoding))
    ingest.ingest(sources.documents([file]), into=world.own_set())
    assert served(client, "urn:0") == text.encode()


BITS = st.sampled_from(
    [" ", "\n", "\t", "<!-- m -->", "<?p i?>", "<a xmlns='urn:b'/>", "<![CDATA[<metadata>]]>", "&#13;"]
)


@pytest.mark.spec("P48", "P124")
@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(inside=st.lists(BITS, max_size=6), after=st.lists(st.sampled_from([" ", "<!-- <metadata> -->"]), max_size=2))
def test_whatever_stands_in_and_around_a_payload_its_bytes_are_cut_out_exactly(inside, after) -> None:
    payload = odd("urn:0").replace("<?keep me?>", f"<gmd:x>{''.join(inside)}</gmd:x>")
    document = page(f"<metadata>{payload}</metadata>{''.join(after)}", f"<metadata>{odd('urn:1')}</metadata>")
    found = received(document)
    assert found == [payload.encode(), odd("urn:1").encode()]


# --- Elements in no namespace -----------------------------------------------------------------------

IDENTIFIER = "<{0}fileIdentifier><gco:CharacterString>{1}</gco:CharacterString></{0}fileIdentifier>"
# How a record begins: everything prefixed, the default namespace of ISO 19139, and none for what has no prefix.
ROOTS = st.sampled_from(
    [
        ("gmd:", f"xmlns:gmd='{GMD}' xmlns:gco='{GCO}'"),
        ("gmd:", f"xmlns:gmd='{GMD}' xmlns:gco='{GCO}' n='xmlns=' m=\"' xmlns='>\""),
        ("", f"xmlns='{GMD}' xmlns:gco='{GCO}' xmlns:gmd='{GMD}'"),
        ("gmd:", f"xmlns='urn:other' xmlns:gmd='{GMD}' xmlns:gco='{GCO}'"),
        ("gmd:", f"xmlns:gmd='{GMD}' xmlns = '' xmlns:gco='{GCO}'"),
    ]
)
TAGS = st.sampled_from(
    [
        "id",
        "br",
        "gmd:x",
        "gco:metadata",
        "p:y xmlns:p='urn:p'",
        "z xmlns='urn:z'",
        "z xmlns=''",
        "metadata a='>'",
        "\u00e9",
    ]
)
LEAVES = st.sampled_from(
    ["", " ", "text", "<!-- <id> -->", "<![CDATA[<id/>]]>", "<?p <id> ?>", "<br/>", "<id\n>1</id>"]
)


def element(tag: str, inside: list[str]) -> str:
    return f"<{tag}>{''.join(inside)}</{tag.split()[0]}>"


TREES = st.recursive(LEAVES, lambda inner: st.builds(element, TAGS, st.lists(inner, max_size=3)), max_leaves=8)


def canonical(root: etree._Element) -> bytes:
    return etree.tostring(root, method="c14n", exclusive=True)


def payloads_by_a_parser(answer: asking.Answer) -> list[bytes]:
    return [canonical(found) for found in answer.find("//o:metadata/*")]


@pytest.mark.spec("P48", "P124", "S36")
@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(st.tuples(ROOTS, TREES), min_size=1, max_size=3), peer=st.booleans())
def test_every_payload_cut_out_of_any_answer_is_the_stored_one(client: Client, records, peer) -> None:
    documents = [
        f"<{prefix}MD_Metadata {declared}>{IDENTIFIER.format(prefix, f'urn:{number}')}{tree}</{prefix}MD_Metadata>".encode()
        for number, ((prefix, declared), tree) in enumerate(records)
    ]
    with transaction.atomic():
        world.put(*documents, into=world.peer_set(world.TOULOUSE) if peer else None)
        lists = [
            asking.get(client, verb="ListRecords", metadataPrefix="iso19139", coding=c) for c in ("identity", "gzip")
        ]
        singles = [
            asking.get(client, verb="GetRecord", identifier=f"urn:{number}", metadataPrefix="iso19139", coding=coding)
            for number in range(len(documents))
            for coding in ("identity", "gzip")
        ]
        transaction.set_rollback(True)
    stored = [canonical(etree.fromstring(document)) for document in documents]
    for answer in lists:
        assert payloads_by_a_parser(answer) == stored
        entries = answers.parse_page(answer.content, continued=False).entries
        assert [canonical(etree.fromstring(entry.metadata or b"")) for entry in entries] == stored
        for entry, document in zip(entries, documents, strict=True):
            assert store.prepare(entry.metadata or b"").digest == store.prepare(document).digest
    assert [payload for answer in singles for payload in payloads_by_a_parser(answer)] == [
        payload for payload in stored for _ in ("identity", "gzip")
    ]


@pytest.mark.spec("P48", "P90")
def test_a_record_that_comes_back_with_the_empty_declaration_is_unchanged(client: Client) -> None:
    document = odd("urn:0").replace("<?keep me?>", "<id>1</id>").encode()
    world.put(document)
    sent = served(client, "urn:0")
    assert sent == document.replace(b"<gmd:MD_Metadata", b'<gmd:MD_Metadata xmlns=""', 1)
    [result] = store.put_entries([store.prepare(sent)], into=world.own_set())
    assert result.action is Action.UNCHANGED
    assert served(client, "urn:0") == sent


@pytest.mark.spec("P48")
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_record_that_an_earlier_version_stored_is_served_right_as_well(client: Client, coding: str) -> None:
    document = odd("urn:0").replace("<?keep me?>", "<id>1</id>").encode()
    world.put(document)
    Record.objects.update(payload=zstd.packer(None)(document))
    for verb in ({"verb": "ListRecords"}, {"verb": "GetRecord", "identifier": "urn:0"}):
        answer = asking.get(client, metadataPrefix="iso19139", coding=coding, **verb)
        assert payloads_by_a_parser(answer) == [canonical(etree.fromstring(document))]


@pytest.mark.spec("P48", "P126")
def test_an_about_keeps_elements_that_are_in_no_namespace(client: Client) -> None:
    about = About("urn:n", b"<n:note xmlns:n='urn:n'><id/></n:note>")
    came = Provenance("http://a", "urn:0", "2025-01-01", GMD, "2025-01-02T00:00:00Z", link="a", abouts=(about,))
    entry = store.prepare(odd("urn:0").encode(), provenance=came)
    store.put_entries([entry], into=world.peer_set(world.TOULOUSE), source="a")
    answer = asking.get(client, verb="GetRecord", identifier="urn:0", metadataPrefix="iso19139")
    assert [canonical(found) for found in answer.find("//o:about/*[local-name()='note']")] == [
        canonical(etree.fromstring(about.element))
    ]
