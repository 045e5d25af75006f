"""Mark in a text what a search has found it by."""

import re
from collections.abc import Iterable
from html import escape  # Django's takes several times as long for a short text

from django.utils.safestring import SafeString, mark_safe

from catalogue.documents import search_terms
from catalogue.reading.query import conditions, words
from catalogue.reading.query.conditions import Condition

_RUN = re.compile(r"[^\W_]+(?:[\u0300-\u036f\u064b-\u065f][^\W_]*)*")
_MOST_CHARACTERS = 20_000


class Highlighter:
    """Marks words that a search asks for, in any text."""

    def __init__(self, condition: Condition) -> None:
        texts = [
            leaf.text for leaf in conditions.leaves(condition) if isinstance(leaf, conditions.Words | conditions.Phrase)
        ]
        asked = [
            asked for text in texts for alternative in words.read(text) for asked in alternative if asked.is_wanted
        ]
        self._pieces = {piece for each in asked for piece in each.pieces if piece not in search_terms.STOP_WORDS}
        self._stems = frozenset().union(*map(search_terms.stems_asked, self._pieces))
        self._begins = tuple(
            folded
            for each in asked
            if each.by_beginning and len(each.pieces[0].encode()) >= words.LEAST_BYTES_OF_BEGINNING
            for folded in (search_terms.fold(each.pieces[0]),)
        )
        self._pairs = {piece for piece in self._pieces if search_terms.is_pair(piece)}
        self._judged: dict[str, bool] = {}
        self._initials = _initials((*self._stems, *self._begins))
        self._ascii_run = re.compile(f"(?<![A-Za-z0-9])[{''.join(sorted(self._initials))}][A-Za-z0-9]*")

    def mark(self, text: str) -> SafeString:
        """Return a text as HTML, with what was asked for in <mark>."""
        text = text[:_MOST_CHARACTERS]
        if not self._pieces:
            return mark_safe(escape(text))  # escaped  # nosec B308
        made, last = [], 0
        for start, end in self._found(text):
            made += [escape(text[last:start]), "<mark>", escape(text[start:end]), "</mark>"]
            last = end
        return mark_safe("".join([*made, escape(text[last:])]))  # escaped piece by piece  # nosec B308

    def excerpt(self, text: str, characters: int) -> SafeString:
        """Return the part of a text around the first thing that was asked for, as HTML."""
        first = next(iter(self._found(text[:_MOST_CHARACTERS])), (0, 0))[0]
        start = 0
        if first > characters // 2:
            start = text.rfind(" ", 0, first - characters // 4) + 1
        end = start + characters
        if end < len(text):  # not within a word or a number, where words have spaces between them
            space = text.rfind(" ", start + characters * 3 // 4, end + 1)
            end = space if space >= 0 else end
        part = text[start:end]
        before, after = ("… " if start else ""), (" …" if end < len(text) else "")
        return mark_safe(f"{before}{self.mark(part)}{after}")  # by `mark`  # nosec B308

    def _found(self, text: str) -> Iterable[tuple[int, int]]:
        return self._found_in_ascii(text) if text.isascii() else self._found_in_any(text)

    def _found_in_ascii(self, text: str) -> Iterable[tuple[int, int]]:
        """Find the same faster: a word is one piece, which is folded when it is in lower case."""
        judged = self._judged
        for run in self._ascii_run.finditer(text):
            word = run[0]
            is_asked = judged.get(word)
            if is_asked is None:
                lowered = word.lower()
                is_asked = judged[word] = self._matches(lowered, lowered)
            if is_asked:
                yield run.span()

    def _found_in_any(self, text: str) -> Iterable[tuple[int, int]]:
        for run in _RUN.finditer(text):
            word = run[0]
            if not word.isascii() and search_terms.is_unspaced(word[0]):
                yield from self._found_pairs(word, run.start())
            elif self._is_asked(word):
                yield run.span()

    def _found_pairs(self, run: str, offset: int) -> Iterable[tuple[int, int]]:
        marked = [
            index
            for index in range(len(run))
            if {run[index : index + 2], run[max(index - 1, 0) : index + 1]} & self._pairs or run[index] in self._pieces
        ]
        for index in marked:
            if index - 1 not in marked:
                end = index
                while end in marked:
                    end += 1
                yield offset + index, offset + end

    def _is_asked(self, word: str) -> bool:
        found = self._judged.get(word)
        if found is None:
            found = self._judged[word] = self._judge(word)
        return found

    def _judge(self, word: str) -> bool:
        if word.isascii() and word[0] not in self._initials:
            return False
        return any(self._matches(piece, search_terms.fold(piece)) for piece in search_terms.pieces(word))

    def _matches(self, piece: str, folded: str) -> bool:
        return folded.startswith(self._begins) or not self._stems.isdisjoint(search_terms.stems_asked(piece))


def _initials(asked: Iterable[str]) -> frozenset[str]:
    """Return the letters that words of ASCII begin with of which a stem may be one of these, or begin with one.

    A stem begins as its word does. The Dutch algorithm alone takes off what stands before it, which is "ge".
    """
    letters = {each[:1] for each in asked if each[:1].isascii() and each[:1].isalnum()}
    return frozenset(case for letter in {*letters, "g"} for case in (letter, letter.upper()))
