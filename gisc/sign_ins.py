"""Log who signs in to the administration, and who does not get in: address and name, and never a password."""

import logging
from ipaddress import ip_address
from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.http import HttpRequest

from gisc.access_log import client_of

_LONGEST_NAME = 150  # of Django's accounts
logger = logging.getLogger(__name__)


def client_address(request: HttpRequest) -> str | None:
    """Return the address of whoever asks, for the audit log; None on a Unix socket."""
    return client_of(request.META) or None


def listen() -> None:
    """Write a line for each sign-in from now on."""
    user_login_failed.connect(_failed, dispatch_uid="gisc.sign_ins")
    user_logged_in.connect(_signed_in, dispatch_uid="gisc.sign_ins")
    user_locked_out.connect(_locked_out, dispatch_uid="gisc.sign_ins")


def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    logger.warning("sign-in failed", extra=_facts(request, credentials.get("username")) | _proxy_hint(request))


def _signed_in(request: HttpRequest, user: Any, **_: Any) -> None:
    logger.info("signed in", extra=_facts(request, user.get_username()))


def _locked_out(request: HttpRequest, username: str | None = None, **_: Any) -> None:
    logger.error("sign-in locked for a while, after too many failures", extra=_facts(request, username))


def _proxy_hint(request: HttpRequest | None) -> dict[str, str]:
    """Say that a proxy seems to be missing in GISC_TRUSTED_PROXIES: then all clients have its address, and share its limits."""
    if request is None or "HTTP_X_FORWARDED_FOR" not in request.META:
        return {}
    peer = client_of({"REMOTE_ADDR": request.META.get("REMOTE_ADDR", "")})
    if peer and peer == client_of(request.META) and ip_address(peer).is_private:
        return {
            "hint": f"if {peer} is your proxy, write it in GISC_TRUSTED_PROXIES: its X-Forwarded-For is not trusted"
        }
    return {}


def _facts(request: HttpRequest | None, name: object) -> dict[str, str]:
    return {"client": "" if request is None else client_of(request.META), "user": str(name or "")[:_LONGEST_NAME]}
