"""manage.py harvest LINK: run a link now, in the foreground."""

import json
import logging
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import seams
from catalogue.management.base import BaseCommand
from catalogue.management.progress import progress_bar
from harvester.messages import OutcomeCode
from harvester.models import Link, Run
from harvester.monitoring.status import COUNTERS, run_facts
from harvester.protocol import warnings
from harvester.rows import runs
from harvester.runs import lifecycle


class Command(BaseCommand):
    help = _("Harvest a link now, in the foreground, or go on with its open run. Exit status 1 if the run fails.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("link", metavar="LINK", help=gettext("name of the link"))
        parser.add_argument(
            "--full", action="store_true", help=gettext("ask for the whole list, not only for what changed")
        )
        parser.add_argument(
            "--reconcile",
            action="store_true",
            help=gettext(
                "compare all headers with the provider's; ask for what is missing, stale, or no longer listed"
            ),
        )
        parser.add_argument(
            "--beyond-ceiling",
            action="store_true",
            help=gettext("with --reconcile: also where more is no longer listed than the link's ceiling"),
        )
        parser.add_argument(
            "--content",
            action="store_true",
            help=gettext(
                "total re-harvest: compare all records with their content; finds what has changed without a new datestamp"
            ),
        )
        parser.add_argument("--json", action="store_true", help=gettext("print the run's report as JSON"))

    def handle(self, *, link: str, full: bool, reconcile: bool, content: bool, **options: Any) -> None:
        logging.getLogger("harvester").setLevel(logging.ERROR)  # this command prints what goes on by itself
        name, found = link, Link.objects.filter(name=link).first()
        if found is None:
            names = ", ".join(Link.objects.values_list("name", flat=True)) or gettext(
                "none yet; add one with `link add`"
            )
            raise CommandError(gettext("There is no link {name!r}; there are: {names}.").format(name=name, names=names))
        beyond_ceiling = bool(options["beyond_ceiling"])
        if beyond_ceiling and not reconcile:
            raise CommandError(gettext("--beyond-ceiling goes with --reconcile."))
        if full + reconcile + content > 1:
            raise CommandError(gettext("Choose one of --full, --reconcile and --content."))
        purpose = Run.Purpose.HARVEST
        if reconcile:
            purpose = Run.Purpose.COMPARISON
            run = lifecycle.open_comparison(found, trigger="command line", whole=True, beyond_ceiling=beyond_ceiling)
        elif content:
            purpose = Run.Purpose.CONTENT
            run = lifecycle.open_total_reharvest(found, trigger="command line", whole=True)
        else:
            run = lifecycle.open_run(found, trigger="command line", full=full)
        if run is None:
            run = Run.objects.get(link=found, state=Run.State.OPEN)
            if run.purpose != purpose:
                raise CommandError(
                    gettext("A {purpose} of this link is open; let it end first, or cancel it.").format(
                        purpose=run.get_purpose_display()
                    )
                )
            if full and run.list_from is not None:
                raise CommandError(
                    gettext("An incremental run of this link is open; let it end first, then ask for --full.")
                )
            if run.windows:
                runs.leave_windows(run, trigger="command line")
            self.stderr.write(gettext("A run of this link is open already; going on with it."))
        run = self._work_to_end(run)
        self._print(run, as_json=options["json"])
        if run.state != Run.State.DONE:
            raise SystemExit(1)

    def _work_to_end(self, run: Run) -> Run:
        with progress_bar(gettext("harvest {name}").format(name=run.link.name), None) as advance:
            received = 0

            def progress(current: Run) -> None:
                nonlocal received
                advance(current.received - received)
                received = current.received

            reported: tuple[str, object] = (OutcomeCode.RUNNING, {})
            while run.is_open:
                lifecycle.work(run.pk, progress=progress)
                run.refresh_from_db()
                outcome = (run.outcome, run.outcome_data)
                if run.is_open and run.outcome != OutcomeCode.RUNNING and outcome != reported:
                    reported = outcome
                    self.stderr.write(run.message)
                if run.is_open:
                    self._pause(run)
        return run

    def _pause(self, run: Run) -> None:
        """Wait until the run's next try, or for a second where another worker has the run."""
        wait_s = (run.not_before - seams.now()).total_seconds() if run.not_before else float(bool(run.worker))
        seams.sleep(max(wait_s, 0))

    def _print(self, run: Run, *, as_json: bool) -> None:
        if as_json:
            rejects = [reject.report() for reject in run.rejects.defer("raw")]
            report = {"link": run.link.name, **run_facts(run), "rejects": rejects}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
            return
        for sentence in warnings.describe_warnings(run.warnings):
            self.stderr.write(gettext("warning: {sentence}").format(sentence=sentence))
        for reject in run.rejects.defer("raw"):
            self.stderr.write(
                gettext("rejected: {identifier} {reason_text}").format(
                    identifier=reject.identifier, reason_text=reject.reason_text
                )
            )
        state = gettext("nothing taken") if run.outcome == OutcomeCode.NOTHING_TAKEN else run.get_state_display()
        texts = {
            "received": gettext("{number} received"),
            "new": gettext("{number} new"),
            "updated": gettext("{number} updated"),
            "unchanged": gettext("{number} unchanged"),
            "deleted": gettext("{number} deleted"),
            "rejected": gettext("{number} rejected"),
        }
        self.stdout.write(f"{state}: " + ", ".join(texts[name].format(number=getattr(run, name)) for name in COUNTERS))
        if run.message:
            self.stdout.write(run.message)
