"""Who works on a run: a lease with host and process id, so that a dead worker's run is free at once.

The counters of runs: added to in the transaction that stores what is counted.
"""

import os
import socket
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalogue import locks
from harvester.models import Run


def this_worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def is_abandoned(run: Run, now: datetime) -> bool:
    """Whether nobody works on the run: no lease, a lease run out, or a holder on this host that is dead."""
    if run.leased_until is None or run.leased_until <= now:
        return True
    host, _, pid = run.holder.rpartition(":")
    return host == socket.gethostname() and not _is_alive(int(pid))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def claim_run(run_id: int) -> Run | None:
    """The run, leased to this process; None if it is not open, must wait, or is leased to another."""
    now = timezone.now()
    run = Run.objects.filter(pk=run_id, state=Run.State.OPEN).select_related("link__local_set", "link__serving").first()
    if run is None or not is_abandoned(run, now) or (run.not_before is not None and run.not_before > now):
        return None
    with transaction.atomic():
        if not _has_room(run, now):
            return None
        won = Run.objects.filter(
            pk=run.pk, state=Run.State.OPEN, holder=run.holder, leased_until=run.leased_until, attempts=run.attempts
        ).update(
            holder=this_worker(),
            leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS),
            attempts=F("attempts") + 1,
        )
    if won != 1:
        return None
    run.refresh_from_db()
    return run


def _has_room(run: Run, now: datetime) -> bool:
    """Whether one more run may be worked on, in all and at this provider's host. Holds a lock until the claim is made.

    A run without room stays open; the next tick looks again.
    """
    locks.lock_transaction(locks.RUN_CLAIMS)
    others = Run.objects.filter(state=Run.State.OPEN, leased_until__gt=now).exclude(pk=run.pk)
    working = [other for other in others.select_related("link__serving") if not is_abandoned(other, now)]
    there = [other for other in working if _host(other) == _host(run)]
    return len(working) < settings.GISC_MAX_RUNS and len(there) < settings.GISC_MAX_RUNS_PER_HOST


def _host(run: Run) -> str:
    return urlsplit(run.link.provider.base_url).hostname or ""


def release_run(run_id: int) -> None:
    """Give the run up, if this process holds it."""
    Run.objects.filter(pk=run_id, holder=this_worker()).update(holder="", leased_until=None)


def add_to_counters(run: Run, **more: int) -> None:
    """Add to the run's counters, in the caller's transaction; a constraint sees that they add up."""
    if any(more.values()):
        Run.objects.filter(pk=run.pk).update(**{name: F(name) + number for name, number in more.items()})
