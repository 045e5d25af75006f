"""A harvest survives everything without a person: processes killed, servers lost, a provider that fails in every way.

One node with its real processes harvests a provider on a real socket twice: all its records, and then, when the
provider has given all of them new datestamps, all of them again, of which few have changed. Meanwhile faults strike
(tests/loop/chaos.py), and triggers in the node's database take down what is written. The large one is

    CHAOS_RECORDS=20000 CHAOS_SEED=1 make test

which also waits for the five minutes that a 503 without Retry-After means (H26).
"""

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from catalogue import datestamps
from catalogue.documents import iso19139
from tests.loop import chaos
from tests.loop.observing import Observed, add_link
from tests.support.misbehaving import RawServer
from tests.support.nodes import Node, free_port
from tests.support.provider import Provider
from tests.support.runs import COUNTERS
from tests.support.waiting import until
from tests.support.world import TOULOUSE, iso_record

RECORDS = int(os.environ.get("CHAOS_RECORDS", "2000"))
SEED = os.environ.get("CHAOS_SEED", "1")
FULL = RECORDS >= 20_000
PAGE = 100 if FULL else 50
TIMEOUT_S = 900 if FULL else 180
# In the first harvest, and in the second; H22 leaves two expired tokens to a run.
_LONG = ("freeze_worker", "busy_without_a_time")  # what takes a while to get over
_SHORT = [kind for kind in (*chaos.ON_NODE, *chaos.AT_PROVIDER) if kind not in _LONG]
KINDS = [_SHORT[0::2], _SHORT[1::2]]  # each of them once, in one harvest or the other
if FULL:
    KINDS = [[*_SHORT, *_SHORT, "freeze_worker"], [*_SHORT, *_SHORT, *_LONG]]

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
# The deferred ones look when a transaction commits, and so at what the next worker will find.
OBSERVERS = """
    CREATE TABLE seen_stamps (identifier text, before timestamptz, after timestamptz, same_content boolean);
    CREATE FUNCTION see_stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen_stamps VALUES (NEW.identifier, OLD.datestamp, NEW.datestamp,
            OLD.digest IS NOT DISTINCT FROM NEW.digest AND OLD.deleted = NEW.deleted);
        RETURN NULL;
    END $$;
    CREATE TRIGGER see_stamp AFTER UPDATE ON catalogue_record FOR EACH ROW
        WHEN (OLD.datestamp <> NEW.datestamp) EXECUTE FUNCTION see_stamp();
    CREATE TABLE seen_moves (before timestamptz, after timestamptz, state text, listed integer, list_size integer);
    CREATE FUNCTION see_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen_moves SELECT OLD.harvested_to, NEW.harvested_to, state, listed, coalesce(list_size, listed)
            FROM harvester_run WHERE link_id = NEW.id ORDER BY id DESC LIMIT 1;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER see_move AFTER UPDATE OF harvested_to ON harvester_link DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (OLD.harvested_to IS DISTINCT FROM NEW.harvested_to) EXECUTE FUNCTION see_move();
    CREATE TABLE seen_places (run bigint, restarts integer, listed integer, received integer, held bigint);
    CREATE FUNCTION see_place() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen_places SELECT id, restarts, listed, received, (SELECT count(*) FROM catalogue_record)
            FROM harvester_run WHERE id = NEW.id;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER see_place AFTER UPDATE OF listed ON harvester_run DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION see_place();
"""


@dataclass
class World:
    """What the provider holds: a document by identifier, None for a deleted one, and when each was stamped."""

    begin: datetime
    documents: dict[str, bytes | None] = field(default_factory=dict)

    def entries(self) -> dict[str, tuple[str, bytes | None]]:
        """As the provider keeps them. They are ten minutes apart, so that a list from the last one is short."""
        return {
            identifier: (datestamps.write(self.begin + timedelta(minutes=10 * number)), document)
            for number, (identifier, document) in enumerate(self.documents.items())
        }

    @property
    def newest(self) -> str:
        return datestamps.write(self.begin + timedelta(minutes=10 * (len(self.documents) - 1)))

    @property
    def now(self) -> str:
        return datestamps.write(self.begin + timedelta(minutes=10 * len(self.documents)))


def identifier(number: int) -> str:
    return f"urn:x-wmo:md:fr.meteofrance::C{number:05d}"


def document(number: int, edition: int = 1) -> bytes:
    return iso_record(identifier(number), title=f"Product {number}", abstract=f"Edition {edition}.")


