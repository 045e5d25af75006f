"""Which database this is, so that two copies of one catalogue are told apart."""

from django.db import DatabaseError, connection, transaction
from psycopg2.errors import InsufficientPrivilege

# The cluster, and the database in it: a streaming replica has both numbers.
CLUSTER_AND_DATABASE = """
    (SELECT system_identifier FROM pg_control_system()) || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# Of a server that takes writes. Flushed, not inserted: what others can see has been flushed. The name of a file of the log begins
# with its timeline.
TIMELINE = "('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::bigint"


def database_identity() -> str | None:
    """Return the cluster, the database in it and the timeline as one text; None in recovery, or where the role may not ask.

    A dump that was restored elsewhere has another cluster or database; a physical copy that takes writes has another timeline.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT {CLUSTER_AND_DATABASE} || '/' || {TIMELINE} WHERE NOT pg_is_in_recovery()")
            found = cursor.fetchone()
    except DatabaseError as exc:
        if not isinstance(exc.__cause__, InsufficientPrivilege):
            raise
        return None
    return None if found is None else str(found[0])
