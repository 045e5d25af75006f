"""No update is lost where lists come from a primary and a replica whose replay is paused again and again (promise 1, S2)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import Any

import pytest
from django.db import connection
from sickle import Sickle
from sickle.oaiexceptions import NoRecordsMatch

from catalogue.models import Record
from catalogue.reading import replica
from catalogue.writing import store
from tests.support import harvesting, world
from tests.support.replicas import ReplicaServer, as_replica, counted
from tests.support.sql import run

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2031, 5, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _small_pages(settings) -> None:
    settings.GISC_PAGE_RECORDS = 4


@pytest.fixture
def copy(server: ReplicaServer) -> Iterator[ReplicaServer]:
    # A replica that took too long once is not asked for ten seconds, in which the meeting may be over.
    with harvesting.fake_clock(START), replica.LIMITS.replaced(answer_s=60):
        server.catch_up()
        with as_replica(server):
            yield server
        server.resume()


def meet(copy: ReplicaServer, seed: int) -> harvesting.Meeting:
    """Writers and harvesters meet while the replay is paused and goes on at random."""
    random, steps = Random(seed), count()

    def pause_or_resume() -> None:
        if next(steps) % 4 == 0:
            copy.sql("SELECT pg_wal_replay_pause()" if random.random() < 0.6 else "SELECT pg_wal_replay_resume()")

    return harvesting.meet(seed, rounds=6, before_each=pause_or_resume)


@pytest.mark.spec("S2", "P39", "P91", "P92", "P146")
@pytest.mark.parametrize("seed", [11, 12])
def test_every_copy_equals_the_catalogue_in_the_end(copy: ReplicaServer, seed: int) -> None:
    before = {outcome: counted(outcome) for outcome in ("ok", "too-new")}
    meeting = meet(copy, seed)
    copy.resume()
    copy.catch_up()
    for harvester in meeting.harvesters:
        harvester.visit()
    assert {str(harvester): harvester.lacks() for harvester in meeting.harvesters} == {
        str(harvester): set() for harvester in meeting.harvesters
    }
    assert all(counted(outcome) > number for outcome, number in before.items()), "both servers were asked"


def test_with_the_time_of_the_clock_for_an_instant_records_are_lost(copy: ReplicaServer) -> None:
    """The test of the one above: the replica tells the time that it has, and not the mark that it has replayed."""
    run(
        "CREATE OR REPLACE FUNCTION catalogue_instant() RETURNS timestamptz LANGUAGE plpgsql AS "
        "$$ BEGIN IF pg_is_in_recovery() THEN RETURN '2031-05-01 06:00+00'; END IF; "
        "RETURN (SELECT stamp FROM catalogue_datestampclock); END $$"
    )
    harvester = harvesting.Harvester("responseDate")
    world.put(world.iso_record("urn:a"))
    copy.catch_up()
    copy.pause()
    world.put(world.iso_record("urn:b"))
    harvester.visit()
    copy.resume()
    copy.catch_up()
    harvester.visit()
    assert harvester.lacks() == {"urn:b"}


# --- A client of other software ----------------------------------------------------------------------------


def harvest(url: str, start: str | None, held: dict[str, bool]) -> str | None:
    """Harvest what has changed into `held`; return where the next harvest begins: the largest datestamp of all."""
    given = {"from": start} if start else {}
    try:
        for each in Sickle(url).ListIdentifiers(metadataPrefix="iso19139", ignore_deleted=False, **given):
            held[each.identifier] = each.deleted
            start = max(start or "", each.datestamp)
    except NoRecordsMatch:
        pass
    return start


@pytest.mark.spec("S2", "P146")
def test_sickle_ends_with_the_catalogue_of_the_primary(live_server: Any, server: ReplicaServer) -> None:
    url, random = f"{live_server.url}/oai", Random(5)
    held: dict[str, bool] = {}
    start = None
    server.catch_up()
    with as_replica(server):
        before = counted("ok")
        for number in range(24):
            if number % 3 == 0:
                server.sql("SELECT pg_wal_replay_pause()" if number % 2 else "SELECT pg_wal_replay_resume()")
            # As from one harvest to the next.
            run("UPDATE catalogue_datestampclock SET stamp = stamp + interval '2 seconds'")
            names = [f"urn:{random.randrange(12)}" for _ in range(3)]
            world.put(*(world.iso_record(name, title=f"Version {number}") for name in dict.fromkeys(names)))
            if number % 4 == 3:
                store.withdraw([names[0]])
            start = harvest(url, start, held)
        server.resume()
        server.catch_up()
        harvest(url, start, held)
        assert counted("ok") > before
        connection.close()
    assert held == dict(Record.objects.values_list("identifier", "deleted"))
