"""Tell a lost connection to our own database (restarted, killed, cut) from a wrong statement."""

import psycopg2
from django.db import DatabaseError, InterfaceError, OperationalError, connection

# COPY is the driver's own call, whose errors Django does not translate.
ERRORS = (DatabaseError, InterfaceError, psycopg2.Error)
_OUTAGES = (OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)


def is_outage(exc: Exception) -> bool:
    """Whether the connection to the database was lost, rather than a statement wrong.

    The driver has no class of its own for an answer that breaks off; then the connection is closed.
    """
    is_closed = connection.connection is None or connection.connection.closed
    return isinstance(exc, _OUTAGES) or (isinstance(exc, ERRORS) and bool(is_closed))
