"""What an operator does to links: each act with its button, what it will do in a sentence, and the function that does it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from kombu.exceptions import OperationalError

from catalogue import datestamps
from catalogue.reasons import ActRefused, describe_error
from harvester import tasks
from harvester.admin import runs
from harvester.admin.link_columns import overview_of
from harvester.links import acts, edit, failover
from harvester.models import Alternative, Link, Run
from harvester.monitoring import status
from harvester.rows import moved_address
from harvester.runs import lifecycle

_MUTE_H = 24  # chosen


@dataclass(frozen=True, slots=True)
class Act:
    """A button. `says`: what it will do. `is_apart`: it costs much, or is not easily undone: it is confirmed first."""

    name: str
    label: str
    says: str
    is_apart: bool = False
    has_time: bool = False  # it takes a time


def acts_of(link: Link) -> Iterator[Act]:
    """What can be done to a link that came from `status.with_last_run` now: the everyday acts first, then those apart."""
    overview = overview_of(link)
    number = max(overview.here, overview.there or 0)
    about = {"about": _(" (about %(number)s)") % {"number": f"{number:,}"} if number else ""}
    since = f"{link.harvested_to:%Y-%m-%d %H:%M} UTC" if link.harvested_to else ""
    if overview.open_run is None:
        says = _("Asks the provider now for what has changed since %(since)s.") % {"since": since}
        yield Act(
            "run", _("Run now"), says if since else _("Asks the provider now for its whole list: none is complete yet.")
        )
        says = _(
            "Asks for all headers%(about)s and fetches what differs. Nothing is deleted unless the provider says so."
        )
        yield Act("compare", _("Compare everything"), says % about)
    else:
        yield Act(
            "cancel",
            _("Cancel the open run"),
            _("Ends the run now. What it has stored stays; the next run asks for the rest."),
        )
    if link.is_muted(overview.now):
        until = f"{link.muted_until:%Y-%m-%d %H:%M} UTC"
        says = _("Its problems are told again, and people alerted. Until then nobody is, up to %(until)s.")
        yield Act("unmute", _("End mute"), says % {"until": until})
    elif overview.state.key in status.IN_NEED:
        says = _("For 24 hours its problems are on this page alone, and nobody is alerted.")
        yield Act("mute", _("Mute 24 h"), says)
    if not link.enabled:
        says = _("The link is harvested by its schedule again, from where it stopped.")
        yield Act("enable", _("Enable"), says)
    if overview.open_run is None:
        says = _(
            "Fetches all records again%(about)s, also what has not changed. Takes long. Nothing is deleted that is only missing."
        )
        yield Act("full", _("Run now, whole list"), says % about, is_apart=True)
        says = _(
            "Fetches all records with their content%(about)s and compares them with what is here. Takes long; finds what changed without a new date."
        )
        yield Act("reharvest", _("Compare all content"), says % about, is_apart=True)
        compared = status.last_comparison(link)
        if compared is not None and compared.held_back:
            says = _(
                "Asks the provider for %(number)s records that it no longer lists, and deletes those that it says are deleted. Ask the centre first."
            )
            yield Act("beyond", _("Compare beyond the ceiling"), says % {"number": compared.held_back}, is_apart=True)
    following = failover.next_alternative(link)
    if following is not None:
        says = _(
            "The link asks %(name)s from now on, for its whole list if it is new. All headers are compared afterwards; nothing is deleted because it is missing there."
        )
        yield Act("switch", _("Switch to %(name)s") % {"name": following}, says % {"name": following}, is_apart=True)
    if link.is_served_by_alternative:
        says = _(
            "The link asks its own provider again, from where it stopped if that is safe, else for its whole list."
        )
        yield Act("switch_back", _("Switch back"), says, is_apart=True)
    if link.enabled:
        says = _(
            "No run begins by schedule any more; somebody has to start each. %(number)s records stay as they are, and grow old."
        )
        yield Act("disable", _("Disable"), says % {"number": f"{overview.here:,}"}, is_apart=True)
    if link.harvested_to is not None:
        says = _(
            "The next run asks for the whole list again%(about)s, or for all that has changed since a time. Nothing is deleted."
        )
        yield Act("reset", _("Reset"), says % about, is_apart=True, has_time=True)


class LinkActs:
    """The actions of the list, and the views behind the buttons of a link's page. Each calls what commands and tasks call."""

    message_user: Any
    has_change_permission: Any
    admin_site: Any

    @admin.action(description=gettext_lazy("Run now"), permissions=["change"])
    def run_now(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._start(request, queryset, full=False)

    @admin.action(description=gettext_lazy("Run now, whole list"), permissions=["change"])
    def run_now_whole(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._start(request, queryset, full=True)

    @admin.action(description=gettext_lazy("Compare everything now"), permissions=["change"])
    def compare(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._compare(request, queryset, beyond_ceiling=False)

    @admin.action(description=gettext_lazy("Compare everything now, beyond the ceiling"), permissions=["change"])
    def compare_beyond_ceiling(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        self._compare(request, queryset, beyond_ceiling=True)

    def _compare(self, request: HttpRequest, chosen: Iterable[Link], *, beyond_ceiling: bool) -> None:
        for link in chosen:
            with transaction.atomic(durable=True):
                run = lifecycle.open_comparison(link, trigger="operator", whole=True, beyond_ceiling=beyond_ceiling)
            self.message_user(request, *_queue(link, run))

    @admin.action(description=gettext_lazy("Compare all content now (total re-harvest)"), permissions=["change"])
    def reharvest(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            with transaction.atomic(durable=True):
                run = lifecycle.open_total_reharvest(link, trigger="operator", whole=True)
            self.message_user(request, *_queue(link, run))

    @admin.action(description=gettext_lazy("Enable"), permissions=["change"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            try:
                changed = acts.enable(link)
            except ActRefused as exc:
                self.message_user(
                    request, _("%(link)s stays disabled: %(why)s") % {"link": link, "why": exc}, messages.ERROR
                )
            else:
                words = _("%(link)s is harvested by its schedule.") if changed else _("%(link)s is enabled already.")
                self.message_user(request, words % {"link": link}, messages.SUCCESS)

    @admin.action(description=gettext_lazy("Disable"), permissions=["change"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            words = _("%(link)s is harvested by hand only; what it stored stays.")
            if not acts.disable(link):
                words = _("%(link)s is disabled already.")
            self.message_user(request, words % {"link": link}, messages.SUCCESS)

    @admin.action(description=gettext_lazy("Turn to the next provider"), permissions=["change"])
    def switch(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            following = failover.next_alternative(link)
            if following is None:
                words = _("%(link)s has no other provider to turn to; add one to it.")
                self.message_user(request, words % {"link": link}, messages.ERROR)
            else:
                self._switch(request, link, following)

    @admin.action(description=gettext_lazy("Turn back to the link's own provider"), permissions=["change"])
    def switch_back(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            self._switch(request, link, None)

    def _switch(self, request: HttpRequest, link: Link, to: Alternative | None) -> None:
        facts = {"link": link, "name": to or _("its own provider")}
        switched = failover.switch(link, to)
        if switched is None:
            self.message_user(request, _("%(link)s is served by %(name)s already.") % facts, messages.WARNING)
        else:
            words = _("%(link)s turns to %(name)s: %(what)s.")
            facts |= {"what": failover.describe_next_list(switched)}
            self.message_user(request, words % facts, messages.SUCCESS)

    @admin.action(description=gettext_lazy("Accept the address that the provider has moved to"), permissions=["change"])
    def accept_move(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for link in queryset:
            self._accept_move(request, link, link.moved_to)

    def _accept_move(self, request: HttpRequest, link: Link, moved_to: str) -> None:
        try:
            self.message_user(request, moved_address.accept(link, moved_to), messages.SUCCESS)
        except ActRefused as exc:
            words = _("The base URL of %(link)s stays as it is: %(why)s.")
            self.message_user(request, words % {"link": link, "why": exc}, messages.ERROR)

    @admin.action(description=gettext_lazy("Cancel the open run"), permissions=["change"])
    def cancel_run(self, request: HttpRequest, queryset: QuerySet[Link]) -> None:
        for run in Run.objects.filter(link__in=queryset, state=Run.State.OPEN).select_related("link"):
            self.message_user(request, *runs.cancel_run(run))

    def _start(self, request: HttpRequest, chosen: Iterable[Link], *, full: bool) -> None:
        for link in chosen:
            # Durable: it is committed at the end of the block, so that the queued task finds the run.
            with transaction.atomic(durable=True):
                run = lifecycle.open_run(link, trigger="operator", full=full)
                paused = lifecycle.leave_window(link, trigger="operator") if run is None else None
            self.message_user(request, *_queue(link, run or paused))

    def _reset(self, request: HttpRequest, link: Link, to: str) -> None:
        try:
            acts.reset(link, datestamps.parse(to)[0] if to else None)
        except (ValueError, ActRefused) as exc:
            self.message_user(
                request, _("%(link)s is not reset: %(why)s.") % {"link": link, "why": exc}, messages.ERROR
            )
        else:
            words = _("The next run of %(link)s asks for the whole list again. Nothing is deleted.")
            if to:
                words = _("The next run of %(link)s asks for all that has changed since %(to)s. Nothing is deleted.")
            self.message_user(request, words % {"link": link, "to": to}, messages.SUCCESS)

    def _mute(self, request: HttpRequest, link: Link, hours: int) -> None:
        edit.mute(link, hours)
        words = (
            _("Nobody is alerted of %(link)s for %(hours)s hours.")
            if hours
            else _("Problems of %(link)s are told again.")
        )
        self.message_user(request, words % {"link": link, "hours": hours}, messages.SUCCESS)

    # --- Views ----------------------------------------------------------------------------------------

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Do by POST what the name of a field says, to one link: an `Act`, or `accept_move`; nothing named: run now."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link, pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        chosen = Link.objects.filter(pk=link.pk)
        doing = {
            "compare": lambda: self._compare(request, [link], beyond_ceiling=False),
            "beyond": lambda: self._compare(request, [link], beyond_ceiling=True),
            "reharvest": lambda: self.reharvest(request, chosen),
            "accept_move": lambda: self._accept_move(request, link, request.POST["accept_move"]),
            "cancel": lambda: self.cancel_run(request, chosen),
            "mute": lambda: self._mute(request, link, _MUTE_H),
            "unmute": lambda: self._mute(request, link, 0),
            "enable": lambda: self.enable(request, chosen),
            "disable": lambda: self.disable(request, chosen),
            "switch": lambda: self.switch(request, chosen),
            "switch_back": lambda: self.switch_back(request, chosen),
            "reset": lambda: self._reset(request, link, request.POST.get("to", "").strip()),
        }
        name = next((name for name in doing if name in request.POST), None)
        if name is None:
            self._start(request, [link], full="full" in request.POST)
        else:
            doing[name]()
        return redirect("admin:harvester_link_change", link.pk)

    def act_view(self, request: HttpRequest, object_id: int, name: str) -> HttpResponse:
        """Say what an act will do to a link, and ask whether to do it. Changes nothing."""
        link = get_object_or_404(status.with_last_run(Link.objects.all(), successes=True, only=object_id), pk=object_id)
        if not self.has_change_permission(request, link):
            raise PermissionDenied
        act = next((act for act in acts_of(link) if act.name == name), None)
        if act is None:
            self.message_user(request, _("That cannot be done to %(link)s now.") % {"link": link}, messages.WARNING)
            return redirect("admin:harvester_link_change", link.pk)
        context = {
            "title": f"{link}: {act.label}",
            "act": act,
            "link": link,
            "opts": Link._meta,
            "overview": overview_of(link),
        }
        return TemplateResponse(
            request, "admin/harvester/link/act.html", {**self.admin_site.each_context(request), **context}
        )


def _queue(link: Link, run: Run | None) -> tuple[str, int]:
    """Queue a run that was just opened (None: one was open already); the message for the operator, and its level."""
    if run is None:
        words = _("%(link)s: a run is open already, so none was started; it goes on by itself.")
        return words % {"link": link}, messages.WARNING
    try:
        tasks.call_worker()
    except OperationalError as exc:
        words = _(
            "%(link)s: the run is opened, but the broker cannot be reached (%(reason)s). "
            "Nothing is lost: the scheduler takes the run up when the broker is back."
        )
        return words % {"link": link, "reason": describe_error(exc)}, messages.WARNING
    scope = _("changes only") if run.list_from else _("the whole list")
    if run.is_comparison:
        scope = _("a comparison of all headers")
    if run.is_of_content:
        scope = _("a total re-harvest: all records with their content")
    run_url = reverse("admin:harvester_run_change", args=[run.pk])
    words = _("%(link)s: a run was started (%(scope)s).") % {"link": link, "scope": scope}
    return format_html('{} <a class="underline" href="{}">{}</a>', words, run_url, _("Watch it")), messages.SUCCESS
