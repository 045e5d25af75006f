"""The broker of the tests: which tasks wait in it."""

from typing import Any

from amqp.exceptions import ChannelError
from django.conf import settings
from kombu import Connection, Message, Queue

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
    with app.connection_for_read() as broker:
        number = sum(_length(broker, queue) for queue in queues)
        with broker.Consumer(queues, on_message=take, prefetch_count=1):
            while len(found) < number:
                broker.drain_events(timeout=30)
    return found


def _length(broker: Connection, queue: Queue) -> int:
    try:
        return int(broker.default_channel.queue_declare(queue.name, passive=True).message_count)
    except ChannelError:
        return 0  # Redis has no empty queue


def calls() -> int:
    """How many calls for a worker stand in the queue, which is empty afterwards."""
    return sum(task == tasks.harvest.name for task, _ in waiting())
