"""manage.py catalogue stats|validate|read-back|restamp|purge|dictionary: report on the catalogue as a whole, and maintain it."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from json import dumps
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rich.table import Table

from catalogue import datestamps, locks, seams, validation
from catalogue.management import tables
from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from catalogue.management.progress import progress_bar
from catalogue.models import Dictionary, MetadataSet, Record
from catalogue.oai import CATALOGUE_SET
from catalogue.payloads import dictionaries, payload, zstd
from catalogue.reading import stats
from catalogue.writing import purge, read_back, restamp

_MAX_CLOCK_AHEAD = timedelta(days=366)


class Command(BaseCommand):
    help = _("Report on the catalogue as a whole, and maintain it.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        stats_parser = actions.add_parser("stats", help=gettext("counts per set, newest datestamp, size"))
        stats_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the figures as JSON")
        )
        validate_parser = actions.add_parser(
            "validate", help=gettext("check records against the schemas and the WMO Core Profile")
        )
        validate_parser.add_argument(
            "--all", action="store_true", help=gettext("also those that have been checked by these rules")
        )
        validate_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the counts as JSON")
        )
        read_back_parser = actions.add_parser(
            "read-back",
            help=gettext("whether the stored metadata of all records can be read back, as the ticks do once a day"),
        )
        read_back_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the report as JSON")
        )
        restamp_parser = actions.add_parser(
            "restamp", help=gettext("after a restore: give records new datestamps, to be harvested again")
        )
        restamp_parser.add_argument(
            "--set", dest="spec", required=True, metavar="S", help=gettext("the set, or WIS-CATALOGUE for all")
        )
        restamp_parser.add_argument(
            "--since", required=True, metavar="T", help=gettext("what is stamped at T or later: YYYY-MM-DD[Thh:mm:ssZ]")
        )
        restamp_parser.add_argument(
            "--clock", metavar="T", help=gettext("give no datestamp before T any more; at most a year ahead")
        )
        restamp_parser.add_argument("--dry-run", action="store_true", help=gettext("count only"))
        restamp_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the report as JSON")
        )
        purge_parser = actions.add_parser(
            "purge", help=gettext("forget the deleted records that are older than the retention")
        )
        purge_parser.add_argument("--dry-run", action="store_true", help=gettext("count only"))
        purge_parser.add_argument(
            "--even-if-many",
            action="store_true",
            help=gettext("also if most of all deleted records would be forgotten at once"),
        )
        purge_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the report as JSON")
        )

        dictionary_parser = actions.add_parser("dictionary", help=gettext("what payloads are compressed with"))
        steps = dictionary_parser.add_subparsers(dest="step", required=True)
        list_parser = steps.add_parser("list", help=gettext("the dictionaries, the newest first"))
        list_parser.add_argument("--json", dest="as_json", action="store_true", help=gettext("print the list as JSON"))
        train_parser = steps.add_parser(
            "train", help=gettext("train a new one on records of the catalogue, and use it from now on")
        )
        train_parser.add_argument(
            "--sample",
            type=whole_number(1, 10_000_000),
            default=dictionaries.SAMPLE_RECORDS,
            metavar="N",
            help=gettext("on N records"),
        )
        train_parser.add_argument(
            "--size",
            type=whole_number(1024, zstd.MAX_DICTIONARY_BYTES),
            default=zstd.MAX_DICTIONARY_BYTES,
            metavar="BYTES",
            help=gettext("of at most so many bytes"),
        )
        train_parser.add_argument(
            "--repack", action="store_true", help=gettext("and compress all records again with it")
        )
        train_parser.add_argument(
            "--json", dest="as_json", action="store_true", help=gettext("print the report as JSON")
        )

    def handle(self, *, action: str, **options: Any) -> None:
        if action == "dictionary":
            return self._train(**options) if options["step"] == "train" else self._list_dictionaries(**options)
        if action == "restamp":
            return self._restamp(**options)
        if action == "purge":
            return self._purge(**options)
        if action == "read-back":
            return self._read_back(**options)
        if action == "validate":
            return self._validate(**options)
        figures = stats.stats()
        figures["checks"] = validation.label_counts()
        if options["as_json"]:
            self.stdout.write(dumps(figures, indent=2))
            return
        table = Table(gettext("set"), gettext("live"), gettext("deleted"), gettext("newest datestamp"))
        for row in figures["sets"]:
            table.add_row(row["set"], f"{row['live']:,}", f"{row['deleted']:,}", row["newest"] or "-")
        checks = Table(
            gettext("live records of"),
            gettext("valid"),
            gettext("invalid"),
            gettext("not checked"),
            gettext("with faults"),
        )
        for spec, labels in sorted(figures["checks"].items()):
            checks.add_row(spec, *(f"{number:,}" for number in labels.values()))
        console = tables.console(self.stdout)
        console.print(table)
        console.print(checks)
        console.print(gettext("{size:,.1f} MB in the database, indexes included").format(size=figures["bytes"] / 1e6))
        if figures["waiting_for_search"]:
            self.stdout.write(
                ngettext(
                    "{records} record is not found by search yet; the ticks prepare it",
                    "{records} records are not found by search yet; the ticks prepare them",
                    figures["waiting_for_search"],
                ).format(records=figures["waiting_for_search"])
            )
        if figures["waiting_for_journal"]:
            console.print(
                ngettext(
                    "{events} event waits for the journal, since {since}",
                    "{events} events wait for the journal, since {since}",
                    figures["waiting_for_journal"],
                ).format(events=figures["waiting_for_journal"], since=figures["waiting_for_journal_since"])
            )

    def _list_dictionaries(self, *, as_json: bool, **_: Any) -> None:
        rows: list[dict[str, Any]] = [
            {"id": row.pk, "bytes": len(row.content), "trained_on": row.trained_on, "created": row.created.isoformat()}
            for row in Dictionary.objects.order_by("-created", "-id")
        ]
        if as_json:
            self.stdout.write(dumps(rows, indent=2))
            return
        table = Table(gettext("id"), gettext("bytes"), gettext("trained on"), gettext("created"))
        for row in rows:
            table.add_row(str(row["id"]), f"{row['bytes']:,}", _records(row["trained_on"]), str(row["created"]))
        tables.console(self.stdout).print(table)

    def _train(self, *, sample: int, size: int, repack: bool, as_json: bool, **_: Any) -> None:
        try:
            dictionary = dictionaries.train(records=sample, size=size)
        except zstd.Untrainable as exc:
            raise CommandError(gettext("{reason}. The dictionary in use stays.").format(reason=exc)) from exc
        report: dict[str, Any] = {
            "id": dictionary.pk,
            "bytes": len(dictionary.content),
            "trained_on": dictionary.trained_on,
        }
        if repack:
            try:
                with progress_bar(gettext("repack"), None) as advance:
                    repacked = dictionaries.repack(advance=advance)
            except payload.DictionaryDamaged as exc:
                raise CommandError(str(exc)) from exc
            report |= {"repacked": repacked.repacked, "kept": repacked.unchanged, "damaged": repacked.damaged}
        if as_json:
            self.stdout.write(dumps(report, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(
                gettext("dictionary {id} of {size:,} bytes, trained on {records:,} records").format(
                    id=dictionary.pk, size=report["bytes"], records=dictionary.trained_on
                )
            )
            if repack:
                self.stdout.write(
                    gettext("{repacked:,} records compressed again, {kept:,} unchanged").format(
                        repacked=report["repacked"], kept=report["kept"]
                    )
                )
            for identifier in report.get("damaged", ()):
                self.stderr.write(
                    gettext("damaged: {identifier}; offer or harvest it again").format(identifier=identifier)
                )
        if report.get("damaged"):
            raise SystemExit(1)

    def _read_back(self, *, as_json: bool, **_: Any) -> None:
        total, checked = Record.objects.filter(deleted=False).count(), 0

        def count(number: int) -> None:
            nonlocal checked
            checked += number
            advance(number)

        try:
            with progress_bar(gettext("reading back"), total) as advance:
                read_back.read_all_back(advance=count)
        except payload.DictionaryDamaged as exc:
            raise CommandError(str(exc)) from exc
        damaged = [
            {"identifier": row.record.identifier, "found": datestamps.write(row.found), "fault": row.fault}
            for row in read_back.damaged()
        ]
        if as_json:
            self.stdout.write(dumps({"read": checked, "damaged": damaged}, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(gettext("{number} read back").format(number=_records(checked)))
            for row in damaged:
                self.stderr.write(gettext("damaged: {identifier}: {fault}").format_map(row))
        if damaged:
            raise SystemExit(1)

    def _restamp(self, *, spec: str, since: str, clock: str | None, dry_run: bool, as_json: bool, **_: Any) -> None:
        into = MetadataSet.objects.filter(spec=spec).first()
        if into is None:
            known = ", ".join(MetadataSet.objects.values_list("spec", flat=True))
            raise CommandError(
                gettext("There is no set {spec!r}; there are: {known}. Nothing was changed.").format(
                    spec=spec, known=known
                )
            )
        mark = _instant(clock) if clock is not None else None
        if mark and mark > seams.now() + _MAX_CLOCK_AHEAD:
            raise CommandError(
                gettext(
                    "--clock {clock} is more than a year ahead, and every datestamp would be that late until then. "
                    "Nothing was changed."
                ).format(clock=clock)
            )
        with progress_bar(gettext("restamp"), None) as advance:
            report = restamp.restamp(into, _instant(since), mark=mark, dry_run=dry_run, advance=advance)
        if as_json:
            facts = {"records": report.records, "deleted": report.deleted, "mark": datestamps.write(report.mark)}
            self.stdout.write(dumps(facts | {"dry_run": dry_run}, indent=2))
            return
        self.stdout.write(
            (
                gettext(
                    "{records} records of {spec}, {deleted} of them deleted, would have a new datestamp; "
                    "no datestamp would be given before {mark} any more"
                )
                if dry_run
                else gettext(
                    "{records} records of {spec}, {deleted} of them deleted, have a new datestamp; "
                    "no datestamp is given before {mark} any more"
                )
            ).format(records=report.records, spec=spec, deleted=report.deleted, mark=datestamps.write(report.mark))
        )

    def _purge(self, *, dry_run: bool, even_if_many: bool, as_json: bool, **_: Any) -> None:
        retention = settings.GISC_TOMBSTONE_RETENTION_DAYS
        report = purge.purge(dry_run=dry_run, even_if_many=even_if_many)
        if as_json:
            self.stdout.write(dumps(report.to_json() | {"dry_run": dry_run}, indent=2))
        elif retention is None:
            self.stdout.write(
                gettext("Tombstones are kept for ever (GISC_TOMBSTONE_RETENTION_DAYS is empty); nothing to remove.")
            )
        elif report.before is None:
            self.stdout.write(
                gettext(
                    "This node has lived {days_lived} of the {retention} days for which tombstones are kept; nothing "
                    "to remove."
                ).format(days_lived=report.days_lived, retention=retention)
            )
        else:
            self.stdout.write(
                (
                    gettext(
                        "{tombstones} tombstones and {memberships} ended memberships from before {before} would be removed"
                    )
                    if dry_run
                    else gettext(
                        "{tombstones} tombstones and {memberships} ended memberships from before {before} are removed"
                    )
                ).format(
                    tombstones=report.tombstones,
                    memberships=report.memberships,
                    before=datestamps.write(report.before),
                )
            )
        for veto in report.vetoes:
            self.stderr.write(gettext("not purged: {veto}").format(veto=veto))
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

        with progress_bar(gettext("checking"), total) as advance, locks.session_lock(locks.VALIDATION):
            position = validation.label_records(seconds=1, everything=everything, advance=count)
            while position is not None:
                position = validation.label_records(position, seconds=1, everything=everything, advance=count)
        report = {"checked": checked, **validation.label_counts().get(CATALOGUE_SET, validation.NO_LABELS)}
        if options["as_json"]:
            self.stdout.write(dumps(report, indent=2))
            return
        self.stdout.write(
            gettext(
                "{checked:,} records checked; of the catalogue {valid:,} are valid, {invalid:,} "
                "invalid, {not_checked:,} not checked, and {faulty:,} have faults of some rule"
            ).format(
                checked=checked,
                valid=report["valid"],
                invalid=report["invalid"],
                not_checked=report["not_checked"],
                faulty=report["faulty"],
            )
        )


def _records(number: int) -> str:
    return ngettext("{number:,} record", "{number:,} records", number).format(number=number)


def _instant(text: str) -> datetime:
    try:
        return datestamps.parse(text)[0]
    except ValueError as exc:
        raise CommandError(gettext("{reason}. Nothing was changed.").format(reason=exc)) from exc
