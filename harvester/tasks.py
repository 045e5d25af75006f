"""Celery tasks: each a few lines around a plain function. Ids in, nothing out."""

import logging

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from catalogue import dictionaries, journal, upkeep
from catalogue.tasks import queue_validation
from harvester import canary, clock, runs, switching
from harvester.models import Run

logger = logging.getLogger(__name__)


def queue(run: Run) -> None:
    """Put a task for this run into the queue. Only a hint: the tick finds open runs that have none."""
    try:
        harvest.delay(run.pk)
    except OperationalError as exc:
        logger.warning("run not queued; the next tick tries again", extra=run.log_facts(reason=str(exc)))
    else:
        runs.mark_queued(run)


@shared_task
def tick() -> None:
    """The one beat entry: start what is due, take up what stopped moving, and whatever else is to be done now and then."""
    canary.sing()
    clock.check(timezone.now())
    switching.switch_failing(timezone.now())
    for run in runs.open_due_runs():
        queue(run)
    for run in runs.claimable():
        queue(run)
    if journal.waiting():
        journal.flush_or_warn()
    upkeep.purge_daily()
    queue_validation()
    dictionaries.tend()


@shared_task
def harvest(run_id: int) -> None:
    """Take pages of a run for at most a minute, then queue the successor."""
    run = runs.work(run_id)
    if run is not None and run.is_open and run.not_before is None:
        queue(run)
