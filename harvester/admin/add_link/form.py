"""The form of the page "Add a link": what has been answered so far, also where the page does not show it yet."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin.utils import flatten
from django.core.exceptions import ValidationError
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from catalogue.models import MetadataSet
from catalogue.reasons import ActRefused
from harvester import schedule, schedule_words
from harvester.admin import access_form
from harvester.link_rules import Identifiers, Kind
from harvester.links import new_link
from harvester.links.new_link import SetChoice
from harvester.messages import as_sentence
from harvester.models import Link
from harvester.net.addresses import may_send_credentials

EVERYTHING, TYPED = "everything", "typed"  # values of `pick`, besides "set:" with a setSpec
_SET = "set:"
ACCESS = tuple(flatten(access_form.FIELDS))
ADDRESS = ("base_url", *ACCESS)
WHAT = ("prefix", "into", "new_spec", "new_name", "new_kind", "name")
WHEN = ("every", "other_times", "windows")
ADVANCED = (
    *("kind", "identifiers", "strategy", "at_once", "lateness_h", "overlap_s"),
    *("cycle_days", "content_days", "tombstone_days", "ceiling_records", "ceiling_percent", "hold_percent"),
    *("switch_after_h", "return_after_h"),
)
_NUMBERS = (*ADVANCED[3:7], *ADVANCED[8:])
# What the address of the page may give, besides `base_url` and `set`: no certificates, which are long, and no passwords.
GIVEN = ("user", "proxy", "proxy_user", "post", "user_agent", "sender")
BY_HAND, OTHER = "by hand", "other"  # values of `every`, besides the schedules
_DEFAULT = "every 6 hours"
# In the words that `schedule_words` reads; people see them in their language.
_SCHEDULES = (
    *("every hour", "every 3 hours", _DEFAULT, "every 12 hours"),
    *("daily at 03:15 UTC", "weekly on Sunday at 03:15 UTC"),
)
_KEPT = ("base_url", "user", "sealed_password", "proxy", "proxy_user", "sealed_proxy_password")
_SESSION_KEY = "add_link"
_MAX_DRAFTS = 5  # chosen: pages that one person has open at once
_FIELD_OF = {"remote_set": "pick", "local_set": "into", "enabled": "into"}  # of a link: of this form


def _select(label: Any, choices: Iterable[tuple[Any, Any]], help_text: Any = "") -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label, choices=list(choices), required=False, widget=UnfoldAdminSelectWidget, help_text=help_text
    )


def _text(label: Any, max_length: int = 200, help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=label, required=False, max_length=max_length, widget=UnfoldAdminTextInputWidget, help_text=help_text
    )


class AddLinkForm(access_form.LinkForm):
    """All answers of the page. What is left empty is suggested by the provider's answer (`new_link.complete`)."""

    draft = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    centre = _select(_("or a centre that is known"), [])
    pick = forms.CharField(required=False, max_length=300)
    typed_set = _text(_("setSpec, as the provider spells it"))
    prefix = forms.CharField(label=_("Format"), required=False, max_length=100)  # type: ignore[assignment]
    into = _select(_("Into our set"), [])
    new_spec = _text(_("setSpec of the new set"), help_text=_("empty: as the provider's set is called"))
    new_name = _text(_("Name of the new set"), help_text=_("empty: as the provider names it"))
    new_kind = _select(
        _("Kind of the new set"),
        [
            (MetadataSet.Kind.PEER, _("peer: the records of another GISC")),
            (MetadataSet.Kind.SHARED, _("shared: several GISCs look after it together")),
        ],
    )
    name = forms.SlugField(
        label=_("Name of the link"),
        required=False,
        max_length=60,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("letters, digits and hyphens; empty: after the set"),
    )
    every = _select(_("Harvest"), [])
    other_times = _text(
        _("Another schedule, in words"),
        100,
        _("such as: every 90 minutes; daily at 02:00; weekly on Monday at 02:00; UTC"),
    )
    windows = _text(_("Only at these times of the day, UTC"), 100, _("such as 20:00-05:00; empty: at any time"))
    kind = _select(
        _("What the provider is to us"),
        [("", _("by the set: a GISC; without a set a centre")), *Kind.choices],
    )
    identifiers = _select(
        _("Identifiers"), [("", _("as the first records need it")), *Identifiers.choices], _("the answer above has it")
    )

    class Meta:
        model = Link
        fields = ("base_url", *(name for name in ACCESS if "password" not in name), "prefix", "name", *ADVANCED)
        widgets = {
            **dict.fromkeys(
                ("base_url", "user", "proxy", "proxy_user", "user_agent", "sender"), UnfoldAdminTextInputWidget
            ),
            **dict.fromkeys(_NUMBERS, UnfoldAdminIntegerFieldWidget),
            "certificates": UnfoldAdminTextareaWidget,
            "post": UnfoldBooleanWidget,
            "strategy": UnfoldAdminSelectWidget,
            "content_days": UnfoldAdminSelectWidget,
        }
        labels = {"base_url": _("Base URL")}
        help_texts = {"base_url": _("the address of the provider, as the centre gives it")}
        error_messages = {
            "base_url": {
                "invalid": _("Write the whole address, with http:// or https:// before it."),
                "required": _("Write the address of the provider."),
            }
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        addresses = new_link.list_centre_addresses()
        self.fields["centre"].choices = [("", _("pick a centre")), *addresses]  # type: ignore[attr-defined]
        self.has_centres = bool(addresses)
        self.fields["every"].initial = _DEFAULT
        self.fields["every"].choices = [  # type: ignore[attr-defined]
            *((words, schedule_words.describe(schedule_words.read(words))) for words in _SCHEDULES),
            (OTHER, _("at other times, see below")),
            (BY_HAND, _("only when somebody starts it")),
        ]
        kinds = {
            MetadataSet.Kind.PEER: _("peer"),
            MetadataSet.Kind.SHARED: _("shared"),
            MetadataSet.Kind.OWN: _("ours"),
        }
        self.fields["into"].choices = [  # type: ignore[attr-defined]
            ("", _("the one of the same name; it is made if it is not there")),
            *(
                (str(each.pk), f"{each.spec} ({kinds[MetadataSet.Kind(each.kind)]})")
                for each in new_link.list_local_sets()
            ),
            ("new", _("a new one of another name, see below")),
        ]
        self.fields["base_url"].widget.attrs |= {
            "type": "url",
            "autocomplete": "url",
            "placeholder": "https://gisc.example.org/oai",
        }

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        self._set_schedule()
        self.describe_passwords()
        for name in ("password", "proxy_password"):
            self[name].help_text = self.fields[name].help_text
        return cleaned

    def _set_schedule(self) -> None:
        values = self.cleaned_data
        every = values.get("every") or _DEFAULT
        self.instance.enabled = every != BY_HAND
        if values.get("other_times") and every != OTHER:  # else what was typed would be dropped without a word
            self.add_error("other_times", _("Pick “at other times” above, or leave this empty."))
        words = {OTHER: values.get("other_times", ""), BY_HAND: _DEFAULT}.get(every, every)
        field = "other_times"
        try:
            rhythm = schedule_words.read_rhythm(words)
            field = "windows"
            windows = schedule_words.read_windows(values.get("windows", ""))
            self.instance.schedule = schedule_words.check(replace(rhythm, windows=windows))
        except ActRefused as exc:
            self.add_error(field, as_sentence(str(exc)))

    @property
    def has_address(self) -> bool:
        """Whether somebody can be asked with what has been answered so far."""
        return not set(self.errors) & {*ADDRESS, "__all__"}

    @property
    def remote_set(self) -> str:
        """The set that is picked or typed; "": everything, or none yet."""
        pick = str(self["pick"].value() or "")
        if pick == TYPED:
            return str(self["typed_set"].value() or "").strip()
        return pick.removeprefix(_SET) if pick.startswith(_SET) else ""

    def set_choice(self) -> SetChoice:
        """Return what a valid form says of the sets. Raises ValidationError if none is picked."""
        values = self.cleaned_data
        if values["pick"] != EVERYTHING and not self.remote_set:
            raise ValidationError({"pick": _("Pick what is to be harvested.")})
        into = values["into"]
        if into == "new" and not values["new_spec"]:
            raise ValidationError({"new_spec": _("Write what the new set is called.")})
        return SetChoice(
            remote_set=self.remote_set,
            into=MetadataSet.objects.get(pk=into) if into.isdecimal() else None,
            spec=values["new_spec"] if not into.isdecimal() else "",
            name=values["new_name"],
            kind=values["new_kind"],
        )

    def add_faults(self, faults: new_link.Faults) -> None:
        """Put each sentence beside the field that it is about."""
        for field, sentences in faults.items():
            name = _FIELD_OF.get(field, field)
            for sentence in sentences:
                self.add_error(name if name in self.fields else None, sentence)

    def keep_passwords(self, request: HttpRequest) -> None:
        """Keep the passwords, sealed, in the session of this person while the page grows: no page gives them back."""
        link = self.instance
        if not (link.sealed_password or link.sealed_proxy_password):
            return
        drafts = dict(request.session.get(_SESSION_KEY, {}))
        drafts.pop(self.draft_id, None)
        drafts[self.draft_id] = {name: getattr(link, name) for name in _KEPT}
        request.session[_SESSION_KEY] = dict(list(drafts.items())[-_MAX_DRAFTS:])

    def forget_passwords(self, request: HttpRequest) -> None:
        """Forget what the session has kept for this page."""
        drafts = dict(request.session.get(_SESSION_KEY, {}))
        if drafts.pop(self.draft_id, None) is not None:
            request.session[_SESSION_KEY] = drafts

    @property
    def draft_id(self) -> str:
        return str(self["draft"].value() or "")


def empty_form(given: QueryDict) -> AddLinkForm:
    """Return the form of a new page, with what its address gives."""
    initial = {name: given[name] for name in ("base_url", *GIVEN) if given.get(name)}
    if given.get("set"):
        initial["pick"] = f"{_SET}{given['set']}"
    return AddLinkForm(initial=initial | {"draft": secrets.token_urlsafe(12)})


def bound_form(request: HttpRequest) -> AddLinkForm:
    """Return the form with what was sent; what the page has not shown yet is as it is in a new one."""
    data = request.POST.copy()
    data["base_url"] = data.get("base_url", "").strip() or data.get("centre", "")
    for field in AddLinkForm():
        if field.name not in data and not isinstance(field.field, forms.BooleanField):
            value = field.value()
            data[field.name] = "" if value is None else str(value)
    return AddLinkForm(data, instance=Link(**_kept_passwords(request, data)))


def _kept_passwords(request: HttpRequest, data: QueryDict) -> dict[str, str]:
    """Return the passwords that the session keeps for this page, for the same provider, proxy and users only."""
    kept = request.session.get(_SESSION_KEY, {}).get(data.get("draft", ""), {})
    found = {}
    if kept and kept["user"] == data.get("user") and _is_same_provider(kept["base_url"], str(data["base_url"])):
        found["sealed_password"] = kept["sealed_password"]
    if kept and (kept["proxy"], kept["proxy_user"]) == (data.get("proxy"), data.get("proxy_user")):
        found["sealed_proxy_password"] = kept["sealed_proxy_password"]
    return found


def _is_same_provider(kept_for: str, base_url: str) -> bool:
    try:
        return may_send_credentials(kept_for, base_url)
    except ValueError:  # an address that cannot be taken apart
        return False


def describe_next(form: AddLinkForm, now: datetime) -> str:
    """Return when a link that runs now runs next, as its schedule is in a form that was checked; "": it says no times."""
    link = form.instance
    if not link.enabled or set(form.errors) & set(WHEN):
        return ""
    return ", ".join(schedule_words.describe_next(link.schedule, schedule.next_start(link.schedule, now)))
