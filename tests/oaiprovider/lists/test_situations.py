"""Table T3, row by row: what is asked, and what is answered. The rows T3.19, T3.46 and T3.55 need a node without sets.

The node holds urn:live (Toulouse's set, a day of 2025), urn:gone (deleted, in our own set), and a tree of sets.
T3.31 and T3.38 are about repositories of another kind (no deletions, day granularity) and do not arise here.
"""

from dataclasses import dataclass

import pytest
from django.test import Client

from catalogue.models import MetadataSet
from tests.support import asking, world

pytestmark = pytest.mark.django_db

LIST = "verb=ListRecords&metadataPrefix=iso19139"
GET = "verb=GetRecord"


@dataclass(frozen=True, slots=True)
class Case:
    """`codes` are the errors expected; none: the verb's element, with these identifiers if any are named."""

    row: str
    query: str
    codes: tuple[str, ...] = ()
    identifiers: tuple[str, ...] | None = None


VERB, ARG, TOKEN, FORMAT = "badVerb", "badArgument", "badResumptionToken", "cannotDisseminateFormat"
UNKNOWN, NOTHING, NO_FORMATS = "idDoesNotExist", "noRecordsMatch", "noMetadataFormats"
LIVE, GONE = "urn:live", "urn:gone"
CASES = [
    Case("T3.1", "", (VERB,)),
    Case("T3.2", "junk", (VERB,)),
    Case("T3.2", "Verb=Identify", (VERB,)),
    Case("T3.3", "verb=", (VERB,)),
    Case("T3.4", "verb=identify", (VERB,)),
    Case("T3.4", "verb=junk", (VERB,)),
    Case("T3.4", "verb=Identify%20", (VERB,)),
    Case("T3.5", "verb=Identify&verb=Identify", (VERB,)),
    Case("T3.5", "verb=Identify&verb=ListSets", (VERB,)),
    Case("T3.6", "verb=junk&foo=1&from=x", (VERB,)),
    Case("T3.7", "verb=Identify&foo=1", (ARG,)),
    Case("T3.7", "verb=ListRecords&metadataprefix=oai_dc", (ARG, ARG)),
    Case("T3.7", f"{LIST}&setSpec=a", (ARG,)),
    Case("T3.7", f"{LIST}&=x", (ARG,)),
    Case("T3.8", "verb=Identify&set=a", (ARG,)),
    Case("T3.8", "verb=ListSets&from=2025-01-01", (ARG,)),
    Case("T3.8", f"{GET}&identifier={LIVE}&metadataPrefix=oai_dc&set=a", (ARG,)),
    Case("T3.9", f"{LIST}&metadataPrefix=iso19139", (ARG,)),
    Case("T3.10", f"{LIST}&set=%FF", (ARG,)),
    Case("T3.10", f"{LIST}&set=%00", (ARG,)),
    Case("T3.10", "verb=ListRecords&resumptionToken=%FF", (ARG,)),
    Case("T3.10", f"{LIST}&%FF=1", (ARG,)),
    Case("T3.11", "verb=Identify&resumptionToken=abc", (ARG,)),
    Case("T3.12", "verb=ListMetadataFormats"),
    Case("T3.13", "verb=ListMetadataFormats&identifier=", (ARG,)),
    Case("T3.13", "verb=ListMetadataFormats&identifier=a%22b", (ARG,)),
    Case("T3.14", "verb=ListMetadataFormats&identifier=urn:none", (UNKNOWN,)),
    Case("T3.15", f"verb=ListMetadataFormats&identifier={LIVE}"),
    Case("T3.16", f"verb=ListMetadataFormats&identifier={GONE}", (NO_FORMATS,)),
    Case("T3.17", "verb=ListMetadataFormats&resumptionToken=abc", (ARG,)),
    Case("T3.18", "verb=ListSets"),
    Case("T3.20", "verb=ListSets&resumptionToken=abc", (TOKEN,)),
    Case("T3.20", "verb=ListSets&resumptionToken=", (TOKEN,)),
    Case("T3.21", f"{GET}&metadataPrefix=oai_dc", (ARG,)),
    Case("T3.22", f"{GET}&identifier={LIVE}", (ARG,)),
    Case("T3.23", GET, (ARG, ARG)),
    Case("T3.24", f"{GET}&metadataPrefix=oai_dc&identifier=", (ARG,)),
    Case("T3.24", f"{GET}&metadataPrefix=oai_dc&identifier=a%20b", (ARG,)),
    Case("T3.25", f"{GET}&metadataPrefix=oai_dc&identifier=urn:none", (UNKNOWN,)),
    Case("T3.26", f"{GET}&identifier={LIVE}&metadataPrefix=", (ARG,)),
    Case("T3.26", f"{GET}&identifier={LIVE}&metadataPrefix=a:b", (ARG,)),
    Case("T3.27", f"{GET}&identifier={LIVE}&metadataPrefix=ISO19139", (FORMAT,)),
    Case("T3.27", f"{GET}&identifier={LIVE}&metadataPrefix=all", (FORMAT,)),
    Case("T3.29", f"{GET}&identifier=urn:none&metadataPrefix=marcxml", (UNKNOWN, FORMAT)),
    Case("T3.30", f"{GET}&identifier={GONE}&metadataPrefix=iso19139", (), (GONE,)),
    Case("T3.30", f"{GET}&identifier={GONE}&metadataPrefix=oai_dc", (), (GONE,)),
    Case("T3.32", "verb=ListRecords", (ARG,)),
    Case("T3.33", "verb=ListRecords&metadataPrefix=", (ARG,)),
    Case("T3.33", "verb=ListRecords&metadataPrefix=a%20b", (ARG,)),
    Case("T3.34", "verb=ListRecords&metadataPrefix=ISO19139", (FORMAT,)),
    Case("T3.34", "verb=ListRecords&metadataPrefix=all", (FORMAT,)),
    Case("T3.35", f"{LIST}&from=2025-06-01&until=2025-06-02", (NOTHING,)),
    Case("T3.36", f"{LIST}&from=2025-02-29", (ARG,)),
    Case("T3.36", f"{LIST}&from=x&until=y", (ARG, ARG)),
    Case("T3.36", f"{LIST}&from=2025-01-01T00:00:00+00:00", (ARG,)),
    Case("T3.37", f"{LIST}&from=2025-01-01&until=2025-01-02T00:00:00Z", (ARG,)),
    Case("T3.39", f"{LIST}&from=2025-01-02&until=2025-01-01", (ARG,)),
    Case("T3.40", f"{LIST}&from=2025-03-01&until=2025-03-01", (), (LIVE,)),
    Case("T3.40", f"{LIST}&from=2025-03-01T12:00:00Z&until=2025-03-01T12:00:00Z", (), (LIVE,)),
    Case("T3.41", f"{LIST}&from=2999-01-01", (NOTHING,)),
    Case("T3.42", f"{LIST}&until=2999-01-01", (), (LIVE, GONE)),
    Case("T3.43", f"{LIST}&until=1999-01-01", (NOTHING,)),
    Case("T3.44", f"{LIST}&from=0001-01-01", (), (LIVE, GONE)),
    Case("T3.45", f"{LIST}&set=", (ARG,)),
    Case("T3.45", f"{LIST}&set=a:", (ARG,)),
    Case("T3.45", f"{LIST}&set=a%20b", (ARG,)),
    Case("T3.45", f"{LIST}&set=a/b", (ARG,)),
    Case("T3.47", f"{LIST}&set=WIS-GISC-TOKIO", (NOTHING,)),
    Case("T3.48", f"{LIST}&set={world.TOULOUSE.spec}&from=2025-06-01", (NOTHING,)),
    Case("T3.48", f"{LIST}&set={world.OFFENBACH.spec}", (NOTHING,)),
    Case("T3.49", f"{LIST}&set=WIS-GISC-TOULOUSE", (), (LIVE,)),
    Case("T3.50", f"{LIST}&set={world.OUR_SPEC}", (), (GONE,)),
    Case("T3.51", f"{LIST}&resumptionToken=abc", (ARG,)),
    Case("T3.51", f"{LIST}&resumptionToken=abc&until=2025-01-10&set=a", (ARG, ARG, ARG)),
    Case("T3.52", "verb=ListRecords&resumptionToken=", (TOKEN,)),
    Case("T3.52", "verb=ListRecords&resumptionToken=abc", (TOKEN,)),
    Case("T3.52", "verb=ListIdentifiers&resumptionToken=a.b", (TOKEN,)),
    Case("T3.54", "verb=ListRecords&from=x", (ARG, ARG)),
    Case("T3.56", "verb=ListRecords&metadataPrefix=marcxml&from=x", (ARG,)),
]


