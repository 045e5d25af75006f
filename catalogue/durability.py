"""Whether PostgreSQL keeps what it has committed through a crash of the host (promises 1 and 6).

Without that, records and deletions that lists have told are gone after a power cut, the clock's mark with them:
harvesters hold what the node does not (docs/datestamps.md).
"""

from django.db import connection

_NEEDED = ("fsync", "full_page_writes", "synchronous_commit")


def lacking() -> list[str]:
    """The settings of this connection's server, database or role that are off and must not be."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'off' ORDER BY name", [list(_NEEDED)]
        )
        return [name for (name,) in cursor.fetchall()]
