"""Count what the checks say of the records of each set and of each centre together: labels, broken rules, scores and grades.

No request can count this of a large catalogue. The ticks do, if anything has changed since, and so rarely that counting takes at
most a hundredth of the time. The time of the count stands beside the numbers.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from catalogue import oai, seams
from catalogue.documents import kpi
from catalogue.models import DatestampClock, Quality, Validation

MOST_CENTRES = 1000  # chosen: those with the most records
_LEAST_S = 600.0  # chosen: between two counts, or more where it is so many times what the last one took
_SHARE = 100

_LABELLED = """
    catalogue_record r
    LEFT JOIN catalogue_validation v ON v.record_id = r.id AND v.digest = r.digest
    {joined}
    WHERE NOT r.deleted
"""
# What records are grouped by: kind, name, and the tables that the name needs.
_GROUPS: tuple[tuple[str, str, str], ...] = (
    (Quality.Kind.SET, f"'{oai.CATALOGUE_SET}'::text", ""),
    (
        Quality.Kind.SET,
        "s.spec::text",
        "JOIN catalogue_membership m ON m.record_id = r.id AND NOT m.deleted JOIN catalogue_metadataset s ON s.id = m.set_id",
    ),
    (
        Quality.Kind.CENTRE,
        "coalesce(d.organisations[1], '')",
        "JOIN catalogue_description d ON d.record_id = r.id",
    ),
)
_COUNTS = f"""
    SELECT {{name}}, count(*), count(*) FILTER (WHERE v.structure = 'valid'), count(*) FILTER (WHERE v.structure = 'invalid'),
        count(*) FILTER (WHERE v.faults <> '[]'), avg(v.percent),
        {", ".join(f"count(*) FILTER (WHERE v.grade = '{grade}')" for grade in kpi.GRADES)},
        {", ".join(f"100.0 * sum(v.scores[{2 * i + 1}]) / nullif(sum(v.scores[{2 * i + 2}]), 0)" for i in range(len(kpi.NAMES)))}
    FROM {_LABELLED} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_CENTRES}
"""
_RULES = f"""
    SELECT {{name}}, broken.rule, count(*) FROM {
    _LABELLED.replace(
        "WHERE",
        '''
    CROSS JOIN LATERAL (SELECT DISTINCT fault->>'rule' AS rule FROM jsonb_array_elements(v.faults) AS fault) AS broken
    WHERE''',
    )
} GROUP BY 1, 2
"""


def count_if_outdated() -> bool:
    """Count anew if records or labels have changed and the last count is old enough; returns whether it counted."""
    last = Quality.objects.order_by("-counted_at").first()
    if last is not None:
        rest = timedelta(seconds=max(_LEAST_S, _SHARE * last.took_s))
        if seams.now() - last.counted_at < rest or not _has_changed_since(last.counted_at):
            return False
    count()
    return True


def _has_changed_since(counted_at: Any) -> bool:
    stamp = DatestampClock.objects.values_list("stamp", flat=True).first()
    labelled = Validation.objects.aggregate(Max("checked"))["checked__max"]
    return any(instant is not None and instant >= counted_at for instant in (stamp, labelled))


def count() -> None:
    """Count all anew."""
    began, now = seams.monotonic(), seams.now()
    rows = [row for kind, name, joined in _GROUPS for row in _count_group(kind, name, joined)]
    took_s = seams.monotonic() - began
    for row in rows:
        row.counted_at, row.took_s = now, took_s
    with transaction.atomic():
        with connection.cursor() as cursor:  # two that count at once would leave each row twice
            cursor.execute("LOCK TABLE catalogue_quality IN EXCLUSIVE MODE")
        Quality.objects.all().delete()
        Quality.objects.bulk_create(rows, batch_size=500)


def _count_group(kind: str, name: str, joined: str) -> Iterator[Quality]:
    rules: dict[str, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_RULES.format(name=name, joined=joined))
        for named, rule, number in cursor.fetchall():
            rules.setdefault(named, {})[rule] = number
        cursor.execute(_COUNTS.format(name=name, joined=joined))
        rows = cursor.fetchall()
    for named, live, valid, invalid, faulty, percent, *rest in rows:
        grades, kpis = rest[: len(kpi.GRADES)], rest[len(kpi.GRADES) :]
        yield Quality(
            kind=kind,
            name=named,
            live=live,
            valid=valid,
            invalid=invalid,
            not_checked=live - valid - invalid,
            faulty=faulty,
            percent=percent,
            grades=dict(zip(kpi.GRADES, grades, strict=True)),
            kpis=[None if each is None else round(float(each), 1) for each in kpis],
            rules=dict(sorted(rules.get(named, {}).items())),
        )
