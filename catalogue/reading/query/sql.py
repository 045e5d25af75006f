"""Make SQL of conditions. A statement that uses it joins catalogue_description d and catalogue_record r.

The index of terms answers what it can, and says too much where two words have one checksum, where words have to stand next to
one another, and for boxes; each such condition is made exact here, so a statement finds what the condition says and nothing else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any as AnyValue

from django.db import connection

from catalogue import oai
from catalogue.documents import bounding_box, iso19139, search_terms, xml_tree
from catalogue.limits import Replaceable
from catalogue.models import MetadataSet, Record
from catalogue.payloads import payload
from catalogue.reading.query import conditions, words
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.words import Asked
from catalogue.reading.viewers import ANYBODY, Viewer

_KEYS_AT_ONCE = 60  # chosen: the index takes a time for each hit that grows with the keys of one condition

_FIELDS = {
    "id": "r.identifier",
    "title": "d.title",
    "abstract": "d.abstract",
    "type": "d.kind",
    "language": "d.language",
    "policy": "d.policy",
    "centre": "coalesce(d.organisations[1], '')",
    "updated": "r.datestamp",
    "created": "r.metadata_date",
}
_LISTS = {"organisation": "d.organisations", "keyword": "d.keywords", "category": "d.categories"}
_INSTANTS = ("updated", "created")
_TIER_OF_FIELD: dict[conditions.TextField, int] = {
    "title": search_terms.TITLE,
    "subject": search_terms.KEYWORD,
    "abstract": search_terms.TEXT,
    "organisation": search_terms.TEXT,
}
_COLUMNS_OF_FIELD: dict[conditions.TextField, str] = {
    "title": "ARRAY[d.title]",
    "subject": "d.keywords || d.categories",
    "abstract": "ARRAY[d.abstract]",
    "organisation": "d.organisations",
}


@dataclass(frozen=True, slots=True)
class LookupLimits:
    """How much one word or phrase may make the database look up. All are chosen."""

    begun: int = 500  # words of the vocabulary that one beginning stands for; more are a beginning that says nothing
    identifiers: int = 1000  # with one beginning
    compared: int = 5000  # records whose texts are read for one phrase, about 0.4 s
    read_again: int = 300  # records whose metadata are read again for one word, about 0.4 s


LIMITS = Replaceable(LookupLimits())


class QueryTooCostly(Exception):
    """A search would cost too much: `str` says how to ask for less."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A condition as SQL with its values. `is_indexed`: an index finds the rows."""

    text: str
    values: tuple[AnyValue, ...] = ()
    is_indexed: bool = False

    @property
    def needs_record(self) -> bool:
        """Whether it looks into the row of the record as well."""
        return _OF_RECORD.search(self.text) is not None


_OF_RECORD = re.compile(r"\br\.")


