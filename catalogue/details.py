"""Who is behind a record, and where its data can be had: read for the page of one record, not kept beside it.

lxml only, no Django. What every record is read for is in `catalogue.metadata`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from catalogue import fields, metadata, oai
from catalogue.fields import distinct, name_of, text_of, xpath

# Chosen, as the limits of catalogue.metadata: what is over a number, and a URL that is too long, is left out.
MAX_URL = 4_000
MAX_CONTACTS = 100
MAX_LINKS = 500

_GMD = f"{{{oai.GMD_NS}}}"
_ORGANISATION, _PERSON, _POSITION, _ROLE, _EMAIL = _PARTY = tuple(
    f"{_GMD}{name}" for name in ("organisationName", "individualName", "positionName", "role", "electronicMailAddress")
)
_LINKAGE, _ONLINE_NAME, _PROTOCOL = _ONLINE_PARTS = tuple(f"{_GMD}{name}" for name in ("linkage", "name", "protocol"))

_PARTIES = xpath(
    "gmd:contact/* | gmd:identificationInfo/*/gmd:pointOfContact/*"
    " | gmd:identificationInfo/*/gmd:citation/*/gmd:citedResponsibleParty/*"
    " | gmd:distributionInfo/*/gmd:distributor/*/gmd:distributorContact/*"
)
_ONLINE = xpath(
    "gmd:distributionInfo/*/gmd:transferOptions/*/gmd:onLine/*"
    " | gmd:distributionInfo/*/gmd:distributor/*/gmd:distributorTransferOptions/*/gmd:onLine/*"
)


class Contact(NamedTuple):
    """A party that the record names for itself or its data: by organisation, else person, else position."""

    name: str
    role: str
    email: str


class Link(NamedTuple):
    """Where the data can be had. The URL is as received: it may be no URL, or one that must not be clicked."""

    url: str
    name: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Details:
    """What a record says of people and of places on the network."""

    contacts: tuple[Contact, ...] = ()
    links: tuple[Link, ...] = ()


def read(element: bytes) -> Details:
    """The details in a root element. Raises metadata.Unusable if it is not well-formed."""
    root = metadata.parse(element)
    return Details(_contacts(root), _links(root))


def _contacts(root: etree._Element) -> tuple[Contact, ...]:
    """The contacts of the record, its data and their distribution, and the parties that the data are cited by."""

    def read_all() -> Iterator[Contact]:
        for party in _PARTIES(root):
            parts: dict[str, etree._Element] = {}
            for part in party.iter(*_PARTY):
                parts.setdefault(part.tag, part)
            name = name_of(parts.get(_ORGANISATION)) or name_of(parts.get(_PERSON)) or name_of(parts.get(_POSITION))
            email = name_of(parts.get(_EMAIL))
            if name or email:
                yield Contact(name, _code(parts.get(_ROLE)), email)

    return distinct(read_all(), MAX_CONTACTS)


def _links(root: etree._Element) -> tuple[Link, ...]:
    """Where the data can be had, in the order of the record."""

    def read_all() -> Iterator[Link]:
        for online in _ONLINE(root):
            parts = {part.tag: part for part in online.iterchildren(*_ONLINE_PARTS)}
            url = text_of(parts.get(_LINKAGE))
            if url and len(url) <= MAX_URL:
                yield Link(url, name_of(parts.get(_ONLINE_NAME)), name_of(parts.get(_PROTOCOL)))

    return distinct(read_all(), MAX_LINKS)


def _code(element: etree._Element | None) -> str:
    """The code of a property, or what it says where it gives none."""
    for value in () if element is None else element.iterchildren(etree.Element):
        code = value.get("codeListValue")
        if code:
            return str(code)[: fields.MAX_NAME]
    return name_of(element)
