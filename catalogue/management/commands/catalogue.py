"""manage.py catalogue stats: counts per set, newest datestamp, size."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

from catalogue.stats import stats


class Command(BaseCommand):
    help = "Tell about the catalogue as a whole."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        figures = actions.add_parser("stats", help="counts per set, newest datestamp, size")
        figures.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, *, action: str, **options: Any) -> None:
        figures = stats()
        if options["json"]:
            self.stdout.write(json.dumps(figures, indent=2))
            return
        table = Table("set", "live", "deleted", "newest datestamp")
        for row in figures["sets"]:
            table.add_row(row["set"], f"{row['live']:,}", f"{row['deleted']:,}", row["newest"] or "-")
        console = Console(file=self.stdout)  # type: ignore[arg-type]
        console.print(table)
        console.print(f"{figures['bytes'] / 1e6:,.1f} MB in the database, indexes included")
        if figures["waiting_for_journal"]:
            console.print(f"{figures['waiting_for_journal']} events wait for the journal")
