"""Check records against the XML schemas and the WMO Core Profile, and label them. No label keeps a record out (promise 7).

A label belongs to one version of a record, identified by its digest, and to one version of the rules. It is a row of a
table of its own: checking touches no record, no datestamp and no membership. A walk from the newest record to the
oldest checks the records without a current label, in slices of bounded time: by a task (`catalogue.tasks`), or by
`manage.py catalogue validate`.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from lxml import etree

from catalogue import oai, seams
from catalogue.documents import kpi, schemas, templates, wcmp
from catalogue.documents.kpi import Kpis
from catalogue.documents.wcmp import Fault
from catalogue.limits import Replaceable
from catalogue.models import CompletedWalk, DatestampClock, Record, Validation
from catalogue.payloads import payload, readable

NODE = "node"  # the rule of faults of this node, not of the record
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ValidationLimits:
    """How much checking is done at a time."""

    batch: int = 100  # chosen: records labelled in one statement; less than a second of work
    slice_s: float = 20  # chosen: the longest time that one task keeps a worker from harvesting


LIMITS = Replaceable(ValidationLimits())


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the checks found in one document."""

    structure: Validation.Structure
    schema: str
    faults: tuple[Fault, ...]
    kpis: Kpis = Kpis()


class WalkPosition(NamedTuple):
    """How far a walk from the newest record to the oldest has come."""

    rules: str
    started_at: datetime  # the clock's stamp when the walk began
    datestamp: datetime
    record_id: int


# --- One document ------------------------------------------------------------------------------------


def check_document(element: bytes) -> CheckResult:
    """Check a root element. Never raises: an error of the checks becomes a fault."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(element, parser)
        structure, schema, found = _structure(element, root)
        faults = (*found, *wcmp.check(root), *templates.check(root))
        with_schemas = structure != Validation.Structure.NOT_CHECKED
        kpis = kpi.score(root, (fault.rule for fault in faults), with_schemas=with_schemas)
    except Exception as exc:
        text = f"The checks failed on this record ({type(exc).__name__}: {exc}); please tell the developers"
        return CheckResult(Validation.Structure.NOT_CHECKED, "", (Fault(NODE, text[: schemas.MAX_TEXT]),))
    return CheckResult(structure, schema, faults, kpis)


def _structure(element: bytes, root: etree._Element) -> tuple[Validation.Structure, str, list[Fault]]:
    folder = _folder()
    chosen = schemas.choose_set(element)
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
    except schemas.UnusableSchemas as exc:
        logger.error("records are not checked against schemas", extra={"reason": str(exc)})
        return None


def rules() -> str:
    """Return the version of the rules and schemas: another text when any of them changes."""
    folder = _folder()
    return f"wcmp {_code_digest()} schemas {schemas.fingerprint(folder) if folder else 'none'}"


@cache
def _code_digest() -> str:
    """Return ten digits that change with the code of the checks, so that nobody has to raise a version by hand."""
    files = (Path(str(module.__file__)) for module in (wcmp, templates, schemas, kpi))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:10]


# --- Records without a current label -----------------------------------------------------------------

# The rules and the start of the last walk that this process completed: everything stamped before it has been labelled.
# Datestamps never decrease in commit order, so what is written later is stamped at or after it (promise 1).
_last_walk: tuple[str, datetime] | None = None


def label_records(
    position: WalkPosition | None = None,
    *,
    seconds: float,
    everything: bool = False,
    advance: Callable[[int], object] | None = None,
) -> WalkPosition | None:
    """Label records from `position` on, newest first, for about `seconds`.

    Labels those without a current label; with `everything` all. `advance` is called with the size of each batch.
    Returns the position to continue from, or None at the end of the walk.
    """
    global _last_walk
    rules_in_force = rules()
    stamp = DatestampClock.objects.values_list("stamp", flat=True).first()
    if stamp is None:
        return None
    last_walk = _last_walk if _last_walk and _last_walk[0] == rules_in_force and _last_walk[1] <= stamp else None
    floor = last_walk[1] if last_walk and not everything else _BEFORE_ALL
    if position is None or position.rules != rules_in_force:
        _remove_labels_of_deleted(floor)
        position = WalkPosition(rules_in_force, stamp, _AFTER_ALL, 0)
    deadline = seams.monotonic() + seconds
    while batch := _next(position, floor, everything):
        _label_batch(batch, rules_in_force)
        position = WalkPosition(rules_in_force, position.started_at, *batch[-1])
        if advance is not None:
            advance(len(batch))
        if seams.monotonic() >= deadline:
            return position
    _last_walk = rules_in_force, position.started_at
    CompletedWalk.objects.update_or_create(pk=1, defaults={"started_at": position.started_at})
    return None


_BEFORE_ALL = datetime.fromisoformat("0001-01-01T00:00:00Z")
_AFTER_ALL = datetime.fromisoformat("9999-12-31T00:00:00Z")
_NEXT = """
    SELECT r.datestamp, r.id FROM catalogue_record r LEFT JOIN catalogue_validation v ON v.record_id = r.id
    WHERE NOT r.deleted AND r.datestamp >= %(floor)s AND (r.datestamp, r.id) < (%(datestamp)s, %(record)s)
        AND (%(everything)s OR v.record_id IS NULL OR v.digest <> r.digest OR v.rules <> %(rules)s)
    ORDER BY r.datestamp DESC, r.id DESC LIMIT %(most)s
