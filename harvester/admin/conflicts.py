"""Admin pages of conflicts: a list of what waits, and a page of each with both versions and what can be done."""

from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import seams
from catalogue.admin.base import Admin, ReadOnly, breakable, coloured
from harvester.admin.reasons import SEARCH_HELP, ReasonFilter
from harvester.errors import HarvestError
from harvester.guards import shared_set_backup
from harvester.links import conflict_acts, conflict_versions
from harvester.links.conflict_acts import Act, Outcome
from harvester.models import Conflict
from harvester.monitoring.status import duration

_COLOURS = {"waits": "warning", "settled": "success"}
MAX_AT_ONCE = 5000  # chosen: conflicts that one request settles, within a minute
_NAMED = 20  # chosen: of the records and refusals that are told by name

LABELS: dict[Act, Any] = {
    Act.LEAVE: _("Keep ours"),
    Act.SILENCE: _("Keep ours, and do not ask again"),
    Act.HAND_OVER: _("Hand the record over to the provider's set"),
    Act.WITHDRAW: _("Delete the record here, too"),
    Act.TAKE_OVER: _("Take over the co-owner's version"),
}
_DONE = {
    Act.LEAVE: _("{number} left as they are."),
    Act.SILENCE: _("{number} silenced."),
    Act.HAND_OVER: _("{number} handed over to {sets}; the next run asks for the provider's version."),
    Act.WITHDRAW: _("{number} deleted here."),
    Act.TAKE_OVER: _("{number} taken over."),
}
KINDS = {
    Conflict.Kind.MISPLACED: _("misplaced"),
    Conflict.Kind.DIFFERS: _("differs"),
    Conflict.Kind.DISPUTED: _("deleted by one"),
    Conflict.Kind.VANISHED: _("no longer known"),
    Conflict.Kind.RENAMED: _("renamed"),
    Conflict.Kind.MASS: _("many deletions"),
    Conflict.Kind.TAKEN: _("identifier taken"),
    Conflict.Kind.OFFERED: _("newer at a co-owner"),
}
# Settled at once from a conflict's own page: nothing of a record changes.
_WITHOUT_QUESTION = (Act.LEAVE, Act.SILENCE)


def _age(conflict: Conflict) -> str:
    """Return how long ago a conflict was first seen, in words."""
    return duration((seams.now() - conflict.first_seen).total_seconds())


