"""Search: pages of hits in order, how many there are, what they are distributed over.

Up to `SearchLimits.exact` hits are read by one statement, sorted and counted. Of more hits, the newest records are looked through, chunk
by chunk, until a page is full: hits are many, so this ends soon. Where it does not, because all hits are old, the database sorts
them. Pages go on after a key, never by an offset, so a deep page costs what the first costs, and what does not change while
somebody pages comes once.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from catalogue.documents import search_terms
from catalogue.models import Record
from catalogue.reading import overview, viewers
from catalogue.reading.query import conditions, cursors, facets, words
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.cursors import CursorInvalid, Hit
from catalogue.reading.query.facets import Counts, Facets
from catalogue.reading.query.few_hits import FewHits
from catalogue.reading.query.known_hits import KnownHits
from catalogue.reading.query.orders import ByTier, Order, follows, key_of, sorting
from catalogue.reading.query.search_limits import LIMITS
from catalogue.reading.query.sql import Compiler
from catalogue.reading.query.statements import (
    QueryTooCostly,
    Sql,
    all_of,
    array_of,
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
)
from catalogue.reading.stats import live_and_hidden, live_of_everybody, size_of
from catalogue.reading.viewers import ANYBODY, Viewer

logger = logging.getLogger(__name__)
_ALL = 10_000_000  # records
_QUERY_CANCELED = "57014"
# The memory is for the rows that an index finds, none of which is looked up twice then.
_SETTINGS = {"work_mem": "64MB", "jit": "off"}

_TIERS = (search_terms.FILTER, search_terms.TITLE, search_terms.KEYWORD, search_terms.TEXT)


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

    `notes`: what was not looked for, as codes and words: `words`, `identifiers` that are too many with this beginning; and `unchecked` words.
    """

    keys: list[int]
    next: str = ""
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How many hits there are. Not exact: an estimate from a sample, to two digits."""

    number: int
    is_exact: bool = True


_ALL_RECORDS = Sql("true")
# A condition in two parts: on the description alone, and what needs the record as well.
_Separated = tuple[Sql, Sql]


def _separated(*parts: Sql) -> _Separated:
    return (
        all_of(*(part for part in parts if not part.needs_record)),
        all_of(*(part for part in parts if part.needs_record)),
    )


def _described(found: _Separated, among: Sql = _ALL_RECORDS) -> tuple[str, tuple[Any, ...]]:
    """Return the begin of a statement, and its values: the records `h` whose descriptions match.

    A step of its own: without statistics of a table that has just been filled, PostgreSQL would look into each description for
    each record.
    """
    narrow = all_of(among, found[0])
    return (
        f"WITH h AS MATERIALIZED (SELECT d.record_id FROM catalogue_description d WHERE {narrow.text})",
        narrow.values,
    )


def _with_records(found: _Separated) -> tuple[str, tuple[Any, ...]]:
    """Return what follows FROM: the records of `h` that match the rest as well; conditions on the record may be added."""
    rest = found[1]
    descriptions = "" if rest.text == "true" else " JOIN catalogue_description d ON d.record_id = h.record_id"
    return f"h JOIN catalogue_record r ON r.id = h.record_id{descriptions} WHERE ({rest.text})", rest.values


class Search:
    """One search of the database as it is now. Whatever is asked of it is computed once."""

    def __init__(self, query: Query) -> None:
        self._query = query = replace(query, condition=conditions.storable(query.condition))
        self._compiler = Compiler(query.viewer)
        self._split: tuple[Sql, Sql] | None = None
        self._splits: dict[int, tuple[Sql, Sql]] = {}
        self._has_unwanted = _has_unwanted(query.condition)
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
        return Page([hit.key for hit in hits[:size]], following, tuple(self._compiler.notes))

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
            self._note_number(count_by_index(self._parts[0], LIMITS.in_force.read + 1))
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
        narrow, rest = self._parts
        return (
            narrow.is_indexed
            and rest == _ALL_RECORDS
            and is_of_terms(narrow)
            and LIMITS.in_force.of_tier <= self._expected < LIMITS.in_force.likely
            and self._everybody_sees_all
        )

    @cached_property
    def _expected(self) -> float:
        """How many hits PostgreSQL expects of what an index finds."""
        return estimate(self._parts[0])

    @property
    def _is_of_everything(self) -> bool:
        return self._query.condition == conditions.All() and self._query.viewer == ANYBODY

    @property
    def _parts(self) -> tuple[Sql, Sql]:
        """The condition as SQL: on the description, and what needs the record as well."""
        if self._split is None:
            self._split = self._compiler.split(self._query.condition)
        return self._split

    @cached_property
    def _sample(self) -> facets.Sample:
        return facets.Sample(self._parts, None if self._everybody_sees_all else self._query.viewer.audiences)

    @cached_property
    def _everybody_sees_all(self) -> bool:
        return not live_and_hidden()

    def _all_if_few(self) -> FewHits | KnownHits | None:
        """Return all hits; None if they are more than are read, or no index finds them."""
        if not self._is_counted:
            self._is_counted = True
            narrow, rest = self._parts
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
        if is_of_terms(self._parts[0]) or expected < limits.exact / 10 or self._sample.is_all:
            return True
        return self._sample.hits < limits.read

    def _by_tier(self, narrow: Sql, rest: Sql, most: int) -> ByTier | None:
        """Return the ids that an index finds, by their tiers; None if they are more than so many."""
        better = self._better_by_tier(rest) if is_of_terms(narrow) else None
        if better is None:
            rows = by_index_with(self._tier_column(), narrow, most + 1)
            return (
                None
                if len(rows) > most
                else {tier: {key for key, its in rows if its == tier} for tier in self._tiers()}
            )
        each = by_index_each(narrow, [of_tier for _tier, of_tier in better], most)
        if each is None:
            return None
        others, found = set(each[0]), {}
        for (tier, _of_tier), keys in zip(better, each[1], strict=True):
            found[tier] = others.intersection(keys)
            others -= found[tier]
        return {**found, search_terms.TEXT: others}

    def _better_by_tier(self, rest: Sql) -> list[tuple[int, Sql]] | None:
        """Return what an index finds of each tier above the last and of those above it, the best first; None if a tier hangs on more.

        It costs less than to look into the terms of each hit.
        """
        if self._has_unwanted:
            return None
        found = []
        for tier in self._tiers()[:-1]:
            narrow, rest_of_tier = self._parts_of_tier(tier)
            if rest_of_tier != rest:
                return None
            if narrow.text != "false":
                found.append((tier, narrow))
        return found

    def _tier_column(self) -> Sql:
        """The tier of a hit, as SQL of its description. Of its words alone: all else is true of hits."""
        of_words = conditions.All(tuple(filter(_has_words, conditions.conjuncts(self._query.condition))))
        cases: list[Sql] = []
        for tier in self._tiers()[:-1]:
            better, of_record = self._compiler.in_tier(tier).split(of_words)
            if of_record.text != "true":  # words in an alternative to a condition on the record
                better = all_of(
                    better,
                    Sql(
                        f"EXISTS (SELECT FROM catalogue_record r WHERE r.id = d.record_id AND ({of_record.text}))",
                        of_record.values,
                    ),
                )
            cases.append(Sql(f"WHEN {better.text} THEN {tier}", better.values))
        if not cases:
            return Sql(str(search_terms.TEXT))
        text = " ".join(case.text for case in cases)
        return Sql(f"CASE {text} ELSE {search_terms.TEXT} END", tuple(value for case in cases for value in case.values))

    def _hits(self, statement: str, values: Sequence[Any]) -> list[Hit]:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return [Hit(*row) for row in cursor.fetchall()]

    def _tiers(self) -> tuple[int, ...]:
        """The tiers that hits are sorted by; one where there are no words to be relevant."""
        has_words = any(isinstance(leaf, conditions.Words) for leaf in conditions.leaves(self._query.condition))
        return _TIERS if has_words and self._query.order == "relevance" else (search_terms.TEXT,)

    def _of_newest(self, position: Hit | None, most: int) -> list[Hit] | None:
        """Return the hits if the next records have so many, which is faster than to read all hits; None if they have not.

        Only where hits are not yet read, and in one tier or counted without their ids.
        """
        found, limits = self._parts, LIMITS.in_force
        if self._is_counted or not found[0].is_indexed:
            return None
        if len(self._tiers()) > 1:
            return self._of_newest_by_tier(position, most) if self._is_countable else None
        is_known = is_of_terms(found[0])  # how many hits there are
        if self._expected < (limits.of_tier if is_known else limits.looked_for):
            return None
        hits: list[Hit] = []
        for chunk in limits.chunks:
            more, position = self._walk(found, search_terms.TEXT, position, most - len(hits), (chunk,))
            hits += more
            if position is None:
                return hits
            if not is_known and len(more) * limits.chunks[-1] < chunk * (most - len(hits)):
                break  # the next ones will not have so many, either
        return None

    def _of_newest_by_tier(self, position: Hit | None, most: int) -> list[Hit] | None:
        """Return so many hits, where those of tiers with few are enough with some of the newest records of the first tier with many."""
        limits, hits = LIMITS.in_force, list[Hit]()
        better: set[int] = set()
        for tier in self._tiers():
            narrow = self._parts[0] if tier == search_terms.TEXT else self._parts_of_tier(tier)[0]
            if narrow.text == "false":
                continue
            expected = estimate(narrow)
            few = self._few_of_tier(tier) if expected < limits.of_tier else None
            start = _within(position, tier)
            is_asked = position is None or position.tier <= tier
            if few is None:
                chunk = round(2 * most * size_of().live / expected)
                if is_asked and chunk <= limits.chunks[-1]:
                    hits += self._walk(self._found_in(tier, better), tier, start, most - len(hits), (chunk,))[0]
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
        for tier in self._tiers():
            few = None if others or tier == search_terms.TEXT else self._few_of_tier(tier)
            if position is None or position.tier <= tier:
                start = _within(position, tier)
                if few is None:
                    hits += self._of_tier(self._found_in(tier, better, *others), tier, start, most - len(hits))
                else:
                    hits += self._few_hits({tier: few - better}).page(start, most - len(hits))
                if len(hits) >= most:
                    break
            if few is None:
                others.append(none_of(all_of(*self._parts_in(tier))))
            else:
                better |= few
        return hits

    def _found_in(self, tier: int, better: set[int], *others: Sql) -> _Separated:
        """What hits of a tier are that are not those ids."""
        known = [Sql("d.record_id <> ALL(%s)", (list(better),))] if better else []
        return _separated(*self._parts_in(tier), *others, *known)

    def _parts_in(self, tier: int) -> tuple[Sql, ...]:
        """What hits of a tier are, and hits of those above."""
        if tier == search_terms.TEXT:
            return self._parts
        # The index would read all hits of a word, to find the few that have it in the title: the words of the tier alone are
        # looked up where that is enough. It is not where a word is not wanted: in a better tier fewer records have it.
        better = self._parts_of_tier(tier)
        return (*self._parts, *better) if self._has_unwanted else better

    def _parts_of_tier(self, tier: int) -> tuple[Sql, Sql]:
        """The condition as SQL, as `_parts` has it, for words of a tier or a better one."""
        if tier not in self._splits:
            self._splits[tier] = self._compiler.in_tier(tier).split(self._query.condition)
        return self._splits[tier]

    def _few_of_tier(self, tier: int) -> set[int] | None:
        """Return the hits of a tier, and of those above; None if they are many."""
        narrow, rest = _separated(*self._parts_in(tier))
        if narrow.text == "false":
            return set()
        if estimate(narrow) >= LIMITS.in_force.likely:  # of words that are not common, it says too much
            return None
        # Where several indexes have to be read, that costs more than all the rest.
        most = LIMITS.in_force.of_tier if is_of_terms(narrow) else LIMITS.in_force.exact
        keys = by_index(narrow, most + 1)
        return None if len(keys) > most else set(self._few_hits({tier: set(keys)}, rest).keys())

    def _few_hits(self, by_tier: ByTier, rest: Sql = _ALL_RECORDS) -> FewHits | KnownHits:
        if self._everybody_sees_all and rest == _ALL_RECORDS:
            return KnownHits(by_tier, self._query.order)
        return FewHits(by_tier, rest, self._query.viewer.audiences, self._query.order)

    def _of_tier(self, found: _Separated, tier: int, position: Hit | None, most: int) -> list[Hit]:
        hits, rest = self._walk(found, tier, position, most, self._chunks(found, most))
        return [*hits, *self._by_sorting(found, tier, rest, most - len(hits))] if rest else hits

    def _walk(
        self, found: _Separated, tier: int, position: Hit | None, most: int, chunks: Iterable[int]
    ) -> tuple[list[Hit], Hit | None]:
        """Look through the next records, chunk by chunk. Returns the hits, at most so many, and after which record there may be more:
        None where there are as many as wanted, or no more records."""
        hits: list[Hit] = []
        for chunk in chunks:
            more, position, number = self._look_through(found, tier, position, chunk)
            hits += more
            if len(hits) >= most or number < chunk:
                return hits[:most], None
        return hits, position

    def _chunks(self, found: _Separated, most: int) -> Iterator[int]:
        """How many of the next records to look through, one number after the other, before all hits are sorted."""
        limits = LIMITS.in_force
        if all(part.text == "true" for part in found):  # every record is a hit
            yield most
        yield from limits.chunks
        if found[0].is_indexed and self._expect(found) * limits.large_chunk >= 4 * most * size_of().live:
            yield limits.large_chunk

    def _expect(self, found: _Separated) -> float:
        """Return how many hits are expected of the whole search, or of a tier."""
        return estimate(found[0]) if is_of_terms(found[0]) or found != self._parts else self._sample.hits

    def _look_through(
        self, found: _Separated, tier: int, position: Hit | None, chunk: int
    ) -> tuple[list[Hit], Hit | None, int]:
        """Return the hits among so many of the next records, in order; the last of these records, and how many they are."""
        following, values = follows(self._query.order, position)
        described, narrow = _described(found, Sql("d.record_id = ANY(ARRAY(SELECT id FROM next))"))
        source, rest = _with_records(found) if found[1] != _ALL_RECORDS else ("h", ())
        with connection.cursor() as cursor:
            cursor.execute(
                "WITH next AS MATERIALIZED (SELECT id, datestamp, key, row_number() OVER () AS place FROM"
                f" (SELECT r.id, r.datestamp, {key_of(self._query.order)} AS key FROM catalogue_record r"
                f" WHERE NOT r.deleted AND r.audience = ANY(%s) AND {following}"
                f" ORDER BY {sorting(self._query.order)} LIMIT %s) AS sorted),"
                f" {described.removeprefix('WITH ')}, matching AS MATERIALIZED (SELECT h.record_id FROM {source})"
                f" SELECT id, {tier}, datestamp, key, place, record_id IS NOT NULL"
                " FROM next LEFT JOIN matching ON record_id = id"
                " WHERE record_id IS NOT NULL OR place = (SELECT max(place) FROM next) ORDER BY place",
                [list(self._query.viewer.audiences), *values, chunk, *narrow, *rest],
            )
            rows = cursor.fetchall()
        if not rows:
            return [], position, 0
        return [Hit(*row[:4]) for row in rows if row[5]], Hit(*rows[-1][:4]), rows[-1][4]

    def _by_sorting(self, found: _Separated, tier: int, position: Hit | None, most: int) -> list[Hit]:
        following, values = follows(self._query.order, position)
        narrow, _rest = found
        if narrow.is_indexed:
            described, of_description = (
                "WITH h AS (SELECT unnest(%s::bigint[]) AS record_id)",
                (array_of(by_index(narrow, _ALL)),),
            )
        else:
            described, of_description = _described(found)
        source, rest = _with_records(found)
        return self._hits(
            f"{described} SELECT r.id, {tier}, r.datestamp, {key_of(self._query.order)} FROM {source}"
            f" AND r.audience = ANY(%s) AND {following} ORDER BY {sorting(self._query.order)} LIMIT %s",
            [*of_description, *rest, list(self._query.viewer.audiences), *values, most],
        )

    # --- Facets -----------------------------------------------------------------------------------------

    def facets(self, names: Sequence[str], most: int = 20) -> Facets:
        """Return what the hits are distributed over. Raises QueryTooCostly and KeyError for what is no facet."""
        visible = {"set": set(self._query.viewer.sets().values_list("spec", flat=True))}
        counted_at = None
        with self.bounded():
            counted, is_exact = self._facets_by_index(names)
            if counted is None:
                few = self._all_if_few()
                of_all = overview.latest() if self._is_of_everything and not self._sample.is_all else None
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
        limits, found = LIMITS.in_force, self._parts[0]
        likely = self._expected if self._number is None else self._number
        if likely > limits.exact and not self._sample.is_all:
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


def _has_words(condition: Condition) -> bool:
    return any(isinstance(leaf, conditions.Words | conditions.Phrase) for leaf in conditions.leaves(condition))


def _has_unwanted(condition: Condition) -> bool:
    """Whether there are words that a record must not have."""
    match condition:
        case conditions.All(parts) | conditions.Any(parts):
            return any(map(_has_unwanted, parts))
        case conditions.Not(part):
            return _has_words(part)
        case conditions.Words(text):
            return any(not asked.is_wanted for alternative in words.read(text) for asked in alternative)
    return False


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