@pytest.fixture
def node() -> None:
    world.put(world.iso_record(LIVE), into=world.peer_set(world.TOULOUSE))
    world.restamp(LIVE, "2025-03-01T12:00:00Z")
    world.peer_set(world.OFFENBACH)
    world.put(world.iso_record(GONE))
    world.bury(GONE)
    world.restamp(GONE, "2025-03-02T12:00:00Z")


def cases() -> list[object]:
    return [pytest.param(case, id=f"{case.row} {case.query}", marks=pytest.mark.spec(case.row)) for case in CASES]


@pytest.mark.spec("P22", "P23", "P32", "P36", "P37", "S29")
@pytest.mark.parametrize("case", cases())
def test_each_situation_has_its_answer(client: Client, node: None, case: Case) -> None:
    answer = asking.raw_get(client, case.query)
    assert tuple(answer.codes) == case.codes, answer.texts
    assert all(text.strip() for text in answer.texts)
    # P26, P27: with badVerb and badArgument the request is bare, with the other codes it is echoed in full.
    bare = {"badVerb", "badArgument"} & set(case.codes)
    assert bool(answer.request.attrib) is not bool(bare)
    if case.identifiers is not None:
        assert sorted(answer.identifiers) == sorted(case.identifiers)


@pytest.mark.spec("P22")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
@pytest.mark.parametrize(
    "case", [case for case in CASES if "verb=ListRecords" in case.query], ids=lambda case: case.query
)
def test_both_record_lists_answer_alike(client: Client, node: None, verb: str, case: Case) -> None:
    answer = asking.raw_get(client, case.query.replace("ListRecords", verb))
    assert tuple(answer.codes) == case.codes


