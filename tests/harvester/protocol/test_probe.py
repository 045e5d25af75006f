"""What "retrieve info" and `link check` tell of a provider before anything is stored."""

import gzip
import json

import pytest
from django.core.management import CommandError, call_command
from werkzeug import Response

from catalogue.models import Record, Validation
from harvester.errors import HarvestError, RefusedByProvider
from harvester.link_rules import Identifiers
from harvester.models import Link
from harvester.protocol import probe
from tests.support.commands import printed
from tests.support.provider import Provider, fill, identifier, xml
from tests.support.world import iso_record

FRIENDS = (
    '<description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/"><baseURL>http://a.example.org/oai'
    "</baseURL><baseURL> http://b.example.org/oai </baseURL><baseURL>http://a.example.org/oai</baseURL></friends>"
    "</description>"
)


@pytest.mark.spec("H1")
def test_identity_formats_sets_policy_clock_and_a_sample_record_are_told(db: None, provider: Provider) -> None:
    fill(provider, range(3))
    provider.entries[identifier(0)] = ("2026-02-01T00:00:00Z", None)

    offer = probe.retrieve_info(provider.base_url)

    assert offer.identity.repository_name == "Test"
    assert offer.identity.deleted_record == "persistent"
    assert [item.prefix for item in offer.formats] == ["ISO19139"]
    assert [item.spec for item in offer.sets] == ["WIS-GISC-TOULOUSE"]
    assert offer.skew_s < -3600
    assert (offer.sample.identifier, offer.sample.title, offer.sample.fault) == (identifier(1), "Product 1", "")
    assert not Record.objects.exists()


@pytest.mark.spec("H25")
def test_sets_are_counted_where_that_is_cheap(provider: Provider) -> None:
    fill(provider, range(5))
    offer = probe.retrieve_info(provider.base_url)
    assert offer.sizes == {} and not provider.asked_for("ListIdentifiers")
    assert probe.count_sets(offer, provider.base_url).sizes == {"": 5, "WIS-GISC-TOULOUSE": 5}
    assert len(provider.asked_for("ListIdentifiers")) == 2, "the first page alone"
    for limits, sizes in ((probe.CountLimits(sets=1), {"": 5}), (probe.CountLimits(total_s=0), {})):
        assert probe.count_sets(offer, provider.base_url, limits=limits).sizes == sizes
    provider.page_size = 10
    assert probe.count_sets(offer, provider.base_url).sizes[""] == 5, "a list of one page"
    no_size = b' completeListSize="5"'
    provider.page_size = 2
    provider.edits.append(lambda a, body: body.replace(no_size, b""))
    assert probe.count_sets(offer, provider.base_url).sizes == {}


def test_the_sample_has_the_label_that_the_record_would_have(provider: Provider) -> None:
    fill(provider, range(1))
    sample = probe.retrieve_info(provider.base_url).sample
    assert sample.structure in Validation.Structure.values and sample.check_faults
    provider.entries[identifier(0)] = ("2026-02-01T00:00:00Z", iso_record(identifier(0), box=(0, 40, 10, 50)))
    better = probe.retrieve_info(provider.base_url).sample
    assert len(better.check_faults) < len(sample.check_faults)


def test_whether_answers_come_compressed_is_told(provider: Provider) -> None:
    assert not probe.retrieve_info(provider.base_url).is_compressed
    provider.faults.append(lambda a: Response(gzip.compress(provider.say(a)), headers={"Content-Encoding": "gzip"}))
    assert probe.retrieve_info(provider.base_url).is_compressed


@pytest.mark.parametrize(
    ("formats", "found"),
    [
        ((("iso19139", "http://www.isotc211.org/2005/gmd"),), "iso19139"),
        ((("oai_dc", "http://x"), ("gmd", "http://www.isotc211.org/2005/gmd/")), "gmd"),
        ((("mi", "http://www.isotc211.org/2005/gmi"), ("iso19139", "http://www.isotc211.org/2005/gmd")), "iso19139"),
        ((("oai_dc", "http://x"),), ""),
    ],
)
@pytest.mark.spec("W2")
def test_the_prefix_is_found_by_its_namespace_however_it_is_spelled(
    provider: Provider, formats: tuple[tuple[str, str], ...], found: str
) -> None:
    provider.formats = formats
    assert probe.retrieve_info(provider.base_url).iso_prefix == found


def test_a_provider_without_iso_records_has_no_sample_and_says_why(provider: Provider) -> None:
    provider.formats = (("oai_dc", "http://x"),)
    assert probe.retrieve_info(provider.base_url).sample.fault == "ISO 19139 is not on offer"


@pytest.mark.spec("W3", "H38")
def test_a_sample_whose_header_and_metadata_disagree_says_so(provider: Provider) -> None:
    fill(provider, range(1))
    provider.edits.append(lambda a, body: body.replace(b"R000</identifier>", b"R999</identifier>"))
    assert "gmd:fileIdentifier" in probe.retrieve_info(provider.base_url).sample.fault


