"""Pages of the second factor: set it up, give its code at the sign-in, make new recovery codes, remove it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from unfold.widgets import UnfoldAdminTextInputWidget

from gisc.accounts import second_factor
from gisc.audit.collecting import note

_WRONG = _(
    "This code is not right. Each code can be used once, and only while the phone shows it; after a wrong one, wait a few seconds."
)


class CodeForm(forms.Form):
    """A code of the phone, or a recovery code."""

    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "inputmode": "text"}
        ),
    )


@never_cache
@sensitive_post_parameters("code")
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for the code after the password."""
    user = request.user
    if not isinstance(user, User) or not second_factor.has(user):
        return redirect("admin:index")
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if second_factor.check(request, user, form.cleaned_data["code"]):
            return redirect(_following(request))
        form.add_error("code", _WRONG)
    return _page(request, "sign_in.html", gettext("Second factor"), {"form": form, "following": _following(request)})


@never_cache
@sensitive_post_parameters("code")
def settings_page(request: HttpRequest) -> HttpResponse:
    """Set up, renew or remove one's own second factor."""
    user = request.user
    assert isinstance(user, User)
    act = request.POST.get("act", "")
    form = CodeForm(request.POST if act in ("confirm", "renew", "remove") else None)
    codes: list[str] | None = None
    if form.is_bound and form.is_valid():
        codes = _act(request, user, act, form)
        if not form.errors and codes is None:
            return redirect("second-factor")
    has_factor = second_factor.has(user)
    context: dict[str, Any] = {"form": form, "has_factor": has_factor, "codes": codes}
    context["is_demanded"] = second_factor.is_demanded(user)
    if has_factor:
        context["left"] = second_factor.recovery_codes_left(user)
    elif act in ("begin", "confirm"):
        device = second_factor.begin(user)
        context |= {"qr_code": second_factor.qr_code(device), "secret": second_factor.secret_text(device)}
    return _page(request, "settings.html", gettext("Second factor"), context)


def _act(request: HttpRequest, user: User, act: str, form: CodeForm) -> list[str] | None:
    """Do what was asked for, if the code is right; new recovery codes, if any were made."""
    code = form.cleaned_data["code"]
    if act == "confirm" and not second_factor.has(user):
        codes = second_factor.confirm(request, user, code.replace(" ", ""))
        if codes is None:
            form.add_error("code", _WRONG)
        else:
            note("second factor set up")
        return codes
    if not second_factor.check(request, user, code):
        form.add_error("code", _WRONG)
        return None
    if act == "renew":
        note("new recovery codes made")
        return second_factor.make_recovery_codes(user)
    if second_factor.is_demanded(user):
        messages.error(request, gettext("Your role needs a second factor, so it stays. An administrator can reset it."))
        return None
    second_factor.remove([user])
    note("second factor removed")
    messages.success(
        request, gettext("The second factor is removed: from now on you sign in with your password alone.")
    )
    return None


def _following(request: HttpRequest) -> str:
    """Where to go after the sign-in: a page of this node."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if is_ours and asked.startswith("/admin/") else "/admin/"


def _page(request: HttpRequest, template: str, title: str, context: dict[str, Any]) -> HttpResponse:
    page = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, f"admin/second_factor/{template}", page)
