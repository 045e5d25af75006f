"""Open, work on, restart and fail runs (promises 2 and 4).

A worker claims a run for a while (`harvester.rows.runs`), fetches a page outside any transaction, and stores it in one
transaction together with the run's place (`listing`, `pages`, `fetching`, `ending`). Whoever comes second finds the
place moved on and stores nothing. These files alone write Run.
"""

import logging
import random
import time
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from harvester import schedule
from harvester.errors import BrokenReply, HarvestError, Retry, TokenLost, TooLarge, Unreachable
from harvester.models import Link, Run
from harvester.rows import moved_address, outage, runs
from harvester.runs import comparison, get_records, pipeline

logger = logging.getLogger(__name__)

_AT_THE_START: dict[str, object] = {
    "phase": Run.Phase.LISTING,
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

SLICE_S = 60  # chosen: a task takes pages for at most a minute, so that no run holds a worker for long

# --- Opening ----------------------------------------------------------------------------------------


def open_run(link: Link, *, trigger: str, full: bool = False) -> Run | None:
    """A new run of the link, or None if one is open already. `full` asks for the whole list."""
    now = timezone.now()
    run, is_new = Run.objects.get_or_create(
        link=link,
        state=Run.State.OPEN,
        defaults={
            "trigger": trigger,
            "begun": now,
            "strategy": link.strategy,
            "list_from": None if full else link.harvested_to,
        },
    )
    if not is_new:
        return None
    Link.objects.filter(pk=link.pk).update(next_due=now + timedelta(seconds=link.interval_s))
    logger.info("run opened", extra=run.log_facts(trigger=trigger, full=full))
    return run


def open_comparison(link: Link, *, trigger: str, whole: bool = False, beyond_ceiling: bool = False) -> Run | None:
    """A comparison of the link's next slice, or of the whole; None if a run is open already (`harvester.runs.comparison`)."""
    begin, end = (None, None) if whole else comparison.window(link)
    run, is_new = Run.objects.get_or_create(
        link=link,
        state=Run.State.OPEN,
        defaults={
            "purpose": Run.Purpose.COMPARISON,
            "trigger": trigger,
            "begun": timezone.now(),
            "strategy": Link.Strategy.IDENTIFIERS,
            "list_from": begin,
            "list_until": end,
            "beyond_ceiling": beyond_ceiling,
        },
    )
    if not is_new:
        return None
    logger.info("comparison opened", extra=run.log_facts(trigger=trigger, whole=whole))
    return run


def open_due_runs() -> list[Run]:
    """Open a run for every link that is due. Two beats do no harm: a due link is locked while it is looked at."""
    opened = []
    with transaction.atomic():
        due = Link.objects.select_for_update(skip_locked=True).filter(
            Q(next_due__isnull=True) | Q(next_due__lte=timezone.now()), enabled=True
        )
        for link in due:
            run = open_run(link, trigger="schedule")
            if run is not None:
                opened.append(run)
        for link in Link.objects.select_for_update(skip_locked=True).filter(comparison.due(timezone.now())):
            run = open_comparison(link, trigger="schedule")
            if run is not None:
                opened.append(run)
    return opened


def claimable() -> list[Run]:
    """Open runs that nobody works on, whose wait is over, and for which no task was queued of late."""
    now = timezone.now()
    recently = now - timedelta(seconds=settings.GISC_BEAT_SECONDS)
    waiting = Run.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=now), state=Run.State.OPEN
    ).select_related("link")
    return [
        run
        for run in waiting
        if runs.is_abandoned(run, now) and (run.queued is None or run.queued < recently or run.holder)
    ]


def mark_queued(run: Run) -> None:
    """Remember that a task is on its way for this run."""
    Run.objects.filter(pk=run.pk).update(queued=timezone.now())


# --- Working ----------------------------------------------------------------------------------------


def work(run_id: int, *, for_s: float = SLICE_S, progress: pipeline.Progress = lambda run: None) -> Run | None:
    """Take pages of a run for a while; the run as it then stands, or None if it is not there or another has it.

    What can go wrong at the provider is written into the run, with what happens next; it is not raised.
    """
    try:
        run = runs.claim_run(run_id)
    except Exception as exc:
        if outage.is_one(exc):  # the claim may have been made all the same
            outage.persist(partial(runs.release_run, run_id))
        raise
    if run is None:
        return None
    try:
        _take(run, until=time.monotonic() + for_s, progress=progress)
    except HarvestError as exc:
        outage.persist(partial(_react, run, exc))
    except Exception as exc:
        if outage.is_one(exc):
            outage.persist(partial(_react_to_ourselves, run, f"our own database was lost ({outage.reason(exc)})"))
        else:
            told = f"this node made an error ({type(exc).__name__}: {outage.reason(exc)}); its log has more"
            outage.persist(partial(_react_to_ourselves, run, told))
            raise
    finally:
        # A living process that keeps a run it no longer works on would hold it up until its lease is over.
        outage.persist(partial(runs.release_run, run_id))
    return Run.objects.select_related("link").filter(pk=run_id).first()  # gone if its link was removed meanwhile


def _take(run: Run, *, until: float, progress: pipeline.Progress) -> None:
    if run.attempts > schedule.MAX_ATTEMPTS:
        fail_run(run, f"{schedule.MAX_ATTEMPTS} tries in a row brought nothing")
    if run.is_open and run.phase == Run.Phase.LISTING:
        pipeline.take_pages(run, until=until, progress=progress)
    if run.is_open and run.phase == Run.Phase.FETCHING:
        get_records.fetch(run, until=until, progress=progress)