@pytest.mark.spec("T3.47", "P78", "E20")
def test_an_undefined_set_is_named_in_the_text(client: Client, node: None) -> None:
    answer = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set="WIS-GISC-TOKIO")
    assert answer.codes == ["noRecordsMatch"]
    assert "'WIS-GISC-TOKIO' is not defined" in answer.texts[0]
    empty = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=world.OFFENBACH.spec)
    assert "not defined" not in empty.texts[0]


@pytest.mark.spec("T3.19", "T3.46", "T3.55", "P79", "E22")
def test_a_node_that_shows_no_sets_has_no_set_hierarchy(client: Client, node: None) -> None:
    MetadataSet.objects.update(public=False)
    assert asking.get(client, verb="ListSets").codes == ["noSetHierarchy"]
    assert asking.raw_get(client, f"{LIST}&set=a").codes == ["noSetHierarchy"]
    both = asking.raw_get(client, "verb=ListRecords&metadataPrefix=marcxml&set=a")
    assert both.codes == ["cannotDisseminateFormat", "noSetHierarchy"]


@pytest.mark.spec("P69", "E17", "E16")
def test_an_error_names_what_was_asked_for(client: Client, node: None) -> None:
    answer = asking.get(client, verb="GetRecord", identifier="urn:x-wmo:md:none", metadataPrefix="iso19139")
    assert answer.texts == ["No item 'urn:x-wmo:md:none' in this repository."]
    answer = asking.get(client, verb="ListRecords", metadataPrefix="ISO19139")
    assert answer.texts == ["Format 'ISO19139' is not supported; supported: iso19139, oai_dc, dcat_ap."]
