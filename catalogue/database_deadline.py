"""A deadline for what a thread asks of the database, so that a server that hangs keeps no check waiting."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg2
from django.db import connections

from catalogue import seams

_AGAIN_S = 0.2  # a new connection of the same block is cut so soon


@contextmanager
def deadline(seconds: float, wrapper: Any = None) -> Iterator[None]:
    """Cut a connection of this thread, the default one if none is given, if the block takes longer.

    What it asks for then fails, as when the server is gone. The server's `statement_timeout` does not help where the server or its host has stopped. Connecting has a limit of its
    own, `connect_timeout`.
    """
    ended = seams.Event()
    seams.start_thread(_cut_when_late, wrapper or connections["default"], ended, seconds, name="deadline")
    try:
        yield
    finally:
        ended.set()


def _cut_when_late(wrapper: Any, ended: Any, seconds: float) -> None:
    pause_s = seconds
    while not ended.wait(pause_s):
        _cut(wrapper.connection)
        pause_s = _AGAIN_S


def _cut(connection: Any) -> None:
    """Shut down the socket of a connection of the driver, while its own thread waits for an answer."""
    if connection is None or connection.closed:
        return
    with suppress(OSError, psycopg2.Error), socket.socket(fileno=os.dup(connection.fileno())) as its_socket:
        its_socket.shutdown(socket.SHUT_RDWR)