@pytest.mark.spec("H38")
@pytest.mark.parametrize(
    ("entries", "suggested"),
    [
        ({"urn:a": "urn:a", "{b}": "{b}", "%7Bc%7D": "{c}"}, "same"),
        ({"oai:h:1": "urn:a", "oai:h:2": "{b}"}, "file"),
        ({"oai:h:1": "urn:a", "urn:b": "urn:b"}, "file"),
        ({"oai:h:1": "urn:a", "oai:h:2": "urn:a"}, "header"),
        ({"oai:h:1": "urn:a", "oai:h:2": ""}, "header"),
    ],
)
def test_what_a_link_should_count_as_identifier_is_suggested(
    db: None, provider: Provider, entries: dict[str, str], suggested: str
) -> None:
    for header, file in entries.items():
        provider.entries[header] = ("2026-02-01T00:00:00Z", iso_record(file))
    offer = probe.retrieve_info(provider.base_url)
    assert offer.sample.identifiers == suggested
    for chosen in Identifiers:
        faults = " ".join(offer.faults("ISO19139", "", chosen))
        fits = suggested == "same" or chosen == "header" or chosen == suggested
        assert (faults == "") == fits, faults
        assert fits or f"“{suggested}”" in faults


@pytest.mark.spec("H38")
def test_link_check_says_that_a_link_needs_other_identifiers(link: Link, provider: Provider) -> None:
    provider.entries["oai:h:1"] = ("2026-02-01T00:00:00Z", iso_record("urn:a"))
    Link.objects.update(prefix="ISO19139")
    with pytest.raises(SystemExit):
        printed("link", "check", "toulouse")
    assert "the next run asks for the whole list" in printed("link", "identifiers", "toulouse", "file")
    assert json.loads(printed("link", "check", "toulouse", "--json"))["faults"] == []
    assert json.loads(printed("link", "show", "toulouse", "--json"))["identifiers"] == "file"
    assert "as before" in printed("link", "identifiers", "toulouse", "file")
    printed("link", "add", "other", "https://a.example.org/oai", "--set", "S", "--identifiers", "header")
    assert Link.objects.get(name="other").identifiers == "header"


@pytest.mark.spec("H46")
def test_friends_are_returned_once_each(provider: Provider) -> None:
    provider.description = FRIENDS
    assert probe.retrieve_info(provider.base_url).identity.friends == (
        "http://a.example.org/oai",
        "http://b.example.org/oai",
    )


@pytest.mark.spec("H27")
def test_a_permanent_move_is_proposed(provider: Provider) -> None:
    provider.server.expect_request("/old").respond_with_handler(
        lambda request: Response(status=308, headers={"Location": f"/oai?{request.query_string.decode()}"})
    )
    offer = probe.retrieve_info(provider.server.url_for("/old"))
    assert offer.moved_to == provider.base_url
    assert provider.base_url in " ".join(offer.warnings)


@pytest.mark.spec("H29")
def test_what_is_no_provider_is_an_error(provider: Provider) -> None:
    provider.faults.append(lambda arguments: Response("<html>hello</html>", content_type="text/html"))
    with pytest.raises(HarvestError, match="not OAI-PMH"):
        probe.retrieve_info(provider.base_url)


@pytest.mark.spec("H47")
def test_a_static_repository_is_not_taken_for_a_provider(provider: Provider) -> None:
    body = '<Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository"/>'
    provider.faults.append(lambda arguments: xml(body))
    with pytest.raises(RefusedByProvider, match="gateway"):
        probe.retrieve_info(provider.base_url)


def test_sets_that_never_end_are_no_reason_to_tell_nothing(provider: Provider) -> None:
    page = provider.envelope("<ListSets><set><setSpec>a</setSpec></set><resumptionToken>x</resumptionToken></ListSets>")
    provider.faults.append(lambda arguments: xml(page) if arguments["verb"] == "ListSets" else None)
    assert "did not end" in probe.retrieve_info(provider.base_url).sets_fault


def test_link_check_prints_the_same(db: None, provider: Provider) -> None:
    fill(provider, range(1))
    provider.description = FRIENDS
    told = json.loads(printed("link", "check", provider.base_url, "--json"))
    assert told["iso_prefix"] == "ISO19139"
    assert told["sample"]["identifier"] == identifier(0)
    assert told["friends"] == ["http://a.example.org/oai", "http://b.example.org/oai"]
    assert told["deleted_record"] == "persistent"
    assert told["granularity"] == "YYYY-MM-DDThh:mm:ssZ"
    assert f"sample: identifier {identifier(0)}; datestamp" in printed("link", "check", provider.base_url)


def test_link_check_of_what_does_not_answer_is_one_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="no answer from http://127.0.0.1:1/oai"):
        call_command("link", "check", "http://127.0.0.1:1/oai")
