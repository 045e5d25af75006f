"""Open, work on, restart and fail runs (promises 2 and 4).

A worker claims a run for a while (`harvester.rows.runs`), fetches a page outside any transaction, and stores it in one
transaction together with the run's position (`pipeline`, `store_page`, `get_records`, `finish`). Whoever comes second
finds that the position has moved on, and stores nothing.
"""

import logging
import random
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from catalogue import seams
from catalogue.outage import is_outage
from harvester import schedule
from harvester.errors import BrokenReply, FaultCode, HarvestError, Retry, TokenLost, TooLarge, Unreachable
from harvester.guards import shared_set_backup
from harvester.messages import Outcome, OutcomeCode
from harvester.models import Conflict, Link, Run
from harvester.rows import links, moved_address, outage, runs
from harvester.runs import comparison, get_records, pipeline

logger = logging.getLogger(__name__)

SLICE_IS_LATE_AFTER = timedelta(hours=1)  # chosen

# --- Opening ----------------------------------------------------------------------------------------


def open_run(link: Link, *, trigger: str, full: bool = False) -> Run | None:
    """Open a run of the link; None if one is open already. `full`: ask for the whole list."""
    now = seams.now()
    list_from = None if full else link.harvested_to
    run = runs.open_run(link, trigger=trigger, begun=now, strategy=link.strategy, list_from=list_from)
    if run is None:
        return None
    links.set_next_due(link, next_due=now + timedelta(seconds=link.interval_s))
    logger.info("run opened", extra={**run.log_facts, "trigger": trigger, "full": full})
    return run


def open_comparison(link: Link, *, trigger: str, whole: bool = False, beyond_ceiling: bool = False) -> Run | None:
    """Open a comparison of the link's next slice, or of everything (`whole`); None if a run is open already."""
    run = _open_slice(link, Run.Purpose.COMPARISON, trigger=trigger, whole=whole, beyond_ceiling=beyond_ceiling)
    if run is not None and beyond_ceiling:
        links.accept_deletions(link)
    return run


def open_total_reharvest(link: Link, *, trigger: str, whole: bool = False) -> Run | None:
    """Open the next slice of the link's total re-harvest, or all of it (`whole`); None if a run is open already."""
    return _open_slice(link, Run.Purpose.CONTENT, trigger=trigger, whole=whole)


def _open_slice(
    link: Link, purpose: Run.Purpose, *, trigger: str, whole: bool, beyond_ceiling: bool = False
) -> Run | None:
    begin, end = (None, None) if whole else comparison.window(link, purpose)
    run = runs.open_run(
        link,
        purpose=purpose,
        trigger=trigger,
        begun=seams.now(),
        strategy=Link.Strategy.RECORDS if purpose == Run.Purpose.CONTENT else Link.Strategy.IDENTIFIERS,
        list_from=begin,
        list_until=end,
        beyond_ceiling=beyond_ceiling,
    )
    if run is not None:
        facts = {"purpose": purpose.value, "trigger": trigger, "whole": whole}
        logger.info("slice opened", extra={**run.log_facts, **facts})
    return run


def open_due_runs() -> list[Run]:
    """Open a run for every link that is due. A due link is locked meanwhile, so that two beats open one run.

    A slice that has been due for long comes before a harvest, as a link may be due for a harvest at each beat.
    """
    now = seams.now()
    links.shorten_waits(now, comparison_s=comparison.RETRY_AFTER.total_seconds())
    runs.shorten_waits(now)
    with transaction.atomic():
        links.plan_content(now)
        late = _open_due_slices(now - SLICE_IS_LATE_AFTER)
        is_due = Q(next_due__isnull=True) | Q(next_due__lte=now)
        due = Link.objects.select_for_update(skip_locked=True).filter(is_due, enabled=True)
        harvests = [open_run(link, trigger="schedule") for link in due]
        return [run for run in (*late, *harvests, *_open_due_slices(now)) if run is not None]


def _open_due_slices(now: datetime) -> list[Run | None]:
    links_due = {
        purpose: Link.objects.select_for_update(skip_locked=True).filter(comparison.due(purpose, now))
        for purpose in comparison.PURPOSES
    }
    return [
        _open_slice(link, purpose, trigger="schedule", whole=False)
        for purpose, due in links_due.items()
        for link in due
    ]


