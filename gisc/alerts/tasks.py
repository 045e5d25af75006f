"""Celery tasks of alerts: each calls a plain function. Sending is a task of its own, so that no tick waits for a mail server."""

from celery import shared_task

from catalogue import ticks
from gisc.alerts import outbox
from gisc.alerts import tick as chores
from gisc.alerts.models import AlertCanary

_EXPIRES_S = 60  # chosen: the next tick sends another message
_TIME_LIMIT_S = 240  # less than a lease of the outbox


@shared_task
def tick() -> None:
    """Compare the problems with those that were seen; call a worker if there is something to send."""
    ticks.run(AlertCanary, _tick)


def _tick() -> None:
    if chores.run_chores():
        send.apply_async(expires=_EXPIRES_S)


@shared_task(time_limit=_TIME_LIMIT_S)
def send() -> None:
    """Send what the outbox has, for a short time."""
    outbox.send_due()
