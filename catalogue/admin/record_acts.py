"""What a person does to records: each act with a page that says first how many and what will happen, and the function that does it.

The rules are those of the functions that the command line calls; a page asks the same functions what they would do.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import acting
from catalogue.limits import Replaceable
from catalogue.models import MetadataSet, Record
from catalogue.reasons import ActRefused
from catalogue.writing import staging, store, uploads
from catalogue.writing.decisions import Action, Result

_NAMED = 20  # chosen: identifiers that a page lists of each kind
LONGEST_REASON = 500  # chosen: characters


@dataclass(frozen=True, slots=True)
class RecordActLimits:
    """How many records an act takes."""

    most: int = 5000  # chosen: as many as are looked at and done within some seconds


LIMITS = Replaceable(RecordActLimits())


@dataclass(frozen=True, slots=True)
class BulkAct:
    """An act on one or many records. `needs_reason`: nothing is done without one. `into`: what the choice of a set means."""

    name: str
    label: str | Promise
    says: str | Promise
    needs_reason: bool
    into: str | Promise
    into_is_needed: bool


ACTS = {
    act.name: act
    for act in (
        BulkAct(
            "withdraw",
            _("Withdraw"),
            _(
                "Withdrawn records are deleted in all lists, and harvesters are told so. Their former versions stay for a while: "
                "restoring one brings a record back."
            ),
            needs_reason=True,
            into=_("Only from this set"),
            into_is_needed=False,
        ),
        BulkAct(
            "move",
            _("Move to another set"),
            _(
                "Moved records are deleted in the lists of their old set, and new in those of the other. Their content stays; they can be "
                "moved back."
            ),
            needs_reason=False,
            into=_("Into the set"),
            into_is_needed=True,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Group:
    """Records of which the same becomes. `is_done`: the act changes them. `named`: the first of them, with the reason. `advice`: what to do instead."""

    words: str
    is_done: bool
    number: int
    named: list[Result]
    advice: str = ""


def _words(act: BulkAct, result: Result) -> tuple[bool, str]:
    """Say what becomes of a record, and whether the act changes it."""
    if result.action is Action.REJECTED:
        return False, gettext("stay as they are: not allowed here")
    if result.is_live_elsewhere:
        return True, gettext("stay live with the version of another source, as you withdraw yours")
    if result.action is Action.UNCHANGED:
        return False, gettext("are so already")
    return True, gettext("will be withdrawn") if act.name == "withdraw" else gettext("will be moved")


def _groups(act: BulkAct, results: Sequence[Result]) -> list[Group]:
    """Group what becomes of records, what is done first."""
    found: dict[tuple[bool, str], list[Result]] = {}
    for result in results:
        found.setdefault(_words(act, result), []).append(result)
    return [
        Group(words, is_done, len(group), group[:_NAMED], _advice(group[0]))
        for (is_done, words), group in sorted(found.items(), key=lambda item: (not item[0][0], item[0][1]))
    ]


def _advice(result: Result) -> str:
    """Say what to do instead where a record is not this node's to change."""
    if result.action is not Action.REJECTED:
        return ""
    return gettext(
        "What came by a link is its centre's: ask the centre to change or delete it, and the next harvest brings that; where the two "
        "disagree, settle the conflict. What was put into a peer's set here is withdrawn from that set: choose it above."
    )


def _look(act: BulkAct, identifiers: Sequence[str], into: MetadataSet | None, *, dry_run: bool) -> list[Result]:
    """Do an act in batches, so that no writer waits for long, or only return what it would do. Raises ActRefused."""
    if act.name == "move":
        assert into is not None, "the page asks for it"
        uploads.check_move(into)
    results: list[Result] = []
    for first in range(0, len(identifiers), staging.BATCH):
        batch = identifiers[first : first + staging.BATCH]
        if act.name == "withdraw":
            results += store.withdraw(batch, only_from=into, dry_run=dry_run)
        elif into is not None:
            results += store.plan_move(batch, into=into) if dry_run else store.move(batch, into=into)
    return results


def sets_for(act: BulkAct) -> list[MetadataSet]:
    """The sets that a person may choose among."""
    kinds = [MetadataSet.Kind.OWN, MetadataSet.Kind.SHARED]
    if act.name == "withdraw":
        kinds.append(MetadataSet.Kind.PEER)
    return list(MetadataSet.objects.filter(kind__in=kinds).order_by("spec"))


