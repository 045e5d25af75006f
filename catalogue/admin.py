"""The catalogue in the admin: records to browse, sets to name, and the accounts of those who may.

Records are read-only here, because a hand edit would skip the datestamp. No rule lives in this file.
"""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import axes.admin  # registers its models, so that ours below replace them
import django.contrib.auth.admin as auth_admin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.forms import ChoiceField
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.views import ChangeList

from catalogue import display, oai, search, sets, stats, validation
from catalogue.models import JournalOutbox, Membership, MetadataSet, Record, Validation
from catalogue.paging import EstimatedPaginator

Column = TypeVar("Column", bound=Callable[..., Any])
if TYPE_CHECKING:
    _UserAdmin = auth_admin.UserAdmin[User]
else:
    _UserAdmin = auth_admin.UserAdmin


class _ChangeList(ChangeList):  # type: ignore[misc]
    """A list that offers "show all" only where something is filtered out."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count


class Admin(ModelAdmin):  # type: ignore[misc]  # unfold comes without types
    """What all our admin pages share: a large table is never counted."""

    paginator = EstimatedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    list_filter_sheet = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return _ChangeList


class ReadOnly:
    """Mixin: rows are looked at and not touched."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def coloured(colours: Mapping[str, str], *, description: str) -> Callable[[Column], Column]:
    """A column whose words stand on a colour. Its method returns a word of `colours`, or that and the text to show."""

    def mark(method: Column) -> Column:
        method.short_description = description  # type: ignore[attr-defined]
        method.label = dict(colours)  # type: ignore[attr-defined]
        return method

    return mark


def breakable(text: str) -> str:
    """A long word, such as an identifier, that may be broken where the column ends."""
    return format_html('<span style="overflow-wrap: anywhere">{}</span>', text)


def preformatted(text: str) -> str:
    """Text as it stands, in a box that scrolls; empty for none."""
    if not text:
        return ""
    return format_html(
        '<pre class="bg-base-50 border border-base-200 rounded-default p-3 text-xs overflow-auto dark:bg-base-800 '
        'dark:border-base-700" style="max-height: 40rem; white-space: pre-wrap; overflow-wrap: anywhere">{}</pre>',
        text,
    )


class MembershipInline(ReadOnly, TabularInline):  # type: ignore[misc]
    """The sets of one record."""

    model = Membership
    fields = ("set", "datestamp", "status")
    readonly_fields = fields
    verbose_name_plural = "Memberships"
    hide_title = True
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        found: QuerySet[Membership] = super().get_queryset(request)
        return found.select_related("set")

    @admin.display
    def status(self, membership: Membership) -> str:
        return "deleted" if membership.deleted else "live"


class StructureFilter(admin.SimpleListFilter):
    """What the checks said. A label of an earlier version counts until the new one has been checked."""

    title = "checks"
    parameter_name = "checks"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*Validation.Structure.choices, ("faults", "with faults of any rule")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        live = queryset.filter(deleted=False)
        match self.value():
            case None:
                return queryset
            case "faults":
                return live.exclude(validation=None).exclude(validation__faults=[])
            case Validation.Structure.NOT_CHECKED.value:
                return live.filter(Q(validation=None) | Q(validation__structure=Validation.Structure.NOT_CHECKED))
            case structure:
                return live.filter(validation__structure=structure)


# Read on the page of one record only.
_NOT_LISTED = ("abstract", "keywords", "categories", "boxes")


