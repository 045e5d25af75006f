"""manage.py profile list|preview|import|export: harvester profiles on the command line; they are edited in the admin."""

import ipaddress
import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from rich.table import Table

from catalogue.management import tables
from catalogue.management.base import BaseCommand
from catalogue.reasons import ActRefused, describe_error
from oaiprovider import gcube_export, gcube_import, preview
from oaiprovider.models import Profile

# What the preview calls each of its parts; programs get the keys.
_TITLES = {
    "profile": gettext_noop("profile"),
    "why": gettext_noop("why"),
    "repository_name": gettext_noop("repository name"),
    "admin_emails": gettext_noop("admin emails"),
    "formats": gettext_noop("formats"),
    "sets": gettext_noop("sets"),
    "set_tombstones": gettext_noop("set tombstones"),
}


class Command(BaseCommand):
    help = _(
        "Show the harvester profiles and what a harvester would be served; import and export profiles of a gCube provider."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        list_parser = actions.add_parser("list", help=gettext("all profiles"))
        preview_parser = actions.add_parser("preview", help=gettext("what a harvester would see, and why"))
        preview_parser.add_argument(
            "user_agent", metavar="USER_AGENT", help=gettext('such as "DRIVER/2.1 (harvester)"; "" for none')
        )
        preview_parser.add_argument("--address", default="", help=gettext("where the request comes from"))
        import_parser = actions.add_parser(
            "import", help=gettext("add or change the profiles of an XML file (user-agents)")
        )
        import_parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help=gettext("profiles of a gCube provider; its collections are setSpecs"),
        )
        import_parser.add_argument(
            "--dry-run", action="store_true", help=gettext("check and report, but store nothing")
        )
        export_parser = actions.add_parser(
            "export", help=gettext("write the profiles as an XML file (user-agents), and say what it cannot express")
        )
        export_parser.add_argument("file", metavar="FILE", help=gettext("-: standard output"))
        for parser_of_action in (list_parser, preview_parser, import_parser, export_parser):
            parser_of_action.add_argument("--json", action="store_true", dest="as_json", help=gettext("print JSON"))

    def handle(self, *, action: str, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {
            "list": self._list,
            "preview": self._preview,
            "import": self._import,
            "export": self._export,
        }
        actions[action](**options)

    def _list(self, *, as_json: bool, **_: Any) -> None:
        rows = [_as_row(profile) for profile in Profile.objects.prefetch_related("sets")]
        if as_json:
            self._print_json(rows)
            return
        table = Table(
            gettext("profile"),
            gettext("User-Agent contains"),
            gettext("networks"),
            gettext("shows"),
            gettext("on a page"),
        )
        for row in rows:
            sizes = ", ".join(gettext("default") if size is None else str(size) for size in row["page"].values())
            shows = ", ".join(row["sets"]) if row["sets"] is not None else gettext("everything")
            if row["set_tombstones"]:
                shows = gettext("{sets}, with set tombstones").format(sets=shows)
            table.add_row(
                row["name"],
                row["match"] or gettext("anything"),
                ", ".join(row["networks"]) or gettext("anywhere"),
                shows,
                sizes,
            )
        tables.console(self.stdout).print(table)

    def _preview(self, *, user_agent: str, address: str, as_json: bool, **_: Any) -> None:
        try:
            address = str(ipaddress.ip_address(address)) if address else ""
        except ValueError as exc:
            raise CommandError(
                gettext("--address {address!r} is no address; write one such as 192.0.2.7.").format(address=address)
            ) from exc
        result = preview.preview(user_agent, address)
        values: dict[str, str | list[str] | dict[str, str]] = {
            "profile": result.terms.name,
            "why": {candidate.profile.name: candidate.reason for candidate in result.candidates},
            "repository_name": result.terms.repository_name,
            "admin_emails": list(result.terms.admin_emails),
            "formats": [row[0] for row in result.formats],
            "sets": [row[0] for row in result.sets],
            "set_tombstones": gettext("yes") if result.terms.scope.set_tombstones else gettext("no"),
        }
        if as_json:
            self._print_json(values)
            return
        for name, value in values.items():
            title = gettext(_TITLES[name])
            if isinstance(value, str):
                self.stdout.write(f"{title}: {value}")
                continue
            self.stdout.write(f"{title}:")
            for line in value if isinstance(value, list) else (f"{key}: {reason}" for key, reason in value.items()):
                self.stdout.write(f"  {line}")

    def _import(self, *, file: Path, dry_run: bool, as_json: bool, **_: Any) -> None:
        try:
            report = gcube_import.store(gcube_import.read(file.read_bytes()), dry_run=dry_run)
        except (OSError, ActRefused) as exc:
            raise CommandError(f"{file}: {describe_error(exc)}") from exc
        except ValidationError as exc:
            raise CommandError("\n".join((gettext("Nothing was stored."), *exc.messages))) from exc
        values = {
            "added": report.added,
            "changed": report.changed,
            "virtual_sets": report.virtual_sets,
            "stored": not dry_run,
        }
        if as_json:
            self._print_json(values)
            return
        for name in report.added:
            self.stdout.write(gettext("{name}: added").format(name=name))
        for name in report.changed:
            text = gettext("{name}: changed; ask its operator for a full harvest if it sees other sets now")  # G15
            self.stdout.write(text.format(name=name))
        if dry_run:
            self.stdout.write(gettext("Nothing was stored."))

    def _export(self, *, file: str, as_json: bool, **_: Any) -> None:
        export = gcube_export.export()
        if file == "-":
            self.stdout.write(export.document.decode(), ending="")
        else:
            try:
                Path(file).write_bytes(export.document)
            except OSError as exc:
                raise CommandError(
                    gettext("{file} cannot be written: {reason}.").format(file=file, reason=describe_error(exc))
                ) from exc
        values = {"profiles": list(export.names), "lost": list(export.lost)}
        if as_json and file != "-":
            self._print_json(values)
            return
        # Beside the file, which may be standard output.
        for sentence in export.lost:
            self.stderr.write(sentence)

    def _print_json(self, value: Any) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False, indent=2))


def _as_row(profile: Profile) -> dict[str, Any]:
    """Make a row of a profile; None where the settings decide, and for the sets of a profile that shows everything."""
    return {
        "name": profile.name,
        "match": profile.match,
        "networks": profile.networks,
        "sets": None if profile.everything else [metadata_set.spec for metadata_set in profile.sets.all()],
        "set_tombstones": profile.set_tombstones,
        "page": {"records": profile.page_records, "headers": profile.page_headers, "sets": profile.page_sets},
        "repository_name": profile.repository_name or None,
        "admin_emails": profile.admin_emails,
        "formats": profile.formats,
        "requests_per_minute": profile.requests_per_minute,
        "may_be_limited": profile.may_be_limited,
    }