@dataclass(slots=True)
class Compiler:
    """Makes SQL of the conditions of one search. `notes`: codes of what was not looked for, with the word."""

    viewer: Viewer = ANYBODY
    notes: list[tuple[str, str]] = field(default_factory=list)
    worst_tier: int = search_terms.TEXT
    _judged: dict[tuple[str, bool], dict[int, bool]] = field(default_factory=dict)
    _begun: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    _named: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)

    def in_tier(self, tier: int) -> "Compiler":
        """Return a compiler for words of this tier or a better one. Tier 0: the beginning of an identifier alone."""
        return replace(self, worst_tier=tier, notes=[])

    def sql(self, condition: Condition) -> Sql:
        """Make SQL of a condition. Raises QueryTooCostly."""
        match condition:
            case conditions.All(parts):
                return self._all(parts)
            case conditions.Any(parts):
                made = [self.sql(part) for part in parts]
                return _join(" OR ", made, "false", is_indexed=all(part.is_indexed for part in made))
            case conditions.Not(part):
                made_part = self.sql(part)
                return Sql(f"(({made_part.text}) IS NOT TRUE)", made_part.values)
            case conditions.Words(text):
                return self._words(text)
            case conditions.Phrase() | conditions.WordsIn():
                return self._compared_texts(condition, Sql("true"))
            case conditions.Meets():
                return _meets(condition)
            case conditions.During(begins, ends):
                return _during(begins, ends)
            case conditions.MetadataDate(since, until):
                return _between("r.metadata_date", since, until)
            case conditions.Changed(since, until):
                return _between("r.datestamp", since, until)
            case conditions.InSet(spec):
                return self._in_set(spec)
            case conditions.Among(identifiers):
                return _among(identifiers)
            case conditions.Is(name, values):
                return self._is(name, values)
            case conditions.Compare(name, operator, value):
                return Sql(f"{_column(name)} {operator} %s", (value,))
            case conditions.Like(name, pattern, ignores_case):
                return Sql(f"{_column(name)}::text {'ILIKE' if ignores_case else 'LIKE'} %s", (_complete(pattern),))
            case conditions.IsNull(name):
                if name in _LISTS:
                    return Sql(f"cardinality({_LISTS[name]}) = 0")
                column = _FIELDS[name]
                return Sql(f"{column} IS NULL" if name in _INSTANTS else f"{column} = ''")

    def split(self, condition: Condition) -> tuple[Sql, Sql]:
        """Make SQL of a condition in two parts: of the description alone, which an index may find, and the rest.

        Raises QueryTooCostly.
        """
        parts = list(conditions.conjuncts(condition))
        made = [self.sql(part) for part in parts if not _has_texts_compared(part)]
        narrow = all_of(*(part for part in made if not part.needs_record))
        for part in parts:
            if _has_texts_compared(part):
                narrow = all_of(narrow, self._compared_texts(part, narrow))
        return narrow, all_of(*(part for part in made if part.needs_record))

    def _all(self, parts: Sequence[Condition]) -> Sql:
        compared = [part for part in parts if _has_texts_compared(part)]
        made = [self.sql(part) for part in parts if part not in compared]
        around = _join(" AND ", made, "true", is_indexed=any(part.is_indexed for part in made))
        for part in compared:
            found = self._compared_texts(part, around)
            around = _join(" AND ", [around, found], "true", is_indexed=True)
        return around

    # --- Words ------------------------------------------------------------------------------------------

    def _words(self, text: str) -> Sql:
        text = text.strip()
        if not text:
            return Sql("true")
        if text not in self._named:
            identified = _identified(text)
            self._named[text] = (identified, [] if identified else self._identifiers_begun(text))
        identified, begun = self._named[text]
        if identified:
            return _keys(identified)
        alternatives = [
            self._all_asked(alternative) for alternative in words.read(text) if self.worst_tier > search_terms.FILTER
        ]
        if begun:
            alternatives.append(_keys(begun))
        if not alternatives:
            return Sql("false", is_indexed=True)
        return _join(" OR ", alternatives, "false", is_indexed=all(each.is_indexed for each in alternatives))

    def _identifiers_begun(self, text: str) -> list[int]:
        """Return the records whose identifier, in its last part, begins with a text."""
        last = search_terms.last_part(oai.oai_identifier(text)) if " " not in text else ""
        if len(last) < words.LEAST_BYTES_OF_BEGINNING:
            return []
        keys = _column_of(
            "SELECT id FROM catalogue_record WHERE catalogue_last_part(key) LIKE %s AND NOT deleted LIMIT %s",
            [f"{_escape_like(last)}%", LIMITS.in_force.identifiers + 1],
        )
        if len(keys) > LIMITS.in_force.identifiers:
            self._note("identifiers", text)
            return []
        if ":" in text or "/" in text:  # what comes before the last part has to be right as well
            begin = oai.oai_identifier(text).lower()
            keys = _column_of(
                "SELECT id FROM catalogue_record WHERE id = ANY(%s) AND lower(key) LIKE %s",
                [keys, f"{_escape_like(begin)}%"],
            )
        return keys

    def _all_asked(self, alternative: Sequence[Asked]) -> Sql:
        single = [self._word(asked) for asked in alternative if not asked.is_phrase and asked.is_wanted]
        around = _join(" AND ", single, "true", is_indexed=bool(single))
        for asked in alternative:
            if asked.is_phrase and asked.is_wanted:
                around = _join(" AND ", [around, self._phrase(asked.pieces, around)], "true", is_indexed=True)
        unwanted = [
            self._phrase(asked.pieces, around) if asked.is_phrase else self._word(replace(asked, by_beginning=True))
            for asked in alternative
            if not asked.is_wanted
        ]
        parts = [around, *(Sql(f"NOT ({each.text})", each.values) for each in unwanted)]
        return _join(" AND ", parts, "true", is_indexed=True)

    def _word(self, asked: Asked) -> Sql:
        (piece,) = asked.pieces
        stems = search_terms.stems_asked(piece)
        numbers = {search_terms.checksum(stem) for stem in stems}
        begun = self._numbers_begun(piece) if asked.by_beginning else ()
        if begun is None:
            self._note("words", piece)
            begun = ()
        # What is not in the vocabulary no record has: without it, PostgreSQL expects fewer hits and looks up less.
        numbers = set(begun).union(
            _column_of("SELECT number FROM catalogue_word WHERE number = ANY(%s)", [list(numbers)])
        )
        if not numbers:
            return Sql("false", is_indexed=True)
        found = _has_term([search_terms.term(number, tier) for number in sorted(numbers) for tier in self._tiers])
        others = _column_of(
            "SELECT DISTINCT number FROM catalogue_word WHERE number = ANY(%s) AND stem <> ALL(%s) AND NOT (%s AND folded ^@ %s)",
            [list(numbers), list(stems), bool(begun), search_terms.fold(piece)],
        )
        mixed = set(others) & self._mixed(others)
        return self._compared(found, mixed, stems, piece, has_begun=bool(begun)) if mixed else found

    @property
    def _tiers(self) -> range:
        return range(search_terms.TITLE, self.worst_tier + 1)

    def _mixed(self, numbers: Sequence[int]) -> set[int]:
        """Return those of these checksums that several stems of the vocabulary have."""
        if not numbers:
            return set()
        return set(
            _column_of(
                "SELECT number FROM catalogue_word WHERE number = ANY(%s) GROUP BY number HAVING count(DISTINCT stem) > 1",
                [list(numbers)],
            )
        )

    def _numbers_begun(self, piece: str) -> tuple[int, ...] | None:
        """Return the checksums of the words that begin so; None if they are too many."""
        folded = search_terms.fold(piece)
        if len(folded.encode()) < words.LEAST_BYTES_OF_BEGINNING:
            return ()
        if folded not in self._begun:
            found = _column_of(
                "SELECT DISTINCT number FROM catalogue_word WHERE folded ^@ %s LIMIT %s",
                [folded, LIMITS.in_force.begun + 1],
            )
            self._begun[folded] = tuple(found) if len(found) <= LIMITS.in_force.begun else None
        return self._begun[folded]

    def _note(self, code: str, word: str) -> None:
        if (code, word) not in self.notes:
            self.notes.append((code, word))

    # --- What has to be compared with the texts -----------------------------------------------------------

    def _compared_texts(self, condition: Condition, around: Sql) -> Sql:
        """Find what a condition says whose texts have to be compared, among the records of `around`. Raises QueryTooCostly."""
        match condition:
            case conditions.Phrase(text):
                pieces = search_terms.pieces(text)
                return self._phrase(pieces, around) if pieces else Sql("false")
            case conditions.WordsIn(name, text, are_adjacent):
                return self._words_in(name, search_terms.pieces(text), around, are_adjacent=are_adjacent)
        return self.sql(condition)

    def _words_in(self, name: conditions.TextField, pieces: Sequence[str], around: Sql, *, are_adjacent: bool) -> Sql:
        if not are_adjacent or len(pieces) < 2:
            pieces, are_adjacent = [piece for piece in pieces if piece not in search_terms.STOP_WORDS], False
        if not pieces:
            return Sql("false", is_indexed=True)
        tier = _TIER_OF_FIELD[name]
        if name == "title" and not are_adjacent:
            titles = replace(self, worst_tier=tier)
            return all_of(*(titles._word(Asked((piece,), by_beginning=False)) for piece in dict.fromkeys(pieces)))
        candidates = all_of(
            Sql("true") if around.needs_record else around,
            *(
                _has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), tier))
                for piece in dict.fromkeys(pieces)
                if piece not in search_terms.STOP_WORDS
            ),
        )
        if not candidates.is_indexed:
            raise QueryTooCostly("phrase")
        asked = [_stems_compared(piece) for piece in pieces]
        return _keys(
            [
                key
                for key, language, texts in _texts_of(candidates, _COLUMNS_OF_FIELD[name])
                if _has_words_of(texts, search_terms.algorithm_of(language), asked, are_adjacent=are_adjacent)
            ]
        )

    def _phrase(self, pieces: Sequence[str], around: Sql) -> Sql:
        """Find records with these words next to one another, among those of `around`. Raises QueryTooCostly."""
        wanted = [piece for piece in dict.fromkeys(pieces) if piece not in search_terms.STOP_WORDS]
        terms = [
            _has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), self.worst_tier))
            for piece in wanted
        ]
        narrow = Sql("true") if around.needs_record else around
        candidates = _join(" AND ", [narrow, *terms], "true", is_indexed=True)
        folded = tuple(map(search_terms.fold, pieces))
        keys = [key for key, texts in _texts(candidates) if _has_phrase(texts, folded)]
        return _keys(keys)

    def _compared(self, found: Sql, mixed: set[int], stems: frozenset[str], piece: str, *, has_begun: bool) -> Sql:
        """Leave out the records that have only another word with one of these checksums.

        Of very many, none is left out, and `notes` says so: else one odd word of one record would make a common word unusable.
        """
        doubtful = _has_term([search_terms.term(number, tier) for number in sorted(mixed) for tier in self._tiers])
        keys = by_index(doubtful, LIMITS.in_force.compared + 1)
        judged = self._judged.setdefault((piece, has_begun), {})
        begin = search_terms.fold(piece) if has_begun else None
        if len(keys) > LIMITS.in_force.compared or not _judge(keys, judged, stems, begin):
            self._note("unchecked", piece)
            return found
        kept = [key for key in keys if judged[key]]
        clean = Sql(f"({found.text}) AND NOT ({doubtful.text})", (*found.values, *doubtful.values), is_indexed=True)
        return _join(" OR ", [clean, _keys(kept)], "false", is_indexed=True)

    # --- Other conditions ---------------------------------------------------------------------------------

    def _in_set(self, spec: str) -> Sql:
        if spec == oai.CATALOGUE_SET:
            return Sql("true")
        found = (
            self.viewer.sets().filter(spec=spec).exclude(kind=MetadataSet.Kind.CATALOGUE).values_list("pk", flat=True)
        )
        members = (
            "SELECT FROM catalogue_membership m WHERE m.record_id = d.record_id AND m.set_id = ANY(%s) AND NOT m.deleted"
            " AND m.audience = ANY(%s)"
        )
        return Sql(f"EXISTS ({members})", (list(found), list(self.viewer.audiences)), is_indexed=True)

    def _is(self, name: conditions.IsField, values: Sequence[str]) -> Sql:
        if not values:
            return Sql("false", is_indexed=True)
        wanted = list(values)
        if name == "label":
            return Sql(
                "EXISTS (SELECT FROM catalogue_validation v WHERE v.record_id = d.record_id AND v.digest = r.digest"
                " AND v.structure = ANY(%s))",
                (wanted,),
            )
        if name in ("type", "language", "policy"):
            exact = Sql(f"{_FIELDS[name]} = ANY(%s)", (wanted,))
            if "" in wanted:
                return exact
            terms = _has_term([search_terms.filter_term(name, value) for value in wanted])
            return _join(" AND ", [terms, exact], "true", is_indexed=True)
        column = _LISTS.get(name, "d.organisations")
        exact = Sql(f"{_FIELDS['centre']} = ANY(%s)" if name == "centre" else f"{column} && %s", (wanted,))
        tier = search_terms.TEXT if column == "d.organisations" else search_terms.KEYWORD
        possible = [_has_words(value, tier) for value in wanted]
        return _join(
            " AND ",
            [_join(" OR ", possible, "true", is_indexed=False), exact],
            "true",
            is_indexed=all(each.is_indexed for each in possible),
        )


