"""What a command says in one sentence when PostgreSQL or Redis is away, starting, full or refusing, or a file cannot be used.

It is the same for all commands.
"""

import enum
import errno
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import psycopg2
import redis
from django.conf import settings
from django.db import Error as DjangoDatabaseError
from django.db import NotSupportedError
from django.utils.translation import gettext
from kombu.exceptions import OperationalError as BrokerError

from catalogue import outage
from catalogue.reasons import _, describe_error


class Cause(enum.StrEnum):
    """Why a server does not do what a command asks of it."""

    AWAY = "away"
    STARTING = "starting"
    CROWDED = "crowded"
    REFUSING = "refusing"
    READ_ONLY = "read-only"
    DISK_FULL = "disk-full"
    MEMORY_FULL = "memory-full"
    TOO_SLOW = "too-slow"
    DAMAGED = "damaged"
    TOO_OLD = "too-old"


class _Server(NamedTuple):
    """How sentences call a server, and where to look: its log if it is embedded, else the variable with its address."""

    name: str
    look: str


_SENTENCES = {
    Cause.AWAY: _("{name} cannot be reached ({reason}); {look}"),
    Cause.STARTING: _("{name} is starting or shutting down ({reason}); try again in a moment"),
    Cause.CROWDED: _("{name} has no connection left ({reason}); try again later, or let it have more"),
    Cause.REFUSING: _("{name} refuses this node ({reason}); {look}"),
    Cause.READ_ONLY: _("{name} can only be read ({reason}): it is a standby, or set so; {look}"),
    Cause.MEMORY_FULL: _("{name} has no memory left ({reason}); give it more, and try again"),
    Cause.TOO_SLOW: _("{name} stopped a statement that took too long ({reason}); try again when it has less to do"),
    Cause.DAMAGED: _(
        "{name} cannot read what it has stored ({reason}), as its files are damaged; look at the disk, and restore the node "
        "from a backup"
    ),
    Cause.TOO_OLD: _("{name} is too old ({reason}); upgrade it"),
}
# SQLSTATEs by their beginning, the longer ones first.
_STATES = {
    "25006": Cause.READ_ONLY,
    "28": Cause.REFUSING,
    "3D000": Cause.REFUSING,
    "3F000": Cause.REFUSING,
    "42501": Cause.REFUSING,
    "53100": Cause.DISK_FULL,
    "53200": Cause.MEMORY_FULL,
    "53300": Cause.CROWDED,
    "57014": Cause.TOO_SLOW,
    "57P03": Cause.STARTING,
    "57P": Cause.AWAY,
    "08": Cause.AWAY,
    "58030": Cause.DAMAGED,
    "XX001": Cause.DAMAGED,
    "XX002": Cause.DAMAGED,
}
# The driver gives no SQLSTATE where a connection is refused. A server that speaks another language is away.
_TEXTS = {
    Cause.STARTING: r"starting up|shutting down|recovery mode|not yet accepting|not accepting connections",
    Cause.CROWDED: r"too many (clients|connections)|connection slots",
    Cause.REFUSING: r"authentication failed|no password supplied|pg_hba\.conf|does not exist|permission denied|to log in",
}

# What a folder or a disk is the cause of, where the name of a file is known; a file that is missing is a fault of this program.
_OF_FILES = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ESTALE})


def describe(exc: BaseException) -> str | None:
    """Return the sentence for an error that a server, a full disk or the rights to a file are the cause of; None for any other."""
    if outage.is_disk_full(exc):
        return _disk_full(exc)
    for each in _chain(exc):
        if isinstance(each, OSError) and each.errno in _OF_FILES and each.filename is not None:
            return gettext("{path} cannot be read or written ({reason})").format(
                path=os.fsdecode(each.filename), reason=each.strerror
            )
        if isinstance(each, psycopg2.Error | DjangoDatabaseError):
            return _sentence(_cause_of_database_error(each), _database(), each)
        if isinstance(each, redis.RedisError | BrokerError):
            return _sentence(_cause_of_redis_error(each), _redis(), each)
    return None


def _sentence(cause: Cause | None, server: _Server, exc: BaseException) -> str | None:
    if cause is None:
        return None
    if cause is Cause.DISK_FULL:
        return _disk_full(exc)
    return gettext(_SENTENCES[cause]).format(name=server.name, reason=describe_error(exc), look=server.look)


def _disk_full(exc: BaseException) -> str:
    return f"{gettext(outage.DISK_FULL)} ({describe_error(exc)})"


def _chain(exc: BaseException | None) -> Iterator[BaseException]:
    """The causes of an error, the first one first: it knows most."""
    if exc is not None:
        yield from _chain(exc.__cause__)
        yield exc


def _cause_of_database_error(exc: BaseException) -> Cause | None:
    """None for an error of the statement: that is a fault of this program, and is shown with its traceback."""
    state = getattr(exc, "pgcode", None)
    if state is not None:
        return next((cause for begin, cause in _STATES.items() if state.startswith(begin)), None)
    if isinstance(exc, NotSupportedError) and exc.__cause__ is None:  # Django's own, of the version of the server
        return Cause.TOO_OLD
    if isinstance(exc, DjangoDatabaseError) and exc.__cause__ is None and not outage.is_outage(exc):
        return None
    if not isinstance(exc, psycopg2.OperationalError | psycopg2.InterfaceError | DjangoDatabaseError):
        # What the driver makes of an answer that breaks off has no class of its own.
        return Cause.AWAY if type(exc) is psycopg2.DatabaseError else None
    text = str(exc)
    return next((cause for cause, pattern in _TEXTS.items() if re.search(pattern, text)), Cause.AWAY)


def _cause_of_redis_error(exc: BaseException) -> Cause | None:
    text = str(exc)
    if isinstance(exc, redis.BusyLoadingError):
        return Cause.STARTING
    if isinstance(exc, redis.exceptions.OutOfMemoryError) or text.startswith("OOM"):
        return Cause.MEMORY_FULL
    if isinstance(exc, redis.exceptions.AuthorizationError | redis.AuthenticationError) or text.startswith(
        ("NOAUTH", "NOPERM", "WRONGPASS")
    ):
        return Cause.REFUSING
    if isinstance(exc, redis.ReadOnlyError):
        return Cause.READ_ONLY
    if text.startswith("MISCONF"):
        return Cause.DISK_FULL
    if "max number of clients" in text:
        return Cause.CROWDED
    return Cause.AWAY if isinstance(exc, redis.ConnectionError | redis.TimeoutError | BrokerError) else None


def _database() -> _Server:
    if settings.GISC_EMBEDDED_DATABASE:
        log = gettext("its log is {path}").format(path=f"{settings.GISC_DATA_DIR}/postgres/server.log")
        return _Server(gettext("the embedded database"), log)
    return _Server(gettext("the database of DATABASE_URL"), gettext("start it, or correct DATABASE_URL"))


def _redis() -> _Server:
    if settings.GISC_EMBEDDED_REDIS:
        log = gettext("its log is {path}").format(path=f"{settings.GISC_DATA_DIR}/redis/server.log")
        return _Server(gettext("the embedded Redis"), log)
    return _Server(gettext("the Redis of REDIS_URL"), gettext("start it, or correct REDIS_URL"))
