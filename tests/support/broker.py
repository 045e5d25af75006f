"""The broker of the tests: which tasks wait in it."""

from queue import Empty
from typing import Any

from django.conf import settings
from kombu import Connection

from gisc.celery import app


def waiting(broker: Connection) -> list[tuple[str, list[Any]]]:
    """The tasks in the queue with their arguments, in the order in which a worker gets them. They are taken out."""
    queue = broker.SimpleQueue(app.amqp.queues[settings.GISC_NAME])
    found = []
    try:
        while True:
            message = queue.get_nowait()
            message.ack()
            found.append((message.headers["task"], message.payload[0]))
    except Empty:
        return found
    finally:
        queue.close()


def queued() -> list[int]:
    """The runs for which a task waits in the queue, which is empty afterwards."""
    with app.connection_for_read() as broker:
        return [arguments[0] for _, arguments in waiting(broker)]
