"""Whether a replication slot that nobody reads makes PostgreSQL keep its log (WAL), until the disk is full.

A slot outlives its replica. One that keeps more than `max_wal_size`, without a limit (`max_slot_wal_keep_size`), is `extended`.
"""

from django.db import connection

_KEPT = """
    SELECT coalesce(max(pg_wal_lsn_diff(
        CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn
    )), 0)
    FROM pg_replication_slots WHERE NOT active AND wal_status = 'extended'
"""


def kept_bytes() -> int:
    """Return the bytes of log that slots keep for nobody; 0 where that is no more than PostgreSQL keeps anyhow."""
    with connection.cursor() as cursor:
        cursor.execute(_KEPT)
        return int(cursor.fetchone()[0])
