"""The page on the quality of the metadata: labels, broken rules and scores of each set and centre, and all of it as CSV."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.admin.base import Admin, ReadOnly
from catalogue.documents import kpi
from catalogue.models import MetadataSet, Quality
from catalogue.pages.csv_lines import Echo, escape_formula
from catalogue.reading import quality


@admin.register(Quality)
class QualityAdmin(ReadOnly, Admin):
    """What the checks say of the records of each set and centre, as it was counted last; never the cause that a record is kept out."""

    empty_words = _("Nothing was counted yet. The quality of each set is counted once records are checked.")
    list_display = (
        "group", "kind", "live", "valid", "invalid", "not_checked", "faulty", "mean", "grade_counts",
    )  # fmt: skip
    list_filter = ("kind",)
    search_fields = ("name",)
    ordering = ("-kind", "-live", "name")
    fields = (
        "group", "kind", "live", "valid", "invalid", "not_checked", "faulty", "mean", "grade_counts", "indicators", "broken_rules",
        "counted_at", "downloads",
    )  # fmt: skip
    readonly_fields = fields
    change_list_template = "admin/catalogue/quality/change_list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("groups.csv", view(self.groups_csv), name="catalogue_quality_groups"),
            path("records.csv", view(self.records_csv), name="catalogue_quality_records"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        last = Quality.objects.order_by("-counted_at").values_list("counted_at", flat=True).first()
        return super().changelist_view(request, {"counted_at": last, **(extra_context or {})})

    def groups_csv(self, request: HttpRequest) -> StreamingHttpResponse:
        """Answer with all sets and centres as CSV."""
        return self._csv(request, "quality.csv", quality.OF_GROUPS, quality.of_groups())

    def records_csv(self, request: HttpRequest) -> StreamingHttpResponse:
        """Answer with each record as CSV: of `?of=ID` alone, or of all."""
        chosen = request.GET.get("of", "")
        if chosen and not (chosen.isascii() and chosen.isdigit() and len(chosen) < 19):
            raise Http404
        of = get_object_or_404(Quality, pk=int(chosen)) if chosen else None
        rows = quality.of_records() if of is None else _records_of(of)
        return self._csv(request, "quality-of-records.csv", quality.OF_RECORDS, rows)

    def _csv(
        self, request: HttpRequest, name: str, columns: Sequence[str], rows: Iterable[list[Any]]
    ) -> StreamingHttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(_lines(columns, rows), content_type="text/csv; charset=utf-8", headers=headers)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Quality]:
        found: QuerySet[Quality] = super().get_queryset(request)
        return found

    @admin.display(description=_("name"), ordering="name")
    def group(self, obj: Quality) -> str:
        return obj.name or gettext("no centre is named")

    @admin.display(description=_("mean score"), ordering="percent")
    def mean(self, obj: Quality) -> str:
        return "–" if obj.percent is None else f"{obj.percent:.1f} %"

    @admin.display(description=_("grades"))
    def grade_counts(self, obj: Quality) -> str:
        return ", ".join(f"{grade} {number:,}" for grade, number in obj.grades.items() if number) or "–"

    @admin.display(description=_("key performance indicators"))
    def indicators(self, obj: Quality) -> str:
        rows = (
            (number, name, gettext("not scored") if percent is None else f"{percent:.1f} %")
            for number, (name, percent) in enumerate(zip(kpi.NAMES, obj.kpis, strict=False), 1)
        )
        return format_html_join("", "KPI-{} {}: {}<br>", rows)

    @admin.display(description=_("broken rules"))
    def broken_rules(self, obj: Quality) -> str:
        rows = (
            (rule, ngettext("{number} record", "{number} records", number).format(number=f"{number:,}"))
            for rule, number in obj.rules.items()
        )
        return format_html_join("", "{}: {}<br>", rows) or gettext("none")

    @admin.display(description=_("as CSV"))
    def downloads(self, obj: Quality) -> str:
        address = f"{reverse('admin:catalogue_quality_records')}?of={obj.pk}"
        return format_html('<a class="text-link" href="{}">{}</a>', address, gettext("each record"))


def _records_of(of: Quality) -> Iterator[list[Any]]:
    if of.kind == Quality.Kind.CENTRE:
        return quality.of_records(centre=of.name)
    if of.name == oai.CATALOGUE_SET:
        return quality.of_records()
    return quality.of_records(set_id=MetadataSet.objects.filter(spec=of.name).values_list("pk", flat=True).first() or 0)


def _lines(columns: Sequence[str], rows: Iterable[list[Any]]) -> Iterator[str]:
    writer = csv.writer(Echo())
    yield str(writer.writerow(columns))
    for row in rows:
        yield str(writer.writerow([escape_formula(value) if isinstance(value, str) else value for value in row]))
