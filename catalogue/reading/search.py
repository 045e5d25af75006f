"""Search the full text of records: words of the title, abstract, keywords and categories.

The words are in an index of `Description` and nowhere else, updated in the transaction that writes the description.
Records come in many languages, so words are not stemmed (PostgreSQL's configuration `simple`). A word finds the words
that begin with it; in a question with quotes, each word counts as it is written.

PostgreSQL gets the hits of a word from its index in no order. The newest of a few are found by sorting them. If there are
many, the newest records are looked through, a chunk at a time, until enough of them are hits: so a page costs the same
however many hits there are.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any

from django.db import DataError, InternalError, ProgrammingError, connection, transaction
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from catalogue.models import Description, Membership, MetadataSet, Record
from catalogue.reading.viewers import EVERYBODY

CONFIGURATION = "simple"  # as in catalogue/sql/search_words.*.sql
# Chosen. A shorter beginning has too many words in the index: three Latin letters, or one character of Japanese.
LEAST_BYTES_OF_BEGINNING = 3
MOST_WORDS = 50  # chosen: nobody types more, and each costs a look into the index
_FEW = 1000  # measured: sorting so many takes 5 to 10 ms
_CHUNK_GROWTH, _LARGEST_CHUNK = 4, 20_000  # measured: the index answers a chunk in 3 to 15 ms
_LEXEME = re.compile(r"'((?:[^'\\]|''|\\\\)*)'")  # as PostgreSQL writes the words of a tsquery

# The expression of the index description_words. Only live records have a description.
_MATCHING = (
    f"SELECT record_id FROM {Description._meta.db_table} WHERE catalogue_words(title, abstract, keywords, categories) @@"
    " %s::tsquery"
)
# MATERIALIZED: the index is read first; other ways, which the planner may prefer, compute the words of each record.
_FOUND = f"WITH found AS MATERIALIZED ({_MATCHING}) SELECT record_id FROM found"


def records(text: str) -> QuerySet[Record]:
    """Find the live record with the identifier `text`, in any case where that means nothing, else those with all words of it.

    All live records if it is empty. Quotes, `or` and `-` work as in web search. None if it only says what is not wanted.
    """
    if not text.strip():
        return Record.objects.filter(deleted=False)
    if identified := _identified(text):
        return Record.objects.filter(pk__in=identified)
    query = text_query(text)
    return Record.objects.filter(pk__in=RawSQL(_FOUND, [query])) if query else Record.objects.none()


class NewestHits:
    """The live records that `text` finds as `records` does, newest first, no more than `cap`; in one set, or in all.

    Only those that these `audiences` see: nothing else is counted either. `among`: only among these rows, in their order.
    """

    def __init__(
        self,
        text: str,
        selected_set: MetadataSet | None,
        cap: int,
        *,
        few: int = _FEW,
        audiences: Sequence[int] = EVERYBODY,
        among: QuerySet[Record] | None = None,
    ) -> None:
        self._text, self._cap, self._most_sorted, self._rows = text, cap, max(few, cap), among
        self._audiences = list(audiences)
        self._set = None if selected_set is None or selected_set.kind == MetadataSet.Kind.CATALOGUE else selected_set

    def __len__(self) -> int:
        """The number of hits; `cap` if there are as many or more."""
        return self._cap if self._few is None else len(self._few)

    def __getitem__(self, part: slice) -> list[int]:
        """Return the keys of the records of one page."""
        return (self._walk(part.stop) if self._few is None else self._few)[part]

    @cached_property
    def _few(self) -> list[int] | None:
        """The keys of the hits, sorted; None if there are too many to be sorted."""
        if not self._text.strip():
            return list(self._newest()[: self._cap])
        found = _identified(self._text)
        if not found and self._query:
            found = _first_matching(self._query, self._set, self._most_sorted + 1, self._audiences)
            if len(found) > self._most_sorted:
                return None
        return list(self._newest(found)[: self._cap])

    @cached_property
    def _query(self) -> str:
        return text_query(self._text)

    def _newest(self, among: Sequence[int] | None = None) -> "QuerySet[Any, int]":
        """The keys of live records, newest first."""
        if self._rows is not None:
            rows = self._rows
            return (rows if among is None else rows.filter(pk__in=among)).values_list("pk", flat=True)
        if self._set is None:
            seen = Record.objects.filter(deleted=False, audience__in=self._audiences)
            rows = seen.order_by("-datestamp", "-pk")
            return (rows if among is None else rows.filter(pk__in=among)).values_list("pk", flat=True)
        joined = Membership.objects.filter(set=self._set, deleted=False, audience__in=self._audiences)
        members = joined.order_by("-datestamp", "-record_id")
        return (members if among is None else members.filter(record_id__in=among)).values_list("record_id", flat=True)

    def _walk(self, enough: int) -> list[int]:
        """Look through the newest records until there are enough hits, or no more records."""
        hits: list[int] = []
        size = 2 * enough
        with transaction.atomic():  # one cursor of the database: an offset would read all rows before it again
            newest = self._newest().iterator(chunk_size=_LARGEST_CHUNK)
            while len(hits) < enough:
                chunk = list(islice(newest, size))
                matching = _matching_among(self._query, chunk)
                hits += (key for key in chunk if key in matching)
                if len(chunk) < size:
                    break
                size = min(size * _CHUNK_GROWTH, _LARGEST_CHUNK)
        return hits[:enough]


def _identified(text: str) -> list[int]:
    """Return the key of the live record with this identifier, else of those that differ from it in a case without meaning."""
    # One condition over two tables would use neither index, so an identifier is looked up first.
    named = list(Record.objects.named(text).filter(deleted=False).values_list("pk", flat=True))
    return named or list(Record.objects.in_another_case(text).values_list("pk", flat=True))


def _first_matching(query: str, selected_set: MetadataSet | None, number: int, audiences: Sequence[int]) -> list[int]:
    """Return the keys of so many hits, in no order."""
    seen, values = "m.audience = ANY(%s)", [query, list(audiences), number]
    if selected_set is None:
        rows = f"SELECT FROM {Record._meta.db_table} m WHERE m.id = f.record_id AND {seen}"
        return _keys(f"{_FOUND} f WHERE EXISTS ({rows}) LIMIT %s", values)
    members = f"SELECT FROM {Membership._meta.db_table} m WHERE {seen} AND NOT m.deleted AND m.set_id = %s"
    values.insert(2, selected_set.pk)
    return _keys(f"{_FOUND} f WHERE EXISTS ({members} AND m.record_id = f.record_id) LIMIT %s", values)


def _matching_among(query: str, keys: list[int]) -> set[int]:
    return set(_keys(f"{_MATCHING} AND record_id = ANY(%s)", [query, keys]))


def _keys(sql: str, values: list[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(chain.from_iterable(cursor.fetchall()))


def text_query(text: str) -> str:
    """Return what PostgreSQL is asked for, a tsquery as text; "" if the index cannot answer it."""
    words = " ".join(text.split()[:MOST_WORDS])
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT q::text, querytree(q) FROM websearch_to_tsquery(%s::regconfig, %s) AS q", [CONFIGURATION, words]
            )
            query, indexed = cursor.fetchone()
    except (InternalError, DataError, ProgrammingError):  # some tens of hyphens are too much for it
        return ""
    if indexed in ("", "T"):  # nothing but what is not wanted: every record of the catalogue would have to be read
        return ""
    return str(query) if '"' in words else _LEXEME.sub(_as_beginning, query)


def _as_beginning(lexeme: re.Match[str]) -> str:
    is_long = len(lexeme[1].encode()) >= LEAST_BYTES_OF_BEGINNING
    return f"{lexeme[0]}:*" if is_long else lexeme[0]
