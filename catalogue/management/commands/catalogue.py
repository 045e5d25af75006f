"""manage.py catalogue stats|validate|restamp|purge|dictionary: figures of the catalogue as a whole, and its upkeep."""

from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from json import dumps
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from catalogue import datestamps, locks, validation
from catalogue.management.progress import progress_bar
from catalogue.models import Dictionary, MetadataSet, Record
from catalogue.oai import CATALOGUE_SET
from catalogue.payloads import dictionaries, zstd
from catalogue.reading.stats import stats
from catalogue.writing import purge, restamp

_FARTHEST = timedelta(days=366)


class Command(BaseCommand):
    help = "Tell about the catalogue as a whole, and look after it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        figures = actions.add_parser("stats", help="counts per set, newest datestamp, size")
        figures.add_argument("--json", action="store_true", help="print the figures as JSON")
        validate = actions.add_parser("validate", help="check records against the schemas and the WMO Core Profile")
        validate.add_argument("--all", action="store_true", help="also those that have been checked by these rules")
        validate.add_argument("--json", action="store_true", help="print the counts as JSON")
        restamp = actions.add_parser(
            "restamp", help="after a restore: give records new datestamps, to be harvested again"
        )
        restamp.add_argument("--set", dest="spec", required=True, metavar="S", help="the set, or WIS-CATALOGUE for all")
        restamp.add_argument(
            "--since", required=True, metavar="T", help="what is stamped at T or later: YYYY-MM-DD[Thh:mm:ssZ]"
        )
        restamp.add_argument("--clock", metavar="T", help="give no datestamp before T any more; at most a year ahead")
        restamp.add_argument("--dry-run", action="store_true", help="count only")
        restamp.add_argument("--json", action="store_true", help="print the report as JSON")
        purge = actions.add_parser("purge", help="remove the tombstones that are older than the retention")
        purge.add_argument("--dry-run", action="store_true", help="count only")
        purge.add_argument("--json", action="store_true", help="print the report as JSON")

        dictionary = actions.add_parser("dictionary", help="what payloads are compressed with")
        steps = dictionary.add_subparsers(dest="step", required=True)
        listing = steps.add_parser("list", help="the dictionaries, the newest first")
        listing.add_argument("--json", action="store_true", help="print the list as JSON")
        train = steps.add_parser("train", help="train a new one on records of the catalogue, and use it from now on")
        train.add_argument("--sample", type=int, default=dictionaries.SAMPLE_RECORDS, metavar="N", help="on N records")
        train.add_argument(
            "--size", type=int, default=zstd.MAX_DICTIONARY_BYTES, metavar="BYTES", help="of at most so many bytes"
        )
        train.add_argument("--repack", action="store_true", help="and compress all records anew with it")
        train.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *, action: str, **options: Any) -> None:
        if action == "dictionary":
            return self._train(**options) if options["step"] == "train" else self._list_dictionaries(**options)
        if action == "restamp":
            return self._restamp(**options)
        if action == "purge":
            return self._purge(**options)
        if action == "validate":
            return self._validate(**options)
        figures = stats()
        figures["checks"] = validation.counts()
        if options["json"]:
            self.stdout.write(dumps(figures, indent=2))
            return
        table = Table("set", "live", "deleted", "newest datestamp")
        for row in figures["sets"]:
            table.add_row(row["set"], f"{row['live']:,}", f"{row['deleted']:,}", row["newest"] or "-")
        checks = Table("live records of", "valid", "invalid", "not checked", "with faults")
        for spec, labels in sorted(figures["checks"].items()):
            checks.add_row(spec, *(f"{number:,}" for number in labels.values()))
        console = Console(file=self.stdout)  # type: ignore[arg-type]
        console.print(table)
        console.print(checks)
        console.print(f"{figures['bytes'] / 1e6:,.1f} MB in the database, indexes included")
        if figures["waiting_for_journal"]:
            console.print(
                f"{figures['waiting_for_journal']} events wait for the journal, since {figures['waiting_for_journal_since']}"
            )

    def _list_dictionaries(self, *, json: bool, **_: Any) -> None:
        rows = [
            {"id": row.pk, "bytes": len(row.content), "trained_on": row.trained_on, "created": row.created.isoformat()}
            for row in Dictionary.objects.order_by("-created", "-id")
        ]
        if json:
            self.stdout.write(dumps(rows, indent=2))
            return
        table = Table("id", "bytes", "trained on", "created")
        for row in rows:
            table.add_row(str(row["id"]), f"{row['bytes']:,}", f"{row['trained_on']:,} records", str(row["created"]))
        Console(file=self.stdout).print(table)  # type: ignore[arg-type]

    def _train(self, *, sample: int, size: int, repack: bool, json: bool, **_: Any) -> None:
        try:
            made = dictionaries.train(records=sample, size=size)
        except zstd.Untrainable as exc:
            raise CommandError(f"{exc}. The dictionary in use stays.") from exc
        report: dict[str, Any] = {"id": made.pk, "bytes": len(made.content), "trained_on": made.trained_on}
        if repack:
            with progress_bar("repack", None) as advance:
                done = dictionaries.repack(advance=advance)
            report |= {"repacked": done.repacked, "kept": done.kept, "damaged": done.damaged}
        if json:
            self.stdout.write(dumps(report, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(
                f"dictionary {made.pk} of {report['bytes']:,} bytes, trained on {made.trained_on:,} records"
            )
            if repack:
                self.stdout.write(
                    f"{report['repacked']:,} records compressed anew, {report['kept']:,} left as they were"
                )
            for identifier in report.get("damaged", ()):
                self.stderr.write(f"damaged: {identifier}; offer or harvest it again")
        if report.get("damaged"):
            raise SystemExit(1)

    def _restamp(self, *, spec: str, since: str, clock: str | None, dry_run: bool, json: bool, **_: Any) -> None:
        into = MetadataSet.objects.filter(spec=spec).first()
        if into is None:
            known = ", ".join(MetadataSet.objects.values_list("spec", flat=True))
            raise CommandError(f"There is no set {spec!r}; there are: {known}. Nothing was changed.")
        mark = _instant(clock) if clock else None
        if mark and mark > datetime.now(UTC) + _FARTHEST:
            raise CommandError(
                f"--clock {clock} is more than a year ahead, and every datestamp would be that late until then. "
                "Nothing was changed."
            )
        with progress_bar("restamp", None) as advance:
            done = restamp.restamp(into, _instant(since), mark=mark, dry_run=dry_run, advance=advance)
        if json:
            facts = {"records": done.records, "deleted": done.deleted, "mark": datestamps.write(done.mark)}
            self.stdout.write(dumps(facts | {"dry_run": dry_run}, indent=2))
            return
        said = "would have" if dry_run else "have"
        self.stdout.write(
            f"{done.records} records of {spec}, {done.deleted} of them deleted, {said} a new datestamp; "
            f"no datestamp {'would be' if dry_run else 'is'} given before {datestamps.write(done.mark)} any more"
        )

    def _purge(self, *, dry_run: bool, json: bool, **_: Any) -> None:
        done = purge.purge(dry_run=dry_run)
        before = done.before and datestamps.write(done.before)
        if json:
            facts = {"before": before, "tombstones": done.tombstones, "memberships": done.memberships}
            self.stdout.write(dumps(facts | {"dry_run": dry_run}, indent=2))
        elif before is None:
            self.stdout.write(
                "Tombstones are kept for ever (GISC_TOMBSTONE_RETENTION_DAYS is empty); nothing to remove."
            )
        else:
            self.stdout.write(
                f"{done.tombstones} tombstones and {done.memberships} ended memberships from before {before} "
                f"{'would be' if dry_run else 'are'} removed"
            )

    def _validate(self, **options: Any) -> None:
        everything = options["all"]
        total = Record.objects.filter(deleted=False).count() if everything else validation.waiting()
        checked = 0

        def count(number: int) -> None:
            nonlocal checked
            checked += number
            advance(number)

        with progress_bar("checking", total) as advance, locks.session_lock(locks.VALIDATION):
            place = validation.label(seconds=1, everything=everything, done=count)
            while place is not None:
                place = validation.label(place, seconds=1, everything=everything, done=count)
        report = {"checked": checked, **validation.counts().get(CATALOGUE_SET, validation.NO_LABELS)}
        if options["json"]:
            self.stdout.write(dumps(report, indent=2))
            return
        self.stdout.write(
            f"{checked:,} records checked; of the catalogue {report['valid']:,} are valid, {report['invalid']:,} "
            f"invalid, {report['not_checked']:,} not checked, and {report['faulty']:,} have faults of some rule"
        )


def _instant(text: str) -> datetime:
    try:
        return datestamps.parse(text)[0]
    except ValueError as exc:
        raise CommandError(f"{exc}. Nothing was changed.") from exc
