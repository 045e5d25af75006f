"""Celery tasks: each calls a plain function. They take ids and return nothing."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from catalogue import chores, journal_state, seams
from harvester.guards import shared_set_backup
from harvester.links import failover
from harvester.models import Run
from harvester.rows import health, runs
from harvester.runs import lifecycle

logger = logging.getLogger(__name__)


def queue(run: Run) -> None:
    """Put a task for this run into the queue. If it gets lost, the tick finds the open run.

    Raises OperationalError of kombu when the broker cannot be reached.
    """
    harvest.delay(run.pk)
    runs.mark_queued(run)


def _queue_if_possible(run: Run) -> None:
    try:
        queue(run)
    except OperationalError as exc:
        logger.warning("run not queued; the next tick tries again", extra={**run.log_facts, "reason": str(exc)})


@shared_task
def tick() -> None:
    """Run the periodic chores of the harvester: open due runs, queue runs that no worker has, and others."""
    health.record_tick()
    chores.run_each(
        (
            _check_clock,
            _switch_failing,
            _return_answering,
            _probe_due,
            shared_set_backup.settle_outdated,
            _open_due,
            _queue_claimable,
        )
    )


def _check_clock() -> None:
    health.check_host_clock(seams.now())


def _switch_failing() -> None:
    failover.switch_failing(seams.now())


def _return_answering() -> None:
    failover.return_answering(seams.now())


def _probe_due() -> None:
    for standby in failover.take_due_probes(seams.now()):
        probe.delay(standby.pk)


def _open_due() -> None:
    if not journal_state.is_ready():
        return  # a database that was put back from a copy: deletions have to be replayed before anything is harvested
    for run in lifecycle.open_due_runs():
        _queue_if_possible(run)


def _queue_claimable() -> None:
    if not journal_state.is_ready():
        return
    for run in lifecycle.claimable():
        _queue_if_possible(run)


@shared_task
def harvest(run_id: int) -> None:
    """Work on a run for at most a minute, then queue the next task for it."""
    run = lifecycle.work(run_id)
    if run is not None and run.is_open and run.not_before is None:
        _queue_if_possible(run)


@shared_task
def probe(standby_id: int) -> None:
    """Ask the own provider of a link whether it answers again, while another one serves the link."""
    failover.probe(standby_id)
