"""Read how far a run has come: records, of how many, at which rate, how long it still takes, and its first rejects."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from catalogue import seams
from harvester.models import Reject, Run
from harvester.rows import queue

MAX_REJECTS = 5  # chosen: enough to see what kind of fault it is
_MIN_S = 2  # chosen: a rate of less says nothing


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come.

    `total`: None if the provider does not say. `rate`: records a second; None if it cannot be told yet. `left`: the time
    that it still takes. `waits_for`: what an open run waits for, as a sentence.
    """

    run: Run
    listed: int
    total: int | None
    rate: float | None
    left: timedelta | None
    took: timedelta
    waits_for: str
    rejects: tuple[Reject, ...]

    @property
    def percent(self) -> int | None:
        """How much of the list has come; None if that is not known."""
        return min(100 * self.listed // self.total, 100) if self.total else None


def read_progress(run: Run, now: datetime | None = None) -> Progress:
    """Read how far a run has come; in a constant number of queries."""
    now = now or seams.now()
    took = (run.finished or now) - run.begun
    listed = max(run.listed, run.received)
    rate = listed / took.total_seconds() if listed and took.total_seconds() >= _MIN_S else None
    is_known = run.is_open and run.list_size is not None and rate
    left_s = max(run.list_size - listed, 0) / rate if is_known and run.list_size is not None and rate else None
    wait = queue.report_wait(run.pk, queue.read_queue(now)) if run.is_open else None
    rejects = Reject.objects.seen_by(run).defer("raw")[:MAX_REJECTS] if run.rejected else ()
    return Progress(
        run=run,
        listed=listed,
        total=max(run.list_size, listed) if run.list_size is not None else None,
        rate=rate,
        left=None if left_s is None else timedelta(seconds=round(left_s)),
        took=timedelta(seconds=round(took.total_seconds())),
        waits_for=str(wait["text"]) if wait else "",
        rejects=tuple(rejects),
    )
