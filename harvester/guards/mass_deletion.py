"""Hold deletions that are too many within a day, until an operator confirms that the provider is right.

A provider that loses its catalogue may send deleted headers for all of it, correct by every rule. It may do so in several
runs, and another provider of the link may repeat it. So deletions are counted by link, over the last 24 hours of our clock.
"""

import math
from collections.abc import Collection, Sequence, Set
from datetime import datetime, timedelta
from fractions import Fraction

from catalogue import seams
from catalogue.models import Membership
from catalogue.reasons import Reason
from catalogue.writing import spellings
from catalogue.writing.current import load_current_in_any_case
from catalogue.writing.decisions import Arrival, Change
from catalogue.writing.entry import PreparedEntry
from harvester.models import Link, Run
from harvester.reasons import EntryCode
from harvester.rows import remote_headers

WINDOW = timedelta(days=1)
MIN_DELETIONS = 5  # fewer within a day wait only if they are all that the link has
THIRD = 33  # percent; stands for a third exactly


def removals(link: Link, deletions: Sequence[PreparedEntry], apart: Collection[str] = ()) -> frozenset[str]:
    """Return the keys of those deletions that would remove a record from the link's set, which is live there.

    `apart`: keys of records of their own beside others with another spelling.
    """
    by_key = {entry.key: entry for entry in deletions}
    current = load_current_in_any_case(list(by_key), source=link.name)
    placed = spellings.place(by_key, current, Arrival(link.local_set, link.name), apart)
    return frozenset(
        key
        for key, entry in placed.entries.items()
        if (record := current.get(entry.key)) is not None
        and not record.deleted
        and placed.decisions[key].change is not Change.NONE
    )


def awaiting_operator(run: Run, deletions: Set[str]) -> dict[str, Reason]:
    """Return why these deletions of a page wait for an operator, by key. `deletions`: what `removals` gave.

    Those that do not wait yet all begin to, if they are too many together with the deletions that came within the last day,
    whether these were stored or wait. A deletion that waits goes on waiting until the provider lists the record again.
    """
    link = run.link
    if not deletions or run.beyond_ceiling or link.hold_percent >= 100:
        return {}
    waiting = remote_headers.waiting_removals(link, deletions)
    reasons = dict.fromkeys(waiting, Reason(EntryCode.MASS_DELETION_WAITS))
    new = deletions - waiting
    if new:
        number = len(new) + remote_headers.count_removals(link, since=_begin_of_day(link, seams.now()))
        share = _allowed_share(link.hold_percent)
        left = _count_left(link, new, at_most=_enough_left(number, share))
        if is_too_much(number, left, share):
            facts = {"deleted": number, "listed": number + left, "percent": link.hold_percent}
            reasons |= dict.fromkeys(new, Reason(EntryCode.MASS_DELETION, facts))
    return reasons


def is_too_much(number: int, left: int, share: Fraction) -> bool:
    """Whether so many deletions within a day wait for an operator. `left`: the records that the provider goes on listing."""
    return left == 0 or (number >= MIN_DELETIONS and Fraction(number, number + left) > share)


def _count_left(link: Link, deletions: Set[str], *, at_most: int | None) -> int:
    """Count the records that are left without these; not more than `at_most`.

    The link's table knows which these are, but where the link is new, or was made anew, and has not listed what is here yet.
    """
    left = remote_headers.count_left(link, without=deletions, at_most=at_most)
    if remote_headers.listed_as_live(link, deletions) == deletions:
        return left
    here = Membership.objects.filter(set=link.local_set_id, deleted=False).exclude(record__key__in=deletions)
    return max(left, here[:at_most].count())


def _allowed_share(percent: int) -> Fraction:
    return Fraction(1, 3) if percent == THIRD else Fraction(percent, 100)


def _enough_left(number: int, share: Fraction) -> int | None:
    """Return how many records that are left settle that the deletions are not too many; None: no number does."""
    if number < MIN_DELETIONS:
        return 1
    return math.ceil(number / share) - number if share else None


def _begin_of_day(link: Link, now: datetime) -> datetime:
    """Return since when deletions count: for a day, or since an operator has accepted those before."""
    day, accepted = now - WINDOW, link.deletions_accepted
    return accepted if accepted is not None and day < accepted <= now else day
