"""The condition of a search as SQL, whole and in each tier of relevance. No I/O but to look up words."""

from collections.abc import Sequence

from catalogue.documents import search_terms
from catalogue.reading.query import conditions, words
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.orders import Order
from catalogue.reading.query.sql import Compiler
from catalogue.reading.query.statements import ALL_RECORDS, Separated, Sql, all_of, is_of_terms, separated
from catalogue.reading.viewers import Viewer

_ALL = (search_terms.FILTER, search_terms.TITLE, search_terms.KEYWORD, search_terms.TEXT)


class Tiers:
    """The tiers that the hits of a search are sorted by, the best first, and what their hits are.

    `numbers`: the tiers; one where there are no words to be relevant.
    """

    def __init__(self, condition: Condition, order: Order, viewer: Viewer) -> None:
        self._condition = condition
        self._compiler = Compiler(viewer)
        self._whole: Separated | None = None
        self._by_tier: dict[int, Separated] = {}
        self._words_by_tier: dict[int, Separated] = {}
        self._has_unwanted = _has_unwanted(condition)
        has_words = any(isinstance(leaf, conditions.Words) for leaf in conditions.leaves(condition))
        self.numbers = _ALL if has_words and order == "relevance" else (search_terms.TEXT,)

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What was not looked for, as `search.Page` has it."""
        return tuple(self._compiler.notes)

    @property
    def whole(self) -> Separated:
        """The condition, whatever the tier of a hit."""
        if self._whole is None:
            self._whole = self._compiler.split(self._condition)
        return self._whole

    def better(self, tier: int) -> Separated:
        """Return the condition for words of a tier, or of one above."""
        if tier not in self._by_tier:
            self._by_tier[tier] = self._compiler.in_tier(tier).split(self._condition)
        return self._by_tier[tier]

    def parts(self, tier: int) -> tuple[Sql, ...]:
        """Return what the hits of a tier are, and those of tiers above."""
        if tier == search_terms.TEXT:
            return self.whole
        # The index would read all hits of a word, to find the few that have it in the title: the words of the tier alone are
        # looked up where that is enough. It is not where a word is not wanted: in a better tier fewer records have it.
        better = self.better(tier)
        return (*self.whole, *better) if self._has_unwanted else better

    def apart_from(self, known: set[int], others: Sequence[Sql], tier: int) -> Separated:
        """Return what the hits of a tier are that are not these ids, and of which these other conditions are true."""
        unknown = [Sql("d.record_id <> ALL(%s)", (list(known),))] if known else []
        return separated(*self.parts(tier), *others, *unknown)

    def by_index(self, rest: Sql) -> list[tuple[int, Sql]] | None:
        """Return what an index finds of each tier above the last and of those above it, the best first; None if a tier hangs on more.

        It costs less than to look into the terms of each hit.
        """
        if self._has_unwanted:
            return None
        found = []
        for tier in self.numbers[:-1]:
            narrow, rest_of_tier = self.better(tier)
            if rest_of_tier != rest:
                return None
            if narrow.text != "false":
                found.append((tier, narrow))
        return found

    def by_words(self) -> list[tuple[int, Sql]] | None:
        """Return which records of the catalogue have the words in each tier above the last or those above it, the best first; None
        where the indexes alone do not tell. All else is true of hits."""
        found = []
        for tier in self.numbers[:-1]:
            better, of_record = self._words_in(tier)
            if of_record != ALL_RECORDS or not better.is_indexed or not is_of_terms(better):
                return None
            if better.text != "false":
                found.append((tier, better))
        return found

    def column(self) -> Sql:
        """Return the tier of a hit, as SQL of its description. Of its words alone: all else is true of hits.

        Most hits are of the last tier: the one before it is looked at first, which has all that those above it have.
        """
        cases: list[Sql] = []
        for tier in reversed(self.numbers[:-1]):
            better, of_record = self._words_in(tier)
            if of_record != ALL_RECORDS:  # words in an alternative to a condition on the record
                better = all_of(
                    better,
                    Sql(
                        f"EXISTS (SELECT FROM catalogue_record r WHERE r.id = d.record_id AND ({of_record.text}))",
                        of_record.values,
                    ),
                )
            cases.append(Sql(f"WHEN ({better.text}) IS NOT TRUE THEN {tier + 1}", better.values))
        if not cases:
            return Sql(str(search_terms.TEXT))
        text = " ".join(case.text for case in cases)
        return Sql(
            f"CASE {text} ELSE {search_terms.FILTER} END", tuple(value for case in cases for value in case.values)
        )

    def _words_in(self, tier: int) -> Separated:
        """Return the condition for words of a tier, or of one above, without all else."""
        if tier not in self._words_by_tier:
            of_words = conditions.All(tuple(filter(_has_words, conditions.conjuncts(self._condition))))
            self._words_by_tier[tier] = self._compiler.in_tier(tier).split(of_words)
        return self._words_by_tier[tier]


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
