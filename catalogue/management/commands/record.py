"""manage.py record history|show|difference|replace|restore: one record, its former versions, and its content put back."""

import difflib
import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import acting
from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from catalogue.models import Record
from catalogue.pages import display, record_states
from catalogue.payloads.payload import PayloadDamaged
from catalogue.reading import record_history
from catalogue.reasons import ReasonError, describe_error
from catalogue.writing import record_content

_number = whole_number(1, 10**9)


class Command(BaseCommand):
    help = _(
        "Say what happened to a record, show or compare its versions, replace its content, or restore a former version. "
        "Withdraw records with `withdraw`, move them with `set move`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        history = actions.add_parser("history", help=gettext("the states that are known, the present one first"))
        show = actions.add_parser("show", help=gettext("print the XML, of the present or of a former version"))
        difference = actions.add_parser("difference", help=gettext("what differs between two versions"))
        replace = actions.add_parser("replace", help=gettext("store a file as the new content of the record"))
        restore = actions.add_parser(
            "restore", help=gettext("store the content of a former version anew, with a new datestamp")
        )
        for sub in (history, show, difference, replace, restore):
            sub.add_argument("identifier", metavar="IDENTIFIER")
        show.add_argument(
            "--version", dest="number", type=_number, metavar="NUMBER", help=gettext("default: the present one")
        )
        difference.add_argument("number", type=_number, metavar="NUMBER")
        difference.add_argument(
            "other", type=_number, nargs="?", metavar="NUMBER", help=gettext("default: the present one")
        )
        replace.add_argument("file", type=Path, metavar="FILE")
        restore.add_argument("number", type=_number, metavar="NUMBER")
        for sub in (replace, restore):
            sub.add_argument("--reason", default="", metavar="TEXT", help=gettext("why, for the history of the record"))
        for sub in (history, replace, restore):
            sub.add_argument("--json", dest="as_json", action="store_true", help=gettext("print JSON"))

    def handle(self, *, action: str, identifier: str, **options: Any) -> None:
        record = Record.objects.named(identifier).select_related("owner").first()
        if record is None:
            raise CommandError(gettext("The catalogue has no record {identifier!r}.").format(identifier=identifier))
        try:
            getattr(self, f"_{action}")(record, options)
        except (ReasonError, PayloadDamaged) as exc:
            raise CommandError(
                gettext("{identifier}: {reason}. Nothing was changed.").format(identifier=record.identifier, reason=exc)
            ) from exc

    def _history(self, record: Record, options: dict[str, Any]) -> None:
        known = record_history.states(record)
        if options["as_json"]:
            report = {"identifier": record.identifier, "states": [state.report() for state in known]}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
            return
        for state in known:
            self.stdout.write(record_states.describe(state))

    def _show(self, record: Record, options: dict[str, Any]) -> None:
        known = record_history.states(record)
        self.stdout.write(_content(record, known, options["number"] or known[0].number).decode())

    def _difference(self, record: Record, options: dict[str, Any]) -> None:
        known = record_history.states(record)
        numbers = options["number"], options["other"] or known[0].number
        before, after = (display.indented(_content(record, known, number)).splitlines() for number in numbers)
        old, new = (gettext("version {number}").format(number=number) for number in numbers)
        for line in difflib.unified_diff(before, after, old, new, lineterm=""):
            self.stdout.write(line)

    def _replace(self, record: Record, options: dict[str, Any]) -> None:
        try:
            document = options["file"].read_bytes()
        except OSError as exc:
            raise CommandError(
                gettext("{file} cannot be read: {reason}. Nothing was changed.").format(
                    file=options["file"], reason=describe_error(exc)
                )
            ) from exc
        with acting.acting(reason=options["reason"]):
            result = record_content.replace(record.key, document)
        self._report(result, as_json=options["as_json"])

    def _restore(self, record: Record, options: dict[str, Any]) -> None:
        with acting.acting(reason=options["reason"]):
            result = record_content.restore(record, options["number"])
        self._report(result, as_json=options["as_json"])

    def _report(self, result: Any, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(
                json.dumps({**result.report(), "action": str(result.action)}, ensure_ascii=False, indent=2)
            )
        else:
            self.stdout.write(
                " ".join(filter(None, (f"{result.identifier}: {result.action}", str(result.reason or ""))))
            )


def _content(record: Record, known: Sequence[record_history.State], number: int) -> bytes:
    """Return the root element of a state. Raises ReasonError and PayloadDamaged."""
    if number == known[0].number and record.payload is None:
        raise CommandError(
            gettext("{identifier} is deleted; name a version that `record history` lists.").format(
                identifier=record.identifier
            )
        )
    return record_content.former_content(record, number)
