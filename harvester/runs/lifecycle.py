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

from catalogue import log_context, seams
from catalogue.outage import is_data_damaged, is_disk_full, is_outage
from catalogue.reasons import describe_error
from harvester import schedule
from harvester.errors import FaultCode, HarvestError, Retry, TokenLost, is_fault_of_page
from harvester.guards import shared_set_backup
from harvester.messages import Outcome, OutcomeCode
from harvester.models import Conflict, Link, Run
from harvester.protocol.prefetch import Turn
from harvester.rows import links, moved_address, outage, queue, runs
from harvester.runs import comparison, get_records, pipeline
from harvester.runs.finish import fail_run

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
    links.set_next_due(link, next_due=schedule.next_start(link.schedule, now))
    logger.info("run opened", extra={"link": link.name, "run": run.pk, "trigger": trigger, "full": full})
    return run


def leave_window(link: Link, *, trigger: str) -> Run | None:
    """Let the link's open run go on at any time of the day; None if it does not wait for its window."""
    run = Run.objects.filter(link=link, state=Run.State.OPEN).select_related("link").first()
    if run is None or schedule.is_open(run.windows, seams.now()):
        return None
    runs.leave_windows(run, trigger=trigger)
    logger.info("run goes on outside of its window", extra={"link": link.name, "run": run.pk, "trigger": trigger})
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
        facts = {"link": link.name, "run": run.pk, "purpose": purpose.value, "trigger": trigger, "whole": whole}
        logger.info("slice opened", extra=facts)
    return run


def open_due_runs() -> list[Run]:
    """Open a run for every link that is due and may run now. A due link is locked meanwhile: two beats open one run.

    A slice that has been due for long comes before a harvest, as a link may be due for a harvest at each beat. A link that
    is due outside of its windows is due when the next one begins.
    """
    now = seams.now()
    links.shorten_waits(now, comparison_s=comparison.RETRY_AFTER.total_seconds())
    runs.shorten_waits(now)
    queue.shorten_waits(now)
    with transaction.atomic():
        links.plan_content(now)
        late = _open_due_slices(now - SLICE_IS_LATE_AFTER, now)
        is_due = Q(next_due__isnull=True) | Q(next_due__lte=now)
        due = Link.objects.select_for_update(skip_locked=True).filter(is_due, enabled=True)
        harvests = [_open_harvest(link, now) for link in due]
        return [run for run in (*late, *harvests, *_open_due_slices(now, now)) if run is not None]


def _open_harvest(link: Link, now: datetime) -> Run | None:
    windows = link.schedule.windows
    if not schedule.is_open(windows, now):
        links.set_next_due(link, next_due=schedule.next_opening(windows, now))
        return None
    return open_run(link, trigger=Run.Trigger.SCHEDULE)


def _open_due_slices(due_by: datetime, now: datetime) -> list[Run | None]:
    links_due = {
        purpose: Link.objects.select_for_update(skip_locked=True).filter(comparison.due(purpose, due_by))
        for purpose in comparison.PURPOSES
    }
    return [
        _open_slice(link, purpose, trigger=Run.Trigger.SCHEDULE, whole=False)
        for purpose, due in links_due.items()
        for link in due
        if schedule.is_open(link.schedule.windows, now)
    ]


# --- Working ----------------------------------------------------------------------------------------


def work(run_id: int, *, for_s: float | None = None, progress: pipeline.Progress = lambda run: None) -> Run | None:
    """Work on a run for a while; the run as it stands then, or None if it is gone, has no room or another worker has it.

    `for_s`: None for as long as a turn lasts (`RunLimits.work_s`).

    A fault of the provider is stored in the run, with what happens next; it is not raised.
    """
    try:
        run = queue.claim(run_id)
    except Exception as exc:
        if is_outage(exc):  # the claim may have been made all the same
            outage.retry_while_away(partial(runs.release_run, run_id))
        raise
    if run is None:
        return None
    for_s = turn_s(run, schedule.LIMITS.in_force.work_s if for_s is None else for_s)
    work_on(run, Turn(seams.monotonic() + for_s), progress=progress)
    return Run.objects.select_related("link").filter(pk=run.pk).first()  # None if its link was removed meanwhile


