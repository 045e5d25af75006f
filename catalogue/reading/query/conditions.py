"""The conditions that a search may have: a tree of plain values. `sql` makes statements of it, and knows the database.

Instants have a time zone. Boxes are west, south, east, north in degrees; west > east crosses the date line.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any as AnyValue
from typing import Literal

IsField = Literal[
    "type", "language", "language_code", "policy", "organisation", "centre", "keyword", "category", "label"
]
CompareField = Literal["id", "title", "abstract", "type", "language", "policy", "centre", "updated", "created"]
TextField = Literal["title", "abstract", "subject", "organisation"]
ListField = Literal["organisation", "keyword", "category"]
Operator = Literal["=", "<>", "<", ">", "<=", ">="]
# Chosen: longitudes may go around the world. Of much greater numbers the database can make no difference.
MOST_DEGREES = 36_000


@dataclass(frozen=True, slots=True)
class All:
    """All of the parts; without any: every record."""

    parts: "tuple[Condition, ...]" = ()


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of the parts; without any: no record."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """What the part is not true of. A value that a record does not have differs from every value."""

    part: "Condition"


@dataclass(frozen=True, slots=True)
class Words:
    """What a person types: words, "phrases", `or`, `-word`; or the identifier of a record. A word finds those that it begins, too."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """These words next to one another, in this order, in the title, the abstract, a keyword or an organisation."""

    text: str


@dataclass(frozen=True, slots=True)
class WordsIn:
    """These words, or other forms of them, in one field; `are_adjacent`: next to one another, in this order, in one text of it.

    `subject`: keywords and categories; `title`: with its translations, where the words need not be adjacent.
    """

    field: TextField
    text: str
    are_adjacent: bool = False


@dataclass(frozen=True, slots=True)
class Meets:
    """A bounding box of the record has a point in common with this one. Raises ValueError for what are no degrees."""

    west: float
    south: float
    east: float
    north: float

    def __post_init__(self) -> None:
        if not all(abs(side) <= MOST_DEGREES for side in (self.west, self.south, self.east, self.north)):
            raise ValueError(f"a side of a box is a number of degrees from -{MOST_DEGREES} to {MOST_DEGREES}")


@dataclass(frozen=True, slots=True)
class During:
    """The time extent of the data has an instant in common with this one; none is open. Records without any time have not.

    A time that ends before it begins has no instant.
    """

    begins: datetime | None
    ends: datetime | None


@dataclass(frozen=True, slots=True)
class MetadataDate:
    """The date of the metadata (gmd:dateStamp) is from `since` on and not after `until`."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The record's datestamp at this node is from `since` on and not after `until`."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class InSet:
    """The record is in the set with this setSpec, and whoever asks may see that it is."""

    spec: str


@dataclass(frozen=True, slots=True)
class Among:
    """The record has one of these identifiers, each a gmd:fileIdentifier or an OAI identifier."""

    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """A field has one of these values, exactly. `centre`: the organisation that answers for the metadata.

    `language`: as the record writes it; `language_code`: the language itself, however it is written (`documents.languages`).
    """

    field: IsField
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """A field compares so with a value; texts by code points. A field without a value does not compare."""

    field: CompareField
    operator: Operator
    value: str | datetime


@dataclass(frozen=True, slots=True)
class Like:
    """A field is like a pattern, in which % stands for any characters and _ for one; a backslash takes their meaning away."""

    field: CompareField
    pattern: str
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """A field has no value."""

    field: CompareField | ListField


Condition = (
    All
    | Any
    | Not
    | Words
    | Phrase
    | WordsIn
    | Meets
    | During
    | MetadataDate
    | Changed
    | InSet
    | Among
    | Is
    | Compare
    | Like
    | IsNull
)


def leaves(condition: Condition) -> Iterator[Condition]:
    """Return the conditions of a tree that have no parts."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from leaves(part)
    elif isinstance(condition, Not):
        yield from leaves(condition.part)
    else:
        yield condition


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """Return the conditions that all have to hold, where that is what a tree says at its top; else the tree."""
    if isinstance(condition, All):
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


def with_one_time(parts: Iterable[Condition]) -> list[Condition]:
    """Return conditions that all have to hold, with one time in place of one that is open before and one that is open after.

    A time extent is one range: if it has an instant until `ends` and one from `begins` on, which is no later, it has one between
    them. PostgreSQL expects far too few records where the times are apart, and looks both up.
    """
    parts = list(parts)
    begins = [
        part.begins for part in parts if isinstance(part, During) and part.begins is not None and part.ends is None
    ]
    ends = [part.ends for part in parts if isinstance(part, During) and part.ends is not None and part.begins is None]
    if not begins or not ends or max(begins) > min(ends):
        return parts
    others = [part for part in parts if not (isinstance(part, During) and (part.begins is None or part.ends is None))]
    return [*others, During(max(begins), min(ends))]


# What PostgreSQL takes in no text, and a character that is in no record, as XML has none of them.
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")
_IN_NO_RECORD = "\ufffe"


def storable(condition: Condition) -> Condition:
    """Return a condition that can be sent to the database: characters that no record can have are replaced by one such."""
    if isinstance(condition, All | Any):
        return type(condition)(tuple(storable(part) for part in condition.parts))
    if isinstance(condition, Not):
        return Not(storable(condition.part))
    values: dict[str, AnyValue] = {each.name: _storable(getattr(condition, each.name)) for each in fields(condition)}
    return replace(condition, **values)


def storable_text(text: str) -> str:
    """Return a text that can be sent to the database, as `storable` does."""
    return _NOT_STORABLE.sub(_IN_NO_RECORD, text)


def _storable(value: object) -> object:
    if isinstance(value, str):
        return storable_text(value)
    return tuple(map(_storable, value)) if isinstance(value, tuple) else value
