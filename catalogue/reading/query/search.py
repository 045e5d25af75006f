"""Search: pages of hits in order, how many there are, what they are distributed over.

Up to `SearchLimits.exact` hits are read by one statement, sorted and counted. Of more hits, the newest records are looked through, chunk
by chunk, until a page is full: hits are many, so this ends soon. Where it does not, because all hits are old, the database sorts
them. Pages go on after a key, never by an offset, so a deep page costs what the first costs, and what does not change while
somebody pages comes once.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.db import OperationalError, transaction
from django.db.models import QuerySet

from catalogue.documents import search_terms
from catalogue.models import Record
from catalogue.reading import overview, viewers
from catalogue.reading.query import conditions, cursors, facets
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.cursors import CursorInvalid, Hit
from catalogue.reading.query.facets import Counts, Facets
from catalogue.reading.query.few_hits import FewHits
from catalogue.reading.query.known_hits import KnownHits
from catalogue.reading.query.many_hits import ManyHits
from catalogue.reading.query.orders import ByTier, Order
from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.statements import (
    ALL_RECORDS,
    QueryTooCostly,
    Separated,
    Sql,
    all_of,
    by_index,
    by_index_each,
    by_index_with,
    column_of,
    count_by_index,
    count_by_index_with_some,
    database_settings,
    estimate,
    is_of_terms,
    none_of,
    separated,
)
from catalogue.reading.query.tiers import Tiers
from catalogue.reading.stats import live_and_hidden, live_of_everybody
from catalogue.reading.viewers import ANYBODY, Viewer

logger = logging.getLogger(__name__)
_QUERY_CANCELED = "57014"
# The memory is for the rows that an index finds, none of which is looked up twice then.
_SETTINGS = {"work_mem": "64MB", "jit": "off"}


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, in which order, and for whom. By relevance: hits of the identifier first, then those that have all
    words in the title, in title and keywords, anywhere; the newest first among equals, and where there are no words."""

    condition: Condition = field(default_factory=conditions.All)
    order: Order = "relevance"
    viewer: Viewer = ANYBODY


