"""Write the summary of a week: what needs somebody, what began and is over, records, and how each link stands."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from catalogue import oai
from catalogue.reading import stats
from gisc.alerts import texts
from gisc.alerts.models import Condition
from gisc.alerts.texts import Text
from gisc.problems import Problem, find_problems
from harvester.models import Link, LinkDay
from harvester.monitoring import status

_WEEK = timedelta(days=7)


def write_summary(now: datetime) -> Text:
    """Return the summary of the last seven days."""
    parts = [_of_problems(find_problems(now)), _of_the_week(now), _of_records(now), _of_links(now)]
    title = _("[{node}] the week until {now}").format(node=settings.GISC_NAME, now=f"{now:%Y-%m-%d}")
    return Text(title, "\n\n".join([*parts, texts.absolute("/admin/")]) + "\n")


def _of_problems(problems: Iterable[Problem]) -> str:
    lines = [f"- {problem.name_in_words}: {problem.state_in_words}. {problem.text}" for problem in problems]
    if not lines:
        return _("Nothing needs you now.")
    return "\n".join([_("What needs somebody now: {number}").format(number=len(lines)), *lines])


def _of_the_week(now: datetime) -> str:
    begun = Condition.objects.filter(first_seen__gt=now - _WEEK).count()
    over = Condition.objects.filter(ended__gt=now - _WEEK).count()
    return _("Problems of this week: {begun} began, {over} are over.").format(begun=begun, over=over)


def _of_records(now: datetime) -> str:
    live = stats.by_set(with_hidden=True)[oai.CATALOGUE_SET]["live"]
    days = LinkDay.objects.filter(day__gt=(now - _WEEK).date())
    sums = days.aggregate(new=Sum("new"), updated=Sum("updated"), deleted=Sum("deleted"), rejected=Sum("rejected"))
    facts = {name: number or 0 for name, number in sums.items()}
    return _(
        "Records in the catalogue: {live}. Harvested this week: {new} new, {updated} changed, {deleted} deleted, {rejected} rejected."
    ).format(live=live, **facts)


def _of_links(now: datetime) -> str:
    lines = [f"- {link.name}: {status.link_state(link, now)[1]}" for link in status.with_last_run(Link.objects.all())]
    return "\n".join([_("Links: {number}").format(number=len(lines)), *lines])
