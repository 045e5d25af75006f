"""manage.py withdraw IDENTIFIER... | --file F | --set SPEC --all: withdraw what this node itself has put into its sets."""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import acting, journal
from catalogue.management.base import BaseCommand
from catalogue.management.named_set import find_set
from catalogue.management.progress import progress_bar
from catalogue.models import MetadataSet
from catalogue.reasons import describe_error
from catalogue.writing import decisions, staging, store


class Command(BaseCommand):
    help = _(
        "Withdraw records of the own set, and what was uploaded here into shared sets: they become deleted records, "
        "which harvesters receive as deletions. What another source of a shared set still has stays live. With --set from that set "
        "alone, be it of a peer; what came by a link is rejected, as its provider decides. "
        "Exit status 1 when an identifier was rejected or the journal could not be written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("identifiers", nargs="*", metavar="IDENTIFIER")
        parser.add_argument("--file", type=Path, metavar="F", help=gettext("a file with one identifier a line"))
        parser.add_argument(
            "--set", dest="spec", metavar="SPEC", help=gettext("only from this set, and what was uploaded into it")
        )
        parser.add_argument(
            "--all",
            dest="everything",
            action="store_true",
            help=gettext("with --set: all that was uploaded into the set"),
        )
        parser.add_argument("--dry-run", action="store_true", help=gettext("with --set and --all: count only"))
        parser.add_argument("--reason", default="", metavar="TEXT", help=gettext("why, for the history of the records"))
        parser.add_argument("--json", dest="as_json", action="store_true", help=gettext("print the report as JSON"))

    def handle(
        self,
        *,
        identifiers: list[str],
        file: Path | None,
        spec: str | None,
        everything: bool,
        dry_run: bool,
        reason: str,
        as_json: bool,
        **_: Any,
    ) -> None:
        only_from = None if spec is None else find_set(spec, nothing_done=gettext("Nothing was withdrawn."))
        if everything:
            if only_from is None or identifiers or file:
                raise CommandError(
                    gettext("--all goes with --set SPEC, and without identifiers and --file. Nothing was withdrawn.")
                )
            identifiers = store.uploaded_into(only_from)
            if dry_run:
                return self._print_count(only_from.spec, len(identifiers), as_json=as_json)
        elif dry_run:
            raise CommandError(gettext("--dry-run goes with --set SPEC --all. Nothing was withdrawn."))
        else:
            identifiers = [*identifiers, *_read_identifiers(file)]
            if not identifiers:
                _refuse_none(only_from)
        # What a person has listed goes as one; a whole set in parts, so that harvesters and writers need not wait for it.
        size = staging.BATCH if everything else len(identifiers)
        results: list[decisions.Result] = []
        with progress_bar(gettext("withdraw"), len(identifiers)) as advance, acting.acting(reason=reason):
            for first in range(0, len(identifiers), size):
                results += store.withdraw(identifiers[first : first + size], only_from=only_from)
                advance(size)
        return self._report(results, as_json=as_json)

    def _print_count(self, spec: str, number: int, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps({"set": spec, "would_be_withdrawn": number, "dry_run": True}, indent=2))
        else:
            self.stdout.write(
                ngettext(
                    "{number} record of {spec} would be withdrawn",
                    "{number} records of {spec} would be withdrawn",
                    number,
                ).format(number=number, spec=spec)
            )

    def _report(self, results: list[decisions.Result], *, as_json: bool) -> None:
        waiting = journal.count_waiting_of(result.identifier for result in results)
        still_live = [result for result in results if result.is_live_elsewhere]
        counts = Counter(result.action for result in results if not result.is_live_elsewhere)
        rejects = [result for result in results if result.action is decisions.Action.REJECTED]
        if as_json:
            self._print_json(counts, rejects, still_live, waiting)
        else:
            for reject in rejects:
                self.stderr.write(
                    gettext("rejected: {identifier} {reason}").format(
                        identifier=reject.identifier, reason=reject.reason
                    )
                )
            for result in still_live:
                self.stderr.write(
                    gettext("still live: {identifier} {reason}").format(
                        identifier=result.identifier, reason=result.reason
                    )
                )
            text = (
                gettext(
                    "{offered} offered: {withdrawn} withdrawn, {before} withdrawn before, "
                    "{still_live} still live at another source, {rejected} rejected"
                )
                if still_live
                else gettext("{offered} offered: {withdrawn} withdrawn, {before} withdrawn before, {rejected} rejected")
            )
            self.stdout.write(
                text.format(
                    offered=len(results),
                    withdrawn=counts[decisions.Action.DELETED],
                    before=counts[decisions.Action.UNCHANGED],
                    still_live=len(still_live),
                    rejected=len(rejects),
                )
            )
        if waiting:
            self.stderr.write(
                ngettext(
                    "{deletions} deletion is in the database but not yet in the journal; the node tries again by itself, "
                    "and the log says why the journal could not be written",
                    "{deletions} deletions are in the database but not yet in the journal; the node tries again by itself, "
                    "and the log says why the journal could not be written",
                    waiting,
                ).format(deletions=waiting)
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


def _refuse_none(only_from: MetadataSet | None) -> None:
    """Raise CommandError. A set is never emptied because a list of identifiers is."""
    if only_from is None:
        raise CommandError(gettext("Name at least one identifier, or a file of them with --file."))
    number = len(store.uploaded_into(only_from))
    raise CommandError(
        ngettext(
            "Name at least one identifier, or a file of them with --file; --all withdraws the {number} record that was "
            "uploaded into {spec}. Nothing was withdrawn.",
            "Name at least one identifier, or a file of them with --file; --all withdraws all {number} records that were "
            "uploaded into {spec}. Nothing was withdrawn.",
            number,
        ).format(number=number, spec=only_from.spec)
    )


def _read_identifiers(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as exc:
        raise CommandError(
            gettext("{file} cannot be read as a list of identifiers: {reason}. Nothing was withdrawn.").format(
                file=file, reason=describe_error(exc)
            )
        ) from exc
