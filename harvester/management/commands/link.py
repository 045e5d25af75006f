"""manage.py link add|access|schedule|identifiers|visible|list|show|check|cancel|enable|disable|reset|alternative|switch|accept-move|remove|import|export: manage links, as in the admin."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rich.table import Table

from catalogue import datestamps, seams
from catalogue.management import tables
from catalogue.management.base import BaseCommand
from catalogue.models import Category, MetadataSet
from catalogue.reasons import ActRefused
from catalogue.writing import visibility
from harvester import schedule_words
from harvester.errors import HarvestError
from harvester.link_rules import Identifiers, Kind
from harvester.links import acts, edit, exchange, failover, new_link, prefixes
from harvester.management import access_options, csv_files
from harvester.messages import as_sentence
from harvester.models import Alternative, Link, Run
from harvester.models.link_schedule import SCHEDULE
from harvester.monitoring import status
from harvester.protocol import probe
from harvester.protocol.warnings import describe_warnings
from harvester.rows import moved_address, queue
from harvester.runs import finish, lifecycle
from harvester.schedule import next_starts


class Command(BaseCommand):
    help = _("Arrange what is harvested from whom.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help=gettext("add a link"))
        add.add_argument("name")
        add.add_argument("base_url", metavar="BASE_URL")
        add.add_argument(
            "--kind",
            choices=Kind.values,
            help=gettext("what the provider is to us (default: peer, or shared into a shared set)"),
        )
        add.add_argument(
            "--set", dest="remote_set", default="", help=gettext("the remote setSpec (default: everything)")
        )
        add.add_argument(
            "--into", help=gettext("the local set (default: of the same name as the remote set; made if missing)")
        )
        add.add_argument("--prefix", default="iso19139")
        add.add_argument(
            "--identifiers",
            choices=Identifiers.values,
            default=Identifiers.SAME,
            help=gettext(
                "what counts where headers have other identifiers than gmd:fileIdentifier (default: such records are rejected)"
            ),
        )
        _add_schedule_to(add)
        add.add_argument("--overlap", type=int, default=60, metavar="SECONDS")
        add.add_argument("--strategy", choices=Link.Strategy.values, default=Link.Strategy.RECORDS)
        add.add_argument(
            "--at-once", type=int, default=4, metavar="N", help=gettext("GetRecord requests at once (default: 4)")
        )
        add.add_argument(
            "--lateness",
            type=int,
            default=72,
            metavar="HOURS",
            help=gettext("a record may be listed so long after its datestamp (default: 72)"),
        )
        add.add_argument("--disabled", action="store_true", help=gettext("do not harvest it by schedule"))
        access_options.add_to(add)
        access = actions.add_parser("access", help=gettext("change what the provider of a link is asked with"))
        access.add_argument("name")
        access_options.add_to(access)
        schedule = actions.add_parser(
            "schedule", help=gettext("change when a link is harvested; it takes effect at once")
        )
        schedule.add_argument("name")
        _add_schedule_to(schedule)
        identifiers = actions.add_parser(
            "identifiers", help=gettext("change what counts as identifier; the whole list is asked for")
        )
        identifiers.add_argument("name")
        identifiers.add_argument("identifiers", choices=Identifiers.values)
        visible = actions.add_parser("visible", help=gettext("say who sees the records that a link brings"))
        visible.add_argument("name")
        to = visible.add_mutually_exclusive_group(required=True)
        to.add_argument(
            "--to", metavar="CATEGORY", help=gettext("whoever may see this category (`manage.py set category`)")
        )
        to.add_argument("--to-everybody", action="store_true")
        listing = actions.add_parser("list", help=gettext("all links"))
        show = actions.add_parser("show", help=gettext("one link and its last runs"))
        show.add_argument("name")
        check = actions.add_parser("check", help=gettext("ask a provider what it offers; stores nothing"))
        check.add_argument("name", metavar="NAME_OR_URL")
        cancel = actions.add_parser("cancel", help=gettext("end the open run of a link; what it stored stays"))
        cancel.add_argument("name")
        other = actions.add_parser(
            "alternative", help=gettext("add a provider of the same set, to turn to when the link's own cannot be had")
        )
        other.add_argument("name")
        other.add_argument("relay", help=gettext("its name, as people know it"))
        other.add_argument("base_url", metavar="BASE_URL")
        other.add_argument("--set", dest="remote_set", help=gettext("the remote setSpec (default: the link's)"))
        other.add_argument("--prefix", help=gettext("(default: the link's)"))
        other.add_argument(
            "--switch-after", type=int, metavar="HOURS", help=gettext("turn by itself after failing so long")
        )
        other.add_argument(
            "--return-after", type=int, metavar="HOURS", help=gettext("return when its own has answered so long")
        )
        switch = actions.add_parser(
            "switch", help=gettext("turn a link to its next provider; no record is deleted because it is not listed")
        )
        switch.add_argument("name")
        switch.add_argument("--back", action="store_true", help=gettext("turn back to the link's own provider"))
        accept = actions.add_parser(
            "accept-move", help=gettext("make the address that the provider has moved to its base URL")
        )
        accept.add_argument("name")
        enable = actions.add_parser("enable", help=gettext("harvest a link by its schedule"))
        enable.add_argument("name")
        disable = actions.add_parser("disable", help=gettext("harvest a link by hand only; what is stored stays"))
        disable.add_argument("name")
        reset = actions.add_parser(
            "reset",
            help=gettext(
                "ask for the whole list again with the next run, or for what changed since a time; nothing is deleted"
            ),
        )
        reset.add_argument("name")
        reset.add_argument(
            "--to", metavar="TIME", help=gettext("of the provider's clock: 2026-05-03 or 2026-05-03T12:00:00Z")
        )
        remove = actions.add_parser("remove", help=gettext("remove a link and its runs; the records it brought stay"))
        remove.add_argument("name")
        files = csv_files.add_to(
            actions,
            import_help=gettext("store links from a CSV file: all its lines or, if one is wrong, none"),
            export_help=gettext("write links into a CSV file, without passwords"),
        )
        others = (enable, disable, reset, other, switch, accept, remove)
        for action in (*files, add, access, schedule, identifiers, visible, listing, show, check, cancel, *others):
            action.add_argument("--json", action="store_true", help=gettext("print JSON"))

    def handle(self, *, action: str, **options: Any) -> None:
        getattr(self, f"_{action.replace('-', '_')}")(**options)

    def _add(self, *, name: str, base_url: str, remote_set: str, into: str | None, **options: Any) -> None:
        spec = into or remote_set
        if not spec:
            raise CommandError(
                gettext("Say which local set the records go to: --into SPEC, or --set for one of the same name.")
            )
        local = MetadataSet.objects.filter(spec=spec).first() or MetadataSet(spec=spec, name=spec)
        link = Link(
            name=name,
            kind=options["kind"] or (Kind.SHARED if local.kind == MetadataSet.Kind.SHARED else Kind.PEER),
            base_url=base_url,
            remote_set=remote_set,
            local_set=local,
            prefix=options["prefix"],
            identifiers=options["identifiers"],
            overlap_s=options["overlap"],
            strategy=options["strategy"],
            lateness_h=options["lateness"],
            at_once=options["at_once"],
            enabled=not options["disabled"] and options["kind"] not in (Kind.RECOVERY, Kind.BACKUP),
        )
        access_options.apply(link, options)
        _apply_schedule(link, options)
        if faults := new_link.find_faults(link):
            raise CommandError(
                gettext("The link was not added. {faults}").format(faults=_describe_faults(ValidationError(faults)))
            )
        self._check_prefix(link, gettext("The link was not added."))
        new_link.save(link)
        message = gettext("Link {name} added: {base_url} {remote_set} -> {local_set}").format(
            name=name, base_url=base_url, remote_set=remote_set or gettext("(everything)"), local_set=spec
        )
        self._print(link, options["json"], message)

    def _access(self, *, name: str, **options: Any) -> None:
        link = _get_link(name)
        changed = access_options.apply(link, options)
        if not changed:
            raise CommandError(gettext("Say what to change; `manage.py link access --help` has the options."))
        try:
            link.full_clean()
        except ValidationError as exc:
            raise CommandError(gettext("Nothing was changed. {faults}").format(faults=_describe_faults(exc))) from exc
        edit.save(link, changed)
        message = gettext("The access of {name} is changed: {access}").format(
            name=name, access=_as_text(link.describe_access())
        )
        self._print(link, options["json"], message)

    def _schedule(self, *, name: str, **options: Any) -> None:
        link = _get_link(name)
        if not _apply_schedule(link, options):
            raise CommandError(gettext("Say when to harvest it; `manage.py link schedule --help` has the options."))
        try:
            link.full_clean()
        except ValidationError as exc:
            raise CommandError(gettext("Nothing was changed. {faults}").format(faults=_describe_faults(exc))) from exc
        edit.save(link, SCHEDULE)
        next_due = link.next_due or seams.now()
        times = ", ".join(schedule_words.describe_next(link.schedule, next_due))
        message = gettext("{name} is harvested {schedule}; next: {times}").format(
            name=name,
            schedule=schedule_words.describe(link.schedule),
            times=times if link.enabled else gettext("by hand only"),
        )
        self._print(link, options["json"], message)

    def _identifiers(self, *, name: str, identifiers: str, **options: Any) -> None:
        link = _get_link(name)
        changed = link.identifiers != identifiers
        link.identifiers = identifiers
        if changed:
            edit.save(link, {"identifiers"})
        text = (
            gettext("Identifiers of {name}: {identifiers}; the next run asks for the whole list")
            if changed
            else gettext("Identifiers of {name}: {identifiers}; as before")
        )
        self._print(link, options["json"], text.format(name=name, identifiers=link.get_identifiers_display()))

    def _visible(self, *, name: str, to: str | None, **options: Any) -> None:
        link = _get_link(name)
        category = None if to is None else Category.objects.filter(name=to).first()
        if to is not None and category is None:
            known = ", ".join(Category.objects.values_list("name", flat=True)) or gettext("none")
            raise CommandError(
                gettext("There is no category {to!r}; there are: {known}. Nothing was changed.").format(
                    to=to, known=known
                )
            )
        link.category = category
        edit.save(link, {"category"})
        changed = visibility.settle_pending()
        who = visibility.describe(category)
        message = ngettext(
            "What {name} brings is seen by {who}; {changed} more record followed",
            "What {name} brings is seen by {who}; {changed} more records followed",
            changed,
        ).format(name=name, who=who, changed=changed)
        self._print(link, options["json"], message)

    def _list(self, **options: Any) -> None:
        links = list(status.with_last_run(Link.objects.all()))
        if options["json"]:
            self.stdout.write(json.dumps([_as_dict(link) for link in links], indent=2))
            return
        table = Table(
            gettext("link"),
            gettext("state"),
            gettext("base URL"),
            gettext("remote set"),
            gettext("local set"),
            gettext("schedule"),
            gettext("harvested to"),
        )
        for link in links:
            facts = _as_dict(link)
            table.add_row(
                link.name if link.enabled else gettext("{name} (disabled)").format(name=link.name),
                facts["state_text"],
                link.base_url,
                link.remote_set or gettext("(everything)"),
                link.local_set.spec,
                schedule_words.describe(link.schedule),
                facts["harvested_to"] or gettext("never"),
            )
        tables.console(self.stdout).print(table)
        for link in links:
            for todo in status.find_todos(link):
                self.stdout.write(f"{link.name}: {todo.text}")

    def _show(self, *, name: str, **options: Any) -> None:
        link = status.find(_get_link(name))
        facts = _as_dict(link)
        facts["todos"] = [todo.text for todo in status.find_todos(link)]
        facts["access"] = link.describe_access()
        facts["runs"] = [status.run_facts(run) for run in link.runs.all()[:10]]
        if options["json"]:
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
            return
        runs = facts.pop("runs")
        facts["remarks"] = [remark["text"] for remark in facts["remarks"]]
        for field, value in facts.items():
            self.stdout.write(f"{field}: {_as_text(value)}")
        for run in runs:
            message, warnings, _ = run.pop("message"), run.pop("warnings"), run.pop("outcome_data")
            self.stdout.write("run " + " ".join(f"{field}={value}" for field, value in run.items()) + f" {message}")
            for sentence in describe_warnings(warnings):
                self.stdout.write(f"  {gettext('warning: {sentence}').format(sentence=sentence)}")

    def _check(self, *, name: str, **options: Any) -> None:
        link = None if "://" in name else _get_link(name)
        base_url = link.base_url if link else name
        try:
            offer = probe.retrieve_info(
                base_url,
                remote_set=link.remote_set if link else "",
                access=link.access_to_own_provider() if link else None,
            )
        except HarvestError as exc:
            raise CommandError(f"{base_url}: {exc}") from exc
        faults = offer.faults(link.prefix, link.remote_set, link.identifiers) if link else []
        facts = {
            "base_url": base_url,
            "repository_name": offer.identity.repository_name,
            "protocol_version": offer.identity.protocol_version,
            "granularity": offer.identity.granularity.value,
            "deleted_record": offer.identity.deleted_record,
            "earliest_datestamp": offer.identity.earliest_datestamp,
            "clock_skew_s": round(offer.skew_s, 1),
            "formats": [f"{item.prefix} ({item.namespace})" for item in offer.formats],
            "sets": [item.spec for item in offer.sets] if not offer.sets_fault else offer.sets_fault,
            "iso_prefix": offer.iso_prefix,
            "sample": asdict(offer.sample),
            "friends": list(offer.identity.friends),
            "moved_to": offer.moved_to,
            "warnings": list(offer.warnings),
            "faults": faults,
        }
        if options["json"]:
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
        else:
            for field, value in facts.items():
                self.stdout.write(f"{field}: {_as_text(value)}")
        if faults:
            raise SystemExit(1)

    def _cancel(self, *, name: str, **options: Any) -> None:
        run = Run.objects.filter(link=_get_link(name), state=Run.State.OPEN).select_related("link").first()
        if run is None or not lifecycle.cancel(run):
            raise CommandError(gettext("No run of {name} is open.").format(name=name))
        run.refresh_from_db()
        if options["json"]:
            self.stdout.write(json.dumps(status.run_facts(run), indent=2))
        else:
            text = ngettext(
                "The run of {name} is cancelled. {number} entry was received; it stays.",
                "The run of {name} is cancelled. {number} entries were received; they stay.",
                run.received,
            )
            self.stdout.write(text.format(name=name, number=run.received))

    def _enable(self, *, name: str, **options: Any) -> None:
        try:
            changed = acts.enable(_get_link(name))
        except ActRefused as exc:
            raise CommandError(gettext("{name} stays disabled: {reason}").format(name=name, reason=exc)) from exc
        text = (
            gettext("{name} is harvested by its schedule.")
            if changed
            else gettext("{name} is harvested by its schedule already.")
        )
        self._print(_get_link(name), options["json"], text.format(name=name))

    def _disable(self, *, name: str, **options: Any) -> None:
        changed = acts.disable(_get_link(name))
        text = (
            gettext("{name} is harvested by hand only; what it stored stays.")
            if changed
            else gettext("{name} is harvested by hand only already.")
        )
        self._print(_get_link(name), options["json"], text.format(name=name))

    def _reset(self, *, name: str, to: str | None, **options: Any) -> None:
        try:
            since = datestamps.parse(to)[0] if to else None
            acts.reset(_get_link(name), since)
        except (ValueError, ActRefused) as exc:
            raise CommandError(gettext("{name} is not reset: {reason}.").format(name=name, reason=exc)) from exc
        text = (
            gettext("The next run of {name} asks again for all that has changed since {since}. Nothing is deleted.")
            if to
            else gettext("The next run of {name} asks again for the whole list. Nothing is deleted.")
        )
        self._print(_get_link(name), options["json"], text.format(name=name, since=to))

    def _alternative(self, *, name: str, relay: str, base_url: str, **options: Any) -> None:
        link = _get_link(name)
        last = link.alternatives.order_by("position").last()
        other = Alternative(
            link=link,
            position=last.position + 1 if last else 1,
            name=relay,
            base_url=base_url,
            prefix=options["prefix"] or link.prefix,
            remote_set=options["remote_set"] or link.remote_set,
        )
        hours = {"switch_after_h": options["switch_after"], "return_after_h": options["return_after"]}
        given = {field: value for field, value in hours.items() if value is not None}
        for field, value in given.items():
            setattr(link, field, value)
        try:
            other.full_clean()
            link.clean_fields(exclude={field.name for field in Link._meta.fields} - set(given))
        except ValidationError as exc:
            raise CommandError(
                gettext("The alternative was not added. {faults}").format(faults=_describe_faults(exc))
            ) from exc
        self._check_prefix(other, gettext("The alternative was not added."))
        other.save()
        link.save(update_fields=given)
        message = gettext("{name} can turn to {relay}: {base_url} {remote_set} (`link switch {name}`)").format(
            name=name, relay=relay, base_url=base_url, remote_set=other.remote_set
        )
        self._print(link, options["json"], message)

    def _switch(self, *, name: str, back: bool, **options: Any) -> None:
        link = _get_link(name)
        to = None if back else failover.next_alternative(link)
        if to is None and not back:
            raise CommandError(
                gettext("{name} has no other provider to turn to; add one in the admin.").format(name=name)
            )
        switched = failover.switch(link, to)
        served_by = str(to or gettext("its own provider"))
        if switched is None:
            raise CommandError(
                gettext("{name} is served by {served_by} already.").format(name=name, served_by=served_by)
            )
        message = gettext("{name} turns to {served_by}: {next_list}.").format(
            name=name, served_by=served_by, next_list=failover.describe_next_list(switched)
        )
        self._print(switched, options["json"], message)

    def _accept_move(self, *, name: str, **options: Any) -> None:
        link = _get_link(name)
        try:
            message = moved_address.accept(link, link.moved_to)
        except ActRefused as exc:
            raise CommandError(
                gettext("The base URL of {name} stays {base_url}: {reason}.").format(
                    name=name, base_url=link.base_url, reason=exc
                )
            ) from exc
        self._print(_get_link(name), options["json"], message)

    def _remove(self, *, name: str, **options: Any) -> None:
        link = _get_link(name)
        facts = _as_dict(link)
        link.delete()
        if options["json"]:
            self.stdout.write(json.dumps({"removed": facts}, indent=2))
        else:
            self.stdout.write(
                gettext("Link {name} removed; the records it brought stay in {local_set}.").format(
                    name=name, local_set=facts["local_set"]
                )
            )

    def _import(self, *, file: str, **options: Any) -> None:
        report = exchange.import_links(csv_files.read(file))
        csv_files.print_report(report, self.stdout, as_json=options["json"])

    def _export(self, *, file: str, **options: Any) -> None:
        csv_files.write(file, exchange.export_links(), self.stdout)

    def _check_prefix(self, provider: Link | Alternative, refusal: str) -> None:
        """Refuse a prefix whose records cannot be stored; warn where that cannot be known."""
        found = prefixes.check(provider)
        if found.fault:
            raise CommandError(f"{refusal} {found.fault}")
        if found.warning:
            self.stderr.write(gettext("warning: {sentence}").format(sentence=found.warning))

    def _print(self, link: Link, as_json: bool, message: str) -> None:
        self.stdout.write(json.dumps(_as_dict(link), indent=2) if as_json else message)


def _add_schedule_to(parser: ArgumentParser) -> None:
    often = parser.add_mutually_exclusive_group()
    often.add_argument(
        "--every", metavar="'6 hours'", help=gettext("counted from the start of the last run (default: 6 hours)")
    )
    often.add_argument("--daily", metavar="HH:MM", help=gettext("at this time of the day, UTC"))
    often.add_argument("--weekly", metavar="'Mon HH:MM'", help=gettext("on this day of the week, at this time, UTC"))
    often.add_argument("--interval", type=int, metavar="SECONDS", help=gettext("as --every, in seconds"))
    parser.add_argument(
        "--window",
        action="append",
        metavar="HH:MM-HH:MM",
        help=gettext(
            "run by schedule only in this part of the day, UTC; more than once for several, '' for the whole day"
        ),
    )


def _apply_schedule(link: Link, options: Mapping[str, Any]) -> bool:
    """Give the link the schedule of the options; False if there are none."""
    words = {
        "every": "{}",
        "daily": "daily at {}",
        "weekly": "weekly on {}",
        "interval": "every {} seconds",
    }
    given = next((words[name].format(options[name]) for name in words if options[name] is not None), None)
    windows = options["window"]
    try:
        found = schedule_words.read_rhythm(given) if given is not None else link.schedule
        if windows is not None:
            found = replace(found, windows=schedule_words.read_windows(",".join(filter(None, windows))))
        elif given is not None:
            found = replace(found, windows=link.schedule.windows)
    except ActRefused as exc:
        raise CommandError(as_sentence(str(exc))) from exc
    link.schedule = found
    return given is not None or windows is not None


def _describe_faults(exc: ValidationError) -> str:
    return "; ".join(f"{field}: {' '.join(texts)}" for field, texts in exc.message_dict.items())


def _as_text(value: object) -> object:
    if isinstance(value, dict):
        return "; ".join(f"{name} {item}" for name, item in value.items() if item) or gettext("none")
    return ", ".join(value) if isinstance(value, list) else value


def _get_link(name: str) -> Link:
    link = Link.objects.select_related("local_set").filter(name=name).first()
    if link is None:
        names = ", ".join(Link.objects.values_list("name", flat=True)) or gettext("none yet")
        raise CommandError(gettext("There is no link {name!r}; there are: {names}.").format(name=name, names=names))
    return link


def _as_dict(link: Link) -> dict[str, Any]:
    return {
        "name": link.name,
        **status.state_facts(link if hasattr(link, "newest_runs") else status.find(link)),
        "kind": link.kind,
        "base_url": link.base_url,
        "prefix": link.prefix,
        "identifiers": link.identifiers,
        "remote_set": link.remote_set,
        "local_set": link.local_set.spec,
        "enabled": link.enabled,
        "interval_s": link.interval_s,
        "schedule": schedule_words.write(link.schedule),
        "next_runs": _next_runs(link),
        "tells_address": link.is_told,
        "overlap_s": link.overlap_s,
        "strategy": link.strategy,
        "lateness_h": link.lateness_h,
        "at_once": link.at_once,
        "granularity": link.granularity,
        "harvested_to": link.harvested_to and datestamps.write(link.harvested_to),
        "next_due": link.next_due and datestamps.write(link.next_due),
        "failures": link.failures,
        "waits": _wait_of(link),
        "doubts": link.doubt_sentences,
        "size_is_estimate": link.size_is_estimate,
        "total_reharvest": link.get_content_days_display(),
        "reharvested": link.content_ended and datestamps.write(link.content_ended),
        "provider": failover.describe_relay(link) or gettext("its own"),
        "moved_to": link.moved_to,
        "way_back": failover.describe_return(link),
        "set": finish.describe_remote_set(link),
        "alternatives": [f"{other} {other.base_url} {other.remote_set}" for other in link.alternatives.all()],
        "switch_after_h": link.switch_after_h,
        "return_after_h": link.return_after_h,
    }


def _next_runs(link: Link) -> list[str]:
    """The times of the next three runs by schedule."""
    if not link.enabled:
        return []
    starts = next_starts(link.schedule, link.next_due or seams.now())
    return [datestamps.write(start.replace(microsecond=0)) for start in starts]


def _wait_of(link: Link) -> dict[str, object] | None:
    """Return what the link's open run waits for; None if it has none, or a worker works on it."""
    open_runs = queue.read_queue(seams.now())
    return next((queue.report_wait(run.pk, open_runs) for run in open_runs if run.link_id == link.pk), None)
