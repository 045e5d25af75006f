"""The queue of open runs: what each of them waits for, and which a worker takes next.

The queue is in the table of runs. A message in Redis names no run: it only calls a worker, which takes the run that is
next: of the host whose turn was longest ago the one that has waited longest, so that a host with many links does not keep
the others waiting.

A worker has a run by a lease with its host and process id, so that the run of a dead worker is free at once.
"""

import socket
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Value, When
from django.db.models.functions import Coalesce

from catalogue import datestamps, locks, seams
from harvester import schedule, schedule_words
from harvester.messages import WaitsFor, describe_wait
from harvester.models import Canary, Run
from harvester.rows import runs


@dataclass(frozen=True, slots=True)
class OpenRun:
    """An open run as the queue has it. `waits_for`: None while a worker works on it. `since`: when that began.

    `was_asking`: whether it waited for its provider's answer when its worker last had it, or still does. `until`: when the
    window begins that it waits for.
    """

    pk: int
    link_id: int
    host: str
    waits_for: WaitsFor | None
    since: datetime
    was_asking: bool
    until: datetime | None = None


# --- The queue --------------------------------------------------------------------------------------


def read_queue(now: datetime) -> list[OpenRun]:
    """Read all open runs, in the order in which they are taken."""
    return _read_queue(now, _read_turns() or {})


def _read_turns() -> dict[str, float] | None:
    """Return when each host had its last turn, in seconds since 1970; None before the first tick."""
    return Canary.objects.filter(pk=1).values_list("host_turns", flat=True).first()


def _read_queue(now: datetime, turns: Mapping[str, float]) -> list[OpenRun]:
    columns = (
        "pk",
        "link_id",
        "base_url",
        "worker",
        "leased_until",
        "asking_since",
        "not_before",
        "queued",
        "begun",
        "times",
    )
    base_url = Coalesce("link__serving__base_url", "link__base_url")
    windows = Case(When(trigger=Run.Trigger.SCHEDULE, then="link__windows"), default=Value(""))
    rows = Run.objects.filter(state=Run.State.OPEN).order_by().annotate(base_url=base_url, times=windows)
    taken: list[OpenRun] = []
    ready: defaultdict[str, list[OpenRun]] = defaultdict(list)
    for pk, link_id, url, worker, leased_until, asking_since, not_before, queued, begun, times in rows.values_list(
        *columns
    ):
        host = urlsplit(url).hostname or ""
        since, is_asking = queued or begun, asking_since is not None
        if is_leased(worker, leased_until, now):
            state = WaitsFor.PROVIDER if is_asking else None
            taken.append(OpenRun(pk, link_id, host, state, asking_since or since, is_asking))
        elif not_before is not None and not_before > now:
            taken.append(OpenRun(pk, link_id, host, WaitsFor.RETRY, since, is_asking))
        elif times and (opening := schedule.next_opening(schedule_words.read_windows(times), now)) > now:
            taken.append(OpenRun(pk, link_id, host, WaitsFor.WINDOW, since, is_asking, opening))
        else:
            waits_since = max(since, not_before or since)
            ready[host].append(OpenRun(pk, link_id, host, WaitsFor.WORKER, waits_since, is_asking))
    busy = Counter(run.host for run in taken if run.waits_for not in (WaitsFor.RETRY, WaitsFor.WINDOW))
    return [*taken, *_in_order(ready, busy, turns)]


def _in_order(ready: Mapping[str, list[OpenRun]], busy: Mapping[str, int], turns: Mapping[str, float]) -> list[OpenRun]:
    """Return the runs that wait for a worker, and behind them those that wait for room at their host.

    The first of each host come first, then the second of each host, and so on; what is under way at a host (`busy`) counts
    as before. Among these the host comes first whose last turn was earliest (`turns`).
    """
    ranked: list[tuple[int, float, OpenRun]] = []
    crowded: list[OpenRun] = []
    for host, of_host in ready.items():
        for rank, run in enumerate(sorted(of_host, key=_waiting_since), start=busy.get(host, 0)):
            if rank < settings.GISC_MAX_RUNS_PER_HOST:
                ranked.append((rank, turns.get(host, 0), run))
            else:
                crowded.append(replace(run, waits_for=WaitsFor.HOST))
    ranked.sort(key=lambda each: (each[0], each[1], *_waiting_since(each[2])))
    return [*(run for *_, run in ranked), *sorted(crowded, key=_waiting_since)]


_waiting_since = attrgetter("since", "pk")  # the order in which runs of a host are taken


