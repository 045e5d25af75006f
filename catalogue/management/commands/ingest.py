"""manage.py ingest PATH...: store records from files, folders and archives."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalogue import bootstrap
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.management.named_set import find_set
from catalogue.management.option_types import whole_number
from catalogue.management.progress import progress_bar
from catalogue.payloads import dictionaries
from catalogue.reasons import ActRefused


class Command(BaseCommand):
    help = (
        "Store ISO 19139 records from XML files, folders, .zip, .tar and .tar.gz. "
        "Exit status 1 when a document was rejected, or is kept beside the version of another source that is served; the "
        "rest is stored all the same."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--set", dest="spec", metavar="SPEC", help="the set to store in (default: the own set)")
        parser.add_argument(
            "--processes",
            type=whole_number(1, 1000),
            default=ingest.default_processes(),
            metavar="N",
            help="read bulk loads in N processes (default: %(default)s; the other cores are PostgreSQL's)",
        )
        parser.add_argument(
            "--revive", action="store_true", help="bring back records that were deleted; they are rejected otherwise"
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(
        self, *, paths: list[Path], spec: str | None, processes: int, revive: bool, as_json: bool, **_: Any
    ) -> None:
        into = bootstrap.own_set() if spec is None else find_set(spec, nothing_done="Nothing was stored.")
        try:
            sources.check_sources(paths)
        except sources.SourceError as exc:
            raise CommandError(f"{exc}. Nothing was stored.") from exc
        try:
            with progress_bar("ingest", sources.estimate(paths)) as advance:
                report = ingest.ingest(
                    sources.documents(paths), into=into, revives=revive, advance=advance, processes=processes
                )
        except ActRefused as exc:
            raise CommandError(f"{exc}. Nothing was stored.") from exc
        dictionaries.retrain_if_outgrown()
        self._print(report, as_json=as_json)
        if report.rejects or report.claims:
            raise SystemExit(1)

    def _print(self, report: ingest.IngestReport, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
            return
        for reject in report.rejects:
            self.stderr.write(f"rejected: {reject.source} {reject.reason}")
        for claim in report.claims:
            self.stderr.write(f"kept, but not served: {claim.source} {claim.identifier} {claim.reason}")
        for remark in report.remarks:
            self.stderr.write(f"stored: {remark.source} {remark.identifier} {remark.reason}")
        counts = report.as_dict()
        remarked = "".join(
            f"{counts[name]} {words}, "
            for name, words in ((ingest.BROUGHT_BACK, "brought back"), (ingest.OLDER, "replaced by an older version"))
            if counts[name]
        )
        kept = f"{counts['claimed']} kept but not served, " if report.claims else ""
        self.stdout.write(
            f"{report.offered} offered: {counts['new']} new, {counts['updated']} updated, "
            f"{remarked}{counts['unchanged']} unchanged, {kept}{counts['rejected']} rejected"
        )
