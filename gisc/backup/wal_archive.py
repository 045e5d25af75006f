"""Whether PostgreSQL archives its log (WAL), where its operator has it archived for point-in-time recovery."""

from django.db import connection

_FAILED = """
    SELECT last_failed_wal FROM pg_stat_archiver
    WHERE current_setting('archive_mode') <> 'off' AND last_failed_time > coalesce(last_archived_time, '-infinity')
"""


def unarchived() -> str:
    """Return the file of the log that could not be archived when it was last tried; '' if there is none.

    PostgreSQL keeps it, and all files after it, and tries again.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FAILED)
        row = cursor.fetchone()
    return "" if row is None else str(row[0])
