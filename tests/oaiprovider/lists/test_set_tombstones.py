"""Records that left a set and live in another one: who is told that they are deleted there, by which header (P75)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue import oai
from catalogue.models import MetadataSet, Record
from catalogue.provenance import Provenance
from catalogue.writing import set_inclusion, store
from oaiprovider.models import Profile
from tests.support import asking, world

pytestmark = [pytest.mark.django_db, pytest.mark.spec("P75")]
NODE = f"{oai.USER_AGENT}/0.9.0 (WIS-GISC-OFFENBACH)"
FOREIGN = "Sickle/0.7"
OURS, FRENCH, GERMAN = world.OUR_SPEC, world.TOULOUSE.spec, world.OFFENBACH.spec


def ask(agent: str, **arguments: str) -> list[asking.Answer]:
    return asking.walk(Client(headers={"user-agent": agent}), **arguments)


def listed(agent: str, spec: str, **more: str) -> list[asking.Header]:
    """The headers of a list of a set; ListRecords and ListIdentifiers have the same, and announce them."""
    both = []
    for verb in ("ListIdentifiers", "ListRecords"):
        pages = ask(agent, verb=verb, metadataPrefix="iso19139", set=spec, **more)
        both.append(asking.headers_of(pages))
        if pages[0].token_element is not None:
            assert {page.token_element.get("completeListSize") for page in pages} == {str(len(both[-1]))}
    assert both[0] == both[1]
    return both[0]


def put(title: str, spec: str = OURS, name: str = "urn:a") -> None:
    into = MetadataSet.objects.get(spec=spec)
    source = "" if spec == OURS else spec
    entry = store.prepare(world.iso_record(name, title=title), provenance=Provenance(link=source) if source else None)
    store.put_entries([entry], into=into, source=source)


def bury(spec: str, name: str = "urn:a") -> None:
    into = MetadataSet.objects.get(spec=spec)
    store.put_entries([store.prepare_deletion(name)], into=into, source="" if spec == OURS else spec)


def move(spec: str, name: str = "urn:a") -> None:
    store.move([name], into=MetadataSet.objects.get(spec=spec))


@pytest.fixture(autouse=True)
def _sets(_founded: None) -> None:
    world.peer_set(world.TOULOUSE)
    world.peer_set(world.OFFENBACH)


@pytest.fixture
def narrow() -> str:
    """The User-Agent of a foreign harvester that is shown three sets, one of them virtual, and nothing else."""
    union = set_inclusion.ensure_set("DRIVER", kind=MetadataSet.Kind.VIRTUAL)
    set_inclusion.include(union, [world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)])
    profile = Profile.objects.create(name="Narrow", match="NARROW", everything=False)
    profile.sets.set([world.own_set(), world.peer_set(world.TOULOUSE), union])
    return "NARROW/1"


@pytest.fixture
def asking_for_them() -> str:
    Profile.objects.create(name="Per set", match="PERSET", set_tombstones=True)
    return "PERSET/1"


# --- The header -------------------------------------------------------------------------------------


@pytest.mark.spec("P75", "P84", "P86")
def test_the_header_names_the_set_that_was_left_until_the_record_comes_back() -> None:
    put("One")
    move(FRENCH)
    [header] = listed(NODE, OURS)
    assert (header.identifier, header.deleted, header.sets) == ("urn:a", True, (OURS,))
    store.put_entries([store.prepare(world.iso_record("urn:a", title="Two"))], into=world.peer_set(world.TOULOUSE))
    move(GERMAN)
    assert listed(NODE, OURS) == [header], "whatever becomes of the record elsewhere"
    store.put_entries([store.prepare_deletion("urn:a")], into=world.peer_set(world.OFFENBACH))
    [dead] = listed(NODE, OURS)
    assert (dead.deleted, dead.sets) == (True, (OURS,))
    store.put_entries([store.prepare(world.iso_record("urn:a", title="Three"))], into=world.peer_set(world.TOULOUSE))
    assert listed(NODE, OURS) == [dead]
    store.move(["urn:a"], into=world.own_set())
    [alive] = listed(NODE, OURS)
    assert (alive.deleted, alive.sets) == (False, ("WIS-CATALOGUE", OURS))


@pytest.mark.spec("P75", "P84")
def test_a_tombstone_names_what_it_was_in_and_is_sent_to_all(asking_for_them: str) -> None:
    put("One")
    store.withdraw(["urn:a"])
    for agent in (NODE, FOREIGN, asking_for_them):
        [header] = listed(agent, OURS)
        assert (header.deleted, header.sets) == (True, ("WIS-CATALOGUE", OURS))


@pytest.mark.spec("P75", "P84", "P91")
def test_a_tombstone_that_lives_again_elsewhere_has_left_by_a_header_of_its_own() -> None:
    put("One", FRENCH)
    bury(FRENCH)
    world.restamp("urn:a", "2025-03-01T00:00:00Z")
    [dead] = listed(NODE, FRENCH)
    put("Two", GERMAN)
    [left] = listed(NODE, FRENCH)
    assert (dead.sets, left.sets) == (("WIS-CATALOGUE", FRENCH), (FRENCH,))
    assert left.datestamp > dead.datestamp, "another header, so another datestamp"
    assert asking.get(Client(), verb="ListRecords", metadataPrefix="iso19139", set=FRENCH).codes == ["noRecordsMatch"]


# --- Who is told ------------------------------------------------------------------------------------


@pytest.mark.spec("P75", "G11")
def test_who_is_told_that_a_record_left_a_set(asking_for_them: str, narrow: str) -> None:
    put("One", name="urn:a")
    put("One", name="urn:b")
    put("One", name="urn:c")
    move(FRENCH, "urn:b")
    move(GERMAN, "urn:c")
    told = {
        agent: [header.identifier for header in listed(agent, OURS) if header.deleted]
        for agent in (NODE, asking_for_them, FOREIGN, narrow, "")
    }
    assert told == {NODE: ["urn:b", "urn:c"], asking_for_them: ["urn:b", "urn:c"], FOREIGN: [], narrow: [], "": []}
    Profile.objects.get(name="Narrow").sets.set([world.own_set(), world.peer_set(world.TOULOUSE)])
    assert [header.identifier for header in listed(narrow, OURS) if header.deleted] == ["urn:c"], (
        "nowhere that it is shown"
    )
    for agent in (NODE, FOREIGN, asking_for_them):
        answer = asking.read(
            Client(headers={"user-agent": agent}).get(
                "/oai", {"verb": "GetRecord", "identifier": "urn:b", "metadataPrefix": "iso19139"}
            )
        )
        assert answer.headers[0].deleted is False


@pytest.mark.spec("P75", "P91", "P146")
def test_a_foreign_harvester_of_the_set_alone_is_told_when_the_record_dies() -> None:
    put("One")
    move(FRENCH)
    world.restamp("urn:a", "2025-03-01T00:00:00Z")
    bury(FRENCH)
    [header] = listed(FOREIGN, OURS)
    assert header.deleted and header.datestamp > "2025-03-02", "by a header that comes after its last visit"


@pytest.mark.spec("P99", "G12")
def test_a_token_goes_on_as_its_list_was_begun(settings) -> None:
    settings.GISC_PAGE_HEADERS = 1
    for name in ("urn:a", "urn:b", "urn:c"):
        put("One", name=name)
    move(FRENCH, "urn:b")
    answers = {}
    for agent in (NODE, FOREIGN):
        first = asking.read(
            Client(headers={"user-agent": agent}).get(
                "/oai", {"verb": "ListIdentifiers", "metadataPrefix": "iso19139", "set": OURS}
            )
        )
        for other in (NODE, FOREIGN):
            client = Client(headers={"user-agent": other})
            answers[agent, other] = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token).codes
    assert answers == {
        (NODE, NODE): [],
        (NODE, FOREIGN): ["badResumptionToken"],
        (FOREIGN, NODE): ["badResumptionToken"],
        (FOREIGN, FOREIGN): [],
    }


@pytest.mark.spec("P103", "P105")
def test_gzip_pages_are_those_of_their_kind(settings) -> None:
    """Rendered records are shared by all kinds of harvesters, lists are not."""
    for name in ("urn:a", "urn:b"):
        put("One", name=name)
    move(FRENCH, "urn:b")
    for agent, expected in ((NODE, 2), (FOREIGN, 1), (NODE, 2)):
        client = Client(headers={"user-agent": agent})
        page = asking.get(client, coding="gzip", verb="ListRecords", metadataPrefix="iso19139", set=OURS)
        assert len(page.headers) == expected


# --- Whatever happens -------------------------------------------------------------------------------

EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from([OURS, FRENCH, GERMAN, "shared01"]), st.integers(0, 2)),
        st.tuples(st.just("bury"), st.sampled_from([OURS, FRENCH, GERMAN, "shared01"]), st.integers(0, 2)),
        st.tuples(st.just("move"), st.sampled_from([OURS, FRENCH, GERMAN]), st.integers(0, 2)),
    ),
    max_size=12,
)


@dataclass
class Harvester:
    """Keeps one store for all its sets, or one for each, and asks for each set from its last responseDate on."""

    agent: str
    sets: tuple[str, ...]
    one_store: bool
    copies: dict[str, dict[str, bool]] = field(default_factory=dict)  # store, identifier: whether it is live
    asked_from: dict[str, str] = field(default_factory=dict)

    def visit(self) -> None:
        client = Client(headers={"user-agent": self.agent})
        for spec in self.sets:
            bounds = {"from_": self.asked_from[spec]} if spec in self.asked_from else {}
            pages = asking.walk(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=spec, **bounds)
            self.asked_from[spec] = pages[0].date
            copy = self.copies.setdefault("" if self.one_store else spec, {})
            copy |= {header.identifier: not header.deleted for header in asking.headers_of(pages)}

    def live(self, spec: str = "") -> set[str]:
        return {name for name, is_live in self.copies[spec].items() if is_live}


def in_sets(specs: tuple[str, ...]) -> set[str]:
    rows = Record.objects.filter(memberships__deleted=False, memberships__set__spec__in=specs, deleted=False)
    return set(rows.values_list("identifier", flat=True))


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.spec("P75", "P103", "P146", "W45")
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS, size=st.integers(1, 4))
def test_no_store_of_several_sets_deletes_what_lives_and_no_store_of_one_keeps_what_left(
    settings, narrow, events, size
) -> None:
    settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_RECORDS = size
    specs = (OURS, FRENCH, GERMAN, "shared01")
    with undone():
        set_inclusion.ensure_set("shared01", kind=MetadataSet.Kind.SHARED)
        harvesters = [
            Harvester(FOREIGN, specs, one_store=True),
            Harvester(FOREIGN, specs[::-1], one_store=True),
            Harvester(narrow, (OURS, FRENCH, "DRIVER"), one_store=True),
            Harvester(NODE, specs, one_store=False),
        ]
        for number, (what, spec, record) in enumerate(events):
            name = f"urn:{record}"
            match what:
                case "put":
                    put(f"Title {number}", spec, name)
                case "bury":
                    bury(spec, name)
                case "move":
                    move(spec, name)
            for harvester in harvesters:
                harvester.visit()
                if harvester.one_store:
                    assert harvester.live() == in_sets(harvester.sets)
                else:
                    assert {spec: harvester.live(spec) for spec in specs} == {spec: in_sets((spec,)) for spec in specs}
        for agent in (NODE, FOREIGN, narrow):
            for spec in (OURS, FRENCH, GERMAN, "DRIVER", "WIS-CATALOGUE"):
                listed(agent, spec)  # as many as announced


# --- A relay ----------------------------------------------------------------------------------------


@pytest.mark.spec("P75", "W12", "P90")
@pytest.mark.parametrize("state", ["live", "dead"])
def test_a_relay_passes_on_that_a_record_left_a_set_that_it_never_had_it_in(state: str) -> None:
    put("One", GERMAN)
    if state == "dead":
        bury(GERMAN)
    bury(FRENCH)
    [header] = listed(NODE, FRENCH)
    assert (header.identifier, header.deleted, header.sets) == ("urn:a", True, (FRENCH,))
    world.restamp("urn:a", "2025-03-01T00:00:00Z")
    bury(FRENCH)
    assert listed(NODE, FRENCH)[0].datestamp == "2025-03-01T00:00:00Z", "told again, nothing changes"
    assert [each.deleted for each in listed(NODE, GERMAN)] == [state == "dead"]
    if state == "live":
        codes = asking.get(Client(), verb="ListRecords", metadataPrefix="iso19139", set=FRENCH).codes
        assert codes == ["noRecordsMatch"], "a foreign harvester of both sets keeps it"