def report_wait(run_id: int, queue: Sequence[OpenRun]) -> dict[str, object] | None:
    """Return what a run of this queue waits for: code, since when, and a sentence; None if it does not wait."""
    run = next((run for run in queue if run.pk == run_id), None)
    if run is None or run.waits_for is None:
        return None
    before = [each.pk for each in queue if each.waits_for == WaitsFor.WORKER]
    facts = {
        "since": datestamps.write(run.since),
        "host": run.host,
        "limit": settings.GISC_MAX_RUNS_PER_HOST,
        "until": run.until and datestamps.write(run.until),
        "before": before.index(run.pk) if run.pk in before else len(before),
    }
    return {"for": str(run.waits_for), "since": facts["since"], "text": describe_wait(run.waits_for, facts)}


@dataclass(frozen=True, slots=True)
class QueueState:
    """How many open runs wait, and how long the first of them has waited, in seconds, by what they wait for.

    `is_stalled`: some wait for a worker, and no worker has taken any for GISC_CANARY_SECONDS.
    """

    working: int
    waiting: dict[WaitsFor, int]
    longest_s: dict[WaitsFor, float]
    is_stalled: bool

    def report(self) -> dict[str, object]:
        """Return the state for reports in JSON."""
        return {
            "working": self.working,
            "waiting": {str(cause): number for cause, number in self.waiting.items()},
            "longest_wait_s": {str(cause): round(wait_s, 1) for cause, wait_s in self.longest_s.items()},
            "stalled": self.is_stalled,
        }


def queue_state(now: datetime) -> QueueState:
    """Read how long the queue is."""
    return state_of(read_queue(now), now)


def state_of(queue: Sequence[OpenRun], now: datetime) -> QueueState:
    """Return how long this queue is; whether it is stalled is read from the database."""
    waiting = {cause: [run for run in queue if run.waits_for == cause] for cause in WaitsFor}
    longest_s = {
        cause: max((now - run.since).total_seconds(), 0.0)
        if (run := min(those, key=_waiting_since, default=None))
        else 0.0
        for cause, those in waiting.items()
    }
    last_claim = Canary.objects.filter(pk=1).values_list("last_claim", flat=True).first()
    patience = timedelta(seconds=settings.GISC_CANARY_SECONDS)
    return QueueState(
        working=sum(run.waits_for is None for run in queue),
        waiting={cause: len(those) for cause, those in waiting.items()},
        longest_s=longest_s,
        is_stalled=longest_s[WaitsFor.WORKER] > settings.GISC_CANARY_SECONDS
        and (last_claim is None or now - last_claim > patience),
    )


def count_ready(now: datetime) -> int:
    """Return how many more runs workers could take at this moment."""
    queue = read_queue(now)
    ready = sum(run.waits_for == WaitsFor.WORKER for run in queue)
    return max(min(ready, settings.GISC_MAX_RUNS - sum(run.waits_for is None for run in queue)), 0)


def shorten_waits(now: datetime) -> None:
    """Forget claims that were made while our clock was ahead, and is right now."""
    Canary.objects.filter(last_claim__gt=now).update(last_claim=now, host_turns={})


# --- Leases -----------------------------------------------------------------------------------------


def is_abandoned(run: Run, now: datetime) -> bool:
    """Whether nobody works on the run: no lease, a lease run out, or a worker on this host that is dead."""
    return not is_leased(run.worker, run.leased_until, now)


def is_leased(worker: str, leased_until: datetime | None, now: datetime) -> bool:
    """Whether a worker works on a run with these columns."""
    if leased_until is None or leased_until <= now:
        return False
    host, _, pid = worker.rpartition(":")
    return host != socket.gethostname() or seams.is_alive(int(pid))


def claim(run_id: int | None = None) -> Run | None:
    """Lease the run that is next, or this one, to this process.

    None if it is not open, must wait or is leased to another process; if none waits; if as many as may be are worked on. A run
    that another transaction has locked is passed over, so that nobody waits behind it.
    """
    with transaction.atomic():
        locks.lock_transaction(locks.RUN_CLAIMS)
        now, turns = seams.now(), _read_turns()
        queue = _read_queue(now, turns or {})
        if sum(run.waits_for is None for run in queue) >= settings.GISC_MAX_RUNS:
            return None
        ready = [run for run in queue if run.waits_for == WaitsFor.WORKER and run_id in (None, run.pk)]
        claimed = next((run for run in ready if runs.lease(run.pk, now)), None)
        if claimed is None:
            return None
        if turns is not None:
            hosts = {run.host for run in queue}
            kept = {host: at for host, at in turns.items() if host in hosts}
            kept[claimed.host] = now.timestamp()
            Canary.objects.filter(pk=1).update(last_claim=now, host_turns=kept)
    run = Run.objects.select_related("link__local_set", "link__serving").get(pk=claimed.pk)
    run.was_asking = claimed.was_asking
    return run