class StateFilter(admin.SimpleListFilter):
    """Filter by whether a conflict waits for a person, which is what the list is for, or is settled: the log."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("waits", gettext("waits for you")),
            ("settled", gettext("settled: the log")),
            ("all", gettext("waits, or settled")),
        ]

    def choices(self, changelist: Any) -> Any:
        chosen = self.value() or "waits"
        for value, title in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": chosen == value, "query_string": query, "display": title}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> QuerySet[Conflict]:
        chosen = self.value() or "waits"
        return queryset if chosen == "all" else queryset.filter(settled__isnull=chosen == "waits")


class AgeFilter(admin.SimpleListFilter):
    """Filter by how long ago a conflict was seen first."""

    title = _("age")
    parameter_name = "older"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("1", gettext("older than a day")),
            ("7", gettext("older than a week")),
            ("30", gettext("older than 30 days")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> QuerySet[Conflict]:
        days = self.value()
        if days is None or not days.isdecimal() or len(days) > 4:
            return queryset
        return queryset.filter(first_seen__lt=seams.now() - timedelta(days=int(days)))


class _Button(NamedTuple):
    """An act on the page of a conflict."""

    act: str
    label: str
    says: str
    is_confirmed: bool


@admin.register(Conflict)
class ConflictAdmin(ReadOnly, Admin):
    """Conflicts, read-only but for their acts. The record stays as its owner gives it meanwhile (promise 9)."""

    empty_words = _("Nothing waits for a decision. What a link and the catalogue disagree about comes here.")
    change_form_template = "admin/harvester/conflict/change_form.html"
    list_display = (
        "identifier_column",
        "kind_column",
        "link",
        "reason_column",
        "since_column",
        "state_column",
        "settlement_column",
    )
    list_filter = (StateFilter, "kind", ReasonFilter, "link__local_set", "link", AgeFilter)
    list_select_related = ("link__local_set",)
    sortable_by = ()
    search_fields = ("identifier", "reason", "reason_data")
    search_help_text = SEARCH_HELP
    actions = ("leave", "silence", "hand_over", "withdraw", "take_over", "undo")
    fieldsets = (
        (
            _("For the record"),
            {
                "fields": (
                    "identifier_column",
                    "kind_words",
                    "reason_column",
                    "digest_column",
                    "first_seen",
                    "last_seen",
                    "settled",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conflict]:
        found: QuerySet[Conflict] = super().get_queryset(request)
        return found.defer("raw", "ours")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show no conflict as waiting that is over."""
        shared_set_backup.settle_outdated()
        return super().changelist_view(request, extra_context)

    def get_list_display(self, request: HttpRequest) -> Any:
        """Leave out the columns that say nothing of what is listed."""
        state = request.GET.get("state") or "waits"
        unsaid = {"waits": ("state_column", "settlement_column"), "settled": ("state_column",)}.get(state, ())
        return [column for column in self.list_display if column not in unsaid]

    def get_actions(self, request: HttpRequest) -> Any:
        """Offer only what fits the conflicts that are listed, as far as the filters say what these are."""
        found = super().get_actions(request)
        kind, state = request.GET.get("kind__exact", ""), request.GET.get("state") or "waits"
        if request.method == "POST":
            return found
        if state == "settled":
            return {name: action for name, action in found.items() if name == "undo"}
        fitting = conflict_acts.acts_of_kind(kind)
        left_out = {act.value for act in Act if act not in fitting} | ({"undo"} if state == "waits" else set())
        return {name: action for name, action in found.items() if name not in left_out}

    # --- Columns -------------------------------------------------------------------------------------

    @admin.display(description=_("identifier"))
    def identifier_column(self, conflict: Conflict) -> str:
        return breakable(conflict.identifier)

    @admin.display(description=_("kind"))
    def kind_column(self, conflict: Conflict) -> str:
        return str(KINDS[Conflict.Kind(conflict.kind)])

    @admin.display(description=_("kind"))
    def kind_words(self, conflict: Conflict) -> str:
        return conflict.get_kind_display()

    @admin.display(description=_("since"))
    def since_column(self, conflict: Conflict) -> str:
        since = f"{conflict.first_seen:%Y-%m-%d %H:%M}"
        return gettext("{since} ({age} ago)").format(since=since, age=_age(conflict))

    @coloured(_COLOURS, description=_("state"))
    def state_column(self, conflict: Conflict) -> tuple[str, str]:
        return ("waits", gettext("waits for you")) if conflict.settled is None else ("settled", gettext("settled"))

    @admin.display(description=_("reason"))
    def reason_column(self, conflict: Conflict) -> str:
        return conflict.reason_text

    @admin.display(description=_("settled by whom, and when"))
    def settlement_column(self, conflict: Conflict) -> str:
        if conflict.settled is None:
            return ""
        return f"{conflict.settlement_text} {conflict.settled:%Y-%m-%d %H:%M} UTC"

    @admin.display(description=_("digest of the provider's version"))
    def digest_column(self, conflict: Conflict) -> str:
        return breakable(bytes(conflict.digest).hex()) if conflict.digest is not None else gettext("none: a deletion")

    # --- The page of a conflict ------------------------------------------------------------------------

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Show both versions, where they came from, how they differ, and what can be done."""
        rows = Conflict.objects.select_related("link__local_set", "link__serving").defer("ours")
        conflict = rows.filter(pk=object_id).first() if object_id.isdecimal() else None
        context: dict[str, Any] = dict(extra_context or {})
        if conflict is not None and self.has_view_permission(request, conflict):
            versions = conflict_versions.load(conflict)
            found = versions.compare()
            context |= {
                "age": _age(conflict),
                "title": conflict.identifier,
                "conflict": conflict,
                "versions": versions,
                "differences": found,
                "buttons": self._buttons(conflict, versions) if self.has_settle_permission(request) else [],
                "may_settle": self.has_settle_permission(request),
                "can_undo": conflict_acts.can_undo(conflict),
                "letter": conflict_versions.text_for_provider(conflict, versions, found),
                "action_checkbox_name": ACTION_CHECKBOX_NAME,
            }
        return super().change_view(request, object_id, form_url, context)

    @staticmethod
    def _buttons(conflict: Conflict, versions: conflict_versions.Versions) -> list[_Button]:
        """Return the acts that fit, each with what it will do."""
        found = []
        for act in conflict_acts.acts_of(conflict):
            if (
                act is Act.HAND_OVER
                and versions.ours is not None
                and (versions.ours.source or versions.ours.is_deleted)
            ):
                continue  # a centre of ours decides about it
            says = conflict_acts.plan(act, [conflict]).says()
            found.append(_Button(act.value, str(LABELS[act]), says, act in _WITHOUT_QUESTION))
        return found

    def get_urls(self) -> list[URLPattern]:
        own = path("<int:object_id>/ask/", self.admin_site.admin_view(self.ask_view), name="harvester_conflict_ask")
        return [own, *super().get_urls()]

    def ask_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Ask the provider now what it has of the record, and show it. Settles nothing."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        rows = Conflict.objects.select_related("link__local_set", "link__serving").defer("raw", "ours")
        conflict = get_object_or_404(rows, pk=object_id)
        if not self.has_settle_permission(request):
            raise PermissionDenied
        try:
            answer = conflict_versions.ask_provider(conflict)
        except HarvestError as exc:
            words = gettext("The provider of {link} could not be asked: {reason}").format(
                link=conflict.link, reason=exc
            )
            self.message_user(request, words, messages.ERROR)
        else:
            self.message_user(request, answer, messages.INFO)
        return redirect("admin:harvester_conflict_change", object_id)

    # --- Acts ------------------------------------------------------------------------------------------

    def has_settle_permission(self, request: HttpRequest) -> bool:
        """Users who may change links may settle their conflicts; so may those who may change conflicts alone."""
        return request.user.has_perm("harvester.change_conflict") or request.user.has_perm("harvester.change_link")

    @admin.action(description=LABELS[Act.LEAVE], permissions=["settle"])
    def leave(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        return self._act(request, queryset, Act.LEAVE)

    @admin.action(description=LABELS[Act.SILENCE], permissions=["settle"])
    def silence(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        return self._act(request, queryset, Act.SILENCE)

    @admin.action(description=LABELS[Act.HAND_OVER], permissions=["settle"])
    def hand_over(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        return self._act(request, queryset, Act.HAND_OVER)

    @admin.action(description=LABELS[Act.WITHDRAW], permissions=["settle"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        return self._act(request, queryset, Act.WITHDRAW)

    @admin.action(description=LABELS[Act.TAKE_OVER], permissions=["settle"])
    def take_over(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        return self._act(request, queryset, Act.TAKE_OVER)

    @admin.action(description=_("Undo, and let it wait again"), permissions=["settle"])
    def undo(self, request: HttpRequest, queryset: QuerySet[Conflict]) -> HttpResponse | None:
        """Ask what to undo, then undo it."""
        number = queryset.count()
        if not self._is_confirmed(request, number):
            says = gettext(
                "They wait for a decision again. Where a record was moved, deleted or replaced, our version comes back, "
                "unless the record has changed since: then nothing is done, and you are told so."
            )
            undoable = [conflict for conflict in queryset[:MAX_AT_ONCE] if conflict_acts.can_undo(conflict)]
            unfit = (
                {gettext("no act of a person has settled it"): number - len(undoable)} if number > len(undoable) else {}
            )
            return self._ask(request, "undo", gettext("Undo"), says, undoable, unfit, number)
        outcome = conflict_acts.undo(self._chosen(queryset))
        self._report(request, outcome, gettext("{number} wait again.").format(number=len(outcome.done)))
        return None

    def _act(self, request: HttpRequest, queryset: QuerySet[Conflict], act: Act) -> HttpResponse | None:
        """Say what will happen, with counts; do it when that is confirmed."""
        number = queryset.count()
        if not self._is_confirmed(request, number):
            rows = queryset.select_related("link__local_set")[:MAX_AT_ONCE]
            plan = conflict_acts.plan(act, rows)
            label, says = str(LABELS[act]), plan.says() if plan.fitting else ""
            return self._ask(request, act.value, label, says, plan.fitting, plan.unfit, number)
        outcome = conflict_acts.settle(act, self._chosen(queryset), request.user.get_username())
        sets = ", ".join(sorted({conflict.link.local_set.spec for conflict in outcome.done}))
        self._report(request, outcome, str(_DONE[act]).format(number=len(outcome.done), sets=sets))
        return None

    @staticmethod
    def _chosen(queryset: QuerySet[Conflict]) -> list[int]:
        return list(queryset.order_by("link_id", "pk").values_list("pk", flat=True)[:MAX_AT_ONCE])

    def _is_confirmed(self, request: HttpRequest, number: int) -> bool:
        """Whether the question was answered, and is still about as many conflicts."""
        if "confirmed" not in request.POST:
            return False
        if "select_across" in request.POST and request.POST.get("number", str(number)) != str(number):
            words = gettext("The number of conflicts is {number} by now, so nothing was done. Look again.")
            self.message_user(request, words.format(number=number), messages.WARNING)
            return False
        return True

    def _ask(
        self,
        request: HttpRequest,
        action: str,
        label: str,
        says: str,
        fitting: Any,
        unfit: dict[str, int] | Any,
        number: int,
    ) -> HttpResponse:
        across = request.POST.get("select_across", "0") == "1"
        context = {
            "title": label,
            "opts": Conflict._meta,
            "action": action,
            "label": label,
            "says": says,
            "fitting": fitting[:_NAMED],
            "number": len(fitting),
            "more": max(0, len(fitting) - _NAMED),
            "unfit": unfit.items(),
            "left_over": max(0, number - MAX_AT_ONCE),
            "most": MAX_AT_ONCE,
            "all_chosen": number,
            "across": across,
            "chosen": () if across else request.POST.getlist(ACTION_CHECKBOX_NAME),
            "action_checkbox_name": ACTION_CHECKBOX_NAME,
        }
        page = {**self.admin_site.each_context(request), **context}
        return TemplateResponse(request, "admin/harvester/conflict/act.html", page)

    def _report(self, request: HttpRequest, outcome: Outcome, done: str) -> None:
        """Say what was done, where to undo it, and what was not done and why."""
        if outcome.done:
            names = ", ".join(str(conflict) for conflict in outcome.done[:3])
            if len(outcome.done) > 3:
                names = gettext("{names} and {number} more").format(names=names, number=len(outcome.done) - 3)
            told = format_html(
                '{} <a class="text-link" href="{}?state=settled">{}</a> ({})',
                done,
                reverse("admin:harvester_conflict_changelist"),
                gettext("The log of what is settled, with undo"),
                names,
            )
            self.message_user(request, told, messages.SUCCESS)
        for conflict, reason in outcome.refused[:_NAMED]:
            words = gettext("{conflict}: not done, because {exc}.").format(conflict=conflict, exc=reason)
            self.message_user(request, words, messages.ERROR)
        left = len(outcome.refused) - _NAMED
        if left > 0:
            words = ngettext("{number} more was not done.", "{number} more were not done.", left).format(number=left)
            self.message_user(request, words, messages.ERROR)
        if outcome.unknown or not (outcome.done or outcome.refused):
            words = gettext("What is settled already, or has been settled meanwhile, was left alone.")
            self.message_user(request, words, messages.WARNING)
