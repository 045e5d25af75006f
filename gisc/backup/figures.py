"""Count what is in a database, and digest its records, so that two copies of it can be compared."""

import hashlib
from typing import Any

from django.utils.translation import gettext

from gisc.backup.archive import Figures

_RECORDS = """
    COPY (
        SELECT identifier, to_char(datestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), deleted
        FROM catalogue_record ORDER BY identifier COLLATE "C"
    ) TO STDOUT
"""
_TABLES = """
    SELECT relname, format('SELECT count(*) FROM %I.%I', nspname, relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname = ANY(current_schemas(false)) AND relkind = 'r' AND relname <> 'django_session'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY relname
"""


class _Digest:
    """A file that keeps the digest of what is written into it, and the number of lines."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: str | bytes) -> None:
        self.sha256.update(data.encode() if isinstance(data, str) else data)


def read(cursor: Any) -> Figures:
    """Read the figures of a database over a cursor of psycopg2. Sessions are not counted: a dump leaves them out."""
    digest = _Digest()
    cursor.copy_expert(_RECORDS, digest)
    cursor.execute("SELECT count(*), count(*) FILTER (WHERE deleted) FROM catalogue_record")
    records, deleted = cursor.fetchone()
    cursor.execute(_TABLES)
    tables = {}
    for table, statement in cursor.fetchall():
        cursor.execute(statement)
        (tables[table],) = cursor.fetchone()
    return Figures(records, deleted, digest.sha256.hexdigest(), tables)


def difference(expected: Figures, found: Figures) -> str:
    """Name the first difference of two copies in a clause; empty if there is none."""
    for table in sorted(expected.tables.keys() | found.tables.keys()):
        there, here = expected.tables.get(table), found.tables.get(table)
        if there != here:
            return gettext("{table} has {here} rows where {there} were dumped").format(
                table=table, here=here, there=there
            )
    if expected != found:
        return gettext("identifiers, datestamps and deletions of the records are not those that were dumped")
    return ""
