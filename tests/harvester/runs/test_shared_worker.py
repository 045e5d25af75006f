"""A run that waits for its provider keeps no worker: the process takes other runs, and the answer is stored when it comes."""

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue import seams
from harvester import tasks
from harvester.models import Link, Run
from harvester.protocol.prefetch import Result, Turn
from harvester.rows import queue
from harvester.rows.queue import WaitsFor
from harvester.runs import lifecycle, shared_worker
from harvester.runs.shared_worker import SharedTurn, Slot
from tests.support.broker import calls
from tests.support.provider import Provider, continued, fill

pytestmark = pytest.mark.django_db(transaction=True)
LONG_S = 30


class Gate:
    """A provider's answers wait here until the gate is opened."""

    def __init__(self) -> None:
        self.came, self.opened = threading.Event(), threading.Event()

    def fault(self, when: Callable[[dict[str, str]], bool]) -> Callable[[dict[str, str]], Response | None]:
        def wait(asked: dict[str, str]) -> None:
            if when(asked):
                self.came.set()
                assert self.opened.wait(LONG_S)

        return wait


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()
    calls()


@pytest.fixture
def slow(gate: Gate) -> Iterator[Provider]:
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        yield Provider(server)
        gate.opened.set()
        until(lambda: not shared_worker._process.runs)


def link_to(provider: Provider, like: Link, name: str) -> Link:
    return Link.objects.create(name=name, base_url=provider.base_url, local_set=like.local_set)


def state_of(link: Link) -> Run:
    return Run.objects.filter(link=link).latest("pk")


def until(what: Callable[[], object]) -> None:
    """Wait until something in the database is so, which another thread brings about."""
    changed = threading.Event()
    for _ in range(LONG_S * 20):
        if what():
            return
        changed.wait(0.05)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize(
    "when",
    [
        lambda asked: asked["verb"] == "Identify",
        lambda asked: asked["verb"] == "ListRecords",
        continued,
    ],
    ids=["Identify", "the first page", "a later page"],
)
def test_a_link_is_harvested_while_another_waits_for_its_provider(
    link: Link, provider: Provider, slow: Provider, gate: Gate, when: Callable[[dict[str, str]], bool]
) -> None:
    fill(provider, range(3))
    fill(slow, range(10, 15))
    slow.faults.append(gate.fault(when))
    waits = link_to(slow, link, "slow")
    first = lifecycle.open_run(waits, trigger="test")
    assert first is not None
    tasks.harvest()
    assert gate.came.is_set() and not gate.opened.is_set(), "the task ended while the provider still thought"

    run = state_of(waits)
    assert run.is_open and run.asking_since is not None
    (there,) = queue.read_queue(timezone.now())
    assert (there.waits_for, there.since) == (WaitsFor.PROVIDER, run.asking_since)
    assert lifecycle.open_run(link, trigger="test") is not None
    tasks.harvest()
    assert state_of(link).state == Run.State.DONE

    gate.opened.set()
    until(lambda: not state_of(waits).is_open)
    done = state_of(waits)
    assert (done.state, done.received, done.asking_since, done.crashes) == (Run.State.DONE, 5, None, 0)


def test_single_records_are_waited_for_in_the_same_way(
    link: Link, provider: Provider, slow: Provider, gate: Gate
) -> None:
    fill(slow, range(4))
    slow.faults.append(gate.fault(lambda asked: asked["verb"] == "GetRecord"))
    waits = link_to(slow, link, "slow")
    Link.objects.filter(pk=waits.pk).update(strategy=Link.Strategy.IDENTIFIERS)
    waits.refresh_from_db()
    assert lifecycle.open_run(waits, trigger="test") is not None

    tasks.harvest()

    assert not gate.opened.is_set()
    assert state_of(waits).asking_since is not None
    gate.opened.set()
    until(lambda: state_of(waits).state == Run.State.DONE)
    assert state_of(waits).received == 4


