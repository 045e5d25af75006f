"""manage.py journal status|export|replay: say where the deletion history is, write it to a file, or replay it."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import journal, journal_state
from catalogue.history import History
from catalogue.management.base import BaseCommand
from catalogue.replay import HistoryIncomplete, ReplayReport, replay

_FIRST_BYTES = b'{"event'  # of every line of a journal


class Command(BaseCommand):
    help = _(
        "Say where the deletion history is, write it to a file, or make the deletions in it again. "
        "Exit status 1 when the node is not ready because of its journal, when a line was damaged otherwise than by a "
        "crash, or when an export lacks events; the rest is done all the same."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        status = actions.add_parser("status", help=gettext("compare the journal's files with the database"))
        export = actions.add_parser("export", help=gettext("write all events, merged, to FILE ('-': standard output)"))
        export.add_argument("file", metavar="FILE")
        replay_parser = actions.add_parser("replay", help=gettext("make tombstones again, and end memberships"))
        replay_parser.add_argument(
            "--accept-gap",
            action="store_true",
            help=gettext("go on though events are missing, and forget what they said"),
        )
        for parser_with_paths in (export, replay_parser):
            parser_with_paths.add_argument(
                "paths",
                metavar="PATH",
                nargs="*",
                type=Path,
                help=gettext("files, or folders of other hosts; the node's own folder is always read"),
            )
        for parser_with_json in (status, replay_parser):
            parser_with_json.add_argument(
                "--json", dest="as_json", action="store_true", help=gettext("print the report as JSON")
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
            raise CommandError(
                gettext("{filename} cannot be read: {reason}").format(filename=exc.filename, reason=exc.strerror)
            ) from exc
        if as_json:
            names = [file.name for file in files]
            self.stdout.write(json.dumps({**status.report(), "files": names}, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(
                gettext("{directory}: {state}; last event {position}, {waiting} waiting").format(
                    directory=status.directory, state=status.state, position=status.position, waiting=status.waiting
                )
            )
            for it in status.writers:
                self.stdout.write(
                    (
                        gettext("writer {writer}: up to {position}, here up to {here}; {host} {directory}")
                        if it.here
                        else gettext("writer {writer}: up to {position}, not here; {host} {directory}")
                    ).format(writer=it.writer, position=it.position, here=it.here, host=it.host, directory=it.directory)
                )
            for file in files:
                self.stdout.write(
                    (
                        gettext("{name}: {size} bytes, last event {position}")
                        if file.last
                        else gettext("{name}: {size} bytes")
                    ).format(name=file.name, size=file.size, position=file.last and file.last.position)
                )
            for reason in filter(None, [status.problem, *status.warnings]):
                text = gettext("warning: {reason}") if reason != status.problem else gettext("not ready: {reason}")
                self.stderr.write(text.format(reason=reason))
        if not status.is_ready:
            raise SystemExit(1)

    def _export(self, file: str, paths: Sequence[Path]) -> None:
        try:
            journal.flush()
        except journal.JournalAhead as exc:
            raise CommandError(gettext("{reason}. Nothing was exported.").format(reason=exc)) from exc
        except OSError as exc:
            raise CommandError(
                gettext("{filename} cannot be written: {reason}. Nothing was exported.").format(
                    filename=exc.filename, reason=exc.strerror
                )
            ) from exc
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
            raise CommandError(
                gettext("{file} cannot be written, or {filename} not read: {reason}").format(
                    file=file, filename=exc.filename, reason=exc.strerror
                )
            ) from exc
        self.stderr.write(ngettext("{events} event exported", "{events} events exported", count).format(events=count))
        for gap in missing:
            self.stderr.write(gettext("missing: {gap}").format(gap=gap))
        self._report_damage(history.damaged)
        if missing:
            raise SystemExit(1)

    def _replay(self, paths: Sequence[Path], *, accept_gap: bool, as_json: bool) -> None:
        for path in paths:
            # That of a node which never deleted anything is empty, but for a lock.
            others = [each for each in path.iterdir() if not each.name.startswith(".")] if path.is_dir() else []
            if others and not any(path.glob(journal.FILES)):
                raise CommandError(
                    gettext(
                        "{path} is no folder of a journal: it has files, and none is a {files}. Nothing was changed."
                    ).format(path=path, files=journal.FILES)
                )
        try:
            report = replay(paths, accept_gap=accept_gap)
        except OSError as exc:
            raise CommandError(
                gettext("{filename} cannot be read: {reason}. Nothing was changed.").format(
                    filename=exc.filename, reason=exc.strerror
                )
            ) from exc
        except HistoryIncomplete as exc:
            raise CommandError(
                gettext(
                    "{reason}. Nothing was changed. Name the journal folders of all hosts that used this database; --accept-gap "
                    "goes on without these events, and forgets the deletions among them."
                ).format(reason=exc)
            ) from exc
        if as_json:
            self.stdout.write(json.dumps(_facts(report), ensure_ascii=False, indent=2))
        else:
            self._print(report)
        self._report_damage(report.damaged)

    def _print(self, report: ReplayReport) -> None:
        for gap in report.missing:
            self.stderr.write(gettext("missing: {gap}").format(gap=gap))
        for position in report.conflicts:
            self.stderr.write(
                gettext("two events have the number {position}: the later datestamp counts").format(position=position)
            )
        for left in report.left:
            self.stderr.write(
                gettext("left alone: {identifier} {reason}").format(identifier=left.identifier, reason=left.reason)
            )
        if report.left_alone > len(report.left):
            self.stderr.write(
                gettext("left alone: {left_alone} more").format(left_alone=report.left_alone - len(report.left))
            )
        self.stdout.write(
            gettext(
                "{events} events read: {deleted} tombstones made again, {moved} moved again, "
                "{departed} deleted again in a set they had left; "
                "{unchanged} needed no change, {left_alone} left alone"
            ).format(
                events=report.events,
                deleted=report.deleted,
                moved=report.moved,
                departed=report.departed,
                unchanged=report.unchanged,
                left_alone=report.left_alone,
            )
        )

    def _report_damage(self, damaged: Sequence[journal.DamagedLine]) -> None:
        for damage in damaged:
            self.stderr.write(gettext("left out: {damage}").format(damage=damage))
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
        raise CommandError(
            gettext("{file} is there, and is no export of a journal; name another file. Nothing was exported.").format(
                file=file
            )
        )
    draft = file.with_name(f".{file.name}.part")
    with draft.open("w", encoding="utf-8") as out:
        out.writelines(lines)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
