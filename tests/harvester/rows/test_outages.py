"""Our own database, and our broker, away in the middle of a run: what is written of it, and who goes on."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from celery import beat
from django.conf import settings as django_settings
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone
from kombu import Connection

from catalogue import journal, journal_state
from catalogue.models import Record
from gisc.celery import app
from harvester import schedule, tasks
from harvester.models import Link, Run
from harvester.rows import outage, runs
from harvester.runs import lifecycle, store_page
from tests.support.broker import calls, waiting
from tests.support.connections import backend, cut
from tests.support.nodes import free_port
from tests.support.provider import Provider, continued, fill
from tests.support.runs import counters, go_on

# --- The database -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_loses_the_database_gives_the_run_up_and_says_so(link: Link, provider: Provider) -> None:
    fill(provider, range(6))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    ours = backend()

    def cut_while_the_first_page_is_stored(arguments: dict[str, str]) -> None:
        if continued(arguments):
            cut(ours)

    provider.faults.append(cut_while_the_first_page_is_stored)

    after = lifecycle.work(run.pk)

    assert after is not None
    assert (after.state, after.worker, after.leased_until) == (Run.State.OPEN, "", None)
    assert "our own database was lost" in after.message.lower()
    assert "is asked for again in 10 s" in after.message
    assert backend() != ours
    done = go_on(after)
    assert done.state == Run.State.DONE
    assert counters(done) == {"received": 6, "new": 6}


@pytest.mark.django_db(transaction=True)
def test_what_is_to_be_written_waits_for_the_database(link: Link) -> None:
    tries = []

    def act() -> None:
        tries.append(backend())
        if len(tries) == 1:
            cut(tries[0])
        Link.objects.update(failures=7)

    outage.retry_while_away(act)

    assert len(set(tries)) == 2, "a new connection, after the old one was lost"
    link.refresh_from_db()
    assert link.failures == 7


@pytest.mark.django_db(transaction=True)
def test_a_wrong_statement_is_no_outage(link: Link) -> None:
    def fail() -> None:
        with transaction.atomic():
            Run.objects.create(link=link, begun=timezone.now(), received=1)

    with pytest.raises(IntegrityError):
        outage.retry_while_away(fail)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_longer_than_a_lease(settings, link: Link) -> None:
    settings.GISC_LEASE_SECONDS = 0

    def always_lost() -> None:
        cut(backend())
        Link.objects.count()

    with pytest.raises(OperationalError):
        outage.retry_while_away(always_lost)


def test_an_error_of_our_own_is_told_and_the_page_is_tried_again_later(
    link: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(provider, range(4))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None

    def fail(*_: object) -> bool:
        raise ValueError("an odd page")

    with monkeypatch.context() as wrong:
        wrong.setattr(store_page, "store_page", fail)
        for crash in range(1, schedule.MAX_CRASHES):
            with pytest.raises(ValueError, match="an odd page"):
                go_on(run)
            run.refresh_from_db()
            assert (run.state, run.worker, run.attempts, run.crashes) == (Run.State.OPEN, "", 0, crash)
            assert "error (ValueError: an odd page); its log has more. Page 1 is asked for again in" in run.message
            assert run.not_before is not None and run.not_before > timezone.now()
        with pytest.raises(ValueError, match="an odd page"):
            go_on(run)

    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "an odd page" in run.message


# --- The broker -------------------------------------------------------------------------------------


@pytest.fixture
def broker() -> Iterator[None]:
    """Empty queues in the broker of the tests."""
    waiting()
    yield
    waiting()


def flush() -> None:
    with redis.Redis.from_url(django_settings.GISC_REDIS_URL) as client:
        client.flushdb()


@pytest.fixture
def short_slices() -> Iterator[None]:
    with schedule.LIMITS.replaced(work_s=0):
        yield


@pytest.mark.spec("W11")
def test_nothing_is_harvested_into_a_database_that_was_put_back_from_a_copy(
    link: Link, provider: Provider, broker: None
) -> None:
    """Its deletions have to be replayed first, or what providers have made again since would be deleted then."""
    fill(provider, range(2))
    journal.mark_behind()
    tasks.tick()
    assert not Run.objects.exists()
    journal_state.end_restore()
    tasks.tick()
    assert calls() == 1
    journal.mark_behind()
    tasks.tick()
    assert calls() == 0
    tasks.harvest()  # a call that stood in the queue
    assert not Record.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_call_that_was_flushed_from_redis_is_made_again(
    link: Link, provider: Provider, broker: None, short_slices: None
) -> None:
    fill(provider, range(6))
    tasks.tick()
    assert calls() == 1
    tasks.harvest()
    assert Run.objects.get().pages == 1
    flush()  # with the call for the next page in it

    tasks.tick()

    assert calls() == 1
    tasks.harvest()
    assert Run.objects.get().pages == 2


@pytest.mark.django_db(transaction=True)
def test_ticks_make_no_more_calls_than_runs_wait(link: Link, provider: Provider, broker: None) -> None:
    """However long no worker comes: the messages in Redis do not grow."""
    others = [f"other {number}" for number in range(2)]
    for name in others:
        Link.objects.create(name=name, base_url=f"http://{name[-1]}.example/oai", local_set=link.local_set)

    for _ in range(5):
        tasks.tick()

    assert Run.objects.count() == 3
    assert calls() == 3


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_costs_one_beat_and_nothing_else(
    link: Link, provider: Provider, broker: None, short_slices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(provider, range(6))
    tasks.tick()
    assert calls() == 1

    with monkeypatch.context() as away, Connection(f"redis://127.0.0.1:{free_port()}/0") as nobody:
        away.setattr(tasks.harvest, "apply_async", elsewhere(tasks.harvest.apply_async, nobody))
        tasks.harvest()

    assert Run.objects.get().pages == 1, "what was stored is stored, and nothing is raised"
    tasks.tick()
    assert calls() == 1, "the next beat"


def elsewhere(send: Callable[..., object], broker: None) -> Callable[..., object]:
    return lambda *args, **options: send(*args, **options, connection=broker, retry=False)


def test_both_ticks_go_before_the_slices_that_wait(link: Link, broker: None) -> None:
    for _ in range(5):
        tasks.harvest.delay()
    scheduler = beat.Scheduler(app=app, lazy=True)
    scheduler.setup_schedule()

    for entry in scheduler.schedule.values():
        if entry.task in ("harvester.tasks.tick", "catalogue.tasks.tick"):
            scheduler.apply_async(entry)

    first, second, *others = [task for task, _ in waiting()]
    assert {first, second} == {"harvester.tasks.tick", "catalogue.tasks.tick"}
    assert others == [tasks.harvest.name] * 5


# --- Twice at once ----------------------------------------------------------------------------------


def at_once(number: int, act: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What `act` returns in so many workers that begin at the same moment, each with a connection and a name of its own."""
    together, answers = threading.Barrier(number), []
    host = runs.this_worker().rpartition(":")[0]
    monkeypatch.setattr(runs, "this_worker", lambda: f"{host}.{threading.current_thread().name}:1")

    def work() -> None:
        try:
            together.wait()
            answers.append(act())
        finally:
            connection.close()

    threads = [threading.Thread(target=work, name=f"worker-{n}") for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == number
    return answers


@pytest.mark.django_db(transaction=True)
def test_a_task_that_is_delivered_to_many_at_once_is_done_by_one(
    link: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(provider, range(20))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None

    answers = at_once(6, lambda: lifecycle.work(run.pk), monkeypatch)

    (after,) = [answer for answer in answers if answer is not None]
    assert (after.state, counters(after)) == (Run.State.DONE, {"received": 20, "new": 20})
    asked = [arguments.get("resumptionToken") for arguments in provider.lists]
    assert len(asked) == len(set(asked)) == 10


@pytest.mark.django_db(transaction=True)
def test_many_beats_at_once_open_one_run_for_each_link(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        Link.objects.create(name=f"l{number}", base_url=link.base_url, remote_set="s", local_set=link.local_set)

    opened = [run.link_id for some in at_once(6, lifecycle.open_due_runs, monkeypatch) for run in some]

    assert sorted(opened) == sorted(Link.objects.values_list("pk", flat=True))
    assert Run.objects.filter(state=Run.State.OPEN).count() == 9