def test_a_lease_lasts_as_long_as_the_provider_is_waited_for(link: Link, slow: Provider, gate: Gate, settings) -> None:
    settings.GISC_LEASE_SECONDS = 1
    fill(slow, range(3))
    slow.faults.append(gate.fault(lambda asked: asked["verb"] == "ListRecords"))
    waits = link_to(slow, link, "slow")
    assert lifecycle.open_run(waits, trigger="test") is not None
    tasks.harvest()
    begun = state_of(waits).leased_until

    until(lambda: state_of(waits).leased_until > begun + timedelta(seconds=1))

    assert queue.claim() is None, "nobody asks the provider a second time"
    gate.opened.set()
    until(lambda: state_of(waits).state == Run.State.DONE)
    assert len(slow.asked_for("ListRecords")) == 2, "each page once"


def test_a_run_that_waits_for_its_turn_in_the_process_is_not_said_to_wait_for_its_provider(
    link: Link, provider: Provider, settings
) -> None:
    settings.GISC_LEASE_SECONDS = 1
    fill(provider, range(3))
    shared_worker._process.slot.acquire(LONG_S, lambda: None)  # as another run of this process has it
    assert lifecycle.open_run(link, trigger="test") is not None
    task = threading.Thread(target=tasks.harvest)
    task.start()
    until(lambda: state_of(link).leased_until is not None)
    begun = state_of(link).leased_until

    until(lambda: state_of(link).leased_until > begun)

    assert state_of(link).asking_since is None
    shared_worker._process.slot.release()
    task.join(LONG_S)
    assert state_of(link).state == Run.State.DONE


def test_a_run_that_lets_another_go_first_does_not_end_its_task(link: Link) -> None:
    """Else each pause would bring one more run into the process."""
    slot = Slot()
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    turn = SharedTurn(run, LONG_S, slot)
    turn.begin()

    def go_first() -> None:
        slot.acquire(LONG_S, lambda: None)
        slot.release()

    other = threading.Thread(target=go_first)
    other.start()
    until(lambda: turn.is_wanted)

    turn.pause()

    other.join(LONG_S)
    assert not turn.left.is_set()
    turn.end()
    assert turn.left.is_set()


@shared_worker.LIMITS.replaced(patience_s=LONG_S)
def test_a_run_that_waited_for_its_provider_when_its_worker_died_keeps_the_next_one_for_a_moment_only(
    link: Link, slow: Provider, gate: Gate
) -> None:
    """Else each death of a worker would have its slow runs keep the others, one after the other."""
    fill(slow, range(3))
    slow.faults.append(gate.fault(lambda asked: True))
    waits = link_to(slow, link, "slow")
    run = lifecycle.open_run(waits, trigger="test")
    assert run is not None
    with subprocess.Popen(["true"]) as dead:
        pass
    now = timezone.now()
    lost = {"worker": f"{socket.gethostname()}:{dead.pid}", "leased_until": now + timedelta(seconds=LONG_S)}
    Run.objects.filter(pk=run.pk).update(**lost, asking_since=now)

    tasks.harvest()

    assert gate.came.is_set() and not gate.opened.is_set(), "the task ended long before the patience"
    gate.opened.set()
    until(lambda: state_of(waits).state == Run.State.DONE)
    assert (state_of(waits).received, state_of(waits).crashes) == (3, 0)