def claimable() -> list[Run]:
    """Open runs that no worker has, whose wait is over, and for which no task was queued in the last beat."""
    now = seams.now()
    last_beat = now - timedelta(seconds=settings.GISC_BEAT_SECONDS)
    waiting = Run.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=now), state=Run.State.OPEN
    ).select_related("link")
    return [
        run
        for run in waiting
        if runs.is_abandoned(run, now) and (run.queued is None or run.queued < last_beat or run.worker)
    ]


# --- Working ----------------------------------------------------------------------------------------


def work(run_id: int, *, for_s: float | None = None, progress: pipeline.Progress = lambda run: None) -> Run | None:
    """Work on a run for a while; the run as it stands then, or None if it is gone or another worker has it.

    `for_s`: None for as long as a task may work on a run (`RunLimits.work_s`).

    A fault of the provider is stored in the run, with what happens next; it is not raised.
    """
    try:
        run = runs.claim_run(run_id)
    except Exception as exc:
        if is_outage(exc):  # the claim may have been made all the same
            outage.retry_while_away(partial(runs.release_run, run_id))
        raise
    if run is None:
        return None
    until = seams.monotonic() + (schedule.LIMITS.in_force.work_s if for_s is None else for_s)
    try:
        _work_on(run, until=until, progress=progress)
    except HarvestError as exc:
        outage.retry_while_away(partial(_react, run, exc))
    except Exception as exc:
        if is_outage(exc):
            lost = Retry(FaultCode.DATABASE_LOST, {"detail": outage.describe_error(exc)})
            outage.retry_while_away(partial(_react_to_our_fault, run, lost))
        else:
            facts = {"error": type(exc).__name__, "detail": outage.describe_error(exc)}
            outage.retry_while_away(partial(_react_to_our_fault, run, Retry(FaultCode.NODE_ERROR, facts)))
            raise
    finally:
        # Else the run would wait until the lease of this process is over.
        outage.retry_while_away(partial(runs.release_run, run_id))
    after = Run.objects.select_related("link").filter(pk=run_id).first()
    if after is not None and Conflict.objects.filter(settled=None).exists() and not after.is_open:
        shared_set_backup.settle_outdated()
    return after  # None if its link was removed meanwhile


def _work_on(run: Run, *, until: float, progress: pipeline.Progress) -> None:
    if run.attempts > schedule.MAX_ATTEMPTS:
        fail_run(run, HarvestError(FaultCode.TRIES_SPENT, {"tries": schedule.MAX_ATTEMPTS}))
        return
    if run.phase == Run.Phase.LISTING:
        pipeline.store_list(run, until=until, progress=progress)
    if run.phase == Run.Phase.FETCHING and run.is_open:
        get_records.fetch(run, until=until, progress=progress)


@transaction.atomic
def cancel(run: Run, code: OutcomeCode = OutcomeCode.CANCELLED) -> bool:
    """Cancel an open run, as a rule for the operator; False if it is not open. What it stored and `harvested_to` stay.

    A worker that has the run notices before it stores the next page, and stores nothing more.
    """
    cancelled = runs.mark_cancelled(run, Outcome(code))
    if cancelled and run.compares:
        comparison.put_off(run)
    if cancelled:
        logger.info("run cancelled", extra=run.log_facts)
    return cancelled


# --- When something goes wrong ----------------------------------------------------------------------


def _react(run: Run, error: HarvestError) -> None:
    """Decide what happens after a fault, and store that in the run. What is stored stays; `harvested_to` does not move."""
    if error.moved_to:
        moved_address.propose(run.link, error.moved_to)
    if isinstance(error, TokenLost) and run.restarts < schedule.MAX_RESTARTS:
        _restart(run, error)
    elif isinstance(error, Retry) and run.attempts < schedule.MAX_ATTEMPTS:
        _postpone(run, error)
    elif _is_fault_of_page(run, error):
        _restart_by_headers(run, error)
    else:
        fail_run(run, error)


