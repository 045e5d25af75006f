"""Read where the live records came from: by a link, or put in at this node."""

from django.db import connection

MOST = 200  # chosen: nobody reads a longer list of names

_OF_RECORD = "coalesce(provenance->>'link', '')"  # as in the index live_records_by_source
# One look into the index for each source, however many records have it.
_SOURCES = f"""
    WITH RECURSIVE found AS (
        (SELECT {_OF_RECORD} AS source FROM catalogue_record WHERE NOT deleted ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (
            SELECT {_OF_RECORD} FROM catalogue_record WHERE NOT deleted AND {_OF_RECORD} > found.source ORDER BY 1 LIMIT 1
        ) FROM found WHERE found.source IS NOT NULL
    )
    SELECT source FROM found WHERE source IS NOT NULL LIMIT %s
"""


def links_of_records() -> list[str]:
    """Return the names of the links that live records came by, also of links that are gone; no more than `MOST`."""
    with connection.cursor() as cursor:
        cursor.execute(_SOURCES, [MOST])
        return [source for (source,) in cursor.fetchall() if source]
