"""Write runs and their leases. The only writer of Run.

An update that depends on where the run stands has that as its condition: whoever comes second changes nothing (promise 4).
"""

import os
import socket
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce

from catalogue import datestamps, seams
from harvester import schedule
from harvester.messages import Outcome, OutcomeCode
from harvester.models import Link, Run

_RELEASED: dict[str, object] = {"worker": "", "leased_until": None}
_RUNNING = Outcome(OutcomeCode.RUNNING)
_START_OF_LIST: dict[str, object] = {
    "phase": Run.Phase.LISTING,
    "granularity": "",
    "token": "",
    "pages": 0,
    "listed": 0,
    "list_size": None,
    "marked_token": "",
    "marked_page": None,
    "first_response": None,
    "newest": None,
    "sealed_cookies": "",
}


def _columns_of(outcome: Outcome) -> dict[str, object]:
    return {"outcome": str(outcome.code), "outcome_data": dict(outcome.data)}


# --- Leases -----------------------------------------------------------------------------------------


def this_worker() -> str:
    """This process as `Run.worker` names it: host:pid."""
    return f"{socket.gethostname()}:{os.getpid()}"


def lease_end(now: datetime) -> datetime:
    """Return until when a lease that is made or renewed now lasts."""
    return now + timedelta(seconds=settings.GISC_LEASE_SECONDS)


def lease(run_id: int, now: datetime) -> bool:
    """Lease a run to this process; False if it is not open, or another transaction has locked it."""
    free = Run.objects.select_for_update(skip_locked=True).filter(pk=run_id, state=Run.State.OPEN)
    row = free.values_list("worker", "asking_since").first()
    if row is None:
        return False
    worker, asking_since = row
    # A worker that ended well has released its runs; one that waited for the provider did nothing that can kill it.
    has_crashed = bool(worker) and asking_since is None
    Run.objects.filter(pk=run_id).update(
        worker=this_worker(),
        leased_until=lease_end(now),
        asking_since=None,
        queued=now,  # if the worker dies, the run is behind those that wait since before
        crashes=F("crashes") + int(has_crashed),
    )
    return True


def release_run(run_id: int) -> None:
    """End the lease, if this process has it; the run goes to the end of the queue."""
    Run.objects.filter(pk=run_id, worker=this_worker()).update(**_RELEASED, queued=seams.now())


def release_others(kept: Sequence[int] = ()) -> None:
    """End all leases of this process but those of these runs: it ends, or does not know whether a claim was made."""
    ours = Run.objects.filter(state=Run.State.OPEN, worker=this_worker())
    ours.exclude(pk__in=kept).update(**_RELEASED, queued=seams.now())


def mark_asking(run_id: int) -> None:
    """Store that the run waits for its provider's answer and keeps no worker meanwhile; renew the lease of this process."""
    now = seams.now()
    Run.objects.filter(pk=run_id, worker=this_worker()).update(asking_since=now, leased_until=lease_end(now))


def renew_lease(run_id: int) -> None:
    """Extend the lease, if this process has it, whatever the run waits for."""
    Run.objects.filter(pk=run_id, worker=this_worker()).update(leased_until=lease_end(seams.now()))


def mark_working(run_id: int) -> None:
    """Store that this process works on the run again."""
    Run.objects.filter(pk=run_id, worker=this_worker()).update(asking_since=None, leased_until=lease_end(seams.now()))


def shorten_waits(now: datetime) -> None:
    """Shorten waits and leases that are longer than they can be from now on: our clock was ahead, and is right now."""
    open_runs = Run.objects.filter(state=Run.State.OPEN)
    open_runs.filter(not_before__gt=now + timedelta(seconds=schedule.MAX_WAIT_S)).update(not_before=now)
    open_runs.filter(Q(queued__gt=now) | Q(queued=None, begun__gt=now)).update(queued=now)
    open_runs.filter(asking_since__gt=now).update(asking_since=now)
    open_runs.filter(leased_until__gt=lease_end(now)).update(leased_until=lease_end(now))


