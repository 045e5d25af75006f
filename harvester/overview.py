"""The links with what happened last on each, in a number of queries that does not grow with them. Reads only."""

from django.db.models import Prefetch, QuerySet

from harvester.models import Link, Run

PARTIAL = "partial"


def with_last_run(links: QuerySet[Link]) -> QuerySet[Link]:
    """The links, each with its newest harvest and its newest comparison, if there are any, its local set and who serves it."""
    newest = Run.objects.order_by("link_id", "-begun", "-pk").distinct("link_id").defer("token")
    harvests = newest.filter(purpose=Run.Purpose.HARVEST)
    comparisons = newest.filter(purpose=Run.Purpose.COMPARISON)
    return links.select_related("local_set", "serving").prefetch_related(
        Prefetch("runs", queryset=harvests, to_attr="last_runs"),
        Prefetch("runs", queryset=comparisons, to_attr="last_comparisons"),
    )


def last_run(link: Link) -> Run | None:
    """The newest harvest of a link that came from `with_last_run`."""
    return _first(link, "last_runs")


def last_comparison(link: Link) -> Run | None:
    """The newest comparison of a link that came from `with_last_run`."""
    return _first(link, "last_comparisons")


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