def _identified(text: str) -> list[int]:
    """Return the live record with this identifier, else those that differ from it in a case without meaning."""
    named = list(Record.objects.named(text).filter(deleted=False).values_list("pk", flat=True))
    return named or list(Record.objects.in_another_case(text).values_list("pk", flat=True))


def _has_words(value: str, tier: int) -> Sql:
    """Find candidates for a value that is among the texts of a record: they have all its words in this tier or a better one."""
    pieces = [piece for piece in dict.fromkeys(search_terms.pieces(value)) if piece not in search_terms.STOP_WORDS]
    parts = [_has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), tier)) for piece in pieces]
    return _join(" AND ", parts, "true", is_indexed=bool(parts))


def _has_term(terms: Sequence[int]) -> Sql:
    """Find the records that have at least one of these terms."""
    parts = [
        Sql("d.terms && %s", (list(terms[start : start + _KEYS_AT_ONCE]),))
        for start in range(0, len(terms), _KEYS_AT_ONCE)
    ]
    return _join(" OR ", parts, "false", is_indexed=True)


def _keys(keys: Sequence[int]) -> Sql:
    return Sql("d.record_id = ANY(%s)", (list(keys),), is_indexed=True)


def all_of(*parts: Sql) -> Sql:
    """Return what all of these are true of."""
    return _join(" AND ", parts, "true", is_indexed=any(part.is_indexed for part in parts))


