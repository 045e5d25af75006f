"""Fields of a link: what its provider wants before it answers, passwords encrypted."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from harvester.errors import FaultCode, RefusedByProvider
from harvester.net import access
from harvester.net.access import Access

_PASSWORD, _PROXY_PASSWORD = "password", "proxy password"
SEALED = {"sealed_password": _PASSWORD, "sealed_proxy_password": _PROXY_PASSWORD}  # columns and their purposes
_UNREADABLE = {
    _PASSWORD: _("The password cannot be read: stored under another SECRET_KEY; enter it again."),
    _PROXY_PASSWORD: _("The proxy password cannot be read: stored under another SECRET_KEY; enter it again."),
}


class AccessFields(models.Model):
    """User names, passwords, certificates, proxy and headers of a link's requests. Passwords are never displayed."""

    user = models.CharField(
        _("user name"),
        max_length=200,
        blank=True,
        help_text=_("of HTTP basic authentication; empty: none, and no password"),
    )
    sealed_password = models.TextField(blank=True, editable=False)
    certificates = models.TextField(
        _("certificates to trust"),
        blank=True,
        help_text=_(
            "of the provider's own authority, instead of the usual ones: pasted as PEM, or the path of a PEM file "
            "that every worker can read"
        ),
    )
    proxy = models.CharField(
        _("proxy"), max_length=300, blank=True, help_text=_("http://host:port; empty: as the node's environment has it")
    )
    proxy_user = models.CharField(_("proxy's user name"), max_length=200, blank=True)
    sealed_proxy_password = models.TextField(blank=True, editable=False)
    post = models.BooleanField(
        _("ask by POST"), default=False, help_text=_("where the provider, or a proxy, minds GET")
    )
    user_agent = models.CharField(
        _("User-Agent"), max_length=200, blank=True, help_text=_("if the provider wants another than the node's own")
    )
    sender = models.CharField(
        _("From"),
        max_length=254,
        blank=True,
        validators=[EmailValidator()],
        help_text=_("mail address sent to the provider; empty: GISC_ADMIN_EMAIL"),
    )

    class Meta:
        abstract = True

    def check_access(self, base_url: str) -> None:
        """Refuse values that cannot be sent, or that would reveal a secret. Raises ValidationError."""
        found = access.faults(
            base_url=base_url,
            user=self.user,
            certificates=self.certificates,
            proxy=self.proxy,
            proxy_user=self.proxy_user,
            user_agent=self.user_agent,
        )
        if found:
            raise ValidationError(dict(found))

    def set_password(self, password: str) -> None:
        """Encrypt the password for the provider; an empty one removes it. Nothing is saved."""
        self.sealed_password = _sealed(password, _PASSWORD)

    def set_proxy_password(self, password: str) -> None:
        """Encrypt the password for the proxy; an empty one removes it. Nothing is saved."""
        self.sealed_proxy_password = _sealed(password, _PROXY_PASSWORD)

    def access_to_own_provider(self, **more: Any) -> Access:
        """Return the access to the link's own provider, with `more` of its fields.

        Raises RefusedByProvider if a password cannot be decrypted any more.
        """
        return Access(
            user=self.user,
            password=self._decrypt(self.sealed_password, _PASSWORD) if self.sealed_password else "",
            certificates=self.certificates,
            proxy=self._proxy_with_credentials() if self.proxy else "",
            post=self.post,
            user_agent=self.user_agent,
            sender=self.sender,
            **more,
        )

    def access_to_alternative(self, **more: Any) -> Access:
        """Return the access to another provider than the link's own: nothing that the own provider gave us is sent."""
        proxy = self._proxy_with_credentials() if self.proxy else ""
        return Access(proxy=proxy, user_agent=self.user_agent, sender=self.sender, **more)

    def describe_access(self) -> dict[str, str | bool]:
        """Return the access for display: of passwords only whether there is one."""
        return {
            "user": self.user,
            "password": _state(self.sealed_password, _PASSWORD),
            "certificates": access.describe_certificates(self.certificates),
            "proxy": self.proxy,
            "proxy_user": self.proxy_user,
            "proxy_password": _state(self.sealed_proxy_password, _PROXY_PASSWORD),
            "post": self.post,
            "user_agent": self.user_agent,
            "sender": self.sender,
        }

    def unreadable_passwords(self) -> list[str]:
        """Return which of the two passwords cannot be decrypted any more: "password", "proxy password"."""
        sealed = {_PASSWORD: self.sealed_password, _PROXY_PASSWORD: self.sealed_proxy_password}
        return [purpose for purpose, secret in sealed.items() if not _is_readable(secret, purpose)]

    def _proxy_with_credentials(self) -> str:
        password = self._decrypt(self.sealed_proxy_password, _PROXY_PASSWORD)
        return access.with_credentials(self.proxy, self.proxy_user, password)

    def _decrypt(self, sealed: str, purpose: str) -> str:
        try:
            return access.unseal(sealed, purpose) if sealed else ""
        except access.UnreadableSecret as exc:
            raise RefusedByProvider(FaultCode.PASSWORD_UNREADABLE, {"password": purpose, "link": str(self)}) from exc


def _sealed(password: str, purpose: str) -> str:
    return access.seal(password, purpose) if password else ""


def _is_readable(sealed: str, purpose: str) -> bool:
    try:
        return not sealed or bool(access.unseal(sealed, purpose))
    except access.UnreadableSecret:
        return False


def _state(sealed: str, purpose: str) -> str:
    if not sealed:
        return gettext("none")
    if _is_readable(sealed, purpose):
        return gettext("kept")
    return gettext("cannot be read: stored under another SECRET_KEY; enter it again")


def describe_unreadable(purpose: str) -> str:
    """Return a sentence on one of the passwords of `unreadable_passwords`."""
    return str(_UNREADABLE[purpose])
