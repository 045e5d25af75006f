"""manage.py journal export|replay: write the deletion history to a file, or replay one."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from catalogue import journal
from catalogue.replay import replay


class Command(BaseCommand):
    help = (
        "Write the deletion history to a file, or make the deletions in such a file or folder again. "
        "Exit status 1 when a line was damaged otherwise than by a crash; the rest is done all the same."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="write all events to FILE ('-': standard output)")
        export.add_argument("file", metavar="FILE")
        replay_parser = actions.add_parser(
            "replay", help="make tombstones again, and end memberships, by FILE or the files of a folder"
        )
        replay_parser.add_argument("file", metavar="FILE|FOLDER")
        replay_parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(self, *, action: str, file: str, **options: Any) -> None:
        if action == "export":
            self._export(file)
        else:
            self._replay(Path(file), as_json=options["as_json"])

    def _export(self, file: str) -> None:
        directory = Path(settings.GISC_JOURNAL_DIR)
        try:
            journal.flush()
        except OSError as exc:
            raise CommandError(
                f"the journal {directory} cannot be written: {exc.strerror}. Nothing was exported."
            ) from exc
        reader = journal.JournalReader(directory)
        try:
            if file == "-":
                sys.stdout.writelines(event.line() for event in reader)
            else:
                _write_atomically(Path(file), (event.line() for event in reader))
        except OSError as exc:
            raise CommandError(f"{file} cannot be written, or {directory} not read: {exc.strerror}") from exc
        self.stderr.write(f"{reader.events} events exported")
        self._report_damage(reader.damaged)

    def _replay(self, path: Path, *, as_json: bool) -> None:
        try:
            report = replay(path)
        except OSError as exc:
            raise CommandError(f"{exc.filename} cannot be read: {exc.strerror}. Nothing was changed.") from exc
        if as_json:
            facts = {
                "events": report.events,
                "deleted": report.deleted,
                "moved": report.moved,
                "departed": report.departed,
                "unchanged": report.unchanged,
                "left_alone": report.left_alone,
                "damaged_lines": [str(damage) for damage in report.damaged],
                "left": [left.report() for left in report.left],
            }
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
        else:
            for left in report.left:
                self.stderr.write(f"left alone: {left.identifier} {left.reason}")
            if report.left_alone > len(report.left):
                self.stderr.write(f"left alone: {report.left_alone - len(report.left)} more")
            self.stdout.write(
                f"{report.events} events read: {report.deleted} tombstones made again, {report.moved} moved again, "
                f"{report.departed} deleted again in a set they had left; "
                f"{report.unchanged} needed no change, {report.left_alone} left alone"
            )
        self._report_damage(report.damaged)

    def _report_damage(self, damaged: Sequence[journal.DamagedLine]) -> None:
        for damage in damaged:
            self.stderr.write(f"left out: {damage}")
        if not all(damage.cut_short for damage in damaged):
            raise SystemExit(1)


def _write_atomically(file: Path, lines: Iterable[str]) -> None:
    """Write a file, replacing an older one only when the new one is complete and on disk. Raises OSError."""
    draft = file.with_name(f".{file.name}.part")
    with draft.open("w", encoding="utf-8") as out:
        out.writelines(lines)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
