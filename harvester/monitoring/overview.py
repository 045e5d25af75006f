"""Read what a line of a list of links says: state, last runs, records here and there, ages, progress. For all pages.

The number of queries does not grow with the links.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalogue import seams
from catalogue.reading import stats
from harvester import schedule_words
from harvester.links import failover
from harvester.models import Link, Run
from harvester.monitoring import status, strips
from harvester.monitoring.status import StateInWords, duration
from harvester.monitoring.strips import Strip


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an open run is: entries received, of how many, how many a second, how long it will take; none: not known."""

    received: int
    of: int | None
    rate: float | None
    left_s: float | None

    @property
    def percent(self) -> int | None:
        return min(100, self.received * 100 // self.of) if self.of else None

    def __str__(self) -> str:
        parts = [ngettext("%(number)s entry", "%(number)s entries", self.received) % {"number": f"{self.received:,}"}]
        if self.of:
            parts = [_("%(number)s of %(of)s entries") % {"number": f"{self.received:,}", "of": f"{self.of:,}"}]
        if self.rate:
            parts.append(
                _("%(number)s a second") % {"number": f"{self.rate:,.0f}" if self.rate >= 1 else f"{self.rate:.1f}"}
            )
        if self.left_s is not None:
            parts.append(_("about %(time)s left") % {"time": duration(self.left_s)})
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Overview:
    """One link for a list. `here`: live records of its set; `there`: what its provider has, counted `there_at`."""

    link: Link
    state: StateInWords
    strip: Strip
    here: int
    there: int | None
    there_at: datetime | None
    drift: dict[str, int] | None
    success: Run | None
    open_run: Run | None
    progress: Progress | None
    now: datetime

    @property
    def age(self) -> str:
        """How long ago the last complete harvest ended; empty: there was none."""
        if self.success is None or self.success.finished is None:
            return ""
        return _("%(time)s ago") % {"time": duration((self.now - self.success.finished).total_seconds())}

    @property
    def is_in_step(self) -> bool:
        """Whether the link was complete here and needs nobody. What never was is not in step, even if it is only tried again."""
        return self.state.key not in status.IN_NEED and self.link.harvested_to is not None

    @property
    def rhythm(self) -> str:
        """How often the link is harvested."""
        if not self.link.enabled:
            return _("by hand only")
        return schedule_words.describe_rhythm(self.link.schedule)

    @property
    def next_run(self) -> str:
        """When the link is harvested next."""
        if self.open_run is not None:
            until = status.waits_until(self.open_run, self.now)
            if until is None:
                return _("runs now")
            return _("goes on in %(time)s") % {"time": duration((until - self.now).total_seconds())}
        if not self.link.enabled:
            return _("by hand only")
        if self.link.next_due is None or self.link.next_due <= self.now:
            return _("at once")
        return _("in %(time)s") % {"time": duration((self.link.next_due - self.now).total_seconds())}

    @property
    def relay(self) -> str:
        """Who serves the link instead of its own provider, in words."""
        return failover.describe_relay(self.link)

    @property
    def details(self) -> list[str]:
        """What there is to know besides, in sentences: of the last run and comparison, of the provider, what is in doubt."""
        newest = status.last_run(self.link), status.last_comparison(self.link)
        messages = [run.message for run in newest if run is not None]
        doubts = [_("In doubt: %(doubt)s") % {"doubt": doubt} for doubt in self.link.doubt_sentences]
        return [text for text in (*messages, *map(str, self.link.remarks), *doubts) if text]

    @property
    def found(self) -> str:
        """What the comparisons of this cycle have found, in words; empty: nothing."""
        return status.describe_drift(self.drift or {})

    @property
    def differ(self) -> int | None:
        """How many records differ from the provider's, by comparing; none: nothing was compared."""
        return None if self.drift is None else status.count_differing(self.drift)

    @property
    def difference(self) -> str:
        """What the counts say in words; empty where one of them is not known."""
        if self.there is None:
            return ""
        number = self.here - self.there
        if not number:
            return _("as many here as there")
        words = _("%(number)s more here") if number > 0 else _("%(number)s fewer here")
        return words % {"number": f"{abs(number):,}"}


def by_urgency(links: Iterable[Link], now: datetime | None = None) -> list[tuple[Link, StateInWords]]:
    """Return links that came from `status.with_last_run` with their states: the most urgent first, those of one state by
    name.
    """
    now = now or seams.now()
    order = {key: number for number, key in enumerate(status.URGENCY)}
    found = [(link, status.describe_state(link, now)) for link in links]
    return sorted(found, key=lambda pair: (order[pair[1].key], pair[0].name))


def read(
    links: Sequence[Link],
    run_url: Callable[[int], str],
    *,
    now: datetime | None = None,
    bars: int = strips.BARS,
    with_hidden: bool = False,
) -> list[Overview]:
    """Return the overview of each link, which come from `status.with_last_run` with successes, in this order.

    `with_hidden`: count records here that not everybody sees, too.
    """
    now = now or seams.now()
    here = stats.live_by_set(with_hidden=with_hidden)
    found = strips.read_strips([link.pk for link in links], run_url, length=bars)
    return [_overview(link, found[link.pk], here.get(link.local_set_id, 0), now) for link in links]


def _overview(link: Link, strip: Strip, here: int, now: datetime) -> Overview:
    open_run = next((run for run in getattr(link, "newest_runs", ()) if run.is_open), None)
    is_compared = link.cycle_begun is not None or link.content_begun is not None
    return Overview(
        link=link,
        state=status.describe_state(link, now),
        strip=strip,
        here=here,
        there=link.live_there,
        there_at=link.counted_there,
        drift=status.drift_of(link) if is_compared else None,
        success=status.last_success(link),
        open_run=open_run,
        progress=progress_of(open_run, now) if open_run is not None and open_run.received else None,
        now=now,
    )


def progress_of(run: Run, now: datetime) -> Progress:
    """How far an open run is. A size that the provider only estimates is a size all the same."""
    seconds = (now - run.begun).total_seconds()
    rate = run.received / seconds if run.received and seconds > 0 else None
    of = max(run.list_size, run.received) if run.list_size else None
    left = (of - run.received) / rate if of and rate and run.phase == Run.Phase.LISTING else None
    return Progress(run.received, of, rate, left)
