"""Import and export CSV files for commands: a file or standard input and output, a sentence for each line that is wrong."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext

from harvester.links.exchange import MAX_BYTES, Report


def add_to(actions: Any, *, import_help: str, export_help: str) -> list[ArgumentParser]:
    """Add the actions `import` and `export`."""
    importing = actions.add_parser("import", help=import_help)
    importing.add_argument("file", metavar="FILE", help=gettext("-: standard input"))
    exporting = actions.add_parser("export", help=export_help)
    exporting.add_argument("file", metavar="FILE", help=gettext("-: standard output"))
    return [importing, exporting]


def read(file: str) -> bytes:
    """Read a file. Raises CommandError if it cannot be read."""
    try:
        if file == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(file).open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as exc:
        raise CommandError(
            gettext("{file} cannot be read: {reason}.").format(file=file, reason=exc.strerror or exc)
        ) from exc


def write(file: str, text: str, stdout: Any) -> None:
    """Write a file. Raises CommandError if it cannot be written."""
    if file == "-":
        stdout.write(text, ending="")
        return
    try:
        Path(file).write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise CommandError(
            gettext("{file} cannot be written: {reason}.").format(file=file, reason=exc.strerror or exc)
        ) from exc


def print_report(report: Report, stdout: Any, *, as_json: bool) -> None:
    """Print what an import has done. Raises CommandError with the lines that are wrong, if it did nothing."""
    if as_json:
        stdout.write(json.dumps(report.report(), ensure_ascii=False, indent=2))
        if report.faults:
            raise SystemExit(1)
        return
    if report.faults:
        raise CommandError("\n".join((gettext("Nothing was imported."), *report.faults)))
    stdout.write(report.text)