def none_of(found: Sql) -> Sql:
    """Return what a condition is not true of."""
    return Sql("true") if found.text == "false" else Sql(f"({found.text}) IS NOT TRUE", found.values)


def _join(operator: str, parts: Sequence[Sql], if_none: str, *, is_indexed: bool) -> Sql:
    parts = [part for part in parts if part.text != ("true" if operator == " AND " else "false")]
    if not parts:
        return Sql(if_none, is_indexed=is_indexed)
    if len(parts) == 1:
        return replace(parts[0], is_indexed=is_indexed)
    text = operator.join(f"({part.text})" for part in parts)
    return Sql(text, tuple(value for part in parts for value in part.values), is_indexed)


def _meets(box: conditions.Meets) -> Sql:
    sides = (box.west, box.south, box.east, box.north)
    places = [
        Sql(
            "d.longitudes && int4range(%s, %s, '[]') AND d.latitudes && int4range(%s, %s, '[]')",
            tuple(place),
            is_indexed=True,
        )
        for place in bounding_box.places_asked(sides)
    ]
    # The ranges of several boxes are those of all together.
    exact = Sql("(jsonb_array_length(d.boxes) = 1 OR catalogue_boxes_meet(d.boxes, %s, %s, %s, %s))", sides)
    return _join(" AND ", [_join(" OR ", places, "false", is_indexed=True), exact], "true", is_indexed=True)


