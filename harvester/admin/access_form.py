"""The form of a link's access: passwords can be entered, and are never displayed."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminPasswordWidget

from harvester.links import prefixes
from harvester.models import Alternative, Link
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


def password_field(label: Any) -> forms.CharField:
    """A password field that is always displayed empty."""
    return forms.CharField(
        label=label,
        required=False,
        strip=False,
        max_length=200,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password"}),
    )


class LinkForm(forms.ModelForm):  # type: ignore[type-arg]
    """A link, with fields for new passwords; an empty one keeps the present password."""

    password = password_field(_("Password"))
    proxy_password = password_field(_("Proxy's password"))

    class Meta:
        model = Link
        fields: tuple[str, ...] = ()  # set by the page that uses the form

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.describe_passwords()

    def describe_passwords(self) -> None:
        """Say beside each password field whether a password is kept."""
        for name, sealed in (("password", "sealed_password"), ("proxy_password", "sealed_proxy_password")):
            has_password = bool(getattr(self.instance, sealed))
            if name in self.fields:  # absent for users who may only view
                self.fields[name].help_text = (
                    gettext("one is kept, and not shown; leave this empty to keep it")
                    if has_password
                    else gettext("none is kept")
                )

    def clean_password(self) -> str:
        return _checked_password(self.cleaned_data["password"], of_proxy=False)

    def clean_proxy_password(self) -> str:
        return _checked_password(self.cleaned_data["proxy_password"], of_proxy=True)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        values = self.cleaned_data
        _set_password(values, "user", "password", self.instance.set_password)
        _set_password(values, "proxy_user", "proxy_password", self.instance.set_proxy_password)
        return cleaned

    @property
    def changed_fields(self) -> set[str]:
        """The fields of the model to save."""
        changed = set(self.changed_data)
        for user, password in (("user", "password"), ("proxy_user", "proxy_password")):
            if {user, password} & changed:
                changed.add(f"sealed_{password}")
            changed.discard(password)
        return changed


class CheckedPrefixMixin:
    """A form of a link, or of an alternative, that refuses a prefix whose records cannot be stored, before it is saved.

    `prefix_warning`: where that cannot be known.
    """

    prefix_warning = ""

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # of the form; it fills the instance
        form = cast("forms.ModelForm[Any]", self)
        if form.errors or not {"base_url", "prefix"} & set(form.changed_data):
            return
        found = prefixes.check(form.instance)
        self.prefix_warning = found.warning
        if found.fault:
            form.add_error("prefix", found.fault)


class AlternativeForm(CheckedPrefixMixin, forms.ModelForm):  # type: ignore[type-arg]
    """The form of an alternative, on the page of its link."""

    class Meta:
        model = Alternative
        fields: tuple[str, ...] = ()  # set by the page that uses the form


def _checked_password(password: str, *, of_proxy: bool) -> str:
    fault = access.password_fault(password, of_proxy=of_proxy)
    if fault:
        raise ValidationError(fault)
    return password


def _set_password(values: Mapping[str, Any], user: str, password: str, set_on_link: Callable[[str], None]) -> None:
    """Set a password that was entered; remove the present one where the user name was removed."""
    if user not in values or password not in values:
        return  # that field has an error of its own
    if values[password] and not values[user]:
        raise ValidationError({user: gettext("A password needs a user name")})
    if values[password] or not values[user]:
        set_on_link(values[password])