"""


def _next(position: WalkPosition, floor: datetime, everything: bool) -> list[tuple[datetime, int]]:
    values: dict[str, Any] = {
        "floor": floor,
        "datestamp": position.datestamp,
        "record": position.record_id,
        "everything": everything,
        "rules": position.rules,
        "most": LIMITS.in_force.batch,
    }
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, values)
        return list(cursor.fetchall())


_WRITE = """
    INSERT INTO catalogue_validation (record_id, digest, rules, structure, schema, faults, scores, percent, grade, checked)
    SELECT id, %(digest)s, %(rules)s, %(structure)s, %(schema)s, %(faults)s, %(scores)s, %(percent)s, %(grade)s, gisc_clock()
    FROM catalogue_record WHERE id = %(record)s AND NOT deleted
    ON CONFLICT (record_id) DO UPDATE SET
        digest = excluded.digest, rules = excluded.rules, structure = excluded.structure, schema = excluded.schema,
        faults = excluded.faults, scores = excluded.scores, percent = excluded.percent, grade = excluded.grade,
        checked = excluded.checked
"""


def _label_batch(batch: list[tuple[datetime, int]], rules_in_force: str) -> None:
    rows: list[dict[str, Any]] = []
    for _, record_id in batch:  # one at a time: a hundred of the largest records would be a gigabyte
        stored = readable.first(Record.objects.filter(pk=record_id, deleted=False).only("payload", "digest"))
        if stored is not None:
            outcome = _check_packed(stored.payload)
            faults = json.dumps([fault._asdict() for fault in outcome.faults], ensure_ascii=False)
            rows.append(
                {
                    "record": record_id,
                    "digest": stored.digest,
                    "rules": rules_in_force,
                    "structure": outcome.structure.value,
                    "schema": outcome.schema,
                    "faults": faults,
                    "scores": [number for score in outcome.kpis.scores for number in score],
                    "percent": outcome.kpis.percent,
                    "grade": outcome.kpis.grade,
                }
            )
    with transaction.atomic(), connection.cursor() as cursor:
        for row in sorted(rows, key=lambda row: int(row["record"])):
            cursor.execute(_WRITE, row)


def _check_packed(packed: Any) -> CheckResult:
    """Check a stored document. Raises payload.DictionaryDamaged: the label would stay when the dictionary is back."""
    try:
        element = payload.unpack(packed)
    except payload.DictionaryDamaged:
        raise
    except payload.PayloadDamaged as exc:
        text = f"The stored metadata cannot be read ({exc}); harvest or load the record again"
        return CheckResult(Validation.Structure.NOT_CHECKED, "", (Fault(NODE, text),))
    return check_document(element)


def _remove_labels_of_deleted(floor: datetime) -> None:
    """Delete the labels of records that were deleted while they were being checked; `store` deletes all others."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM catalogue_validation v USING catalogue_record r
            WHERE v.record_id = r.id AND r.deleted AND r.datestamp >= %s
            """,
            [floor],
        )


def unchecked() -> QuerySet[Any]:
    """Return the ids of live records that were never checked, or not against the schemas.

    Those without a label are looked for among what was stamped since the last complete walk began: it has labelled all others. Not
    so where somebody has set the clock back since.
    """
    walk = CompletedWalk.objects.filter(started_at__lte=DatestampClock.objects.values("stamp")[:1]).first()
    new = Record.objects.filter(deleted=False, validation=None, datestamp__gte=walk.started_at if walk else _BEFORE_ALL)
    labelled = Validation.objects.filter(structure=Validation.Structure.NOT_CHECKED)
    return labelled.values("pk").union(new.values("pk"), all=True)


def count_unlabelled() -> int:
    """Count the live records without a current label."""
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


def current_label(record: Record) -> Validation | None:
    """Return the label of the stored version; None if there is none, or only one of an earlier version."""
    label: Validation | None = getattr(record, "validation", None)
    return label if label is not None and bytes(label.digest) == bytes(record.digest or b"") else None


NO_LABELS = {"valid": 0, "invalid": 0, "not_checked": 0, "faulty": 0}


def label_counts() -> dict[str, dict[str, int]]:
    """Count, by set, the live records that are valid, invalid, not checked (yet), and with faults of any rule."""
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
