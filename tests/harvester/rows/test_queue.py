"""The queue of open runs: who is next, what each of the others waits for, and whose fault it was."""

import errno
import json
from datetime import timedelta
from unittest.mock import ANY

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from werkzeug import Response

from catalogue import seams, ticks
from harvester import schedule
from harvester.models import Canary, Link, Run
from harvester.rows import queue, runs
from harvester.rows.queue import OpenRun, WaitsFor
from harvester.runs import lifecycle, store_page
from tests.support.provider import Provider, continued, fill
from tests.support.runs import go_on
from tests.support.ticks import begin_all

START = timezone.now()


def open_at(link: Link, host: str, number: int, *, waited_s: int) -> Run:
    """An open run of a new link to this host, which has waited so long."""
    other = Link.objects.create(
        name=f"{host} {number}", base_url=f"http://{host}.example.org/oai", remote_set="s", local_set=link.local_set
    )
    run = lifecycle.open_run(other, trigger="test")
    assert run is not None
    Run.objects.filter(pk=run.pk).update(queued=timezone.now() - timedelta(seconds=waited_s))
    return run


def taken() -> list[str]:
    """The names of the links in the order in which one worker takes their runs, each of which ends at once."""
    names = []
    while (run := queue.claim()) is not None:
        names.append(run.link.name)
        Run.objects.filter(pk=run.pk).update(state=Run.State.DONE)
    return names


def test_hosts_take_turns_and_at_a_host_who_waited_longest_is_first(link: Link) -> None:
    ticks.begin(Canary)
    for number in range(4):
        open_at(link, "large", number, waited_s=1000 - number)
    open_at(link, "small", 0, waited_s=10)
    open_at(link, "small", 1, waited_s=20)

    assert taken() == ["large 0", "small 1", "large 1", "small 0", "large 2", "large 3"]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50)), max_size=20),
    st.integers(1, 3),
)
def test_the_order_is_fair_for_all_queues(waiting: list[tuple[str, int]], per_host: int) -> None:
    ready: dict[str, list[OpenRun]] = {}
    for pk, (host, since) in enumerate(waiting):
        run = OpenRun(pk, pk, host, WaitsFor.WORKER, START + timedelta(seconds=since), False)
        ready.setdefault(host, []).append(run)
    with override_settings(GISC_MAX_RUNS_PER_HOST=per_host):
        order = queue._in_order(ready, {}, {})

    assert sorted(run.pk for run in order) == list(range(len(waiting))), "nobody is lost, nobody is there twice"
    served = [run for run in order if run.waits_for == WaitsFor.WORKER]
    for host, theirs in ready.items():
        of_host = [run for run in served if run.host == host]
        assert len(of_host) == min(len(theirs), per_host)
        assert of_host == sorted(of_host, key=queue._waiting_since), "at a host, who waited longest is first"
        for other in ready:
            # Before the second of one host comes the first of every other.
            if other != host and len(of_host) > 1:
                first = next(place for place, run in enumerate(served) if run.host == other)
                assert first < served.index(of_host[1]), (host, other)


def test_what_each_run_waits_for_is_told(link: Link, settings) -> None:
    settings.GISC_MAX_RUNS_PER_HOST = 1
    working, asking, retrying, crowded, ready, closed = (
        open_at(link, host, number, waited_s=100 - number)
        for number, host in enumerate(["busy", "slow", "failing", "busy", "free", "nightly"])
    )
    now = timezone.now()
    opening = now.replace(second=0, microsecond=0) + timedelta(minutes=2)
    Link.objects.filter(pk=closed.link_id).update(windows=f"{opening:%H:%M}-{opening + timedelta(minutes=1):%H:%M}")
    Run.objects.filter(pk=closed.pk).update(trigger=Run.Trigger.SCHEDULE)
    lease = {"worker": "elsewhere:1", "leased_until": now + timedelta(seconds=60)}
    Run.objects.filter(pk=working.pk).update(**lease)
    Run.objects.filter(pk=asking.pk).update(**lease, asking_since=now - timedelta(seconds=30))
    Run.objects.filter(pk=retrying.pk).update(not_before=now + timedelta(seconds=60))

    found = {run.pk: run.waits_for for run in queue.read_queue(now)}

    assert found == {
        working.pk: None,
        asking.pk: WaitsFor.PROVIDER,
        retrying.pk: WaitsFor.RETRY,
        crowded.pk: WaitsFor.HOST,
        closed.pk: WaitsFor.WINDOW,
        ready.pk: WaitsFor.WORKER,
    }
    state = queue.queue_state(now)
    assert state.working == 1
    assert state.waiting == dict.fromkeys(WaitsFor, 1)
    assert state.longest_s[WaitsFor.PROVIDER] == pytest.approx(30, abs=1)
    assert state.longest_s[WaitsFor.WORKER] == pytest.approx(96, abs=1)


