"""Wait while our own database is away: restarted, killed, or a connection to it cut."""

import logging
from collections.abc import Callable

import psycopg2
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from catalogue import seams

logger = logging.getLogger(__name__)

# COPY is the driver's own call, whose errors Django does not translate.
_ERRORS = (DatabaseError, InterfaceError, psycopg2.Error)
_OUTAGES = (OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
_PAUSE_S = 0.5  # chosen


def is_outage(exc: Exception) -> bool:
    """Whether the connection to the database was lost, rather than a statement wrong.

    The driver has no class of its own for an answer that breaks off; then the connection is closed.
    """
    is_closed = connection.connection is None or connection.connection.closed
    return isinstance(exc, _OUTAGES) or (isinstance(exc, _ERRORS) and bool(is_closed))


def retry_while_away(action: Callable[[], object]) -> None:
    """Run a small write, and repeat it while the database cannot be reached, for as long as a lease lasts.

    After that another worker takes the run over. Raises the last error of the database then.
    """
    deadline = seams.monotonic() + settings.GISC_LEASE_SECONDS
    while True:
        try:
            action()
            return
        except _ERRORS as exc:
            if not is_outage(exc):
                raise
            connection.close()  # else the broken one would be used for ever
            if seams.monotonic() >= deadline:
                raise
            logger.info("waiting for the database", extra={"reason": describe_error(exc)})
        seams.sleep(_PAUSE_S)


def describe_error(exc: Exception) -> str:
    """The message of an error in one line, or its class if it has none."""
    return " ".join(str(exc).split()) or type(exc).__name__