@transaction.atomic
def cancel(run: Run) -> bool:
    """End an open run at the operator's word; False if it is not open. What it stored stays, `harvested_to` stays.

    A worker that has it finds out when it is about to store the next page, and stores nothing more.
    """
    cancelled = Run.objects.filter(pk=run.pk, state=Run.State.OPEN).update(
        state=Run.State.CANCELLED,
        finished=timezone.now(),
        sealed_cookies="",
        message="Cancelled by the operator. What was stored stays; the next run asks from the same `from` again.",
    )
    if cancelled and run.is_comparison:
        comparison.put_off(run.link)
    if cancelled:
        logger.info("run cancelled", extra=run.log_facts())
    return bool(cancelled)


# --- When something goes wrong ----------------------------------------------------------------------


def _react(run: Run, error: HarvestError) -> None:
    """Decide what happens next, and write it into the run. What is stored stays; `harvested_to` does not move."""
    if error.moved_to:
        moved_address.note(run.link, error.moved_to)
    if isinstance(error, TokenLost) and run.restarts < schedule.MAX_RESTARTS:
        _restart(run, error)
    elif isinstance(error, Retry) and run.attempts < schedule.MAX_ATTEMPTS:
        _postpone(run, error)
    elif _is_about_a_page(run, error):
        _go_on_by_headers(run, error)
    else:
        fail_run(run, str(error))


def _react_to_ourselves(run: Run, what: str) -> None:
    """It was not the provider's fault. What was in hand may or may not be stored, so look at the run as it is now."""
    current = Run.objects.select_related("link").filter(pk=run.pk, state=Run.State.OPEN).first()
    if current is not None:
        _react(current, Retry(what))


def _postpone(run: Run, error: Retry) -> None:
    attempt = max(run.attempts, 1)
    wait_s = schedule.retry_wait_s(attempt, error.retry_after_s, first_s=settings.GISC_RETRY_SECONDS)
    what = f"Page {run.pages + 1} is" if run.phase == Run.Phase.LISTING else "The records that are missing are"
    message = f"{_sentence(error)} {what} asked for again in {wait_s:.0f} s (try {attempt} of {schedule.MAX_ATTEMPTS})."
    Run.objects.filter(pk=run.pk, holder=runs.this_worker()).update(
        attempts=attempt,
        not_before=timezone.now() + timedelta(seconds=wait_s + schedule.jitter_s(wait_s, random.random())),
        message=message,
    )
    logger.warning("page failed", extra=run.log_facts(error=str(error), wait_s=wait_s, attempt=attempt))


def _restart(run: Run, error: TokenLost) -> None:
    message = (
        f"{_sentence(error)} {run.pages} pages stay stored; the list is started again from the same `from` "
        f"(restart {run.restarts + 1} of {schedule.MAX_RESTARTS})."
    )
    Run.objects.filter(pk=run.pk, holder=runs.this_worker(), restarts=run.restarts).update(
        **_AT_THE_START, restarts=F("restarts") + 1, attempts=0, message=message
    )
    logger.warning("list restarted", extra=run.log_facts(error=str(error)))


def _is_about_a_page(run: Run, error: HarvestError) -> bool:
    """Whether one page of whole records cannot be had from a provider that answers otherwise (F22, F89)."""
    if run.strategy != Link.Strategy.RECORDS or run.phase != Run.Phase.LISTING:
        return False
    answered = isinstance(error, BrokenReply) or (isinstance(error, Unreachable) and error.status in (500, 502, 504))
    return isinstance(error, TooLarge) or (run.pages > 0 and answered)


def _go_on_by_headers(run: Run, error: HarvestError) -> None:
    """Read the list again as headers, and ask for each record by itself: the way round a page that cannot be had.

    The responseDate of the list's beginning stays, as what was stored since need not be asked for again.
    """
    message = (
        f"{_sentence(error)} {run.pages} pages stay stored; the list is read again as headers, and what is missing is "
        "asked for record by record."
    )
    Run.objects.filter(pk=run.pk, holder=runs.this_worker()).update(
        **_AT_THE_START | {"first_response": run.first_response},
        strategy=Link.Strategy.IDENTIFIERS,
        restarts=F("restarts") + 1,
        attempts=0,
        message=message,
    )
    logger.warning("page goes round by headers", extra=run.log_facts(error=str(error)))


def start_over(link: Link, *, since: datetime | None = None) -> None:
    """Ask for the list again in the link's open run, if it has one: what the link asks for, or whom, has changed.

    The whole list, or what has changed `since`, the link's place with the provider that it turns to.
    """
    for run in Run.objects.filter(link=link, state=Run.State.OPEN, purpose=Run.Purpose.COMPARISON):
        cancel(run)
    Run.objects.filter(link=link, state=Run.State.OPEN).update(
        **_AT_THE_START,
        list_from=since,
        restarts=F("restarts") + 1,
        attempts=0,
        not_before=None,
        message="The link was changed; its list is asked for from the start.",
    )


@transaction.atomic
def fail_run(run: Run, reason: str) -> None:
    """End the run as failed. What it stored stays, `harvested_to` stays, the link is due again after a while."""
    now = timezone.now()
    won = Run.objects.filter(pk=run.pk, state=Run.State.OPEN, holder=runs.this_worker()).update(
        state=Run.State.FAILED,
        finished=now,
        sealed_cookies="",
        message=f"{reason.rstrip('.')}. {run.pages} pages stay stored; the next run asks from the same `from` again.",
    )
    if won != 1:
        return
    if run.is_comparison:
        comparison.put_off(run.link)
        return
    link = Link.objects.select_for_update().get(pk=run.link_id)
    link.failures += 1
    link.failing_since = link.failing_since or run.begun
    link.next_due = schedule.due_after_failure(now, link.interval_s, link.failures)
    link.save(update_fields=["failures", "failing_since", "next_due"])
    logger.warning("run failed", extra=run.log_facts(error=reason, next_due=link.next_due))


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
