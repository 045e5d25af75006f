"""Filters of the list of records: by set, checks, source, and by how new the last change is."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import seams, validation
from catalogue.documents import kpi
from catalogue.models import SOURCE, MetadataSet, Record, Validation
from catalogue.reading import record_sources
from catalogue.writing import read_back

HERE, BY_LINK = "here", "link:"


class SetFilter(admin.SimpleListFilter):
    """Filters by a set that records are in; of deleted records, by the sets that they were in when they were deleted.

    `RecordAdmin.get_ordering` takes the order of the set's own list then, for which there is an index.
    """

    title = _("set")
    parameter_name = "set"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        sets = MetadataSet.objects.exclude(kind=MetadataSet.Kind.CATALOGUE).order_by("spec")
        return [(str(pk), spec) for pk, spec in sets.values_list("pk", "spec")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        chosen = self.value()
        if chosen is None:
            return queryset
        if chosen not in dict(self.lookup_choices):
            raise IncorrectLookupParameters
        return queryset.filter(memberships__set=int(chosen), memberships__deleted=F("deleted"))


class StructureFilter(admin.SimpleListFilter):
    """Filters by the result of the checks, and by whether a record can be read back.

    A label of an earlier version counts until the new one has been checked.
    """

    title = _("checks")
    parameter_name = "checks"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        labels = [(str(value), str(label)) for value, label in Validation.Structure.choices]
        return [
            *labels,
            ("faults", gettext("with faults of any rule")),
            ("damaged", gettext("stored, and cannot be read back")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        live = queryset.filter(deleted=False)
        match self.value():
            case None:
                return queryset
            case "faults":
                return live.exclude(validation=None).exclude(validation__faults=[])
            case "damaged":
                return live.filter(pk__in=read_back.damaged().values("pk"))
            case Validation.Structure.NOT_CHECKED.value:
                return live.filter(pk__in=validation.unchecked())
            case structure:
                return live.filter(validation__structure=structure)


class GradeFilter(admin.SimpleListFilter):
    """Filters by the grade of the key performance indicators; a grade of an earlier version counts until the new one is checked."""

    title = _("grade")
    parameter_name = "grade"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(grade, grade) for grade in kpi.GRADES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        grade = self.value()
        return queryset if grade is None else queryset.filter(deleted=False, validation__grade=grade)


class SourceFilter(admin.SimpleListFilter):
    """Filters by the link that the content of live records came by, or by whether it was put in at this node."""

    title = _("source")
    parameter_name = "source"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        links = record_sources.links_of_records()
        return [
            (HERE, gettext("put in at this node")),
            *((f"{BY_LINK}{name}", gettext("link {name}").format(name=name)) for name in links),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        chosen = self.value()
        if chosen is None:
            return queryset
        link = "" if chosen == HERE else chosen.removeprefix(BY_LINK)
        return queryset.alias(came_by=SOURCE).filter(deleted=False, came_by=link)


class SinceFilter(admin.SimpleListFilter):
    """Filters by the datestamp: so many days ago or later, or since the begin of a day (UTC)."""

    title = _("changed since")
    parameter_name = "since"
    template = "admin/catalogue/record/since_filter.html"
    _DAYS = (1, 7, 30, 365)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            (f"{days}d", gettext("{days} days ago").format(days=days) if days > 1 else gettext("a day ago"))
            for days in self._DAYS
        ]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the usual choices, each with the other arguments of the list for the form of the template."""
        asked = changelist.get_filters_params().items()
        others = [(name, value) for name, values in asked if name != self.parameter_name for value in values]
        if changelist.query:
            others.append((SEARCH_VAR, changelist.query))
        for choice in super().choices(changelist):
            yield {**choice, "others": others, "since": self._since(), "parameter": self.parameter_name}

    def _since(self) -> datetime | None:
        """The chosen instant; None if there is none, or none that can be read."""
        text = self.value() or ""
        if text.endswith("d") and text[:-1].isdecimal() and len(text) < 6:
            return seams.now() - timedelta(days=int(text[:-1]))
        try:
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            return None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Record]) -> QuerySet[Record]:
        since = self._since()
        return queryset if since is None else queryset.filter(datestamp__gte=since)
