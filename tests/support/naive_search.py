"""What search has to find, decided by a naive filter in Python over all real records: without terms, tiers or the database."""

import functools
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from catalogue import oai
from catalogue.documents import iso19139, languages, search_terms, xml_tree
from catalogue.models import Record
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import (
    All,
    Among,
    Changed,
    Compare,
    Condition,
    During,
    InSet,
    Is,
    IsNull,
    Like,
    Meets,
    MetadataDate,
    Not,
    Phrase,
    Words,
    WordsIn,
)
from catalogue.writing import read_document, store
from catalogue.writing.entry import PreparedEntry
from tests.support.paths import shared
from tests.support.world import TOULOUSE, own_set, peer_set, restamp_all


class Naive:
    """A record as the test reads it, word by word, without terms, tiers in one number, or the database."""

    def __init__(self, record: Record, fields: iso19139.Metadata, spec: str) -> None:
        self.record, self.fields, self.spec = record, fields, spec
        language = fields.language
        translated = [(each.name, each.text, each.language or language) for each in fields.translations]
        self.tiers = [
            [(fields.title, language), *((text, code) for name, text, code in translated if name == "title")],
            [(text, language) for text in (*fields.keywords, *fields.categories)]
            + [(text, code) for name, text, code in translated if name == "keyword"],
            [(text, language) for text in (fields.abstract, *fields.organisations, *fields.persons)]
            + [(text, code) for name, text, code in translated if name not in ("title", "keyword")]
            + [(word, "") for word in search_terms.words_of_identifier(fields.identifier)],
        ]
        self.words = _words_of_tiers(bytes(fields.digest), tuple(map(tuple, self.tiers)))

    @property
    def texts(self) -> list[str]:
        fields = self.fields
        return [fields.title, fields.abstract, *fields.keywords, *fields.categories, *fields.organisations]

    @property
    def identifier(self) -> str:
        return self.fields.identifier


def _words(text: str, language: str) -> Iterable[search_terms.Word]:
    algorithm = search_terms.algorithm_of(language)
    for piece in search_terms.pieces(text):
        if piece not in search_terms.STOP_WORDS:
            yield search_terms.word_of(piece, algorithm)


# What a process has read it keeps: many tests have a world of their own, and reading takes most of its time.


@functools.cache
def _words_of_tiers(_digest: bytes, tiers: tuple[tuple[tuple[str, str], ...], ...]) -> list[set[search_terms.Word]]:
    return [{word for text, code in texts for word in _words(text, code)} for texts in tiers]


@functools.cache
def _documents() -> tuple[bytes, ...]:
    return tuple(file.read_bytes() for file in sorted(shared("data/iso19139").rglob("*.xml")))


@functools.cache
def _parsed(first: int, step: int) -> list[tuple[bytes, read_document.ParsedDocument | PreparedEntry]]:
    parsed = []
    for document in _documents()[first::step]:
        with suppress(xml_tree.Unusable):
            parsed.append((document, read_document.read(document)))
    return parsed


@functools.cache
def _fields_by_digest() -> dict[bytes, iso19139.Metadata]:
    read = {}
    for document in _documents():
        with suppress(xml_tree.Unusable):
            fields = iso19139.read(xml_tree.root_element(document))
            read[fields.digest] = fields
    return read


