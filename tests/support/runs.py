"""Work on runs as workers do, and look at what came of it."""

from datetime import UTC, datetime

from catalogue import seams
from catalogue.models import Record
from harvester.models import Link, Run
from harvester.rows import queue
from harvester.runs import lifecycle

COUNTERS = ("received", "new", "updated", "unchanged", "deleted", "rejected")


def at(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def harvest(link: Link, **options: bool) -> Run:
    """One run, worked on until it ends or has to wait."""
    run = lifecycle.open_run(link, trigger="test", **options)
    assert run is not None
    return go_on(run)


def go_on(run: Run) -> Run:
    """Work on a run again, as if its wait were over."""
    Run.objects.filter(pk=run.pk).update(not_before=None)
    after = lifecycle.work(run.pk)
    assert after is not None
    return after


def ready() -> list[int]:
    """The open runs that wait for a worker, in the order in which they are taken."""
    return [run.pk for run in queue.read_queue(seams.now()) if run.waits_for == queue.WaitsFor.WORKER]


def counters(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in COUNTERS if getattr(run, name)}


def held() -> set[str]:
    return set(Record.objects.filter(deleted=False).values_list("identifier", flat=True))
