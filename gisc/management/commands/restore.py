"""`manage.py restore`: bring an empty node back from an archive, and do what a database that was put back needs."""

import json
import tempfile
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import datestamps, oai, seams
from catalogue.documents import sources
from catalogue.management.base import BaseCommand
from gisc import database, file_locks, running_nodes
from gisc.backup import RestoreRefused, follow_up, journals, restore
from gisc.backup.follow_up import RecordFiles
from gisc.backup.journals import PutBackReport
from gisc.backup.sign_off import SignOff

_MAX_CLOCK_AHEAD = timedelta(days=366)


class Command(BaseCommand):
    help = _(
        "Restore an archive of `manage.py backup` into a node without records, replay the journals, and stamp the records "
        "anew, so that every harvester ends equal to the catalogue. Stop the node first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "archive",
            nargs="?",
            type=Path,
            metavar="ARCHIVE|DIR",
            help=gettext("or a folder: its newest verified archive"),
        )
        parser.add_argument(
            "--in-place",
            action="store_true",
            help=gettext("the database was put back by other means (a copy of its files, a snapshot): do the rest"),
        )
        parser.add_argument(
            "--journal",
            action="append",
            default=[],
            type=Path,
            metavar="PATH",
            help=gettext("the journal of another host that shared the database, a folder or file; may be repeated"),
        )
        parser.add_argument(
            "--records",
            action="append",
            default=[],
            type=_record_files,
            metavar="[SET=]PATH",
            help=gettext("ingest records in their present version, but for those that are deleted; may be repeated"),
        )
        parser.add_argument(
            "--clock",
            type=_instant,
            metavar="T",
            help=gettext("give no datestamp before T any more (YYYY-MM-DD[Thh:mm:ssZ]), as the clock was ahead before"),
        )
        parser.add_argument(
            "--accept-gap",
            action="store_true",
            help=gettext("go on though events of the journal are missing: they are lost"),
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help=gettext("print the report as JSON"))

    def handle(self, *, archive: Path | None, in_place: bool, as_json: bool, **options: Any) -> None:
        if (archive is None) != in_place:
            raise CommandError(
                gettext("Name an archive, or a folder with archives; or say --in-place. Nothing was changed.")
            )
        _check_paths(options["journal"], options["records"])
        try:
            with _StoppedNode():
                sign_off = _restore(archive, **options)
        except RestoreRefused as exc:
            raise CommandError(str(exc)) from exc
        except OSError as exc:
            raise CommandError(
                gettext("{filename} cannot be read or written: {reason}.").format(
                    filename=exc.filename, reason=exc.strerror
                )
            ) from exc
        if as_json:
            self.stdout.write(json.dumps(sign_off.report(), ensure_ascii=False, indent=2))
        else:
            self.stdout.write(sign_off.text())


def _restore(
    archive: Path | None,
    *,
    journal: list[Path],
    records: list[RecordFiles],
    clock: datetime | None,
    accept_gap: bool,
    **_: Any,
) -> SignOff:
    """Restore the archive, if there is one, and do what has to follow."""
    with tempfile.TemporaryDirectory() as copies:
        if archive is None:
            path, manifest, put_back = None, None, PutBackReport()
            restore.refuse_while_used()
            database.prepare()
        else:
            path = restore.find_archive(archive)
            manifest = restore.restore_database(path)
            put_back = journals.put_back(path, manifest, Path(copies))
        paths = [*journal, *([Path(copies)] if put_back.left else [])]
        done = follow_up.follow_up(paths, records=records, mark=clock, accept_gap=accept_gap)
        return SignOff(done, path, manifest, put_back)


class _StoppedNode:
    """Keeps the embedded node from starting during the block. Raises RestoreRefused if it runs."""

    def __init__(self) -> None:
        self._lock = file_locks.FileLock(settings.GISC_DATA_DIR / running_nodes.LOCK)

    def __enter__(self) -> None:
        if not settings.GISC_EMBEDDED_DATABASE:
            return
        try:
            self._lock.acquire(wait_s=running_nodes.GLANCE_S)
        except file_locks.LockTaken as exc:
            raise RestoreRefused(gettext("The node runs; stop it first. Nothing was changed.")) from exc

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _check_paths(journals_given: list[Path], records: list[RecordFiles]) -> None:
    """Raise CommandError for what cannot be read, before anything is changed."""
    try:
        for path in journals_given:
            path.stat()
        sources.check_sources([each.path for each in records])
    except OSError as exc:
        raise CommandError(
            gettext("{filename} cannot be read: {reason}. Nothing was changed.").format(
                filename=exc.filename, reason=exc.strerror
            )
        ) from exc
    except sources.SourceError as exc:
        raise CommandError(gettext("{reason}. Nothing was changed.").format(reason=exc)) from exc


def _record_files(text: str) -> RecordFiles:
    spec, is_given, path = text.partition("=")
    return RecordFiles(spec, Path(path)) if is_given and oai.is_set_spec(spec) else RecordFiles("", Path(text))


def _instant(text: str) -> datetime:
    try:
        instant = datestamps.parse(text)[0]
    except ValueError as exc:
        raise ArgumentTypeError(str(exc)) from exc
    if instant > seams.now() + _MAX_CLOCK_AHEAD:
        raise ArgumentTypeError(gettext("more than a year ahead: every datestamp would be that late until then"))
    return instant
