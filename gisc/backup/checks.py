"""System checks of GISC_BACKUP_DIR: a folder that can be written, on a disk of its own, and tools that fit the server."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.utils.translation import gettext

from catalogue.journal_state import device_of
from gisc.backup import postgres_tools
from gisc.backup.errors import BackupFailed


@register(Tags.database)
def backups_are_on_another_disk(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that one broken disk does not take database, journal and backups (W11), and that archives can be written.

    Runs with `check --database default` and at each migrate, as all checks here: not with each command.
    """
    folder: Path | None = settings.GISC_BACKUP_DIR
    if folder is None or "default" not in (databases or ()):
        return []
    found: list[CheckMessage] = []
    existing = _existing(folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        found.append(
            checks.Warning(
                gettext("GISC_BACKUP_DIR is {folder}, where this account cannot write").format(
                    folder=repr(str(folder))
                ),
                hint=gettext("Name a folder that the account of the node may write to, or give it this one (chown)."),
                id="gisc.W002",
            )
        )
    places = {"GISC_JOURNAL_DIR": Path(settings.GISC_JOURNAL_DIR)}
    if settings.GISC_EMBEDDED_DATABASE:
        places["GISC_DATA_DIR"] = settings.GISC_DATA_DIR
    same = sorted(name for name, place in places.items() if device_of(place) == device_of(folder))
    if same:
        found.append(
            checks.Warning(
                _same_disk(same),
                hint=gettext("Name a folder on another disk, or copy the archives to another host."),
                id="gisc.W001",
            )
        )
    return found


@register(Tags.database)
def there_are_tools_for_backups(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that pg_dump fits the server."""
    if settings.GISC_BACKUP_DIR is None or "default" not in (databases or ()):
        return []
    try:
        postgres_tools.find_tools()
    except BackupFailed as exc:
        return [checks.Warning(gettext("no backup can be made"), hint=str(exc), id="gisc.W003")]
    return []


def _same_disk(names: Sequence[str]) -> str:
    """Say of which folders, one or two settings, the disk is that of the backups."""
    if len(names) == 1:
        return gettext("GISC_BACKUP_DIR is on the same disk as {name}").format(name=names[0])
    return gettext("GISC_BACKUP_DIR is on the same disk as {one} and {other}").format(one=names[0], other=names[1])


def _existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists."""
    return next(each for each in (path, *path.parents) if each.exists())