def _during(begins: datetime | None, ends: datetime | None) -> Sql:
    if begins is not None and ends is not None and begins > ends:
        return Sql("false")  # no time; PostgreSQL raises an error
    return Sql("d.period && tstzrange(%s, %s, '[]')", (begins, ends))


def _between(column: str, since: AnyValue, until: AnyValue) -> Sql:
    parts = [
        Sql(f"{column} {operator} %s", (value,))
        for operator, value in ((">=", since), ("<=", until))
        if value is not None
    ]
    return _join(" AND ", parts or [Sql(f"{column} IS NOT NULL")], "true", is_indexed=False)


def _among(identifiers: Sequence[str]) -> Sql:
    given = [identifier.strip() for identifier in identifiers]
    keys = [oai.oai_identifier(identifier) for identifier in given]
    return _keys(
        _column_of(
            "SELECT id FROM catalogue_record WHERE key = ANY(%s) AND (key = ANY(%s) OR identifier = ANY(%s)) AND NOT deleted",
            [keys, given, given],
        )
    )


def _column(name: conditions.CompareField) -> str:
    column = _FIELDS[name]
    return column if name in _INSTANTS else f"nullif({column}, '') COLLATE \"C\""


def _complete(pattern: str) -> str:
    """Return a pattern of LIKE in which a backslash at the end stands for itself; PostgreSQL would refuse it."""
    alone = (len(pattern) - len(pattern.rstrip("\\"))) % 2
    return pattern + "\\" * alone


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _column_of(statement: str, values: Sequence[AnyValue]) -> list[AnyValue]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [row[0] for row in cursor.fetchall()]


