"""Refuse XML that would cost far more than its size: more tags, attributes or namespaces than any real record has.

Looked for in the bytes, before anything is parsed, because the cost of canonical XML grows with the square of the
attributes of one element, and that of a tree with its nodes. Depth needs no check: libxml2 ends at 256 elements, and a
text at 10 MB. No Django.
"""

import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from catalogue.limits import Replaceable


@dataclass(frozen=True, slots=True)
class XmlLimits:
    """What a document may consist of. Chosen: far above the largest of 1,164 real records, whose figures stand beside.

    Within these limits a document of 10 MB takes less than 2 s of CPU and 500 MB (tests/catalogue/documents/test_bombs.py).
    """

    tags: int = 100_000  # of a record, each `<` counted; 1,832 (945 elements, 21 deep)
    attributes: int = 100_000  # of a record; 263, and 179 declarations of namespaces
    element_attributes: int = 250  # of one element, with declarations; 4, and 20 declarations
    namespaces: int = 500  # declarations in force at one element; 20
    name_bytes: int = 4_000  # of a name in a tag that is longer than that; 42
    outside_bytes: int = 1024 * 1024  # before and after the root of a document or answer; 1,545
    references: int = 100_000  # `&` in a record that is to be repaired; 349
    page_tags: int = 600_000  # of an answer that is parsed as a whole; one with more is parsed record by record
    page_entries: int = 100_000  # headers or sets in one answer
    page_records: int = 8_000  # records in one answer, whatever its size
    page_record_bytes: int = 1_500  # of each of more records, on an average
    page_namespaces: int = 50  # declared around the records of an answer


LIMITS = Replaceable(XmlLimits())


class Excess(NamedTuple):
    """What a document has more of than it may, at least `number`. `of`: a key of `catalogue.reasons.EXCESSES`."""

    of: str
    number: int
    limit: int

    def facts(self) -> dict[str, str | int]:
        """Return it as the facts of a reason or a fault."""
        return self._asdict()


# Below this size the number of tags and namespaces cannot cost much, and is not counted. For speed.
_SMALL_BYTES = 100_000
_SMALL_PAGE_BYTES = 4 * 1024 * 1024
# An attribute takes five bytes (` a=""`), so that shorter tags cannot have too many.
_ATTRIBUTE_BYTES = 5
_HIDDEN = re.compile(rb"<!--(?>.*?-->|.*)|<!\[CDATA\[(?>.*?\]\]>|.*)|<\?(?>.*?\?>|.*)", re.DOTALL)
_TAG = re.compile(rb"""<[^"'<>]*+(?:(?:"[^"<]*+"|'[^'<]*+')[^"'<>]*+)*+>""")
_QUOTED = re.compile(rb"""=\s*+(?:"[^"<]*+"|'[^'<]*+')""")
_DECLARED = re.compile(rb"""\sxmlns(?::[^\s=]++)?\s*+=""")
_COUNTED = 10  # times the limit: what is more is not counted
_NO_START_TAG = b"!?/"


def excess_of_record(element: bytes) -> Excess | None:
    """Return what a root element has too much of, or None."""
    return excess_of_tags(element) or (_excess_of_large(element) if len(element) > _SMALL_BYTES else None)


def outside(number: int) -> Excess:
    """Return the excess of a document that has so many bytes before or after its root."""
    return Excess("outside", number, LIMITS.in_force.outside_bytes)


def excess_of_answer(text: bytes, root_at: int) -> Excess | None:
    """Return what makes an answer too costly to be parsed as a whole, or None. Its records have limits of their own.

    `root_at`: where its root begins.
    """
    limits = LIMITS.in_force
    around = max(root_at, len(text) - len(text.rstrip()))
    if around > limits.outside_bytes:
        return outside(around)
    if len(text) > _SMALL_PAGE_BYTES and (number := text.count(b"<")) > limits.page_tags:
        return Excess("tags", number, limits.page_tags)
    return excess_of_tags(text)


