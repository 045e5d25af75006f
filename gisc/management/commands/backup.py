"""`manage.py backup`: one archive of the whole node, verified by restoring it."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from gisc.backup import BackupFailed, backup, schedule


class Command(BaseCommand):
    help = (
        "Write an archive of this node into a folder: database, journal, manifest. It has accounts and their password "
        "hashes, and no SECRET_KEY: keep that elsewhere. Exit status 1 when the archive could not be verified."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", nargs="?", type=Path, metavar="DIR", help="where to write it (default: GISC_BACKUP_DIR)"
        )
        parser.add_argument(
            "--no-verify", action="store_true", help="do not restore the dump into a scratch database and compare"
        )
        parser.add_argument(
            "--keep",
            type=whole_number(1, 100_000),
            metavar="N",
            help="then remove the oldest archives of this node beyond N",
        )
        parser.add_argument(
            "--schedule",
            action="store_true",
            help="stay, and back up into GISC_BACKUP_DIR every GISC_BACKUP_HOURS, keeping GISC_BACKUP_KEEP archives",
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(self, *, folder: Path | None, as_json: bool, **options: Any) -> None:
        folder = folder or settings.GISC_BACKUP_DIR
        if folder is None:
            raise CommandError("Name a folder, or set GISC_BACKUP_DIR. No archive was made.")
        if options["schedule"]:
            if folder != settings.GISC_BACKUP_DIR or options["no_verify"] or options["keep"]:
                raise CommandError("--schedule goes by the settings GISC_BACKUP_...; leave the other options out.")
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
            f"{report.path}: {report.size / 1e6:,.1f} MB, {manifest.figures.records:,} records, "
            f"{manifest.figures.deleted:,} of them deleted"
        )
        self.stdout.write(
            "Verified: the dump was restored into a scratch database, which had the same records and rows."
            if manifest.verified
            else f"NOT VERIFIED: {manifest.not_verified}."
        )
        for path in report.removed:
            self.stdout.write(f"removed: {path}")
        self.stdout.write("SECRET_KEY is not in it. Copy the archive to another host.")
