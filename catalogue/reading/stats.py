"""Statistics of the catalogue, for people, operators and monitors: per set, newest datestamp, size.

Triggers count the records of each list (`models.ListSize`), so each figure costs one index lookup.
"""

from datetime import date
from typing import Any

from django.db import connection

from catalogue import datestamps, journal, oai
from catalogue.models import CatalogueDay, Description, ListSize
from catalogue.reading import lists, scopes
from catalogue.reading.scopes import Scope


def by_set_for(scope: Scope) -> dict[str, dict[str, Any]]:
    """Return the same as `by_set` of what a scope sees. What not everybody sees is counted in the index of these rows alone."""
    figures = by_set()
    if not scopes.sees_more(scope):
        return figures
    figures_of_rows = "count(*) FILTER (WHERE NOT {0}.deleted), count(*) FILTER (WHERE {0}.deleted), max({0}.datestamp)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT %(catalogue)s, {figures_of_rows.format("r")} FROM catalogue_record r
            WHERE r.audience <> 0 AND {scopes.visible(scope, "r.audience")}
            UNION ALL SELECT s.spec, {figures_of_rows.format("m")}
            FROM catalogue_membership m JOIN catalogue_metadataset s ON s.id = m.set_id
            WHERE m.audience <> 0 AND {scopes.visible(scope, "m.audience")} GROUP BY s.id
            """,
            {**scope.values, "catalogue": oai.CATALOGUE_SET},
        )
        for spec, live, deleted, newest in cursor.fetchall():
            row = figures[spec]
            stamps = [stamp for stamp in (row["newest"], newest and datestamps.write(newest)) if stamp]
            row.update(live=row["live"] + live, deleted=row["deleted"] + deleted, newest=max(stamps, default=None))
    return figures


def by_set(*, with_hidden: bool = False) -> dict[str, dict[str, Any]]:
    """Return, by setSpec and with `WIS-CATALOGUE` first, each set's live records, tombstones and newest datestamp.

    Of what everybody sees; `with_hidden`: of all there is, for the administration.
    """
    counted, seen = ("ANY(ARRAY[{0}, -1 - {0}])", "true") if with_hidden else ("{0}", "{0}.audience = 0")
    sums = "coalesce(sum(z.live), 0)::bigint, coalesce(sum(z.deleted), 0)::bigint"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT {sums}, (SELECT max(r.datestamp) FROM catalogue_record r WHERE {seen.format("r")})
            FROM catalogue_listsize z WHERE z.set_id = {counted.format(0)}
            """
        )
        rows = [(oai.CATALOGUE_SET, *cursor.fetchone())]
        cursor.execute(
            f"""
            SELECT s.spec, {sums},
                (SELECT max(m.datestamp) FROM catalogue_membership m WHERE m.set_id = s.id AND {seen.format("m")})
            FROM catalogue_metadataset s LEFT JOIN catalogue_listsize z ON z.set_id = {counted.format("s.id")}
            WHERE s.kind <> 'catalogue' GROUP BY s.id ORDER BY s.spec
            """
        )
        rows += cursor.fetchall()
    return {
        spec: {"set": spec, "live": live, "deleted": deleted, "newest": newest and datestamps.write(newest)}
        for spec, live, deleted, newest in rows
    }


def live_by_set(*, with_hidden: bool = False) -> dict[int, int]:
    """Return how many live records each set has, by its id; of what everybody sees, or of all there is."""
    live: dict[int, int] = {}
    for set_id, number in ListSize.objects.values_list("set_id", "live"):
        if set_id >= 0 or with_hidden:
            key = set_id if set_id >= 0 else -1 - set_id
            live[key] = live.get(key, 0) + number
    return live


def live_of_everybody() -> int:
    """Return how many live records everybody sees."""
    return sum(ListSize.objects.filter(pk=0).values_list("live", flat=True))


def days_since(first: date) -> dict[date, CatalogueDay]:
    """Return what changed on each day from this one on, UTC, whoever changed it; a day without a change has no row."""
    return {row.day: row for row in CatalogueDay.objects.filter(day__gte=first)}


def live_and_hidden() -> tuple[int, int]:
    """Return how many live records the catalogue has, and how many of these not everybody sees."""
    live = dict(ListSize.objects.filter(pk__in=(0, -1)).values_list("set_id", "live"))
    return sum(live.values()), live.get(-1, 0)


def size_of(set_id: int = 0) -> ListSize:
    """Return how many records a set has, also those that not everybody sees; 0: the whole catalogue. No row of the database."""
    sizes = list(ListSize.objects.filter(pk__in=(set_id, -1 - set_id)))
    return ListSize(set_id=set_id, live=sum(size.live for size in sizes), deleted=sum(size.deleted for size in sizes))


def count_waiting_for_search() -> int:
    """Count the live records that search does not find yet, because their terms are still to be made (`writing.search_index`)."""
    return Description.objects.filter(terms=None).count()


def stats() -> dict[str, Any]:
    """Return the figures of all sets, the size in bytes, how many records wait for search, and events for the journal, since when."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
            WHERE c.relkind = 'r' AND c.relname LIKE 'catalogue\\_%' AND pg_table_is_visible(c.oid)
            """
        )
        size = int(cursor.fetchone()[0])
    since = journal.waiting_since()
    return {
        "sets": list(by_set(with_hidden=True).values()),
        "bytes": size,
        "waiting_for_search": count_waiting_for_search(),
        "waiting_for_journal": journal.count_waiting(),
        "waiting_for_journal_since": since and datestamps.write(since),
    }


def public() -> dict[str, Any]:
    """Return the statistics without what is not public, in the order of ListSets."""
    everything, rows = stats(), by_set()
    return {**everything, "sets": [rows[item.spec] for item in lists.visible_sets() if item.spec in rows]}
