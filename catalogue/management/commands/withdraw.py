"""manage.py withdraw IDENTIFIER... | --file F: withdraw records of the own set, and what was uploaded into shared sets."""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalogue import journal
from catalogue.writing import decisions, store


class Command(BaseCommand):
    help = (
        "Withdraw records of the own set, and what was uploaded here into shared sets: they become tombstones, which "
        "harvesters receive as deletions. What another source of a shared set still has stays live. "
        "Exit status 1 when an identifier was rejected or the journal could not be written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("identifiers", nargs="*", metavar="IDENTIFIER")
        parser.add_argument("--file", type=Path, metavar="F", help="a file with one identifier a line")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(self, *, identifiers: list[str], file: Path | None, as_json: bool, **_: Any) -> None:
        identifiers = [*identifiers, *_read_identifiers(file)]
        if not identifiers:
            raise CommandError("Name at least one identifier, or a file of them with --file.")
        results = store.withdraw(identifiers)
        waiting = journal.count_waiting()
        still_live = [result for result in results if result.is_live_elsewhere]
        counts = Counter(result.action for result in results if not result.is_live_elsewhere)
        rejects = [result for result in results if result.action is decisions.Action.REJECTED]
        if as_json:
            self._print_json(counts, rejects, still_live, waiting)
        else:
            for reject in rejects:
                self.stderr.write(f"rejected: {reject.identifier} {reject.reason}")
            for result in still_live:
                self.stderr.write(f"still live: {result.identifier} {result.reason}")
            kept = f"{len(still_live)} still live at another source, " if still_live else ""
            self.stdout.write(
                f"{len(results)} offered: {counts[decisions.Action.DELETED]} withdrawn, "
                f"{counts[decisions.Action.UNCHANGED]} withdrawn before, {kept}{len(rejects)} rejected"
            )
        if waiting:
            self.stderr.write(
                f"{waiting} deletions are in the database but not yet in the journal; the node tries again by itself, "
                "and the log says why the journal could not be written"
            )
        if rejects or waiting:
            raise SystemExit(1)

    def _print_json(
        self,
        counts: Counter[decisions.Action],
        rejects: list[decisions.Result],
        still_live: list[decisions.Result],
        waiting: int,
    ) -> None:
        report = {
            "offered": counts.total() + len(still_live),
            "deleted": counts[decisions.Action.DELETED],
            "unchanged": counts[decisions.Action.UNCHANGED],
            "rejected": len(rejects),
            "rejects": [reject.report() for reject in rejects],
            "still_live": [result.report() for result in still_live],
            "waiting_for_journal": waiting,
        }
        self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))


def _read_identifiers(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as exc:
        raise CommandError(f"{file} cannot be read as a list of identifiers: {exc}. Nothing was withdrawn.") from exc
