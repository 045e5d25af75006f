"""Sickle, a client we did not write, over a real socket."""

import pytest
from sickle import Sickle
from sickle.oaiexceptions import BadArgument, NoRecordsMatch

from tests.support import world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sickle(live_server, settings) -> Sickle:
    """Seven records in pages of three, two of them deleted; four in our own set."""
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 3
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(*(world.iso_record(f"urn:ours:{n}", title=f"Record {n} \u6771\u4eac") for n in range(4)))
    world.put(*(world.iso_record(f"urn:theirs:{n}") for n in range(3)), into=toulouse)
    world.bury("urn:ours:1")
    world.bury("urn:theirs:1", into=toulouse)
    return Sickle(f"{live_server.url}/oai")


EVERYTHING = {*(f"urn:ours:{n}" for n in range(4)), *(f"urn:theirs:{n}" for n in range(3))}
DELETED = {"urn:ours:1", "urn:theirs:1"}


@pytest.mark.spec("W4", "P96", "P106")
@pytest.mark.parametrize("prefix", ["iso19139", "oai_dc", "dcat_ap"])
def test_list_records_is_walked_to_its_end(sickle: Sickle, prefix: str) -> None:
    records = list(sickle.ListRecords(metadataPrefix=prefix))
    assert sorted(record.header.identifier for record in records) == sorted(EVERYTHING)
    assert {record.header.identifier for record in records if record.deleted} == DELETED
    assert all(record.xml.findall("{*}metadata") for record in records if not record.deleted)
    assert not any(record.xml.findall("{*}metadata") for record in records if record.deleted)


@pytest.mark.spec("W4", "W5")
def test_list_identifiers_is_walked_to_its_end_by_set_and_without_the_deleted(sickle: Sickle) -> None:
    headers = list(sickle.ListIdentifiers(metadataPrefix="iso19139", set=world.OUR_SPEC))
    assert sorted(header.identifier for header in headers) == [f"urn:ours:{n}" for n in range(4)]
    assert all(header.setSpecs == ["WIS-CATALOGUE", world.OUR_SPEC] for header in headers)
    live = sickle.ListIdentifiers(metadataPrefix="iso19139", ignore_deleted=True)
    assert {header.identifier for header in live} == EVERYTHING - DELETED


@pytest.mark.spec("W4", "W5")
def test_from_and_until_select(sickle: Sickle) -> None:
    stamp = max(header.datestamp for header in sickle.ListIdentifiers(metadataPrefix="iso19139"))
    newest = {header.identifier for header in sickle.ListIdentifiers(metadataPrefix="iso19139", **{"from": stamp})}
    assert DELETED & newest
    with pytest.raises(NoRecordsMatch):
        sickle.ListRecords(metadataPrefix="iso19139", until="1999-12-31")
    with pytest.raises(BadArgument):
        sickle.ListRecords(metadataPrefix="iso19139", until="1999")


@pytest.mark.spec("W4")
def test_the_other_four_verbs_answer(sickle: Sickle) -> None:
    identify = sickle.Identify()
    assert identify.granularity == "YYYY-MM-DDThh:mm:ssZ"
    assert identify.protocolVersion == "2.0"
    assert [each.setSpec for each in sickle.ListSets()] == ["WIS-CATALOGUE", world.OUR_SPEC, world.TOULOUSE.spec]
    assert [each.metadataPrefix for each in sickle.ListMetadataFormats()] == ["iso19139", "oai_dc", "dcat_ap"]
    record = sickle.GetRecord(identifier="urn:ours:0", metadataPrefix="oai_dc")
    assert record.metadata["title"] == ["Record 0 \u6771\u4eac"]
    assert sickle.GetRecord(identifier="urn:ours:1", metadataPrefix="oai_dc").deleted


@pytest.mark.spec("P2")
def test_the_same_walk_by_post(sickle: Sickle) -> None:
    posting = Sickle(sickle.endpoint, http_method="POST")
    assert {record.header.identifier for record in posting.ListRecords(metadataPrefix="iso19139")} == EVERYTHING
