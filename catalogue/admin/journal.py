"""The admin page of the journal: what is on disk, what waits for it, and what is wrong; as `manage.py journal status` says."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import journal, journal_state
from catalogue.admin.base import Admin, ReadOnly, breakable
from catalogue.models import JournalOutbox


@admin.register(JournalOutbox)
class JournalOutboxAdmin(ReadOnly, Admin):
    """The journal: its state above, and below the events that are committed and not on disk yet."""

    empty_words = _("No event waits: all deletions are in the journal's files.")
    list_display = ("identifier_column", "event", "datestamp", "set_specs")
    change_list_template = "admin/catalogue/journaloutbox/change_list.html"
    sortable_by = ()
    ordering = ("pk",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        context: dict[str, Any] = {"title": gettext("Journal")}
        try:
            status = journal_state.status()
            context |= {"status": status, "files": journal_state.files(), "since": journal.waiting_since()}
        except OSError as exc:
            context["fault"] = f"{exc.filename}: {exc.strerror}"
        return super().changelist_view(request, context | (extra_context or {}))

    @admin.display(description=_("identifier"))
    def identifier_column(self, event: JournalOutbox) -> str:
        return breakable(event.identifier)