@admin.register(Record)
class RecordAdmin(ReadOnly, Admin):
    """Records, newest first. The texts and the payload are read on the page of one record only."""

    list_display = ("breakable_identifier", "title", "datestamp", "status", "structure", "owner")
    list_filter = ("deleted", StructureFilter, "owner")
    list_select_related = ("owner", "description", "validation")
    sortable_by = ()
    ordering = ("-datestamp", "-id")
    search_fields = ("identifier",)  # makes the field appear; get_search_results says what it does
    search_help_text = "Words of the title, keywords and abstract, or a whole identifier"
    fieldsets = (
        ("Header", {"fields": ("identifier", "datestamp", "status", "owner", "sets")}),
        (
            "What the record says",
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
        ("Checks", {"fields": ("structure", "checked", "faults")}),
        ("Where it came from", {"fields": ("origin",)}),
        ("Metadata", {"fields": ("xml",)}),
    )
    inlines = (MembershipInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Record]:
        found: QuerySet[Record] = super().get_queryset(request)
        return found.defer("payload", "validation__faults", *(f"description__{name}" for name in _NOT_LISTED))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Record], search_term: str
    ) -> tuple[QuerySet[Record], bool]:
        """The one record whose identifier this is, live or deleted; else what the public search finds."""
        if not search_term.strip():
            return queryset, False
        named = queryset.filter(key=oai.identifier_key(search_term))
        return (named if named.exists() else queryset & search.records(search_term)), False

    def get_view_on_site_url(self, obj: Record | None = None) -> str | None:
        return None if obj is None else f"{reverse('catalogue:record')}?{urlencode({'id': obj.identifier})}"

    @admin.display
    def title(self, record: Record) -> str:
        return getattr(record, "description", None) and record.description.title or ""

    @coloured({"live": "success", "deleted": "danger"}, description="status")
    def status(self, record: Record) -> str:
        return "deleted" if record.deleted else "live"

    @admin.display(description="setSpecs")
    def sets(self, record: Record) -> str:
        return ", ".join(record.set_specs)

    @admin.display
    def abstract(self, record: Record) -> str:
        return record.description.abstract

    @admin.display
    def keywords(self, record: Record) -> str:
        return " · ".join(record.description.keywords)

    @admin.display(description="WMO categories")
    def categories(self, record: Record) -> str:
        return " · ".join(record.description.categories)

    @admin.display(description="data")
    def links(self, record: Record) -> str:
        links = display.details(record.payload).links
        rows = ((link.url, link.name or "no name", link.protocol) for link in links)
        return format_html_join("", "{} ({}) {}<br>", rows)

    @admin.display
    def contacts(self, record: Record) -> str:
        rows = ((party.name, party.role, party.email) for party in display.details(record.payload).contacts)
        return format_html_join("", "{} ({}) {}<br>", rows)

    @coloured({"valid": "success", "invalid": "danger", "not checked": "info"}, description="schemas")
    def structure(self, record: Record) -> str:
        found = validation.standing(record)
        if record.deleted:
            return ""
        return found.structure if found else Validation.Structure.NOT_CHECKED.value

    @admin.display
    def checked(self, record: Record) -> str:
        found = validation.standing(record)
        if found is None:
            return "waits for its turn"
        return f"{found.checked:%Y-%m-%d %H:%M:%S} UTC, by {found.schema or 'no schemas'} and the WMO Core Profile 1.3"

    @admin.display
    def faults(self, record: Record) -> str:
        found = validation.standing(record)
        if found is None:
            return ""
        rows = ((fault["rule"], fault["text"]) for fault in found.faults)
        return format_html_join("", "<strong>{}</strong> {}<br>", rows) or "none"

    @admin.display
    def area(self, record: Record) -> str:
        return format_html_join("", "{}<br>", ((display.box(corners),) for corners in record.description.boxes))

    @admin.display(description="time extent")
    def time(self, record: Record) -> str:
        return display.span(record.description.begins, record.description.ends)

    @admin.display(description="identifier")
    def breakable_identifier(self, record: Record) -> str:
        return breakable(record.identifier)

    @admin.display(description="provenance")
    def origin(self, record: Record) -> str:
        if record.provenance is None:
            return "not harvested"
        return preformatted(json.dumps(record.provenance, ensure_ascii=False, indent=2))

    @admin.display
    def language(self, record: Record) -> str:
        return record.description.language

    @admin.display(description="XML")
    def xml(self, record: Record) -> str:
        return preformatted(display.stored(record.payload))


