"""Compare what is here with what the provider has, slice by slice: headers, or the content of all records (W24 to W27).

A comparison lists headers; what is missing or stale is asked for by GetRecord. A total re-harvest lists whole records, so
that it finds what has changed under the same datestamp as well. Either also asks for what is stored here and not listed
there, up to a ceiling; only a deleted header that the provider gives then deletes (promise 5). `harvested_to` never moves
(W27).
"""

import logging
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject

from catalogue import datestamps, seams
from catalogue.ceilings import Ceiling
from catalogue.datestamps import Granularity
from catalogue.reasons import Reason
from catalogue.writing import store
from harvester import schedule
from harvester.messages import Outcome, OutcomeCode, RemarkCode, WarningCode
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.reasons import EntryCode
from harvester.rows import conflicts, links, rejects, remote_headers, runs
from harvester.schedule import Cycle

logger = logging.getLogger(__name__)
DRIFT = ("missing", "stale", "not_served", "extra", "vanished", "held_back", "changed")  # the counters of Run
OF_EXTRA = ("vanished", "held_back")  # of these, those that count records of `extra` once more
RETRY_AFTER = timedelta(hours=1)  # chosen
CLEAN_COMPARISONS = 2  # H49: after so many that found nothing missing, completeListSize is taken for an estimate
PURPOSES = (Run.Purpose.COMPARISON, Run.Purpose.CONTENT)


# --- Slices -----------------------------------------------------------------------------------------


def due(purpose: Run.Purpose, now: datetime) -> Q:
    """The condition of links whose next slice is due."""
    if purpose == Run.Purpose.CONTENT:
        planned = Q(content_days__gt=0, next_content__lte=now)
    else:
        planned = (Q(cycle_days__gt=0) | Q(reconciles=True)) & Q(next_slice__lte=now)
    return planned & Q(enabled=True, harvested_to__isnull=False)


def window(link: Link, purpose: Run.Purpose) -> tuple[datetime | None, datetime | None]:
    """`from` and `until` of the link's next slice, inclusive.

    The slices of a cycle cover all that the provider has: the first has no beginning. The last slice of headers ends with
    what was listed; the last one of content has no end.
    """
    granularity = Granularity(link.granularity or Granularity.SECOND)
    covered_to = _cycle(link, purpose).covered_to
    begin = covered_to and datestamps.end_of(datestamps.start_of(covered_to, granularity), granularity)
    rows = _stamped(link, purpose).order_by("datestamp")
    if purpose == Run.Purpose.COMPARISON and begin is None and link.is_doubted(RemarkCode.LIST_SHORT):
        oldest = rows.values_list("datestamp", flat=True).first()
        if oldest is not None:
            # H49: a list cut off at its end, the newest first, lacks what is older than all that it had.
            return None, oldest - (datestamps.end_of(oldest, granularity) - oldest)
    if begin is not None:
        rows = rows.filter(datestamp__gte=begin)
    end = _end_of_slice(rows, _slice_size(link, purpose), granularity)
    if purpose == Run.Purpose.CONTENT:
        return begin, end
    last = _end(link)
    return begin, last if end is None or last is None else min(end, last)


def _cycle(link: Link, purpose: str) -> Cycle:
    return link.content_cycle if purpose == Run.Purpose.CONTENT else link.header_cycle


def _stamped(link: Link, purpose: str) -> QuerySet[RemoteHeader]:
    """The rows that slices are made of. A list of whole records has all deletions in its window, too."""
    rows = remote_headers.of_provider(link) if purpose == Run.Purpose.CONTENT else remote_headers.live(link)
    return rows.filter(datestamp__isnull=False)


def _slice_size(link: Link, purpose: str) -> int:
    of_content = purpose == Run.Purpose.CONTENT
    headers, days = _stamped(link, purpose).count(), _cycle(link, purpose).days
    return schedule.slice_size(headers, days, schedule.LIMITS.in_force, of_content=of_content)


def _end_of_slice(rows: QuerySet[RemoteHeader], size: int, granularity: Granularity) -> datetime | None:
    """Return the last datestamp of a slice that begins with these rows; None if they all are in it.

    A slice ends where a granule ends. A granule that is larger than a slice is a slice by itself.
    """
    last = rows.values_list("datestamp", flat=True)[size - 1 : size].first()
    if last is None:
        return None
    begin = datestamps.start_of(last, granularity)
    end = datestamps.end_of(begin, granularity)
    if rows.filter(datestamp__gte=begin, datestamp__lt=end).count() > size:
        before = rows.filter(datestamp__lt=begin).values_list("datestamp", flat=True).last()
        if before is not None:
            return before
    return last if rows.filter(datestamp__gte=end).exists() else None


def _end(link: Link) -> datetime | None:
    """The end of what was listed: up to where the link is complete, or the newest header if that is later.

    It is later where the provider has datestamps in its future, or lists less than it did.
    """
    newest = remote_headers.live(link).aggregate(newest=Max("datestamp"))["newest"]
    return max(filter(None, (link.harvested_to, newest)), default=None)


# --- What is not listed -----------------------------------------------------------------------------


def request_unseen(run: Run) -> None:
    """Request what the complete list did not have and should, unless that is more than the ceiling.

    What is above the ceiling is reported by comparisons of headers, and not once more by total re-harvests.
    """
    unseen = remote_headers.unseen(run)
    number = unseen.count()
    if number > ceiling(run.link) and not run.beyond_ceiling:
        if run.is_comparison:
            runs.add_to_counters(run, extra=number, held_back=number)
    else:
        remote_headers.mark_absent(unseen)
        runs.add_to_counters(run, extra=number)


