"""The broker of the tests: which tasks wait in it."""

import contextlib
from queue import Empty

from django.conf import settings as django_settings

from gisc.celery import app


def queued() -> list[int]:
    """The runs for which a task waits in the broker; the queue is empty afterwards."""
    found = []
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue(django_settings.CELERY_TASK_DEFAULT_QUEUE)
        with contextlib.suppress(Empty):
            while True:
                message = queue.get_nowait()
                message.ack()
                found.append(message.payload[0][0])
        queue.close()
    return found