def test_a_run_that_waits_for_its_provider_takes_no_place_of_those_worked_on(link: Link, settings) -> None:
    settings.GISC_MAX_RUNS = 1
    asking, waiting = open_at(link, "slow", 0, waited_s=2), open_at(link, "fast", 1, waited_s=1)
    claimed = queue.claim()
    assert claimed is not None and claimed.pk == asking.pk
    assert queue.claim() is None

    runs.mark_asking(asking.pk)

    claimed = queue.claim()
    assert claimed is not None and claimed.pk == waiting.pk


def test_a_queue_from_which_nobody_takes_is_stalled(link: Link, settings) -> None:
    settings.GISC_CANARY_SECONDS = 600
    ticks.begin(Canary)
    open_at(link, "any", 0, waited_s=601)
    assert queue.queue_state(timezone.now()).is_stalled

    other = open_at(link, "other", 1, waited_s=700)
    claimed = queue.claim()
    assert claimed is not None and claimed.pk == other.pk
    assert not queue.queue_state(timezone.now()).is_stalled, "a worker has just taken one"

    Canary.objects.update(last_claim=timezone.now() - timedelta(seconds=601))
    assert queue.queue_state(timezone.now()).is_stalled


# --- Whose fault ------------------------------------------------------------------------------------


def test_a_worker_that_dies_costs_no_try_of_the_provider(link: Link, provider: Provider) -> None:
    fill(provider, range(4))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    dead = {"worker": f"{runs.this_worker().rpartition(':')[0]}:999999999"}
    for crash in range(1, 4):
        Run.objects.filter(pk=run.pk).update(**dead, leased_until=timezone.now() + timedelta(hours=1))
        claimed = queue.claim(run.pk)
        assert claimed is not None
        assert (claimed.attempts, claimed.crashes) == (0, crash)
    runs.release_run(run.pk)

    done = go_on(run)

    assert (done.state, done.crashes) == (Run.State.DONE, 0)


def test_a_run_whose_worker_died_does_not_go_before_those_that_wait(link: Link) -> None:
    """Else slow runs, whose workers are killed again and again, would keep all others from their turn."""
    ticks.begin(Canary)
    slow, other = open_at(link, "one", 0, waited_s=100), open_at(link, "one", 1, waited_s=50)
    claimed = queue.claim()
    assert claimed is not None and claimed.pk == slow.pk
    Run.objects.filter(pk=slow.pk).update(worker=f"{runs.this_worker().rpartition(':')[0]}:999999999")

    claimed = queue.claim()

    assert claimed is not None and claimed.pk == other.pk


