"""Bring the database to the state that this version of the code expects. Imports the ORM only when called."""

import logging

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext

logger = logging.getLogger(__name__)


def unapplied() -> list[str]:
    """The migrations that the database still lacks, as `app.name`; it costs some queries and reads all migrations.

    One that stands for others that were all applied, and is not recorded itself yet, counts as lacking: `migrate` then
    records it. Raises ImproperlyConfigured as `refuse_unfit` and `refuse_half_migrated` do.
    """
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    refuse_unfit()
    refuse_half_migrated()
    executor = MigrationExecutor(connection)
    plan = [(it.app_label, it.name) for it, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    unrecorded = executor.loader.replacements.keys() - executor.recorder.applied_migrations().keys() - set(plan)
    return [f"{app}.{name}" for app, name in [*plan, *sorted(unrecorded)]]


def applied() -> list[str]:
    """The migrations that the database has, as `app.name`."""
    from django.db import connection
    from django.db.migrations.recorder import MigrationRecorder

    return sorted(".".join(key) for key in MigrationRecorder(connection).applied_migrations())


def known() -> set[str]:
    """The migrations that this version of the code has, and those that they stand for, as `app.name`."""
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(None)  # the files alone
    replaced = {old for migration in loader.replacements.values() for old in migration.replaces}
    return {f"{app}.{name}" for app, name in {*loader.disk_migrations, *map(tuple, replaced)}}


def refuse_unfit() -> None:
    """Raise ImproperlyConfigured for a database that would spoil texts of records, or writers that work at once.

    The embedded one is never so.
    """
    from catalogue import checks

    if found := checks.why_unfit():
        raise ImproperlyConfigured(found[0])


def refuse_half_migrated() -> None:
    """Raise ImproperlyConfigured for a database that has some, and not all, migrations of the versions before 0.9.0.

    One migration of an app stands for them (its `replaces`), and there is no file any more of those that are lacking.
    """
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.recorder import MigrationRecorder

    recorded = MigrationRecorder(connection).applied_migrations().keys()
    loader = MigrationLoader(None)  # the files alone
    for (app, name), migration in sorted(loader.replacements.items()):
        lacking = [f"{app}.{old}" for app, old in migration.replaces if (app, old) not in recorded]
        begun = (app, name) in recorded or len(lacking) < len(migration.replaces)
        files_are_gone = not any(tuple(old) in loader.disk_migrations for old in migration.replaces)
        if begun and lacking and files_are_gone:
            sentence = gettext(
                "the database was left by a version before 0.9.0 that had not applied {migration}; install the last "
                "version before 0.9.0, run its manage.py migrate, then install this version again"
            )
            raise ImproperlyConfigured(sentence.format(migration=lacking[0]))


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
