"""Compare the fields of two records, as a reader names them: title, keywords, contacts. No Django, no I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from os.path import commonprefix

from catalogue.documents import iso19139, xml_tree
from catalogue.documents.iso19139 import Details, Metadata


class Field(StrEnum):
    """What a record says about its data and itself, in the order of a record page."""

    IDENTIFIER = "identifier"
    TITLE = "title"
    ABSTRACT = "abstract"
    KEYWORD = "keyword"
    CATEGORY = "category"
    AREA = "area"
    BEGINS = "begins"
    ENDS = "ends"
    LANGUAGE = "language"
    METADATA_DATE = "metadata-date"
    LINK = "link"
    LINK_NAME = "link-name"
    LINK_PROTOCOL = "link-protocol"
    CONTACT = "contact"
    CONTACT_NAME = "contact-name"
    CONTACT_ROLE = "contact-role"
    CONTACT_EMAIL = "contact-email"


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that differs. A side that does not have it is empty. `of`: the contact or link whose part it is."""

    field: Field
    before: str
    after: str
    of: str = ""


MAX_VALUE = 300  # chosen, characters: the lines of the XML have the rest
_SINGLE = (
    (Field.IDENTIFIER, "identifier"),
    (Field.TITLE, "title"),
    (Field.ABSTRACT, "abstract"),
    (Field.BEGINS, "begins"),
    (Field.ENDS, "ends"),
    (Field.LANGUAGE, "language"),
    (Field.METADATA_DATE, "metadata_date"),
)
_SEVERAL = ((Field.KEYWORD, "keywords"), (Field.CATEGORY, "categories"), (Field.AREA, "boxes"))
_ORDER = {field: number for number, field in enumerate(Field)}


def field_differences(before: bytes, after: bytes) -> tuple[FieldDifference, ...] | None:
    """Return the fields in which two records differ; None if one of them cannot be read as a record."""
    try:
        (old, old_details), (new, new_details) = _read(before), _read(after)
    except xml_tree.Unusable:
        return None
    found = [*_of_metadata(old, new), *_of_links(old_details, new_details), *_of_contacts(old_details, new_details)]
    return tuple(sorted(found, key=lambda difference: _ORDER[difference.field]))


def _read(document: bytes) -> tuple[Metadata, Details]:
    element = xml_tree.root_element(document)
    return iso19139.read_tree(xml_tree.parse(element), element, digest=b""), iso19139.read_details(element)


def _of_metadata(old: Metadata, new: Metadata) -> Iterator[FieldDifference]:
    for field, name in _SINGLE:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield FieldDifference(field, *_ends(_text(before), _text(after)))
    for field, name in _SEVERAL:
        before, after = getattr(old, name), getattr(new, name)
        for value in before:
            if value not in after:
                yield FieldDifference(field, _text(value), "")
        for value in after:
            if value not in before:
                yield FieldDifference(field, "", _text(value))


def _of_links(old: Details, new: Details) -> Iterator[FieldDifference]:
    """Links are the same if their addresses are."""
    before, after = {link.url: link for link in old.links}, {link.url: link for link in new.links}
    for url, link in before.items():
        if url not in after:
            yield FieldDifference(Field.LINK, url, "")
            continue
        other = after[url]
        for field, ours, theirs in (
            (Field.LINK_NAME, link.name, other.name),
            (Field.LINK_PROTOCOL, link.protocol, other.protocol),
        ):
            if ours != theirs:
                yield FieldDifference(field, *_ends(ours, theirs), of=url)
    for url in after:
        if url not in before:
            yield FieldDifference(Field.LINK, "", url)


def _of_contacts(old: Details, new: Details) -> Iterator[FieldDifference]:
    """Contacts of one name are paired in their order, then those left over that stand in the same place."""
    before, after = list(old.contacts), list(new.contacts)
    for contact in list(before):
        if contact in after:
            before.remove(contact)
            after.remove(contact)
    pairs = []
    for contact in list(before):
        other = next((party for party in after if party.name and party.name == contact.name), None)
        if other is not None:
            pairs.append((contact, other))
            before.remove(contact)
            after.remove(other)
    paired = min(len(before), len(after))
    pairs += zip(before[:paired], after[:paired], strict=True)
    for contact, other in pairs:
        for field, ours, theirs in (
            (Field.CONTACT_NAME, contact.name, other.name),
            (Field.CONTACT_ROLE, contact.role, other.role),
            (Field.CONTACT_EMAIL, contact.email, other.email),
        ):
            if ours != theirs:
                yield FieldDifference(field, *_ends(ours, theirs), of=contact.name or contact.email)
    for contact in before[paired:]:
        yield FieldDifference(Field.CONTACT, _joined(contact), "")
    for contact in after[paired:]:
        yield FieldDifference(Field.CONTACT, "", _joined(contact))


def _joined(parts: Sequence[str]) -> str:
    return ", ".join(part for part in parts if part)


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, tuple):
        return " ".join(f"{corner:.6g}" for corner in value)
    return "" if value is None else str(value)


def _ends(before: str, after: str) -> tuple[str, str]:
    """Cut two texts that are longer than a reader wants, so that the first place where they differ is in sight."""
    if max(len(before), len(after)) <= MAX_VALUE:
        return before, after
    start = max(0, len(commonprefix((before, after))) - MAX_VALUE // 3)

    def cut(text: str) -> str:
        shown = text[start : start + MAX_VALUE]
        return ("… " if start and shown else "") + shown + (" …" if start + MAX_VALUE < len(text) else "")

    return cut(before), cut(after)