def test_a_run_that_waited_for_its_provider_is_not_why_a_worker_died(link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None and queue.claim(run.pk) is not None
    runs.mark_asking(run.pk)
    Run.objects.filter(pk=run.pk).update(worker=f"{runs.this_worker().rpartition(':')[0]}:999999999")

    claimed = queue.claim(run.pk)

    assert claimed is not None and claimed.crashes == 0


def test_a_run_on_which_every_worker_dies_ends_with_what_is_known_of_it(link: Link, provider: Provider) -> None:
    fill(provider, range(4))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    Run.objects.filter(pk=run.pk).update(crashes=schedule.MAX_CRASHES)

    failed = go_on(run)

    assert (failed.state, failed.outcome_data["cause"]["code"]) == (Run.State.FAILED, "node-crashed")
    assert f"{schedule.MAX_CRASHES} times in a row this node could not go on" in failed.message
    assert not provider.asked
    link.refresh_from_db()
    assert (link.failures, link.failing_since) == (0, None), "nobody turns to another provider for our fault"
    assert link.next_due is not None and link.next_due > seams.now()


def test_a_full_disk_of_ours_turns_no_link_to_another_provider(
    link: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    fill(provider, range(4))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    monkeypatch.setattr(store_page, "store_page", fail)
    for _ in range(schedule.MAX_CRASHES):
        run = go_on(run)

    assert (run.state, run.attempts, run.outcome_data["cause"]["code"]) == (Run.State.FAILED, 0, "disk-full")
    link.refresh_from_db()
    assert (link.failures, link.failing_since) == (0, None)


def test_the_first_and_the_last_fault_of_a_run_are_kept(
    link: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(provider, range(4))
    answers = iter([Response("", status=502), Response("", status=500)])
    provider.faults.append(lambda asked: next(answers, None) if continued(asked) else None)
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    run = go_on(run)
    run = go_on(run)
    assert (run.attempts, run.crashes) == (2, 0)
    with monkeypatch.context() as wrong:
        wrong.setattr(store_page, "store_page", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            go_on(run)

    run.refresh_from_db()
    assert run.first_fault["facts"]["status"] == 502
    assert run.last_fault["code"] == "node-error"
    assert (run.attempts, run.crashes) == (2, 1), "two tries of the provider, one fault of ours"
    assert "1 of 10 faults of this node" in run.message
    done = go_on(run)
    assert done.state == Run.State.DONE
    assert done.first_fault["facts"]["status"] == 502, "they stay for whoever reads the run later"


# --- What is shown ----------------------------------------------------------------------------------


def test_the_queue_is_shown_in_health_metrics_status_and_at_the_run(
    link: Link, client: Client, admin_client: Client, capsys: pytest.CaptureFixture[str], settings
) -> None:
    settings.GISC_MAX_RUNS_PER_HOST = 1
    begin_all()
    first, second = open_at(link, "slow", 0, waited_s=700), open_at(link, "slow", 1, waited_s=650)
    other = open_at(link, "fast", 2, waited_s=601)
    assert queue.claim(first.pk) is not None
    runs.mark_asking(first.pk)

    status = client.get("/harvest/status.json").json()
    waits = {facts["name"]: facts["waits"] and facts["waits"]["for"] for facts in status["links"]}
    assert waits == {link.name: None, "slow 0": "provider", "slow 1": "host", "fast 2": "worker"}
    assert status["queue"]["waiting"] == {"worker": 1, "host": 1, "provider": 1, "retry": 0, "window": 0}
    assert 600 <= status["queue"]["longest_wait_s"]["worker"] < 620
    assert client.get("/health/tasks").json()["queue"] == {**status["queue"], "longest_wait_s": ANY}
    page = admin_client.get(f"/admin/harvester/run/{second.pk}/change/").content.decode()
    assert "Waits for room at slow.example.org since" in page
    call_command("link", "show", "fast 2", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert shown["waits"]["text"].endswith("; 0 runs come before it.")
    metrics = client.get("/metrics").content.decode()
    assert 'gisc_runs_waiting{for="host"} 1.0' in metrics and "gisc_runs_working 0.0" in metrics
    assert 'gisc_run_longest_wait_seconds{for="worker"} 60' in metrics

    assert (client.get("/health/tasks").status_code, "gisc_queue_stalled 0.0" in metrics) == (200, True)
    Canary.objects.update(last_claim=timezone.now() - timedelta(seconds=601))
    assert client.get("/health/tasks").status_code == 503, "ticks get through, and no run does"
    ready = client.get("/health/ready").json()
    assert (ready["status"], ready["queue"]["stalled"], ready["tasks"]["late"]) == ("degraded", True, False)
    assert "gisc_queue_stalled 1.0" in client.get("/metrics").content.decode()
    assert queue.claim(other.pk) is not None
    assert client.get("/health/tasks").status_code == 200
