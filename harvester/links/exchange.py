"""Write and read the list of centres, and the links, as CSV: all lines of a file are stored, or none. Passwords are in no file."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from io import StringIO
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext

from catalogue.models import Category, MetadataSet
from catalogue.reasons import ActRefused
from catalogue.writing import set_inclusion
from harvester import schedule_words
from harvester.links import edit, offers
from harvester.messages import as_sentence
from harvester.models import Centre, Link
from harvester.models.link_schedule import SCHEDULE
from harvester.net.client import redact_url

MAX_BYTES = 4 * 1024 * 1024  # chosen
MAX_LINES = 2000  # chosen
_MAX_FAULTS = 100  # chosen: a person reads them
_ALTERNATIVE = re.compile(r"(?P<name>[^<>]+?)\s*<(?P<base_url>[^<>\s]+)>\s+(?P<prefix>\S+)\s+(?P<remote_set>\S+)")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

CENTRE_COLUMNS = (
    *(
        "name",
        "country",
        "set_spec",
        "latitude",
        "longitude",
        "base_urls",
        "portal_url",
        "sru_url",
        "contact",
        "is_active",
    ),
)
LINK_COLUMNS = (
    *("name", "kind", "base_url", "prefix", "remote_set", "identifiers", "local_set", "enabled", "is_told", "schedule"),
    *(
        "strategy",
        "at_once",
        "lateness_h",
        "overlap_s",
        "switch_after_h",
        "return_after_h",
        "cycle_days",
        "content_days",
    ),
    *("category", "alternatives"),
    *("tombstone_days", "ceiling_records", "ceiling_percent", "hold_percent"),
    *("grace_h", "user", "certificates", "proxy", "proxy_user", "post", "user_agent", "sender"),
)


@dataclass(frozen=True, slots=True)
class Report:
    """What an import has done: nothing at all if there are `faults`, a sentence for each line that is wrong."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    faults: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The report in a sentence."""
        if self.faults:
            return gettext("Nothing was imported. %s") % " ".join(self.faults)
        facts = {"added": len(self.added), "changed": len(self.changed), "unchanged": self.unchanged}
        return gettext("%(added)d added, %(changed)d changed, %(unchanged)d as before.") % facts

    def report(self) -> dict[str, object]:
        """Return the report in JSON."""
        return {
            "added": list(self.added),
            "changed": list(self.changed),
            "unchanged": self.unchanged,
            "faults": list(self.faults),
        }


# --- Writing ----------------------------------------------------------------------------------------


def export_centres() -> str:
    """Return all centres as CSV."""
    return _write(CENTRE_COLUMNS, Centre.objects.all())


def export_links() -> str:
    """Return all links as CSV, without passwords. Alternatives are in one cell, a line for each: `NAME <BASE_URL> PREFIX REMOTE_SET`."""
    return _write(LINK_COLUMNS, Link.objects.select_related("local_set", "category").prefetch_related("alternatives"))


def _write(columns: tuple[str, ...], rows: Iterable[models.Model]) -> str:
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_escape(_text_of(row, column)) for column in columns])
    return file.getvalue()


def _text_of(row: models.Model, column: str) -> str:
    if column == "schedule":
        return schedule_words.write(row.schedule)  # type: ignore[attr-defined]
    if column == "alternatives":
        others = row.alternatives.all() if row.pk is not None else ()  # type: ignore[attr-defined]
        return "\n".join(f"{other.name} <{other.base_url}> {other.prefix} {other.remote_set}" for other in others)
    value = row.local_set.spec if column == "local_set" else getattr(row, column)  # type: ignore[attr-defined]
    if isinstance(value, Category):
        return value.name
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(value)
    if column in ("base_url", "proxy"):
        return redact_url(value)
    return "" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)


