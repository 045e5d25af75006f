"""Admin pages of records. No form changes one: what is done to records, and their history, is in `record_*`."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline

from catalogue import validation
from catalogue.admin.base import Admin, ReadOnly, breakable, coloured, preformatted
from catalogue.admin.record_acts import RecordActs
from catalogue.admin.record_filters import GradeFilter, SetFilter, SinceFilter, SourceFilter, StructureFilter
from catalogue.admin.record_pages import RecordPages, buttons
from catalogue.models import Category, Membership, Record, Validation
from catalogue.pages import display, score_words
from catalogue.pages.paging import LIMITS
from catalogue.payloads import readable
from catalogue.reading import stats
from catalogue.reading.query import search
from catalogue.reading.query.search import QueryTooCostly
from catalogue.reasons import Reason, ReasonCode
from catalogue.writing import visibility


class MembershipInline(ReadOnly, TabularInline):  # type: ignore[misc]
    """The sets of one record."""

    model = Membership
    fields = ("set", "datestamp", "status")
    readonly_fields = fields
    verbose_name_plural = _("Memberships")
    extra = 0
    if hasattr(TabularInline, "show_title"):  # django-unfold for Python 3.12 and later
        show_title = False
    else:
        hide_title = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        found: QuerySet[Membership] = super().get_queryset(request)
        return found.select_related("set")

    @admin.display(description=_("status"))
    def status(self, membership: Membership) -> str:
        return gettext("deleted") if membership.deleted else gettext("live")


# Read for the page of one record only.
_NOT_LISTED = ("abstract", "keywords", "categories", "boxes")

_MOST_RESTRICTED = 500  # chosen: the page that asks has a field for each, and Django takes 1,000 fields


@admin.register(Record)
class RecordAdmin(RecordActs, RecordPages, ReadOnly, Admin):
    """Records, newest first. The texts and the payload are read for the page of one record only."""

    empty_words = _("No record yet. Records come by links, by uploads, and by the command ingest.")
    list_display = ("breakable_identifier", "title", "datestamp", "status", "structure", "owner", "source")
    list_filter = (SetFilter, "deleted", StructureFilter, GradeFilter, SourceFilter, SinceFilter)
    change_list_template = "admin/catalogue/record/change_list.html"
    change_form_template = "admin/catalogue/record/change_form.html"
    actions = ("withdraw", "move", "restrict")
    list_select_related = ("owner", "description", "validation")
    sortable_by = ()
    ordering = ("-datestamp", "-id")
    search_fields = ("identifier",)  # makes the field appear; get_search_results says what it does
    search_help_text = _("Words of the title, keywords and abstract, or a whole identifier")
    fieldsets = (
        (_("Header"), {"fields": ("identifier", "spelled", "datestamp", "status", "owner", "sets", "seen_by")}),
        (
            _("What the record says"),
            {
                "fields": (
                    "title",
                    "abstract",
                    "keywords",
                    "categories",
                    "area",
                    "time",
                    "language",
                    "metadata_date",
                    "links",
                    "contacts",
                )
            },
        ),
        (_("Checks"), {"fields": ("structure", "checked", "faults", "grade", "scores")}),
        (_("Where it came from"), {"fields": ("origin",)}),
        (_("Metadata"), {"fields": ("xml",)}),
    )
    inlines = (MembershipInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Record]:
        found: QuerySet[Record] = super().get_queryset(request)
        return found.defer("payload", "validation__faults", *(f"description__{name}" for name in _NOT_LISTED))

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Return the order of the list of one set, where that is asked for: each has an index."""
        if request.GET.get(SetFilter.parameter_name):
            return ("-memberships__datestamp", "-memberships__record_id")
        return self.ordering

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        context = {"size": stats.size_of(), "most_hits": LIMITS.in_force.rows, **(extra_context or {})}
        return super().changelist_view(request, context)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own_urls = [
            path("act/<slug:name>/", view(self.act_view), name="catalogue_record_act"),
            path("<int:object_id>/replace/", view(self.replace_view), name="catalogue_record_replace"),
            path("<int:object_id>/restore/<int:number>/", view(self.restore_view), name="catalogue_record_restore"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own_urls + urls

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        record = self.get_object(request, object_id)
        context: dict[str, Any] = {}
        if record is not None:
            context = {
                "versions": record.versions.count(),
                "source_words": self.source(record) and gettext("Source: {name}.").format(name=self.source(record)),
                "buttons": list(buttons(record)) if self.has_act_permission(request) else (),
            }
        page: HttpResponse = super().change_view(request, object_id, form_url, context | (extra_context or {}))
        return page

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Record], search_term: str
    ) -> tuple[QuerySet[Record], bool]:
        """Find the record with this identifier, live or deleted; else what the public search finds."""
        if not search_term.strip():
            return queryset, False
        named = queryset.filter(pk__in=Record.objects.named(search_term))
        if named.exists():
            return named, False
        try:
            page = search.newest(search_term)
        except QueryTooCostly:
            text = gettext("This search would cost too much: add a word, and one that is not between quotation marks.")
            self.message_user(request, text, messages.WARNING)
            return queryset.none(), False
        if page.next:
            text = gettext(
                "More than {number} records have these words: only the newest are listed and filtered. Add a word."
            )
            self.message_user(request, text.format(number=len(page.keys)), messages.WARNING)
        return queryset.filter(pk__in=page.keys), False

    def get_view_on_site_url(self, obj: Record | None = None) -> str | None:
        return None if obj is None else f"{reverse('catalogue:record')}?{urlencode({'id': obj.identifier})}"

    @admin.display(description=_("title"))
    def title(self, record: Record) -> str:
        return getattr(record, "description", None) and record.description.title or ""

    @coloured({"live": "success", "deleted": "danger"}, description=_("status"))
    def status(self, record: Record) -> tuple[str, str]:
        return ("deleted", gettext("deleted")) if record.deleted else ("live", gettext("live"))

    def has_restrict_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("catalogue.change_record"))

    @admin.display(description=_("who sees it"))
    def seen_by(self, record: Record) -> str:
        """Who sees the record, and why."""
        why = visibility.reasons(record)
        return " ".join(why) or gettext("everybody")

    @admin.action(description=_("Change who sees them ..."), permissions=["restrict"])
    def restrict(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse | None:
        """Give the chosen records a category of their own; first ask which one."""
        if queryset.count() > _MOST_RESTRICTED:
            words = gettext(
                "At most {most} records at a time. Of more, say it on the page of their set or of their link."
            )
            self.message_user(request, words.format(most=_MOST_RESTRICTED), messages.ERROR)
            return None
        categories = {str(each.pk): each for each in Category.objects.all()}
        chosen = request.POST.get("category")
        if chosen is None or (chosen and chosen not in categories):
            return TemplateResponse(
                request,
                "admin/catalogue/record/restrict.html",
                {
                    **self.admin_site.each_context(request),
                    "title": gettext("Who sees these records?"),
                    "opts": Record._meta,
                    "records": queryset,
                    "categories": [(pk, each.name, visibility.describe(each)) for pk, each in categories.items()],
                },
            )
        identifiers = list(queryset.values_list("identifier", flat=True))
        changed = visibility.restrict_records(identifiers, categories.get(chosen))
        text = gettext("Records that are seen by others now: {number} of {all}.")
        text = text.format(number=changed, all=len(identifiers))
        self.message_user(request, text, messages.SUCCESS)
        return None

    @admin.display(description=_("spelling"))
    def spelled(self, record: Record) -> str:
        """Whether the metadata spell the identifier otherwise, and why it stays as it is (F74)."""
        if not record.spelling:
            return gettext("as in the metadata")
        return str(Reason(ReasonCode.SPELLING_STAYS, {"spelling": record.spelling, "stored": record.key}))

    @admin.display(description=_("source"))
    def source(self, record: Record) -> str:
        """The link that the content came by; empty for a deleted record, which does not say."""
        if record.deleted:
            return ""
        return (record.provenance or {}).get("link") or gettext("put in here")

    @admin.display(description=_("setSpecs"))
    def sets(self, record: Record) -> str:
        return ", ".join(record.set_specs)

    @admin.display(description=_("abstract"))
    def abstract(self, record: Record) -> str:
        return record.description.abstract

    @admin.display(description=_("keywords"))
    def keywords(self, record: Record) -> str:
        return " · ".join(record.description.keywords)

    @admin.display(description=_("WMO categories"))
    def categories(self, record: Record) -> str:
        return " · ".join(map(display.code_in_words, record.description.categories))

    @admin.display(description=_("data"))
    def links(self, record: Record) -> str:
        links = display.details(readable.payload_of(record)).links
        rows = ((link.url, link.name or gettext("no name"), link.protocol) for link in links)
        return format_html_join("", "{} ({}) {}<br>", rows)

    @admin.display(description=_("contacts"))
    def contacts(self, record: Record) -> str:
        rows = (
            (party.name, display.code_in_words(party.role), party.email)
            for party in display.details(readable.payload_of(record)).contacts
        )
        return format_html_join("", "{} ({}) {}<br>", rows)

    @coloured({"valid": "success", "invalid": "danger", "not checked": "info"}, description=_("schemas"))
    def structure(self, record: Record) -> str | tuple[str, str]:
        label = validation.current_label(record)
        if record.deleted:
            return ""
        structure = Validation.Structure(label.structure) if label else Validation.Structure.NOT_CHECKED
        return structure.value, str(structure.label)

    @admin.display(description=_("checked"))
    def checked(self, record: Record) -> str:
        label = validation.current_label(record)
        if label is None:
            return gettext("not checked yet")
        return gettext("{checked:%Y-%m-%d %H:%M:%S} UTC, by {schema} and the WMO Core Profile 1.3").format(
            checked=label.checked, schema=label.schema or gettext("no schemas")
        )

    @admin.display(description=_("faults"))
    def faults(self, record: Record) -> str:
        label = validation.current_label(record)
        if label is None:
            return ""
        rows = ((fault["rule"], fault["text"]) for fault in label.faults)
        return format_html_join("", "<strong>{}</strong> {}<br>", rows) or gettext("none")

    @admin.display(description=_("grade"))
    def grade(self, record: Record) -> str:
        label = validation.current_label(record)
        return "" if label is None or label.percent is None else score_words.grade(label)

    @admin.display(description=_("key performance indicators"))
    def scores(self, record: Record) -> str:
        label = validation.current_label(record)
        rows = [] if label is None else score_words.scores(label)
        return format_html_join("", "KPI-{} {}: {}<br>", ((row.number, row.name, row.words) for row in rows))

    @admin.display(description=_("area"))
    def area(self, record: Record) -> str:
        return format_html_join("", "{}<br>", ((display.box(corners),) for corners in record.description.boxes))

    @admin.display(description=_("time extent"))
    def time(self, record: Record) -> str:
        return display.span(record.description.begins, record.description.ends)

    @admin.display(description=_("identifier"))
    def breakable_identifier(self, record: Record) -> str:
        return breakable(record.identifier)

    @admin.display(description=_("provenance"))
    def origin(self, record: Record) -> str:
        if record.provenance is None:
            return gettext("not harvested")
        return preformatted(json.dumps(record.provenance, ensure_ascii=False, indent=2))

    @admin.display(description=_("language"))
    def language(self, record: Record) -> str:
        return display.language_in_words(record.description.language)

    @admin.display(description=_("XML"))
    def xml(self, record: Record) -> str:
        return preformatted(display.stored(readable.payload_of(record)))
