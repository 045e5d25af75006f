"""Restore the database of a node from an archive. Everything that can be checked is checked before anything is changed.

What has to follow, because the database is now older than what the world has seen: `gisc.backup.follow_up`.
"""

import re
from pathlib import Path

from django.conf import settings
from django.db import connection, connections

from catalogue import journal_state
from gisc import database
from gisc.backup import archive, figures, postgres_tools
from gisc.backup.archive import Manifest
from gisc.backup.errors import BackupFailed, NotVerified, RestoreRefused

_EMPTY_EMBEDDED = "stop the node, move {folder} away, and restore again"
_EMPTY_EXTERNAL = "drop the database {name}, create it again (dropdb, createdb), and restore again"


def find_archive(path: Path) -> Path:
    """Return the archive itself, or the newest verified one of this node in a folder. Raises RestoreRefused, OSError."""
    if not path.is_dir():
        return path
    archives = archive.list_archives(path, settings.GISC_NAME)
    verified = [each.path for each in archives if each.verified]
    if verified:
        return verified[-1]
    others = f"; {archives[-1].path} is not verified: name it to restore it" if archives else ""
    raise RestoreRefused(f"{path} has no verified archive of {settings.GISC_NAME}{others}. Nothing was changed.")


def restore_database(path: Path) -> Manifest:
    """Restore the dump of an archive into the database, which must be empty, and migrate it to this version.

    Raises RestoreRefused and OSError. If it ends in between, the database is empty, and it can be begun again.
    """
    manifest = archive.read_manifest(path)
    _check_software(manifest)
    _check_database(manifest)
    try:
        tools = postgres_tools.find_tools()
    except BackupFailed as exc:
        raise RestoreRefused(str(exc)) from exc
    archive.check_parts(path, manifest)
    postgres_tools.drop_everything()
    try:
        with archive.open_part(path, archive.DATABASE) as dump:
            postgres_tools.restore(tools, archive.chunks_of(dump, _size_of_dump(manifest)))
    except NotVerified as exc:
        raise RestoreRefused(
            f"{exc}. The database is empty; it can be restored again, also from another archive."
        ) from exc
    with connection.cursor() as cursor:
        difference = figures.difference(manifest.figures, figures.read(cursor))
    if difference:
        raise RestoreRefused(
            f"The restored database is not that of the backup: {difference}. Take another archive; {_how_to_empty()}."
        )
    connections.close_all()  # what they prepared was for other tables
    database.prepare()
    journal_state.begin_epoch()  # the node is not ready until the follow-up has ended
    return manifest


def _size_of_dump(manifest: Manifest) -> int:
    return next(part.size for part in manifest.parts if part.name == archive.DATABASE)


def _check_software(manifest: Manifest) -> None:
    """Refuse an archive of another node, and one that a newer version has made."""
    if manifest.node != settings.GISC_NAME:
        raise RestoreRefused(
            f"The archive is of {manifest.node}, and GISC_NAME is {settings.GISC_NAME}. Set GISC_NAME={manifest.node}, "
            "or take an archive of this node. Nothing was changed."
        )
    unknown = sorted(set(manifest.migrations) - database.known())
    if unknown or _numbers(manifest.software) > _numbers(settings.GISC_VERSION):
        what = f", whose database has {unknown[0]}" if unknown else ""
        raise RestoreRefused(
            f"The archive was made by version {manifest.software}{what}; this is version {settings.GISC_VERSION}. "
            f"Install version {manifest.software} or a later one. Nothing was changed."
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _check_database(manifest: Manifest) -> None:
    """Refuse a database that is in use, that has a catalogue already, or whose server is older than that of the dump."""
    server = postgres_tools.server_version()
    if manifest.postgres_major > int(server.partition(".")[0]):
        raise RestoreRefused(
            f"The dump is of PostgreSQL {manifest.postgres}, and the server has version {server}; use a server of version "
            f"{manifest.postgres_major} or later. Nothing was changed."
        )
    refuse_while_used()
    for table, what in (("catalogue_record", "records"), ("harvester_link", "links")):
        if number := _count(table):
            raise RestoreRefused(
                f"The database has {number:,} {what}, and a restore would replace them all. To restore nevertheless, "
                f"{_how_to_empty()}. If the restore of this archive was cut off after its first step, or the database was put "
                "back by other means, go on with: manage.py restore --in-place. Nothing was changed."
            )


def refuse_while_used() -> None:
    """Refuse a database that other processes are connected to: they would see it half restored, and harvesters too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        (others,) = cursor.fetchone()
    if others:
        raise RestoreRefused(
            f"{others} other connections use the database; stop the node (web, worker, beat, backup) first. "
            "Nothing was changed."
        )


def _count(table: str) -> int:
    """Return the number of rows of a table; 0 if there is none, as in a database that was just created."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"public.{table}"])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def _how_to_empty() -> str:
    if settings.GISC_EMBEDDED_DATABASE:
        return _EMPTY_EMBEDDED.format(folder=settings.GISC_DATA_DIR / "postgres")
    return _EMPTY_EXTERNAL.format(name=connection.settings_dict["NAME"])
