"""Keep a few connections that threads have closed, and give them to the threads that ask for the next ones.

Each run has threads of its own, and closes its connections whenever it waits. A new connection costs PostgreSQL more than
all that a run with no news asks of it: a process, its caches, the plans of its functions, and the tables of staging. Django
has a pool for psycopg 3 only, and that of psycopg2 neither looks whether a connection still works nor lets it grow old.

Nothing is kept until `keep` is called, as the processes of a worker do: elsewhere threads stay, and so do their connections.
"""

import os
from collections import deque
from typing import Any

import psycopg2
from django.conf import settings
from django.db.backends.postgresql import base, features
from django.db.backends.postgresql.psycopg_any import IsolationLevel
from psycopg2.extensions import TRANSACTION_STATUS_IDLE

from catalogue import outage, seams
from gisc import embedded
from gisc.reused_connections.client import DatabaseClient

AT_MOST = 3  # chosen: the run that works has two or three, of which some are closed while others are in use


class IdleConnections:
    """Connections of the driver that no thread has, each with when it is too old (of `seams.monotonic`; None: never)."""

    def __init__(self) -> None:
        self._at_most = 0
        self._process = 0
        self._idle: deque[tuple[Any, float | None]] = deque()

    def keep(self, at_most: int) -> None:
        """Begin to keep so many, in this process; its children do not."""
        self._at_most, self._process = at_most, os.getpid()

    def forget(self) -> None:
        """Close those that are kept, and keep no more."""
        self._at_most = 0
        while self._idle:
            self._idle.pop()[0].close()

    def take(self) -> tuple[Any, float | None] | None:
        """Return the one that was given last and still works; None if there is none."""
        while self._is_on():
            try:
                connection, old_at = self._idle.pop()
            except IndexError:
                return None
            if not _is_old(old_at) and _works(connection):
                return connection, old_at
            connection.close()
        return None

    def give(self, connection: Any, old_at: float | None) -> bool:
        """Keep a connection; False if the caller is to close it: it is broken, within a transaction, too old, or one too many."""
        if not self._is_on() or len(self._idle) >= self._at_most or _is_old(old_at) or connection.closed:
            return False
        if connection.info.transaction_status != TRANSACTION_STATUS_IDLE or not connection.autocommit:
            return False
        self._idle.append((connection, old_at))
        return True

    def _is_on(self) -> bool:
        return self._at_most > 0 and self._process == os.getpid()


idle = IdleConnections()


def forget() -> None:
    """Close the connections that are kept, and keep no more."""
    idle.forget()


def _is_old(old_at: float | None) -> bool:
    return old_at is not None and seams.monotonic() >= old_at


def _works(connection: Any) -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except psycopg2.Error:
        return False
    return True


class DatabaseFeatures(features.DatabaseFeatures):
    """What Django knows of the server. One before 15 has no UNIQUE NULLS NOT DISTINCT, without which no header is stored."""

    minimum_database_version = (15,)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django whose connection to the server is kept when it is closed, for the next one.

    Of the database `default` alone: what is kept does not say of which it is.
    """

    client_class = DatabaseClient
    features_class = DatabaseFeatures
    close_at: float | None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if (kept := idle.take()) is None:
            return self._connect(conn_params)
        connection, self.close_at = kept
        self.isolation_level = IsolationLevel(connection.isolation_level or IsolationLevel.READ_COMMITTED)
        return connection

    def _connect(self, conn_params: dict[str, Any]) -> Any:
        """Connect; where the embedded server has no room to let anybody in, give it what is reserved for that, and try again."""
        try:
            return super().get_new_connection(conn_params)
        except psycopg2.OperationalError as exc:
            if not (settings.GISC_EMBEDDED_DATABASE and outage.is_disk_full(exc)):
                raise
            embedded.give_room(settings.GISC_DATA_DIR)
            return super().get_new_connection(conn_params)

    def _close(self) -> None:
        is_whole = not (self.in_atomic_block or self.errors_occurred)
        if self.connection is None or (is_whole and idle.give(self.connection, self.close_at)):
            return
        super()._close()  # type: ignore[misc]  # the stubs lack it
