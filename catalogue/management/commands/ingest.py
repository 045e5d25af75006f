"""manage.py ingest PATH... | --watch FOLDER: store records from files, folders and archives, once or as they change."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from catalogue import bootstrap, ceilings
from catalogue.bulk import ingest
from catalogue.bulk import watch as watching
from catalogue.ceilings import Ceiling
from catalogue.documents import sources
from catalogue.management.base import BaseCommand
from catalogue.management.named_set import find_set
from catalogue.management.option_types import whole_number
from catalogue.management.progress import progress_bar
from catalogue.models import MetadataSet
from catalogue.payloads import dictionaries
from catalogue.reasons import ActRefused, describe_error


class Command(BaseCommand):
    help = (
        "Store ISO 19139 records from XML files, folders, .zip, .tar and .tar.gz. "
        "Exit status 1 when a document was rejected, or is kept beside the version of another source that is served; the "
        "rest is stored all the same."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
        parser.add_argument(
            "--watch",
            type=Path,
            metavar="FOLDER",
            help="stay, and store what appears and changes in this folder; what vanishes is withdrawn",
        )
        parser.add_argument(
            "--every",
            type=whole_number(1, 86_400),
            default=5,
            metavar="S",
            help="with --watch: seconds between two looks (default: 5)",
        )
        parser.add_argument("--once", action="store_true", help="with --watch: end when all has settled")
        parser.add_argument(
            "--ceiling",
            type=whole_number(0, 1_000_000_000),
            default=ceilings.DEFAULTS.records,
            metavar="N",
            help="with --watch: records that may be withdrawn within a day, or 1 percent of all if that is more (default: %(default)s)",
        )
        parser.add_argument(
            "--beyond-ceiling",
            action="store_true",
            help="with --watch and --once: withdraw also more records than the ceiling, and all of them",
        )
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
        self, *, paths: list[Path], spec: str | None, processes: int, revive: bool, as_json: bool, **options: Any
    ) -> None:
        into = bootstrap.own_set() if spec is None else find_set(spec, nothing_done="Nothing was stored.")
        if options["watch"] is not None:
            if paths or as_json:
                raise CommandError("--watch goes without other paths and without --json. Nothing was stored.")
            return self._watch(into, processes=processes, revives=revive, **options)
        if not paths or options["once"] or options["beyond_ceiling"]:
            raise CommandError(
                "Name an XML file, a folder or an archive, or a folder with --watch. Nothing was stored."
            )
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
        return None

    def _watch(
        self,
        into: MetadataSet,
        *,
        processes: int,
        revives: bool,
        watch: Path,
        every: int,
        once: bool,
        ceiling: int,
        **options: Any,
    ) -> None:
        if options["beyond_ceiling"] and not once:
            raise CommandError("--beyond-ceiling goes with --once. Nothing was stored.")
        watcher = watching.Watcher(
            watch,
            into,
            revives=revives,
            ceiling=Ceiling(ceiling, ceilings.DEFAULTS.percent),
            beyond_ceiling=options["beyond_ceiling"],
            processes=processes,
        )
        try:
            last = watching.keep_looking(watcher, every_s=every, once=once, tell=self._tell)
        except (ActRefused, OSError) as exc:
            raise CommandError(f"{watch} is watched no longer: {describe_error(exc)}.") from exc
        if last.above_ceiling:
            raise SystemExit(1)

    def _tell(self, report: watching.LookReport) -> None:
        """Print what a look has done; of what stays as it is only when it is another number than before."""
        if report.files:
            self.stdout.write(f"{report.files} files read")
            self._print(report.ingested, as_json=False)
        if report.withdrawn:
            self.stdout.write(f"{report.withdrawn} withdrawn, as they are in no file any more")
        for each in report.not_withdrawn:
            self.stderr.write(f"not withdrawn: {each.identifier} {each.reason}")
        for path in report.unreadable:
            self.stderr.write(f"cannot be read, so nothing counts as vanished: {path}")
        if report.above_ceiling and report.above_ceiling != self._above_ceiling:
            self.stderr.write(
                f"{report.above_ceiling} records are in no file any more, which is above the ceiling of {report.ceiling} a day or all "
                "that there are: they stay. If that is right, run manage.py ingest --watch FOLDER --once --beyond-ceiling."
            )
        self._above_ceiling = report.above_ceiling

    _above_ceiling = 0

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
