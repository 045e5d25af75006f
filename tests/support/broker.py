"""The broker of the tests: which tasks wait in it."""

from typing import Any

from django.conf import settings
from kombu import Message

from gisc.celery import app
from harvester import tasks


def waiting() -> list[tuple[str, list[Any]]]:
    """The tasks in the queues with their arguments, in the order in which a worker gets them. They are taken out.

    By a connection of its own: one that stays open would take the next message, too.
    """
    found: list[tuple[str, list[Any]]] = []

    def take(message: Message) -> None:
        message.ack()
        found.append((message.headers["task"], message.payload[0]))

    queues = [app.amqp.queues[name] for name in (settings.GISC_NAME, settings.GISC_RUN_QUEUE)]
    with app.connection_for_read() as broker, broker.Consumer(queues, on_message=take, prefetch_count=1):
        try:
            while True:
                broker.drain_events(timeout=0.5)
        except TimeoutError:
            return found


def calls() -> int:
    """How many calls for a worker stand in the queue, which is empty afterwards."""
    return sum(task == tasks.harvest.name for task, _ in waiting())
