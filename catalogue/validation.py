"""Labels on records: what the XML schemas and the WMO Core Profile say of them. Labels, never gates (promise 7).

A label belongs to one version of a record, told by its digest, and to one version of the rules. It lives in a table
of its own: checking touches no record, no datestamp and no membership. What has no label, or an old one, is found from
the newest record to the oldest and checked in slices of bounded time: by a task (`catalogue.tasks`), or by
`manage.py catalogue validate`.
"""

import hashlib
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from lxml import etree

from catalogue import oai
from catalogue.documents import schemas, wcmp
from catalogue.documents.wcmp import Fault
from catalogue.models import DatestampClock, Record, Validation
from catalogue.payloads import payload

BATCH = 100  # chosen: records labelled in one statement; less than a second of work
NODE = "node"  # the rule of faults that are none of the record's
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the checks say of one document."""

    structure: Validation.Structure
    schema: str
    faults: tuple[Fault, ...]


class Place(NamedTuple):
    """How far a walk from the newest record to the oldest has come."""

    rules: str
    begun: datetime  # the clock's stamp when the walk set out
    datestamp: datetime
    record_id: int


# --- One document ------------------------------------------------------------------------------------


def check(element: bytes) -> Outcome:
    """Check a root element as `payload` keeps it. Never raises: what goes wrong is a fault."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(element, parser)
        structure, schema, faults = _structure(element, root)
    except Exception as exc:
        said = f"The checks failed on this record ({type(exc).__name__}: {exc}); please tell the developers"
        return Outcome(Validation.Structure.NOT_CHECKED, "", (Fault(NODE, said[: schemas.MAX_TEXT]),))
    return Outcome(structure, schema, (*faults, *wcmp.check(root)))


def _structure(element: bytes, root: etree._Element) -> tuple[Validation.Structure, str, list[Fault]]:
    folder = _folder()
    chosen = schemas.set_for(element)
    schema = _schema(folder, chosen) if folder else None
    if schema is None:
        return Validation.Structure.NOT_CHECKED, "", []
    found = [Fault("6.1.1", text) for text in schemas.faults(schema, root)]
    return (Validation.Structure.INVALID if found else Validation.Structure.VALID), chosen.value, found


def _folder() -> Path | None:
    return Path(settings.GISC_SCHEMA_DIR) if settings.GISC_SCHEMA_DIR else None


@cache
def _schema(folder: Path, chosen: schemas.SchemaSet) -> etree.XMLSchema | None:
    try:
        return schemas.load(folder, chosen)
    except schemas.Unusable as exc:
        logger.error("records are not checked against schemas", extra={"reason": str(exc)})
        return None


def rules() -> str:
    """Which rules and schemas are in force here; another text when any of them changes."""
    folder = _folder()
    return f"wcmp {_code_digest()} schemas {schemas.fingerprint(folder) if folder else 'none'}"


@cache
def _code_digest() -> str:
    """Ten digits that change with the code of the checks, so that nobody has to remember to count a version up."""
    files = (Path(str(module.__file__)) for module in (wcmp, schemas))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:10]


# --- Those without a current label -------------------------------------------------------------------

# Everything stamped before this was labelled under these rules when this process last reached the end of a walk.
# Datestamps never decrease in commit order, so what is written later is stamped at or after it (promise 1).
_settled: tuple[str, datetime] | None = None


def label(
    place: Place | None = None,
    *,
    seconds: float,
    everything: bool = False,
    done: Callable[[int], object] | None = None,
) -> Place | None:
    """Label records from `place` on for about so many seconds; where to go on, or None when the walk is at its end.

    Takes those without a current label, newest first; with `everything` all. `done` is told the size of each batch.
    """
    global _settled
    in_force = rules()
    stamp = DatestampClock.objects.values_list("stamp", flat=True).first()
    if stamp is None:
        return None
    settled = _settled if _settled and _settled[0] == in_force and _settled[1] <= stamp else None
    floor = settled[1] if settled and not everything else _BEFORE_ALL
    if place is None or place.rules != in_force:
        _forget_deleted(floor)
        place = Place(in_force, stamp, _AFTER_ALL, 0)
    until = time.monotonic() + seconds
    while batch := _next(place, floor, everything):
        _label(batch, in_force)
        place = Place(in_force, place.begun, *batch[-1])
        if done is not None:
            done(len(batch))
        if time.monotonic() >= until:
            return place
    _settled = in_force, place.begun
    return None


