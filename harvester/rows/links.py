"""Write the harvesting state of links and of the providers that they have left. The only writer of Standby.

What an operator sets of a link is written by forms, commands and `harvester.links.edit`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, Q, Value
from django.db.models.expressions import Combinable

from catalogue import seams
from harvester import schedule
from harvester.models import Alternative, Link, Standby
from harvester.rows import remote_headers

# How far a link has come with one provider: on that provider's clock, and used for no other one (W13, W32).
POSITION = (
    *("harvested_to", "first_response", "first_asked", "newest", "relisted_to", "is_promised"),
    *("granularity", "deleted_record"),
)
NO_POSITION: dict[str, object] = {
    **dict.fromkeys(("harvested_to", "first_response", "first_asked", "newest", "relisted_to")),
    "is_promised": False,
}
# What the lists of a provider have left in doubt; all headers are compared anyway where another one takes over.
NO_DOUBTS: dict[str, object] = {
    "doubts": [],
    "shortfall": 0,
    "shortfall_from": None,
    "clean_comparisons": 0,
    "size_is_estimate": False,
    "from_ignored": 0,
}


def set_next_due(link: Link, *, next_due: datetime) -> None:
    """Store when the link is harvested next."""
    Link.objects.filter(pk=link.pk).update(next_due=next_due)


def shorten_waits(now: datetime, *, comparison_s: float) -> None:
    """Make due what waits longer than it can from now on: our clock was ahead when that was planned, and is right now.

    A harvest waits for the next time of its schedule at most, the comparison of a link in doubt for `comparison_s`, and a
    slice of a cycle for the cycle's days and one.
    """
    for link in Link.objects.filter(next_due__gt=_after(now, "interval_s", timedelta(seconds=1))):
        following = schedule.next_start(link.schedule, now)
        if link.next_due is not None and link.next_due > following:
            set_next_due(link, next_due=now if link.schedule.at is None else following)
    Link.objects.filter(reconciles=True, next_slice__gt=now + timedelta(seconds=comparison_s)).update(next_slice=now)
    for planned, days in (("next_slice", "cycle_days"), ("next_content", "content_days")):
        latest = _after(now + timedelta(days=1), days, timedelta(days=1))
        Link.objects.filter(**{f"{planned}__gt": latest}).update(**{planned: now})


def _after(now: datetime, column: str, unit: timedelta) -> Combinable:
    """The instant so many units later as this column has."""
    wait = ExpressionWrapper(F(column) * Value(unit), output_field=DurationField())
    return ExpressionWrapper(Value(now) + wait, output_field=DateTimeField())


def set_next_slice(link: Link, *, next_slice: datetime) -> None:
    """Store when the next comparison is due."""
    Link.objects.filter(pk=link.pk).update(next_slice=next_slice)


def record_identity(
    link_id: int, *, granularity: str, deleted_record: str, response_date: datetime, brand: Mapping[str, str]
) -> None:
    """Store what the provider says in Identify at the beginning of a run, and how far its clock is from ours (W19)."""
    skew_s = (response_date - seams.now()).total_seconds()  # a whole second is within the date's precision
    Link.objects.filter(pk=link_id).update(
        granularity=granularity, deleted_record=deleted_record[:20], skew_s=skew_s, brand=dict(brand)
    )


def record_set_state(link: Link, *, set_state: str, checked: datetime | None) -> None:
    """Store whether the provider lists the set that the link asks for (H17)."""
    link.set_state, link.set_checked = set_state, checked
    Link.objects.filter(pk=link.pk).update(set_state=set_state, set_checked=checked)


class CompleteList(NamedTuple):
    """What a link keeps of its last complete list. `doubts`: as remarks, in JSON; they make the link compare everything."""

    first_response: datetime | None
    first_asked: datetime | None
    newest: datetime | None
    relisted_to: datetime | None
    is_promised: bool
    lateness_h: int
    doubts: list[dict[str, Any]]
    shortfall: int
    shortfall_from: datetime | None
    from_ignored: int
    reconciles: bool
    compared_to: datetime | None
    next_slice: datetime | None
    next_due: datetime | None


def record_complete_list(link: Link, complete: CompleteList) -> None:
    """Store that a list is complete and move `harvested_to` (promise 2), in the transaction that locked the link."""
    for name, value in complete._asdict().items():
        setattr(link, name, value)
    link.update_harvested_to()
    link.failures, link.failing_since = 0, None
    link.save(update_fields=(*CompleteList._fields, "harvested_to", "failures", "failing_since"))


def record_slice(
    link: Link,
    *,
    cycle_begun: datetime,
    cycle_ended: datetime | None,
    compared_to: datetime | None,
    reconciles: bool,
    next_slice: datetime,
    doubts: list[dict[str, Any]],
    clean_comparisons: int,
    size_is_estimate: bool,
) -> None:
    """Store that a slice is compared, in the transaction that locked the link."""
    link.doubts, link.clean_comparisons, link.size_is_estimate = doubts, clean_comparisons, size_is_estimate
    link.cycle_begun, link.cycle_ended, link.compared_to = cycle_begun, cycle_ended, compared_to
    link.reconciles, link.next_slice = reconciles, next_slice
    link.save(
        update_fields=(
            *("cycle_begun", "cycle_ended", "compared_to", "reconciles", "next_slice"),
            *("doubts", "clean_comparisons", "size_is_estimate"),
        )
    )


def record_lateness(link: Link, *, lateness_h: int) -> None:
    """Store how late the provider lists records (H8), where a comparison has shown it."""
    Link.objects.filter(pk=link.pk).update(lateness_h=lateness_h)


def accept_deletions(link: Link) -> None:
    """Store that an operator has accepted deletions: those until now count no longer (`harvester.guards.mass_deletion`)."""
    now = seams.now()
    remote_headers.limit_removals(link, to=now)
    Link.objects.filter(pk=link.pk).update(deletions_accepted=now)


def plan_content(now: datetime) -> None:
    """Plan the first slice of a total re-harvest for tomorrow, where none is planned and the whole list was stored once."""
    due = Link.objects.filter(content_days__gt=0, next_content=None, harvested_to__isnull=False)
    due.update(next_content=now + timedelta(days=1))


def set_next_content(link: Link, *, next_content: datetime) -> None:
    """Store when the next slice of the total re-harvest is due."""
    Link.objects.filter(pk=link.pk).update(next_content=next_content)


def record_content_slice(
    link: Link, *, begun: datetime, ended: datetime | None, covered_to: datetime | None, next_content: datetime
) -> None:
    """Store that a slice of the total re-harvest is done, in the transaction that locked the link."""
    link.content_begun, link.content_ended, link.content_to = begun, ended, covered_to
    link.next_content = next_content
    link.save(update_fields=["content_begun", "content_ended", "content_to", "next_content"])


def count_there(now: datetime, *, pause: timedelta = timedelta(minutes=1)) -> Link | None:
    """Count what the provider of one link has, by its last headers: of the link that waits for longest, if its list has
    ended since it was counted, and some time ago. The link; None if no count is due. `pause`: between two counts of a link.
    """
    is_new = Q(counted_there=None) | Q(counted_there__lte=now - pause, first_asked__gt=F("counted_there"))
    due = Link.objects.filter(is_new, harvested_to__isnull=False)
    link = due.order_by(F("counted_there").asc(nulls_first=True)).first()
    if link is not None:
        number = remote_headers.count_left(link, without=(), at_most=None)
        Link.objects.filter(pk=link.pk).update(live_there=number, counted_there=now)
    return link


def count_again(link: Link) -> None:
    """Let `count_there` count what the provider has, without a pause: a comparison has found another number."""
    Link.objects.filter(pk=link.pk).update(counted_there=None)


def record_failure(link: Link, *, failures: int, failing_since: datetime | None, next_due: datetime) -> None:
    """Store that a harvest has failed, in the transaction that locked the link."""
    link.failures, link.failing_since, link.next_due = failures, failing_since, next_due
    link.save(update_fields=["failures", "failing_since", "next_due"])


# --- Other providers --------------------------------------------------------------------------------


def remember_position(link: Link, *, left: datetime) -> None:
    """Store how far the link has come with the provider that it turns away from."""
    Standby.objects.update_or_create(
        link=link,
        alternative=link.serving,
        defaults={name: getattr(link, name) for name in POSITION} | {"left": left},
    )


def forget_position(standby: Standby) -> None:
    """Remove what is remembered of one provider, as it serves the link again."""
    standby.delete()


def forget_position_of(link: Link, alternative: Alternative) -> None:
    """Remove what is remembered of an alternative, which is another provider now."""
    link.standbys.filter(alternative=alternative).delete()


def forget_positions(link: Link) -> None:
    """Remove what is remembered of all providers that the link has left."""
    link.standbys.all().delete()


def switch_provider(link: Link, to: Alternative | None, *, position: Mapping[str, object], now: datetime) -> None:
    """Let another provider serve the link from this position on. The link is due at once."""
    Link.objects.filter(pk=link.pk).update(
        **position,
        **NO_DOUBTS,
        serving=to,
        serving_since=now,
        failing_since=None,
        failures=0,
        skew_s=None,
        set_state="",
        set_checked=None,
        compared_to=None,
        reconciles=True,
        next_slice=None,  # the comparison begins when the list has come
        content_to=None,
        next_content=None,
        next_due=now,
    )


def begin_again(link: Link, *, now: datetime) -> None:
    """Let the link ask its present provider for the whole list, at once, and compare everything afterwards."""
    Link.objects.filter(pk=link.pk).update(
        **NO_POSITION,
        **NO_DOUBTS,
        set_state="",
        set_checked=None,
        compared_to=None,
        reconciles=True,
        next_slice=None,
        content_to=None,
        next_content=None,
        next_due=now,
    )


def reset_position(link: Link, *, to: datetime | None) -> None:
    """Let the next list of the link begin there (None: be the whole one), as if nothing were known of what was listed since."""
    position = NO_POSITION if to is None else NO_POSITION | {"harvested_to": to, "newest": link.newest}
    Link.objects.filter(pk=link.pk).update(**position)


def take_probe(standby: Standby, *, next_probe: datetime) -> bool:
    """Take a provider that is due to be asked; False if another process has taken it."""
    return bool(Standby.objects.filter(pk=standby.pk, next_probe=standby.next_probe).update(next_probe=next_probe))


def record_probe(standby: Standby, *, answers_since: datetime | None, fault: str, probed: datetime) -> None:
    """Store whether a provider answered, and if not, why."""
    Standby.objects.filter(pk=standby.pk).update(answers_since=answers_since, fault=fault, probed=probed)
