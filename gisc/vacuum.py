"""Whether PostgreSQL can remove what was changed and deleted, and gets to it (VACUUM).

Where it cannot, nothing fails: the database grows and gets slower for weeks or months, and at the end all writes are refused.
"""

from dataclasses import dataclass

from django.db import connection

OPEN_S = 3 * 3600.0  # chosen: longer than a backup of five million records may take

# The rows that any open transaction of this database may still see stay. Of the sessions of another role a role without
# special rights is not told; a prepared transaction outlives its session.
_READ = """
    SELECT
        ARRAY(
            SELECT setting FROM unnest(ARRAY['autovacuum', 'track_counts']) AS setting WHERE current_setting(setting) = 'off'
        ),
        ARRAY(
            SELECT c.relname::text FROM pg_class c CROSS JOIN pg_options_to_table(c.reloptions) AS o
            WHERE c.relkind = 'r' AND pg_table_is_visible(c.oid) AND o.option_name = 'autovacuum_enabled'
            AND NOT o.option_value::boolean ORDER BY c.relname
        ),
        (
            SELECT extract(epoch FROM gisc_clock() - min(began)) FROM (
                SELECT xact_start FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
                UNION ALL
                SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()
            ) AS open (began)
        ),
        max(greatest(
            age(datfrozenxid)::float / current_setting('vacuum_failsafe_age')::bigint,
            mxid_age(datminmxid)::float / current_setting('vacuum_multixact_failsafe_age')::bigint
        ))
    FROM pg_database
"""


@dataclass(frozen=True, slots=True)
class Vacuum:
    """What keeps PostgreSQL from vacuuming.

    `disabled`: settings that are off, and tables that are left out. `oldest_s`: since when the oldest transaction is open, in
    seconds; 0 if none is. `used`: the age of the oldest rows that are not frozen, in transactions of all databases of the server, as a
    part of `vacuum_failsafe_age`: at 1 PostgreSQL does nothing else but freeze them, at about 1.3 it refuses all writes.
    """

    disabled: tuple[str, ...]
    oldest_s: float
    used: float

    @property
    def is_held_back(self) -> bool:
        """Whether a transaction has been open for too long."""
        return self.oldest_s > OPEN_S

    @property
    def is_behind(self) -> bool:
        """Whether the transaction numbers may run out."""
        return self.used >= 1


def read() -> Vacuum:
    """Read it from the server."""
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        settings, tables, oldest_s, used = cursor.fetchone()
    return Vacuum((*settings, *tables), max(float(oldest_s or 0), 0.0), float(used))
