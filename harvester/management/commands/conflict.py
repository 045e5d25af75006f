"""manage.py conflict list|show|ask|keep|silence|hand-over|delete|take-over|undo: what providers and this node disagree about."""

import getpass
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import datestamps
from catalogue.management.base import BaseCommand
from harvester.errors import HarvestError
from harvester.guards import shared_set_backup
from harvester.links import conflict_acts, conflict_versions
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link

_ACTS = {
    "keep": (Act.LEAVE, _("keep ours; it comes up again when the provider's copy changes")),
    "silence": (Act.SILENCE, _("keep ours, whatever version the provider has of it later")),
    "hand-over": (Act.HAND_OVER, _("move a misplaced record to the provider's set")),
    "delete": (Act.WITHDRAW, _("delete the record here, too")),
    "take-over": (Act.TAKE_OVER, _("store the version that a co-owner of a shared set offers")),
}
_UNDO = "undo"
_LISTED = 200  # chosen: lines of a list that a person reads


class Command(BaseCommand):
    help = _("What providers and this node disagree about: look at it, settle it, undo that.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help=gettext("those that wait, the newest first"))
        listing.add_argument(
            "--settled", action="store_true", help=gettext("those that are settled: who, when and what")
        )
        _add_choice(listing)
        showing = actions.add_parser(
            "show", help=gettext("both versions, what can be done, and a text for the provider")
        )
        showing.add_argument("id", type=int)
        asking = actions.add_parser(
            "ask", help=gettext("ask the provider now what it has of the record; settles nothing")
        )
        asking.add_argument("id", type=int)
        helps = {name: str(text) for name, (_act, text) in _ACTS.items()} | {_UNDO: gettext("let it wait again")}
        for name, text in helps.items():
            acting = actions.add_parser(name, help=text)
            acting.add_argument("id", nargs="*", type=int, help=gettext("as `conflict list` has it"))
            _add_choice(acting)
            acting.add_argument(
                "--yes", action="store_true", help=gettext("do it; without, only say what would be done")
            )
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help=gettext("print JSON"))

    def handle(self, *, action: str, **options: Any) -> None:
        shared_set_backup.settle_outdated()
        if action in _ACTS:
            self._settle(_ACTS[action][0], **options)
        else:
            getattr(self, f"_{action}")(**options)

    def _list(self, *, settled: bool, **options: Any) -> None:
        rows = _choose(options, settled=settled)
        if options["json"]:
            self.stdout.write(json.dumps([_facts(row) for row in rows], ensure_ascii=False, indent=2))
            return
        for row in rows[:_LISTED]:
            self.stdout.write(
                gettext("{id} {kind} {link} since {day}: {identifier}").format(
                    id=row.pk,
                    kind=row.kind,
                    link=row.link.name,
                    day=f"{row.first_seen:%Y-%m-%d}",
                    identifier=row.identifier,
                )
            )
            self.stdout.write(f"    {row.reason_text}")
            if row.settled is not None:
                self.stdout.write(f"    {row.settled:%Y-%m-%d %H:%M} {row.settlement_text}")
        if not rows:
            self.stdout.write(gettext("None is settled.") if settled else gettext("None waits."))
        number = rows.count()
        if number > _LISTED:
            self.stdout.write(
                gettext("{number} more; choose by --link, --kind or --set.").format(number=number - _LISTED)
            )

    def _show(self, **options: Any) -> None:
        conflict = _get(options["id"])
        versions = conflict_versions.load(conflict)
        letter = conflict_versions.text_for_provider(conflict, versions, versions.compare())
        acts = {name: act for name, (act, _) in _ACTS.items() if act in conflict_acts.acts_of(conflict)}
        if options["json"]:
            facts = _facts(conflict) | {"acts": list(acts), "letter": letter}
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
            return
        self.stdout.write(letter)
        self.stdout.write("")
        if conflict.settled is not None:
            self.stdout.write(
                gettext("Settled {settled}: {settlement_text}").format(
                    settled=datestamps.write(conflict.settled), settlement_text=conflict.settlement_text
                )
            )
        for name, act in acts.items():
            self.stdout.write(f"conflict {name} {conflict.pk} --yes: {conflict_acts.plan(act, [conflict]).says()}")
        if conflict_acts.can_undo(conflict):
            self.stdout.write(gettext("conflict {act} {id} --yes: it waits again.").format(act=_UNDO, id=conflict.pk))

    def _ask(self, **options: Any) -> None:
        conflict = _get(options["id"])
        try:
            answer = conflict_versions.ask_provider(conflict)
        except HarvestError as exc:
            raise CommandError(
                gettext("The provider of {link} could not be asked: {reason}").format(link=conflict.link, reason=exc)
            ) from exc
        self.stdout.write(json.dumps({"answer": answer}) if options["json"] else answer)

    def _settle(self, act: Act, *, yes: bool, **options: Any) -> None:
        rows = _choose_some(options, settled=False)
        if not yes:
            plan = conflict_acts.plan(act, rows)
            self._say(len(plan.fitting), plan.says() if plan.fitting else "", plan.unfit, options)
            return
        self._report(conflict_acts.settle(act, _pks(rows), _user()), options)

    def _undo(self, *, yes: bool, **options: Any) -> None:
        rows = _choose_some(options, settled=True)
        if yes:
            self._report(conflict_acts.undo(_pks(rows)), options)
            return
        number = sum(conflict_acts.can_undo(row) for row in rows)
        says = gettext("They wait again, and our versions come back where an act has replaced them.")
        self._say(number, says, {}, options)

    def _say(self, number: int, says: str, unfit: Any, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps({"number": number, "says": says, "unfit": dict(unfit)}))
            return
        self.stdout.write(
            ngettext("{number} conflict. {says}", "{number} conflicts. {says}", number).format(number=number, says=says)
        )
        for reason, count in unfit.items():
            self.stdout.write(
                gettext("{count} would not be done, because {reason}.").format(count=count, reason=reason)
            )
        self.stdout.write(gettext("Nothing was done. Add --yes to do it."))

    def _report(self, outcome: conflict_acts.Outcome, options: dict[str, Any]) -> None:
        refused = [(conflict.pk, str(conflict), str(reason)) for conflict, reason in outcome.refused]
        if options["json"]:
            report = {"done": [row.pk for row in outcome.done], "refused": [pk for pk, _, _ in refused]}
            self.stdout.write(json.dumps(report))
        else:
            self.stdout.write(gettext("{number} done.").format(number=len(outcome.done)))
            for pk, name, reason in refused[:_LISTED]:
                self.stdout.write(
                    gettext("{id} {name}: not done, because {reason}.").format(id=pk, name=name, reason=reason)
                )
        if refused or (outcome.unknown and not outcome.done):
            raise SystemExit(1)