def _escape(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula, unless it is a number."""
    return f"'{text}" if text.startswith(_FORMULA) and _number(text) is None else text


# --- Reading ----------------------------------------------------------------------------------------


def import_centres(data: bytes) -> Report:
    """Store the centres of a file: each line adds the centre of that set, or changes it. Others stay as they are."""
    return _import(data, CENTRE_COLUMNS, "set_spec", _find_centre, _save_centre)


def import_links(data: bytes) -> Report:
    """Store the links of a file: each line adds the link of that name, or changes it. Others stay as they are.

    No provider is asked. A password that is stored stays, if it goes to the same provider. Alternatives that a link does
    not have yet are added after the others; none is removed.
    """
    return _import(data, LINK_COLUMNS, "name", _find_link, _save_link)


Find = Callable[[str], models.Model]
Save = Callable[[Any, set[str]], None]


class _Undo(Exception):
    """Leaves the transaction of an import that has faults."""


def _import(data: bytes, columns: tuple[str, ...], key: str, find: Find, save: Save) -> Report:
    lines, fault = _lines(data, columns, key)
    if fault:
        return Report(faults=(fault,))
    added, changed, faults, seen = list[str](), list[str](), list[str](), set[str]()
    try:
        with transaction.atomic():
            for number, values in lines:
                name = values.get(key, "")
                row = find(name)
                is_new = row.pk is None
                if name in seen:
                    faults.append(gettext("Line %(line)d: “%(name)s” is in the file twice.") % _at(number, name))
                    continue
                seen.add(name)
                try:
                    fields = _apply(row, values)
                    if fields or is_new:
                        with transaction.atomic():
                            save(row, fields)
                        (added if is_new else changed).append(str(row))
                except ValidationError as exc:
                    faults.append(gettext("Line %(line)d (%(name)s): %(text)s") % _at(number, name, _texts(exc)))
            if faults:
                raise _Undo
    except _Undo:
        return Report(faults=tuple(faults[:_MAX_FAULTS]))
    return Report(tuple(added), tuple(changed), len(seen) - len(added) - len(changed))


def _lines(data: bytes, columns: tuple[str, ...], key: str) -> tuple[list[tuple[int, dict[str, str]]], str]:
    """Return the number and the values of each line, by column; or the fault of the file as a whole."""
    if len(data) > MAX_BYTES:
        return [], gettext("The file is larger than 4 MB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [], gettext("The file is not in UTF-8: save it as “CSV UTF-8”.")
    first = text.partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    lines: list[tuple[int, dict[str, str]]] = []
    try:
        names = [name.strip() for name in next(reader, [])]
        unknown = [name for name in names if name not in columns]
        if unknown or key not in names or len(set(names)) < len(names):
            facts = {"names": ", ".join(columns), "key": key, "unknown": ", ".join(unknown)[:200] or "-"}
            return [], gettext(
                "The first line has to name columns out of these: %(names)s. %(key)s is needed. Not known: %(unknown)s."
            ) % facts
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(names):
                counted = {"line": reader.line_num, "cells": len(cells), "number": len(names)}
                return [], gettext("Line %(line)d has %(cells)d columns instead of %(number)d.") % counted
            lines.append((reader.line_num, dict(zip(names, map(_unescape, cells), strict=True))))
    except csv.Error:
        return [], gettext("Line %d cannot be read as CSV.") % reader.line_num
    if len(lines) > MAX_LINES:
        return [], gettext("The file has more than %d lines.") % MAX_LINES
    return lines, ""


def _unescape(text: str) -> str:
    text = text.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _at(line: int, name: str, text: str = "") -> dict[str, object]:
    return {"line": line, "name": name[:100], "text": text}


def _texts(exc: ValidationError) -> str:
    if not hasattr(exc, "error_dict"):
        return " ".join(exc.messages)
    return " ".join(f"{name}: {' '.join(texts)}" for name, texts in exc.message_dict.items())


def _apply(row: models.Model, values: Mapping[str, str]) -> set[str]:
    """Give a row the values of a line; the fields that differ from what it has. Raises ValidationError."""
    changed: set[str] = set()
    for column, text in values.items():
        if row.pk is not None and text == _text_of(row, column):
            continue
        if row.pk is None and not text and column not in ("name", "set_spec", "remote_set", "local_set", "base_url"):
            continue  # the default
        if column == "schedule":
            try:
                row.schedule = schedule_words.read(text)  # type: ignore[attr-defined]
            except ActRefused as exc:
                raise ValidationError({"schedule": as_sentence(str(exc))}) from exc
            changed |= SCHEDULE
        elif column == "alternatives":
            row.new_alternatives = _new_alternatives(row, text)  # type: ignore[arg-type, attr-defined]
            changed |= {column} if row.new_alternatives else set()  # type: ignore[attr-defined]
        elif column == "local_set":
            row.local_set = _local_set(text)  # type: ignore[attr-defined]
            changed.add(column)
        elif column == "category":
            row.category = _category(text)  # type: ignore[attr-defined]
            changed.add(column)
        else:
            setattr(row, column, _value(row._meta.get_field(column), text))
            changed.add(column)
    return changed


def _value(field: Any, text: str) -> object:
    if isinstance(field, models.BooleanField):
        if text.lower() not in ("yes", "no", "true", "false", "1", "0"):
            raise ValidationError({field.name: gettext("Write yes or no.")})
        return text.lower() in ("yes", "true", "1")
    if isinstance(field, models.JSONField):
        return text.split()
    if isinstance(field, models.FloatField | models.IntegerField):
        number = _number(text)
        is_whole = number is not None and number == number.to_integral_value()
        if (text and number is None) or (isinstance(field, models.IntegerField) and not is_whole):
            raise ValidationError({field.name: gettext("“%s” is no number.") % text[:40]})
        if number is None:
            return None
        return int(number) if isinstance(field, models.IntegerField) else float(number)
    return text


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) < 10**12 else None


def _new_alternatives(link: Link, text: str) -> list[dict[str, str]]:
    """Read the alternatives of a cell that a link does not have yet, by their fields. Raises ValidationError."""
    found = [(line, _ALTERNATIVE.fullmatch(line.strip())) for line in text.splitlines() if line.strip()]
    wrong = next((line for line, match in found if match is None), None)
    if wrong is not None:
        text = gettext("“%s” is no alternative: write NAME <BASE_URL> PREFIX REMOTE_SET, one in a line.") % wrong[:100]
        raise ValidationError({"alternatives": text})
    others = link.alternatives.all() if link.pk is not None else ()
    known = {(other.base_url, other.remote_set) for other in others}
    read = [match.groupdict() for _line, match in found if match is not None]
    return [values for values in read if (values["base_url"], values["remote_set"]) not in known]


def _local_set(spec: str) -> MetadataSet:
    """The local set of this setSpec, which is made if there is none."""
    try:
        return set_inclusion.ensure_set(spec)
    except ValidationError as exc:
        raise ValidationError({"local_set": _texts(exc)}) from exc


def _category(name: str) -> Category | None:
    """The category of this name; none for an empty one. Never made here: it says who sees records. Raises ValidationError."""
    category = Category.objects.filter(name=name).first() if name else None
    if name and category is None:
        text = gettext("There is no category “%s”: add it in the administration first, or leave the cell empty.")
        raise ValidationError({"category": text % name[:60]})
    return category


def _find_centre(set_spec: str) -> Centre:
    return Centre.objects.filter(set_spec=set_spec).first() or Centre(set_spec=set_spec)


def _save_centre(centre: Centre, fields: set[str]) -> None:
    centre.full_clean()
    centre.save()


def _find_link(name: str) -> Link:
    return Link.objects.select_related("local_set", "category").filter(name=name).first() or Link(name=name)


def _save_link(link: Link, fields: set[str]) -> None:
    link.full_clean()
    if link._state.adding:
        link.save()
    else:
        edit.save(link, fields - {"alternatives"})
    for values in getattr(link, "new_alternatives", ()):
        try:
            offers.add_alternative(link, **values)
        except ValidationError as exc:
            raise ValidationError({"alternatives": _texts(exc)}) from exc


# --- The two lists ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What can be imported and exported, for pages."""

    columns: tuple[str, ...]
    import_rows: Callable[[bytes], Report]
    export_rows: Callable[[], str]


CENTRES = Exchanged(CENTRE_COLUMNS, import_centres, export_centres)
LINKS = Exchanged(LINK_COLUMNS, import_links, export_links)