def ceiling(link: Link) -> int:
    """How many records that are not listed may be requested, and so be deleted, without an operator."""
    return Ceiling(link.ceiling_records, link.ceiling_percent).number(remote_headers.live(link).count())


def report_vanished(run: Run, rows: list[RemoteHeader]) -> None:
    """Record conflicts for what the provider no longer knows and never gave as deleted; the records stay."""
    remote_headers.mark_vanished(rows)
    reports = [
        conflicts.ConflictReport(
            store.prepare_deletion(row.key),
            None,
            Conflict.Kind.VANISHED,
            Reason(EntryCode.VANISHED),
        )
        for row in rows
    ]
    conflicts.record(run, reports)
    runs.add_to_counters(run, vanished=len(rows))


# --- Ending -----------------------------------------------------------------------------------------


def finish(run: Run, *, now: datetime) -> None:
    """End a slice and plan the next one, in the caller's transaction. `run`: as it stands in the database."""
    link = Link.objects.select_for_update().get(pk=run.link_id)
    cycle = _cycle(link, run.purpose)
    complete = _completes_cycle(run, link)
    begun = run.begun if run.list_from is None or cycle.begun is None else cycle.begun
    covered_to = None if complete else run.list_until
    planned = _next_slice(run, link, now=now, begun=begun, complete=complete)
    if run.is_of_content:
        ended = now if complete else link.content_ended
        links.record_content_slice(link, begun=begun, ended=ended, covered_to=covered_to, next_content=planned)
    else:
        left = _doubts_left(run, link, begun) if complete else _DoubtsLeft.of(link)
        reconciles = link.reconciles and (not complete or left.compares_again)
        links.record_slice(
            link,
            cycle_begun=begun,
            cycle_ended=now if complete else link.cycle_ended,
            compared_to=covered_to,
            reconciles=reconciles,
            next_slice=now if reconciles else planned,
            doubts=left.doubts,
            clean_comparisons=left.clean_comparisons,
            size_is_estimate=left.size_is_estimate,
        )
    if run.came_late:
        links.record_lateness(link, lateness_h=schedule.longer_lateness_h(link.lateness_h))
    run.refresh_from_db()
    if run.missing or run.extra or run.vanished:
        links.count_again(link)
    rejects.settle(run, now=now)
    runs.mark_done(run, now=now, outcome=_outcome_of(run))
    facts = {"purpose": run.purpose, "complete": complete, **_drift_of(run)}
    logger.info("slice compared", extra=facts)


def _completes_cycle(run: Run, link: Link) -> bool:
    """Whether nothing is left to compare in this cycle."""
    if run.list_until is None:
        return True
    if run.is_comparison:
        end = _end(link)
        if end is None or run.list_until >= end:
            return True
    # A provider that ignores `from` or `until` has listed everything (F34).
    is_unbounded = run.newest is not None and run.newest >= datestamps.end_of(run.list_until, Granularity.DAY)
    is_unbounded |= any(warning["code"] == WarningCode.TOO_OLD for warning in run.warnings)
    return is_unbounded and not remote_headers.live(link).exclude(seen_in=run.pk).exists()


def _next_slice(run: Run, link: Link, *, now: datetime, begun: datetime, complete: bool) -> datetime:
    days = _cycle(link, run.purpose).days
    if complete or run.list_until is None:
        return schedule.next_cycle_due(now, begun, days)
    granularity = Granularity(run.granularity)
    end = datestamps.end_of(datestamps.start_of(run.list_until, granularity), granularity)
    numbers = _stamped(link, run.purpose).aggregate(
        all=Count("pk"),
        left=Count("pk", filter=Q(datestamp__gte=end)),
        before=Count("pk", filter=Q(datestamp__lt=run.list_from) if run.list_from else Q(pk=None)),
    )
    in_slice = numbers["all"] - numbers["left"] - numbers["before"]
    return schedule.next_slice_due(now, begun, days, in_slice=in_slice, left=numbers["left"], headers=numbers["all"])


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


def put_off(run: Run) -> None:
    """Compare again later, after a slice that failed or was cancelled; what it has not requested stays as it is."""
    remote_headers.clear_unasked(run.link)
    later = seams.now() + RETRY_AFTER
    if run.is_of_content:
        planned = run.link.next_content  # later still, where a person had begun it
        links.set_next_content(run.link, next_content=later if planned is None else max(later, planned))
    else:
        links.set_next_slice(run.link, next_slice=later)


# --- What was found ---------------------------------------------------------------------------------


def drift() -> Subquery:
    """What the comparisons and total re-harvests of a link's present cycle, or of its last, have found: for a query of links.

    Of its runs no others are read.
    """
    in_cycle = Q(purpose=Run.Purpose.COMPARISON, begun__gte=OuterRef("cycle_begun"))
    in_cycle |= Q(purpose=Run.Purpose.CONTENT, begun__gte=OuterRef("content_begun"))
    found = Run.objects.filter(in_cycle, link=OuterRef("pk"), state=Run.State.DONE).order_by().values("link")
    return Subquery(found.annotate(sums=JSONObject(**{name: Sum(name) for name in DRIFT})).values("sums"))


def _drift_of(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in DRIFT}


def _outcome_of(run: Run) -> Outcome:
    data = _drift_of(run)
    data["above_ceiling"] = data.pop("held_back")
    if run.held_back:
        data["ceiling"] = ceiling(run.link)
    return Outcome(OutcomeCode.REHARVESTED if run.is_of_content else OutcomeCode.COMPARED, data)
