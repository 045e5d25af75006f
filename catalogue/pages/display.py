"""Format metadata for people: XML indented, boxes and times in words. Text in, text out; HTML is made elsewhere."""

import re
from datetime import datetime

from django.utils.text import Truncator
from django.utils.translation import get_language_info, gettext
from lxml import etree

from catalogue.documents import iso19139, languages, xml_tree
from catalogue.payloads import payload

MAX_DISPLAYED_CHARACTERS = 200_000  # chosen: ten times a long record; a browser still shows it at once


def indented(document: bytes) -> str:
    """Indent a document, or return it as it is if it is not XML; cut after MAX_DISPLAYED_CHARACTERS."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_blank_text=True)
    try:
        text = etree.tostring(etree.fromstring(document, parser), pretty_print=True, encoding="unicode")
    except (etree.XMLSyntaxError, ValueError):
        text = document.decode("utf-8", errors="replace")
    text = text.replace("\0", "\ufffd").strip()
    if len(text) > MAX_DISPLAYED_CHARACTERS:
        text = gettext("{value}\n... cut here; {text} characters follow").format(
            value=text[:MAX_DISPLAYED_CHARACTERS], text=len(text) - MAX_DISPLAYED_CHARACTERS
        )
    return text


def stored(packed: bytes | memoryview | None) -> str:
    """Return a stored payload, indented; a sentence if it is damaged; empty for a tombstone."""
    if packed is None:
        return ""
    try:
        return indented(payload.unpack(packed))
    except payload.PayloadDamaged as exc:
        return gettext("The metadata cannot be shown: {exc}. Harvest or load the record again.").format(exc=exc)


def details(packed: bytes | memoryview | None) -> iso19139.Details:
    """Read the contacts and links of a stored payload; none if it is damaged, which `stored` reports."""
    try:
        return iso19139.Details() if packed is None else iso19139.read_details(payload.unpack(packed))
    except (payload.PayloadDamaged, xml_tree.Unusable):
        return iso19139.Details()


def code_in_words(code: str) -> str:
    """Write a code of a code list in words: `pointOfContact` as “point of contact”. Abbreviations stay as they are."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", code.replace("_", " "))
    return " ".join(word if word.isupper() else word.lower() for word in words.split()) if words != code else code


def language_in_words(code: str) -> str:
    """Write the language that a record names, `ger` as “German”; one that Django does not know as the record has it."""
    tag = languages.language_tag(code)
    if tag == "zh":
        return gettext("Chinese")  # Django has names for two ways of writing it alone
    try:
        return str(get_language_info(tag)["name_translated"])
    except KeyError:
        return code


def shortened(text: str, characters: int) -> str:
    """Cut a text, as the filter `truncatechars` does, which takes long to find out that nothing is to be cut."""
    return text if len(text) <= characters else Truncator(text).chars(characters)


def box(corners: tuple[float, float, float, float]) -> str:
    """Format a bounding box [west, south, east, north] in words."""
    west, south, east, north = corners
    return gettext("{south} to {north}, {west} to {east}").format(
        south=_degrees(south, "N", "S"),
        north=_degrees(north, "N", "S"),
        west=_degrees(west, "E", "W"),
        east=_degrees(east, "E", "W"),
    )


def span(begins: datetime | None, ends: datetime | None) -> str:
    """Format a time extent in words, of whole days as days; empty if neither end is given."""
    if begins and ends:
        if _is_of_days(begins, ends):
            first, last = begins.date().isoformat(), ends.date().isoformat()
            return first if first == last else gettext("{begin} to {end}").format(begin=first, end=last)
        if begins == ends:
            return gettext("{instant} UTC").format(instant=_instant(begins))
        return gettext("{begin} to {end} UTC").format(begin=_instant(begins), end=_instant(ends))
    if begins:
        if _is_of_days(begins):
            return gettext("since {day}").format(day=begins.date().isoformat())
        return gettext("since {instant} UTC").format(instant=_instant(begins))
    if not ends:
        return ""
    if _is_of_days(ends):
        return gettext("until {day}").format(day=ends.date().isoformat())
    return gettext("until {instant} UTC").format(instant=_instant(ends))


def _is_of_days(*ends: datetime) -> bool:
    """Whether the ends of a time extent are the begins of days, or last seconds of days."""
    return all((each.hour, each.minute, each.second) in ((0, 0, 0), (23, 59, 59)) for each in ends)


def _instant(stamp: datetime) -> str:
    return stamp.isoformat(" ", "minutes")[:16]


def _degrees(value: float, positive: str, negative: str) -> str:
    return f"{abs(value):.6g}°{positive if value > 0 else negative if value < 0 else ''}"
