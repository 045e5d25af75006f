"""A bulk reload while lists are read: no walk ends in an error, and what it lacks is in the next list (P106, P101)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalogue.models import MetadataSet, Record
from catalogue.writing import restamp, store
from gisc.backup import follow_up
from oaiprovider.models import Profile
from tests.support import asking, harvesting, stylesheets, world
from tests.support.sql import run

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2031, 5, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
SIZE = 12  # records, in pages of three


@pytest.fixture
def clock() -> Iterator[Callable[[datetime], None]]:
    with harvesting.fake_clock(START) as turn:
        yield turn


@pytest.fixture(autouse=True)
def _pages(settings) -> None:
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 3


@dataclass
class Walk:
    """One client in the middle of a list. `agent`: its User-Agent."""

    arguments: dict[str, str]
    agent: str = ""
    pages: list[asking.Answer] = field(default_factory=list)

    def go_on(self) -> asking.Answer:
        token = (
            {"verb": self.arguments["verb"], "resumptionToken": self.pages[-1].token} if self.pages else self.arguments
        )
        answer = asking.read(Client().get("/oai", token, headers={"user-agent": self.agent}))
        self.pages.append(answer)
        return answer

    def next_list(self) -> list[asking.Header]:
        """The next incremental list, from the responseDate of the first page of this one."""
        bounds = {"from_": self.pages[0].date}
        arguments = {name: value for name, value in self.arguments.items() if name != "until"}
        client = Client(headers={"user-agent": self.agent})
        return asking.headers_of(asking.walk(client, **arguments, **bounds))


def begin_walks() -> list[Walk]:
    """A walk of each kind: both verbs, whole and of a set, stored and made formats, with `until`, in a narrow profile."""
    shown = Profile.objects.create(name="Narrow", match="NARROW", everything=False)
    shown.sets.set([world.own_set(), world.peer_set(world.TOULOUSE)])
    stylesheets.add()
    kinds: list[tuple[dict[str, str], str]] = [
        ({}, ""),
        ({"set": world.OUR_SPEC}, ""),
        ({"metadataPrefix": "oai_dc"}, ""),
        ({"metadataPrefix": stylesheets.PREFIX}, ""),
        ({"until": "2031-05-01T00:30:00Z"}, ""),
        ({}, "NARROW"),
        ({"set": world.OUR_SPEC}, "NARROW"),
    ]
    walks = [
        Walk({"verb": verb, "metadataPrefix": "iso19139", **more}, agent)
        for verb in ("ListRecords", "ListIdentifiers")
        for more, agent in kinds
    ]
    for walk in walks:
        assert walk.go_on().token
    return walks


def put_all(title: str, into: MetadataSet | None = None) -> list[str]:
    names = [f"urn:{number:02}" for number in range(SIZE)]
    world.put(*(world.iso_record(name, title=title) for name in names), into=into)
    return names


def restamp_all() -> None:
    restamp.restamp(MetadataSet.objects.get(kind=MetadataSet.Kind.CATALOGUE), START)


@pytest.mark.spec("P106", "P101", "P146", "P94")
@pytest.mark.parametrize("reload", [lambda: put_all("Loaded again"), restamp_all], ids=["load", "restamp"])
def test_no_walk_dies_of_a_bulk_reload_and_the_next_list_has_everything(clock, reload) -> None:
    names = put_all("Loaded")
    clock(START + HOUR)
    walks = begin_walks()
    clock(START + 2 * HOUR)
    reload()
    clock(START + 3 * HOUR)
    for walk in walks:
        first, last = walk.pages[0], walk.go_on()
        [header] = last.headers
        assert (header.identifier, last.token) == ("urn:00", ""), walk
        assert first.date < header.datestamp <= last.date
        assert [last.token_element.get(name) for name in ("cursor", "completeListSize")] == ["3", str(SIZE)]
        listed = walk.next_list()
        assert sorted(each.identifier for each in listed) == names
        assert header in listed, "it comes again, as it is"


@pytest.mark.spec("P106", "P85")
def test_where_nothing_changed_is_left_either_the_last_record_comes_once_more(clock) -> None:
    put_all("Loaded")
    clock(START + HOUR)
    walks = begin_walks()
    Record.objects.filter(identifier__gte="urn:03").delete()  # as a purge does
    for walk in walks:
        last = walk.go_on()
        assert (last.headers, last.token) == (walk.pages[0].headers[-1:], ""), walk


@pytest.mark.spec("P106", "P91", "P146", "W14")
@pytest.mark.parametrize("moved", ["urn:moved", "urn:04"])
@pytest.mark.parametrize("spec", [None, world.OUR_SPEC])
@pytest.mark.parametrize("follows", ["largest datestamp", "responseDate"])
def test_a_list_that_was_read_into_its_own_second_does_not_end_with_a_later_record(clock, follows, spec, moved) -> None:
    """What has changed within that second may lie before the position of the list: from a later one on nobody asks for it."""
    run("ALTER SEQUENCE fake.microseconds INCREMENT 1")  # the clock stands still
    world.put(world.iso_record("urn:moved"))
    clock(START + HOUR)
    names = put_all("Loaded")
    changes = iter([True])

    def change() -> None:
        if next(changes, False):
            world.put(world.iso_record(moved, title="In the second of the list"))
            clock(START + 2 * HOUR)
            world.put(*(world.iso_record(name, title="Later") for name in names if name != moved))

    harvester = harvesting.Harvester(follows, spec, between_pages=change)
    harvester.visit()
    harvester.visit()
    assert harvester.lacks() == set()


@pytest.mark.spec("P106", "S3")
def test_a_walk_goes_on_by_its_set_and_scope_alone(clock) -> None:
    """What has changed elsewhere is not of this list."""
    put_all("Loaded")
    clock(START + HOUR)
    walks = [walk for walk in begin_walks() if "set" in walk.arguments]
    clock(START + 2 * HOUR)
    world.put(world.iso_record("urn:elsewhere"), into=world.peer_set(world.TOULOUSE))
    store.withdraw([f"urn:{number:02}" for number in range(3, SIZE)])
    for walk in walks:
        [header] = walk.go_on().headers
        assert (header.identifier, header.deleted) == ("urn:03", True)


@pytest.mark.spec("P105", "P106", "G12")
def test_a_token_is_bad_where_the_set_is_gone(clock) -> None:
    put_all("Loaded", into=world.peer_set(world.TOULOUSE))
    clock(START + HOUR)
    walk = Walk({"verb": "ListRecords", "metadataPrefix": "iso19139", "set": world.TOULOUSE.spec})
    assert walk.go_on().token
    MetadataSet.objects.filter(spec=world.TOULOUSE.spec).update(public=False)
    assert walk.go_on().codes == ["badResumptionToken"]


@pytest.mark.spec("P105", "W34")
def test_a_walk_of_before_a_restore_is_refused_and_one_of_after_it_goes_on(clock) -> None:
    """A record that has an older state again may lie before the position of the walk, which would never list it."""
    put_all("Loaded")
    store.withdraw(["urn:00"])  # the journal of the database has begun
    clock(START + HOUR)
    walks = begin_walks()
    clock(START + 2 * HOUR)
    follow_up.follow_up([])
    for walk in walks:
        assert walk.go_on().codes == ["badResumptionToken"], walk
        assert "restored" in walk.pages[-1].texts[0]
    clock(START + 3 * HOUR)
    again = Walk(walks[0].arguments)
    assert [again.go_on().codes for _ in range(2)] == [[], []]


@pytest.mark.spec("P106", "S20")
def test_the_page_that_ends_such_a_walk_reads_no_more_than_another(clock) -> None:
    names = put_all("Loaded")
    clock(START + HOUR)
    walk = Walk({"verb": "ListRecords", "metadataPrefix": "iso19139", "set": world.OUR_SPEC})
    walk.go_on()
    with CaptureQueriesContext(connection) as before:
        assert walk.go_on().identifiers == names[3:6]
    clock(START + 2 * HOUR)
    put_all("Loaded again")
    with CaptureQueriesContext(connection) as after:
        assert walk.go_on().identifiers == ["urn:00"]
    assert len(after) <= len(before) + 4
    assert not any("count(" in query["sql"] for query in after)
