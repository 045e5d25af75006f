"""Make SQL of conditions (`catalogue.reading.query.statements.Sql`).

The index of terms answers what it can, and says too much where two words have one checksum, where words have to stand next to
one another, and for boxes; each such condition is made exact here, so a statement finds what the condition says and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any as AnyValue

from catalogue import oai
from catalogue.documents import bounding_box, search_terms
from catalogue.documents.languages import language_code
from catalogue.models import MetadataSet, Record
from catalogue.reading.query import conditions, words
from catalogue.reading.query.comparing import has_phrase, has_words, judge, stems_compared, texts_of_all, texts_of_field
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.statements import (
    LIMITS,
    QueryTooCostly,
    Sql,
    all_of,
    by_index,
    column_of,
    has_term,
    join,
    keys_among,
)
from catalogue.reading.query.words import Asked
from catalogue.reading.viewers import ANYBODY, Viewer

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


@dataclass(slots=True)
class Compiler:
    """Makes SQL of the conditions of one search. `notes`: codes of what was not looked for, with the word.

    `among`: find of these records alone those that a set which is defined by a search has. Whether a record is in it hangs on
    nothing but the record, so words are whole words in all their forms, and no number of other hits or words ends the search.
    """

    viewer: Viewer = ANYBODY
    among: Sql | None = None
    notes: list[tuple[str, str]] = field(default_factory=list)
    worst_tier: int = search_terms.TEXT
    _judged: dict[tuple[str, bool], dict[int, bool]] = field(default_factory=dict)
    _begun: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    _named: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    _looked_up: dict[tuple[str, bool], tuple[set[int], set[int]]] = field(default_factory=dict)
    _languages: dict[frozenset[str], list[str]] = field(default_factory=dict)

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
                return join(" OR ", made, "false", is_indexed=all(part.is_indexed for part in made))
            case conditions.Not(part):
                made_part = self.sql(part)
                return Sql(f"(({made_part.text}) IS NOT TRUE)", made_part.values)
            case conditions.Words(text):
                return self._words(text)
            case conditions.Phrase() | conditions.WordsIn():
                return self._compared_texts(condition, self._around)
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
        parts = conditions.with_one_time(conditions.conjuncts(condition))
        made = [self.sql(part) for part in parts if not _has_texts_compared(part)]
        narrow = all_of(self._around, *(part for part in made if not part.needs_record))
        for part in parts:
            if _has_texts_compared(part):
                narrow = all_of(narrow, self._compared_texts(part, narrow))
        return narrow, all_of(*(part for part in made if part.needs_record))

    def _all(self, parts: Sequence[Condition]) -> Sql:
        parts = conditions.with_one_time(parts)
        compared = [part for part in parts if _has_texts_compared(part)]
        made = [self.sql(part) for part in parts if part not in compared]
        around = all_of(self._around, *made)
        for part in compared:
            found = self._compared_texts(part, around)
            around = join(" AND ", [around, found], "true", is_indexed=True)
        return around

    @property
    def _around(self) -> Sql:
        """What every hit is, before any condition."""
        return self.among or Sql("true")

    # --- Words ------------------------------------------------------------------------------------------

    def _words(self, text: str) -> Sql:
        text = text.strip()
        if not text:
            return Sql("true")
        if self.among is not None:
            return join(" OR ", [self._all_asked(each) for each in words.read(text)], "false", is_indexed=True)
        if text not in self._named:
            identified = _identified(text)
            self._named[text] = (identified, [] if identified else self._identifiers_begun(text))
        identified, begun = self._named[text]
        if identified:
            return keys_among(identified)
        if words.are_too_many(text):
            self._note("left-out", str(words.MOST_WORDS))
        alternatives = [
            self._all_asked(alternative) for alternative in words.read(text) if self.worst_tier > search_terms.FILTER
        ]
        if begun:
            alternatives.append(keys_among(begun))
        if not alternatives:
            return Sql("false", is_indexed=True)
        return join(" OR ", alternatives, "false", is_indexed=all(each.is_indexed for each in alternatives))

    def _identifiers_begun(self, text: str) -> list[int]:
        """Return the records whose identifier begins with a text that has a colon or slash, or whose last part with one that has none."""
        if " " in text:
            return []
        begin = oai.oai_identifier(text).lower()
        is_whole = ":" in text or "/" in text
        if not is_whole:
            begin = search_terms.last_part(begin)
        if len(begin) < words.LEAST_BYTES_OF_BEGINNING:
            return []
        compared = "lower(key)" if is_whole else "catalogue_last_part(key)"
        keys = column_of(
            f"SELECT id FROM catalogue_record WHERE {compared} LIKE %s AND NOT deleted LIMIT %s",
            [f"{_escape_like(begin)}%", LIMITS.in_force.identifiers + 1],
        )
        if len(keys) > LIMITS.in_force.identifiers:
            self._note("identifiers", text)
            return []
        return keys

    def _all_asked(self, alternative: Sequence[Asked]) -> Sql:
        single = [self._word(asked) for asked in alternative if not asked.is_phrase and asked.is_wanted]
        around = join(" AND ", [self._around, *single], "true", is_indexed=bool(single) or self.among is not None)
        for asked in alternative:
            if asked.is_phrase and asked.is_wanted:
                around = join(" AND ", [around, self._phrase(asked.pieces, around)], "true", is_indexed=True)
        unwanted = [
            self._phrase(asked.pieces, around) if asked.is_phrase else self._word(replace(asked, by_beginning=True))
            for asked in alternative
            if not asked.is_wanted
        ]
        parts = [around, *(Sql(f"NOT ({each.text})", each.values) for each in unwanted)]
        return join(" AND ", parts, "true", is_indexed=True)

    def _word(self, asked: Asked) -> Sql:
        (piece,) = asked.pieces
        begun = self._numbers_begun(piece) if asked.by_beginning and self.among is None else ()
        if begun is None:
            self._note("words", piece)
            begun = ()
        numbers, mixed = self._numbers(piece, begun)
        if not numbers:
            return Sql("false", is_indexed=True)
        usual = search_terms.checksum(search_terms.word_of(piece, "").stem)  # of most records that have the word
        ordered = sorted(numbers, key=lambda number: (number != usual, number))
        found = has_term([search_terms.term(number, tier) for tier in reversed(self._tiers) for number in ordered])
        if not mixed:
            return found
        return self._compared(found, mixed, search_terms.stems_asked(piece), piece, has_begun=bool(begun))

    def _numbers(self, piece: str, begun: tuple[int, ...]) -> tuple[set[int], set[int]]:
        """Return the checksums of a word that the vocabulary has, with those that begin so, and which of them other words have, too."""
        looked_up = (piece, bool(begun))
        if looked_up not in self._looked_up:
            stems = search_terms.stems_asked(piece)
            # What is not in the vocabulary no record has: without it, PostgreSQL expects fewer hits and looks up less.
            numbers = set(begun).union(
                column_of(
                    "SELECT number FROM catalogue_word WHERE number = ANY(%s)",
                    [list({search_terms.checksum(stem) for stem in stems})],
                )
            )
            others = column_of(
                "SELECT DISTINCT number FROM catalogue_word"
                " WHERE number = ANY(%s) AND stem <> ALL(%s) AND NOT (%s AND folded ^@ %s)",
                [list(numbers), list(stems), bool(begun), search_terms.fold(piece)],
            )
            self._looked_up[looked_up] = numbers, set(others) & self._mixed(others)
        return self._looked_up[looked_up]

    @property
    def _tiers(self) -> range:
        return range(search_terms.TITLE, self.worst_tier + 1)

    def _mixed(self, numbers: Sequence[int]) -> set[int]:
        """Return those of these checksums that several stems of the vocabulary have."""
        if not numbers:
            return set()
        return set(
            column_of(
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
            found = column_of(
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
                has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), tier))
                for piece in dict.fromkeys(pieces)
                if piece not in search_terms.STOP_WORDS
            ),
        )
        if not candidates.is_indexed:
            raise QueryTooCostly("phrase")
        asked = [stems_compared(piece) for piece in pieces]
        return keys_among(
            [
                key
                for key, language, texts in texts_of_field(candidates, _COLUMNS_OF_FIELD[name])
                if has_words(texts, search_terms.algorithm_of(language), asked, are_adjacent=are_adjacent)
            ]
        )

    def _phrase(self, pieces: Sequence[str], around: Sql) -> Sql:
        """Find records with these words next to one another, among those of `around`. Raises QueryTooCostly."""
        wanted = [piece for piece in dict.fromkeys(pieces) if piece not in search_terms.STOP_WORDS]
        terms = [
            has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), self.worst_tier))
            for piece in wanted
        ]
        narrow = Sql("true") if around.needs_record else around
        candidates = join(" AND ", [narrow, *terms], "true", is_indexed=True)
        folded = tuple(map(search_terms.fold, pieces))
        keys = [key for key, texts in texts_of_all(candidates) if has_phrase(texts, folded)]
        return keys_among(keys)

    def _compared(self, found: Sql, mixed: set[int], stems: frozenset[str], piece: str, *, has_begun: bool) -> Sql:
        """Leave out the records that have only another word with one of these checksums.

        Of very many, none is left out, and `notes` says so: else one odd word of one record would make a common word unusable.
        """
        doubtful = has_term([search_terms.term(number, tier) for number in sorted(mixed) for tier in self._tiers])
        judged = self._judged.setdefault((piece, has_begun), {})
        begin = search_terms.fold(piece) if has_begun else None
        if self.among is not None:
            keys = by_index(all_of(self.among, doubtful), LIMITS.in_force.compared)
            for start in range(0, len(keys), LIMITS.in_force.read_again):
                judge(keys[start : start + LIMITS.in_force.read_again], judged, stems, begin)
        else:
            keys = by_index(doubtful, LIMITS.in_force.compared + 1)
        if len(keys) > LIMITS.in_force.compared or not judge(keys, judged, stems, begin):
            self._note("unchecked", piece)
            return found
        kept = [key for key in keys if judged[key]]
        clean = Sql(f"({found.text}) AND NOT ({doubtful.text})", (*found.values, *doubtful.values), is_indexed=True)
        return join(" OR ", [clean, keys_among(kept)], "false", is_indexed=True)

    # --- Other conditions ---------------------------------------------------------------------------------

    def _in_set(self, spec: str) -> Sql:
        if spec == oai.CATALOGUE_SET:
            return Sql("true")
        if self.among is not None:
            return Sql(_IN_ANY_SET, (spec,), is_indexed=True)
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
        if name == "language_code":
            return self._is("language", self._written_languages(frozenset(map(language_code, values))))
        if name in ("type", "language", "policy"):
            exact = Sql(f"{_FIELDS[name]} = ANY(%s)", (wanted,))
            if "" in wanted:
                return exact
            terms = has_term([search_terms.filter_term(name, value) for value in wanted])
            return join(" AND ", [terms, exact], "true", is_indexed=True)
        column = _LISTS.get(name, "d.organisations")
        exact = Sql(f"{_FIELDS['centre']} = ANY(%s)" if name == "centre" else f"{column} && %s", (wanted,))
        tier = search_terms.TEXT if column == "d.organisations" else search_terms.KEYWORD
        possible = [_has_words(value, tier) for value in wanted]
        return join(
            " AND ",
            [join(" OR ", possible, "true", is_indexed=False), exact],
            "true",
            is_indexed=all(each.is_indexed for each in possible),
        )

    def _written_languages(self, codes: frozenset[str]) -> list[str]:
        """Return all texts by which records name languages with these codes."""
        if codes not in self._languages:
            most = LIMITS.in_force.languages
            if self.among is not None:
                asked = f"SELECT DISTINCT d.language FROM catalogue_description d WHERE {self.among.text}"
                written = column_of(asked, self.among.values)
            else:
                written = column_of(_LANGUAGES, [most + 1])
                if len(written) > most:
                    self._note("languages", "")
            self._languages[codes] = [each for each in written if language_code(each) in codes]
        return self._languages[codes]


# Each step finds the next one in the index, so the statement costs what there are languages, not records.
_LANGUAGES = """
    WITH RECURSIVE written AS (
        (SELECT language FROM catalogue_description ORDER BY language LIMIT 1)
        UNION ALL
        SELECT (SELECT d.language FROM catalogue_description d WHERE d.language > written.language ORDER BY d.language LIMIT 1)
        FROM written WHERE written.language IS NOT NULL
    ) SELECT language FROM written WHERE language IS NOT NULL LIMIT %s