FROM = "catalogue_description d JOIN catalogue_record r ON r.id = d.record_id"
_TEXTS = "d.title, d.abstract, d.keywords, d.categories, d.organisations"
# PostgreSQL takes a comparison of arrays for cheap, and would rather look into each row than into the index.
_BY_INDEX = {"enable_seqscan": "off", "enable_indexscan": "off"}


@contextmanager
def database_settings(**values: str) -> Iterator[None]:
    """Give settings of the database other values within the block, which is in a transaction; then those that they had."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(["current_setting(%s)"] * len(values)), list(values))
        before = cursor.fetchone()
        change = "SELECT " + ", ".join(["set_config(%s, %s, true)"] * len(values))
        cursor.execute(change, [text for pair in values.items() for text in pair])
        yield  # after an error the transaction or its savepoint is rolled back, and with it the values
        cursor.execute(change, [text for pair in zip(values, before, strict=True) for text in pair])


def by_index(found: Sql, most: int) -> list[int]:
    """Return the ids of at most so many records that a condition on descriptions finds, in no order. Only in a transaction."""
    return [key for key, _nothing in by_index_with(Sql("NULL"), found, most)]


def by_index_with(column: Sql, found: Sql, most: int) -> list[tuple[int, AnyValue]]:
    """Return the ids of records as `by_index` does, each with the value of a column of its description."""
    with database_settings(**_BY_INDEX), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT d.record_id, {column.text} FROM catalogue_description d WHERE {found.text} LIMIT %s",
            [*column.values, *found.values, most],
        )
        rows: list[tuple[int, AnyValue]] = cursor.fetchall()
    return rows


def array_of(numbers: Iterable[int]) -> str:
    """Return numbers as the text of an array, for `%s::bigint[]`: of an array of thousands, PostgreSQL would parse each as an expression."""
    return f"{{{','.join(map(str, numbers))}}}"


def estimate(found: Sql) -> float:
    """Return how many descriptions PostgreSQL expects that a condition finds: its statistics know the common terms."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (FORMAT JSON) SELECT d.record_id FROM catalogue_description d WHERE {found.text}", found.values
        )
        ((plans,),) = cursor.fetchall()
    return float(plans[0]["Plan"]["Plan Rows"])


def _has_texts_compared(condition: Condition) -> bool:
    return isinstance(condition, conditions.Phrase | conditions.WordsIn)


def _texts(found: Sql) -> list[tuple[int, list[str]]]:
    """Return the texts of records, by their ids. Raises QueryTooCostly if they are too many."""
    return [(key, _flat(*texts)) for key, *texts in _read(f"d.record_id, {_TEXTS}", _keys_to_compare(found))]


