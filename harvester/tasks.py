"""Celery tasks: each a few lines around a plain function. Ids in, nothing out."""

from celery import shared_task
from django.utils import timezone

from catalogue import dictionaries, journal, upkeep
from catalogue.tasks import queue_validation
from harvester import canary, clock, probing, runs, switching
from harvester.models import Run


def queue(run: Run) -> None:
    """Put a task for this run into the queue. Only a hint: the tick finds open runs that have none."""
    runs.mark_queued(run)
    harvest.delay(run.pk)


@shared_task
def tick() -> None:
    """The one beat entry: start what is due, take up what stopped moving, and whatever else is to be done now and then."""
    canary.sing()
    clock.check(timezone.now())
    switching.switch_failing(timezone.now())
    switching.return_answering(timezone.now())
    for standby in probing.take_due(timezone.now()):
        probe.delay(standby.pk)
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


@shared_task
def probe(standby_id: int) -> None:
    """Ask the own provider of a link that another one serves whether it answers again."""
    probing.probe(standby_id)
