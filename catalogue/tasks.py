"""Celery tasks of the catalogue: each a few lines around a plain function."""

from datetime import datetime

from celery import shared_task
from django.conf import settings
from django.utils.module_loading import import_string

from catalogue import chores, journal, journal_state, locks, ticks, validation
from catalogue.bulk import ingest, upload
from catalogue.models import CatalogueCanary
from catalogue.payloads import dictionaries
from catalogue.reading import lists, replica
from catalogue.writing import (
    overview,
    purge,
    quality,
    read_back,
    record_versions,
    search_index,
    set_changes,
    visibility,
)

EXPIRES_S = 60  # chosen: messages that no worker has time for do not pile up; the next tick sends another


@shared_task
def tick() -> None:
    """Run the periodic chores of the catalogue: journal, who sees what, purges, validation, dictionaries."""
    ticks.run(CatalogueCanary, _tick)


def _tick() -> None:
    chores.run_each(
        (
            journal_state.check,
            _flush_journal,
            _raise_mark,
            _settle_visibility,
            _make_search_terms,
            purge.count_day_and_purge,
            queue_validation,
            _queue_set_changes,
            dictionaries.retrain_if_outgrown,
            queue_uploads,
            upload.remove_old,
            record_versions.purge_versions,
            overview.count_if_outdated,
            quality.count_if_outdated,
            read_back.read_back_some,
            _clean_up,
        )
    )


def _queue_set_changes() -> None:
    if any(set_changes.open_changes()):
        queue_set_changes()


def queue_set_changes() -> None:
    """Queue a task that goes on with the changes of virtual sets. Raises OperationalError if the broker cannot be reached."""
    write_set_changes.apply_async(expires=EXPIRES_S)


@shared_task
def write_set_changes() -> None:
    """Go on with the changes of virtual sets for a short time, then queue the successor."""
    if not set_changes.go_on_with_all():
        queue_set_changes()


def _settle_visibility() -> None:
    visibility.settle_pending(seconds=EXPIRES_S)


def _make_search_terms() -> None:
    search_index.make_missing(seconds=EXPIRES_S)


def _clean_up() -> None:
    import_string(settings.UPKEEP)()


def _flush_journal() -> None:
    if journal.count_waiting():
        journal.flush_or_warn()


def _raise_mark() -> None:
    """Raise the mark to the present, which a replica receives: its lists are no older than a tick when nothing is written."""
    if replica.is_set_up():
        lists.instant()


def queue_validation(position: validation.WalkPosition | None = None) -> None:
    """Queue a task that labels records: from `position` on, or from the newest record."""
    arguments = position and [
        position.rules,
        position.started_at.isoformat(),
        position.datestamp.isoformat(),
        position.record_id,
    ]
    validate.apply_async((arguments,), expires=EXPIRES_S)


@shared_task
def validate(arguments: tuple[str, str, str, int] | None = None) -> None:
    """Label records for a short time, then queue the successor. Does nothing while another process labels."""
    position = None
    if arguments is not None:
        rules, started_at, datestamp, record_id = arguments
        position = validation.WalkPosition(
            rules, datetime.fromisoformat(started_at), datetime.fromisoformat(datestamp), int(record_id)
        )
    with locks.session_lock(locks.VALIDATION, wait=False) as taken:
        if not taken:
            return
        position = validation.label_records(position, seconds=validation.LIMITS.in_force.slice_s)
    if position is not None:
        queue_validation(position)


def queue_uploads() -> None:
    """Call a worker for the uploads that wait for one, if there are any.

    Raises OperationalError of kombu when the broker cannot be reached; the next tick tries again.
    """
    if upload.waiting().exists():
        work_on_uploads.apply_async(expires=EXPIRES_S)


@shared_task
def work_on_uploads() -> None:
    """Work on an upload for a short time, then queue the successor. Does nothing while another process does."""
    if not journal_state.is_ready():
        return
    with locks.session_lock(locks.UPLOADS, wait=False) as taken:
        more = taken and upload.work(processes=ingest.default_processes())
    if more:
        queue_uploads()
