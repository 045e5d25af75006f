"""Heartbeats of a worker and a beat that do not exist, in the Redis of the tests; they stay there for the next test."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis
from django.conf import settings

from gisc import heartbeat


@contextmanager
def no_heartbeats() -> Iterator[None]:
    """Have no process live at the start of the block, and leave none behind."""
    with redis.Redis.from_url(settings.GISC_REDIS_URL) as client:
        key = f"gisc:{settings.GISC_NAME}:heartbeats"
        client.delete(key)
        try:
            yield
        finally:
            client.delete(key)


def beat_as_worker_and_beat() -> None:
    """Write a heartbeat of a worker with all its processes, and one of beat."""
    heartbeat.Pulse(heartbeat.WORKER, "a", lambda: ([1, 2], 2)).beat()
    heartbeat.Pulse(heartbeat.BEAT, "a").beat()
