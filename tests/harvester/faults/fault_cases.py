"""The shape of a case of the fault table, and how it is played."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from catalogue.models import Record
from harvester.models import Reject, Run
from harvester.protocol import warnings
from harvester.runs import lifecycle
from tests.support.misbehaving import World
from tests.support.provider import identifier

EVERYTHING = frozenset(range(5))
BEFORE = datetime(2026, 1, 15, tzinfo=UTC)
STAMP = "2026-02-01T00:00:00Z"


class Outcome(enum.Enum):
    """What becomes of the run."""

    DONE = "the run is done at once, and the cursor moves"
    RETRIED = "a page is asked for again after a wait, then the run is done, and the cursor moves"
    RESUMED = "the run goes on in later tasks from where it was, is done, and the cursor moves"
    RESTARTED = "the list is started again from the same `from`, then the run is done, and the cursor moves"
    FAILED = "the run fails and says why; what it stored stays, and the cursor stays"


@dataclass(frozen=True)
class Case:
    """A row of the fault catalogue (1 is F1), or a part of one: a fault, and what is expected of us.

    `says`: words of the run's message (of the first, where it is retried or restarted). `stored`: the numbers of the
    records (or the identifiers) held at the end. `rejects`: words of the reason of each reject. `mended`: the records marked as altered.
    """

    row: int
    name: str
    arrange: Callable[[World], None]
    outcome: Outcome
    says: str = ""
    stored: frozenset[int] | frozenset[str] = EVERYTHING
    rejects: tuple[str, ...] = ()
    mended: frozenset[int] = frozenset()
    cursor: str = STAMP
    check: Callable[[World], None] = lambda world: None

    def play(self, world: World) -> None:
        """Arrange the fault, harvest, and compare."""
        self.arrange(world)
        run = lifecycle.open_run(world.link, trigger="test", full=world.notes.get("full", False))
        assert run is not None
        run = lifecycle.work(run.pk, **world.notes.get("work", {})) or run
        first = Run.objects.get(pk=run.pk)
        for _ in range(30):
            if not run.is_open:
                break
            Run.objects.filter(pk=run.pk).update(not_before=None)
            run = lifecycle.work(run.pk, **world.notes.get("work", {})) or Run.objects.get(pk=run.pk)
        world.link.refresh_from_db()
        self._compare(first, Run.objects.get(pk=run.pk), world)
        self.check(world)

    def _compare(self, first: Run, last: Run, world: World) -> None:
        outcome = self.outcome
        reasons = [reject.reason_text for reject in Reject.objects.filter(run=last)]
        story = (first.state, first.message, last.state, last.message, reasons)
        if outcome is Outcome.FAILED:
            assert last.state == Run.State.FAILED, story
            assert world.link.harvested_to == BEFORE
            assert world.link.failures == 1
        else:
            assert last.state == Run.State.DONE, story
            assert world.link.harvested_to == datetime.fromisoformat(self.cursor)
        if outcome is Outcome.DONE:
            assert first.state == Run.State.DONE, story
            assert first.restarts == 0
        elif outcome is Outcome.RETRIED:
            assert (first.state, first.restarts) == (Run.State.OPEN, 0), story
            assert first.not_before is not None
        elif outcome is Outcome.RESUMED:
            assert (first.state, first.not_before, first.pages) == (Run.State.OPEN, None, 1), story
        elif outcome is Outcome.RESTARTED:
            assert last.restarts > 0, story
        telling = last if outcome in (Outcome.DONE, Outcome.FAILED) else first
        told = " ".join([telling.message, *warnings.describe_warnings(telling.warnings)])
        assert self.says in told, story
        live = Record.objects.filter(deleted=False)
        expected = {identifier(each) if isinstance(each, int) else each for each in self.stored}
        assert set(live.values_list("identifier", flat=True)) == expected, story
        assert len(reasons) == len(self.rejects), story
        for words in self.rejects:
            assert any(words in reason for reason in reasons), story
        altered = live.filter(provenance__altered=True).values_list("identifier", flat=True)
        assert set(altered) == {identifier(number) for number in self.mended}
