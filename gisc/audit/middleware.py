"""Write an act of the administration into the audit log: each request that changes something, or that says it did something."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import ModelAdmin
from django.contrib.admin.sites import site
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.html import strip_tags

from catalogue import acting, seams
from gisc.audit import collecting
from gisc.audit.models import Act
from gisc.sign_ins import client_address

# Signing in and out has a log of its own.
_NOT_ACTS = (
    "/admin/login/",
    "/admin/logout/",
    "/admin/second-factor/sign-in/",
    "/admin/toggle-sidebar/",
    "/admin/search/",
)
_KINDS = {
    "add": "added",
    "add_plain": "added",
    "change": "changed",
    "delete": "deleted",
    "password_change": "password changed",
}
_MOST_CHOSEN = 200
CHOSEN = "chosen"


class AuditActs:
    """Middleware that collects what a request of a person changes, and writes it down after the answer is made."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD", "OPTIONS") or not request.path.startswith("/admin/"):
            return self._get_response(request)
        user = request.user
        if request.path.startswith(_NOT_ACTS) or not isinstance(user, User):
            return self._get_response(request)
        with collecting.collecting() as collected, acting.acting(who=user.get_username()):
            response = self._get_response(request)
            if response.status_code != 403:
                _write(request, response, user, collected)
        return response

    def process_view(self, request: HttpRequest, view: Any, values: Any, names: dict[str, Any]) -> None:
        """Remember the rows that the request names, before the view changes them."""
        model = _model_of(request)
        if request.method == "POST" and model is not None:
            # A page that confirms an act on many rows has them in one field: forms may have only so many.
            in_one = [pk for pk in request.POST.get(CHOSEN, "").split(",") if pk]
            chosen = (in_one or request.POST.getlist(ACTION_CHECKBOX_NAME))[:_MOST_CHOSEN]
            if "object_id" in names or "id" in names:
                chosen.append(str(names.get("object_id", names.get("id"))))
            collecting.touch(model, chosen)


def _write(request: HttpRequest, response: HttpResponse, user: User, collected: collecting.Collected) -> None:
    changes = collected.changes()
    if not changes and not collected.notes and response.status_code not in (301, 302, 303):
        return  # a form with errors, a question, a download
    queued = getattr(messages.get_messages(request), "_queued_messages", [])
    model = _model_of(request)
    subject = next((key for key in collected.before if key[0] is model), None)
    Act.objects.create(
        at=seams.now(),
        account=user,
        who=user.get_username()[:150],
        source=Act.Source.ADMINISTRATION,
        address=client_address(request) or "",
        act=("; ".join(collected.notes) or _describe(request))[:500],
        model="" if model is None else model._meta.label_lower,
        object_id="" if subject is None else str(subject[1])[:100],
        object_name="" if subject is None else _name(collected, subject, changes),
        changes=changes,
        answer="\n".join(strip_tags(str(message)) for message in queued),
    )


def _name(collected: collecting.Collected, key: collecting.Key, changes: list[dict[str, Any]]) -> str:
    others = sum(1 for model, _pk in collected.before if model is key[0]) - 1
    made = (change["name"] for change in changes if change["pk"] == str(key[1]))
    name = collected.names.get(key) or next(made, "")
    return f"{name[:150]} and {others} more" if others else name[:200]


def _describe(request: HttpRequest) -> str:
    """What the request asked for: the words of an action, the kind of page, or the name of the page and its buttons."""
    name = _route(request)
    page = _page_of(name)
    action = request.POST.get("action", "")
    if page is not None and name.endswith("_changelist") and action:
        found = page.get_actions(request).get(action)
        return str(found[2] % {"verbose_name_plural": page.opts.verbose_name_plural}) if found else f"action {action}"
    kind = name.removeprefix(f"{page.opts.app_label}_{page.opts.model_name}_") if page is not None else name
    buttons = [each for each in request.POST if each not in ("csrfmiddlewaretoken", "next") and len(each) < 30]
    if kind in _KINDS or len(buttons) > 5:
        return _KINDS.get(kind, kind)
    return f"{kind}: {', '.join(buttons)}" if buttons else kind


def _route(request: HttpRequest) -> str:
    return (request.resolver_match.url_name or "") if request.resolver_match is not None else ""


def _page_of(route: str) -> "ModelAdmin[Any] | None":
    """The admin page that a route belongs to, by its name."""
    app_and_model = route.split("_")
    if len(app_and_model) > 1:
        for label in (".".join(app_and_model[:2]),):
            try:
                return site._registry.get(apps.get_model(label))
            except LookupError:
                return None
    return None


def _model_of(request: HttpRequest) -> Any:
    page = _page_of(_route(request))
    return None if page is None else page.model
