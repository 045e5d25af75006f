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

    Stands first in the migration. Without it a statement of a process that runs meanwhile, which reads two of the tables,
    and the migration could each wait for a table that the other has; then PostgreSQL ends one of them with an error.
    """

    reversible = True

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        statement = f"LOCK TABLE {', '.join(map(schema_editor.quote_name, self.tables))} IN ACCESS EXCLUSIVE MODE"
        if schema_editor.collect_sql:
            schema_editor.execute(statement)
            return
        said = seams.monotonic()
        while not _lock(schema_editor, statement):
            if seams.monotonic() - said >= _SAY_EVERY_S:
                said = seams.monotonic()
                logger.warning("migration waits for tables that others use", extra={"tables": self.tables})
            seams.sleep(_PAUSE_S)

    database_backwards = database_forwards

    def describe(self) -> str:
        return f"Lock {', '.join(self.tables)}"


def _lock(schema_editor: BaseDatabaseSchemaEditor, statement: str) -> bool:
    """Run the statement; return whether it had its locks in time. Without them it has none."""
    connection = schema_editor.connection
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            (before,) = cursor.fetchone()
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{round(_WAIT_S * 1000)}ms"])
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
