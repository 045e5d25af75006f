"""Bring the database to the state that this version of the code expects. Imports Django only when called."""

import logging

logger = logging.getLogger(__name__)


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

    from catalogue import locks

    # No other process of any host prepares this database meanwhile.
    with locks.session_lock(locks.DATABASE_PREPARATION):
        missing = unapplied()
        if missing:
            call_command("migrate", interactive=False, verbosity=0)
            logger.info("database migrated", extra={"migrations": len(missing)})
        ensure_sets()


def ensure_sets() -> None:
    """Create the own set, the catalogue's set and the clock where they are missing."""
    from catalogue import bootstrap

    bootstrap.ensure_sets()
