"""Comparisons: the provider's headers against the link's table, slice by slice (W24 to W27).

What is missing or stale is asked for by GetRecord. What is held here and not listed there is asked for, too, up to
a ceiling; only a deleted header that the provider gives then deletes (promise 5). The cursor never moves (W27).
"""

import logging
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from catalogue import datestamps
from catalogue.writing import store
from harvester import schedule
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.rows import conflicts, remote_headers, runs

logger = logging.getLogger(__name__)
DRIFT = ("missing", "stale", "extra", "vanished", "held_back")
AFTER_FAILURE = timedelta(hours=1)  # chosen


def due(now: datetime) -> Q:
    """The links that a slice is due of."""
    planned = Q(cycle_days__gt=0) | Q(reconciles=True)
    return planned & Q(enabled=True, harvested_to__isnull=False, next_slice__lte=now)


def window(link: Link) -> tuple[datetime | None, datetime | None]:
    """`from` and `until` of the link's next slice, inclusive; its end is never later than what is harvested."""
    granularity = datestamps.Granularity(link.granularity or datestamps.Granularity.SECOND)
    begin = link.compared_to and datestamps.end_of(link.compared_to, granularity)
    rows = remote_headers.live(link).filter(datestamp__isnull=False).order_by("datestamp")
    if begin is not None:
        rows = rows.filter(datestamp__gte=begin)
    size = schedule.slice_size(remote_headers.live(link).count(), link.effective_cycle_days)
    last = rows.values_list("datestamp", flat=True)[size - 1 : size].first()
    if last is None or link.harvested_to is None or last >= link.harvested_to:
        return begin, link.harvested_to
    return begin, last


def ask_for_unseen(run: Run) -> None:
    """The list is complete: what should have been in it is asked for, unless it is more than the ceiling."""
    unseen = remote_headers.unseen(run)
    number = unseen.count()
    if number > ceiling(run.link) and not run.beyond_ceiling:
        runs.add_to_counters(run, extra=number, held_back=number)
    else:
        unseen.update(state=RemoteHeader.State.ABSENT)
        runs.add_to_counters(run, extra=number)


def ceiling(link: Link) -> int:
    """How many records that are not listed may be asked for, and so be deleted, without a person."""
    return max(link.ceiling_records, remote_headers.live(link).count() * link.ceiling_percent // 100)


def keep_vanished(run: Run, rows: list[RemoteHeader]) -> None:
    """The provider no longer knows these and never said that they were deleted: they stay, and an operator decides."""
    remote_headers.vanish(rows)
    words = [
        conflicts.ConflictReport(
            store.prepare_deletion(row.identifier),
            None,
            Conflict.Kind.VANISHED,
            "The provider no longer lists it, answers idDoesNotExist when asked for it, and has told no deletion.",
        )
        for row in rows
    ]
    conflicts.note(run, words)
    runs.add_to_counters(run, vanished=len(rows))


def finish(run: Run, *, now: datetime) -> None:
    """The slice is compared: the next one is planned, in the caller's transaction. `run` as it stands now."""
    link = Link.objects.select_for_update().get(pk=run.link_id)
    complete = run.list_until is None or link.harvested_to is None or run.list_until >= link.harvested_to
    link.cycle_begun = run.begun if run.list_from is None or link.cycle_begun is None else link.cycle_begun
    link.compared_to = None if complete else run.list_until
    if complete:
        link.reconciles, link.cycle_ended = False, now
    number = remote_headers.live(link).count()
    link.next_slice = schedule.next_slice_due(
        now, link.cycle_begun, link.effective_cycle_days, number, complete=complete
    )
    if link.reconciles:
        link.next_slice = now
    link.save(update_fields=["cycle_begun", "cycle_ended", "compared_to", "reconciles", "next_slice"])
    run.refresh_from_db()
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.DONE, finished=now, token="", sealed_cookies="", message=_told(run)
    )
    logger.info(
        "slice compared", extra=run.log_facts(missing=run.missing, stale=run.stale, extra=run.extra, complete=complete)
    )


def put_off(link: Link) -> None:
    """A comparison failed or was cancelled: what it has not asked for stays as it is, and it is tried again later."""
    remote_headers.drop_suspicion(link)
    Link.objects.filter(pk=link.pk).update(next_slice=timezone.now() + AFTER_FAILURE)


def compared() -> QuerySet[Run]:
    """The comparisons of the present cycle, or of the last, of each link."""
    return Run.objects.filter(
        purpose=Run.Purpose.COMPARISON, state=Run.State.DONE, begun__gte=F("link__cycle_begun")
    ).order_by()


def drifts() -> dict[int, dict[str, int]]:
    """By link: what the comparisons of its present cycle, or of its last, have found."""
    rows = compared().values_list("link").annotate(*(Sum(name) for name in DRIFT))
    return {link_id: dict(zip(DRIFT, sums, strict=True)) for link_id, *sums in rows}


def _told(run: Run) -> str:
    told = f"Compared: {run.missing} missing, {run.stale} stale, {run.extra} extra."
    if run.held_back:
        told += (
            f" {run.held_back} records that are held here are not listed there, more than the ceiling of "
            f"{ceiling(run.link)}: none was asked for and none deleted. If the provider is right, compare again beyond "
            "the ceiling; each is then asked for by GetRecord, and goes only if the provider says that it is deleted."
        )
    if run.vanished:
        told += f" {run.vanished} are unknown there without a deletion; they are kept, and wait among the conflicts."
    return told
