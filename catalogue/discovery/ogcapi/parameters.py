"""Read the query parameters of a list of records into a search. What is wrong with one is told; unknown ones are refused."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import cast

from django.http import QueryDict
from django.utils.translation import gettext_noop as _

from catalogue import oai
from catalogue.discovery import boxes, instants
from catalogue.discovery.ogcapi import cql
from catalogue.discovery.ogcapi.problems import bad_request
from catalogue.discovery.ogcapi.properties import FACETS, QUERYABLES
from catalogue.documents import search_terms
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Condition
from catalogue.reading.query.search import Order, Query
from catalogue.reading.viewers import Viewer

DEFAULT_LIMIT = 20  # chosen
MOST_RECORDS = 500  # of a page, chosen: made in a quarter of a second
MOST_VALUES = 100  # of one parameter, chosen
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
MOST_COMMAS = 8  # of an identifier in a list, chosen: no real one has more than 5
# Schemes of external identifiers; each record has one of each.
FILE_IDENTIFIER, OAI_IDENTIFIER = "fileIdentifier", "oai"
ORDERS: dict[str, Order] = {
    "updated": "updated",
    "+updated": "updated",
    "-updated": "-updated",
    "id": "id",
    "+id": "id",
    "-id": "-id",
    "-relevance": "relevance",
}
FILTER_PARAMETERS = ("filter", "filter-lang", "filter-crs")
OF_PROPERTIES = tuple(name for name, found in QUERYABLES.items() if found.is_parameter)
OF_ITEMS = (
    *("q", "bbox", "datetime", "ids", "externalIds", "type", "limit", "sortby", "cursor", "facets"),
    *FILTER_PARAMETERS,
    *OF_PROPERTIES,
)
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a collection: the search, how many records, after which cursor, and which facets of all hits."""

    query: Query
    limit: int = DEFAULT_LIMIT
    cursor: str = ""
    facets: tuple[str, ...] = ()


def named(arguments: QueryDict, known: Collection[str]) -> dict[str, str]:
    """Return the parameters of a request by their names. Raises Problem for one that is not known, or is given twice."""
    found: dict[str, str] = {}
    for name, texts in arguments.lists():
        if name not in known:
            raise bad_request(
                _("There is no parameter “{name}” here. These are: {known}."), name=name, known=", ".join(known)
            )
        if len(texts) > 1:
            raise bad_request(
                _("The parameter {name} is given twice: give it once, with commas between values."), name=name
            )
        if "\0" in texts[0]:
            raise bad_request(_("The parameter {name} has a character NUL: leave it out."), name=name)
        found[name] = str(texts[0])
    return found


def read(arguments: Mapping[str, str], collection: str, viewer: Viewer) -> Asked:
    """Read the parameters of the records of a collection, by their names (`named`). Raises Problem."""
    parts: list[Condition] = [conditions.InSet(collection)] if collection != oai.CATALOGUE_SET else []
    parts += (read_part(arguments[name]) for name, read_part in _PARTS.items() if arguments.get(name))
    parts += (
        conditions.Is(QUERYABLES[name].listed, _values_with_commas(name, arguments[name]))
        for name in OF_PROPERTIES
        if arguments.get(name)
    )
    for name, read_part in _NEVER_EMPTY.items():
        if name in arguments:
            parts.append(read_part(arguments[name]))
    if "filter" in arguments:
        parts.append(_filter(arguments))
    elif any(name in arguments for name in FILTER_PARAMETERS):
        raise bad_request(_("filter-lang and filter-crs go with filter, which is not given."))
    return Asked(
        Query(conditions.All(tuple(parts)), _order(arguments), viewer),
        _limit(arguments),
        arguments.get("cursor", ""),
        _facets(arguments),
    )


def values(name: str, text: str) -> tuple[str, ...]:
    """Return the values of a list with commas. Raises Problem if they are too many."""
    found = tuple(dict.fromkeys(part for part in text.split(",") if part.strip()))
    if len(found) > MOST_VALUES:
        raise bad_request(_("The parameter {name} has more than {most} values."), name=name, most=MOST_VALUES)
    return found


def _identifiers(name: str, text: str) -> tuple[str, ...]:
    """Return the identifiers of a list, and what neighbours make together: an identifier may have commas in it."""
    parts = text.split(",")
    values(name, text)
    runs = (parts[start:end] for start in range(len(parts)) for end in range(start + 1, start + 2 + MOST_COMMAS))
    return tuple(dict.fromkeys(",".join(run) for run in runs if any(run)))


def _values_with_commas(name: str, text: str) -> tuple[str, ...]:
    """Return the values of a list, and its whole text, as one value may have commas in it."""
    return tuple(dict.fromkeys((*values(name, text), text)))


# --- Words ----------------------------------------------------------------------------------------------


def _words(text: str) -> Condition:
    return conditions.Any(tuple(_term(term) for term in values("q", text)))


