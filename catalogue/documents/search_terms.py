"""Make the terms that search looks up: words of texts, values of filters. No Django.

A record is found by its terms, which are signed 32-bit integers in one indexed column: 30 bits of a checksum and 2 bits of
the tier. A word stands in the best tier that it has: 1 title, 2 keywords, 3 all other texts. Tier 0 has the values of
filters. Two texts may have one checksum, so whoever needs to be sure compares the texts themselves.

Words are folded: compatibility characters are replaced, accents taken off, case ignored. A word is stored as the stem that the
Snowball algorithm of the record's language gives, folded as well; a word of a question is tried as it is and as its stem in
every language, with and without its accents. So `typhoons` finds `typhoon`, and `echouerie` finds `échouerie`. Scripts that
part no words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into pairs of characters.
"""

import functools
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import Stemmer

from catalogue.documents import iso19139

FILTER, TITLE, KEYWORD, TEXT = range(4)  # the tiers
MAX_WORD = 100  # characters of a word, chosen; longer ones are cut
MAX_WORDS = 20_000  # of a record, chosen: an abstract may have 100,000 characters
_CHECKSUM_BITS = 30

# By the codes of ISO 639 and the names that records write; what is not here is not stemmed.
_ALGORITHMS = {
    "arabic": ("ar", "ara"),
    "danish": ("da", "dan"),
    "dutch": ("nl", "nld", "dut"),
    "english": ("en", "eng", ""),
    "finnish": ("fi", "fin"),
    "french": ("fr", "fra", "fre", "français", "francais"),
    "german": ("de", "deu", "ger", "deutsch"),
    "hungarian": ("hu", "hun"),
    "italian": ("it", "ita", "italiano"),
    "norwegian": ("no", "nor", "nb", "nob", "nn", "nno"),
    "portuguese": ("pt", "por", "português"),
    "romanian": ("ro", "ron", "rum"),
    "russian": ("ru", "rus", "русский"),
    "spanish": ("es", "spa", "español", "espanol"),
    "swedish": ("sv", "swe"),
    "turkish": ("tr", "tur"),
}
_ALGORITHM_OF = {name: algorithm for algorithm, names in _ALGORITHMS.items() for name in (algorithm, *names)}
ALGORITHMS = tuple(_ALGORITHMS)

_ACCENTS = re.compile("[\u0300-\u036f]")
# Of Hebrew and Arabic, with the character that only lengthens a word: texts are written with them or without.
_VOWEL_SIGNS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]")
# Scripts that put no space between words: Thai, Lao, Burmese, Khmer, and the kanas and ideographs with their marks.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}][\u0300-\u036f\u0900-\u0dff]*)+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_LATIN, _LATIN_WORD = re.compile("[\0-\u02ff\u2000-\u206f]+"), re.compile(r"[^\W_]+")  # as _WORD finds them, but faster
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


