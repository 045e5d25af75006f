"""Compare two XML documents for a reader: what differs, element by element, with the lines around it. No Django, no I/O.

`differences` takes two documents as bytes, or None where there is none. `templates/snippets/differences.html` displays the result:
`{% show_differences result %}` of `catalogue.templatetags.gisc_differences`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from catalogue.documents import alignment, xml_lines
from catalogue.documents.field_differences import FieldDifference, field_differences
from catalogue.documents.xml_lines import Document, Line


@dataclass(frozen=True, slots=True)
class DifferenceLimits:
    """How much of two documents is compared and displayed. The steps bound the time, whatever the documents are."""

    lines: int = 50_000  # of each document: 50 times a long record
    steps: int = 2_000_000  # of aligning: 1 to 2 s of CPU
    shown: int = 300  # differing lines that are displayed; a reader's patience ends before
    context: int = 2  # lines before and after a difference
    paths: int = 12  # elements named in the summary
    words_of: int = 20_000  # characters of a line in which differing words are marked; of longer ones, one stretch
    unmarked: int = 400  # characters of a text that is the same in both, in a differing line
    marked: int = 2_000  # characters of a text that differs


DEFAULTS = DifferenceLimits()


class Kind(StrEnum):
    """How two documents differ."""

    SAME = "same"  # byte for byte
    NOTATION = "notation"  # they say the same
    CONTENT = "content"
    ADDED = "added"  # there was none before
    REMOVED = "removed"  # there is none any more


class Notation(StrEnum):
    """What is written in another way and says the same."""

    WHITE_SPACE = "white-space"
    ATTRIBUTE_ORDER = "attribute-order"
    PREFIXES = "prefixes"
    COMMENTS = "comments"
    OTHER = "other"  # declarations of namespaces, encoding, quotes, entities, CDATA, what is around the root


class Sign(StrEnum):
    """What a row says."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"


class Part(NamedTuple):
    """A part of a line. `is_marked`: the other document has something else there."""

    text: str
    is_marked: bool = False


class Cell(NamedTuple):
    """A line of one document. `indent`: blanks before it, after which a long word does not begin a new line."""

    indent: str
    parts: tuple[Part, ...]


class Row(NamedTuple):
    """A line of both documents, or of one of them."""

    sign: Sign
    before: Cell | None
    after: Cell | None


class Hunk(NamedTuple):
    """Differences that are near each other, with the lines around them. `paths`: the elements that differ."""

    paths: tuple[str, ...]
    rows: tuple[Row, ...]


class Namespace(NamedTuple):
    """A namespace that only one of the documents declares. `side`: `before` or `after`."""

    side: str
    prefix: str
    uri: str


@dataclass(frozen=True, slots=True)
class Differences:
    """How two documents differ."""

    kind: Kind
    notations: tuple[Notation, ...] = ()
    paths: tuple[str, ...] = ()  # of the elements that differ, as `identificationInfo / citation / title`
    more_paths: int = 0
    hunks: tuple[Hunk, ...] = ()
    total: int = 0  # differing lines
    shown: int = 0  # of these in `hunks`
    compared_lines: int | None = None  # of each document, if one has more; what follows is not compared
    is_coarse: bool = False  # the documents differ so much that parts of them were not compared line by line
    is_text: bool = False  # not well-formed: compared as text
    namespaces: tuple[Namespace, ...] = ()
    fields: tuple[FieldDifference, ...] | None = (
        None  # that differ; None: one of them is no record, or there is only one
    )

    @property
    def left_out(self) -> int:
        """Differing lines that are not displayed."""
        return self.total - self.shown

    @property
    def is_same_content(self) -> bool:
        """Whether both say the same, as far as they were compared."""
        return self.kind in (Kind.SAME, Kind.NOTATION)


def differences(before: bytes | None, after: bytes | None, limits: DifferenceLimits = DEFAULTS) -> Differences:
    """Compare two documents. Either may be anything: XML, broken XML, text, or None for no document."""
    if before == after:
        return Differences(Kind.SAME)
    writer = xml_lines.LineWriter(limits.lines)
    documents = [None if document is None else writer.write(document) for document in (before, after)]
    if any(written is None and given is not None for written, given in zip(documents, (before, after), strict=True)):
        documents = [None if document is None else writer.write_text(document) for document in (before, after)]
    old, new = (document or Document([], False, True, {}) for document in documents)
    budget = alignment.Budget(limits.steps)
    pairs = alignment.align([line.key for line in old.lines], [line.key for line in new.lines], budget)
    found = _Finding(old.lines, new.lines, pairs, limits, budget)
    kind = Kind.ADDED if before is None else Kind.REMOVED if after is None else Kind.CONTENT
    notations = _notations(old, new, pairs)
    is_cut = old.is_cut or new.is_cut
    if not found.changed and kind is Kind.CONTENT:
        kind, notations = Kind.NOTATION, notations or (() if is_cut else (Notation.OTHER,))
    paths = list(dict.fromkeys(path for path in map(found.path_of, found.changed) if path))
    hunks = tuple(found.hunks())
    return Differences(
        kind,
        notations,
        tuple(paths[: limits.paths]),
        max(0, len(paths) - limits.paths),
        hunks,
        total=len(found.changed),
        shown=min(limits.shown, len(found.changed)),
        compared_lines=limits.lines if is_cut else None,
        is_coarse=budget.steps < 0,
        is_text=not (old.is_xml and new.is_xml),
        namespaces=tuple(_foreign(old, new, kind)),
        fields=field_differences(before, after) if kind is Kind.CONTENT and before and after else None,
    )


