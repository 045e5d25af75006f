"""manage.py journal export|replay: the deletion history, outside the database."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from catalogue import journal, store


class Command(BaseCommand):
    help = "Write the deletion history to a file, or make the tombstones of such a file or folder again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="write all events to FILE ('-': standard output)")
        export.add_argument("file", metavar="FILE")
        replay = actions.add_parser("replay", help="make tombstones again from FILE, or from the files of a folder")
        replay.add_argument("file", metavar="FILE")
        replay.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *, action: str, file: str, **options: Any) -> None:
        if action == "export":
            self._export(file)
        else:
            self._replay(Path(file), as_json=options["json"])

    def _export(self, file: str) -> None:
        journal.flush()
        reading = journal.read([Path(settings.GISC_JOURNAL_DIR)])
        text = "".join(event.line() for event in reading.events)
        if file == "-":
            sys.stdout.write(text)
        else:
            try:
                Path(file).write_text(text, encoding="utf-8")
            except OSError as exc:
                raise CommandError(f"{file} cannot be written: {exc.strerror}") from exc
        self.stderr.write(f"{len(reading.events)} events exported")
        self._tell_damage(reading)

    def _replay(self, file: Path, *, as_json: bool) -> None:
        try:
            reading = journal.read([file])
        except OSError as exc:
            raise CommandError(f"{file} cannot be read: {exc.strerror}. Nothing was changed.") from exc
        self._tell_damage(reading)
        results = store.replay(reading.events)
        counts = Counter(result.action for result in results)
        rejects = [result for result in results if result.action is store.Action.REJECTED]
        report = {
            "events": len(reading.events),
            "deleted": counts[store.Action.DELETED],
            "unchanged": counts[store.Action.UNCHANGED],
            "rejected": len(rejects),
            "damaged_lines": list(reading.damaged),
            "rejects": [{"identifier": r.identifier, "reason": r.reason} for r in rejects],
        }
        if as_json:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            for reject in rejects:
                self.stderr.write(f"not buried: {reject.identifier} {reject.reason}")
            self.stdout.write(
                f"{report['events']} events read: {report['deleted']} tombstones made again, "
                f"{report['unchanged']} were there, {report['rejected']} left alone"
            )

    def _tell_damage(self, reading: journal.Reading) -> None:
        for line in reading.damaged:
            self.stderr.write(f"damaged and left out: {line}")