def two_worlds(chance: random.Random) -> tuple[World, World]:
    """The provider's holdings, and the same stamped anew with a few changes of each kind."""
    few = max(RECORDS // 100, 10)
    numbers = list(range(RECORDS))
    chance.shuffle(numbers)
    first = World(BEGIN, {identifier(n): None if n < few else document(n) for n in numbers})
    second = World(BEGIN + timedelta(days=RECORDS), dict(first.documents))
    picked = chance.sample(range(few, RECORDS), 2 * few)
    second.documents |= {identifier(n): document(n, edition=2) for n in picked[:few]}  # updated
    second.documents |= {identifier(n): None for n in picked[few:]}  # deleted
    second.documents |= {identifier(n): document(n) for n in range(few // 2)}  # here again
    second.documents |= {identifier(n): document(n) for n in range(RECORDS, RECORDS + few)}  # new
    return first, second


@pytest.fixture
def observed(tmp_path: Path) -> Iterator[Observed]:
    """A node that looks for due links every second, and has none yet."""
    node = Node(
        tmp_path / "tokyo",
        free_port(),
        GISC_NAME="WIS-GISC-TOKYO",
        GISC_BEAT_SECONDS="1",
        GISC_RETRY_SECONDS="1",
        GISC_CANARY_SECONDS="30",
        GISC_PAGE_RECORDS="1000",
    )
    try:
        yield Observed(node.ready())
    finally:
        node.close()


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[RawServer]:
    with RawServer(Provider(httpserver, page_size=PAGE)).serving() as server:
        yield server


def expected(world: World) -> dict[str, bytes | None]:
    return {i: None if doc is None else iso19139.read(doc).digest for i, doc in world.documents.items()}


@pytest.mark.spec("H12", "H21", "H22", "H26", "W29", "W30")
def test_a_harvest_survives_everything_without_a_person(observed: Observed, server: RawServer) -> None:
    chance = random.Random(SEED)
    first, second = two_worlds(chance)
    strikes = chaos.Chaos(observed.node, server)
    server.misbehaviours.append(strikes.misbehave)
    observed.ask(OBSERVERS)
    pages = -(-RECORDS // PAGE)
    done: list[tuple[float, int]] = []

    for number, world in enumerate((first, second)):
        kinds = list(KINDS[number])
        chance.shuffle(kinds)
        instants = chaos.draw(chance, kinds, pages)
        print(f"seed {SEED}, harvest {number + 1}: " + ", ".join(f"{i.kind} at page {i.asked}" for i in instants))
        began = time.monotonic()
        strikes.plan(instants)
        server.provider.entries, server.provider.now = world.entries(), world.now
        if number == 0:
            add_link(observed.node, server.base_url)
        until(
            lambda world=world: (observed.status() or {}).get("harvested_to") == world.newest,
            timeout_s=TIMEOUT_S,
            what=f"the link is complete up to {world.newest} (seed {SEED}; {strikes.left} left)",
        )
        done.append((time.monotonic() - began, strikes.asked))
        print(f"complete after {done[-1][0]:.1f} s and {strikes.asked} pages; {dict(strikes.kinds())}")
        assert not strikes.left
        assert all(asked < strikes.asked for _, asked in strikes.struck), "a fault struck when all was over"
        if number == 0:
            after_first = observed.catalogue()
            assert {i: held.digest for i, held in after_first.items()} == expected(first)

    after_second = observed.catalogue()
    assert {i: held.digest for i, held in after_second.items()} == expected(second)
    assert {held.set_specs for held in after_second.values()} == {("WIS-CATALOGUE", TOULOUSE.spec)}

    # Unchanged means unchanged (promise 3): by the datestamps, and by every single write.
    changed = {i for i, doc in second.documents.items() if i not in first.documents or first.documents[i] != doc}
    restamped = {i for i, held in after_first.items() if after_second[i].datestamp != held.datestamp}
    assert restamped == changed & set(after_first)
    assert observed.ask("SELECT * FROM seen_stamps WHERE same_content") == []
    assert observed.ask("SELECT count(*), count(DISTINCT identifier) FROM seen_stamps") == [(len(restamped),) * 2]

    # `harvested_to` moved with the last page of a complete list, and never further (promise 2).
    moves = observed.ask("SELECT after, state, listed = list_size FROM seen_moves ORDER BY after")
    assert moves == [(datestamps.parse(world.newest)[0], "done", True) for world in (first, second)]

    # No run's place ever stood behind a page that was not stored (promise 2).
    places = observed.ask("SELECT restarts, listed, received, held FROM seen_places")
    assert len(places) >= 2 * pages
    ahead = [place for place in places if place[3] < place[1] or (place[0] == 0 and place[2] != place[1])]
    assert ahead == []

    # What was counted is what happened, however often a page was listed again.
    runs = observed.runs()
    assert {run["state"] for run in runs} <= {"done", "open"}, runs  # the next one may have begun
    total = {name: sum(run[name] for run in runs) for name in COUNTERS}
    assert (total["new"], total["updated"], total["deleted"], total["rejected"]) == (
        sum(d is not None for d in first.documents.values()) + len(second.documents) - len(first.documents),
        sum(second.documents[i] is not None for i in restamped),
        sum(d is None for d in first.documents.values()) + sum(second.documents[i] is None for i in restamped),
        0,
    )
    assert total["received"] == sum(total.values()) - total["received"]
    complete = [run["listed"] for run in runs if run["list_size"] is not None]
    assert complete == [len(first.documents), len(second.documents)]
