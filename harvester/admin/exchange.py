"""Pages that import a list from a CSV file and export it."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminFileFieldWidget

from harvester.links.exchange import MAX_BYTES, Exchanged


class ImportForm(forms.Form):
    """A CSV file."""

    file = forms.FileField(label=_("CSV file"), widget=UnfoldAdminFileFieldWidget)


class ExchangePages:
    """Mixin of the admin pages of a model: import and export of its rows. No provider is asked."""

    actions_list = ("import_csv", "export_csv")
    exchanged: ClassVar[Exchanged]

    @action(  # type: ignore[untyped-decorator]
        description=_("Import CSV"), url_path="import", permissions=["add", "change"]
    )
    def import_csv(self: Any, request: HttpRequest) -> HttpResponse:
        """Store the lines of a file: all, or none with a sentence for each that is wrong."""
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied
        changelist = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        form = ImportForm(request.POST or None, request.FILES or None)
        faults: tuple[str, ...] = ()
        if request.method == "POST" and form.is_valid():
            report = self.exchanged.import_rows(form.cleaned_data["file"].read(MAX_BYTES + 1))
            if not report.faults:
                self.message_user(request, report.text, messages.SUCCESS)
                return redirect(changelist)
            faults = report.faults
        context = {
            **self.admin_site.each_context(request),
            "title": _("Import %s from a CSV file") % self.opts.verbose_name_plural,
            "opts": self.opts,
            "form": form,
            "faults": faults,
            "columns": ", ".join(self.exchanged.columns),
            "changelist": changelist,
        }
        return TemplateResponse(request, "admin/harvester/import.html", context)

    @action(description=_("Export CSV"), url_path="export", permissions=["view"])  # type: ignore[untyped-decorator]
    def export_csv(self: Any, request: HttpRequest) -> HttpResponse:
        """Answer with all rows as a file, without passwords."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        name = str(self.opts.verbose_name_plural)
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return HttpResponse(self.exchanged.export_rows(), content_type="text/csv; charset=utf-8", headers=headers)
