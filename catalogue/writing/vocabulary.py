"""Add the words of records to the vocabulary (`models.Word`), in which search finds the words with a beginning.

What is new among the words of a page is found before the lock is taken, and added under it: writers that added words
without it would wait for one another, in any order.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db import transaction

from catalogue.documents import search_terms

_TABLE = """
    CREATE TEMPORARY TABLE IF NOT EXISTS catalogue_stage_word (folded text, stem text, number integer) ON COMMIT DELETE ROWS
"""
_WORDS = "unnest(%s::text[], %s::text[], %s::integer[]) AS w (folded, stem, number)"
_IS_KNOWN = (
    'EXISTS (SELECT FROM catalogue_word k WHERE k.folded = w.folded COLLATE "C" AND k.stem = w.stem COLLATE "C")'
)
_STAGE = f"""
    INSERT INTO catalogue_stage_word SELECT w.folded, w.stem, w.number FROM {_WORDS} WHERE NOT {_IS_KNOWN}
    RETURNING folded, stem
"""
_ADD = """
    INSERT INTO catalogue_word (folded, stem, number) SELECT folded, stem, number FROM catalogue_stage_word
    ON CONFLICT (folded, stem) DO NOTHING
"""
# What tells one vocabulary from another: the start of the server, the database and the file of the table, which a restore makes
# anew. A server that was put back to an earlier state, or took over from another one, was started: what this process saw committed
# may be gone, and search finds no word that is not in the vocabulary. And the trigger `terms_outdated` learns that this transaction
# makes terms, so that those of texts with the same words stay.
_WHICH = """
    SELECT pg_postmaster_start_time(), (SELECT oid FROM pg_database WHERE datname = current_database()),
        pg_relation_filenode('catalogue_word'), set_config('wis.makes_terms', 'on', true)
"""
_MOST_REMEMBERED = 200_000  # words, chosen: 30 MB


class _Remembered:
    """Words that this process has seen committed in a vocabulary, as lines of `SearchTerms`: nearly all of a page are among them."""

    def __init__(self) -> None:
        self.of: object = None
        self.lines: set[bytes] = set()

    def clear(self) -> None:
        """Forget all."""
        self.of, self.lines = None, set()

    def add(self, lines: set[bytes], of: object) -> None:
        """Remember lines that were committed."""
        if of != self.of or len(self.lines) > _MOST_REMEMBERED:
            self.of, self.lines = of, set()
        self.lines |= lines


_remembered = _Remembered()


def stage(cursor: Any, words: Iterable[tuple[bytes, ...]]) -> None:
    """Stage what is new among words, as `SearchTerms` has them, until the transaction ends."""
    cursor.execute(_TABLE)
    lines: set[bytes] = set().union(*words)
    cursor.execute(_WHICH)
    which = cursor.fetchone()
    if which == _remembered.of:
        lines -= _remembered.lines
    if not lines:
        return
    pairs = [line.decode().split(" ") for line in lines]
    numbers = [search_terms.checksum(stem) for _folded, stem in pairs]
    cursor.execute(_STAGE, [[folded for folded, _stem in pairs], [stem for _folded, stem in pairs], numbers])
    new = {f"{folded} {stem}".encode() for folded, stem in cursor.fetchall()}
    # What is there may be of this transaction, which may be rolled back.
    transaction.on_commit(partial(_remembered.add, lines - new, which))


def add_staged(cursor: Any) -> None:
    """Add the words that are staged. Under the lock."""
    cursor.execute(_ADD)
