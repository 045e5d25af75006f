"""A provider of OAI-PMH 1.1: recognised by itself, and harvested as any other (H45)."""

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from catalogue.models import MetadataSet, Record
from harvester.models import Link, Run
from harvester.protocol import probe
from tests.support.provider import identifier
from tests.support.runs import go_on, harvest, held
from tests.support.world import iso_record

VERB_NS = "http://www.openarchives.org/OAI/1.1/OAI_"


class OldProvider:
    """Speaks OAI-PMH 1.1 with pages of two: the root is the verb, days only, HTTP 400 for errors."""

    def __init__(self, server: HTTPServer) -> None:
        self.entries: dict[str, tuple[str, bytes | None]] = {}
        self.asked: list[dict[str, str]] = []
        self.forgets_tokens = 0
        server.expect_request("/oai").respond_with_handler(self._answer)
        self.base_url = server.url_for("/oai")

    def _answer(self, request: Request) -> Response:
        arguments = dict(request.args.items())
        self.asked.append(arguments)
        if arguments["verb"] == "ListRecords":
            return self._list(arguments)
        content = {
            "Identify": f"<repositoryName>Old</repositoryName><baseURL>{self.base_url}</baseURL>"
            "<protocolVersion>1.1</protocolVersion><adminEmail>a@example.org</adminEmail>",
            "ListMetadataFormats": "<metadataFormat><metadataPrefix>iso19139</metadataPrefix><schema>x</schema>"
            "<metadataNamespace>http://www.isotc211.org/2005/gmd</metadataNamespace></metadataFormat>",
            "ListSets": "<set><setSpec>WIS-GISC-TOULOUSE</setSpec><setName>T</setName></set>",
        }
        return self._say(arguments["verb"], content[arguments["verb"]])

    def _list(self, arguments: dict[str, str]) -> Response:
        start, position = arguments.get("from", ""), 0
        if "resumptionToken" in arguments:
            if self.forgets_tokens:
                self.forgets_tokens -= 1
                return Response("", status="400 Invalid resumptionToken")
            start, place = arguments["resumptionToken"].split("!")
            position = int(place)
        if "T" in start:
            return Response("", status="400 Invalid date")
        listed = sorted((stamp, name, doc) for name, (stamp, doc) in self.entries.items() if stamp >= start)
        page = listed[position : position + 2]
        records = "".join(self._record(*entry) for entry in page)
        more = position + 2 < len(listed)
        return self._say(
            "ListRecords", records + (f"<resumptionToken>{start}!{position + 2}</resumptionToken>" if more else "")
        )

    def _record(self, stamp: str, name: str, document: bytes | None) -> str:
        header = f"<header><identifier>{name}</identifier><datestamp>{stamp}</datestamp></header>"
        if document is None:
            return f'<record status="deleted">{header}</record>'
        return f"<record>{header}<metadata>{document.decode().split('?>', 1)[1]}</metadata></record>"

    def _say(self, verb: str, content: str) -> Response:
        return Response(
            f'<?xml version="1.0" encoding="UTF-8"?><{verb} xmlns="{VERB_NS}{verb}">'
            f"<responseDate>2002-05-01T19:20:30-04:00</responseDate><requestURL>{self.base_url}</requestURL>"
            f"{content}</{verb}>",
            content_type="text/xml",
        )


@pytest.fixture
def old(httpserver: HTTPServer) -> OldProvider:
    provider = OldProvider(httpserver)
    for number in range(5):
        provider.entries[identifier(number)] = ("2002-04-10", iso_record(identifier(number)))
    return provider


@pytest.fixture
def old_link(toulouse: MetadataSet, old: OldProvider) -> Link:
    return Link.objects.create(name="old", base_url=old.base_url, local_set=toulouse, lateness_h=24 * 60)


@pytest.mark.spec("H45", "H19", "H34")
def test_a_provider_of_protocol_1_1_is_copied_with_its_deletions(old_link: Link, old: OldProvider) -> None:
    old.entries[identifier(9)] = ("2002-04-11", None)

    run = harvest(old_link)

    assert (run.state, run.new, run.deleted, run.rejected) == (Run.State.DONE, 5, 1, 0), run.message
    assert held() == {identifier(number) for number in range(5)}
    assert Record.objects.get(identifier=identifier(9)).deleted


@pytest.mark.spec("H45", "H7", "H9")
def test_it_is_asked_for_changes_by_days_with_two_days_of_overlap(old_link: Link, old: OldProvider) -> None:
    harvest(old_link)
    old.entries[identifier(1)] = ("2002-04-08", iso_record(identifier(1), title="Late"))
    old_link.refresh_from_db()

    run = harvest(old_link)

    assert [arguments["from"] for arguments in old.asked if "from" in arguments] == 2 * ["2002-04-08"]
    assert (run.updated, run.unchanged) == (1, 4)


@pytest.mark.spec("H45", "H22")
def test_its_http_400_for_a_token_restarts_the_list(old_link: Link, old: OldProvider) -> None:
    old.forgets_tokens = 1

    run = harvest(old_link)

    assert run.restarts == 1
    assert go_on(run).state == Run.State.DONE


@pytest.mark.spec("H45", "H13")
def test_an_empty_list_of_it_is_success(old_link: Link, old: OldProvider) -> None:
    old.entries.clear()

    assert harvest(old_link).state == Run.State.DONE


@pytest.mark.spec("H45", "H1")
def test_what_it_offers_says_that_it_is_old(old: OldProvider) -> None:
    offer = probe.retrieve_info(old.base_url)

    assert offer.identity.protocol_version == "1.1"
    assert offer.iso_prefix == "iso19139"
    assert offer.sample.identifier == identifier(0)
    assert "speaks OAI-PMH 1.1" in " ".join(offer.warnings)