"""
_IN_ANY_SET = (
    "EXISTS (SELECT FROM catalogue_membership m JOIN catalogue_metadataset s ON s.id = m.set_id"
    " WHERE m.record_id = d.record_id AND s.spec = %s AND NOT m.deleted)"
)


def _identified(text: str) -> list[int]:
    """Return the live record with this identifier, else those that differ from it in a case without meaning."""
    named = list(Record.objects.named(text).filter(deleted=False).values_list("pk", flat=True))
    return named or list(Record.objects.in_another_case(text).values_list("pk", flat=True))


def _has_words(value: str, tier: int) -> Sql:
    """Find candidates for a value that is among the texts of a record: they have all its words in this tier or a better one."""
    pieces = [piece for piece in dict.fromkeys(search_terms.pieces(value)) if piece not in search_terms.STOP_WORDS]
    parts = [has_term(search_terms.word_terms(sorted(search_terms.stems_asked(piece)), tier)) for piece in pieces]
    return join(" AND ", parts, "true", is_indexed=bool(parts))


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
    return join(" AND ", [join(" OR ", places, "false", is_indexed=True), exact], "true", is_indexed=True)


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
    return join(" AND ", parts or [Sql(f"{column} IS NOT NULL")], "true", is_indexed=False)


def _among(identifiers: Sequence[str]) -> Sql:
    given = [identifier.strip() for identifier in identifiers]
    keys = [oai.oai_identifier(identifier) for identifier in given]
    return keys_among(
        column_of(
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


def _has_texts_compared(condition: Condition) -> bool:
    return isinstance(condition, conditions.Phrase | conditions.WordsIn)