def test_the_run_of_a_worker_that_was_killed_is_free_before_its_parent_has_noticed(link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    with subprocess.Popen(["sleep", str(LONG_S)]) as worker:
        now = timezone.now()
        lease = {"worker": f"{socket.gethostname()}:{worker.pid}", "leased_until": now + timedelta(seconds=LONG_S)}
        Run.objects.filter(pk=run.pk).update(**lease)
        assert queue.claim() is None
        worker.kill()
        os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and can still be waited for

        claimed = queue.claim()

    assert claimed is not None and claimed.pk == run.pk


@shared_worker.LIMITS.replaced(patience_s=LONG_S, slow_patience_s=0.0)
def test_a_provider_that_was_slow_is_waited_for_as_usual_after_it_has_answered_soon(link: Link) -> None:
    run = Run(link=link)
    run.was_asking = True
    turn = SharedTurn(run, LONG_S, Slot())
    turn.begin()
    assert turn.patience_s == 0
    request: Future[str] = Future()

    def answer() -> None:
        turn.left.wait(LONG_S)
        request.set_result("a page")

    provider = threading.Thread(target=answer)
    provider.start()

    assert turn.result_of(request) == "a page"
    provider.join()
    assert turn.patience_s == LONG_S
    turn.end()


@shared_worker.LIMITS.replaced(patience_s=LONG_S)
def test_the_more_runs_wait_for_their_providers_the_shorter_the_next_one_keeps_the_worker(
    link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else forty new links to slow providers would keep all others for forty times the patience."""
    monkeypatch.setattr(shared_worker, "_process", shared_worker._Process())
    turn = SharedTurn(Run(link=link), LONG_S, Slot())
    patience = []
    for number in range(3):
        patience.append(turn.patience_s)
        other = SharedTurn(Run(link=link), LONG_S, Slot())
        other._asks = True
        shared_worker._process.runs[number] = other

    assert patience == [LONG_S, LONG_S / 2, LONG_S / 3]
    with shared_worker.LIMITS.replaced(patience_s=LONG_S, least_patience_s=LONG_S / 2):
        assert turn.patience_s == LONG_S / 2


class LendingTurn(Turn):
    """Says at each request that it waits for the provider, and knows when the thread of the run has lent the worker."""

    def __init__(self) -> None:
        super().__init__(seams.monotonic() + LONG_S)
        self.lent = threading.Event()

    def result_of(self, request: Future[Result]) -> Result:
        self.on_asking()
        return request.result()

    def lend_worker(self) -> None:
        self.lent.set()


def test_the_thread_of_a_run_lends_the_worker_as_soon_as_another_thread_waits_for_a_page(
    link: Link, slow: Provider
) -> None:
    """Else it would wait for as long once more: forty links to slow providers kept two processes for ten seconds."""
    turn = LendingTurn()
    lent_before_the_answer = []
    slow.faults.append(
        lambda asked: lent_before_the_answer.append(turn.lent.wait(LONG_S)) if asked["verb"] == "ListRecords" else None
    )
    fill(slow, range(3))
    waits = link_to(slow, link, "slow")
    run = lifecycle.open_run(waits, trigger="test")
    assert run is not None and (claimed := queue.claim(run.pk)) is not None

    lifecycle.work_on(claimed, turn)

    assert state_of(waits).state == Run.State.DONE
    assert lent_before_the_answer == [True, True]


def test_who_waits_has_no_connection_to_the_database(link: Link, slow: Provider, gate: Gate) -> None:
    fill(slow, range(3))
    slow.faults.append(gate.fault(continued))
    waits = link_to(slow, link, "slow")
    before = backends()
    assert lifecycle.open_run(waits, trigger="test") is not None

    tasks.harvest()

    until(lambda: backends() <= before)
    gate.opened.set()
    until(lambda: state_of(waits).state == Run.State.DONE)


def backends() -> int:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


@shared_worker.LIMITS.replaced(max_runs=2)
def test_so_many_runs_wait_in_one_process_at_most(
    link: Link, provider: Provider, slow: Provider, gate: Gate, settings
) -> None:
    settings.GISC_MAX_RUNS_PER_HOST = 100
    fill(slow, range(1))
    slow.faults.append(gate.fault(lambda asked: asked["verb"] == "Identify"))
    links = [link_to(slow, link, f"slow {number}") for number in range(3)]
    for each in links:
        assert lifecycle.open_run(each, trigger="test") is not None

    for _ in range(4):
        tasks.harvest()

    states = [str(run.waits_for) for run in queue.read_queue(timezone.now())]
    assert sorted(states) == [WaitsFor.PROVIDER, WaitsFor.PROVIDER, WaitsFor.WORKER]
    calls()
    gate.opened.set()
    until(lambda: Run.objects.filter(state=Run.State.DONE).count() == 2)
    until(calls)  # who has ended calls for the third
    tasks.harvest()
    assert not Run.objects.filter(state=Run.State.OPEN).exists()


def test_a_process_that_ends_hands_its_runs_on(link: Link, slow: Provider, gate: Gate) -> None:
    fill(slow, range(3))
    slow.faults.append(gate.fault(lambda asked: asked["verb"] == "Identify"))
    waits = link_to(slow, link, "slow")
    assert lifecycle.open_run(waits, trigger="test") is not None
    tasks.harvest()

    shared_worker.leave_process(is_replaced=False)

    (there,) = queue.read_queue(timezone.now())
    assert there.waits_for == WaitsFor.WORKER
    assert state_of(waits).crashes == 0
    gate.opened.set()
    until(lambda: not shared_worker._process.runs)


def test_a_process_that_has_grown_ends_the_page_that_it_works_on_and_asks_for_no_other(
    link: Link, slow: Provider, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the page that made it grow would make the next process grow, and be asked for again and again."""
    monkeypatch.setattr(shared_worker, "_process", shared_worker._Process())
    fill(slow, range(10))
    slow.faults.append(gate.fault(lambda asked: "resumptionToken" in asked and gate.came.is_set() is False))
    run = lifecycle.open_run(link_to(slow, link, "slow"), trigger="test")
    assert run is not None
    tasks.harvest()  # page 1 is stored; page 2 is on its way
    assert gate.came.wait(LONG_S)
    opener = threading.Timer(0.2, gate.opened.set)
    opener.start()

    shared_worker.leave_process(is_replaced=True)

    opener.join()
    assert not shared_worker._process.runs, "nothing is worked on any more"
    run.refresh_from_db()
    assert (run.state, run.received) == (Run.State.OPEN, 2 * slow.page_size)
    pages = [asked.get("resumptionToken") for asked in slow.asked if asked["verb"] == "ListRecords"]
    assert len(pages) == len(set(pages)) == 2, "each page was asked for once"
    (there,) = queue.read_queue(timezone.now())
    assert there.waits_for == WaitsFor.WORKER
    assert run.crashes == 0


@shared_worker.LIMITS.replaced(leave_asking_s=0)
def test_a_process_that_has_grown_waits_for_no_provider_that_does_not_answer(
    link: Link, slow: Provider, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_worker, "_process", shared_worker._Process())
    fill(slow, range(3))
    slow.faults.append(gate.fault(lambda asked: asked["verb"] == "Identify"))
    assert lifecycle.open_run(link_to(slow, link, "slow"), trigger="test") is not None
    tasks.harvest()

    shared_worker.leave_process(is_replaced=True)

    assert not gate.opened.is_set()
    (there,) = queue.read_queue(timezone.now())
    assert there.waits_for == WaitsFor.WORKER
    gate.opened.set()
    until(lambda: not shared_worker._process.runs)


def test_the_slot_is_handed_on_in_the_order_of_asking() -> None:
    slot = Slot()
    slot.acquire(LONG_S, lambda: None)
    got: list[int] = []
    threads = []

    def take(number: int) -> None:
        slot.acquire(LONG_S, lambda: None)
        got.append(number)
        slot.release()

    for number in range(5):
        thread = threading.Thread(target=take, args=(number,))
        thread.start()
        threads.append(thread)
        until(lambda wanted=number + 1: len(slot._waiting) == wanted)
    slot.release()
    for thread in threads:
        thread.join(LONG_S)

    assert got == list(range(5))
