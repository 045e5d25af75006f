"""The links with what happened last on each, in a number of queries that does not grow with them. Reads only."""

from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject

from harvester import slices
from harvester.models import Conflict, Link, Run

PARTIAL = "partial"


def with_last_run(links: QuerySet[Link]) -> QuerySet[Link]:
    """The links, each with its newest harvest, its newest complete one and its newest comparison, if there are any, its
    local set, who serves it, what comparing has found, and how many conflicts wait."""
    newest = Run.objects.order_by("link_id", "-begun", "-pk").distinct("link_id").defer("token")
    harvests = newest.filter(purpose=Run.Purpose.HARVEST)
    comparisons = newest.filter(purpose=Run.Purpose.COMPARISON)
    waiting = Conflict.objects.filter(link=OuterRef("pk"), settled=None).order_by().values("link")
    found = slices.compared().filter(link=OuterRef("pk")).values("link")
    annotated = links.annotate(
        waiting=Subquery(waiting.annotate(number=Count("pk")).values("number")),
        found=Subquery(found.annotate(sums=JSONObject(**{name: Sum(name) for name in slices.DRIFT})).values("sums")),
    )
    return annotated.select_related("local_set", "serving").prefetch_related(
        Prefetch("runs", queryset=harvests.filter(state=Run.State.DONE), to_attr="last_successes"),
        Prefetch("runs", queryset=harvests, to_attr="last_runs"),
        Prefetch("runs", queryset=comparisons, to_attr="last_comparisons"),
    )


def last_run(link: Link) -> Run | None:
    """The newest harvest of a link that came from `with_last_run`."""
    return _first(link, "last_runs")


def last_comparison(link: Link) -> Run | None:
    """The newest comparison of a link that came from `with_last_run`."""
    return _first(link, "last_comparisons")


def last_success(link: Link) -> Run | None:
    """The newest harvest that came to its end, of a link that came from `with_last_run`."""
    return _first(link, "last_successes")


def conflicts_waiting(link: Link) -> int:
    """How many conflicts wait for the operator, of a link that came from `with_last_run`."""
    return getattr(link, "waiting", None) or 0


def drift(link: Link) -> dict[str, int]:
    """What the comparisons of the present cycle have found, of a link that came from `with_last_run`."""
    return getattr(link, "found", None) or {}


def _first(link: Link, attribute: str) -> Run | None:
    runs: list[Run] = getattr(link, attribute, [])
    return runs[0] if runs else None


def outcome(run: Run) -> tuple[str, str]:
    """How a run stands, as a key and in words. A run that is done but stored not everything is no plain success."""
    if run.state == Run.State.DONE and run.held_back:
        return PARTIAL, f"done, {run.held_back} held back"
    if run.state == Run.State.DONE and run.rejected:
        return PARTIAL, f"done, {run.rejected} rejected"
    if run.state == Run.State.DONE and run.warnings:
        return run.state, f"done, {len(run.warnings)} warning{'s' if len(run.warnings) > 1 else ''}"
    return run.state, run.get_state_display()
