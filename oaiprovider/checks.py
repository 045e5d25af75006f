"""System checks of the settings that Identify announces."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, register
from django.http.request import validate_host
from django.utils.translation import gettext

from catalogue.checks import SETTINGS
from oaiprovider.protocol.identify_descriptions import is_deliverable


@register(SETTINGS)
def admin_email_is_deliverable(**_: Any) -> list[CheckMessage]:
    """P54: other centres can send mail to the address in Identify."""
    address = settings.GISC_ADMIN_EMAIL
    if is_deliverable(address):
        return []
    return [
        Error(
            gettext("GISC_ADMIN_EMAIL is {address}").format(address=repr(address)),
            hint=gettext("Write an address that other centres can reach, such as oai-admin@gisc.example.org."),  # P54
            id="oaiprovider.E001",
        )
    ]


@register(SETTINGS)
def base_url_is_bare(**_: Any) -> list[CheckMessage]:
    """P1: the base URL has no query and no fragment."""
    url = settings.GISC_BASE_URL
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname and not re.search(r"[?#\s]", url):
        return []
    return [
        Error(
            gettext("GISC_BASE_URL is {url}").format(url=repr(url)),
            hint=gettext("Write scheme, host and port only, such as https://gisc.example.org."),  # P1
            id="oaiprovider.E002",
        )
    ]


@register(SETTINGS)
def base_url_is_served(**_: Any) -> list[CheckMessage]:
    """ALLOWED_HOSTS must not refuse a harvester that uses the announced base URL."""
    host = urlsplit(settings.GISC_BASE_URL).hostname or ""
    host = f"[{host}]" if ":" in host else host
    if not host or validate_host(host, settings.ALLOWED_HOSTS):
        return []
    return [
        checks.Warning(
            gettext("the host of GISC_BASE_URL, {host}, is not in ALLOWED_HOSTS").format(host=repr(host)),
            hint=gettext("Add {host} to ALLOWED_HOSTS, unless a proxy in front changes the Host header.").format(
                host=host
            ),
            id="oaiprovider.W001",
        )
    ]


@register(SETTINGS)
def mirror_is_elsewhere(**_: Any) -> list[CheckMessage]:
    """P114: no redirect loops."""
    mirror, own = (urlsplit(url) for url in (settings.GISC_MIRROR_URL, settings.GISC_BASE_URL))
    if not mirror.hostname or (mirror.scheme, mirror.netloc) != (own.scheme, own.netloc):
        return []
    return [
        Error(
            gettext("GISC_MIRROR_URL is {url}, which is this node").format(url=repr(settings.GISC_MIRROR_URL)),
            hint=gettext("Write the public URL of another node with the same catalogue, or leave it out."),  # P114
            id="oaiprovider.E003",
        )
    ]