# --- Beginning --------------------------------------------------------------------------------------


def open_run(
    link: Link,
    *,
    trigger: str,
    begun: datetime,
    strategy: str,
    list_from: datetime | None,
    list_until: datetime | None = None,
    purpose: Run.Purpose = Run.Purpose.HARVEST,
    beyond_ceiling: bool = False,
) -> Run | None:
    """Create an open run of the link; None if the link has one already."""
    run, is_new = Run.objects.get_or_create(
        link=link,
        state=Run.State.OPEN,
        defaults={
            "purpose": purpose,
            "trigger": trigger,
            "begun": begun,
            "queued": begun,
            "strategy": strategy,
            "list_from": list_from,
            "list_until": list_until,
            "beyond_ceiling": beyond_ceiling,
        },
    )
    return run if is_new else None


def leave_windows(run: Run, *, trigger: str) -> None:
    """Let an open run go on at any time of the day, as a person wants it now; `trigger` is then what started it."""
    Run.objects.filter(pk=run.pk, state=Run.State.OPEN).update(trigger=trigger)


def set_bounds(run: Run) -> None:
    """Store what the list is asked for with, if this worker has the run."""
    bounds = (
        "granularity",
        "list_from",
        "strategy",
        "first_asked",
        "is_promised",
        "stepped_back_s",
        "asked_before",
        "skipped_from",
        "skipped_size",
        "came_late",
    )
    values = {name: getattr(run, name) for name in bounds}
    Run.objects.filter(pk=run.pk, worker=this_worker()).update(**values)


# --- Going on ---------------------------------------------------------------------------------------


def advance_list(
    run: Run,
    *,
    now: datetime,
    entries: int,
    token: str,
    marked_token: str,
    marked_page: bytes,
    first_response: datetime | None,
    newest: datetime | None,
    list_size: int | None,
    warnings: Sequence[dict[str, Any]],
    sealed_cookies: str,
) -> bool:
    """Move the run on by one page and extend the lease, in the caller's transaction.

    False if `run` is not where the run stands now, or this worker has it no more: then the page must not be stored.
    """
    won = Run.objects.filter(
        pk=run.pk, state=Run.State.OPEN, pages=run.pages, restarts=run.restarts, worker=this_worker()
    ).update(
        pages=F("pages") + 1,
        listed=F("listed") + entries,
        token=token,
        marked_token=marked_token,
        marked_page=marked_page,
        first_response=first_response,
        newest=newest,
        list_size=list_size,
        attempts=0,
        crashes=0,
        not_before=None,
        **_columns_of(_RUNNING),
        warnings=warnings,
        sealed_cookies=sealed_cookies,
        leased_until=lease_end(now),
    )
    return won == 1


def lock_position(run: Run) -> bool:
    """Lock the run's row in the caller's transaction; False if the run stands elsewhere now, or another has it."""
    position = {"pages": run.pages, "restarts": run.restarts, "state": Run.State.OPEN, "worker": this_worker()}
    return Run.objects.select_for_update().filter(pk=run.pk, **position).exists()


def begin_fetching(run: Run) -> None:
    """The list is complete: go on with single records."""
    Run.objects.filter(pk=run.pk).update(phase=Run.Phase.FETCHING, token="")


def advance_fetching(
    run: Run, *, now: datetime, fetched: int, warnings: Sequence[dict[str, Any]], sealed_cookies: str | None
) -> bool:
    """Move the run on by so many single records and extend the lease, in the caller's transaction.

    `sealed_cookies`: None leaves them. False as of `advance_list`.
    """
    won = Run.objects.filter(
        pk=run.pk, state=Run.State.OPEN, phase=Run.Phase.FETCHING, fetched=run.fetched, worker=this_worker()
    ).update(
        fetched=F("fetched") + fetched,
        attempts=0 if fetched else F("attempts"),
        crashes=0 if fetched else F("crashes"),
        not_before=None,
        **_columns_of(_RUNNING),
        warnings=warnings,
        sealed_cookies=F("sealed_cookies") if sealed_cookies is None else sealed_cookies,
        leased_until=lease_end(now),
    )
    return won == 1


