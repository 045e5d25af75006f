"""The access of a link in the admin: passwords go in and are never shown again."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminPasswordWidget

from harvester.models import Link
from harvester.net import access

FIELDS = (
    ("user", "password"),
    "certificates",
    "proxy",
    ("proxy_user", "proxy_password"),
    "post",
    "user_agent",
    "sender",
)


def password_field(label: str) -> forms.CharField:
    """A field that is never filled in for the reader."""
    return forms.CharField(
        label=label,
        required=False,
        strip=False,
        max_length=200,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password"}),
    )


class LinkForm(forms.ModelForm):  # type: ignore[type-arg]
    """A link, with its passwords as fields that are written and not read."""

    password = password_field("Password")
    proxy_password = password_field("Proxy's password")

    class Meta:
        model = Link
        fields: tuple[str, ...] = ()  # those of the page that it stands on

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, sealed in (("password", "sealed_password"), ("proxy_password", "sealed_proxy_password")):
            held = getattr(self.instance, sealed)
            if name in self.fields:  # they are not there for those who may only look
                self.fields[name].help_text = (
                    "one is kept, and not shown; leave this empty to keep it" if held else "none is kept"
                )

    def clean_password(self) -> str:
        return _checked(self.cleaned_data["password"], of_proxy=False)

    def clean_proxy_password(self) -> str:
        return _checked(self.cleaned_data["proxy_password"], of_proxy=True)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        said = self.cleaned_data
        _take(said, "user", "password", self.instance.set_password)
        _take(said, "proxy_user", "proxy_password", self.instance.set_proxy_password)
        return cleaned

    @property
    def changed_fields(self) -> set[str]:
        """The fields of the model that are to be stored."""
        changed = set(self.changed_data)
        for user, password in (("user", "password"), ("proxy_user", "proxy_password")):
            if {user, password} & changed:
                changed.add(f"sealed_{password}")
            changed.discard(password)
        return changed


def _checked(password: str, *, of_proxy: bool) -> str:
    fault = access.password_fault(password, of_proxy=of_proxy)
    if fault:
        raise ValidationError(fault)
    return password


def _take(said: Mapping[str, Any], user: str, password: str, keep: Any) -> None:
    """Keep a password that was entered; forget the one that is kept where there is no user name any more."""
    if user not in said or password not in said:
        return  # faulty itself
    if said[password] and not said[user]:
        raise ValidationError({user: "A password needs a user name"})
    if said[password] or not said[user]:
        keep(said[password])