def turn_s(run: Run, at_most: float) -> float:
    """Return for how many seconds to work on a run: not beyond the end of its link's window."""
    windows = run.windows
    if not windows:
        return at_most
    now = seams.now()
    closing = schedule.next_closing(windows, now)
    return at_most if closing is None else min(at_most, (closing - now).total_seconds())


def work_on(run: Run, turn: Turn, *, progress: pipeline.Progress = lambda run: None) -> None:
    """Work on a run that this process has claimed until the turn is over, and release it. A fault of the provider is not raised."""
    with log_context.about(link=run.link.name, run=run.pk, link_id=run.link_id):
        try:
            _work_on(run, turn=turn, progress=progress)
        except HarvestError as exc:
            outage.retry_while_away(partial(_react, run, exc))
        except Exception as exc:
            if not _react_to_error(run, exc):
                raise
        finally:
            # Else the run would wait until the lease of this process is over.
            outage.retry_while_away(partial(runs.release_run, run.pk))
        if Conflict.objects.filter(settled=None).exists() and runs.has_ended(run.pk):
            shared_set_backup.settle_outdated()


def _work_on(run: Run, *, turn: Turn, progress: pipeline.Progress) -> None:
    if run.crashes >= schedule.MAX_CRASHES:
        fail_run(run, HarvestError(FaultCode.NODE_CRASHED, {"crashes": run.crashes, "cause": run.last_fault}))
        return
    if run.phase == Run.Phase.LISTING:
        pipeline.store_list(run, turn=turn, progress=progress)
    if run.phase == Run.Phase.FETCHING and run.is_open:
        get_records.fetch(run, turn=turn, progress=progress)


@transaction.atomic
def cancel(run: Run, code: OutcomeCode = OutcomeCode.CANCELLED) -> bool:
    """Cancel an open run, as a rule for the operator; False if it is not open. What it stored and `harvested_to` stay.

    A worker that has the run notices before it stores the next page, and stores nothing more.
    """
    cancelled = runs.mark_cancelled(run, Outcome(code))
    if cancelled and run.compares:
        comparison.put_off(run)
    if cancelled:
        logger.info("run cancelled", extra={"link": run.link.name, "run": run.pk})
    return cancelled


# --- When something goes wrong ----------------------------------------------------------------------


def _react_to_error(run: Run, error: Exception) -> bool:
    """React to an error that is none of the provider's; False if it is one of this program, which the caller raises."""
    facts: dict[str, object] = {"detail": describe_error(error)}
    if is_disk_full(error):
        code = FaultCode.DISK_FULL
    elif is_data_damaged(error):
        code = FaultCode.DATABASE_DAMAGED
    elif is_outage(error):
        code = FaultCode.DATABASE_LOST
    else:
        code, facts = FaultCode.NODE_ERROR, {"error": type(error).__name__, **facts}
    outage.retry_while_away(partial(_react_to_our_fault, run, Retry(code, facts)))
    return code != FaultCode.NODE_ERROR


def _react(run: Run, error: HarvestError) -> None:
    """Decide what happens after a fault, and store that in the run. What is stored stays; `harvested_to` does not move."""
    runs.record_fault(run, error.to_json(), at=seams.now())
    if error.moved_to:
        moved_address.propose(run.link, error.moved_to)
    if isinstance(error, TokenLost) and run.restarts < schedule.MAX_RESTARTS:
        _restart(run, error)
    elif isinstance(error, Retry) and run.attempts + 1 < schedule.MAX_ATTEMPTS:
        _postpone(run, error)
    elif _is_fault_of_page(run, error):
        _restart_by_headers(run, error)
    else:
        fail_run(run, error)


