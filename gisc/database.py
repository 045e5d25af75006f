"""Bring the database to the state that this version of the code expects. Imports Django only when called."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

# Chosen: the key of the advisory lock under which one process at a time prepares the database.
_TURN = 0x61536331


def unapplied() -> list[str]:
    """The migrations that the database still lacks, as `app.name`; it costs some queries and reads all migrations."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def prepare() -> None:
    """Apply the migrations that are missing and create what a node has before its first record."""
    from django.core.management import call_command

    with turn():
        missing = unapplied()
        if missing:
            call_command("migrate", interactive=False, verbosity=0)
            logger.info("database migrated", extra={"migrations": len(missing)})
        ensure_sets()


def ensure_sets() -> None:
    """Create the own set, the catalogue's set and the clock where they are missing."""
    from catalogue import bootstrap

    bootstrap.ensure_sets()


@contextmanager
def turn() -> Iterator[None]:
    """Wait until no other process of any host prepares this database, and keep them waiting meanwhile."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_TURN])
    try:
        yield
    finally:
        # A connection that broke meanwhile has given the lock up by itself.
        if connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_TURN])