# Words that nearly every text has, in the languages of most records. They are not looked up.
_STOP_WORDS = """
    a an and are as at be by for from in is it its of on or that the this to was were which with
    au aux ce ces dans de des du en est et l la le les ou par pour que sont sur un une
    con del el las los para por se su una y der die das den des ein eine für im ist mit und von zu
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class Word(NamedTuple):
    """A word as it stands in the vocabulary: folded as it was written, and the stem that it is found by."""

    folded: str
    stem: str


def fold(text: str) -> str:
    """Fold a text: compatibility characters replaced, accents taken off, case ignored."""
    text = text.casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text))).casefold()


@functools.lru_cache(maxsize=1_000)
def algorithm_of(language: str) -> str:
    """Return the Snowball algorithm for a gmd:language as it is written; "" if there is none."""
    name = language.strip().casefold()
    return _ALGORITHM_OF.get(name) or _ALGORITHM_OF.get(re.split(r"[-_;,\s]", name, maxsplit=1)[0], "")


def pieces(text: str) -> list[str]:
    """Cut a text into its words, in lower case and with their accents, in order; unspaced scripts into pairs of characters."""
    lowered = text.casefold()
    if lowered.isascii():
        return _ASCII_WORD.findall(lowered)
    if not unicodedata.is_normalized("NFKC", lowered):
        lowered = unicodedata.normalize("NFKC", lowered).casefold()
    if _LATIN.fullmatch(lowered):
        return _LATIN_WORD.findall(lowered)
    lowered = _VOWEL_SIGNS.sub("", lowered)
    found: list[str] = _WORD.findall(lowered)
    return [part for piece in found for part in _pairs(piece)] if _IS_UNSPACED.search(lowered) else found


def _pairs(piece: str) -> list[str]:
    """Cut a run of an unspaced script into pairs of characters; a word stays as it is."""
    if len(piece) < 2 or not is_unspaced(piece):
        return [piece]
    return [*map(str.__add__, piece, piece[1:])]


def is_unspaced(piece: str) -> bool:
    """Whether a piece is of a script that puts no space between words."""
    return _IS_UNSPACED.match(piece) is not None


def is_pair(piece: str) -> bool:
    """Whether a piece is two characters of an unspaced script."""
    return len(piece) == 2 and is_unspaced(piece)


@functools.lru_cache(maxsize=20_000)
def word_of(piece: str, algorithm: str) -> Word:
    """Return the word of a piece in the language of this algorithm; in English if it has none and the piece may be English."""
    piece = piece[:MAX_WORD]
    folded = fold(piece)
    algorithm = algorithm or ("english" if piece.isascii() else "")
    if not algorithm or _IS_UNSPACED.match(piece):
        return Word(folded, folded)
    return Word(folded, fold(_stemmer(algorithm).stemWord(piece)) or folded)


@functools.lru_cache(maxsize=len(_ALGORITHMS))
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)  # no cache of its own: word_of has one


def checksum(text: str) -> int:
    """Return 30 bits of the CRC-32 of a text."""
    return zlib.crc32(text.encode()) >> 32 - _CHECKSUM_BITS


def term(number: int, tier: int) -> int:
    """Return the term of a checksum in a tier, as a signed 32-bit integer."""
    unsigned = number << 2 | tier
    return unsigned - (1 << 32) if unsigned >> 31 else unsigned


# What `pieces` takes for words in ASCII, in lower case; the rest becomes spaces. Bytes are cut five times as fast.
_LOWER_WORDS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256))
Piece = str | bytes  # bytes of ASCII


def _pieces_of_record(text: str) -> Sequence[Piece]:
    """Cut a text as `pieces` does."""
    return text.encode().translate(_LOWER_WORDS).split() if text.isascii() else pieces(text)


class _KnownWords(dict[Piece, tuple[int, bytes]]):
    """The term in tier 0 and the line of the vocabulary of each piece in a language, made when it is asked for first.

    A stop word has the term `_NO_TERM` and the line `_NO_LINE`.
    """

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        self._algorithm = algorithm

    def __missing__(self, piece: Piece) -> tuple[int, bytes]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        made = _NO_TERM, _NO_LINE
        text = piece if isinstance(piece, str) else piece.decode()
        if text not in STOP_WORDS:
            word = word_of(text, self._algorithm)
            made = term(checksum(word.stem), FILTER), f"{word.folded} {word.stem}".encode()
        self[piece] = made
        return made


_NO_TERM, _NO_LINE = TEXT, b""  # no term in tier 0 is TEXT
_BASE, _LINE = itemgetter(0), itemgetter(1)  # of a known word: its term in tier 0, and its line
_MOST_KNOWN = 100_000  # words of a language, chosen: 20 MB


@functools.lru_cache(maxsize=len(_ALGORITHMS) + 1)
def _known_words(algorithm: str) -> _KnownWords:
    return _KnownWords(algorithm)


@functools.lru_cache(maxsize=20_000)
def filter_term(kind: str, value: str) -> int:
    """Return the term of a filter's value."""
    return term(checksum(f"{kind}:{value}"), FILTER)


@functools.lru_cache(maxsize=20_000)
def stems_asked(piece: str) -> frozenset[str]:
    """Return the stems that a piece of a question may be stored by: as it is, and stemmed by each algorithm."""
    forms = {piece, fold(piece)}
    return frozenset(map(fold, forms)) | {word_of(form, algorithm).stem for form in forms for algorithm in ALGORITHMS}


