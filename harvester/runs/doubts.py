"""Find out why a complete list may not be all that the provider has (H48, H49).

A doubt stays on the link until all its headers are compared (`harvester.runs.comparison`). What a list was short of is
first looked for in the next list: a record that changes while a list is read leaves that list, and comes in the next one.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from harvester import schedule
from harvester.header import ReceivedHeader
from harvester.messages import Remark, RemarkCode, WarningCode
from harvester.models import Link, Run
from harvester.rows import rejects, remote_headers
from harvester.rows.remote_headers import KnownHeader
from harvester.runs import comparison

# --- While a list is read ---------------------------------------------------------------------------


def count_arrivals(run: Run, headers: Sequence[ReceivedHeader]) -> dict[str, int]:
    """Count what a page brings late, and what it explains of a list that was too short: counters of the run, if any.

    Call it before the headers are stored.
    """
    link, end = run.link, run.asked_before
    old = [header for header in headers if end and header.stamp and header.stamp < end]
    if not old and not link.shortfall:
        return {}
    known = remote_headers.load_known(link, [header.key for header in (headers if link.shortfall else old)])
    explained = [header for header in headers if _was_not_listed(known.get(header.key), link.shortfall_from)]
    return {"came_late": count_late(run, old, known), "explained": len(explained) if link.shortfall else 0}


def count_late(run: Run, headers: Sequence[ReceivedHeader], known: Mapping[str, KnownHeader]) -> int:
    """Count the new or changed headers whose datestamp lies in what was asked for before (H8)."""
    return sum(
        1
        for header in headers
        if run.asked_before is not None and header.stamp is not None and header.stamp < run.asked_before
        if header.key not in known or known[header.key].differs_from(header)
    )


def _was_not_listed(known: KnownHeader | None, short_from: datetime | None) -> bool:
    """Whether the list that was too short, which began there, cannot have had this record."""
    if known is None or known.datestamp is None:
        return True
    return short_from is not None and known.datestamp < short_from


# --- At the end of a list ---------------------------------------------------------------------------


class Judgement(NamedTuple):
    """What a complete list leaves: doubts, for which all headers are compared at once, and what is known of the provider.

    `shortfall`: how many entries were announced and not listed, which the next list is to explain. `lateness_h`: doubled
    where a record came late (H8). `relisted_to`: everything up to here was listed by two lists (H50). `from_ignored`: how
    many lists in a row the provider has ignored `from` (F55).
    """

    found: list[Remark]
    shortfall: int
    lateness_h: int
    relisted_to: datetime | None
    from_ignored: int


def judge(run: Run, link: Link) -> Judgement:
    """Judge a list that came to its end. `link`: as it was before this list."""
    assert run.first_response is not None
    short = 0 if run.list_size is None or link.size_is_estimate else run.list_size - run.listed
    is_whole = run.list_from is None and short <= 0
    unexplained = 0 if is_whole else link.shortfall - run.explained  # of what the list before was short of
    from_ignored = _count_ignored_from(run, link)
    found = _doubts(run, link, unexplained)
    lateness_h = schedule.longer_lateness_h(link.lateness_h) if run.came_late else link.lateness_h
    relisted_to = link.relisted_to
    if link.newest is not None and link.newest < run.first_response:
        is_relisted = run.list_from is None or run.list_from <= link.newest
        relisted_to = link.newest if is_relisted else relisted_to
    return Judgement(found, 0 if found else max(short, 0), lateness_h, relisted_to, from_ignored)


def _count_ignored_from(run: Run, link: Link) -> int:
    """How many lists in a row the provider has ignored `from`: most of what this one listed is older than that."""
    if run.list_from is None:
        return link.from_ignored
    older = sum(warning["count"] for warning in run.warnings if warning["code"] == WarningCode.TOO_OLD)
    return link.from_ignored + 1 if older and 2 * older >= run.listed else 0


def adds_up(run: Run) -> bool:
    """Whether no more was counted in the window that this list has left out than is known of it now (H50).

    What has left the window was in this list. Another record may have come late in its place.
    """
    assert run.skipped_size is not None
    if run.skipped_from is None or run.list_from is None:
        return True
    return run.skipped_size <= remote_headers.within(run.link, run.skipped_from, run.list_from).count()


def _doubts(run: Run, link: Link, unexplained: int) -> list[Remark]:
    """Why the list may not be what the provider has."""
    assert run.first_response is not None
    found = []
    stepped_back_s = _stepped_back_s(run, link)
    silence_days = schedule.silence_days(
        link.first_response, run.first_response, link.deleted_record, link.tombstone_days, link.longest_wait_s
    )
    if silence_days:  # H15
        facts = {"days": silence_days, "deleted_record": link.deleted_record}
        found.append(Remark(RemarkCode.LONG_SILENCE, facts))
    if stepped_back_s:  # H48
        found.append(Remark(RemarkCode.CLOCK_SET_BACK, {"seconds": stepped_back_s}))
    if unexplained > 0:  # H49
        found.append(Remark(RemarkCode.LIST_SHORT, {"lacking": unexplained}))
    if run.list_from is None:  # F83
        stored = remote_headers.live(link).count()
        # What was announced and has changed before it was listed comes in the next list (P106).
        had = max(run.listed, 0 if link.size_is_estimate else run.list_size or 0)
        if stored > 2 * had and stored - had > comparison.ceiling(link):
            found.append(Remark(RemarkCode.FEWER_THAN_STORED, {"listed": run.listed, "stored": stored}))
    different = None if run.is_promised or run.pages <= 1 or run.list_size is None else _different(run, link)
    if different is not None and run.list_size is not None and different < min(run.listed, run.list_size):
        found.append(Remark(RemarkCode.ENTRIES_REPEATED, {"listed": run.listed, "different": different}))
    return found


def _stepped_back_s(run: Run, link: Link) -> int:
    """By how many seconds the clock of the lists was set back since the last one.

    Identify, by which the list was asked for, may come from another host with another clock, or from a cache. A clock that
    stands still, or a cached list, is of the last list's time, and so nothing is stamped before that.
    """
    before, now = link.first_response, run.first_response
    if before is None or now is None or before == now or link.first_asked is None or run.first_asked is None:
        return 0
    return schedule.by_our_clock(before, link.first_asked, now, run.first_asked, link.overlap_s)[1]


def _different(run: Run, link: Link) -> int | None:
    """How many different records a list of several pages had (F35), rejects included; None where that cannot be told."""
    # The order changed while the list was read. What is older than `from` is not counted below.
    came_unasked = any(warning["code"] == WarningCode.TOO_OLD for warning in run.warnings)
    if run.list_from is not None and came_unasked:
        return None
    listed = Q() if run.list_from is None else Q(datestamp__gte=run.list_from) | Q(datestamp=None)
    return remote_headers.of_provider(link).filter(listed).count() + rejects.count_nameless(run)
