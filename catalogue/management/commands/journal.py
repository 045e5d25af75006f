"""manage.py journal status|export|replay: say where the deletion history is, write it to a file, or replay it."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from catalogue import journal, journal_state
from catalogue.history import History
from catalogue.management.base import BaseCommand
from catalogue.replay import HistoryIncomplete, ReplayReport, replay

_FIRST_BYTES = b'{"event'  # of every line of a journal


class Command(BaseCommand):
    help = (
        "Say where the deletion history is, write it to a file, or make the deletions in it again. "
        "Exit status 1 when the node is not ready because of its journal, when a line was damaged otherwise than by a "
        "crash, or when an export lacks events; the rest is done all the same."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        status = actions.add_parser("status", help="compare the journal's files with the database")
        export = actions.add_parser("export", help="write all events, merged, to FILE ('-': standard output)")
        export.add_argument("file", metavar="FILE")
        replay_parser = actions.add_parser("replay", help="make tombstones again, and end memberships")
        replay_parser.add_argument(
            "--accept-gap", action="store_true", help="go on though events are missing, and forget what they said"
        )
        for parser_with_paths in (export, replay_parser):
            parser_with_paths.add_argument(
                "paths",
                metavar="PATH",
                nargs="*",
                type=Path,
                help="files, or folders of other hosts; the node's own folder is always read",
            )
        for parser_with_json in (status, replay_parser):
            parser_with_json.add_argument(
                "--json", dest="as_json", action="store_true", help="print the report as JSON"
            )

    def handle(self, *, action: str, **options: Any) -> None:
        match action:
            case "status":
                self._status(as_json=options["as_json"])
            case "export":
                self._export(options["file"], options["paths"])
            case _:
                self._replay(options["paths"], accept_gap=options["accept_gap"], as_json=options["as_json"])

    def _status(self, *, as_json: bool) -> None:
        try:
            status, files = journal_state.status(), journal_state.files()
        except OSError as exc:
            raise CommandError(f"{exc.filename} cannot be read: {exc.strerror}") from exc
        if as_json:
            names = [file.name for file in files]
            self.stdout.write(json.dumps({**status.report(), "files": names}, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(
                f"{status.directory}: {status.state}; last event {status.position}, {status.waiting} waiting"
            )
            for it in status.writers:
                here = f", here up to {it.here}" if it.here else ", not here"
                self.stdout.write(f"writer {it.writer}: up to {it.position}{here}; {it.host} {it.directory}")
            for file in files:
                last = f", last event {file.last.position}" if file.last else ""
                self.stdout.write(f"{file.name}: {file.size} bytes{last}")
            for reason in filter(None, [status.problem, *status.warnings]):
                self.stderr.write(f"{'warning' if reason != status.problem else 'not ready'}: {reason}")
        if not status.is_ready:
            raise SystemExit(1)

    def _export(self, file: str, paths: Sequence[Path]) -> None:
        try:
            journal.flush()
        except journal.JournalAhead as exc:
            raise CommandError(f"{exc}. Nothing was exported.") from exc
        except OSError as exc:
            raise CommandError(f"{exc.filename} cannot be written: {exc.strerror}. Nothing was exported.") from exc
        try:
            with History(paths) as history:
                missing = history.missing()
                count = history.count()
                lines = (event.line() for event in history.merged())
                if file == "-":
                    sys.stdout.writelines(lines)
                else:
                    _write_atomically(Path(file), lines)
        except OSError as exc:
            raise CommandError(f"{file} cannot be written, or {exc.filename} not read: {exc.strerror}") from exc
        self.stderr.write(f"{count} events exported")
        for gap in missing:
            self.stderr.write(f"missing: {gap}")
        self._report_damage(history.damaged)
        if missing:
            raise SystemExit(1)

    def _replay(self, paths: Sequence[Path], *, accept_gap: bool, as_json: bool) -> None:
        for path in paths:
            # That of a node which never deleted anything is empty, but for a lock.
            others = [each for each in path.iterdir() if not each.name.startswith(".")] if path.is_dir() else []
            if others and not any(path.glob(journal.FILES)):
                raise CommandError(
                    f"{path} is no folder of a journal: it has files, and none is a {journal.FILES}. Nothing was changed."
                )
        try:
            report = replay(paths, accept_gap=accept_gap)
        except OSError as exc:
            raise CommandError(f"{exc.filename} cannot be read: {exc.strerror}. Nothing was changed.") from exc
        except HistoryIncomplete as exc:
            raise CommandError(
                f"{exc}. Nothing was changed. Name the journal folders of all hosts that used this database; --accept-gap "
                "goes on without these events, and forgets the deletions among them."
            ) from exc
        if as_json:
            self.stdout.write(json.dumps(_facts(report), ensure_ascii=False, indent=2))
        else:
            self._print(report)
        self._report_damage(report.damaged)

    def _print(self, report: ReplayReport) -> None:
        for gap in report.missing:
            self.stderr.write(f"missing: {gap}")
        for position in report.conflicts:
            self.stderr.write(f"two events have the number {position}: the later datestamp counts")
        for left in report.left:
            self.stderr.write(f"left alone: {left.identifier} {left.reason}")
        if report.left_alone > len(report.left):
            self.stderr.write(f"left alone: {report.left_alone - len(report.left)} more")
        self.stdout.write(
            f"{report.events} events read: {report.deleted} tombstones made again, {report.moved} moved again, "
            f"{report.departed} deleted again in a set they had left; "
            f"{report.unchanged} needed no change, {report.left_alone} left alone"
        )

    def _report_damage(self, damaged: Sequence[journal.DamagedLine]) -> None:
        for damage in damaged:
            self.stderr.write(f"left out: {damage}")
        if not all(damage.cut_short for damage in damaged):
            raise SystemExit(1)


def _facts(report: ReplayReport) -> dict[str, Any]:
    return {
        "events": report.events,
        "deleted": report.deleted,
        "moved": report.moved,
        "departed": report.departed,
        "unchanged": report.unchanged,
        "left_alone": report.left_alone,
        "damaged_lines": [str(damage) for damage in report.damaged],
        "missing": [str(gap) for gap in report.missing],
        "conflicts": [str(position) for position in report.conflicts],
        "epoch": report.epoch,
        "left": [left.report() for left in report.left],
    }


def _is_export(file: Path) -> bool:
    with file.open("rb") as lines:
        begin = lines.read(len(_FIRST_BYTES))
    return begin in (b"", _FIRST_BYTES)


def _write_atomically(file: Path, lines: Iterable[str]) -> None:
    """Write a file, replacing an older export only when the new one is complete and on disk. Raises OSError, CommandError.

    A device or a pipe is written to, and never replaced; so is no file that is something else than an export.
    """
    if file.exists() and not file.is_file():
        with file.open("w", encoding="utf-8") as out:
            out.writelines(lines)
        return
    if file.exists() and not _is_export(file):
        raise CommandError(f"{file} is there, and is no export of a journal; name another file. Nothing was exported.")
    draft = file.with_name(f".{file.name}.part")
    with draft.open("w", encoding="utf-8") as out:
        out.writelines(lines)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