def add_to_counters(run: Run, **more: int) -> None:
    """Add to the run's counters, in the transaction that stores what is counted; a constraint sees that they add up."""
    if any(more.values()):
        added = ", ".join(f"{name} = {name} + %({name})s" for name in more)
        with connection.cursor() as cursor:  # for each page: Django takes longer to write it than PostgreSQL to do it
            cursor.execute(f"UPDATE harvester_run SET {added} WHERE id = %(id)s", {"id": run.pk, **more})


# --- After a fault ----------------------------------------------------------------------------------


def postpone(run: Run, *, attempts: int, crashes: int, not_before: datetime, outcome: Outcome) -> None:
    """Let the run wait, if this worker has it."""
    Run.objects.filter(pk=run.pk, worker=this_worker()).update(
        attempts=attempts, crashes=crashes, not_before=not_before, **_columns_of(outcome)
    )


def record_fault(run: Run, fault: Mapping[str, Any], *, at: datetime) -> None:
    """Keep the first and the last fault of a run, whatever happens next, if this worker has it. `fault`: code and facts."""
    kept = {"at": datestamps.write(at), **fault}
    Run.objects.filter(pk=run.pk, worker=this_worker()).update(
        first_fault=Coalesce("first_fault", Value(kept, models.JSONField())), last_fault=kept
    )


def restart_list(run: Run, *, outcome: Outcome) -> None:
    """Start the list again from its first page, if this worker has the run and nobody has restarted it meanwhile."""
    Run.objects.filter(pk=run.pk, worker=this_worker(), restarts=run.restarts).update(
        **_START_OF_LIST, restarts=F("restarts") + 1, attempts=0, **_columns_of(outcome)
    )


def restart_by_headers(run: Run, *, outcome: Outcome) -> None:
    """Start the list again as a list of headers, if this worker has the run.

    The responseDate of the first page stays, as what was stored since need not be asked for again.
    """
    Run.objects.filter(pk=run.pk, worker=this_worker()).update(
        **_START_OF_LIST | {"first_response": run.first_response},
        strategy=Link.Strategy.IDENTIFIERS,
        restarts=F("restarts") + 1,
        attempts=0,
        **_columns_of(outcome),
    )


def restart_for_changed_link(link: Link, *, list_from: datetime | None) -> None:
    """Start the list of the link's open run again, whoever works on it: what is asked for, or whom, has changed."""
    Run.objects.filter(link=link, state=Run.State.OPEN).update(
        **_START_OF_LIST,
        list_from=list_from,
        restarts=F("restarts") + 1,
        attempts=0,
        not_before=None,
        **_columns_of(Outcome(OutcomeCode.LINK_CHANGED)),
    )


# --- Ending -----------------------------------------------------------------------------------------


def has_ended(run_id: int) -> bool:
    """Whether the run is there and not open any more."""
    return Run.objects.filter(pk=run_id).exclude(state=Run.State.OPEN).exists()


def mark_done(run: Run, *, now: datetime, outcome: Outcome) -> None:
    """End a run that came to its end, in the caller's transaction."""
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.DONE, finished=now, token="", sealed_cookies="", **_columns_of(outcome)
    )


def mark_cancelled(run: Run, outcome: Outcome) -> bool:
    """End an open run as cancelled; False if it is not open."""
    return bool(
        Run.objects.filter(pk=run.pk, state=Run.State.OPEN).update(
            state=Run.State.CANCELLED,
            finished=seams.now(),
            sealed_cookies="",
            **_columns_of(outcome),
        )
    )


def mark_failed(run: Run, *, now: datetime, outcome: Outcome) -> bool:
    """End an open run as failed, if this worker has it; False if not."""
    won = Run.objects.filter(pk=run.pk, state=Run.State.OPEN, worker=this_worker()).update(
        state=Run.State.FAILED, finished=now, sealed_cookies="", **_columns_of(outcome)
    )
    return won == 1
