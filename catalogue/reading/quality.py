"""Read what the checks say of records, as lines of a table: of all sets and centres, and of each record."""

from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction

from catalogue.documents import kpi
from catalogue.models import Quality

OF_GROUPS = (
    "kind", "name", "records", "valid", "invalid", "not_checked", "with_remarks", "percent",
    *(f"grade_{grade}" for grade in kpi.GRADES), *(f"kpi_{number}" for number in range(1, len(kpi.NAMES) + 1)),
    *(f"rule_{rule}" for rule in kpi.RULES), "counted",
)  # fmt: skip
OF_RECORDS = (
    "identifier", "title", "centre", "set", "structure", "schema", "percent", "grade",
    *(f"kpi_{number}_{of}" for number in range(1, len(kpi.NAMES) + 1) for of in ("reached", "total")), "rules", "checked",
)  # fmt: skip
_RECORDS = """
    SELECT r.identifier, coalesce(d.title, ''), coalesce(d.organisations[1], ''), o.spec, coalesce(v.structure, 'not checked'),
        coalesce(v.schema, ''), v.percent, coalesce(v.grade, ''), v.scores,
        ARRAY(SELECT DISTINCT fault->>'rule' FROM jsonb_array_elements(v.faults) AS fault ORDER BY 1),
        to_char(v.checked AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    FROM catalogue_record r
    JOIN catalogue_metadataset o ON o.id = r.owner_id
    LEFT JOIN catalogue_description d ON d.record_id = r.id
    LEFT JOIN catalogue_validation v ON v.record_id = r.id AND v.digest = r.digest
    WHERE NOT r.deleted AND (%(set)s IS NULL OR EXISTS (
        SELECT FROM catalogue_membership m WHERE m.record_id = r.id AND m.set_id = %(set)s AND NOT m.deleted
    )) AND (%(centre)s::text IS NULL OR coalesce(d.organisations[1], '') = %(centre)s)
    ORDER BY r.id
"""
_AT_ONCE = 1000
_SCORES = 2 * len(kpi.NAMES)


def of_groups() -> Iterator[list[Any]]:
    """Return a row for each set and centre, as they were counted last: the values of OF_GROUPS."""
    for row in Quality.objects.order_by("-kind", "-live", "name").iterator():
        percent = None if row.percent is None else round(row.percent, 1)
        counts = [row.kind, row.name, row.live, row.valid, row.invalid, row.not_checked, row.faulty, percent]
        yield [
            *counts,
            *(row.grades.get(grade, 0) for grade in kpi.GRADES),
            *row.kpis,
            *(row.rules.get(rule, 0) for rule in kpi.RULES),
            f"{row.counted_at:%Y-%m-%dT%H:%M:%SZ}",
        ]


def of_records(set_id: int | None = None, centre: str | None = None) -> Iterator[list[Any]]:
    """Return a row for each live record of a set or centre, or of all, as it is labelled now: the values of OF_RECORDS."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(_RECORDS, {"set": set_id, "centre": centre})
        while rows := cursor.fetchmany(_AT_ONCE):
            for *begin, scores, rules, checked in rows:
                yield [*begin, *(list(scores or ()) or [""] * _SCORES), " ".join(rules), checked]
