"""Compare the provider's headers with the link's table, slice by slice (W24 to W27).

What is missing or stale is asked for by GetRecord. So is what is stored here and not listed there, up to a ceiling;
only a deleted header that the provider gives then deletes (promise 5). `harvested_to` never moves (W27).
"""

import logging
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet, Sum

from catalogue import datestamps, seams
from catalogue.reasons import Reason
from catalogue.writing import store
from harvester import schedule
from harvester.messages import Outcome, OutcomeCode
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.reasons import EntryCode
from harvester.rows import conflicts, links, remote_headers, runs

logger = logging.getLogger(__name__)
DRIFT = ("missing", "stale", "extra", "vanished", "held_back")  # the counters of Run
RETRY_AFTER = timedelta(hours=1)  # chosen


def due(now: datetime) -> Q:
    """The condition of links whose next slice is due."""
    planned = Q(cycle_days__gt=0) | Q(reconciles=True)
    return planned & Q(enabled=True, harvested_to__isnull=False, next_slice__lte=now)


def window(link: Link) -> tuple[datetime | None, datetime | None]:
    """`from` and `until` of the link's next slice, inclusive; its end is never later than what is harvested."""
    granularity = datestamps.Granularity(link.granularity or datestamps.Granularity.SECOND)
    begin = link.compared_to and datestamps.end_of(link.compared_to, granularity)
    rows = remote_headers.live(link).filter(datestamp__isnull=False).order_by("datestamp")
    if begin is not None:
        rows = rows.filter(datestamp__gte=begin)
    size = schedule.slice_size(remote_headers.live(link).count(), link.effective_cycle_days, schedule.LIMITS.in_force)
    last = rows.values_list("datestamp", flat=True)[size - 1 : size].first()
    if last is None or link.harvested_to is None or last >= link.harvested_to:
        return begin, link.harvested_to
    return begin, last


def request_unseen(run: Run) -> None:
    """Request what the complete list did not have and should, unless that is more than the ceiling."""
    unseen = remote_headers.unseen(run)
    number = unseen.count()
    if number > ceiling(run.link) and not run.beyond_ceiling:
        runs.add_to_counters(run, extra=number, held_back=number)
    else:
        remote_headers.mark_absent(unseen)
        runs.add_to_counters(run, extra=number)


def ceiling(link: Link) -> int:
    """How many records that are not listed may be requested, and so be deleted, without an operator."""
    return max(link.ceiling_records, remote_headers.live(link).count() * link.ceiling_percent // 100)


def report_vanished(run: Run, rows: list[RemoteHeader]) -> None:
    """Record conflicts for what the provider no longer knows and never gave as deleted; the records stay."""
    remote_headers.mark_vanished(rows)
    reports = [
        conflicts.ConflictReport(
            store.prepare_deletion(row.identifier),
            None,
            Conflict.Kind.VANISHED,
            Reason(EntryCode.VANISHED),
        )
        for row in rows
    ]
    conflicts.record(run, reports)
    runs.add_to_counters(run, vanished=len(rows))


def finish(run: Run, *, now: datetime) -> None:
    """End a comparison and plan the next slice, in the caller's transaction. `run`: as it stands in the database."""
    link = Link.objects.select_for_update().get(pk=run.link_id)
    complete = run.list_until is None or link.harvested_to is None or run.list_until >= link.harvested_to
    cycle_begun = run.begun if run.list_from is None or link.cycle_begun is None else link.cycle_begun
    reconciles = link.reconciles and not complete
    number = remote_headers.live(link).count()
    planned = schedule.next_slice_due(
        now, cycle_begun, link.effective_cycle_days, number, schedule.LIMITS.in_force, complete=complete
    )
    links.record_slice(
        link,
        cycle_begun=cycle_begun,
        cycle_ended=now if complete else link.cycle_ended,
        compared_to=None if complete else run.list_until,
        reconciles=reconciles,
        next_slice=now if reconciles else planned,
    )
    run.refresh_from_db()
    runs.mark_done(run, now=now, outcome=_outcome_of(run))
    logger.info(
        "slice compared",
        extra={**run.log_facts, "missing": run.missing, "stale": run.stale, "extra": run.extra, "complete": complete},
    )


def put_off(link: Link) -> None:
    """Compare again later, after a comparison that failed or was cancelled; what it has not requested stays as it is."""
    remote_headers.clear_absent(link)
    links.set_next_slice(link, next_slice=seams.now() + RETRY_AFTER)


def comparisons_of_cycle() -> QuerySet[Run]:
    """The comparisons of the present cycle, or of the last, of each link."""
    return Run.objects.filter(
        purpose=Run.Purpose.COMPARISON, state=Run.State.DONE, begun__gte=F("link__cycle_begun")
    ).order_by()


def drift_by_link() -> dict[int, dict[str, int]]:
    """What the comparisons of each link's present cycle, or of its last, have found."""
    rows = comparisons_of_cycle().values_list("link").annotate(*(Sum(name) for name in DRIFT))
    return {link_id: dict(zip(DRIFT, sums, strict=True)) for link_id, *sums in rows}


def _outcome_of(run: Run) -> Outcome:
    data: dict[str, int] = {"missing": run.missing, "stale": run.stale, "extra": run.extra, "vanished": run.vanished}
    data["above_ceiling"] = run.held_back
    if run.held_back:
        data["ceiling"] = ceiling(run.link)
    return Outcome(OutcomeCode.COMPARED, data)
