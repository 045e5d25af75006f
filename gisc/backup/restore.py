"""Restore the database of a node from an archive. Everything that can be checked is checked before anything is changed.

What has to follow, because the database is now older than what the world has seen: `gisc.backup.follow_up`.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection, connections
from django.utils.translation import gettext, gettext_noop, ngettext

from catalogue import checks, journal_state
from gisc import database
from gisc.backup import archive, figures, postgres_tools
from gisc.backup.archive import Archive, Manifest
from gisc.backup.errors import BackupFailed, NotVerified, RestoreRefused

_EMPTY_EMBEDDED = gettext_noop("stop the node, move {folder} away, and restore again")
_EMPTY_EXTERNAL = gettext_noop("drop the database {name}, create it again (dropdb, createdb), and restore again")


def find_archive(path: Path) -> Path:
    """Return the archive itself, or the newest verified one of this node in a folder. Raises RestoreRefused, OSError."""
    if not path.is_dir():
        return path
    archives = archive.list_archives(path, settings.GISC_NAME)
    verified = [each.path for each in archives if each.verified]
    if verified:
        _check_one_database(path, archives)
        return verified[-1]
    text = (
        gettext(
            "{path} has no verified archive of {node}; {newest} is not verified: name it to restore it. Nothing was changed."
        )
        if archives
        else gettext("{path} has no verified archive of {node}. Nothing was changed.")
    )
    raise RestoreRefused(
        text.format(path=path, node=settings.GISC_NAME, newest=archives[-1].path if archives else None)
    )


def _check_one_database(path: Path, archives: Sequence[Archive]) -> None:
    """Refuse to choose between archives of two nodes of one name, which were made in turn."""
    newest = archives[-1]
    if others := archive.of_another_node(archives, newest.database):
        text = gettext(
            "{path} has archives of two databases of {node}, which were made in turn, such as {newest} and {other}: name the one to "
            "restore. Nothing was changed."
        )
        raise RestoreRefused(
            text.format(path=path, node=settings.GISC_NAME, newest=newest.path.name, other=others[-1].path.name)
        )


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
            postgres_tools.restore(tools, lambda: _read_again(dump, _size_of_dump(manifest)))
    except NotVerified as exc:
        raise RestoreRefused(
            gettext("{reason}. The database is empty; it can be restored again, also from another archive.").format(
                reason=exc
            )
        ) from exc
    if unfit := checks.why_unfit():  # the dump has a schema in which nobody looks
        text = gettext("The dump is restored, but {reason}; then go on with: manage.py restore --in-place")
        raise RestoreRefused(text.format(reason=unfit[0]))
    with connection.cursor() as cursor:
        difference = figures.difference(manifest.figures, figures.read(cursor))
    if difference:
        raise RestoreRefused(
            gettext(
                "The restored database is not that of the backup: {difference}. Take another archive; {how_to_empty}."
            ).format(difference=difference, how_to_empty=_how_to_empty())
        )
    connections.close_all()  # what they prepared was for other tables
    database.prepare()
    journal_state.begin_epoch()  # the node is not ready until the follow-up has ended
    return manifest


def _read_again(dump: IO[bytes], size: int) -> Iterator[bytes]:
    dump.seek(0)
    return archive.chunks_of(dump, size)


def _size_of_dump(manifest: Manifest) -> int:
    return next(part.size for part in manifest.parts if part.name == archive.DATABASE)


def _check_software(manifest: Manifest) -> None:
    """Refuse an archive of another node, and one that a newer version has made."""
    if manifest.node != settings.GISC_NAME:
        raise RestoreRefused(
            gettext(
                "The archive is of {theirs}, and GISC_NAME is {ours}. Set GISC_NAME={theirs}, or take an archive of this "
                "node. Nothing was changed."
            ).format(theirs=manifest.node, ours=settings.GISC_NAME)
        )
    unknown = sorted(set(manifest.migrations) - database.known())
    if unknown or _numbers(manifest.software) > _numbers(settings.GISC_VERSION):
        text = (
            gettext(
                "The archive was made by version {theirs}, whose database has {migration}; this is version {ours}. "
                "Install version {theirs} or a later one. Nothing was changed."
            )
            if unknown
            else gettext(
                "The archive was made by version {theirs}; this is version {ours}. Install version {theirs} or a later "
                "one. Nothing was changed."
            )
        )
        facts = {"theirs": manifest.software, "ours": settings.GISC_VERSION}
        raise RestoreRefused(text.format(**facts, migration=unknown[0] if unknown else None))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _check_database(manifest: Manifest) -> None:
    """Refuse a database that is in use, that has a catalogue already, or whose server is older than that of the dump."""
    server = postgres_tools.server_version()
    if manifest.postgres_major > int(server.partition(".")[0]):
        raise RestoreRefused(
            gettext(
                "The dump is of PostgreSQL {dumped}, and the server has version {server}; use a server of version "
                "{major} or later. Nothing was changed."
            ).format(dumped=manifest.postgres, server=server, major=manifest.postgres_major)
        )
    refuse_while_used()
    records, links = _count("catalogue_record"), _count("harvester_link")
    if records or links:
        text = (
            ngettext(
                "The database has {number:,} record, and a restore would replace it.",
                "The database has {number:,} records, and a restore would replace them all.",
                records,
            )
            if records
            else ngettext(
                "The database has {number:,} link, and a restore would replace it.",
                "The database has {number:,} links, and a restore would replace them all.",
                links,
            )
        )
        raise RestoreRefused(
            gettext(
                "{refusal} To restore nevertheless, {how_to_empty}. If the restore of this archive was cut off after its "
                "first step, or the database was put back by other means, go on with: manage.py restore --in-place. "
                "Nothing was changed."
            ).format(refusal=text.format(number=records or links), how_to_empty=_how_to_empty())
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
            ngettext(
                "{number} other connection uses the database; stop the node (web, worker, beat, backup) first. "
                "Nothing was changed.",
                "{number} other connections use the database; stop the node (web, worker, beat, backup) first. "
                "Nothing was changed.",
                others,
            ).format(number=others)
        )


def _count(table: str) -> int:
    """Return the number of rows of a table; 0 if there is none, as in a database that was just created."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [table])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def _how_to_empty() -> str:
    if settings.GISC_EMBEDDED_DATABASE:
        return gettext(_EMPTY_EMBEDDED).format(folder=settings.GISC_DATA_DIR / "postgres")
    return gettext(_EMPTY_EXTERNAL).format(name=connection.settings_dict["NAME"])
