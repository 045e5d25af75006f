"""Read the address of a search: its arguments as a query, what is wrong with them, and the addresses of searches beside it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import datestamps, oai
from catalogue.documents.languages import language_code
from catalogue.models import MetadataSet, Validation
from catalogue.reading.query import conditions, words
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.search import Order, Query
from catalogue.reading.viewers import Viewer

MAX_QUESTION_CHARACTERS = oai.MAX_IDENTIFIER_BYTES  # so that every identifier can be searched for
MAX_VALUES = 20  # chosen: of one facet
# The facets of the page, in their order, with what they are called.
FACETS = {
    "type": _("Kind of resource"),
    "policy": _("Data policy"),
    "category": _("WMO category"),
    "centre": _("Centre"),
    "keyword": _("Keyword"),
    "language": _("Language"),
}
# As what a facet is searched for: one language is written in many ways, of which a person means all.
FIELDS: dict[str, conditions.IsField] = {
    name: "language_code" if name == "language" else cast(conditions.IsField, name) for name in FACETS
}
SIDES = ("west", "south", "east", "north")
DATES = ("begins", "ends", "dated_from", "dated_to")
LABELS = dict(Validation.Structure.choices)
ORDERS = {
    "relevance": _("best match"),
    "-updated": _("newest change"),
    "updated": _("oldest change"),
    "id": _("identifier"),
}
_LIMITS = {"west": 360.0, "east": 360.0, "south": 90.0, "north": 90.0}


@dataclass(frozen=True, slots=True)
class SearchForm:
    """A search as its address says it. Texts are as they were typed; `faults`: what is wrong, by the name of the argument."""

    text: str = ""
    chosen_set: MetadataSet | None = None
    chosen: dict[str, list[str]] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    order: str = "relevance"
    after: str = ""
    faults: dict[str, str] = field(default_factory=dict)
    parts: tuple[Condition, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is searched for."""
        return not (self.text or self.chosen_set or self.chosen or any(self.typed.values()))

    @property
    def asks_for_no_word(self) -> bool:
        """Whether there is a text, and nothing in it that is looked for."""
        return bool(self.text) and not words.read(self.text)

    @property
    def box(self) -> conditions.Meets | None:
        """The place that is searched in."""
        return next((part for part in self.parts if isinstance(part, conditions.Meets)), None)

    def query(self, viewer: Viewer) -> Query:
        """Return what is searched for."""
        return Query(conditions.All(self.parts), cast(Order, self.order), viewer)

    def arguments(self) -> list[tuple[str, str]]:
        """Return the arguments of the address of this search, from its first page."""
        found = [("q", self.text), ("set", self.chosen_set.spec if self.chosen_set else "")]
        found += ((name, value) for name, values in self.chosen.items() for value in values)
        found += self.typed.items()
        return [(name, value) for name, value in [*found, ("sort", self.order)] if value and value != "relevance"]

    @property
    def address(self) -> str:
        """The arguments as an address has them."""
        return urlencode(self.arguments())

    @property
    def address_without_order(self) -> str:
        """The arguments but the order."""
        return self.without("sort")

    @property
    def has_filters(self) -> bool:
        """Whether more than words and a set are asked for."""
        return bool(self.chosen or any(self.typed.values()))

    @property
    def address_without_filters(self) -> str:
        """The arguments but the filters."""
        return self.without(*FACETS, *SIDES, *DATES, "label")

    def toggled(self, name: str, value: str) -> str:
        """Return the address with a value of a facet chosen, or no longer chosen."""
        pairs = self.arguments()
        pair = (name, value)
        return urlencode([each for each in pairs if each != pair] if pair in pairs else [*pairs, pair])

    def without(self, *names: str) -> str:
        """Return the address without some of the arguments."""
        return urlencode([(name, value) for name, value in self.arguments() if name not in names])

    def following(self, cursor: str) -> str:
        """Return the address of the page after a cursor."""
        return urlencode([*self.arguments(), ("after", cursor)])

    def hidden(self) -> Iterator[tuple[str, str]]:
        """Return what a form has to send along that has no field in it."""
        fields = {"q", "sort", *SIDES, *DATES, "label"}
        return ((name, value) for name, value in self.arguments() if name not in fields)


