"""Compare the texts of records with words that an index cannot tell apart, or does not know the order of."""

from collections.abc import Sequence
from itertools import chain

from catalogue.documents import iso19139, search_terms, xml_tree
from catalogue.payloads import payload, readable
from catalogue.reading.query.statements import LIMITS, QueryTooCostly, Sql, by_index, read

_TEXTS = "d.title, d.abstract, d.keywords, d.categories, d.organisations"


def texts_of_all(found: Sql) -> list[tuple[int, list[str]]]:
    """Return the texts of records, by their ids. Raises QueryTooCostly if they are too many."""
    return [(key, _flat(*texts)) for key, *texts in read(f"d.record_id, {_TEXTS}", _keys_to_compare(found))]


def texts_of_field(found: Sql, column: str) -> list[tuple[int, str, list[str]]]:
    """Return ids of records, their languages, and the texts of an array. Raises QueryTooCostly if they are too many."""
    rows = read(f"d.record_id, d.language, {column}", _keys_to_compare(found))
    return [(key, language, texts) for key, language, texts in rows]


def _keys_to_compare(found: Sql) -> list[int]:
    keys = by_index(found, LIMITS.in_force.compared + 1)
    if len(keys) > LIMITS.in_force.compared:
        raise QueryTooCostly("phrase")
    return keys


def has_words(texts: Sequence[str], algorithm: str, asked: Sequence[frozenset[str]], *, are_adjacent: bool) -> bool:
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


def stems_compared(piece: str) -> frozenset[str]:
    """Return the stems that a word of a question may have in a text; a stop word is itself alone, which no other word is."""
    return frozenset({f" {piece}"}) if piece in search_terms.STOP_WORDS else search_terms.stems_asked(piece)


def _stem_compared(piece: str, algorithm: str) -> str:
    return f" {piece}" if piece in search_terms.STOP_WORDS else search_terms.word_of(piece, algorithm).stem


def has_phrase(texts: Sequence[str], folded: tuple[str, ...]) -> bool:
    """Whether one of the texts has these words, folded, next to one another."""
    for text in texts:
        pieces = [search_terms.fold(piece) for piece in search_terms.pieces(text)]
        for start in range(len(pieces) - len(folded) + 1):
            if tuple(pieces[start : start + len(folded)]) == folded:
                return True
    return False


def judge(keys: Sequence[int], judged: dict[int, bool], stems: frozenset[str], begin: str | None) -> bool:
    """Tell of each record whether it has a word with one of these stems, or that begins so. False: too many are to be read again.

    The stored texts have most words, and are read fast; what is not in them may be in the metadata.
    """

    def is_asked(folded: str, stem: str) -> bool:
        return stem in stems or (begin is not None and folded.startswith(begin))

    new = [key for key in keys if key not in judged]
    unclear = []
    for key, language, *texts in read(f"d.record_id, d.language, {_TEXTS}", new):
        algorithm = search_terms.algorithm_of(language)
        pieces = {piece for text in _flat(*texts) for piece in search_terms.pieces(text)} - search_terms.STOP_WORDS
        if any(is_asked(*search_terms.word_of(piece, algorithm)) for piece in pieces):
            judged[key] = True
        else:
            unclear.append(key)
    if len(unclear) > LIMITS.in_force.read_again:
        return False
    for key, packed in readable.with_readable(lambda column: read(f"d.record_id, {column}", unclear), "r.payload"):
        try:
            lines = search_terms.of_metadata(iso19139.read(payload.unpack(packed))).words
        except (payload.PayloadDamaged, xml_tree.Unusable):
            lines = ()
        judged[key] = any(is_asked(*line.decode().split(" ")) for line in lines)
    return all(key in judged for key in keys)
