"""The journal's outbox in the admin: deletions that are committed and not yet on disk."""

from django.contrib import admin
from django.http import HttpRequest

from catalogue.admin import Admin, ReadOnly
from catalogue.models import JournalOutbox


@admin.register(JournalOutbox)
class JournalOutboxAdmin(ReadOnly, Admin):
    """Shown only while there are some."""

    list_display = ("identifier", "event", "datestamp", "set_specs")
    sortable_by = ()
    ordering = ("pk",)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(super().has_module_permission(request)) and JournalOutbox.objects.exists()