def _texts_of(found: Sql, column: str) -> list[tuple[int, str, list[str]]]:
    """Return ids of records, their languages, and the texts of an array. Raises QueryTooCostly if they are too many."""
    rows = _read(f"d.record_id, d.language, {column}", _keys_to_compare(found))
    return [(key, language, texts) for key, language, texts in rows]


def _keys_to_compare(found: Sql) -> list[int]:
    keys = by_index(found, LIMITS.in_force.compared + 1)
    if len(keys) > LIMITS.in_force.compared:
        raise QueryTooCostly("phrase")
    return keys


def _has_words_of(texts: Sequence[str], algorithm: str, asked: Sequence[frozenset[str]], *, are_adjacent: bool) -> bool:
    """Whether texts in a language have words, each by the stems that it may have: all of them, or in a row in one text."""
    stems = [[_stem_compared(piece, algorithm) for piece in search_terms.pieces(text)] for text in texts]
    if not are_adjacent:
        own = set(chain.from_iterable(stems))
        return all(own & each for each in asked)
    return any(
        all(stem in each for stem, each in zip(found[start:], asked, strict=False))
        for found in stems
        for start in range(len(found) - len(asked) + 1)
    )


def _flat(title: str, abstract: str, *several: Sequence[str]) -> list[str]:
    return [title, abstract, *chain.from_iterable(several)]


def _read(columns: str, keys: Sequence[int]) -> list[tuple[AnyValue, ...]]:
    """Read columns of these records."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {FROM} WHERE d.record_id = ANY(%s)", [list(keys)])
        rows: list[tuple[AnyValue, ...]] = cursor.fetchall()
    return rows


def _stems_compared(piece: str) -> frozenset[str]:
    """Return the stems that a word of a question may have in a text; a stop word is itself alone, which no other word is."""
    return frozenset({f" {piece}"}) if piece in search_terms.STOP_WORDS else search_terms.stems_asked(piece)


def _stem_compared(piece: str, algorithm: str) -> str:
    return f" {piece}" if piece in search_terms.STOP_WORDS else search_terms.word_of(piece, algorithm).stem


def _has_phrase(texts: Sequence[str], folded: tuple[str, ...]) -> bool:
    for text in texts:
        pieces = [search_terms.fold(piece) for piece in search_terms.pieces(text)]
        for start in range(len(pieces) - len(folded) + 1):
            if tuple(pieces[start : start + len(folded)]) == folded:
                return True
    return False


def _judge(keys: Sequence[int], judged: dict[int, bool], stems: frozenset[str], begin: str | None) -> bool:
    """Tell of each record whether it has a word with one of these stems, or that begins so. False: too many are to be read again.

    The stored texts have most words, and are read fast; what is not in them may be in the metadata.
    """

    def is_asked(folded: str, stem: str) -> bool:
        return stem in stems or (begin is not None and folded.startswith(begin))

    new = [key for key in keys if key not in judged]
    unclear = []
    for key, language, *texts in _read(f"d.record_id, d.language, {_TEXTS}", new):
        algorithm = search_terms.algorithm_of(language)
        pieces = {piece for text in _flat(*texts) for piece in search_terms.pieces(text)} - search_terms.STOP_WORDS
        if any(is_asked(*search_terms.word_of(piece, algorithm)) for piece in pieces):
            judged[key] = True
        else:
            unclear.append(key)
    if len(unclear) > LIMITS.in_force.read_again:
        return False
    for key, packed in _read("d.record_id, r.payload", unclear):
        try:
            lines = search_terms.of_metadata(iso19139.read(payload.unpack(packed))).words.decode().split("\n")
        except (payload.PayloadDamaged, xml_tree.Unusable):
            lines = []
        judged[key] = any(is_asked(*line.split(" ")) for line in lines if line)
    return all(key in judged for key in keys)