@admin.register(MetadataSet)
class MetadataSetAdmin(Admin):
    """Sets. What other rows refer to keeps its setSpec and kind; the own set and the catalogue's set stay."""

    list_display = ("spec", "name", "kind_word", "public", "live", "newest")
    list_filter = ("kind", "public")
    fields = ("spec", "name", "description", "kind", "public")
    sortable_by = ()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        self._figures = stats.by_set()
        return super().changelist_view(request, extra_context)

    def save_model(self, request: HttpRequest, obj: MetadataSet, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        sets.relate(obj)

    def get_readonly_fields(self, request: HttpRequest, obj: MetadataSet | None = None) -> tuple[str, ...]:
        return ("spec", "kind") if obj is not None and (_is_given(obj) or _is_in_use(obj)) else ()

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> ChoiceField:
        if db_field.name == "kind":
            kwargs["choices"] = [choice for choice in MetadataSet.Kind.choices if choice[0] not in _GIVEN]
        field: ChoiceField = super().formfield_for_choice_field(db_field, request, **kwargs)
        return field

    def has_delete_permission(self, request: HttpRequest, obj: MetadataSet | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and not (obj is not None and _is_given(obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """What deleting these would meet, without reading a million memberships to say so."""
        refused = {MetadataSet._meta.verbose_name for obj in objs if not self.has_delete_permission(request, obj)}
        protected = [f"{obj}: its records, or a link that stores into it" for obj in objs if _is_in_use(obj)]
        return [str(obj) for obj in objs], {"sets": len(objs)}, {str(name) for name in refused}, protected

    @admin.display(description="kind")
    def kind_word(self, obj: MetadataSet) -> str:
        return obj.get_kind_display().partition(":")[0]

    @admin.display(description="live records")
    def live(self, obj: MetadataSet) -> int:
        return int(self._figures.get(obj.spec, {}).get("live", 0))

    @admin.display(description="newest change")
    def newest(self, obj: MetadataSet) -> str:
        return self._figures.get(obj.spec, {}).get("newest") or "–"


_GIVEN = (MetadataSet.Kind.OWN, MetadataSet.Kind.CATALOGUE)


def _is_given(obj: MetadataSet) -> bool:
    """Whether the node made this set itself and needs it."""
    return obj.kind in _GIVEN


def _is_in_use(obj: MetadataSet) -> bool:
    """Whether any row refers to the set: a record, a membership, a link."""
    relations = MetadataSet._meta.related_objects
    tests = {
        relation.name: Exists(relation.related_model._base_manager.filter(**{relation.field.name: OuterRef("pk")}))
        for relation in relations
    }
    found = MetadataSet.objects.filter(pk=obj.pk).values_list(*(tests[name] for name in tests)).first()
    return found is not None and any(found)


@admin.register(JournalOutbox)
class JournalOutboxAdmin(ReadOnly, Admin):
    """Deletions that are committed and not yet on disk. Shown only while there are some."""

    list_display = ("identifier", "event", "datestamp", "set_specs")
    sortable_by = ()
    ordering = ("pk",)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(super().has_module_permission(request)) and journal_waits(request)


def journal_waits(_request: HttpRequest) -> bool:
    """Whether events wait for the journal; also asked by the sidebar."""
    return JournalOutbox.objects.exists()


# --- Accounts ----------------------------------------------------------------------------------------

admin.site.unregister([User, Group, AccessAttempt, AccessFailureLog, AccessLog])


@admin.register(User)
class UserAdmin(_UserAdmin, Admin):  # type: ignore[misc]
    """Django's accounts, in this admin's clothes."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(auth_admin.GroupAdmin, Admin):  # type: ignore[misc]
    """Django's groups."""


@admin.register(AccessAttempt)
class AccessAttemptAdmin(axes.admin.AccessAttemptAdmin, Admin):  # type: ignore[misc]
    """Failed logins. Deleting the attempts of an account lets it in again before its waiting time is over."""


@admin.register(AccessFailureLog)
class AccessFailureLogAdmin(axes.admin.AccessFailureLogAdmin, Admin):  # type: ignore[misc]
    """Each failed login."""


@admin.register(AccessLog)
class AccessLogAdmin(axes.admin.AccessLogAdmin, Admin):  # type: ignore[misc]
    """Each login and logout."""


from catalogue import admin_claims  # noqa: E402, F401  (registers one more page, made of what stands above)
