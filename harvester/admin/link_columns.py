"""The columns of the list of links, and the facts of a link that its page has as fields. What runs is refreshed by a script."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalogue import seams
from catalogue.admin.base import Admin, ChangeList, breakable
from harvester import schedule_words
from harvester.links import failover
from harvester.models import Link
from harvester.monitoring import overview, status
from harvester.monitoring.admin_pages import page_url
from harvester.monitoring.overview import Overview
from harvester.runs import finish

# The parts of a row, and of the page of a link, that change while a run goes on.
LIVE = ("state", "strip", "counts", "age", "next")


class UrgentFirst(Paginator):  # type: ignore[type-arg]
    """Pages through links in the order of their urgency, with what their columns say. There are some hundreds at most."""

    def __init__(self, links: QuerySet[Link], per_page: int, *args: Any) -> None:
        found = overview.by_urgency(links)
        self.states = [state for _, state in found]
        self._links = [link for link, _ in found]
        super().__init__(self._links, per_page, *args)

    def page(self, number: int | str) -> Page[Any]:
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        return Page(look_at(self._links[first : first + self.per_page]), number, self)

    @property
    def summary(self) -> str:
        """How many links are in which state, the most urgent first."""
        counts = Counter(state.word for state in self.states)
        return ", ".join(f"{number} {word}" for word, number in counts.items())

    @property
    def in_need(self) -> int:
        """How many links need a person."""
        return sum(state.key in status.IN_NEED for state in self.states)


def look_at(links: Sequence[Link]) -> Sequence[Link]:
    """Give each link its `overview.Overview`, as `overview`."""
    address = reverse("admin:harvester_run_change", args=[0])
    read = overview.read(links, lambda run: address.replace("/0/", f"/{run}/"), with_hidden=True)
    for link, found in zip(links, read, strict=True):
        link.overview = found  # type: ignore[attr-defined]
    return links


def overview_of(link: Link) -> Overview:
    """What `look_at` has given the link; read for this one where it came another way."""
    if not hasattr(link, "overview"):
        look_at([link])
    found: Overview = link.overview  # type: ignore[attr-defined]
    return found


def live_parts(link: Link) -> dict[str, str]:
    """The parts in `LIVE` as HTML, for the script that refreshes a page."""
    found = overview_of(link)
    return {part: render_to_string(f"admin/harvester/link/cells/{part}.html", {"overview": found}) for part in LIVE}


def _cell(part: str, link: Link) -> str:
    html = render_to_string(f"admin/harvester/link/cells/{part}.html", {"overview": overview_of(link)})
    return format_html('<div class="gisc-cell" data-gisc-part="{}:{}">{}</div>', link.pk, part, html)


class _ChangeList(ChangeList):
    """A list of links that have been looked at, also where all fit on a page."""

    result_list: Any

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        is_in_order = isinstance(self.paginator, UrgentFirst)
        self.result_list = (
            self.paginator.get_page(self.page_num).object_list if is_in_order else look_at(list(self.result_list))
        )


class LinkColumns(Admin):
    """The columns; the fields below are on the page of a link."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return _ChangeList

    def get_paginator(self, request: HttpRequest, queryset: QuerySet[Link], per_page: int, *args: Any) -> Any:
        if "o" in request.GET:  # a person has chosen another order
            return super().get_paginator(request, queryset, per_page, *args)
        return UrgentFirst(queryset, per_page, *args)

    @admin.display(description=gettext_lazy("link"), ordering="name")
    def name_column(self, link: Link) -> str:
        remote, local = link.provider.remote_set or _("everything"), link.local_set.spec
        sets = local if remote == local else f"{remote} → {local}"
        lines = format_html_join(
            "", "<br>{}", ((breakable(line),) for line in (sets, failover.describe_relay(link)) if line)
        )
        cell = '<div class="gisc-cell"><strong>{}</strong> <span class="gisc-quiet">{}</span><span class="font-normal gisc-small">{}</span></div>'
        return format_html(cell, link.name, link.kind, lines)

    @admin.display(description=gettext_lazy("state"))
    def state_column(self, link: Link) -> str:
        return _cell("state", link)

    @admin.display(description=gettext_lazy("last runs"))
    def strip_column(self, link: Link) -> str:
        return _cell("strip", link)

    @admin.display(description=gettext_lazy("records here / there"))
    def counts_column(self, link: Link) -> str:
        return _cell("counts", link)

    @admin.display(description=gettext_lazy("last success"), ordering="harvested_to")
    def last_success(self, link: Link) -> str:
        return _cell("age", link)

    @admin.display(description=gettext_lazy("next run"), ordering="next_due")
    def next_run(self, link: Link) -> str:
        return _cell("next", link)

    @admin.display(description=gettext_lazy("what to do"))
    def todo_column(self, link: Link) -> str:
        lines = [(page_url(link, todo.page), todo.text) for todo in status.find_todos(link)]
        if not lines:
            return _("nothing")
        items = format_html_join("", '<li><a class="text-link" href="{}">{}</a></li>', lines)
        return format_html('<ul class="gisc-todos gisc-cell">{}</ul>', items)

    # --- On the page of a link -----------------------------------------------------------------------

    @admin.display(description=gettext_lazy("remote set"))
    def remote_set_state(self, link: Link) -> str:
        return finish.describe_remote_set(link)

    @admin.display(description=gettext_lazy("return to its own provider"))
    def return_state(self, link: Link) -> str:
        return failover.describe_return(link) or _("none: its own provider serves it")

    @admin.display(description=gettext_lazy("provider"))
    def serving_provider(self, link: Link) -> str:
        return failover.describe_relay(link) or _("the link's own")

    @admin.display(description=gettext_lazy("schedule"))
    def schedule_in_words(self, link: Link) -> str:
        return schedule_words.describe(link.schedule)

    @admin.display(description=gettext_lazy("next runs"))
    def next_times(self, link: Link) -> str:
        if link._state.adding:
            return _("the first at once, or as soon as it may run")
        if not link.enabled:
            return _("by hand only")
        times = ", ".join(schedule_words.describe_next(link.schedule, link.next_due or seams.now()))
        url = reverse("admin:harvester_link_next_times")
        return format_html('<span role="status" data-gisc-next data-url="{}">{}</span>', url, times)

    @admin.display(description=gettext_lazy("found by comparing"))
    def drift_in_full(self, link: Link) -> str:
        if link.cycle_begun is None and link.content_begun is None:
            return _("not compared yet")
        return status.describe_drift(status.drift_of(link)) or _("nothing")

    @admin.display(description=gettext_lazy("remarks on the provider"))
    def remarks_in_full(self, link: Link) -> str:
        return " ".join(map(str, link.remarks)) or _("none")

    @admin.display(description=gettext_lazy("in doubt"))
    def doubts_in_full(self, link: Link) -> str:
        return " ".join(link.doubt_sentences) or _("nothing")
