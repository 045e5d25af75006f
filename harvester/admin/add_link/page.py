"""The page "Add a link": address, what, when; it asks the provider at each step, and shows the first run in the end.

It works as a form that is sent whole each time. `static/harvester/add_link.js` only sends it without leaving the page.
"""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from catalogue import seams
from harvester import schedule, schedule_words, tasks
from harvester.admin.add_link import words
from harvester.admin.add_link.form import (
    ACCESS,
    ADVANCED,
    EVERYTHING,
    TYPED,
    WHAT,
    WHEN,
    AddLinkForm,
    bound_form,
    describe_next,
    empty_form,
)
from harvester.links import new_link
from harvester.models import Link, Run
from harvester.monitoring.progress import read_progress
from harvester.protocol import probe

_PAGE = "admin/harvester/link/add/page.html"
_PROGRESS = "admin/harvester/link/add/progress.html"
MAX_SETS = 200  # chosen: rows of the page; the setSpec of another one is typed
_HARVEST, _SAVE = "harvest", "save"  # values of `act`, besides "ask"


def respond(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Answer the page: a new one, one that has grown, or one whose link is saved and whose first run goes on."""
    if not model_admin.has_add_permission(request):
        raise PermissionDenied
    if request.method != "POST":
        if "run" in request.GET:
            return _render(model_admin, request, run_context(request))
        return _render(model_admin, request, {"form": empty_form(request.GET)})
    form = bound_form(request)
    form.is_valid()
    if form.has_address and (fault := new_link.find_address_fault(form.instance)):
        form.add_error("base_url", fault)
    if not form.has_address:
        return _render(model_admin, request, {"form": form})
    form.keep_passwords(request)
    link = form.instance
    answer = new_link.ask(link, remote_set=form.remote_set)
    if answer.offer is None:
        context = {"form": form, "fault": answer.fault, "hint": answer.hint, "wants_access": answer.wants_access}
        return _render(model_admin, request, context)
    act = request.POST.get("act")
    if act in (_HARVEST, _SAVE) and _is_complete(request, form, answer.offer):
        return _save(request, form, harvest_now=act == _HARVEST)
    offer = new_link.count_sets(link, answer.offer)
    return _render(model_admin, request, {"form": form, **_answer_context(form, offer)})


def next_times(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Answer when a link with the schedule that is being typed runs next, and what is wrong with its words, if anything."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    form = AddLinkForm(request.GET)
    faults = [str(fault) for name in WHEN for fault in form.errors.get(name, [])]
    return JsonResponse({"next": describe_next(form, seams.now()), "fault": " ".join(faults)})


def progress(model_admin: Any, request: HttpRequest, run_id: int) -> HttpResponse:
    """Answer how far a run has come, as a part of the page."""
    run = get_object_or_404(Run.objects.select_related("link"), pk=run_id)
    if not model_admin.has_view_permission(request, run.link):
        raise PermissionDenied
    return TemplateResponse(request, _PROGRESS, _progress_context(run))


def run_context(request: HttpRequest) -> dict[str, Any]:
    """Return what the page shows of a link that was just saved, and of its first run."""
    number = request.GET["run"]
    known = Run.objects.select_related("link__local_set")
    run = get_object_or_404(known, pk=number if number.isdecimal() and len(number) < 19 else 0)
    link = run.link
    times = _("only when somebody starts it")
    if link.enabled:
        times = _("%(schedule)s, next %(next)s UTC") % {
            "schedule": schedule_words.describe(link.schedule),
            "next": f"{link.next_due:%Y-%m-%d %H:%M}" if link.next_due else "",
        }
    return {"link": link, "schedule": times, **_progress_context(run)}


def _progress_context(run: Run) -> dict[str, Any]:
    found = read_progress(run)
    figures, state = words.describe_progress(found), words.describe_state(found)
    return {"run": run, "progress": found, "figures": figures, "run_state": state}


def _render(model_admin: Any, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    if "run" in context and not model_admin.has_view_permission(request, context["link"]):
        raise PermissionDenied
    form: AddLinkForm | None = context.get("form")
    parts = {"access_fields": ACCESS, "what_fields": WHAT, "advanced_fields": ADVANCED}
    fields = {} if form is None else {name: [form[each] for each in names] for name, names in parts.items()}
    is_open = {
        f"{name}_open": any(field.errors for field in found) for name, found in fields.items() if name != "what_fields"
    }
    if form is not None and any(field.value() for field in fields["access_fields"]):
        is_open["access_fields_open"] = True
    own = {
        "title": _("Add a link"),
        "opts": Link._meta,
        "plain_url": reverse("admin:harvester_link_add_plain"),
        "later_fields": [] if form is None else [form[each] for each in ("pick", "typed_set", *WHAT, *WHEN, *ADVANCED)],
    }
    return TemplateResponse(
        request, _PAGE, {**model_admin.admin_site.each_context(request), **own, **fields, **is_open, **context}
    )


def _answer_context(form: AddLinkForm, offer: probe.Offer) -> dict[str, Any]:
    """Return what the page shows of the provider's answer, and what can be picked."""
    base_url = form.instance.base_url
    found = new_link.list_offered_sets(base_url, offer, MAX_SETS)
    everything, sets = found[0], found[1:]
    pick = _suggest_pick(form, sets)
    prefix = str(form["prefix"].value() or "")
    offered = [item.prefix for item in offer.formats]
    friends = [url for url in offer.identity.friends if url.rstrip("/") != base_url.rstrip("/")]
    return {
        "offer": offer,
        "lines": words.describe_offer(offer),
        "sets": [(each, words.describe_size(each.size)) for each in sets],
        "hidden_sets": max(len(offer.sets) - MAX_SETS, 0),
        "everything": everything,
        "everything_size": words.describe_size(everything.size),
        "pick": pick,
        "typed_set": form.remote_set if pick == TYPED else form["typed_set"].value() or "",
        "formats": [(item, item.is_iso) for item in offer.formats],
        "prefix": prefix or offer.iso_prefix,
        "unknown_prefix": prefix if prefix and prefix not in offered else "",
        "next_times": describe_next(form, seams.now()),
        "friends": friends[: words.MAX_FRIENDS],
    }


def _suggest_pick(form: AddLinkForm, sets: list[new_link.OfferedSet]) -> str:
    """Return what is picked, or the set of the centre that has this address, or what alone can be."""
    pick = str(form["pick"].value() or "")
    shown = {each.spec for each in sets if not each.refusal}
    if pick in (EVERYTHING, TYPED):
        return pick
    if pick:
        return pick if form.remote_set in shown else TYPED
    if (spec := new_link.find_centre_set(form.instance.base_url)) in shown:
        return f"set:{spec}"
    if len(shown) == 1:
        return f"set:{shown.pop()}"
    return TYPED if not sets else ""


def _is_complete(request: HttpRequest, form: AddLinkForm, offer: probe.Offer) -> bool:
    """Whether the link can be saved; if not, the form says why beside each field."""
    if not form.is_valid():
        return False
    try:
        choice = form.set_choice()
    except ValidationError as exc:
        form.add_error(None, exc)
        return False
    new_link.complete(form.instance, choice, offer)
    if form.instance.local_set.pk is None and not request.user.has_perm("catalogue.add_metadataset"):
        form.add_error("into", _("You may not make a set: pick one that is there, or ask a data manager for it."))
    form.add_faults(new_link.find_faults(form.instance, offer))
    return form.is_valid()


def _save(request: HttpRequest, form: AddLinkForm, *, harvest_now: bool) -> HttpResponse:
    link = form.instance
    first_due = schedule.next_start(link.schedule, seams.now())
    run = new_link.save(link, harvest_now=harvest_now, first_due=first_due)
    form.forget_passwords(request)
    if link.sealed_password and link.base_url.startswith("http://"):
        warning = _("The password is sent unencrypted, because the base URL does not begin with https://.")
        messages.warning(request, warning)
    if run is None:
        messages.success(request, _("The link %(link)s is saved.") % {"link": link.name})
        return redirect("admin:harvester_link_change", link.pk)
    try:
        tasks.call_worker()
    except OperationalError:
        text = _(
            "The run is opened, but the queue cannot be reached. Nothing is lost: it begins when the queue is back."
        )
        messages.warning(request, text)
    return redirect(f"{reverse('admin:harvester_link_add')}?run={run.pk}")