def read(arguments: QueryDict, viewer: Viewer) -> SearchForm:
    """Read the arguments of an address. What is wrong is left out of the query, and told in `faults`."""
    faults: dict[str, str] = {}
    text = _argument(arguments, "q").strip()[:MAX_QUESTION_CHARACTERS]
    spec = _argument(arguments, "set")
    chosen_set = viewer.sets().filter(spec=spec).first() if spec else None
    if spec and chosen_set is None:
        faults["set"] = gettext("This catalogue has no set “{value}”.").format(value=spec[:200])
    chosen = {name: values for name in FACETS if (values := _values(arguments, name))}
    if "language" in chosen:
        chosen["language"] = list(dict.fromkeys(map(language_code, chosen["language"])))
    typed = {name: _argument(arguments, name).strip()[:40] for name in (*SIDES, *DATES, "label")}
    parts: list[Condition] = [conditions.Words(text)] if text else []
    if chosen_set is not None:
        parts.append(conditions.InSet(chosen_set.spec))
    parts += (conditions.Is(FIELDS[name], tuple(values)) for name, values in chosen.items())
    if any(typed[name] for name in SIDES):
        box = _box(typed, faults)
        parts += [box] if box else []
    parts += _period(typed, "begins", "ends", conditions.During, faults)
    parts += _period(typed, "dated_from", "dated_to", conditions.MetadataDate, faults)
    if typed["label"] in LABELS:
        parts.append(conditions.Is("label", (typed["label"],)))
    else:
        typed["label"] = ""
    order = _argument(arguments, "sort")
    return SearchForm(
        text=text,
        chosen_set=chosen_set,
        chosen=chosen,
        typed=typed,
        order=order if order in ORDERS else "relevance",
        after=_argument(arguments, "after"),
        faults=faults,
        parts=tuple(parts),
    )


def _argument(arguments: QueryDict, name: str) -> str:
    """Return an argument, without NUL, which PostgreSQL accepts in no text."""
    return str(arguments.get(name, "")).replace("\0", "")


def _values(arguments: QueryDict, name: str) -> list[str]:
    found = (value.replace("\0", "")[:1000] for value in arguments.getlist(name))
    return list(dict.fromkeys(value for value in found if value))[:MAX_VALUES]


def _box(typed: Mapping[str, str], faults: dict[str, str]) -> conditions.Meets | None:
    sides = {}
    for name in SIDES:
        try:
            number = float(typed[name].replace(",", ".") or "nan")
        except ValueError:
            number = float("nan")
        if not abs(number) <= _LIMITS[name]:
            faults[name] = gettext(
                "Write four numbers of degrees, such as -10, 35.5, 30 and 60: west, south, east, north."
            )
            return None
        sides[name] = number
    if sides["south"] > sides["north"]:
        faults["south"] = gettext("The south is north of the north: change one of the two.")
        return None
    return conditions.Meets(**sides)


def _period(
    typed: Mapping[str, str],
    first: str,
    last: str,
    made: Callable[[datetime | None, datetime | None], Condition],
    faults: dict[str, str],
) -> Iterator[Condition]:
    """Read two dates, either of which may be missing."""
    begins, ends = _instant(typed, first, faults), _instant(typed, last, faults, is_end=True)
    if begins and ends and ends < begins:
        faults[last] = gettext("The end is before the beginning: change one of the two dates.")
    elif begins or ends:
        yield made(begins, ends)


def _instant(typed: Mapping[str, str], name: str, faults: dict[str, str], *, is_end: bool = False) -> datetime | None:
    """Read a year, month, day or instant; as an end, its last second."""
    text = typed[name]
    if not text:
        return None
    instant = datestamps.of_date(text, is_end=is_end)
    if instant is None:
        faults[name] = gettext("Write a date such as 2020, 2020-07 or 2020-07-31.")
    return instant
