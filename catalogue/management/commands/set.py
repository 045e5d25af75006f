"""manage.py set list|add|include|exclude|search|move|stop-feeding|category|visible: add sets, say what virtual sets are made of, move
records, say who sees them; list the sets."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from rich.table import Table

from catalogue import acting, oai
from catalogue.discovery import set_searches as set_searches_of_people
from catalogue.management import progress, tables
from catalogue.management.base import BaseCommand
from catalogue.models import Category, MetadataSet, Record
from catalogue.reading import lists, stats
from catalogue.reasons import ActRefused
from catalogue.writing import decisions, set_changes, set_inclusion, set_searches, store, uploads, visibility
from catalogue.writing.set_changes import Foreseen

_FOR_PROGRAMS = "rejects"  # of the report: the rejected with codes and facts, in JSON only
# What a report calls its parts; programs get the keys.
_TITLES = {
    "set": gettext_noop("set"),
    "name": gettext_noop("name"),
    "kind": gettext_noop("kind"),
    "made of": gettext_noop("made of"),
    "found": gettext_noop("found"),
    "added": gettext_noop("added"),
    "deleted": gettext_noop("deleted"),
    "unchanged": gettext_noop("unchanged"),
    "category": gettext_noop("category"),
    "signed-in people": gettext_noop("signed-in people"),
    "records": gettext_noop("records"),
    "changed": gettext_noop("changed"),
    "seen by": gettext_noop("seen by"),
    "moved": gettext_noop("moved"),
    "rejected": gettext_noop("rejected"),
    "fed by uploads": gettext_noop("fed by uploads"),
}
_KINDS = (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED, MetadataSet.Kind.VIRTUAL)


def _rows() -> Iterator[dict[str, Any]]:
    """Describe each set, with all its records: as JSON values."""
    counted = stats.by_set(with_hidden=True)
    sets = MetadataSet.objects.select_related("category", "search").prefetch_related("inclusions__child")
    for row in sorted(sets, key=lists.order_of_set):
        search = getattr(row, "search", None)
        yield {
            "set": row.spec,
            "name": row.name,
            "kind": str(row.kind),
            "live": counted[row.spec]["live"],
            "deleted": counted[row.spec]["deleted"],
            "newest": counted[row.spec]["newest"],
            "made_of": sorted(inclusion.child.spec for inclusion in row.inclusions.all()),
            "search": "" if search is None else str(search),
            "listed": row.public,
            "category": "" if row.category is None else row.category.name,
            "fed_by_uploads": row.fed_here,
        }


class Command(BaseCommand):
    help = _(
        "Add sets, make virtual sets of others, move records of this node between its own and shared sets; list all sets."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser(
            "list", help=gettext("all sets: their kinds, records, what virtual ones are made of, who sees them")
        )
        add = actions.add_parser("add", help=gettext("add a set, and its ancestors where they are missing"))
        add.add_argument("spec", metavar="SPEC")
        add.add_argument("--name", default="", help=gettext("setName (default: the setSpec)"))
        add.add_argument("--kind", choices=[str(kind) for kind in _KINDS], default=str(MetadataSet.Kind.PEER))
        for action, what in (
            ("include", gettext("show these sets in a virtual set")),
            ("exclude", gettext("no longer show them")),
        ):
            change = actions.add_parser(action, help=what)
            change.add_argument("virtual", metavar="VIRTUAL")
            change.add_argument("members", nargs="+", metavar="SPEC")
            change.add_argument(
                "--dry-run",
                action="store_true",
                help=gettext("only say what harvesters of the virtual set would see of it"),
            )
        search = actions.add_parser(
            "search", help=gettext("define a virtual set by a search: it has the records that the search finds")
        )
        search.add_argument("virtual", metavar="VIRTUAL")
        search.add_argument(
            "--search",
            dest="address",
            default="",
            metavar="ADDRESS",
            help=gettext("of a search on the public page, or its arguments, or words"),
        )
        search.add_argument(
            "--filter",
            dest="filter_text",
            default="",
            metavar="CQL2",
            help=gettext("a filter in CQL2 text, as /ogcapi/ takes it"),
        )
        search.add_argument(
            "--none", action="store_true", help=gettext("take the search away: its records leave the set")
        )
        search.add_argument(
            "--dry-run", action="store_true", help=gettext("only say what harvesters of the set would see of it")
        )
        move = actions.add_parser("move", help=gettext("move records of this node to another set: own or shared"))
        move.add_argument("into", metavar="SPEC")
        move.add_argument("identifiers", nargs="+", metavar="IDENTIFIER")
        move.add_argument("--reason", default="", metavar="TEXT", help=gettext("why, for the history of the records"))
        category = actions.add_parser(
            "category", help=gettext("add a category of records that not everybody sees, or change it")
        )
        category.add_argument("name", metavar="CATEGORY")
        category.add_argument("--description", default="")
        category.add_argument(
            "--harvesters-only", action="store_true", help=gettext("not for people who are signed in either")
        )
        visible = actions.add_parser("visible", help=gettext("say who sees the records of a set, or single records"))
        visible.add_argument("spec", metavar="SPEC", help=gettext("the set, or - for single records"))
        visible.add_argument("identifiers", nargs="*", metavar="IDENTIFIER")
        to = visible.add_mutually_exclusive_group(required=True)
        to.add_argument("--to", metavar="CATEGORY", help=gettext("whoever may see this category"))
        to.add_argument("--to-everybody", action="store_true")
        to.add_argument(
            "--unlisted", action="store_true", help=gettext("leave the set out of ListSets, with what is in it alone")
        )
        to.add_argument("--listed", action="store_true", help=gettext("name the set in ListSets"))
        visible.add_argument(
            "--dry-run", action="store_true", help=gettext("say how many records it is about, and change nothing")
        )
        stop = actions.add_parser(
            "stop-feeding", help=gettext("say that nothing is uploaded here into a shared set any more")
        )
        stop.add_argument("spec", metavar="SPEC")
        for sub in actions.choices.values():
            sub.add_argument("--json", dest="as_json", action="store_true", help=gettext("print JSON"))

    def handle(self, *, action: str, as_json: bool, **options: Any) -> None:
        if action == "list":
            self._list(as_json=as_json)
            return
        try:
            report = _ACTIONS[action](options)
        except ValidationError as exc:
            raise CommandError(" ".join(exc.messages)) from exc
        except ActRefused as exc:
            raise CommandError(gettext("{reason}. Nothing was changed.").format(reason=exc)) from exc
        self._print(report, as_json=as_json)
        if report.get("rejected"):
            raise SystemExit(1)

    def _list(self, *, as_json: bool) -> None:
        rows = list(_rows())
        if as_json:
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
            return
        table = Table(
            gettext("set"), gettext("kind"), gettext("live"), gettext("deleted"), gettext("made of"), gettext("seen by")
        )
        for row in rows:
            made_of = [*row["made_of"], *([row["search"]] if row["search"] else [])]
            seen_by = row["category"] or gettext("everybody")
            table.add_row(
                row["set"],
                row["kind"],
                f"{row['live']:,}",
                f"{row['deleted']:,}",
                ", ".join(made_of) or "-",
                seen_by if row["listed"] else gettext("{who}; not listed").format(who=seen_by),
            )
        tables.console(self.stdout).print(table)

    def _print(self, report: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            lines = (f"{gettext(_TITLES[name])}: {value}" for name, value in report.items() if name != _FOR_PROGRAMS)
            self.stdout.write(", ".join(lines))


def _find_set(spec: str) -> MetadataSet:
    found = MetadataSet.objects.filter(spec=spec).first()
    if found is None:
        known = ", ".join(MetadataSet.objects.values_list("spec", flat=True))
        raise CommandError(gettext("There is no set {spec!r}; there are: {known}.").format(spec=spec, known=known))
    return found


def _add(options: dict[str, Any]) -> dict[str, Any]:
    added = set_inclusion.ensure_set(options["spec"], name=options["name"], kind=options["kind"])
    is_other = (options["name"] or added.name) != added.name
    if is_other or (options["kind"] != MetadataSet.Kind.PEER and options["kind"] != added.kind):
        raise CommandError(
            gettext(
                "The set {spec} is there already, of the kind {kind}, with the name {name!r}. Nothing was changed; "
                "the administration changes names."
            ).format(spec=added.spec, kind=added.kind, name=added.name)
        )
    return {"set": added.spec, "name": added.name, "kind": added.kind}


def _include(options: dict[str, Any]) -> dict[str, Any]:
    virtual, members = _find_set(options["virtual"]), [_find_set(spec) for spec in options["members"]]
    foreseen = set_changes.foresee_include(virtual, members)
    if not options["dry_run"]:
        with progress.progress_bar(gettext("include"), foreseen.moved + foreseen.stay) as advance:
            set_inclusion.include(virtual, members, advance=advance)
    return _members_report(virtual, foreseen)


def _exclude(options: dict[str, Any]) -> dict[str, Any]:
    virtual, members = _find_set(options["virtual"]), [_find_set(spec) for spec in options["members"]]
    foreseen = set_changes.foresee_exclude(virtual, members)
    if not options["dry_run"]:
        with progress.progress_bar(gettext("exclude"), foreseen.moved + foreseen.stay) as advance:
            set_inclusion.exclude(virtual, members, advance=advance)
    return _members_report(virtual, foreseen)


def _search(options: dict[str, Any]) -> dict[str, Any]:
    virtual = _find_set(options["virtual"])
    address, filter_text = options["address"], options["filter_text"]
    if options["none"] and (address or filter_text):
        raise CommandError(gettext("Give a search, or --none. Nothing was changed."))
    defined = None if options["none"] else set_searches_of_people.read(address, filter_text)
    condition = None if defined is None else defined.condition
    foreseen = set_searches.foresee(virtual, condition)
    if not options["dry_run"]:
        texts = {} if defined is None else {"address": defined.address, "filter_text": defined.filter_text}
        change = set_searches.begin(virtual, condition, **texts)
        if change is not None:
            with progress.progress_bar(gettext("search"), change.total) as advance:
                set_changes.go_on(change, advance=advance)
    return {
        "set": virtual.spec,
        "found": foreseen.added + foreseen.stay,
        "added": foreseen.added,
        "deleted": foreseen.deleted,
        "unchanged": foreseen.stay,
    }


def _members_report(virtual: MetadataSet, foreseen: Foreseen) -> dict[str, Any]:
    """Make the report: the members now, and in how many records the lists of the virtual set change, or would change."""
    return {
        "set": virtual.spec,
        "made of": list(virtual.inclusions.values_list("child__spec", flat=True)),
        "added": foreseen.added,
        "deleted": foreseen.deleted,
        "unchanged": foreseen.stay,
    }


def _category(options: dict[str, Any]) -> dict[str, Any]:
    found = Category.objects.filter(name=options["name"]).first() or Category(name=options["name"])
    found.signed_in = not options["harvesters_only"]
    found.description = options["description"] or found.description
    found.full_clean()
    found.save()
    return {"category": found.name, "signed-in people": found.signed_in}


def find_category(name: str) -> Category:
    """Return the category with this name. Raises CommandError."""
    found = Category.objects.filter(name=name).first()
    if found is None:
        known = ", ".join(Category.objects.values_list("name", flat=True)) or gettext("none")
        raise CommandError(
            gettext("There is no category {name!r}; there are: {known}. `manage.py set category` adds one.").format(
                name=name, known=known
            )
        )
    return found


def _visible(options: dict[str, Any]) -> dict[str, Any]:
    category = find_category(options["to"]) if options["to"] else None
    is_about_listing = options["unlisted"] or options["listed"]
    if options["spec"] == "-":
        if is_about_listing or not options["identifiers"]:
            raise CommandError(gettext("Name the records after -, and --to CATEGORY or --to-everybody."))
        return _visible_records(options["identifiers"], category, dry_run=options["dry_run"])
    if options["identifiers"]:
        raise CommandError(gettext("Write - instead of the set to say it of single records."))
    found = _find_set(options["spec"])
    live = visibility.count_live(found)
    if options["dry_run"]:
        return {"set": found.spec, "records": live, "changed": 0}
    if is_about_listing:
        found.public = options["listed"]
    else:
        found.category = category
    found.save(update_fields=["public", "category"])
    changed = visibility.settle_pending()
    return {"set": found.spec, "seen by": visibility.describe(found.category), "records": live, "changed": changed}


def _visible_records(identifiers: list[str], category: Category | None, *, dry_run: bool) -> dict[str, Any]:
    known = Record.objects.filter(key__in=[oai.oai_identifier(each) for each in identifiers], deleted=False).count()
    changed = 0 if dry_run else visibility.restrict_records(identifiers, category)
    return {"seen by": visibility.describe(category), "records": known, "changed": changed}


def _move(options: dict[str, Any]) -> dict[str, Any]:
    into = _find_set(options["into"])
    uploads.check_move(into)
    with acting.acting(reason=options["reason"]):
        results = store.move(options["identifiers"], into=into)
    rejects = [result for result in results if result.action is decisions.Action.REJECTED]
    moved = sum(result.action is decisions.Action.UPDATED for result in results)
    return {
        "moved": moved,
        "unchanged": len(results) - moved - len(rejects),
        "rejected": [f"{reject.identifier} {reject.reason}" for reject in rejects],
        _FOR_PROGRAMS: [reject.report() for reject in rejects],
    }


def _stop_feeding(options: dict[str, Any]) -> dict[str, Any]:
    found = _find_set(options["spec"])
    uploads.stop_feeding(found)
    return {"set": found.spec, "fed by uploads": False}


_ACTIONS = {"add": _add, "include": _include, "exclude": _exclude, "move": _move, "stop-feeding": _stop_feeding}
_ACTIONS |= {"category": _category, "visible": _visible, "search": _search}
