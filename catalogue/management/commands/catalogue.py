"""manage.py catalogue stats|validate|restamp|purge|dictionary: report on the catalogue as a whole, and maintain it."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from json import dumps
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table

from catalogue import datestamps, locks, seams, validation
from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from catalogue.management.progress import progress_bar
from catalogue.models import Dictionary, MetadataSet, Record
from catalogue.oai import CATALOGUE_SET
from catalogue.payloads import dictionaries, zstd
from catalogue.reading import stats
from catalogue.writing import purge, restamp

_MAX_CLOCK_AHEAD = timedelta(days=366)


class Command(BaseCommand):
    help = "Report on the catalogue as a whole, and maintain it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        stats_parser = actions.add_parser("stats", help="counts per set, newest datestamp, size")
        stats_parser.add_argument("--json", dest="as_json", action="store_true", help="print the figures as JSON")
        validate_parser = actions.add_parser(
            "validate", help="check records against the schemas and the WMO Core Profile"
        )
        validate_parser.add_argument(
            "--all", action="store_true", help="also those that have been checked by these rules"
        )
        validate_parser.add_argument("--json", dest="as_json", action="store_true", help="print the counts as JSON")
        restamp_parser = actions.add_parser(
            "restamp", help="after a restore: give records new datestamps, to be harvested again"
        )
        restamp_parser.add_argument(
            "--set", dest="spec", required=True, metavar="S", help="the set, or WIS-CATALOGUE for all"
        )
        restamp_parser.add_argument(
            "--since", required=True, metavar="T", help="what is stamped at T or later: YYYY-MM-DD[Thh:mm:ssZ]"
        )
        restamp_parser.add_argument(
            "--clock", metavar="T", help="give no datestamp before T any more; at most a year ahead"
        )
        restamp_parser.add_argument("--dry-run", action="store_true", help="count only")
        restamp_parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")
        purge_parser = actions.add_parser("purge", help="forget the deleted records that are older than the retention")
        purge_parser.add_argument("--dry-run", action="store_true", help="count only")
        purge_parser.add_argument(
            "--even-if-many", action="store_true", help="also if most of all deleted records would be forgotten at once"
        )
        purge_parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

        dictionary_parser = actions.add_parser("dictionary", help="what payloads are compressed with")
        steps = dictionary_parser.add_subparsers(dest="step", required=True)
        list_parser = steps.add_parser("list", help="the dictionaries, the newest first")
        list_parser.add_argument("--json", dest="as_json", action="store_true", help="print the list as JSON")
        train_parser = steps.add_parser(
            "train", help="train a new one on records of the catalogue, and use it from now on"
        )
        train_parser.add_argument(
            "--sample",
            type=whole_number(1, 10_000_000),
            default=dictionaries.SAMPLE_RECORDS,
            metavar="N",
            help="on N records",
        )
        train_parser.add_argument(
            "--size",
            type=whole_number(1024, zstd.MAX_DICTIONARY_BYTES),
            default=zstd.MAX_DICTIONARY_BYTES,
            metavar="BYTES",
            help="of at most so many bytes",
        )
        train_parser.add_argument("--repack", action="store_true", help="and compress all records again with it")
        train_parser.add_argument("--json", dest="as_json", action="store_true", help="print the report as JSON")

    def handle(self, *, action: str, **options: Any) -> None:
        if action == "dictionary":
            return self._train(**options) if options["step"] == "train" else self._list_dictionaries(**options)
        if action == "restamp":
            return self._restamp(**options)
        if action == "purge":
            return self._purge(**options)
        if action == "validate":
            return self._validate(**options)
        figures = stats.stats()
        figures["checks"] = validation.label_counts()
        if options["as_json"]:
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
        if figures["waiting_for_search"]:
            self.stdout.write(
                f"{figures['waiting_for_search']} records are not found by search yet; the ticks prepare them"
            )
        if figures["waiting_for_journal"]:
            console.print(
                f"{figures['waiting_for_journal']} events wait for the journal, since {figures['waiting_for_journal_since']}"
            )

    def _list_dictionaries(self, *, as_json: bool, **_: Any) -> None:
        rows = [
            {"id": row.pk, "bytes": len(row.content), "trained_on": row.trained_on, "created": row.created.isoformat()}
            for row in Dictionary.objects.order_by("-created", "-id")
        ]
        if as_json:
            self.stdout.write(dumps(rows, indent=2))
            return
        table = Table("id", "bytes", "trained on", "created")
        for row in rows:
            table.add_row(str(row["id"]), f"{row['bytes']:,}", f"{row['trained_on']:,} records", str(row["created"]))
        Console(file=self.stdout).print(table)  # type: ignore[arg-type]

    def _train(self, *, sample: int, size: int, repack: bool, as_json: bool, **_: Any) -> None:
        try:
            dictionary = dictionaries.train(records=sample, size=size)
        except zstd.Untrainable as exc:
            raise CommandError(f"{exc}. The dictionary in use stays.") from exc
        report: dict[str, Any] = {
            "id": dictionary.pk,
            "bytes": len(dictionary.content),
            "trained_on": dictionary.trained_on,
        }
        if repack:
            with progress_bar("repack", None) as advance:
                repacked = dictionaries.repack(advance=advance)
            report |= {"repacked": repacked.repacked, "kept": repacked.unchanged, "damaged": repacked.damaged}
        if as_json:
            self.stdout.write(dumps(report, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(
                f"dictionary {dictionary.pk} of {report['bytes']:,} bytes, trained on {dictionary.trained_on:,} records"
            )
            if repack:
                self.stdout.write(f"{report['repacked']:,} records compressed again, {report['kept']:,} unchanged")
            for identifier in report.get("damaged", ()):
                self.stderr.write(f"damaged: {identifier}; offer or harvest it again")
        if report.get("damaged"):
            raise SystemExit(1)

    def _restamp(self, *, spec: str, since: str, clock: str | None, dry_run: bool, as_json: bool, **_: Any) -> None:
        into = MetadataSet.objects.filter(spec=spec).first()
        if into is None:
            known = ", ".join(MetadataSet.objects.values_list("spec", flat=True))
            raise CommandError(f"There is no set {spec!r}; there are: {known}. Nothing was changed.")
        mark = _instant(clock) if clock is not None else None
        if mark and mark > seams.now() + _MAX_CLOCK_AHEAD:
            raise CommandError(
                f"--clock {clock} is more than a year ahead, and every datestamp would be that late until then. "
                "Nothing was changed."
            )
        with progress_bar("restamp", None) as advance:
            report = restamp.restamp(into, _instant(since), mark=mark, dry_run=dry_run, advance=advance)
        if as_json:
            facts = {"records": report.records, "deleted": report.deleted, "mark": datestamps.write(report.mark)}
            self.stdout.write(dumps(facts | {"dry_run": dry_run}, indent=2))
            return
        have = "would have" if dry_run else "have"
        self.stdout.write(
            f"{report.records} records of {spec}, {report.deleted} of them deleted, {have} a new datestamp; "
            f"no datestamp {'would be' if dry_run else 'is'} given before {datestamps.write(report.mark)} any more"
        )

    def _purge(self, *, dry_run: bool, even_if_many: bool, as_json: bool, **_: Any) -> None:
        retention = settings.GISC_TOMBSTONE_RETENTION_DAYS
        report = purge.purge(dry_run=dry_run, even_if_many=even_if_many)
        if as_json:
            self.stdout.write(dumps(report.to_json() | {"dry_run": dry_run}, indent=2))
        elif retention is None:
            self.stdout.write(
                "Tombstones are kept for ever (GISC_TOMBSTONE_RETENTION_DAYS is empty); nothing to remove."
            )
        elif report.before is None:
            self.stdout.write(
                f"This node has lived {report.days_lived} of the {retention} days for which tombstones are kept; nothing "
                "to remove."
            )
        else:
            removed = "would be removed" if dry_run else "are removed"
            self.stdout.write(
                f"{report.tombstones} tombstones and {report.memberships} ended memberships from before "
                f"{datestamps.write(report.before)} {removed}"
            )
        for veto in report.vetoes:
            self.stderr.write(f"not purged: {veto}")
        if report.vetoes and not dry_run:
            raise SystemExit(1)

    def _validate(self, **options: Any) -> None:
        everything = options["all"]
        total = Record.objects.filter(deleted=False).count() if everything else validation.count_unlabelled()
        checked = 0

        def count(number: int) -> None:
            nonlocal checked
            checked += number
            advance(number)

        with progress_bar("checking", total) as advance, locks.session_lock(locks.VALIDATION):
            position = validation.label_records(seconds=1, everything=everything, advance=count)
            while position is not None:
                position = validation.label_records(position, seconds=1, everything=everything, advance=count)
        report = {"checked": checked, **validation.label_counts().get(CATALOGUE_SET, validation.NO_LABELS)}
        if options["as_json"]:
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
