"""The form of a link that is saved: its schedule in words, checked with its prefix."""

from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from catalogue.reasons import ActRefused
from harvester import schedule_words
from harvester.admin.access_form import CheckedPrefixMixin, LinkForm
from harvester.messages import as_sentence
from harvester.models.link_schedule import SCHEDULE
from harvester.schedule import Schedule

SUGGESTIONS = (
    *("every 15 minutes", "every hour", "every 3 hours", "every 6 hours", "every 12 hours", "every 24 hours"),
    *("daily at 03:15 UTC", "weekly on Monday at 03:15 UTC"),
)


class ScheduleWidget(UnfoldAdminTextInputWidget):  # type: ignore[misc]  # unfold comes without types
    """A text field that suggests schedules; the browser lists them, without a script."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        list_id = f"{(attrs or {}).get('id', name)}-suggestions"
        field = super().render(name, value, {**(attrs or {}), "list": list_id, "autocomplete": "off"}, renderer)
        options = format_html_join("", '<option value="{}"></option>', ((each,) for each in SUGGESTIONS))
        return format_html('{}<datalist id="{}">{}</datalist>', field, list_id, options)


class CheckedLinkForm(CheckedPrefixMixin, LinkForm):
    """The form of a link that is saved."""

    schedule = forms.CharField(
        label=_("Harvest it"),
        max_length=80,
        widget=ScheduleWidget,
        help_text=_(
            "In words: “every 6 hours” (from the start of the last run), “daily at 03:15”, “weekly on Monday at 03:15”. "
            "All times are UTC."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("schedule", schedule_words.write(replace(self.instance.schedule, windows=())))

    def clean_schedule(self) -> Schedule:
        """Read the words, and put what they say into the link."""
        try:
            found = schedule_words.read_rhythm(self.cleaned_data["schedule"])
        except ActRefused as exc:
            raise ValidationError(as_sentence(str(exc))) from exc
        windows = self.instance.windows
        self.instance.schedule = found
        self.instance.windows = windows
        return found

    def clean_windows(self) -> str:
        """Write them as they are stored."""
        try:
            return schedule_words.write_windows(schedule_words.read_windows(self.cleaned_data["windows"]))
        except ActRefused as exc:
            raise ValidationError(as_sentence(str(exc))) from exc

    @property
    def changed_fields(self) -> set[str]:
        """The fields of the model to save."""
        changed = super().changed_fields
        return (changed - {"schedule"}) | SCHEDULE if "schedule" in changed else changed
