"""Recipients of alerts, and the log of what was sent to whom, what waits, and what failed."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminPasswordWidget

from catalogue.admin.base import Admin, ReadOnly, coloured, preformatted
from gisc.alerts import channels, outbox
from gisc.alerts.models import Message, Recipient
from gisc.problem_reasons import NAMES, ProblemCode

_STATES = {"sent": _("sent"), "waits": _("waits"), "failed": _("failed")}
_COLOURS = {"sent": "success", "waits": "info", "failed": "danger"}


class RecipientForm(forms.ModelForm):  # type: ignore[type-arg]
    """A recipient. The address of a service can be entered, and is never displayed."""

    service_url = forms.CharField(
        label=_("Address of a service"),
        required=False,
        max_length=2000,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "off"}),
    )
    codes = forms.MultipleChoiceField(
        label=_("Kinds of problems"),
        required=False,
        choices=lambda: [(str(code), gettext(NAMES[code])) for code in ProblemCode],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("None chosen: all kinds."),
    )

    class Meta:
        model = Recipient
        fields: tuple[str, ...] = ()  # set by the page that uses the form

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "service_url" in self.fields:  # absent for users who may only view
            stored = gettext("One of {service} is stored, and not shown; leave this empty to keep it.")
            example = gettext(
                "Instead of e-mail: as apprise writes it, such as ntfys://host/topic, json://host/path, slack://…"
            )
            service = self.instance.service
            self.fields["service_url"].help_text = stored.format(service=service) if service else example

    def clean_service_url(self) -> str:
        url = str(self.cleaned_data["service_url"])
        if url:
            try:
                self.service = channels.service_name(url)
            except channels.AddressRefused as exc:
                raise ValidationError(str(exc)) from None
        return url

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        email, url = self.cleaned_data.get("email"), self.cleaned_data.get("service_url")
        if email and url:
            self.add_error("email", gettext("Give an e-mail address or the address of a service, not both."))
        elif url:
            self.instance.set_url(url, self.service)
        elif email:
            self.instance.sealed_url = self.instance.service = ""
        elif not self.instance.sealed_url and "service_url" not in self.errors:
            self.add_error("email", gettext("Give an e-mail address, or the address of a service."))
        return cleaned


@admin.register(Recipient)
class RecipientAdmin(Admin):
    """Who is alerted, of what, and how."""

    empty_words = _(
        "Nobody is alerted. A recipient is a person or a service that learns of problems by e-mail or by an address."
    )
    form = RecipientForm
    list_display = ("name", "address", "enabled", "least_severity", "weekly")
    search_fields = ("name", "email", "service")
    actions = ("send_test",)
    actions_submit_line = ("save_and_test",)
    fieldsets = (
        (None, {"fields": ("name", "email", "service_url", "enabled")}),
        (_("Which problems"), {"fields": ("least_severity", "links", "node")}),
        (_("Only some kinds of problems"), {"classes": ("collapse",), "fields": ("codes",)}),
        (_("Weekly summary"), {"fields": ("weekly", ("weekly_day", "weekly_hour"))}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Recipient | None = None) -> Any:
        if obj is None or self.has_change_permission(request, obj):
            return self.fieldsets
        # Whoever may only view sees the values of fields, and the address of a service has none.
        return ((None, {"fields": ("name", "email", "enabled")}), *self.fieldsets[1:])

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {**(extra_context or {}), "actions_submit_line": self.get_actions_submit_line(request, None)}
        return cast(HttpResponse, super().add_view(request, form_url, context))

    @admin.display(description=_("address"))
    def address(self, recipient: Recipient) -> str:
        return recipient.email or gettext("{service} (address not shown)").format(service=recipient.service)

    @admin.action(description=_("Send a test"), permissions=["change"])
    def send_test(self, request: HttpRequest, queryset: QuerySet[Recipient]) -> None:
        for recipient in queryset:
            self._test(request, recipient)

    @action(description=_("Save and send a test"), permissions=["change"])  # type: ignore[untyped-decorator]
    def save_and_test(self, request: HttpRequest, obj: Recipient) -> None:
        # After the commit: a mail server may take its time, and what was not saved is not tested.
        transaction.on_commit(lambda: self._test(request, obj))

    def _test(self, request: HttpRequest, recipient: Recipient) -> None:
        if fault := outbox.send_test(recipient):
            text = gettext("Nothing was sent to {name}. {fault}").format(name=recipient, fault=fault)
            self.message_user(request, text, messages.ERROR)
        else:
            text = gettext("A test was sent to {name}. Look whether it has arrived.").format(name=recipient)
            self.message_user(request, text, messages.SUCCESS)


class StateFilter(admin.SimpleListFilter):
    """Filter by whether an alert was sent."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(_STATES.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Message]) -> QuerySet[Message]:
        conditions: dict[str, dict[str, Any]] = {
            "sent": {"sent__isnull": False},
            "waits": {"sent": None, "fault": ""},
            "failed": {"sent": None, "fault__gt": ""},
        }
        return queryset.filter(**conditions.get(self.value() or "", {}))


@admin.register(Message)
class MessageAdmin(ReadOnly, Admin):
    """The log of alerts, read-only."""

    empty_words = _("No alert was sent, and none waits.")
    list_display = ("title", "recipient", "kind", "created", "state_column", "sent", "fault")
    list_filter = (StateFilter, "kind", "recipient")
    list_select_related = ("recipient",)
    search_fields = ("title", "body")
    fields = (
        "title",
        "recipient",
        "kind",
        "created",
        "sent",
        "state",
        "attempts",
        "not_before",
        "fault",
        "text",
    )
    readonly_fields = ("state", "text")

    @coloured(_COLOURS, description=_("state"))
    def state_column(self, message: Message) -> tuple[str, Any]:
        key = "sent" if message.sent is not None else "failed" if message.fault else "waits"
        return key, _STATES[key]

    @admin.display(description=_("state"))
    def state(self, message: Message) -> str:
        return str(self.state_column(message)[1])

    @admin.display(description=_("text"))
    def text(self, message: Message) -> str:
        return preformatted(message.body)
