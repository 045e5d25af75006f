"""Send a text to a recipient: by e-mail, or by the services that apprise knows. Raises NotSent.

The address of a service has its secrets, so nothing of it is logged or put into an error. Whoever may edit recipients may name
any host, private ones too; but no service may read a file of this host, work on this host itself, or follow a redirect.
"""

import logging
import re
import smtplib
from urllib.parse import urlsplit
from uuid import UUID

import apprise
from apprise import AppriseAsset, AppriseAttachment, NotifyType
from apprise.common import PersistentStoreMode
from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from gisc.alerts.models import Recipient
from gisc.alerts.texts import Text
from harvester.net import access

_MAX_FAULT = 300  # chosen: characters
_SHORTEST_SECRET = 3  # characters; a shorter part of an address is none
# Services of this host alone, and those that read keys from files. E-mail has a field of its own.
_REFUSED = frozenset(
    ("blink1", "dbus", "deltachat", "email", "fcm", "glib", "gnome", "macosx", "nostr", "syslog", "vapid", "windows")
)


class NotSent(Exception):
    """A text was not sent. The error says why, without a secret."""


class AddressRefused(Exception):
    """An address of a service cannot be used. The error is a sentence without the address."""


def send(recipient: Recipient, text: Text, *, batch: UUID, is_over: bool = False) -> None:
    """Send a text. `batch` makes the Message-ID of an e-mail, so that a double can be seen to be one."""
    try:
        if recipient.email:
            _send_mail(recipient.email, text, batch)
        else:
            _send_by_service(recipient, text, is_over=is_over)
    except NotSent:
        raise
    except (
        Exception
    ) as exc:  # what waits for others is to be sent all the same; the text of the error may have a secret
        raise NotSent(_("This node made an error ({error}).").format(error=type(exc).__name__)) from None


def service_name(url: str) -> str:
    """Return the name of the service of an address. Raises AddressRefused."""
    return str(_service(url).service_name)[:60]


# --- E-mail -----------------------------------------------------------------------------------------------


def _send_mail(address: str, text: Text, batch: UUID) -> None:
    if not settings.EMAIL_HOST:
        raise NotSent(_("No mail server is set: name one in GISC_SMTP_HOST."))
    host = urlsplit(settings.GISC_BASE_URL).hostname or "localhost"
    # RFC 3834: so that no absence note answers.
    headers = {"Message-ID": f"<{batch}@{host}>", "Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(" ".join(text.title.split()), text.body, to=[address], headers=headers).send()
    except smtplib.SMTPAuthenticationError as exc:
        raise NotSent(
            _("The mail server does not accept the user name and password (SMTP {code}).").format(code=exc.smtp_code)
        ) from None
    except (smtplib.SMTPException, OSError) as exc:
        raise NotSent(_shorten(_("The mail server did not take it: {fault}").format(fault=exc))) from exc


# --- Services -----------------------------------------------------------------------------------------------


def _asset() -> AppriseAsset:
    return AppriseAsset(
        app_id="GISC",
        app_desc=settings.GISC_NAME,
        app_url=settings.GISC_BASE_URL,
        async_mode=False,
        http_redirects=False,
        secure_logging=True,
        storage_mode=PersistentStoreMode.MEMORY,
    )


def _service(url: str) -> apprise.NotifyBase:
    try:
        service = apprise.Apprise.instantiate(url, asset=_asset()) if url.isprintable() else None
    except Exception:  # whatever a plugin makes of what somebody typed, the address is no good
        service = None
    if service is None:
        raise AddressRefused(
            _("This is no address of a service that is known, such as ntfys://host/topic, or a part of it is missing.")
        )
    plugin = type(service).__module__.removeprefix("apprise.plugins.").partition(".")[0]
    reads_file = any(isinstance(value, AppriseAttachment) and len(value) for value in vars(service).values())
    if plugin in _REFUSED or reads_file:
        raise AddressRefused(
            _(
                "This service works on the host of this node itself, or reads a file there, which is not allowed. For e-mail use the field of its own."
            )
        )
    return service


def _send_by_service(recipient: Recipient, text: Text, *, is_over: bool) -> None:
    try:
        url = recipient.read_url()
        service = _service(url)
    except access.UnreadableSecret:
        raise NotSent(
            _("The address was stored under another SECRET_KEY and cannot be read: enter it again.")
        ) from None
    except AddressRefused as exc:
        raise NotSent(str(exc)) from None
    sender = apprise.Apprise(asset=_asset())
    sender.add(service)
    kind = NotifyType.SUCCESS if is_over else NotifyType.WARNING
    with apprise.LogCapture(level=logging.WARNING, fmt="%(message)s") as captured:  # type: ignore[no-untyped-call]
        was_sent = sender.notify(body=text.body, title=text.title, notify_type=kind)
        said = captured.getvalue()
    if not was_sent:
        reason = _without_parts_of(url, said) or _("it gave no reason")
        raise NotSent(
            _shorten(_("{service} did not take it: {reason}").format(service=recipient.service, reason=reason))
        )


def _without_parts_of(url: str, text: str) -> str:
    """Return a text without anything that the address has, too: host, user, password, keys."""
    parts = {part for part in re.split(r"[^0-9A-Za-z]+", url) if len(part) >= _SHORTEST_SECRET}
    for part in sorted(parts, key=len, reverse=True):
        text = re.sub(re.escape(part), "…", text, flags=re.IGNORECASE)
    return text


def _shorten(text: str) -> str:
    return " ".join(text.split())[:_MAX_FAULT]
