"""Find live records that are unusual in some way, to try on them what is to be done to all."""

from django.db import connection
from django.utils.translation import gettext_noop as _

LOOKED_AT = 20_000  # chosen: the newest records; of a million it takes seconds to look at all

# What is unusual, with the condition or the order that finds it.
_KINDS = {
    _("the largest"): "ORDER BY n.size DESC",
    _("the smallest"): "ORDER BY n.size",
    _("without a title"): "AND d.title = ''",
    _("without an abstract"): "AND d.abstract = ''",
    _("without a place"): "AND d.boxes = '[]'::jsonb",
    _("with several places"): "AND jsonb_array_length(d.boxes) > 1",
    _("with the most keywords"): "ORDER BY cardinality(d.keywords) DESC",
    _("with letters beyond English"): "AND d.title ~ '[^[:ascii:]]'",
    _("with an open end of time"): "AND d.begins IS NOT NULL AND d.ends IS NULL",
    _("not valid by its schema"): "AND v.structure = 'invalid'",
}


def find_unusual() -> dict[str, list[str]]:
    """Return the identifiers of unusual records among the newest, each with what is unusual about it (to be translated)."""
    with connection.cursor() as cursor:
        branches = " UNION ALL ".join(
            f"""(
                SELECT n.identifier, %s AS kind FROM newest n
                JOIN catalogue_description d ON d.record_id = n.id
                LEFT JOIN catalogue_validation v ON v.record_id = n.id
                WHERE true {which} LIMIT 1
            )"""
            for which in _KINDS.values()
        )
        cursor.execute(
            f"""
            WITH newest AS MATERIALIZED (
                SELECT id, identifier, octet_length(payload) AS size FROM catalogue_record WHERE NOT deleted
                ORDER BY datestamp DESC, id DESC LIMIT %s
            )
            {branches}
            """,
            [LOOKED_AT, *_KINDS],
        )
        found: dict[str, list[str]] = {}
        for identifier, kind in cursor.fetchall():
            found.setdefault(identifier, []).append(kind)
        return found
