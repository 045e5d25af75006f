"""Celery tasks of the catalogue: each a few lines around a plain function."""

from datetime import datetime

from celery import shared_task

from catalogue import locks, validation

SLICE_S = 20  # chosen: so long at a time a worker is kept from harvesting
EXPIRES_S = 60  # chosen: messages that no worker has time for do not pile up; the next tick sends another


def queue_validation(place: validation.Place | None = None) -> None:
    """Put a task that labels records into the queue: from `place` on, or from the newest record."""
    arguments = place and [place.rules, place.begun.isoformat(), place.datestamp.isoformat(), place.record_id]
    validate.apply_async((arguments,), expires=EXPIRES_S)


@shared_task
def validate(arguments: tuple[str, str, str, int] | None = None) -> None:
    """Label records for a short time, then queue the successor. Does nothing while another process labels."""
    place = None
    if arguments is not None:
        rules, begun, datestamp, record_id = arguments
        place = validation.Place(
            rules, datetime.fromisoformat(begun), datetime.fromisoformat(datestamp), int(record_id)
        )
    with locks.session_lock(locks.VALIDATION, wait=False) as taken:
        if not taken:
            return
        place = validation.label(place, seconds=SLICE_S)
    if place is not None:
        queue_validation(place)