def _react_to_our_fault(run: Run, fault: Retry) -> None:
    """React to a fault of this node. Its last page may be stored or not, so load the run as it stands now."""
    current = Run.objects.select_related("link").filter(pk=run.pk, state=Run.State.OPEN).first()
    if current is not None:
        _react(current, fault)


def _postpone(run: Run, error: Retry) -> None:
    attempt = max(run.attempts, 1)
    wait_s = schedule.retry_wait_s(attempt, error.retry_after_s, first_s=settings.GISC_RETRY_SECONDS)
    data = {
        "cause": error.to_json(),
        **({"page": run.pages + 1} if run.phase == Run.Phase.LISTING else {}),
        "wait_s": wait_s,
        "attempt": attempt,
        "max_attempts": schedule.MAX_ATTEMPTS,
    }
    runs.postpone(
        run,
        attempts=attempt,
        not_before=seams.now() + timedelta(seconds=wait_s + schedule.jitter_s(wait_s, random.random())),
        outcome=Outcome(OutcomeCode.POSTPONED, data),
    )
    facts = {**run.log_facts, "code": str(error.code), "error": str(error), "wait_s": wait_s, "attempt": attempt}
    logger.warning("page failed", extra=facts)


def _restart(run: Run, error: TokenLost) -> None:
    data = {
        "cause": error.to_json(),
        "pages": run.pages,
        "restart": run.restarts + 1,
        "max_restarts": schedule.MAX_RESTARTS,
    }
    runs.restart_list(run, outcome=Outcome(OutcomeCode.LIST_RESTARTED, data))
    logger.warning("list restarted", extra={**run.log_facts, "code": str(error.code), "error": str(error)})


def _is_fault_of_page(run: Run, error: HarvestError) -> bool:
    """Whether one page of whole records cannot be had, from a provider that answers other requests (F22, F89)."""
    if run.strategy != Link.Strategy.RECORDS or run.phase != Run.Phase.LISTING:
        return False
    has_failed = isinstance(error, Unreachable) and error.status in (500, 502, 504)
    breaks_off = error.code in (FaultCode.ANSWER_CUT_SHORT, FaultCode.ANSWER_INCOMPLETE)
    if run.pages == 0:  # then Identify at least was answered
        return isinstance(error, TooLarge) or bool(run.granularity and (has_failed or breaks_off))
    return isinstance(error, TooLarge | BrokenReply) or has_failed


def _restart_by_headers(run: Run, error: HarvestError) -> None:
    """Read the list again as headers, and ask for each record by itself, where a page of records cannot be had."""
    data = {"cause": error.to_json(), "pages": run.pages}
    runs.restart_by_headers(run, outcome=Outcome(OutcomeCode.RESTARTED_BY_HEADERS, data))
    logger.warning("list restarted by headers", extra={**run.log_facts, "code": str(error.code), "error": str(error)})


def start_over(link: Link, *, since: datetime | None = None) -> None:
    """Restart the list of the link's open run, if there is one, as what the link asks for, or whom, has changed.

    The whole list is asked for, or what has changed `since`: the position at the provider that serves now.
    """
    for run in Run.objects.filter(link=link, state=Run.State.OPEN, purpose__in=comparison.PURPOSES):
        cancel(run)
    runs.restart_for_changed_link(link, list_from=since)


@transaction.atomic
def fail_run(run: Run, error: HarvestError) -> None:
    """End the run as failed. What it stored stays, `harvested_to` stays; the link is due again after a while."""
    now = seams.now()
    outcome = Outcome(OutcomeCode.FAILED, {"cause": error.to_json(), "pages": run.pages})
    if not runs.mark_failed(run, now=now, outcome=outcome):
        return
    if run.compares:
        comparison.put_off(run)
        return
    link = Link.objects.select_for_update().get(pk=run.link_id)
    failures = link.failures + 1
    links.record_failure(
        link,
        failures=failures,
        failing_since=link.failing_since or run.begun,
        next_due=schedule.due_after_failure(now, link.interval_s, failures),
    )
    facts = {**run.log_facts, "code": str(error.code), "error": str(error), "next_due": link.next_due}
    logger.warning("run failed", extra=facts)
