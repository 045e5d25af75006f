"""manage.py centres list|import|export: the list of centres, and which of them are harvested."""

import json
from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rich.table import Table

from catalogue.management import tables
from catalogue.management.base import BaseCommand
from harvester.links import exchange
from harvester.management import csv_files
from harvester.monitoring.coverage import read_coverage


class Command(BaseCommand):
    help = _("The list of centres, and which of them are harvested.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help=gettext("all centres, and which of them are harvested"))
        files = csv_files.add_to(
            actions,
            import_help=gettext("store centres from a CSV file: all its lines or, if one is wrong, none"),
            export_help=gettext("write centres into a CSV file, without passwords"),
        )
        for action in (listing, *files):
            action.add_argument("--json", action="store_true", help=gettext("print JSON"))

    def handle(self, *, action: str, **options: Any) -> None:
        getattr(self, f"_{action}")(**options)

    def _list(self, **options: Any) -> None:
        coverage = read_coverage()
        if options["json"]:
            centres = [
                {
                    **{column: getattr(each.centre, column) for column in exchange.CENTRE_COLUMNS},
                    "state": str(each.state),
                    "state_text": each.text,
                    "counts": each.counts,
                    "links": [link.name for link in each.links],
                }
                for each in coverage.centres
            ]
            self.stdout.write(json.dumps({**coverage.report(), "list": centres}, ensure_ascii=False, indent=2))
            return
        table = Table(
            gettext("centre"),
            gettext("country"),
            gettext("set"),
            gettext("state"),
            gettext("links"),
            gettext("base URLs"),
        )
        for each in coverage.centres:
            centre, links = each.centre, ", ".join(link.name for link in each.links)
            urls = "\n".join(centre.base_urls) or gettext("not known")
            table.add_row(centre.name, centre.country, centre.set_spec, each.text, links, urls)
        tables.console(self.stdout).print(table)
        self.stdout.write(coverage.text)

    def _import(self, *, file: str, **options: Any) -> None:
        report = exchange.import_centres(csv_files.read(file))
        csv_files.print_report(report, self.stdout, as_json=options["json"])

    def _export(self, *, file: str, **options: Any) -> None:
        csv_files.write(file, exchange.export_centres(), self.stdout)
