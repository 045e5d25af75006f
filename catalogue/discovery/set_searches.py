"""Read what an operator defines a set by: the address of a search on the public page, a filter in CQL2, or both."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext

from catalogue.discovery import search_form
from catalogue.discovery.ogcapi import cql
from catalogue.discovery.ogcapi.problems import Problem
from catalogue.reading import viewers
from catalogue.reading.query import conditions, words
from catalogue.reading.query.conditions import Condition

_ONLY_OF_PAGES = ("sort", "after")
_KNOWN = ("q", "set", "label", *search_form.FACETS, *search_form.SIDES, *search_form.DATES)


@dataclass(frozen=True, slots=True)
class DefinedSearch:
    """A search that a set can be defined by, with its texts as they are stored."""

    condition: Condition
    address: str
    filter_text: str


def read(address: str, filter_text: str = "") -> DefinedSearch:
    """Read the address of a search, its arguments alone, or words; and a filter in CQL2 text. What both say has to hold.

    Raises ValidationError, which says what is wrong: an argument that a page would leave out would make the set larger.
    """
    filter_text = filter_text.strip()
    parts: list[Condition] = []
    faults: list[str] = []
    form = _read_address(address.strip(), faults)
    if form is not None:
        faults += form.faults.values()
        parts += form.parts
    if filter_text:
        try:
            parts.append(cql.read(filter_text, cql.TEXT))
        except Problem as exc:
            faults.append(str(exc))
    faults += _faults_of_words(conditions.All(tuple(parts)))
    if not parts and not faults:
        faults.append(gettext("Write a search, a filter, or both: without, the set would have every record."))
    if faults:
        raise ValidationError(faults)
    canonical = "" if form is None else form.address_without_order
    return DefinedSearch(conditions.All(tuple(parts)), canonical, filter_text)


def _read_address(address: str, faults: list[str]) -> search_form.SearchForm | None:
    if not address:
        return None
    arguments = QueryDict(_arguments(address))
    for name in arguments:
        if name not in _KNOWN + _ONLY_OF_PAGES:
            known = ", ".join(_KNOWN)
            text = gettext("A search has no argument “{name}”. It has: {known}.")
            faults.append(text.format(name=name[:100], known=known))
    form = search_form.read(arguments, viewers.administration())
    read_back = QueryDict(form.address)
    for name in set(arguments) & set(_KNOWN) - set(form.faults):
        given = [value.strip() for value in arguments.getlist(name) if value.strip()]
        if list(dict.fromkeys(given)) != [value.strip() for value in read_back.getlist(name)]:
            text = gettext("The search page does not understand all that is said by “{name}”: {values}.")
            faults.append(text.format(name=name, values=", ".join(given)[:200]))
    return form


def _faults_of_words(condition: Condition) -> Iterator[str]:
    """Say of each text of which a search leaves words out, so that the set would not be what its search says."""
    for leaf in conditions.leaves(condition):
        if isinstance(leaf, conditions.Words) and words.are_too_many(leaf.text):
            text = gettext("The search has more than {most} words, after which none is looked for: write fewer.")
            yield text.format(most=words.MOST_WORDS)
        elif isinstance(leaf, conditions.Words) and not words.read(leaf.text):
            text = gettext(
                "Nothing in “{text}” is a word that is looked for, so the set would be empty: write other words."
            )
            yield text.format(text=leaf.text[:200])


def _arguments(address: str) -> str:
    """Return the arguments of an address; what has none is taken for the words of a search."""
    if "://" in address or address.startswith("/"):
        return urlsplit(address).query
    if "=" in address:
        return address.removeprefix("?")
    made = QueryDict(mutable=True)
    made["q"] = address
    return made.urlencode()