@functools.cache
def _stems_by_begin(words: frozenset[search_terms.Word]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in words:
        for length in range(1, len(word.folded) + 1):
            found.setdefault(word.folded[:length], set()).add(word.stem)
    return found


class World:
    """All real records, or each so many-th of them, as the test reads them, and all their words."""

    def __init__(self, each: int = 1, *, by_beginning: bool = True) -> None:
        self.by_beginning = by_beginning  # else a word is a whole word, and no beginning of an identifier
        own, toulouse = own_set(), peer_set(TOULOUSE)
        self.records: list[Naive] = []
        for part, into in ((0, own), (1, toulouse)):
            entries = [store.pack_document(*read) for read in _parsed(part * each, 2 * each)]
            store.put_entries(entries, into=into, source="" if into == own else "toulouse")
        stored = enumerate(Record.objects.order_by("id").values_list("identifier", flat=True))
        restamp_all({name: f"2020-{1 + number % 12:02}-01T00:00:00Z" for number, name in stored if number % 7 == 0})
        for record in Record.objects.select_related("owner").filter(deleted=False).order_by("id"):
            self.records.append(Naive(record, _fields_by_digest()[bytes(record.digest)], record.owner.spec))
        assert len(self.records) > 1000 // each
        every = frozenset(word for each in self.records for words in each.words for word in words)
        self.stems_by_begin = _stems_by_begin(every)

    # --- The naive filter ---------------------------------------------------------------------------------

    def stems(self, piece: str) -> frozenset[str]:
        folded = search_terms.fold(piece)
        begins = self.by_beginning and len(folded.encode()) >= 3
        begun = self.stems_by_begin.get(folded, set()) if begins else set()
        return search_terms.stems_asked(piece) | (begun if len(begun) <= 500 else set())

    def tier(self, text: str, each: Naive) -> int | None:
        """The tier in which a record has all these plain words, 0 if its identifier begins with them; None if it has not."""
        begin, key = oai.oai_identifier(text).lower() if " " not in text else "", each.record.key.lower()
        if ":" not in text and "/" not in text:
            begin, key = search_terms.last_part(begin), search_terms.last_part(key)
        if self.by_beginning and len(begin) >= 3 and key.startswith(begin):
            return 0
        stems = [self.stems(piece) for piece in search_terms.pieces(text) if piece not in search_terms.STOP_WORDS]
        if not stems:
            return None
        for tier in (1, 2, 3):
            own = {word.stem for words in each.words[:tier] for word in words}
            if all(asked & own for asked in stems):
                return tier
        return None

    def matches(self, condition: Condition, each: Naive) -> bool:
        fields, record = each.fields, each.record
        match condition:
            case All(parts):
                return all(self.matches(one, each) for one in parts)
            case conditions.Any(parts):
                return any(self.matches(one, each) for one in parts)
            case Not(part):
                return not self.matches(part, each)
            case Words(text):
                return self.tier(text, each) is not None
            case Phrase(text):
                wanted = [search_terms.fold(piece) for piece in search_terms.pieces(text)]
                return any(
                    _contains([search_terms.fold(p) for p in search_terms.pieces(t)], wanted) for t in each.texts
                )
            case WordsIn(name, text, are_adjacent):
                return self.has_words_in(name, text, each, are_adjacent=are_adjacent)
            case Meets(west, south, east, north):
                return any(_meet(box, (west, south, east, north)) for box in fields.boxes)
            case During(begins, ends):
                if (fields.begins is None and fields.ends is None) or (begins and ends and begins > ends):
                    return False
                first, last = fields.begins, fields.ends
                if first is not None and last is not None and first > last:
                    first, last = last, first
                return (ends is None or first is None or first <= ends) and (
                    begins is None or last is None or last >= begins
                )
            case MetadataDate(since, until):
                return _within(fields.metadata_date, since, until)
            case Changed(since, until):
                return _within(record.datestamp, since, until)
            case InSet(spec):
                return spec in (each.spec, "WIS-CATALOGUE")
            case Among(identifiers):
                return each.identifier in identifiers
            case Is("language_code", values):
                return languages.language_code(each.fields.language) in map(languages.language_code, values)
            case Is(name, values):
                return bool(set(values) & self.values(name, each))
            case Compare(name, operator, value):
                own = self.value(name, each)
                return (
                    own not in ("", None)
                    and {
                        "=": own == value,
                        "<>": own != value,
                        "<": own < value,
                        ">": own > value,
                        "<=": own <= value,
                        ">=": own >= value,
                    }[operator]
                )
            case Like(name, pattern, ignores_case):
                own, inner = str(self.value(name, each) or ""), pattern.strip("%")
                return (inner.lower() in own.lower()) if ignores_case else inner in own
            case IsNull(name):
                return not any(self.values(name, each))

    def has_words_in(self, name: str, text: str, each: Naive, *, are_adjacent: bool) -> bool:
        fields, pieces = each.fields, search_terms.pieces(text)
        if len(pieces) < 2 or not are_adjacent:
            pieces, are_adjacent = [piece for piece in pieces if piece not in search_terms.STOP_WORDS], False
        stops = search_terms.STOP_WORDS  # a stop word is no form of another word
        asked = [{f"stop {piece}"} if piece in stops else search_terms.stems_asked(piece) for piece in pieces]
        texts = {
            "title": [fields.title],
            "abstract": [fields.abstract],
            "subject": [*fields.keywords, *fields.categories],
            "organisation": fields.organisations,
        }[name]
        algorithm = search_terms.algorithm_of(fields.language)
        rows = [
            [
                f"stop {piece}" if piece in stops else search_terms.word_of(piece, algorithm).stem
                for piece in search_terms.pieces(one)
            ]
            for one in texts
        ]
        if are_adjacent:
            return any(
                all(own in stems for own, stems in zip(row[start:], asked, strict=False))
                for row in rows
                for start in range(len(row) - len(asked) + 1)
            )
        own = {word.stem for word in each.words[0]} if name == "title" else {stem for row in rows for stem in row}
        return bool(asked) and all(stems & own for stems in asked)

    def value(self, name: str, each: Naive):
        fields = each.fields
        return {
            "id": fields.identifier,
            "title": fields.title,
            "abstract": fields.abstract,
            "type": fields.kind,
            "language": fields.language,
            "policy": fields.policy,
            "centre": next(iter(fields.organisations), ""),
            "updated": each.record.datestamp,
            "created": fields.metadata_date,
        }[name]

    def values(self, name: str, each: Naive) -> set[str]:
        fields = each.fields
        if name == "language_code":
            return {languages.language_code(fields.language)}
        several = {"keyword": fields.keywords, "category": fields.categories, "organisation": fields.organisations}
        return set(several[name]) if name in several else {self.value(name, each)}


def _contains(pieces: list[str], wanted: list[str]) -> bool:
    return any(pieces[start : start + len(wanted)] == wanted for start in range(len(pieces) - len(wanted) + 1))


def _within(instant: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    return instant is not None and (since is None or instant >= since) and (until is None or instant <= until)


def _meet(one, other) -> bool:
    """Whether boxes meet, by laying one beside the other all around the world."""
    if one[3] < other[1] or other[3] < one[1]:
        return False

    def ends(box) -> tuple[float, float]:
        west, _south, east, _north = box
        while east < west:
            east += 360
        return west, east

    (west, east), (least, most) = ends(one), ends(other)
    return any(west <= most + turn and least + turn <= east for turn in range(-1440, 1441, 360))
