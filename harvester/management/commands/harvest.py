"""manage.py harvest LINK: run a link now, in the foreground."""

import json
import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from catalogue.management.progress import progress_bar
from harvester.models import Link, Run
from harvester.monitoring.status import COUNTERS, run_facts
from harvester.protocol import warnings
from harvester.runs import lifecycle


class Command(BaseCommand):
    help = "Harvest a link now, in the foreground, or go on with its open run. Exit status 1 if the run fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("link", metavar="LINK", help="name of the link")
        parser.add_argument("--full", action="store_true", help="ask for the whole list, not only for what changed")
        parser.add_argument(
            "--reconcile",
            action="store_true",
            help="compare all headers with the provider's; ask for what is missing, stale, or no longer listed",
        )
        parser.add_argument(
            "--beyond-ceiling",
            action="store_true",
            help="with --reconcile: also where more is no longer listed than the link's ceiling",
        )
        parser.add_argument("--json", action="store_true", help="print the run's report as JSON")

    def handle(self, *, link: str, full: bool, reconcile: bool, json: bool, **options: Any) -> None:
        logging.getLogger("harvester").setLevel(logging.ERROR)  # this command tells by itself what goes on
        arranged = Link.objects.filter(name=link).first()
        if arranged is None:
            known = ", ".join(Link.objects.values_list("name", flat=True)) or "none yet; add one with `link add`"
            raise CommandError(f"There is no link {link!r}; there are: {known}.")
        beyond = bool(options["beyond_ceiling"])
        if beyond and not reconcile:
            raise CommandError("--beyond-ceiling goes with --reconcile.")
        if reconcile:
            run = lifecycle.open_comparison(arranged, trigger="command line", whole=True, beyond_ceiling=beyond)
        else:
            run = lifecycle.open_run(arranged, trigger="command line", full=full)
        if run is None:
            run = Run.objects.get(link=arranged, state=Run.State.OPEN)
            if run.is_comparison != reconcile:
                raise CommandError(f"A {run.purpose} of this link is open; let it end first, or cancel it.")
            if full and run.list_from is not None:
                raise CommandError("An incremental run of this link is open; let it end first, then ask for --full.")
            self.stderr.write("A run of this link is open already; going on with it.")
        run = self._until_ended(run)
        self._print(run, as_json=json)
        if run.state != Run.State.DONE:
            raise SystemExit(1)

    def _until_ended(self, run: Run) -> Run:
        with progress_bar(f"harvest {run.link.name}", None) as advance:
            shown = 0

            def progress(current: Run) -> None:
                nonlocal shown
                advance(current.received - shown)
                shown = current.received

            said = ""
            while run.is_open:
                lifecycle.work(run.pk, progress=progress)
                run.refresh_from_db()
                if run.is_open and run.message and run.message != said:
                    said = run.message
                    self.stderr.write(said)
                if run.is_open:
                    self._pause(run)
        return run

    def _pause(self, run: Run) -> None:
        """Wait as long as the run must, or for a second where another worker has it."""
        wait_s = (run.not_before - timezone.now()).total_seconds() if run.not_before else float(bool(run.holder))
        time.sleep(max(wait_s, 0))

    def _print(self, run: Run, *, as_json: bool) -> None:
        if as_json:
            rejects = [{"identifier": r.identifier, "reason": r.reason} for r in run.rejects.all()]
            report = {"link": run.link.name, **run_facts(run), "rejects": rejects}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
            return
        for sentence in warnings.describe_warnings(run.warnings):
            self.stderr.write(f"warning: {sentence}")
        for reject in run.rejects.all():
            self.stderr.write(f"rejected: {reject.identifier} {reject.reason}")
        self.stdout.write(f"{run.state}: " + ", ".join(f"{getattr(run, name)} {name}" for name in COUNTERS))
        if run.message:
            self.stdout.write(run.message)
