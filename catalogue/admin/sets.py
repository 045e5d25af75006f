"""Admin pages of sets."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Exists, OuterRef
from django.forms import ChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.admin import set_members, set_search
from catalogue.admin.base import Admin
from catalogue.models import Category, MetadataSet, VisibilityChange
from catalogue.reading import stats
from catalogue.writing import set_inclusion, set_searches, visibility


@admin.register(MetadataSet)
class MetadataSetAdmin(Admin):
    """Sets. A set that rows refer to keeps its setSpec and kind; the own set and the catalogue's cannot be deleted."""

    empty_words = _("No set yet. A set is a part of the catalogue that harvesters may ask for.")
    list_display = ("spec", "name", "kind_name", "public", "category", "live", "newest")
    list_filter = ("kind", "public", "category")
    list_select_related = ("category",)
    fields = ("spec", "name", "description", "kind", "public", "category", "of_records", "fed_here")
    sortable_by = ()
    change_list_template = "admin/catalogue/set/change_list.html"
    change_form_template = "admin/catalogue/set/change_form.html"
    delete_confirmation_template = "admin/catalogue/set/delete_confirmation.html"

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        members = self.admin_site.admin_view(partial(set_members.members_view, self))
        progress = self.admin_site.admin_view(partial(set_members.progress_view, self))
        search = self.admin_site.admin_view(partial(set_search.search_view, self))
        return [
            path("<int:object_id>/search/", search, name="catalogue_metadataset_search"),
            path("<int:object_id>/members/", members, name="catalogue_metadataset_members"),
            path("<int:object_id>/progress/", progress, name="catalogue_metadataset_progress"),
            *urls,
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        self._figures = stats.by_set(with_hidden=True)
        whole = self._figures[oai.CATALOGUE_SET]
        figures = {"live": whole["live"], "deleted": whole["deleted"]}
        return super().changelist_view(request, figures | (extra_context or {}))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        found = self.get_object(request, unquote(object_id))
        members = {} if found is None else set_members.page_context(found)
        page: HttpResponse = super().change_view(request, object_id, form_url, members | (extra_context or {}))
        return page

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        found = self.get_object(request, unquote(object_id))
        words: dict[str, Any] = {"retention_days": settings.GISC_TOMBSTONE_RETENTION_DAYS}
        if found is not None:
            words |= {
                "usage": set_members.describe_usage(found),
                "is_virtual": found.kind == MetadataSet.Kind.VIRTUAL,
            }
        page: HttpResponse = super().delete_view(request, object_id, words | (extra_context or {}))
        return page

    def save_model(self, request: HttpRequest, obj: MetadataSet, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        set_inclusion.link_hierarchy(obj)
        if change and {"public", "category"} & set(form.changed_data):
            follow(self, request)

    @admin.display(description=_("what a change is about"))
    def of_records(self, obj: MetadataSet) -> str:
        """How many records follow a change of who sees the set, and what becomes of them."""
        if obj._state.adding:
            return gettext("The set has no records yet.")
        number = visibility.count_live(obj)
        return ngettext(
            "{number} record follows a change of who sees it. Harvesters that may not see it any more get it as "
            "deleted, those that see it again get it anew.",
            "{number} records follow a change of who sees them. Harvesters that may not see them any more get them as "
            "deleted, those that see them again get them anew.",
            number,
        ).format(number=f"{number:,}")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with a virtual set: the sets of other centres come with their links."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        return {"kind": MetadataSet.Kind.VIRTUAL, **initial}

    def response_add(
        self, request: HttpRequest, obj: MetadataSet, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Go to the page of a new virtual set, where it is said what it is made of."""
        if obj.kind == MetadataSet.Kind.VIRTUAL and "_addanother" not in request.POST:
            text = gettext("The set {spec} is made. Now choose what it is made of.").format(spec=obj)
            self.message_user(request, text, messages.SUCCESS)
            return redirect("admin:catalogue_metadataset_change", obj.pk)
        page: HttpResponse = super().response_add(request, obj, post_url_continue)
        return page

    def get_readonly_fields(self, request: HttpRequest, obj: MetadataSet | None = None) -> tuple[str, ...]:
        is_fixed = obj is not None and (_is_made_by_node(obj) or _is_in_use(obj))
        return ("spec", "kind", "of_records", "fed_here") if is_fixed else ("of_records", "fed_here")

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> ChoiceField:
        if db_field.name == "kind":
            kwargs["choices"] = [choice for choice in MetadataSet.Kind.choices if choice[0] not in _NODE_KINDS]
        field: ChoiceField = super().formfield_for_choice_field(db_field, request, **kwargs)
        return field

    def has_delete_permission(self, request: HttpRequest, obj: MetadataSet | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and not (obj is not None and _is_made_by_node(obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """Return what deleting these sets would delete, without reading a million memberships."""
        refused = {MetadataSet._meta.verbose_name for obj in objs if not self.has_delete_permission(request, obj)}
        protected = [f"{obj}: {'; '.join(set_members.describe_usage(obj))}" for obj in objs if _is_in_use(obj)]
        return [str(obj) for obj in objs], {"sets": len(objs)}, {str(name) for name in refused}, protected

    @admin.display(description=_("kind"))
    def kind_name(self, obj: MetadataSet) -> str:
        return obj.get_kind_display().partition(":")[0]

    @admin.display(description=_("live records"))
    def live(self, obj: MetadataSet) -> str:
        return f"{self._figures.get(obj.spec, {}).get('live', 0):,}"

    @admin.display(description=_("newest change"))
    def newest(self, obj: MetadataSet) -> str:
        newest = self._figures.get(obj.spec, {}).get("newest") or "–"
        return format_html('<span class="gisc-instant">{}</span>', newest)


def follow(page: Any, request: HttpRequest) -> None:
    """Let records follow a change of who sees them, for some seconds; the tick does the rest. Say how many there were."""
    changed = visibility.settle_pending(seconds=_FOLLOWING_S)
    text = ngettext("{number} record is seen by others now.", "{number} records are seen by others now.", changed)
    text = text.format(number=f"{changed:,}")
    if VisibilityChange.objects.exists():
        text += " " + gettext("More follow in the background, some thousands a second.")
    page.message_user(request, text, messages.INFO)


_FOLLOWING_S = 5.0  # chosen: a person still waits for the page


@admin.register(Category)
class CategoryAdmin(Admin):
    """Classes of records that not everybody may see. One that sets, links or records name cannot be deleted."""

    empty_words = _("No category: everybody sees all records. A category limits records to some harvesters.")
    list_display = ("name", "signed_in", "harvesters", "named_by")
    fields = ("name", "description", "signed_in")
    sortable_by = ()

    @admin.display(description=_("harvester profiles"))
    def harvesters(self, obj: Category) -> str:
        profiles: Any = obj.profiles  # of oaiprovider, which this app may not import
        return ", ".join(profiles.values_list("name", flat=True)) or "–"

    @admin.display(description=_("named by"))
    def named_by(self, obj: Category) -> str:
        sets = [str(each) for each in obj.sets.all()]
        links = [gettext("link {name}").format(name=each.source) for each in obj.sources.all()]
        number = obj.records.count()
        records = [ngettext("{number} record", "{number} records", number).format(number=number)] if number else []
        return ", ".join([*sets, *links, *records]) or "–"


_NODE_KINDS = (MetadataSet.Kind.OWN, MetadataSet.Kind.CATALOGUE)


def _is_made_by_node(obj: MetadataSet) -> bool:
    """Whether the node made this set itself and cannot work without it."""
    return obj.kind in _NODE_KINDS


def _is_in_use(obj: MetadataSet) -> bool:
    """Whether any row refers to the set: a record, a membership, a link, the search of another set."""
    if set_searches.naming(obj):
        return True
    relations = MetadataSet._meta.related_objects
    tests = {
        relation.name: Exists(relation.related_model._base_manager.filter(**{relation.field.name: OuterRef("pk")}))
        for relation in relations
    }
    found = MetadataSet.objects.filter(pk=obj.pk).values_list(*(tests[name] for name in tests)).first()
    return found is not None and any(found)
