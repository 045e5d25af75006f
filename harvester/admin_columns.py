"""What the admin shows of a link: the columns of the list, which stand on its page too, and its last runs."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from catalogue.admin import breakable, coloured
from harvester import ending, overview, slices, standing, switching
from harvester.admin_runs import OUTCOME_COLOURS, moment, wide
from harvester.models import Link, Run
from harvester.status import COUNTERS

RUNS_SHOWN = 10


class LinkColumns:
    """Mixin: how each link stands, for a person who looks once."""

    @admin.display(description="link", ordering="name")
    def named(self, link: Link) -> str:
        from_where = breakable(link.provider.base_url)
        remote, into = link.provider.remote_set or "everything", link.local_set.spec
        sets = into if remote == into else f"{remote} → {into}"
        told = format_html_join("", "<br>{}", ((words,) for words in (from_where, sets, switching.told(link)) if words))
        named = '<strong>{}</strong> ({})<span class="font-normal text-xs">{}</span>'
        return wide(named, link.name, link.kind, told, rem=11)

    @admin.display(description="remote set")
    def set_word(self, link: Link) -> str:
        return ending.set_in_words(link)

    @admin.display(description="way back")
    def way_back(self, link: Link) -> str:
        return switching.way_back(link) or "none: its own provider serves it"

    @admin.display(description="provider")
    def served(self, link: Link) -> str:
        return switching.told(link) or "the link's own"

    @coloured(OUTCOME_COLOURS, description="state")
    def standing_word(self, link: Link) -> tuple[str, str]:
        return standing.state(link)

    @admin.display(description="last success, UTC", ordering="harvested_to")
    def success(self, link: Link) -> str:
        run = overview.last_success(link)
        to = format_html("complete up to {}", moment(link.harvested_to)) if link.harvested_to else ""
        return wide('{}<br><span class="text-xs">{}</span>', moment(run.finished) if run else "none yet", to, rem=8)

    @admin.display(description="next run, UTC", ordering="next_due")
    def following(self, link: Link) -> str:
        run = overview.last_run(link)
        if run is not None and run.is_open:
            return "runs now"
        if not link.enabled:
            return "by hand only"
        return moment(link.next_due) or "at once"

    @admin.display(description="found by comparing")
    def drift(self, link: Link) -> str:
        if link.cycle_begun is None:
            return "not compared yet"
        return ", ".join(
            f"{number} {name.replace('_', ' ')}" for name, number in slices.drifts().get(link.pk, {}).items()
        )

    @admin.display(description="drift")
    def compared(self, link: Link) -> str:
        found = {name: number for name, number in overview.drift(link).items() if number}
        words = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in found.items())
        run = overview.last_comparison(link)
        if run is None:
            return "not compared yet"
        when = f"compared {run.begun:%Y-%m-%d}: {overview.outcome(run)[1]}"
        return wide('{}<br><span class="text-xs">{}</span>', words or "none", when, rem=7)

    @admin.display(description="what to do")
    def to_do(self, link: Link) -> str:
        lines = [(where(link, todo.place), todo.text) for todo in standing.todos(link)]
        if not lines:
            return "nothing"
        told = format_html_join("", '<li><a class="text-link" href="{}">{}</a></li>', lines)
        return wide('<ul style="list-style: disc; margin-left: 1rem">{}</ul>', told, rem=17)


def where(link: Link, place: str) -> str:
    """The address of the page on which something is done about a link."""
    run = overview.last_run(link)
    if place == standing.CONFLICTS:
        return f"{reverse('admin:harvester_conflict_changelist')}?link__id__exact={link.pk}&state=waits"
    if place == standing.REJECTS and run is not None:
        return f"{reverse('admin:harvester_reject_changelist')}?run__id__exact={run.pk}"
    if place == standing.RUN and run is not None:
        return reverse("admin:harvester_run_change", args=[run.pk])
    return reverse("admin:harvester_link_change", args=[link.pk])


def runs_table(link_id: str) -> dict[str, Any]:
    """The newest runs of a link, for its page."""
    newest = Run.objects.filter(link_id=link_id).defer("token")[:RUNS_SHOWN] if link_id.isdecimal() else ()
    rows = [
        [
            format_html(
                '<a class="text-link" href="{}">{}</a>',
                reverse("admin:harvester_run_change", args=[run.pk]),
                f"{run.begun:%Y-%m-%d %H:%M:%S}",
            ),
            run.purpose,
            overview.outcome(run)[1],
            run.trigger,
            *(str(getattr(run, name)) for name in COUNTERS),
            run.message,
        ]
        for run in newest
    ]
    return {"headers": ["begun, UTC", "purpose", "state", "started by", *COUNTERS, "message"], "rows": rows}
