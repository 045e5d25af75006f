"""Operations for migrations that Django lacks."""

import logging
from typing import Any

from django.db import OperationalError, migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from psycopg2.errors import LockNotAvailable

from catalogue import seams

logger = logging.getLogger(__name__)
_WAIT_S = 0.2  # chosen: below the second after which PostgreSQL looks for deadlocks (deadlock_timeout)
_PAUSE_S = 0.1  # chosen: so long those go on that waited for us
_SAY_EVERY_S = 10


class LockTables(Operation):
    """Locks several tables (names in the database) for a migration that changes each: all of them at once, or none.

    Stands first in the migration. Without it a process that runs meanwhile, which uses two of the tables, and the migration
    could each wait for a table that the other has; then PostgreSQL ends one of them with an error. What the migration only
    writes to, refers to or makes an index of is `readable`: others go on reading it.
    """

    reversible = True

    def __init__(self, *tables: str, readable: tuple[str, ...] = ()) -> None:
        self.tables, self.readable = tables, readable

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        statements = [
            f"LOCK TABLE {', '.join(map(schema_editor.quote_name, tables))} IN {mode} MODE"
            for tables, mode in ((self.tables, "ACCESS EXCLUSIVE"), (self.readable, "EXCLUSIVE"))
            if tables
        ]
        if schema_editor.collect_sql:
            for statement in statements:
                schema_editor.execute(statement)
            return
        said = seams.monotonic()
        while not _lock(schema_editor, statements):
            if seams.monotonic() - said >= _SAY_EVERY_S:
                said = seams.monotonic()
                tables = self.tables + self.readable
                logger.warning("migration waits for tables that others use", extra={"tables": tables})
            seams.sleep(_PAUSE_S)

    database_backwards = database_forwards

    def describe(self) -> str:
        return f"Lock {', '.join(self.tables + self.readable)}"


def _lock(schema_editor: BaseDatabaseSchemaEditor, statements: list[str]) -> bool:
    """Run the statements; return whether they had their locks in time. Without them they have none."""
    connection = schema_editor.connection
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            (before,) = cursor.fetchone()
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{round(_WAIT_S * 1000)}ms"])
            for statement in statements:
                cursor.execute(statement)
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [before])
    except OperationalError as exc:
        if isinstance(exc.__cause__, LockNotAvailable):
            return False
        raise
    return True


class ChangeTexts(migrations.SeparateDatabaseAndState):
    """Changes names, help texts and choices in Django's state of the models (`state_operations`); the database stays as it is.

    After each operation Django makes the classes of the model anew, and of all that refer to it, which takes seconds for
    hundreds of labels. Here they are made once, when an operation that needs them comes.
    """

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)
        super().state_forwards(app_label, state)
