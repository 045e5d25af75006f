"""Read what a person types into a search field: words, "phrases", `or`, and words that are not wanted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from catalogue.documents import search_terms

# Chosen. A shorter beginning begins too many words: three Latin letters, or one character of Japanese.
LEAST_BYTES_OF_BEGINNING = 3
MOST_WORDS = 50  # chosen: nobody types more, and each costs a look into the index
_TOKEN = re.compile(r'(-?)"([^"]*)"?|(\S+)')


@dataclass(frozen=True, slots=True)
class Asked:
    """A word, or several words next to one another. `by_beginning`: words that begin with it count as well."""

    pieces: tuple[str, ...]
    is_phrase: bool = False
    is_wanted: bool = True
    by_beginning: bool = True


Alternative = tuple[Asked, ...]


def read(text: str) -> list[Alternative]:
    """Return the alternatives of a text, each all that is asked for in it; none if it asks for no word.

    Of more than `MOST_WORDS` words, the first.
    """
    alternatives: list[list[Asked]] = [[]]
    number = 0
    for asked in _all_asked(text):
        if asked is None:
            alternatives.append([])
            continue
        number += 1
        if number <= MOST_WORDS:
            alternatives[-1].append(asked)
    found = [tuple(each) for each in alternatives if each]
    # Nothing but what is not wanted would be nearly all records.
    return found if all(any(asked.is_wanted for asked in each) for each in found) else []


def are_too_many(text: str) -> bool:
    """Whether a text has more words than are looked for."""
    return sum(asked is not None for asked in _all_asked(text)) > MOST_WORDS


def _all_asked(text: str) -> Iterator[Asked | None]:
    """Yield what a text asks for, in its order; None for an `or`."""
    for minus, quoted, bare in _TOKEN.findall(text):
        if bare.casefold() == "or":
            yield None
        elif bare:
            yield from _bare(bare)
        else:
            yield from _asked(quoted, is_wanted=not minus, is_quoted=True)


def _bare(token: str) -> list[Asked]:
    is_wanted = not (token.startswith("-") and len(token) > 1)
    return _asked(token if is_wanted else token[1:], is_wanted=is_wanted, is_quoted=False)


def _asked(text: str, *, is_wanted: bool, is_quoted: bool) -> list[Asked]:
    pieces = search_terms.pieces(text)
    if is_quoted and len(pieces) > 1:
        return [Asked(tuple(pieces), is_phrase=True, is_wanted=is_wanted, by_beginning=False)]
    single = [piece for piece in pieces if piece not in search_terms.STOP_WORDS]
    if not is_wanted and len(single) > 1:  # -well-known: not these words together
        return [Asked(tuple(pieces), is_phrase=True, is_wanted=False, by_beginning=False)]
    return [
        Asked((piece,), is_wanted=is_wanted, by_beginning=not (is_quoted or search_terms.is_pair(piece)))
        for piece in single
    ]
