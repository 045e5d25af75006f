"""`manage.py backup`: one archive of the whole node, verified by restoring it."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from gisc import language
from gisc.backup import BackupFailed, backup, schedule


class Command(BaseCommand):
    help = _(
        "Write an archive of this node into a folder: database, journal, manifest. It has accounts and their password "
        "hashes, and no SECRET_KEY: keep that elsewhere. Exit status 1 when the archive could not be verified."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", nargs="?", type=Path, metavar="DIR", help=gettext("where to write it (default: GISC_BACKUP_DIR)")
        )
        parser.add_argument(
            "--no-verify",
            action="store_true",
            help=gettext("do not restore the dump into a scratch database and compare"),
        )
        parser.add_argument(
            "--keep",
            type=whole_number(1, 100_000),
            metavar="N",
            help=gettext("then remove the oldest archives of this node beyond N"),
        )
        parser.add_argument(
            "--schedule",
            action="store_true",
            help=gettext(
                "stay, and back up into GISC_BACKUP_DIR every GISC_BACKUP_HOURS, keeping GISC_BACKUP_KEEP archives"
            ),
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help=gettext("print the report as JSON"))

    def handle(self, *, folder: Path | None, as_json: bool, **options: Any) -> None:
        folder = folder or settings.GISC_BACKUP_DIR
        if folder is None:
            raise CommandError(gettext("Name a folder, or set GISC_BACKUP_DIR. No archive was made."))
        if options["schedule"]:
            if folder != settings.GISC_BACKUP_DIR or options["no_verify"] or options["keep"]:
                raise CommandError(
                    gettext("--schedule goes by the settings GISC_BACKUP_...; leave the other options out.")
                )
            with language.for_programs():  # it writes logs
                schedule.run()
        try:
            report = backup.back_up(folder.resolve(), verify=not options["no_verify"], keep=options["keep"])
        except BackupFailed as exc:
            raise CommandError(str(exc)) from exc
        self._print(report, as_json=as_json)
        if report.manifest.not_verified and not options["no_verify"]:
            raise SystemExit(1)

    def _print(self, report: backup.BackupReport, *, as_json: bool) -> None:
        manifest = report.manifest
        if as_json:
            facts = {
                "archive": str(report.path),
                "bytes": report.size,
                "verified": manifest.verified,
                "not_verified_because": manifest.not_verified,
                "records": manifest.figures.records,
                "deleted": manifest.figures.deleted,
                "removed": [str(path) for path in report.removed],
            }
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            gettext("{path}: {size:,.1f} MB, {records:,} records, {deleted:,} of them deleted").format(
                path=report.path,
                size=report.size / 1e6,
                records=manifest.figures.records,
                deleted=manifest.figures.deleted,
            )
        )
        self.stdout.write(
            gettext("Verified: the dump was restored into a scratch database, which had the same records and rows.")
            if manifest.verified
            else gettext("NOT VERIFIED: {not_verified}.").format(not_verified=manifest.not_verified)
        )
        for path in report.removed:
            self.stdout.write(gettext("removed: {path}").format(path=path))
        self.stdout.write(gettext("SECRET_KEY is not in it. Copy the archive to another host."))