@dataclass(frozen=True, slots=True)
class Page:
    """The ids of the records of one page, in order. `next`: the cursor of the page after it; "" after the last.

    `notes`: what was not looked for, as codes and words: `words`, `identifiers` that are too many with this beginning; `languages` that are
    written in too many ways; words that were `left-out` after so many; and `unchecked` words.
    """

    keys: list[int]
    next: str = ""
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How many hits there are. Not exact: an estimate from a sample, to two digits."""

    number: int
    is_exact: bool = True


class Search:
    """One search of the database as it is now. Whatever is asked of it is computed once."""

    def __init__(self, query: Query) -> None:
        self._query = query = replace(query, condition=conditions.storable(query.condition))
        self._tiers = Tiers(query.condition, query.order, query.viewer)
        self._estimates: list[tuple[Sql, float]] = []
        self._few: FewHits | KnownHits | None = None
        self._is_counted = False
        self._number: int | None = None  # hits, where they were counted without their ids
        self._least = 0  # hits that there are for certain
        self._total: int | None = None  # hits, where a page without a following one has shown all of many
        self._is_bounded = False

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Bound what the statements of the block may cost. Raises QueryTooCostly if they cost more.

        Each question to the search does this by itself; several in one block share a transaction and its settings.
        A limit of the session that is stricter stays, and raises what it raises.
        """
        if self._is_bounded:
            yield
            return
        self._is_bounded = True
        try:
            with _bounded(self._query.condition):
                yield
        finally:
            self._is_bounded = False

    # --- Pages ------------------------------------------------------------------------------------------

    def page(self, size: int, after: str = "") -> Page:
        """Return the hits after a cursor, or the first. Raises CursorInvalid and QueryTooCostly."""
        position = cursors.read(self._query.condition, self._query.order, after) if after else None
        with self.bounded():
            few = None
            hits = self._of_newest(position, size + 1)
            if hits is None:
                few = self._all_if_few()
                hits = few.page(position, size + 1) if few is not None else self._of_many(position, size + 1)
        self._least = max(self._least, len(hits))
        if few is None and position is None and len(hits) <= size:
            self._total = len(hits)
        following = cursors.write(self._query.condition, self._query.order, hits[size - 1]) if len(hits) > size else ""
        return Page([hit.key for hit in hits[:size]], following, self._tiers.notes)

    def count(self) -> Count:
        """Return how many hits there are; after a page never fewer than it has shown. Raises QueryTooCostly."""
        if self._is_of_everything:
            return Count(live_of_everybody())
        with self.bounded():
            number = self._number_if_few()
            if number is not None:
                return Count(number)
            if self._total is not None:
                return Count(self._total)
            number = self._sample.hits
        if self._sample.is_all:
            return Count(number)
        return Count(max(facets.two_digits(number), self._least), is_exact=False)

    def are_few(self) -> bool:
        """Whether the hits are no more than SearchLimits.exact. Raises QueryTooCostly."""
        with self.bounded():
            few = self._all_if_few()
            return few is not None and len(few) <= LIMITS.in_force.exact

    def _number_if_few(self) -> int | None:
        """Return how many hits there are; None if they are more than are read, or no index finds them."""
        if self._number is None and not self._is_counted and self._is_countable:
            self._note_number(count_by_index(self._tiers.whole[0], LIMITS.in_force.read + 1))
        if self._number is not None:
            return self._number
        few = self._all_if_few()
        return None if few is None else len(few)

    def _note_number(self, number: int) -> None:
        """Note how many hits an index has counted, at most one more than are read."""
        if number <= LIMITS.in_force.read:
            self._number = number
        else:
            self._is_counted = True  # and too many

    @cached_property
    def _is_countable(self) -> bool:
        """Whether the hits are counted without their ids: an index alone tells them, they are more than a page needs, and not too many."""
        narrow, rest = self._tiers.whole
        return (
            narrow.is_indexed
            and rest == ALL_RECORDS
            and is_of_terms(narrow)
            and LIMITS.in_force.of_tier <= self._expected < LIMITS.in_force.likely
            and self._everybody_sees_all
        )

    @cached_property
    def _expected(self) -> float:
        """How many hits PostgreSQL expects of what an index finds."""
        return self._estimate(self._tiers.whole[0])

    def _estimate(self, found: Sql) -> float:
        """Return how many descriptions PostgreSQL expects that a condition finds; asked once for each."""
        for asked, expected in self._estimates:
            if asked == found:
                return expected
        self._estimates.append((found, estimate(found)))
        return self._estimates[-1][1]

    @cached_property
    def _live_and_hidden(self) -> tuple[int, int]:
        return live_and_hidden()

    @property
    def _is_of_everything(self) -> bool:
        return self._query.condition == conditions.All() and self._query.viewer == ANYBODY

    @cached_property
    def _sample(self) -> facets.Sample:
        narrow, rest = self._tiers.whole
        is_known = narrow.is_indexed and rest == ALL_RECORDS and is_of_terms(narrow)
        return facets.Sample(
            (narrow, rest),
            None if self._everybody_sees_all else self._query.viewer.audiences,
            live=self._live_and_hidden[0],
            likely=self._expected if is_known else None,
        )

    @cached_property
    def _everybody_sees_all(self) -> bool:
        return not self._live_and_hidden[1]

    def _all_if_few(self) -> FewHits | KnownHits | None:
        """Return all hits; None if they are more than are read, or no index finds them."""
        if not self._is_counted:
            self._is_counted = True
            narrow, rest = self._tiers.whole
            is_likely = narrow.is_indexed and self._may_be_few(self._expected)
            by_tier = self._by_tier(narrow, rest, LIMITS.in_force.read) if is_likely else None
            if by_tier is not None:
                self._few = self._few_hits(by_tier, rest)
        return self._few

    def _may_be_few(self, expected: float) -> bool:
        """Whether the hits may be counted, of which PostgreSQL expects so many: reading too many of them is in vain."""
        limits = LIMITS.in_force
        if expected >= limits.likely:
            return False
        # PostgreSQL knows how common a term is. Of other conditions it multiplies the shares, as if they had nothing to do with each other.
        if is_of_terms(self._tiers.whole[0]) or expected < limits.surely_few or self._sample.is_all:
            return True
        return self._sample.hits < limits.read

    def _by_tier(self, narrow: Sql, rest: Sql, most: int) -> ByTier | None:
        """Return the ids that an index finds, by their tiers; None if they are more than so many."""
        better = self._tiers.by_index(rest) if is_of_terms(narrow) else self._few_with_words()
        if better is None:
            return self._by_looking(narrow, most)
        each = by_index_each(narrow, [of_tier for _tier, of_tier in better], most)
        if each is None:
            return None
        # Where these are of the whole catalogue, there may be more of them than PostgreSQL expects.
        if not is_of_terms(narrow) and any(len(keys) >= most for keys in each[1]):
            return self._by_looking(narrow, most)
        others, found = set(each[0]), {}
        for (tier, _of_tier), keys in zip(better, each[1], strict=True):
            found[tier] = others.intersection(keys)
            others -= found[tier]
        return {**found, search_terms.TEXT: others}

    def _by_looking(self, narrow: Sql, most: int) -> ByTier | None:
        """Return the same by looking into the terms of each hit."""
        rows = by_index_with(self._tiers.column(), narrow, most + 1)
        if len(rows) > most:
            return None
        by_tier: dict[int, set[int]] = {tier: set() for tier in self._tiers.numbers}
        for key, its in rows:
            by_tier[its].add(key)
        return by_tier

    def _few_with_words(self) -> list[tuple[int, Sql]] | None:
        """Return which records of the catalogue have the words in the better tiers, where these are few in each and it costs less to read
        the ids of all than to look into the terms of each hit; else None."""
        better, limits = self._tiers.by_words(), LIMITS.in_force
        if better is None:
            return None
        compared = self._expected * sum(len(value) for _tier, of_tier in better for value in of_tier.values)
        budget = compared * limits.ids_for_comparison
        for _tier, of_tier in better:
            budget -= limits.ids_for_estimate
            if budget <= 0 or (expected := self._estimate(of_tier)) >= min(budget, limits.of_tier):
                return None
            budget -= expected
        return better

    def _of_newest(self, position: Hit | None, most: int) -> list[Hit] | None:
        """Return the hits if the next records have so many, which is faster than to read all hits; None if they have not.

        Only where hits are not yet read, and in one tier or counted without their ids.
        """
        found, limits = self._tiers.whole, LIMITS.in_force
        if self._is_counted or not found[0].is_indexed:
            return None
        if len(self._tiers.numbers) > 1:
            return self._of_newest_by_tier(position, most) if self._is_countable else None
        is_known = is_of_terms(found[0])  # how many hits there are
        if self._expected < (limits.of_tier if is_known else limits.looked_for):
            return None
        hits, looked, chunks = list[Hit](), 0, iter(limits.chunks)
        many, chunk = self._many_hits(found, search_terms.TEXT), next(chunks)
        while chunk:
            more, position = many.look_through(position, most - len(hits), (chunk,))
            hits, looked = hits + more, looked + chunk
            if position is None:
                return hits
            chunk = next(chunks, 0) if is_known else _next_chunk(looked, len(hits), most)
        return None

    def _of_newest_by_tier(self, position: Hit | None, most: int) -> list[Hit] | None:
        """Return so many hits, where those of tiers with few are enough with some of the newest records of the first tier with many."""
        limits, hits = LIMITS.in_force, list[Hit]()
        better: set[int] = set()
        for tier in self._tiers.numbers:
            narrow = self._tiers.whole[0] if tier == search_terms.TEXT else self._tiers.better(tier)[0]
            if narrow.text == "false":
                continue
            expected = self._estimate(narrow)
            few = self._few_of_tier(tier) if expected < limits.of_tier else None
            start = _within(position, tier)
            is_asked = position is None or position.tier <= tier
            if few is None:
                chunk = round(2 * most * self._live_and_hidden[0] / expected)
                if is_asked and chunk <= limits.chunks[-1]:
                    many = self._many_hits(self._tiers.apart_from(better, (), tier), tier)
                    hits += many.look_through(start, most - len(hits), (chunk,))[0]
                return hits if len(hits) >= most else None
            if is_asked:
                hits += self._few_hits({tier: few - better}).page(start, most - len(hits))
                if len(hits) >= most:
                    return hits
            better |= few
        return None

    def _of_many(self, position: Hit | None, most: int) -> list[Hit]:
        hits: list[Hit] = []
        others: list[Sql] = []  # than those of better tiers, where these are many
        better: set[int] = set()  # the hits of better tiers, where these are few
        for tier in self._tiers.numbers:
            few = None if others or tier == search_terms.TEXT else self._few_of_tier(tier)
            if position is None or position.tier <= tier:
                start = _within(position, tier)
                if few is None:
                    found = self._tiers.apart_from(better, others, tier)
                    hits += self._of_tier(found, tier, start, most - len(hits))
                else:
                    hits += self._few_hits({tier: few - better}).page(start, most - len(hits))
                if len(hits) >= most:
                    break
            if few is None:
                others.append(none_of(all_of(*self._tiers.parts(tier))))
            else:
                better |= few
        return hits

    def _few_of_tier(self, tier: int) -> set[int] | None:
        """Return the hits of a tier, and of those above; None if they are many."""
        narrow, rest = separated(*self._tiers.parts(tier))
        if narrow.text == "false":
            return set()
        if self._estimate(narrow) >= LIMITS.in_force.likely:  # of words that are not common, it says too much
            return None
        # Where several indexes have to be read, that costs more than all the rest.
        most = LIMITS.in_force.of_tier if is_of_terms(narrow) else LIMITS.in_force.exact
        keys = by_index(narrow, most + 1)
        return None if len(keys) > most else set(self._few_hits({tier: set(keys)}, rest).keys())

    def _few_hits(self, by_tier: ByTier, rest: Sql = ALL_RECORDS) -> FewHits | KnownHits:
        if self._everybody_sees_all and rest == ALL_RECORDS:
            return KnownHits(by_tier, self._query.order)
        return FewHits(by_tier, rest, self._query.viewer.audiences, self._query.order)

    def _of_tier(self, found: Separated, tier: int, position: Hit | None, most: int) -> list[Hit]:
        many = self._many_hits(found, tier)
        hits, rest = many.look_through(position, most, self._chunks(found, most))
        return [*hits, *many.by_sorting(rest, most - len(hits))] if rest else hits

    def _many_hits(self, found: Separated, tier: int) -> ManyHits:
        return ManyHits(found, tier, self._query.order, self._query.viewer.audiences)

    def _chunks(self, found: Separated, most: int) -> Iterator[int]:
        """How many of the next records to look through, one number after the other, before all hits are sorted."""
        limits = LIMITS.in_force
        if all(part.text == "true" for part in found):  # every record is a hit
            yield most
        yield from limits.chunks
        if found[0].is_indexed and self._expect(found) * limits.large_chunk >= 4 * most * self._live_and_hidden[0]:
            yield limits.large_chunk

    def _expect(self, found: Separated) -> float:
        """Return how many hits are expected of the whole search, or of a tier."""
        return self._estimate(found[0]) if is_of_terms(found[0]) or found != self._tiers.whole else self._sample.hits

    # --- Facets -----------------------------------------------------------------------------------------

    def facets(self, names: Sequence[str], most: int = 20) -> Facets:
        """Return what the hits are distributed over. Raises QueryTooCostly and KeyError for what is no facet."""
        visible = {"set": set(self._query.viewer.sets().values_list("spec", flat=True))} if "set" in names else {}
        counted_at = None
        with self.bounded():
            counted, is_exact = self._facets_by_index(names)
            if counted is None:
                few = self._all_if_few()
                of_all = overview.latest() if self._is_of_everything and not self._sample.is_all else None
                if of_all is not None and not of_all.facets.keys() >= set(names):
                    of_all = None  # counted by a former version
                if few is not None:
                    counted, is_exact = self._facets_of_few(names, few), len(few) <= LIMITS.in_force.exact
                elif of_all is not None:
                    counted, counted_at = {name: dict(of_all.facets[name]) for name in names}, of_all.counted_at
                else:
                    counted = self._sample.count(names)
        return Facets(
            {name: facets.largest(found, most, visible.get(name)) for name, found in counted.items()},
            is_exact=is_exact or counted_at is not None or self._sample.is_all,
            counted_at=counted_at,
        )

    def _facets_by_index(self, names: Sequence[str]) -> tuple[dict[str, Counts] | None, bool]:
        """Return what the hits are distributed over, and whether that is exact: counted together with the hits, where their ids
        are not needed. None where these are read, or too many."""
        if self._is_counted or not self._is_countable:
            return None, False
        limits, found = LIMITS.in_force, self._tiers.whole[0]
        likely = self._expected if self._number is None else self._number
        if likely > limits.exact + limits.unsure and not self._sample.is_all:
            number, some = count_by_index_with_some(found, limits.read + 1, -(-int(likely) // limits.of_hits))
            self._note_number(number)
            if self._number is None:
                return None, False
            if number > limits.exact:
                return facets.estimate_of(names, number, some), False
        number, counted = facets.count_found(names, found, limits.read + 1)
        self._note_number(number)
        return (None, False) if self._number is None else (counted, True)

    def _facets_of_few(self, names: Sequence[str], few: FewHits | KnownHits) -> dict[str, Counts]:
        if len(few) > LIMITS.in_force.exact and not self._sample.is_all:
            return facets.estimate(names, few.keys())
        return facets.count(names, few.keys())


@contextmanager
def _bounded(condition: Condition) -> Iterator[None]:
    """Bound the statements of the block, as `Search.bounded` says."""
    (limit_ms,) = column_of("SELECT extract(epoch FROM current_setting('statement_timeout')::interval) * 1000", [])
    ours_ms = LIMITS.in_force.timeout_ms
    is_ours = not 0 < limit_ms <= ours_ms
    try:
        bound = {"statement_timeout": f"{ours_ms}ms"} if is_ours else {}
        with transaction.atomic(), database_settings(**_SETTINGS, **bound):
            yield
    except OperationalError as exc:
        if is_ours and getattr(exc.__cause__, "pgcode", None) == _QUERY_CANCELED:
            logger.warning("a search took too long", extra={"limit_ms": ours_ms, "condition": repr(condition)[:1_000]})
            raise QueryTooCostly("time") from exc
        raise


def _next_chunk(looked: int, found: int, most: int) -> int:
    """Return how many of the next records to look through for the rest of a page, if they have as many hits as those that were looked
    through; 0: too many, or enough were. Some more than needed, as hits are not spread evenly."""
    limits = LIMITS.in_force
    needed = looked * (most - found) / max(found, 1)
    if needed > limits.looked_through or looked > limits.looked_through:
        return 0
    return min(max(round(1.5 * needed), limits.chunks[0]), limits.looked_through)


def _within(position: Hit | None, tier: int) -> Hit | None:
    """Return the position, if it is in this tier."""
    return position if position is not None and position.tier == tier else None


def records(text: str) -> QuerySet[Record]:
    """Return the live records that `text` finds, whoever may see them; all of them if it is empty. Of many, the newest alone.

    Raises QueryTooCostly.
    """
    if not text.strip():
        return Record.objects.filter(deleted=False)
    return Record.objects.filter(pk__in=newest(text).keys, deleted=False)


def newest(text: str) -> Page:
    """Return all records that `text` finds, whoever may see them; the newest of them, where they are many. Raises QueryTooCostly."""
    found = Search(Query(conditions.Words(text), "-updated", viewers.administration()))
    limits = LIMITS.in_force
    return found.page(limits.exact if found.are_few() else limits.newest)


__all__ = [
    "Count",
    "CursorInvalid",
    "Facets",
    "Order",
    "Page",
    "Query",
    "QueryTooCostly",
    "Search",
    "records",
]