def word_terms(stems: Iterable[str], worst_tier: int = TEXT) -> list[int]:
    """Return the terms that records with one of these stems may have, in this tier or a better one."""
    return [term(checksum(stem), tier) for stem in stems for tier in range(TITLE, worst_tier + 1)]


# --- Identifiers ---------------------------------------------------------------------------------------

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_PARTS = re.compile(r"[^\W_]+")
_SCHEME = re.compile(r"\A[a-z][a-z0-9+.-]*:")
_LAST_PART = re.compile(r"[^:/]*\Z")


def last_part(identifier: str) -> str:
    """Return what follows the last colon or slash of an identifier, in lower case: records are found by how it begins."""
    match = _LAST_PART.search(identifier)
    return match[0].lower() if match else ""


def words_of_identifier(identifier: str) -> list[str]:
    """Return the parts of an identifier that are words: letters alone, but its scheme. Numbers would make each one a word."""
    return [part for part in _PARTS.findall(_SCHEME.sub("", identifier.casefold())) if _LETTERS.fullmatch(part)]


# --- Records -------------------------------------------------------------------------------------------


class SearchTerms(NamedTuple):
    """What a record is found by. `words`: a line `FOLDED STEM` each, for the vocabulary, in UTF-8.

    A word that a process found in several records of one language is one object, also where these are sent to another process
    together: that computes its hash once.
    """

    terms: tuple[int, ...]
    words: tuple[bytes, ...]


class Text(NamedTuple):
    """A text of a record, its tier, and the language that it is in."""

    text: str
    tier: int
    language: str


def of_metadata(metadata: iso19139.Metadata) -> SearchTerms:
    """Return what a record with these fields is found by."""
    language = metadata.language
    texts = [
        Text(metadata.title, TITLE, language),
        Text("\n".join((*metadata.keywords, *metadata.categories)), KEYWORD, language),
        Text("\n".join(filter(None, (metadata.abstract, *metadata.organisations, *metadata.persons))), TEXT, language),
        *(Text(each.text, _TIERS.get(each.name, TEXT), each.language or language) for each in metadata.translations),
    ]
    filters = [("type", metadata.kind), ("language", metadata.language), ("policy", metadata.policy)]
    return of_record(metadata.identifier, texts, filters)


_TIERS = {"title": TITLE, "keyword": KEYWORD}  # of translations; the others are texts


def of_record(identifier: str, texts: Iterable[Text], filters: Iterable[tuple[str, str]]) -> SearchTerms:
    """Return what a record is found by. `filters`: kinds and values. Each word is in the best tier that it has.

    Of more than `MAX_WORDS`, those of the worst tier are left out first, of the vocabulary as well.
    """
    # By tier, the worst first. The only loop of Python for each word is the one that adds the tier: more would be half the
    # cost of a record.
    known: dict[int, list[tuple[int, bytes]]] = {TEXT: [], KEYWORD: [], TITLE: []}
    known[TEXT] += map(_known_words("").__getitem__, words_of_identifier(identifier))
    for text, tier, language in texts:
        if text:
            known[tier] += map(_known_words(algorithm_of(language)).__getitem__, _pieces_of_record(text))
    best: dict[int, int] = {}
    for tier, words in known.items():
        best.update(dict.fromkeys(map(_BASE, words), tier))
    best.pop(_NO_TERM, None)
    if len(best) > MAX_WORDS:
        best, known = _cut(known)
    terms = list(dict.fromkeys(filter_term(kind, value) for kind, value in filters if value))
    terms += [base + tier for base, tier in best.items()]
    # In order: each process makes the same of a record.
    lines = dict.fromkeys(map(_LINE, chain.from_iterable(known.values())))
    lines.pop(_NO_LINE, None)
    return SearchTerms(tuple(terms), tuple(lines))


def _cut(known: dict[int, list[tuple[int, bytes]]]) -> tuple[dict[int, int], dict[int, list[tuple[int, bytes]]]]:
    """Leave out words over `MAX_WORDS`, those of the worst tier first. Returns the tiers of the others, and the others by tier."""
    best: dict[int, int] = {}
    for tier in sorted(known):
        for base, _line in known[tier]:
            if len(best) < MAX_WORDS and base != _NO_TERM:
                best.setdefault(base, tier)
    return best, {tier: [word for word in words if word[0] in best] for tier, words in known.items()}