def _notations(old: Document, new: Document, pairs: Sequence[tuple[int, int]]) -> tuple[Notation, ...]:
    """Return what is written in another way in lines that say the same."""
    found: set[Notation] = set()
    for at, there in pairs:
        one, other = old.lines[at].notation, new.lines[there].notation
        if one is not other and one != other:
            found |= {kind for kind, left, right in zip(_BY_FIELD, one, other, strict=True) if left != right}
    return tuple(kind for kind in Notation if kind in found)


_BY_FIELD = (Notation.WHITE_SPACE, Notation.ATTRIBUTE_ORDER, Notation.PREFIXES, Notation.COMMENTS)


def _foreign(old: Document, new: Document, kind: Kind) -> Iterator[Namespace]:
    if kind is Kind.CONTENT:
        for side, mine, others in (("before", old, new), ("after", new, old)):
            for prefix, uri in mine.namespaces.items():
                if uri not in others.namespaces.values():
                    yield Namespace(side, prefix, uri)


class _Finding:
    """The rows of two documents. A row is a pair of positions, None where a document has no such line."""

    def __init__(
        self,
        old: list[Line],
        new: list[Line],
        pairs: list[tuple[int, int]],
        limits: DifferenceLimits,
        budget: alignment.Budget,
    ) -> None:
        self._old, self._new, self._limits, self._budget = old, new, limits, budget
        self._rows: list[tuple[int | None, int | None]] = []
        self.changed: list[int] = []  # positions in the rows
        begin, other = 0, 0
        position = 0
        while position <= len(pairs):
            end, other_end = pairs[position] if position < len(pairs) else (len(old), len(new))
            if (begin == end) != (other == other_end):
                later = self._inserted(begin, end, other, other_end, pairs[position:])
                position, end, other_end = position + later, end + later, other_end + later
            else:
                self._replaced(begin, end, other, other_end)
            if end < len(old) and position < len(pairs):
                self._rows.append((end, other_end))
            begin, other = end + 1, other_end + 1
            position += 1

    def _replaced(self, begin: int, end: int, other: int, other_end: int) -> None:
        """Add the rows of a stretch that differs: side by side are lines of the same element."""
        first = len(self._rows)
        paths = [_path_key(line) for line in self._old[begin:end]]
        other_paths = [_path_key(line) for line in self._new[other:other_end]]
        last, last_other = begin, other
        for at, there in alignment.align(paths, other_paths, self._budget):
            self._one_sided(last, begin + at, last_other, other + there)
            self._rows.append((begin + at, other + there))
            last, last_other = begin + at + 1, other + there + 1
        self._one_sided(last, end, last_other, other_end)
        self.changed += range(first, len(self._rows))

    def _inserted(self, begin: int, end: int, other: int, other_end: int, following: Sequence[tuple[int, int]]) -> int:
        """Add the rows of a stretch that only one document has: from its start tag on, if it may as well begin there.

        Returns by how many of the following pairs it begins later; their rows are added, too.
        """
        lines, low, high = (self._old, begin, end) if begin < end else (self._new, other, other_end)
        earlier, later = self._shift(lines, low, high, following)
        kept = [(begin - back, other - back) for back in range(earlier, 0, -1)]
        del self._rows[len(self._rows) - earlier :]
        self._rows += [(begin + number, other + number) for number in range(later)]
        first = len(self._rows)
        by = later - earlier
        if begin < end:
            self._one_sided(begin + by, end + by, other, other)
        else:
            self._one_sided(begin, begin, other + by, other_end + by)
        self.changed += range(first, len(self._rows))
        self._rows += [(at + end - begin, there + other_end - other) for at, there in kept]
        return later

    def _shift(self, lines: list[Line], low: int, high: int, following: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return by how many lines a stretch begins earlier, or later, to begin with a start tag; one of them is 0."""
        outermost = min(line.depth for line in lines[low:high])

        def begins_well(line: Line) -> bool:
            return line.depth == outermost and not line.text.startswith("</")

        most = len(self._rows) - (self.changed[-1] + 1 if self.changed else 0)
        earlier = 0
        while not begins_well(lines[low - earlier]):
            if earlier == most or lines[low - earlier - 1].key != lines[high - earlier - 1].key:
                break
            earlier += 1
        else:
            return earlier, 0
        later, size = 0, high - low
        while later < size and not begins_well(lines[low + later]):
            is_next = later < len(following) and following[later] == (following[0][0] + later, following[0][1] + later)
            if not is_next or lines[low + later].key != lines[high + later].key:
                return 0, 0
            later += 1
        return (0, later) if later < size else (0, 0)

    def _one_sided(self, begin: int, end: int, other: int, other_end: int) -> None:
        self._rows += [(each, None) for each in range(begin, end)]
        self._rows += [(None, each) for each in range(other, other_end)]

    def path_of(self, position: int) -> str:
        """Return the label of the element that a row belongs to; empty in a text."""
        place = self._line(position).place
        return "" if place is None else place.label()

    def _line(self, position: int) -> Line:
        at, there = self._rows[position]
        return self._old[at] if at is not None else self._new[there or 0]

    def hunks(self) -> Iterator[Hunk]:
        """Yield what is displayed: the first differences, and the lines around them."""
        context = self._limits.context
        groups: list[list[int]] = []
        for position in self.changed[: self._limits.shown]:
            if groups and position - groups[-1][-1] <= 2 * context + 1:
                groups[-1].append(position)
            else:
                groups.append([position])
        not_shown = set(self.changed[self._limits.shown : self._limits.shown + context])
        for group in groups:
            positions = range(max(0, group[0] - context), min(len(self._rows), group[-1] + context + 1))
            differing = set(group)
            kept = [position for position in positions if position not in not_shown]
            depth = min(self._line(position).depth for position in kept)
            paths = tuple(dict.fromkeys(path for path in map(self.path_of, group) if path))
            yield Hunk(paths[:3], tuple(self._row(position, depth, position in differing) for position in kept))

    def _row(self, position: int, depth: int, differs: bool) -> Row:
        at, there = self._rows[position]
        old = None if at is None else self._old[at]
        new = None if there is None else self._new[there]
        if old is None or new is None:
            sign = Sign.ADDED if old is None else Sign.REMOVED
            cells = [None if line is None else self._cell(line, depth, [Part(line.text)]) for line in (old, new)]
            return Row(sign, *cells)
        if not differs:
            return Row(Sign.SAME, *(self._cell(line, depth, [Part(line.text)]) for line in (old, new)))
        parts, other_parts = self._marked(old.text, new.text)
        return Row(Sign.CHANGED, self._cell(old, depth, parts), self._cell(new, depth, other_parts))

    def _cell(self, line: Line, depth: int, parts: Sequence[Part]) -> Cell:
        limits = self._limits
        shortened = tuple(
            Part(
                _shorten(part.text, limits.marked if part.is_marked or len(parts) == 1 else limits.unmarked),
                part.is_marked,
            )
            for part in parts
        )
        return Cell("\u00a0\u00a0" * (line.depth - depth), shortened)

    def _marked(self, old: str, new: str) -> tuple[list[Part], list[Part]]:
        """Return the parts of two lines; marked are the words that differ."""
        if max(len(old), len(new)) > self._limits.words_of:
            return _ends_alike(old, new)
        words, other_words = _WORD.findall(old), _WORD.findall(new)
        pairs = alignment.align(words, other_words, self._budget)
        return _parts(words, {at for at, _ in pairs}), _parts(other_words, {there for _, there in pairs})


_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def _path_key(line: Line) -> tuple[int, bool]:
    return (-1 if line.place is None else line.place.path), line.text.startswith("</")


def _ends_alike(old: str, new: str) -> tuple[list[Part], list[Part]]:
    """Return the parts of two long texts; marked is all between the beginning and the end that they have in common."""
    shorter = min(len(old), len(new))
    begin = bisect_left(range(1, shorter + 1), True, key=lambda size: old[:size] != new[:size])
    most = shorter - begin
    end = bisect_left(range(1, most + 1), True, key=lambda size: old[-size:] != new[-size:])
    return _three_parts(old, begin, end), _three_parts(new, begin, end)


def _three_parts(text: str, begin: int, end: int) -> list[Part]:
    stop = len(text) - end
    return [part for part in (Part(text[:begin]), Part(text[begin:stop], True), Part(text[stop:])) if part.text]


def _parts(words: Sequence[str], same: set[int]) -> list[Part]:
    """Join words to parts. White space between two marked words is marked, too."""
    marks = [position not in same for position in range(len(words))]
    for position in range(1, len(words) - 1):
        if words[position].isspace() and marks[position - 1] and marks[position + 1]:
            marks[position] = True
    parts: list[Part] = []
    begin = 0
    for position in range(1, len(words) + 1):
        if position == len(words) or marks[position] != marks[begin]:
            parts.append(Part("".join(words[begin:position]), marks[begin]))
            begin = position
    return parts


def _shorten(text: str, length: int) -> str:
    """Leave out the middle of a text that is too long."""
    return text if len(text) <= length else f"{text[: length // 2]} … {text[-(length // 2) :]}"
