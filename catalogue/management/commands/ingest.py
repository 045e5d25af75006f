"""manage.py ingest PATH... | --watch FOLDER: store records from files, folders and archives, once or as they change."""

import contextlib
import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

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
    help = _(
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
            help=gettext("stay, and store what appears and changes in this folder; what vanishes is withdrawn"),
        )
        parser.add_argument(
            "--every",
            type=whole_number(1, 86_400),
            default=5,
            metavar="S",
            help=gettext("with --watch: seconds between two looks (default: 5)"),
        )
        parser.add_argument(
            "--forget",
            action="store_true",
            help=gettext("with --watch: forget the folder instead; its records stay, and nobody withdraws them"),
        )
        parser.add_argument("--once", action="store_true", help=gettext("with --watch: end when all has settled"))
        parser.add_argument(
            "--ceiling",
            type=whole_number(0, 1_000_000_000),
            default=ceilings.DEFAULTS.records,
            metavar="N",
            help=gettext(
                "with --watch: records that may be withdrawn within a day, or 1 percent of all if that is more (default: %(default)s)"
            ),
        )
        parser.add_argument(
            "--beyond-ceiling",
            action="store_true",
            help=gettext("with --watch and --once: withdraw also more records than the ceiling, and all of them"),
        )
        parser.add_argument(
            "--set", dest="spec", metavar="SPEC", help=gettext("the set to store in (default: the own set)")
        )
        parser.add_argument(
            "--processes",
            type=whole_number(1, 1000),
            default=ingest.default_processes(),
            metavar="N",
            help=gettext("read bulk loads in N processes (default: %(default)s; the other cores are PostgreSQL's)"),
        )
        parser.add_argument(
            "--revive",
            action="store_true",
            help=gettext("bring back records that were deleted; they are rejected otherwise"),
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help=gettext("print the report as JSON"))

    def handle(
        self, *, paths: list[Path], spec: str | None, processes: int, revive: bool, as_json: bool, **options: Any
    ) -> None:
        into = bootstrap.own_set() if spec is None else find_set(spec, nothing_done=gettext("Nothing was stored."))
        if options["watch"] is not None:
            if paths or as_json:
                raise CommandError(gettext("--watch goes without other paths and without --json. Nothing was stored."))
            if options["forget"]:
                return self._forget(options["watch"])
            return self._watch(into, processes=processes, revives=revive, **options)
        if not paths or options["once"] or options["beyond_ceiling"] or options["forget"]:
            raise CommandError(
                gettext("Name an XML file, a folder or an archive, or a folder with --watch. Nothing was stored.")
            )
        try:
            sources.check_sources(paths)
        except sources.SourceError as exc:
            raise CommandError(gettext("{reason}. Nothing was stored.").format(reason=exc)) from exc
        try:
            with progress_bar(gettext("ingest"), sources.estimate(paths)) as advance:
                report = ingest.ingest(
                    sources.documents(paths), into=into, revives=revive, advance=advance, processes=processes
                )
        except ActRefused as exc:
            raise CommandError(gettext("{reason}. Nothing was stored.").format(reason=exc)) from exc
        dictionaries.retrain_if_outgrown()
        self._print(report, as_json=as_json)
        if report.rejects or report.claims:
            raise SystemExit(1)
        return None

    def _forget(self, folder: Path) -> None:
        try:
            number = watching.forget(folder)
        except ActRefused as exc:
            raise CommandError(gettext("{reason}. Nothing was forgotten.").format(reason=exc)) from exc
        self.stdout.write(
            ngettext(
                "{folder} is forgotten. {number} record of it stays.",
                "{folder} is forgotten. {number} records of it stay.",
                number,
            ).format(folder=folder, number=number)
        )

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
            raise CommandError(gettext("--beyond-ceiling goes with --once. Nothing was stored."))
        watcher = watching.Watcher(
            watch,
            into,
            revives=revives,
            ceiling=Ceiling(ceiling, ceilings.DEFAULTS.percent),
            beyond_ceiling=options["beyond_ceiling"],
            processes=processes,
            every_s=None if once else every,
        )
        try:
            last = watching.keep_looking(watcher, every_s=every, once=once, tell=self._tell)
        except (ActRefused, OSError) as exc:
            raise CommandError(
                gettext("{watch} is watched no longer: {reason}.").format(watch=watch, reason=describe_error(exc))
            ) from exc
        except (SystemExit, KeyboardInterrupt):  # somebody has ended it
            with contextlib.suppress(DatabaseError):
                watcher.end()
            raise
        if last.above_ceiling:
            raise SystemExit(1)

    def _tell(self, report: watching.LookReport) -> None:
        """Print what a look has done; of what stays as it is only when it is another number than before."""
        if report.files:
            self.stdout.write(
                ngettext("{files} file read", "{files} files read", report.files).format(files=report.files)
            )
            self._print(report.ingested, as_json=False)
        if report.withdrawn:
            self.stdout.write(
                ngettext(
                    "{withdrawn} withdrawn, as it is in no file any more",
                    "{withdrawn} withdrawn, as they are in no file any more",
                    report.withdrawn,
                ).format(withdrawn=report.withdrawn)
            )
        for each in report.not_withdrawn:
            self.stderr.write(
                gettext("not withdrawn: {identifier} {reason}").format(identifier=each.identifier, reason=each.reason)
            )
        for each in report.unread:
            self.stderr.write(
                gettext("tried again at each look: {source} {reason}").format(source=each.source, reason=each.reason)
            )
        for path in report.unreadable if report.unreadable != self._unreadable else ():
            self.stderr.write(gettext("cannot be read, so nothing counts as vanished: {path}").format(path=path))
        self._unreadable = report.unreadable
        if report.above_ceiling and report.above_ceiling != self._above_ceiling:
            self.stderr.write(
                ngettext(
                    "{records} record is in no file any more, which is above the ceiling of {ceiling} a day or all "
                    "that there are: it stays. If that is right, run manage.py ingest --watch FOLDER --once --beyond-ceiling.",
                    "{records} records are in no file any more, which is above the ceiling of {ceiling} a day or all "
                    "that there are: they stay. If that is right, run manage.py ingest --watch FOLDER --once --beyond-ceiling.",
                    report.above_ceiling,
                ).format(records=report.above_ceiling, ceiling=report.ceiling)
            )
        self._above_ceiling = report.above_ceiling

    _above_ceiling = 0
    _unreadable: Sequence[str] = ()

    def _print(self, report: ingest.IngestReport, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
            return
        for reject in report.rejects:
            self.stderr.write(gettext("rejected: {source} {reason}").format(source=reject.source, reason=reject.reason))
        for claim in report.claims:
            self.stderr.write(
                gettext("kept, but not served: {source} {identifier} {reason}").format(
                    source=claim.source, identifier=claim.identifier, reason=claim.reason
                )
            )
        for remark in report.remarks:
            self.stderr.write(
                gettext("stored: {source} {identifier} {reason}").format(
                    source=remark.source, identifier=remark.identifier, reason=remark.reason
                )
            )
        counts = report.as_dict()
        always = {"new", "updated", "unchanged", "rejected"}
        texts = ingest.count_texts().items()
        clauses = [text.format(number=counts[name]) for name, text in texts if counts[name] or name in always]
        self.stdout.write(
            gettext("{number} offered: {counts}").format(number=report.offered, counts=", ".join(clauses))
        )