def _term(term: str) -> Condition:
    """Return the condition of one search term: words with space between them stand so in a text of the record.

    One word finds what search finds by it: other forms of the word, what it begins, identifiers. Unspaced scripts have no words.
    """
    term = term.strip()
    pieces = search_terms.pieces(term)
    if not pieces:
        return conditions.Any(())
    if _SPACE.search(term):
        return conditions.Phrase(term)
    if len(pieces) == 1 or all(map(search_terms.is_unspaced, pieces)):
        return conditions.Words(" ".join(pieces))
    return conditions.Any((conditions.Among((term,)), conditions.Phrase(term)))  # "sea-ice", and identifiers


# --- Places and times -----------------------------------------------------------------------------------


def _bbox(text: str) -> Condition:
    try:
        sides = [_degrees(part) for part in text.split(",")]
        if len(sides) == 6:  # with heights, which no box of a record has
            if sides[2] > sides[5]:
                raise ValueError("the lower height is above the upper one")
            sides = [*sides[:2], *sides[3:5]]
        return boxes.condition(sides)
    except ValueError as exc:
        raise bad_request(
            _("bbox has to be four numbers of degrees, west,south,east,north, as in bbox=-10,35.5,30,60; or six, with heights"
              " as the third and the last. Latitudes are from -90 to 90, the south first; west > east crosses the date line.")
        ) from exc  # fmt: skip


def _degrees(text: str) -> float:
    number = float(text) if text.isascii() and "_" not in text else math.nan
    if not math.isfinite(number):
        raise ValueError("no number")
    return number


def _datetime(text: str) -> Condition:
    begin, slash, end = text.partition("/")
    try:
        span = instants.read_interval(begin, end) if slash else instants.read(text)
    except ValueError as exc:
        raise bad_request(
            _("datetime has to be a date, a date with a time, or an interval of them: 2020-07-31, 2020-07-31T12:00:00Z,"
              " 2020-01-01/2020-07-31, 2020-01-01/.. or ../2020-07-31.")
        ) from exc  # fmt: skip
    return conditions.During(span.begins, span.ends)


# --- Identifiers ----------------------------------------------------------------------------------------


def _ids(text: str) -> Condition:
    return conditions.Among(_identifiers("ids", text))


def _external_ids(text: str) -> Condition:
    """Return the condition of `value`, `scheme:value` and `scheme:`, any of them."""
    asked = _identifiers("externalIds", text)
    parts: list[Condition] = [conditions.Among(asked)]
    for value in asked:
        scheme, colon, rest = value.partition(":")
        if scheme not in (FILE_IDENTIFIER, OAI_IDENTIFIER):
            continue
        if not rest:
            return conditions.All()
        if colon:
            exact = conditions.Compare("id", "=", rest)
            if scheme == FILE_IDENTIFIER:
                parts.append(conditions.All((conditions.Among((rest,)), exact)))
            elif oai.oai_identifier(rest) == rest:  # else it is the text of a gmd:fileIdentifier that is no URI
                parts.append(conditions.Among((rest,)))
    return conditions.Any(tuple(parts))


def _types(text: str) -> Condition:
    return conditions.Is("type", values("type", text))


_PARTS: dict[str, Callable[[str], Condition]] = {
    "q": _words,
    "ids": _ids,
    "externalIds": _external_ids,
    "type": _types,
}
_NEVER_EMPTY: dict[str, Callable[[str], Condition]] = {"bbox": _bbox, "datetime": _datetime}


def _filter(arguments: Mapping[str, str]) -> Condition:
    text, language = arguments["filter"], arguments.get("filter-lang", cql.TEXT)
    if language not in cql.LANGUAGES:
        raise bad_request(_("filter-lang has to be cql2-text or cql2-json, not “{value}”."), value=language)
    if arguments.get("filter-crs", CRS84) != CRS84:
        raise bad_request(
            _("filter-crs has to be {crs}: the catalogue has degrees of longitude and latitude."), crs=CRS84
        )
    return cql.read(text, language)


# --- Order, paging, facets ------------------------------------------------------------------------------


def _order(arguments: Mapping[str, str]) -> Order:
    text = arguments.get("sortby", "-relevance")
    text = f"+{text[1:]}" if text.startswith(" ") else text  # a plus sign that was not percent-encoded
    first, comma, _rest = text.partition(",")
    # No two records have one identifier, so what follows it means nothing.
    if first in ORDERS and (not comma or ORDERS[first] in ("id", "-id")):
        return ORDERS[first]
    raise bad_request(
        _("sortby has to be one of {known}: not “{value}”."), known=", ".join(cast(dict[str, str], ORDERS)), value=text
    )


def _limit(arguments: Mapping[str, str]) -> int:
    text = arguments.get("limit", str(DEFAULT_LIMIT))
    if not _WHOLE_NUMBER.fullmatch(text) or int(text) < 1:
        raise bad_request(
            _("limit has to be a whole number from 1 on: {most} records are the most of a page."), most=MOST_RECORDS
        )
    return min(int(text), MOST_RECORDS)


def _facets(arguments: Mapping[str, str]) -> tuple[str, ...]:
    names = values("facets", arguments.get("facets", ""))
    for name in names:
        if name not in FACETS:
            raise bad_request(_("There is no facet “{name}”. These are: {known}."), name=name, known=", ".join(FACETS))
    return names