def _react_to_our_fault(run: Run, fault: Retry) -> None:
    """React to a fault of this node, which is no try of the link; too many of them end the run.

    Its last page may be stored or not, so load the run as it stands now.
    """
    current = Run.objects.select_related("link").filter(pk=run.pk, state=Run.State.OPEN).first()
    if current is None:
        return
    runs.record_fault(current, fault.to_json(), at=seams.now())
    crashes = current.crashes + 1
    if crashes >= schedule.MAX_CRASHES:
        fail_run(current, fault)
        return
    counted = {"crash": crashes, "max_crashes": schedule.MAX_CRASHES}
    wait_s = schedule.retry_wait_s(crashes, None, first_s=settings.GISC_RETRY_SECONDS)
    outcome = Outcome(OutcomeCode.POSTPONED_BY_NODE, {**_facts_of_wait(current, fault, wait_s), **counted})
    _wait(current, outcome, wait_s, attempts=current.attempts, crashes=crashes)


def _postpone(run: Run, error: Retry) -> None:
    attempt = run.attempts + 1
    counted = {"attempt": attempt, "max_attempts": schedule.MAX_ATTEMPTS}
    wait_s = schedule.retry_wait_s(attempt, error.retry_after_s, first_s=settings.GISC_RETRY_SECONDS)
    outcome = Outcome(OutcomeCode.POSTPONED, {**_facts_of_wait(run, error, wait_s), **counted})
    _wait(run, outcome, wait_s, attempts=attempt, crashes=run.crashes)


def _facts_of_wait(run: Run, error: Retry, wait_s: float) -> dict[str, object]:
    page = {"page": run.pages + 1} if run.phase == Run.Phase.LISTING else {}
    return {"cause": error.to_json(), **page, "wait_s": wait_s}


def _wait(run: Run, outcome: Outcome, wait_s: float, *, attempts: int, crashes: int) -> None:
    until = seams.now() + timedelta(seconds=wait_s + schedule.jitter_s(wait_s, random.random()))
    runs.postpone(run, attempts=attempts, crashes=crashes, not_before=until, outcome=outcome)
    logger.warning("page failed", extra={"outcome": str(outcome.code), "facts": dict(outcome.data)})


def _restart(run: Run, error: TokenLost) -> None:
    data = {
        "cause": error.to_json(),
        "pages": run.pages,
        "restart": run.restarts + 1,
        "max_restarts": schedule.MAX_RESTARTS,
    }
    runs.restart_list(run, outcome=Outcome(OutcomeCode.LIST_RESTARTED, data))
    logger.warning("list restarted", extra={"code": str(error.code), "error": str(error)})


def _is_fault_of_page(run: Run, error: HarvestError) -> bool:
    """Whether a page of whole records of this run cannot be had, and each record may be."""
    is_list = run.strategy == Link.Strategy.RECORDS and run.phase == Run.Phase.LISTING
    return is_list and is_fault_of_page(error, pages=run.pages, is_identified=bool(run.granularity))


def _restart_by_headers(run: Run, error: HarvestError) -> None:
    """Read the list again as headers, and ask for each record by itself, where a page of records cannot be had."""
    data = {"cause": error.to_json(), "pages": run.pages}
    runs.restart_by_headers(run, outcome=Outcome(OutcomeCode.RESTARTED_BY_HEADERS, data))
    logger.warning("list restarted by headers", extra={"code": str(error.code), "error": str(error)})


def start_over(link: Link, *, since: datetime | None = None) -> None:
    """Restart the list of the link's open run, if there is one, as what the link asks for, or whom, has changed.

    The whole list is asked for, or what has changed `since`: the position at the provider that serves now.
    """
    for run in Run.objects.filter(link=link, state=Run.State.OPEN, purpose__in=comparison.PURPOSES):
        cancel(run)
    runs.restart_for_changed_link(link, list_from=since)