def _add_choice(parser: ArgumentParser) -> None:
    parser.add_argument("--link", help=gettext("only those of this link"))
    parser.add_argument("--kind", choices=Conflict.Kind.values, help=gettext("only those of this kind"))
    parser.add_argument("--set", help=gettext("only those of links into this set"))


def _choose(options: dict[str, Any], *, settled: bool) -> QuerySet[Conflict]:
    rows = Conflict.objects.filter(settled__isnull=not settled).select_related("link__local_set").defer("raw", "ours")
    if options["link"]:
        if not Link.objects.filter(name=options["link"]).exists():
            raise CommandError(gettext("There is no link {link!r}.").format(link=options["link"]))
        rows = rows.filter(link__name=options["link"])
    if options["kind"]:
        rows = rows.filter(kind=options["kind"])
    return rows.filter(link__local_set__spec=options["set"]) if options["set"] else rows


def _choose_some(options: dict[str, Any], *, settled: bool) -> QuerySet[Conflict]:
    """Return the conflicts that the command names, by id or by what they are. Raises CommandError if it names none."""
    if not (options["id"] or options["link"] or options["kind"] or options["set"]):
        raise CommandError(gettext("Say which: ids of `conflict list`, or --link, --kind or --set."))
    rows = _choose(options, settled=settled)
    return rows.filter(pk__in=options["id"]) if options["id"] else rows


def _pks(rows: QuerySet[Conflict]) -> list[int]:
    return list(rows.order_by("link_id", "pk").values_list("pk", flat=True))


def _get(pk: int) -> Conflict:
    rows = Conflict.objects.select_related("link__local_set", "link__serving").defer("ours")
    conflict = rows.filter(pk=pk).first()
    if conflict is None:
        raise CommandError(gettext("There is no conflict {id}; `conflict list` has them.").format(id=pk))
    return conflict


def _facts(conflict: Conflict) -> dict[str, Any]:
    return {
        "id": conflict.pk,
        "identifier": conflict.identifier,
        "kind": conflict.kind,
        "link": conflict.link.name,
        "set": conflict.link.local_set.spec,
        "reason": conflict.reason,
        "reason_text": conflict.reason_text,
        "metadata_date": conflict.metadata_date and datestamps.write(conflict.metadata_date),
        "first_seen": datestamps.write(conflict.first_seen),
        "last_seen": datestamps.write(conflict.last_seen),
        "settled": conflict.settled and datestamps.write(conflict.settled),
        "settlement": conflict.settlement,
        "settlement_text": conflict.settlement_text,
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "command line"
