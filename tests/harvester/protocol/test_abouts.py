"""What a provider says beside a record is passed on as it was said (P126): harvested over HTTP, served by us."""

import gzip
import re

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lxml import etree

from catalogue.models import Record
from harvester.models import Link
from harvester.protocol import answers
from harvester.protocol.warnings import describe_warnings
from tests.support import asking, world
from tests.support.provider import OAI, Provider, fill, identifier, record
from tests.support.runs import harvest

pytestmark = pytest.mark.spec("P126")

RIGHTS = (
    '<rights xmlns="http://www.openarchives.org/OAI/2.0/rights/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\n'
    " xsi:schemaLocation = 'http://www.openarchives.org/OAI/2.0/rights/ http://www.openarchives.org/OAI/2.0/rights.xsd'>"
    '<rightsReference  ref="http://toulouse.example.org/rights?a=1&amp;b=2"></rightsReference><!-- as said --></rights >'
)
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:description>&#x41;<![CDATA[<&>]]> \u6771</dc:description></oai_dc:dc>"
)
ODD = "<n:note xmlns:n='urn:note' n:a='\"'><n:about/><about xmlns=''/></n:note>"
PROVENANCE = (
    '<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"><originDescription harvestDate="2025-01-01"'
    ' altered="false"><baseURL>http://far.example.org/oai</baseURL><identifier>urn:a</identifier>'
    "<datestamp>2025-01-01</datestamp><metadataNamespace>urn:m</metadataNamespace></originDescription></provenance>"
)
RIGHTS_TAG = "{http://www.openarchives.org/OAI/2.0/rights/}rights"


def abouts(*containers: str) -> str:
    return "".join(f"<about>{container}</about>" for container in containers)


class Said:
    """What the provider says beside its records, by number; changed between harvests."""

    def __init__(self, provider: Provider) -> None:
        self.beside: dict[int, str] = {}
        provider.edits.append(self._add)

    def _add(self, _: dict[str, str], body: bytes) -> bytes:
        text = body.decode()
        for number, said in self.beside.items():
            beginning = rf"{re.escape(identifier(number))}</identifier>.*?</metadata>"
            text = re.sub(beginning, lambda found, said=said: found.group() + said, text, count=1, flags=re.DOTALL)
        return text.encode()


@pytest.fixture
def said(provider: Provider) -> Said:
    return Said(provider)


def served(client: Client, number: int, prefix: str = "iso19139", verb: str = "GetRecord") -> list[str]:
    """What stands between <about> and </about> in a valid answer of ours, byte for byte, without our provenance."""
    asked = {"identifier": identifier(number)} if verb == "GetRecord" else {}
    content: bytes = asking.get(client, verb=verb, metadataPrefix=prefix, **asked).content
    found = re.findall(r"<about>(.*?)</about>\n", content.decode(), re.DOTALL)
    ours = [about for about in found if about.startswith('<provenance xmlns="http://www.openarchives.org/OAI/2.0/prov')]
    assert len(ours) == content.count(b"<metadata>"), "each harvested record tells its way, once"
    for about in found:
        etree.fromstring(about)  # by itself
    return [about for about in found if about not in ours]


def stamps() -> list[tuple[str, object]]:
    return list(Record.objects.order_by("identifier").values_list("identifier", "datestamp"))


@pytest.mark.spec("P46", "P48")
def test_what_was_said_beside_a_record_goes_out_byte_for_byte(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(3))
    said.beside = {0: abouts(RIGHTS), 2: abouts(PROVENANCE, DC) + f"\n<about >\n <!-- b -->{ODD}</about>\n"}
    run = harvest(link)
    assert run.state == "done" and "about" not in run.message
    assert [served(client, number) for number in range(3)] == [[RIGHTS], [], [DC, ODD]]
    assert served(client, 0, verb="ListRecords") == [RIGHTS, DC, ODD]
    # The way that was told beside it is told on, and once.
    content = asking.get(client, verb="GetRecord", metadataPrefix="iso19139", identifier=identifier(2)).content
    assert content.count(b"http://far.example.org/oai") == 1
    assert Record.objects.exclude(provenance__has_key="abouts").count() == 1, "a record without any has nothing of it"


@pytest.mark.spec("P124")
def test_of_a_record_in_another_format_only_the_rights_are_said(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(1))
    said.beside = {0: abouts(DC, RIGHTS)}
    harvest(link)
    assert served(client, 0) == [DC, RIGHTS]
    assert served(client, 0, "oai_dc") == [RIGHTS]


