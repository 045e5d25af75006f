"""Tell a lost connection to our own database (restarted, killed, cut), a full disk and damaged files from a wrong statement."""

import errno
import os
import re

import psycopg2
import psycopg2.errors
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from catalogue.reasons import _

# COPY is the driver's own call, whose errors Django does not translate.
ERRORS = (DatabaseError, InterfaceError, psycopg2.Error)
DISK_FULL = _("the disk of this node is full, so nothing was stored; make room on it, and try again")
_OUTAGES = (OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)


def is_outage(exc: Exception) -> bool:
    """Whether the connection to the database was lost, rather than a statement wrong.

    The driver has no class of its own for an answer that breaks off: the connection is closed then, or, where the server has crashed, the
    error is of no class and has no SQLSTATE, and the connection is not known to be lost. It has the same class for
    a block of a file that cannot be read.
    """
    if is_data_damaged(exc):
        return False
    is_closed = connection.connection is None or connection.connection.closed
    return isinstance(exc, _OUTAGES) or (isinstance(exc, ERRORS) and bool(is_closed)) or _is_broken_off(exc)


def _is_broken_off(exc: BaseException) -> bool:
    """Whether an error is libpq's own, not one of the server: the connection can be used no more."""
    return any(type(each) is psycopg2.DatabaseError and each.pgcode is None for each in (exc, exc.__cause__))


def is_unanswered(exc: Exception) -> bool:
    """Whether the database gave no answer to this time, and may give one later: it is away, was lost, or ended the statement."""
    return isinstance(exc, _OUTAGES) or is_outage(exc)


_NO_ROOM = re.compile("|".join(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT)))


def is_disk_full(exc: BaseException | None) -> bool:
    """Whether PostgreSQL or this process found no room on a disk; also where that is the cause of the error."""
    while exc is not None:
        if isinstance(exc, psycopg2.errors.DiskFull):
            return True
        if isinstance(exc, OSError) and exc.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        # A server that can write no file for a new connection refuses it, and the driver gives no SQLSTATE.
        if isinstance(exc, psycopg2.OperationalError) and exc.pgcode is None and _NO_ROOM.search(str(exc)):
            return True
        exc = exc.__cause__
    return False


# PostgreSQL's table of error codes: data_corrupted, index_corrupted, io_error.
_DAMAGED = frozenset(("XX001", "XX002", "58030"))


def is_data_damaged(exc: BaseException | None) -> bool:
    """Whether PostgreSQL cannot read what it has stored, as its files are damaged; also where that is the cause of the error."""
    while exc is not None:
        if isinstance(exc, psycopg2.Error) and exc.pgcode in _DAMAGED:
            return True
        exc = exc.__cause__
    return False
