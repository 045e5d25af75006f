"""Our own database away for a while: restarted, killed, or a connection to it cut. What a worker must still say waits."""

import logging
import time
from collections.abc import Callable

import psycopg2
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

# COPY is the driver's own call, whose errors Django does not translate.
_ERRORS = (DatabaseError, InterfaceError, psycopg2.Error)
_OUTAGES = (OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
_PAUSE_S = 0.5  # chosen


def is_one(exc: Exception) -> bool:
    """Whether the database was lost, and not asked something wrong.

    The driver has no class of its own for an answer that breaks off; then the connection is gone.
    """
    gone = connection.connection is None or connection.connection.closed
    return isinstance(exc, _OUTAGES) or (isinstance(exc, _ERRORS) and bool(gone))


def persist(act: Callable[[], object]) -> None:
    """Do something small in the database, again and again while that cannot be reached.

    For as long as a lease lasts: after that nobody waits for what a worker has to say of its run. Raises what the database said then.
    """
    until = time.monotonic() + settings.GISC_LEASE_SECONDS
    while True:
        try:
            act()
            return
        except _ERRORS as exc:
            if not is_one(exc):
                raise
            connection.close()  # else the broken one would be used for ever
            if time.monotonic() >= until:
                raise
            logger.info("waiting for the database", extra={"reason": reason(exc)})
        time.sleep(_PAUSE_S)


def reason(exc: Exception) -> str:
    """What the database said, in one line."""
    return " ".join(str(exc).split()) or type(exc).__name__