@pytest.mark.spec("P90", "S12")
def test_what_is_said_anew_of_an_unchanged_record_is_passed_on_and_moves_no_datestamp(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(4))
    said.beside = {0: abouts(RIGHTS), 1: abouts(DC), 2: abouts(DC)}
    harvest(link)
    for held in Record.objects.all():
        world.restamp(held.identifier, "2025-01-01T00:00:00Z")
    before = stamps()
    newer = RIGHTS.replace("b=2", "b=3")
    said.beside = {0: abouts(newer), 2: abouts(DC), 3: abouts(ODD)}
    run = harvest(link, full=True)
    assert (run.received, run.unchanged) == (4, 4)
    assert stamps() == before
    assert [served(client, number) for number in range(4)] == [[newer], [], [DC], [ODD]]
    assert Record.objects.get(identifier=identifier(1)).provenance.get("abouts") is None
    run = harvest(link, full=True)
    assert run.unchanged == 4 and stamps() == before


def test_what_is_said_anew_is_sent_also_where_the_record_was_kept_ready(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    def sent() -> bytes:
        packed = client.get("/oai?verb=ListRecords&metadataPrefix=iso19139", headers={"accept-encoding": "gzip"})
        return gzip.decompress(packed.content)

    fill(provider, range(1))
    said.beside = {0: abouts(RIGHTS)}
    harvest(link)
    assert RIGHTS.encode() in sent() and RIGHTS.encode() in sent()
    said.beside = {0: abouts(DC)}
    assert harvest(link, full=True).unchanged == 1
    assert DC.encode() in sent() and RIGHTS.encode() not in sent()


def test_what_another_link_says_beside_a_record_is_not_passed_on(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    """Whoever owns the record decides (promise 9)."""
    fill(provider, range(2))
    said.beside = {0: abouts(RIGHTS)}
    harvest(link)
    other = Link.objects.create(
        name="offenbach", base_url=provider.base_url, remote_set="X", local_set=world.peer_set(world.OFFENBACH)
    )
    said.beside = {0: abouts(DC)}
    for _ in range(2):  # a claim first, then an unchanged one
        harvest(other, full=True)
        assert served(client, 0) == [RIGHTS]
    provider.entries[identifier(0)] = ("2026-02-02T00:00:00Z", None)
    harvest(link, full=True)
    assert served(client, 0) == [DC], "now its record is the one that counts"


@pytest.mark.spec("P123")
def test_at_the_next_node_they_are_read_as_they_were(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(1))
    said.beside = {0: abouts(RIGHTS, PROVENANCE, ODD)}
    harvest(link)
    content = asking.get(client, verb="ListRecords", metadataPrefix="iso19139").content
    [entry] = answers.parse_page(content, continued=False).entries
    assert [about.element.decode() for about in entry.abouts] == [RIGHTS, ODD]
    assert entry.provenance is not None and entry.provenance.origin.base_url == "http://far.example.org/oai"


@pytest.mark.spec("P120", "P83")
def test_a_record_that_is_deleted_has_no_abouts_and_one_that_returns_has_those_it_returns_with(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(2))
    said.beside = {0: abouts(RIGHTS)}
    harvest(link)
    document = provider.entries[identifier(0)][1]
    provider.entries[identifier(0)] = ("2026-02-02T00:00:00Z", None)
    harvest(link, full=True)
    assert served(client, 0) == []
    provider.entries[identifier(0)] = ("2026-02-03T00:00:00Z", document)
    said.beside = {0: abouts(DC)}
    harvest(link, full=True)
    assert served(client, 0) == [DC]


def test_our_own_records_come_back_without_what_others_say_of_them(
    client: Client, link: Link, provider: Provider, said: Said, settings
) -> None:
    """Rights in our own records are ours to state, once."""
    settings.GISC_RIGHTS_URL = "https://gisc.example.org/rights"
    fill(provider, range(1))
    said.beside = {0: abouts(RIGHTS)}
    Link.objects.filter(pk=link.pk).update(kind="recovery", local_set=world.own_set())
    link.refresh_from_db()
    for _ in range(2):
        harvest(link, full=True)
        found = asking.get(client, verb="ListRecords", metadataPrefix="iso19139").find("//o:about")
        [[rights]] = found
        assert rights.tag == RIGHTS_TAG and rights[0].get("ref") == settings.GISC_RIGHTS_URL


@pytest.mark.parametrize(
    ("beside", "kept", "reason"),
    [
        (abouts(RIGHTS, RIGHTS.replace("b=2", "b=3")), [RIGHTS], "a second package of rights"),
        (abouts(*[DC] * 9), [DC] * 8, "more than 8"),
        (abouts(DC.replace("\u6771", "A" * 15_900), RIGHTS), [RIGHTS], "16000 bytes together"),
        (abouts("<a xmlns=''/>", RIGHTS), [RIGHTS], "no namespace of its own"),
        (abouts("<a/>", RIGHTS), [RIGHTS], "no namespace of its own"),
    ],
)
def test_what_cannot_be_passed_on_is_left_out_and_told(
    client: Client, link: Link, provider: Provider, said: Said, beside: str, kept: list[str], reason: str
) -> None:
    fill(provider, range(1))
    said.beside = {0: beside}
    run = harvest(link)
    [warning] = run.warnings
    assert run.state == "done" and warning["code"] == "about-left-out" and reason in describe_warnings([warning])[0]
    assert served(client, 0) == kept


def test_what_is_left_out_is_told_once_for_a_page_however_often() -> None:
    one = record("urn:{}", "2026-01-01", world.iso_record("urn:a"))
    twice = one.replace("</record>", f"{abouts(*[RIGHTS] * 50)}</record>")
    listed = "".join(twice.replace("urn:{}", f"urn:{number}") for number in range(3))
    text = f"<OAI-PMH xmlns='{OAI}'><responseDate>2026-01-01T00:00:00Z</responseDate><ListRecords>{listed}</ListRecords></OAI-PMH>"
    page = answers.parse_page(text.encode(), continued=False)
    [warning] = page.warnings
    assert str(warning) == ("An about of a record was left out, because it is a second package of rights (3 times).")
    assert [len(entry.abouts) for entry in page.entries] == [1, 1, 1]


def test_several_in_one_about_become_several_abouts() -> None:
    [entry] = page_with(f"<about>{RIGHTS}{PROVENANCE}<x xmlns='urn:x'/></about>")
    assert [etree.fromstring(about.element).tag for about in entry.abouts] == [RIGHTS_TAG, "{urn:x}x"]
    assert entry.provenance is not None


def page_with(beside: str, on_root: str = "") -> tuple[answers.ReceivedEntry, ...]:
    iso = record("urn:a", "2026-01-01", world.iso_record("urn:a"))
    body = f"<ListRecords>{iso.replace('</record>', f'{beside}</record>')}</ListRecords>"
    text = f"<OAI-PMH xmlns='{OAI}' {on_root}><responseDate>2026-01-01T00:00:00Z</responseDate>{body}</OAI-PMH>"
    return answers.parse_page(text.encode(), continued=False).entries


@pytest.mark.spec("P48", "S36")
def test_namespaces_of_the_envelope_are_carried_in() -> None:
    [entry] = page_with(
        "<about><n:note n:type='m:a'/></about>", "xmlns:n='urn:note' xmlns:m='urn:m&amp;' xmlns:u='urn:u'"
    )
    [about] = entry.abouts
    assert about.namespace == "urn:note"
    assert etree.fromstring(about.element).nsmap == {"n": "urn:note", "m": "urn:m&"}


BITS = st.sampled_from([" ", "\n", "<!-- <about> -->", "<?p </about>?>", "<n:about/>", "<about xmlns='urn:b'>&lt;</about>",
                        "<![CDATA[</about>]]>", "<record xmlns='urn:c'><about/></record>"])  # fmt: skip
AROUND = st.lists(st.sampled_from([" ", "<!-- <about/> -->", "<?p <about>?>"]), max_size=2).map("".join)


@pytest.mark.spec("P48")
@hypothesis_settings(max_examples=150, deadline=None)
@given(inside=st.lists(st.lists(BITS, max_size=5).map("".join), min_size=1, max_size=3), around=AROUND, before=AROUND)
def test_whatever_stands_in_and_around_an_about_its_bytes_are_cut_out_exactly(inside, around, before) -> None:
    containers = [f"<n:note  xmlns:n='urn:note'>{bits}</n:note >" for bits in inside]
    beside = "".join(f"{before}<about>{around}{container}{around}</about>" for container in containers)
    [entry] = page_with(beside)
    assert [about.element.decode() for about in entry.abouts] == containers


@pytest.mark.spec("P46")
def test_a_mended_page_keeps_what_is_said_beside_its_other_records(
    client: Client, link: Link, provider: Provider, said: Said
) -> None:
    fill(provider, range(2))
    said.beside = {0: abouts(DC), 1: abouts(RIGHTS)}
    provider.edits.append(lambda _, body: body.replace(b"Product 1", b"Product & 1"))
    harvest(link)
    assert [served(client, 0), served(client, 1)] == [[DC], [RIGHTS]]
