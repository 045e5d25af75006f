"""One fault at a time: each thing that can go wrong around a run, and that the run goes on by itself.

The large mixture is tests/loop/test_chaos.py; here it can be seen which fault a mend is for.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
import requests
from pytest_httpserver import HTTPServer

from catalogue import datestamps
from gisc import embedded
from tests.loop import chaos
from tests.loop.observing import Observed, add_link
from tests.support.misbehaving import RawServer
from tests.support.nodes import Node, environment, free_port
from tests.support.paths import ROOT
from tests.support.provider import Provider
from tests.support.waiting import until
from tests.support.world import iso_record

PAGES, PAGE = 12, 10
PATIENCE_S = 180  # a node needs a few seconds; a disk on which other tests copy databases may stand still
SETTINGS = {
    "GISC_NAME": "WIS-GISC-TOKYO",
    "GISC_BEAT_SECONDS": "1",
    "GISC_RETRY_SECONDS": "1",
    "GISC_CANARY_SECONDS": "10",
}


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    node = Node(tmp_path_factory.mktemp("tokyo"), free_port(), **SETTINGS)
    try:
        yield Observed(node.ready())
    finally:
        node.close()


@pytest.fixture(scope="module")
def strikes(observed: Observed, make_httpserver: HTTPServer) -> Iterator[chaos.Chaos]:
    """A provider that the node harvests every five seconds, and that has a few records only until `harvest`."""
    provider = Provider(make_httpserver, page_size=PAGE)
    provider.entries, provider.now = holdings(0)
    with RawServer(provider).serving() as server:
        strikes = chaos.Chaos(observed.node, server)
        server.misbehaviours.append(strikes.misbehave)
        add_link(observed.node, server.base_url)
        complete_up_to(observed, strikes)
        yield strikes


def holdings(edition: int) -> tuple[dict[str, tuple[str, bytes | None]], str]:
    """The same records, stamped a month later with each edition, and the provider's clock. A short list from the newest."""
    begin = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=30 * edition)
    entries: dict[str, tuple[str, bytes | None]] = {}
    for number in range(PAGES * PAGE):
        identifier = f"urn:x-wmo:md:fr.meteofrance::S{number:03d}"
        stamp = datestamps.write(begin + timedelta(hours=number))
        entries[identifier] = (stamp, iso_record(identifier, abstract=f"Edition {edition}."))
    return entries, datestamps.write(begin + timedelta(days=29))


def complete_up_to(observed: Observed, strikes: chaos.Chaos) -> None:
    newest = max(stamp for stamp, _ in strikes.server.provider.entries.values())
    until(
        lambda: (observed.status() or {}).get("harvested_to") == newest,
        timeout_s=PATIENCE_S,
        what=lambda: f"the link is complete up to {newest}\n{state_of(observed)}",
    )


def state_of(observed: Observed) -> str:
    """What tells why nothing goes on: the last runs, the link, the node's parts, what is in Redis, and what was logged."""
    with redis.Redis.from_url(embedded.redis_url(observed.node.data_dir)) as client:
        lists = {key: client.llen(key) for key in client.scan_iter(_type="list")}
        waiting = lists | {key: client.hlen(key) for key in client.scan_iter(_type="hash")}
    ready = requests.get(f"{observed.node.url}/health/ready", timeout=10).text
    state = (observed.runs()[-5:], observed.status(), ready, waiting, observed.node.output()[-5000:])
    return "\n".join(map(str, state))


_editions = iter(range(1, 1000))


def harvest(observed: Observed, strikes: chaos.Chaos, kind: str) -> dict[str, object]:
    """The run that brought a new edition, through a fault on its way."""
    # Not those that are open: one whose first page is asked for after the next lines brings the new edition.
    over = {run["id"] for run in observed.runs() if run["state"] != "open"}
    strikes.plan([chaos.Instant(kind, PAGES // 2, 0.5)])
    strikes.server.asked.clear()
    strikes.server.provider.entries, strikes.server.provider.now = holdings(next(_editions))
    complete_up_to(observed, strikes)
    assert not strikes.left
    (run,) = [run for run in observed.runs() if run["id"] not in over and run["received"] >= PAGES * PAGE]
    return run


@pytest.mark.spec("W29")
@pytest.mark.parametrize("kind", [kind for kind in chaos.ON_NODE if kind != "deliver_again"])
def test_a_run_goes_on_by_itself_and_stores_nothing_twice(observed: Observed, strikes: chaos.Chaos, kind: str) -> None:
    run = harvest(observed, strikes, kind)

    assert run["state"] == "done"
    assert (run["updated"], run["unchanged"], run["rejected"]) == (PAGES * PAGE, 0, 0)
    assert run["listed"] == run["list_size"] == PAGES * PAGE


def test_a_task_that_is_delivered_again_and_again_does_no_work_twice(observed: Observed, strikes: chaos.Chaos) -> None:
    run = harvest(observed, strikes, "deliver_again")

    assert run["updated"] == PAGES * PAGE
    asked = Counter(a["resumptionToken"] for a in strikes.server.asked if "resumptionToken" in a)
    assert set(asked.values()) == {1}, "each page was asked for by one worker only"


def test_two_beats_open_no_run_twice(observed: Observed, strikes: chaos.Chaos) -> None:
    until_run = max(run["id"] for run in observed.runs())

    with another_beat(observed.node.data_dir), another_beat(observed.node.data_dir):
        harvest(observed, strikes, "flush_redis")
        until(
            lambda: len([run for run in observed.runs() if run["id"] > until_run and run["state"] == "done"]) >= 3,
            timeout_s=PATIENCE_S,
            what=lambda: f"some runs are over\n{state_of(observed)}",
        )

    times = observed.ask(f"SELECT begun, finished FROM harvester_run WHERE id > {until_run} ORDER BY begun")
    begun = [begin for begin, _ in times]
    assert all(end is None or end <= begin for (_, end), begin in zip(times, begun[1:], strict=False))
    pauses = [(later - earlier).total_seconds() for earlier, later in zip(begun, begun[1:], strict=False)]
    assert min(pauses) >= 5, "the link is due every five seconds, however many beats look"
    assert (
        observed.ask("SELECT link_id FROM harvester_run WHERE state = 'open' GROUP BY link_id HAVING count(*) > 1")
        == []
    )


@contextmanager
def another_beat(data_dir: Path) -> Iterator[None]:
    beat = subprocess.Popen(
        [sys.executable, "-m", "celery", "-q", "-A", "gisc.node.worker", "beat", "--pidfile="],
        cwd=ROOT,
        env=environment(GISC_DATA_DIR=str(data_dir), **SETTINGS),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert beat.poll() is None, "the other beat has ended by itself"
    finally:
        beat.terminate()
        beat.wait(60)  # it ends after its loop; on a busy machine that is later
