"""End sessions of the administration: so long after the sign-in, and so long after the last request."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from catalogue import seams

_BEGUN, _USED = "begun", "used"  # instants, in the session
_STORED_EVERY = timedelta(minutes=1)  # chosen: else each request would write the session's row


class SessionLimits:
    """Middleware that signs out whoever was signed in too long ago, or has not asked for anything for too long."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/admin/") and request.user.is_authenticated:
            now = seams.now()
            if is_over(request, now):
                logout(request)
                messages.info(
                    request, gettext("You were signed out, because some time has passed. Please sign in again.")
                )
                return redirect_to_login(
                    request.get_full_path() if request.method == "GET" else "/admin/", "/admin/login/"
                )
            _note_use(request, now)
        return self._get_response(request)


def listen() -> None:
    """Note the time of each sign-in in its session."""
    user_logged_in.connect(_begin, dispatch_uid="gisc.accounts.sessions")


def _begin(request: HttpRequest, **_: Any) -> None:
    request.session[_BEGUN] = request.session[_USED] = seams.now().isoformat()


def end_all() -> int:
    """Sign everybody out of a database that was put back: who has signed out since then would be signed in again by it."""
    return Session.objects.all().delete()[0]


def is_over(request: HttpRequest, now: datetime) -> bool:
    """Whether one of the limits has passed. A session of the version before begins now."""
    begun, used = (request.session.get(name) for name in (_BEGUN, _USED))
    if begun is None or used is None:
        request.session[_BEGUN] = now.isoformat()
        return False
    age, idle = (now - datetime.fromisoformat(instant) for instant in (begun, used))
    return bool(
        age > timedelta(hours=settings.GISC_SESSION_HOURS)
        or idle > timedelta(minutes=settings.GISC_SESSION_IDLE_MINUTES)
    )


def _note_use(request: HttpRequest, now: datetime) -> None:
    used = request.session.get(_USED)
    if used is None or abs(now - datetime.fromisoformat(used)) >= _STORED_EVERY:
        request.session[_USED] = now.isoformat()
