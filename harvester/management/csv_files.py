"""Import and export CSV files for commands: a file or standard input and output, a sentence for each line that is wrong."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from harvester.links.exchange import MAX_BYTES, Report


def add_to(actions: Any, what: str) -> list[ArgumentParser]:
    """Add the actions `import` and `export`."""
    importing = actions.add_parser(
        "import", help=f"store {what} from a CSV file: all its lines or, if one is wrong, none"
    )
    importing.add_argument("file", metavar="FILE", help="-: standard input")
    exporting = actions.add_parser("export", help=f"write {what} into a CSV file, without passwords")
    exporting.add_argument("file", metavar="FILE", help="-: standard output")
    return [importing, exporting]


def read(file: str) -> bytes:
    """Read a file. Raises CommandError if it cannot be read."""
    try:
        if file == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(file).open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as exc:
        raise CommandError(f"{file} cannot be read: {exc.strerror or exc}.") from exc


def write(file: str, text: str, stdout: Any) -> None:
    """Write a file. Raises CommandError if it cannot be written."""
    if file == "-":
        stdout.write(text, ending="")
        return
    try:
        Path(file).write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise CommandError(f"{file} cannot be written: {exc.strerror or exc}.") from exc


def print_report(report: Report, stdout: Any, *, as_json: bool) -> None:
    """Print what an import has done. Raises CommandError with the lines that are wrong, if it did nothing."""
    if as_json:
        stdout.write(json.dumps(report.report(), ensure_ascii=False, indent=2))
        if report.faults:
            raise SystemExit(1)
        return
    if report.faults:
        raise CommandError("\n".join(("Nothing was imported.", *report.faults)))
    stdout.write(report.text)