class RecordActs:
    """The actions of the list, and the page that says what an act will do, and does it when that is confirmed."""

    message_user: Any
    admin_site: Any
    opts: Any

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether this account may act on records. No form changes one, so it is no `has_change_permission`."""
        return request.user.has_perm("catalogue.change_record")

    @admin.action(description=_("Withdraw ..."), permissions=["act"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse:
        return self._of_list(request, queryset, ACTS["withdraw"])

    @admin.action(description=_("Move to another set ..."), permissions=["act"])
    def move(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse:
        return self._of_list(request, queryset, ACTS["move"])

    def _of_list(self, request: HttpRequest, queryset: QuerySet[Record], act: BulkAct) -> HttpResponse:
        most = LIMITS.in_force.most
        pks = list(queryset.order_by().values_list("pk", flat=True)[: most + 1])
        if len(pks) > most:
            words = gettext("More than {most:,} records match, and so many go at a time. Narrow the list by a filter.")
            self.message_user(request, words.format(most=most), messages.ERROR)
            return redirect(request.get_full_path())
        return self._page(request, act, pks)

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """Say what an act will do to the records `chosen`; by POST with `confirm`, do it."""
        if not self.has_act_permission(request):
            raise PermissionDenied
        act, pks = ACTS.get(name), _chosen(request.POST.get("chosen") or request.GET.get("chosen", ""))
        if act is None or not pks:
            self.message_user(request, gettext("No records were chosen."), messages.WARNING)
            return redirect("admin:catalogue_record_changelist")
        return self._page(request, act, pks)

    def _page(self, request: HttpRequest, act: BulkAct, pks: list[int]) -> HttpResponse:
        identifiers = list(Record.objects.filter(pk__in=pks).order_by("key").values_list("identifier", flat=True))
        sets = sets_for(act)
        asked = request.POST if request.method == "POST" else request.GET
        into = next((each for each in sets if str(each.pk) == asked.get("into")), None)
        reason = asked.get("reason", "").strip()[:LONGEST_REASON]
        results, refused = [], ""
        if into is not None or not act.into_is_needed:
            try:
                results = _look(act, identifiers, into, dry_run=True)
            except ActRefused as exc:
                refused = str(exc)
        groups = _groups(act, results)
        doing = sum(group.number for group in groups if group.is_done)
        is_confirmed = request.method == "POST" and "confirm" in request.POST
        lacks_reason = is_confirmed and act.needs_reason and not reason
        if is_confirmed and doing and not lacks_reason:
            return self._do(request, act, pks, identifiers, into, reason)
        context = {
            "title": act.label,
            "act": act,
            "opts": self.opts,
            "chosen": ",".join(map(str, pks)),
            "number": len(identifiers),
            "identifiers": identifiers[:_NAMED],
            "sets": sets,
            "into": into,
            "reason": reason,
            "groups": groups,
            "doing": doing,
            "refused": refused,
            "lacks_reason": lacks_reason,
            "lacks_set": act.into_is_needed and into is None,
            "longest_reason": LONGEST_REASON,
            "back": reverse("admin:catalogue_record_change", args=pks)
            if len(pks) == 1
            else reverse("admin:catalogue_record_changelist"),
        }
        return TemplateResponse(
            request, "admin/catalogue/record/act.html", {**self.admin_site.each_context(request), **context}
        )

    def _do(
        self,
        request: HttpRequest,
        act: BulkAct,
        pks: list[int],
        identifiers: list[str],
        into: MetadataSet | None,
        reason: str,
    ) -> HttpResponse:
        try:
            with acting.acting(reason=reason):
                results = _look(act, identifiers, into, dry_run=False)
        except ActRefused as exc:
            self.message_user(request, gettext("Nothing was changed: {why}.").format(why=exc), messages.ERROR)
            return redirect("admin:catalogue_record_changelist")
        self.message_user(request, _summary(act, results, into, reason), messages.SUCCESS)
        for result in [each for each in results if each.action is Action.REJECTED][:_NAMED]:
            self.message_user(request, f"{result.identifier} {result.reason}", messages.WARNING)
        if len(pks) == 1:
            return redirect("admin:catalogue_record_change", pks[0])
        return redirect("admin:catalogue_record_changelist")


def _summary(act: BulkAct, results: Sequence[Result], into: MetadataSet | None, reason: str) -> str:
    """Say what was done, for the person and for the audit log."""
    counts = Counter(_words(act, result)[0] for result in results)
    if act.name == "withdraw":
        words = ngettext("{number} record was withdrawn", "{number:,} records were withdrawn", counts[True])
    else:
        words = ngettext("{number} record was moved to {set}", "{number:,} records were moved to {set}", counts[True])
    text = words.format(number=counts[True], set=into)
    if counts[False]:
        text += gettext("; {number:,} stay as they were").format(number=counts[False])
    if reason:
        text += gettext(". Reason: {reason}").format(reason=reason)
    return text


def _chosen(text: str) -> list[int]:
    """Read the keys of the chosen records, no more than an act takes."""
    parts = [part for part in text.split(",") if part.isdecimal() and len(part) < 19]
    return [int(part) for part in parts[: LIMITS.in_force.most]]
