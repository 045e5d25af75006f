"""Read the last runs of each link as a strip of bars, the oldest first, for lists, dashboards and pages of links.

One statement for all links, by the index of their runs: it costs the same however many runs there are.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple

from django.db import connection
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from catalogue import seams
from harvester.models import Run
from harvester.monitoring import status
from harvester.rows import queue

BARS = 30  # of a strip, at most
_NEW, _CHANGED, _DELETED = gettext_noop("new"), gettext_noop("changed"), gettext_noop("deleted")
_NONE, _LAST = gettext_noop("No run yet."), gettext_noop("newest")
_NEWEST = """
    SELECT of.link, run.* FROM unnest(%s::bigint[]) AS of (link) CROSS JOIN LATERAL (
        SELECT id, purpose, state, outcome, begun, finished, received, new, updated, deleted, rejected, held_back, not_served,
            jsonb_array_length(warnings), holder, leased_until
        FROM harvester_run WHERE link_id = of.link ORDER BY begun DESC LIMIT %s
    ) AS run
"""


class _Row(NamedTuple):
    link: int
    id: int
    purpose: str
    state: str
    outcome: str
    begun: datetime
    finished: datetime | None
    received: int
    new: int
    updated: int
    deleted: int
    rejected: int
    held_back: int
    not_served: int
    warnings: int
    worker: str
    leased_until: datetime | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One run: the key of its state (`status.WORDS`), what it did in words with times and counts, and its page."""

    key: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The last runs of a link, the newest last, and the same as a text for those who do not see bars."""

    bars: Sequence[Bar] = ()
    text: str = ""

    @property
    def html(self) -> str:
        """The bars for `snippets/run_strip.html`: a page may have thousands, for which a template takes long."""
        bar = '<a class="gisc-bar gisc-is-{}" href="{}" title="{}" tabindex="-1"></a>'
        return format_html_join("", bar, ((each.key, each.url, each.title) for each in self.bars))


def read_strips(links: Collection[int], url: Callable[[int], str], *, length: int = BARS) -> dict[int, Strip]:
    """Return the strip of each of these links, by their keys; `url`: the address of a run's page, of its key."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [list(links), length])
        rows = [_Row(*row) for row in cursor.fetchall()]
    of_links = defaultdict[int, list[_Row]](list)
    for row in rows:
        of_links[row.link].append(row)
    writer = _StripWriter(url)
    return {link: writer.write(of_links[link]) for link in links}


class _StripWriter:
    """Writes the strips of one page: what many bars have in common is put in words, and translated, once."""

    def __init__(self, url: Callable[[int], str]) -> None:
        self._url, self._now = url, seams.now()
        self._word, self._word_of_run, self._duration = cache(_), cache(status.word_of_run), cache(status.duration)
        self._state, self._entries, self._purpose = cache(_state), cache(_entries), cache(_purpose)

    def write(self, newest_first: Sequence[_Row]) -> Strip:
        found = [(row, *self._state_of(row)) for row in newest_first]
        if not found:
            return Strip(text=self._word(_NONE))
        bars = [Bar(key, self._title(row, words), self._url(row.id)) for row, key, words in reversed(found)]
        counts = Counter(self._word_of_run(key) for _row, key, _words in found)
        summary = ", ".join(f"{number} {word}" for word, number in counts.most_common())
        number = ngettext("The last run", "The last %(number)s runs", len(bars)) % {"number": len(bars)}
        newest = f"{self._word(_LAST)}: {bars[-1].title}"
        return Strip(bars, f"{number}: {summary}; {newest}.")

    def _state_of(self, row: _Row) -> tuple[str, str]:
        if row.state == Run.State.OPEN and not queue.is_leased(row.worker, row.leased_until, self._now):
            return status.WAITING, self._word_of_run(status.WAITING)
        return self._state(row.state, row.outcome, row.rejected, row.held_back, row.not_served, row.warnings)

    def _title(self, row: _Row, words: str) -> str:
        """What a run did: when, what for, how it ended, how long it took, and what it counted."""
        parts = [f"{row.begun:%Y-%m-%d %H:%M} UTC", words]
        if row.purpose != Run.Purpose.HARVEST:
            parts.insert(1, self._purpose(row.purpose))
        if row.finished is not None:
            parts.append(self._duration(round((row.finished - row.begun).total_seconds())))
        parts.append(self._entries(row.received))
        counted = ((row.new, _NEW), (row.updated, _CHANGED), (row.deleted, _DELETED))
        return ", ".join([*parts, *(f"{number} {self._word(name)}" for number, name in counted if number)])


def _state(state: str, outcome: str, rejected: int, held_back: int, not_served: int, warnings: int) -> tuple[str, str]:
    return status.outcome_in_words(
        state, outcome, rejected=rejected, held_back=held_back, not_served=not_served, warnings=warnings
    )


def _entries(number: int) -> str:
    return ngettext("%(number)s entry", "%(number)s entries", number) % {"number": f"{number:,}"}


def _purpose(purpose: str) -> str:
    return str(Run.Purpose(purpose).label)
