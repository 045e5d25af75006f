"""Celery tasks: each calls a plain function. They take ids and return nothing."""

import logging
from typing import Any

import redis
from billiard.pool import EX_RECYCLE
from celery import current_app, shared_task
from celery.signals import worker_process_shutdown
from django.conf import settings
from kombu.exceptions import OperationalError

from catalogue import chores, journal_state, seams, ticks
from harvester.guards import shared_set_backup
from harvester.links import failover
from harvester.models import Canary
from harvester.rows import clocks, damaged_records, links, prune, queue
from harvester.runs import lifecycle, shared_worker

logger = logging.getLogger(__name__)
_COUNT_S = 0.5  # chosen: how long a tick counts records of providers
_BROKER_ERRORS = (OperationalError, redis.RedisError)


def call_worker() -> None:
    """Put a message into the queue that makes a worker take the run that is next.

    Raises OperationalError of kombu when the broker cannot be reached; the tick calls a worker then, for any run that waits.
    """
    harvest.delay()


def _call_workers(at_most: int | None = None) -> None:
    """Call as many workers as there are runs that wait for one, less the calls that stand in the queue already."""
    ready = queue.count_ready(seams.now())
    if not ready:
        return
    try:
        missing = ready - _calls_standing()
        for _ in range(missing if at_most is None else min(missing, at_most)):
            call_worker()
    except _BROKER_ERRORS as exc:
        logger.warning("no worker called; the next tick tries again", extra={"reason": str(exc)})


def _calls_standing() -> int:
    """How many messages of `harvest` no worker has taken yet."""
    with current_app.connection_or_acquire() as connection:
        try:
            return int(connection.default_channel.queue_declare(settings.GISC_RUN_QUEUE, passive=True).message_count)
        except connection.channel_errors:
            return 0  # Redis has no empty queue


@shared_task
def tick() -> None:
    """Run the periodic chores of the harvester: open due runs, call workers, and others."""
    ticks.run(Canary, _tick)


def _tick() -> None:
    chores.run_each(
        (
            _check_clock,
            _switch_failing,
            _return_answering,
            _probe_due,
            shared_set_backup.settle_outdated,
            _open_due,
            _call_if_ready,
            prune.prune_when_due,
            damaged_records.request_damaged,
            _count_there,
        )
    )


def _check_clock() -> None:
    clocks.check_host_clock(seams.now())


def _count_there() -> None:
    """Count what the providers have, for a moment."""
    end = seams.monotonic() + _COUNT_S
    while links.count_there(seams.now()) is not None and seams.monotonic() < end:
        pass


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
    lifecycle.open_due_runs()


def _call_if_ready() -> None:
    if journal_state.is_ready():
        _call_workers()


@shared_task
def harvest(run_id: int | None = None) -> None:
    """Work on the runs that wait for about a minute. (`run_id` is in messages of a node of the version before.)"""
    if journal_state.is_ready():
        shared_worker.work_on_waiting(after=_call_next)
        _call_next()


def _call_next() -> None:
    _call_workers(at_most=1)


@shared_task
def probe(standby_id: int) -> None:
    """Ask the own provider of a link whether it answers again, while another one serves the link."""
    shared_worker.run_beside(failover.probe, standby_id)


@worker_process_shutdown.connect
def _leave_process(exitcode: int, **_: Any) -> None:
    shared_worker.leave_process(is_replaced=exitcode == EX_RECYCLE)
