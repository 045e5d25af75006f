"""Work on the runs that wait, in a process of the worker; while one waits for its provider, the process takes another.

Each run has a thread of its own here, of which one at a time works: it has the process's slot. A run whose provider has not
answered for a quarter of a second (less where other runs of the process wait for theirs already) gives the slot up, and with
it its connections to the database; the task that began it ends, so that Celery has the process for the next. When the answer
comes, the run waits for the slot again. Between two pages a run lets those go first that wait for the slot.
"""

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connections

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.outage import ERRORS, is_outage
from catalogue.reasons import describe_error
from harvester import schedule
from harvester.models import Run
from harvester.protocol.prefetch import Result, Turn
from harvester.rows import outage, queue, runs
from harvester.runs import lifecycle

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How long a run keeps the worker while it waits, and how many runs a process has."""

    patience_s: float = 0.25  # chosen: most answer sooner; to close and make connections again costs some 10 ms
    least_patience_s: float = 0.06  # chosen: where many wait already; most that are not slow answer within it
    slow_patience_s: float = 0.02  # chosen: where the last answer took longer than that
    max_runs: int = 32  # chosen: nearly all of them wait for providers, each with some MB and five threads
    leave_asking_s: float = 5  # chosen: so long a process that has grown waits for answers that are on their way
    leave_working_s: float = 120  # chosen: and so long for pages that are worked on, far above the time of the largest


LIMITS = Replaceable(WorkerLimits())
_TAKE_FOR = 1 / 4  # of a turn; chosen: so long a task takes runs, and the last of them has a whole turn


class Slot:
    """A lock that is handed on in the order in which it was asked for. `is_closing`: its process ends after the pages of now."""

    def __init__(self) -> None:
        self.is_closing = False
        self._guard = seams.Lock()
        self._is_taken = False
        self._waiting: deque[seams.Event] = deque()

    def acquire(self, each_s: float, meanwhile: Callable[[], object]) -> None:
        """Wait for the slot; call `meanwhile` each time that so many seconds have passed."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return
            mine = seams.Event()
            self._waiting.append(mine)
        while not mine.wait(each_s):
            meanwhile()

    def release(self) -> None:
        """Hand the slot to the first that waits for it."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False

    @property
    def is_wanted(self) -> bool:
        return bool(self._waiting)


class _Process:
    """What the threads of this process share: its slot, and the turns of the runs that have a thread, by run."""

    def __init__(self) -> None:
        self.slot = Slot()
        self.runs: dict[int, SharedTurn] = {}


_process = _Process()


def _count_asking() -> int:
    return sum(turn.is_asking for turn in list(_process.runs.values()))


class SharedTurn(Turn):
    """A turn that gives the worker up while it waits for a slow provider.

    `left` is set as soon as the worker may take another run: this one waits, or has ended.
    """

    def __init__(self, run: Run, for_s: float, slot: Slot) -> None:
        super().__init__(seams.monotonic() + for_s)
        self.left = seams.Event()
        self._run_id, self._slot = run.pk, slot
        self._is_slow = run.was_asking
        self._guard = seams.RLock()  # of the fields below
        self._has_slot = self._is_ended = self._asks = False
        self._owner = 0

    def begin(self) -> None:
        """Wait for the slot, in the thread of the run."""
        self._owner = seams.thread_id()
        self._take_slot()

    def end(self) -> None:
        """Give the slot up for good."""
        with self._guard:
            self._is_ended = True
            self._give_slot()
            self.left.set()

    @property
    def is_wanted(self) -> bool:  # type: ignore[override]
        """Whether another run waits for the slot."""
        return self._slot.is_wanted

    @property
    def is_over(self) -> bool:
        return self._slot.is_closing or super().is_over

    @property
    def is_asking(self) -> bool:
        """Whether the run waits for an answer of its provider, without the slot."""
        return self._asks

    def pause(self) -> None:
        connections.close_all()
        with self._guard:
            self._give_slot()
            self._take_slot()

    @property
    def patience_s(self) -> float:
        """How long to keep the worker for an answer: the shorter, the more runs of this process wait for theirs already."""
        limits = LIMITS.in_force
        if self._is_slow:
            return limits.slow_patience_s
        return max(limits.patience_s / (1 + _count_asking()), limits.least_patience_s)

    def result_of(self, request: Future[Result]) -> Result:
        if not _is_done(request, self.patience_s):
            self._wait_long_for(request)
        return request.result()

    def lend_worker(self) -> None:
        with self._guard:
            if self._asks:
                self._leave()

    def _wait_long_for(self, request: Future[Any]) -> None:
        with self._guard:
            self._asks = True
            is_owner = seams.thread_id() == self._owner
            if is_owner:
                self._leave()
        if not is_owner:
            self.on_asking()
        asked = seams.monotonic()
        try:
            connections.close_all()  # of this thread
            while not _is_done(request, settings.GISC_LEASE_SECONDS / 4):
                self._renew_lease()
        finally:
            with self._guard:
                self._asks = False
                self._is_slow = seams.monotonic() - asked > LIMITS.in_force.patience_s
            self._return()

    def _leave(self) -> None:
        """Go on without the slot, and without connections to the database."""
        if self._has_slot and not any(
            connection.in_atomic_block for connection in connections.all(initialized_only=True)
        ):
            runs.mark_asking(self._run_id)
            connections.close_all()
            self._give_slot()
            self.left.set()

    def _return(self) -> None:
        """Take the slot again, if it was given up."""
        with self._guard:
            if not self._has_slot and not self._is_ended:
                self._take_slot()
                runs.mark_working(self._run_id)

    def _take_slot(self) -> None:
        self._slot.acquire(settings.GISC_LEASE_SECONDS / 4, self._renew_lease)
        self._has_slot = True

    def _give_slot(self) -> None:
        if self._has_slot:
            self._has_slot = False  # the thread that asks for pages takes it again before it parses the next one
            self._slot.release()

    def _renew_lease(self) -> None:
        try:
            runs.renew_lease(self._run_id)
        except ERRORS as exc:  # the lease may run out; then another worker takes the run over, which does no harm
            logger.warning("lease not renewed", extra={"run": self._run_id, "reason": describe_error(exc)})
        finally:
            connections.close_all()


def _is_done(request: Future[Any], within_s: float) -> bool:
    return bool(wait([request], timeout=within_s).done)


# --- Tasks ------------------------------------------------------------------------------------------


def work_on_waiting(after: Callable[[], object]) -> None:
    """Work on the runs that wait, one after the other, until a turn's time is over, none waits, or all that are here wait.

    `after` is called when a run ends that went on after this returned.
    """
    work_s = schedule.LIMITS.in_force.work_s
    take_until = seams.monotonic() + work_s * _TAKE_FOR
    is_first = True
    while len(_process.runs) < LIMITS.in_force.max_runs and (is_first or seams.monotonic() < take_until):
        is_first = False
        run = _claim()
        if run is None:
            return
        turn = SharedTurn(run, lifecycle.turn_s(run, work_s), _process.slot)
        _process.runs[run.pk] = turn
        seams.start_thread(_work_on, run, turn, after, name=f"run {run.pk}")
        turn.left.wait()


def _claim() -> Run | None:
    try:
        return queue.claim()
    except Exception as exc:
        if is_outage(exc):  # the claim may have been made all the same
            outage.retry_while_away(partial(runs.release_others, tuple(_process.runs)))
        raise


def _work_on(run: Run, turn: SharedTurn, after: Callable[[], object]) -> None:
    """Work on a claimed run, in a thread of its own."""
    try:
        turn.begin()
        lifecycle.work_on(run, turn)
    except Exception:
        logger.exception("a run was left by an error of this node", extra={"link": run.link.name, "run": run.pk})
    finally:
        _process.runs.pop(run.pk, None)
        went_on_alone = turn.left.is_set()
        turn.end()
        if went_on_alone:
            after()
        connections.close_all()


def run_beside(function: Callable[..., object], *values: object) -> None:
    """Call a function that asks a provider in a thread of its own; wait for it only as long as for a prompt provider."""
    ended = seams.Event()

    def call() -> None:
        try:
            function(*values)
        except Exception:
            logger.exception("a request beside the runs failed", extra={"function": function.__name__})
        finally:
            connections.close_all()
            ended.set()

    seams.start_thread(call, name=function.__name__)
    ended.wait(LIMITS.in_force.patience_s)


def leave_process(*, is_replaced: bool) -> None:
    """Release the runs that this process, which ends, still has; another worker goes on with them at once.

    A process that `is_replaced`, because it has grown, first ends the pages that it works on, and waits a moment for answers that
    are on their way: what had made it grow would make the next process grow, and no process would ever come to the end of that page.
    """
    if is_replaced:
        _end_pages()
    if not _process.runs:
        return
    try:
        runs.release_others()
    except ERRORS as exc:  # the process is seen to be gone, or the leases run out
        logger.warning("runs not released", extra={"reason": describe_error(exc)})


def _end_pages() -> None:
    """Let no run ask for a further page, and wait for those that work on one."""
    _process.slot.is_closing = True
    limits, begun = LIMITS.in_force, seams.monotonic()
    while turns := list(_process.runs.values()):
        waited_s = seams.monotonic() - begun
        may_wait_s = limits.leave_asking_s if all(turn.is_asking for turn in turns) else limits.leave_working_s
        if waited_s >= may_wait_s:
            return
        seams.sleep(_LEAVE_POLL_S)


_LEAVE_POLL_S = 0.05