_BEFORE_ALL = datetime.fromisoformat("0001-01-01T00:00:00Z")
_AFTER_ALL = datetime.fromisoformat("9999-12-31T00:00:00Z")
_NEXT = """
    SELECT r.datestamp, r.id FROM catalogue_record r LEFT JOIN catalogue_validation v ON v.record_id = r.id
    WHERE NOT r.deleted AND r.datestamp >= %(floor)s AND (r.datestamp, r.id) < (%(datestamp)s, %(record)s)
        AND (%(everything)s OR v.record_id IS NULL OR v.digest <> r.digest OR v.rules <> %(rules)s)
    ORDER BY r.datestamp DESC, r.id DESC LIMIT %(most)s
"""


def _next(place: Place, floor: datetime, everything: bool) -> list[tuple[datetime, int]]:
    values: dict[str, Any] = {
        "floor": floor,
        "datestamp": place.datestamp,
        "record": place.record_id,
        "everything": everything,
        "rules": place.rules,
        "most": BATCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, values)
        return list(cursor.fetchall())


_WRITE = """
    INSERT INTO catalogue_validation (record_id, digest, rules, structure, schema, faults, checked)
    SELECT id, %(digest)s, %(rules)s, %(structure)s, %(schema)s, %(faults)s, now()
    FROM catalogue_record WHERE id = %(record)s AND NOT deleted
    ON CONFLICT (record_id) DO UPDATE SET
        digest = excluded.digest, rules = excluded.rules, structure = excluded.structure, schema = excluded.schema,
        faults = excluded.faults, checked = excluded.checked
"""


def _label(batch: list[tuple[datetime, int]], in_force: str) -> None:
    rows: list[dict[str, Any]] = []
    for _, record_id in batch:  # one at a time: a hundred of the largest records would be a gigabyte
        held = Record.objects.filter(pk=record_id, deleted=False).values_list("payload", "digest").first()
        if held is not None:
            packed, digest = held
            outcome = _check_packed(packed)
            faults = json.dumps([fault._asdict() for fault in outcome.faults], ensure_ascii=False)
            rows.append(
                {
                    "record": record_id,
                    "digest": digest,
                    "rules": in_force,
                    "structure": outcome.structure.value,
                    "schema": outcome.schema,
                    "faults": faults,
                }
            )
    with transaction.atomic(), connection.cursor() as cursor:
        for row in sorted(rows, key=lambda row: int(row["record"])):
            cursor.execute(_WRITE, row)


def _check_packed(packed: Any) -> Outcome:
    try:
        element = payload.unpack(packed)
    except payload.PayloadDamaged as exc:
        said = f"The stored metadata cannot be read ({exc}); harvest or load the record again"
        return Outcome(Validation.Structure.NOT_CHECKED, "", (Fault(NODE, said),))
    return check(element)


def _forget_deleted(floor: datetime) -> None:
    """Take the labels off records that were deleted while they were being checked; all others `store` takes off."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM catalogue_validation v USING catalogue_record r
            WHERE v.record_id = r.id AND r.deleted AND r.datestamp >= %s
            """,
            [floor],
        )


def waiting() -> int:
    """How many live records have no current label."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM catalogue_record r LEFT JOIN catalogue_validation v ON v.record_id = r.id
            WHERE NOT r.deleted AND (v.record_id IS NULL OR v.digest <> r.digest OR v.rules <> %s)
            """,
            [rules()],
        )
        return int(cursor.fetchone()[0])


# --- Reading labels ----------------------------------------------------------------------------------


def standing(record: Record) -> Validation | None:
    """The label of the version that is held; None where it has none, or one of an earlier version."""
    found: Validation | None = getattr(record, "validation", None)
    return found if found is not None and bytes(found.digest) == bytes(record.digest or b"") else None


NO_LABELS = {"valid": 0, "invalid": 0, "not_checked": 0, "faulty": 0}


def counts() -> dict[str, dict[str, int]]:
    """Of each set's live records, how many are valid, invalid, not checked (or not yet), and with faults of any rule."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT spec, count(*) FILTER (WHERE structure = 'valid'), count(*) FILTER (WHERE structure = 'invalid'),
                count(*) FILTER (WHERE structure IS DISTINCT FROM 'valid' AND structure IS DISTINCT FROM 'invalid'),
                count(*) FILTER (WHERE faulty)
            FROM (
                SELECT unnest(%s || r.set_specs) AS spec, v.structure, v.faults <> '[]' AS faulty
                FROM catalogue_record r
                LEFT JOIN catalogue_validation v ON v.record_id = r.id AND v.digest = r.digest
                WHERE NOT r.deleted
            ) labelled
            GROUP BY spec
            """,
            [[oai.CATALOGUE_SET]],
        )
        return {spec: dict(zip(NO_LABELS, figures, strict=True)) for spec, *figures in cursor.fetchall()}
