"""Celery tasks of WIS monitoring. Asking other centres is a task of its own, so that no tick waits for them."""

from celery import shared_task

from catalogue import seams
from catalogue.pages import interfaces
from gisc.wis_monitoring import measuring

_EXPIRES_S = 60  # chosen: the next tick sends another message
_TIME_LIMIT_S = 300  # chosen: 15 centres that answer nothing take a tenth of it


@shared_task
def tick() -> None:
    """Call a worker if there is something to measure."""
    if interfaces.is_offered(interfaces.MONITORING) and measuring.is_due(seams.now()):
        measure.apply_async(expires=_EXPIRES_S)


@shared_task(time_limit=_TIME_LIMIT_S)
def measure() -> None:
    """Measure what is due."""
    measuring.measure(seams.now())