def excess_of_list(entries: int, *, records: int, namespaces: int, size: int) -> Excess | None:
    """Return what an answer of `size` bytes has more of than it may, or None. `namespaces`: declared around its records."""
    limits = LIMITS.in_force
    if entries > limits.page_entries:
        return Excess("entries", entries, limits.page_entries)
    if namespaces > limits.page_namespaces:  # looking for each in each record costs much
        return Excess("namespaces-around", namespaces, limits.page_namespaces)
    return excess_of_records(records, size)


def excess_of_records(number: int, size: int) -> Excess | None:
    """Return the excess of an answer of `size` bytes that has more records than it may, or None."""
    limits = LIMITS.in_force
    limit = max(limits.page_records, size // limits.page_record_bytes)
    return Excess("entries", number, limit) if number > limit else None


def excess_of_tags(text: bytes, *, has_hidden: bool = True) -> Excess | None:
    """Return what one tag of a text has too much of, or None. The text need not be well-formed.

    A tag has no second `<`. So only where `<` is missing for long can there be a long tag; the search for that takes
    steps of its length, a hundredth of the time of parsing. `has_hidden`: what looks like a tag may be in a comment, a
    CDATA section or a processing instruction.
    """
    limits = LIMITS.in_force
    step = limits.element_attributes * _ATTRIBUTE_BYTES
    at, end = 0, len(text)
    while at < end:
        last = text.rfind(b"<", at, at + step)
        if last < 0:
            if at and text[at] not in _NO_START_TAG and (found := _excess_of_tag(text, at - 1, limits)):
                return excess_of_tags(_without_hidden(text), has_hidden=False) if has_hidden else found
            last = text.find(b"<", at + step)
            if last < 0:
                return None
        at = last + 1
    return None


def _excess_of_tag(text: bytes, start: int, limits: XmlLimits) -> Excess | None:
    found = _TAG.match(text, start)
    if found is None:
        return None  # it is not well-formed, as the parser will say
    tag = found.group()
    if tag.count(b"=") > limits.element_attributes:
        number = sum(1 for _ in islice(_QUOTED.finditer(tag), _COUNTED * limits.element_attributes))
        if number > limits.element_attributes:
            return Excess("element-attributes", number, limits.element_attributes)
    if len(tag) > limits.name_bytes:
        longest = max(map(len, _QUOTED.sub(b" ", tag).strip(b"</>").split()), default=0)
        if longest > limits.name_bytes:
            return Excess("name", longest, limits.name_bytes)
    return None


def _excess_of_large(element: bytes) -> Excess | None:
    limits = LIMITS.in_force
    if (number := element.count(b"<")) > limits.tags:
        return Excess("tags", number, limits.tags)
    if element.count(b"=") > limits.attributes:
        number = sum(1 for _ in _QUOTED.finditer(_without_hidden(element)))
        if number > limits.attributes:
            return Excess("attributes", number, limits.attributes)
    if element.count(b"xmlns") > limits.namespaces:
        number = _most_namespaces(_without_hidden(element), limits.namespaces)
        if number > limits.namespaces:
            return Excess("namespaces", number, limits.namespaces)
    return None


def _most_namespaces(element: bytes, enough: int) -> int:
    """Return the largest number of declarations in force at one element, or one that is more than `enough`."""
    most, in_force = 0, [0]
    for found in _TAG.finditer(element):
        tag = found.group()
        if tag.startswith(b"</"):
            if len(in_force) > 1:
                in_force.pop()
            continue
        number = in_force[-1] + (len(_DECLARED.findall(tag)) if b"xmlns" in tag else 0)
        if number > enough:
            return number
        most = max(most, number)
        if not tag.endswith(b"/>"):
            in_force.append(number)
    return most


def _without_hidden(text: bytes) -> bytes:
    return _HIDDEN.sub(lambda match: b" " * len(match.group()), text)
