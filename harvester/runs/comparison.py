"""Compare the provider's headers with the link's table, slice by slice (W24 to W27).

What is missing or stale is asked for by GetRecord. So is what is stored here and not listed there, up to a ceiling;
only a deleted header that the provider gives then deletes (promise 5). `harvested_to` never moves (W27).
"""

import logging
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, QuerySet, Sum

from catalogue import datestamps, seams
from catalogue.reasons import Reason
from catalogue.writing import store
from harvester import schedule
from harvester.messages import Outcome, OutcomeCode, RemarkCode
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.reasons import EntryCode
from harvester.rows import conflicts, links, remote_headers, runs

logger = logging.getLogger(__name__)
DRIFT = ("missing", "stale", "not_served", "extra", "vanished", "held_back")  # the counters of Run
RETRY_AFTER = timedelta(hours=1)  # chosen
CLEAN_COMPARISONS = 2  # H49: after so many that found nothing missing, completeListSize is taken for an estimate


def due(now: datetime) -> Q:
    """The condition of links whose next slice is due."""
    planned = Q(cycle_days__gt=0) | Q(reconciles=True)
    return planned & Q(enabled=True, harvested_to__isnull=False, next_slice__lte=now)


def window(link: Link) -> tuple[datetime | None, datetime | None]:
    """`from` and `until` of the link's next slice, inclusive; its end is never later than what was listed."""
    granularity = datestamps.Granularity(link.granularity or datestamps.Granularity.SECOND)
    begin = link.compared_to and datestamps.end_of(link.compared_to, granularity)
    rows = remote_headers.live(link).filter(datestamp__isnull=False).order_by("datestamp")
    if begin is None and link.is_doubted(RemarkCode.LIST_SHORT) and (oldest := rows.first()) is not None:
        assert oldest.datestamp is not None
        # H49: a list cut off at its end, the newest first, lacks what is older than all that it had.
        return None, oldest.datestamp - (datestamps.end_of(oldest.datestamp, granularity) - oldest.datestamp)
    if begin is not None:
        rows = rows.filter(datestamp__gte=begin)
    size = schedule.slice_size(remote_headers.live(link).count(), link.effective_cycle_days, schedule.LIMITS.in_force)
    last = rows.values_list("datestamp", flat=True)[size - 1 : size].first()
    end = _end(link)
    return (begin, end) if last is None or end is None or last >= end else (begin, last)


def _end(link: Link) -> datetime | None:
    """The end of what was listed: up to where the link is complete, or the newest header if that is later.

    It is later where the provider has datestamps in its future, or lists less than it did.
    """
    newest = remote_headers.live(link).aggregate(newest=Max("datestamp"))["newest"]
    return max(filter(None, (link.harvested_to, newest)), default=None)


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
    end = _end(link)
    complete = run.list_until is None or end is None or run.list_until >= end
    cycle_begun = run.begun if run.list_from is None or link.cycle_begun is None else link.cycle_begun
    left = _doubts_left(run, link, cycle_begun) if complete else _DoubtsLeft.of(link)
    reconciles = link.reconciles and (not complete or left.compares_again)
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
        doubts=left.doubts,
        clean_comparisons=left.clean_comparisons,
        size_is_estimate=left.size_is_estimate,
    )
    run.refresh_from_db()
    runs.mark_done(run, now=now, outcome=_outcome_of(run))
    logger.info(
        "slice compared",
        extra={**run.log_facts, "missing": run.missing, "stale": run.stale, "extra": run.extra, "complete": complete},
    )


class _DoubtsLeft(NamedTuple):
    """What is left of a link's doubts. `compares_again`: more may be missing, as something was."""

    doubts: list[dict[str, Any]]
    clean_comparisons: int
    size_is_estimate: bool
    compares_again: bool = False

    @classmethod
    def of(cls, link: Link) -> "_DoubtsLeft":
        return cls(link.doubts, link.clean_comparisons, link.size_is_estimate)


def _doubts_left(run: Run, link: Link, cycle_begun: datetime) -> _DoubtsLeft:
    """Settle the link's doubts, as all its headers are compared with this run (H49).

    Doubts stay while records that are not listed wait for the operator. A list that was too short stays in doubt while
    comparisons find what was missing, in lists that are too short again.
    """
    # Earlier slices are done, and this run is not yet.
    cycle = Run.objects.filter(Q(state=Run.State.DONE) | Q(pk=run.pk), link=link, purpose=Run.Purpose.COMPARISON)
    cycle = cycle.filter(begun__gte=cycle_begun).order_by()
    found = cycle.aggregate(missing=Sum("missing"), held_back=Sum("held_back"))
    if found["held_back"]:
        return _DoubtsLeft.of(link)
    if not link.is_doubted(RemarkCode.LIST_SHORT):
        return _DoubtsLeft.of(link)._replace(doubts=[])
    if found["missing"] and cycle.filter(list_size__gt=F("listed")).exists():
        kept = [doubt for doubt in link.doubts if doubt["code"] == RemarkCode.LIST_SHORT]
        return _DoubtsLeft(kept, 0, link.size_is_estimate, compares_again=True)
    clean = 0 if found["missing"] else link.clean_comparisons + 1
    return _DoubtsLeft([], clean, link.size_is_estimate or clean >= CLEAN_COMPARISONS)


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
    data: dict[str, int] = {name: getattr(run, name) for name in DRIFT if name != "held_back"}
    data["above_ceiling"] = run.held_back
    if run.held_back:
        data["ceiling"] = ceiling(run.link)
    return Outcome(OutcomeCode.COMPARED, data)
