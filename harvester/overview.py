"""The links with what happened last on each, in a number of queries that does not grow with them. Reads only."""

from django.db.models import Prefetch, QuerySet

from harvester.models import Link, Run

PARTIAL = "partial"


def with_last_run(links: QuerySet[Link]) -> QuerySet[Link]:
    """The links, each with its newest run, if it has one, in the list `last_runs`, and its local set."""
    newest = Run.objects.order_by("link_id", "-begun", "-pk").distinct("link_id").defer("token")
    return links.select_related("local_set").prefetch_related(Prefetch("runs", queryset=newest, to_attr="last_runs"))


def last_run(link: Link) -> Run | None:
    """The newest run of a link that came from `with_last_run`."""
    runs: list[Run] = getattr(link, "last_runs", [])
    return runs[0] if runs else None


def outcome(run: Run) -> tuple[str, str]:
    """How a run stands, as a key and in words. A run that is done but stored not everything is no plain success."""
    if run.state == Run.State.DONE and run.rejected:
        return PARTIAL, f"done, {run.rejected} rejected"
    return run.state, run.get_state_display()
