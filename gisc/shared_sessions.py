"""Refuse a pooler, such as PgBouncer, that gives each transaction another session of PostgreSQL.

The node keeps locks and settings for as long as a session: there, another client would have them, and two processes that must wait
for each other would not. A pooler in between gives the connection a process number that is not that of its session; then a
second connection tries to get the session of the first. Each process asks once for each
database, when it connects first.
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.db.backends.signals import connection_created
from django.utils.translation import gettext as _

from catalogue.database_deadline import deadline
from catalogue.reading import replica

_TRIES = 20  # chosen: a pooler with many idle sessions may give each of them in turn
_ANSWER_S = 5.0  # chosen: a second connection may have to wait for a session as long as the first has one
_SETTINGS = {"default": "DATABASE_URL", replica.ALIAS: "DATABASE_REPLICA_URL"}  # that name a database, by its alias
_checked: set[str] = set()  # settings


def listen() -> None:
    """Have the first connection of each process to each database checked."""
    connection_created.connect(_check, dispatch_uid="gisc.shared_sessions")


def forget() -> None:
    """Check the next connections again."""
    _checked.clear()


def _check(connection: Any, **_arguments: Any) -> None:
    """Raises ImproperlyConfigured."""
    name = _SETTINGS.get(connection.alias)
    if name is None or name in _checked or (name == "DATABASE_URL" and settings.GISC_EMBEDDED_DATABASE):
        return
    _checked.add(name)
    if _session_of(connection) != connection.connection.info.backend_pid and _is_shared(connection):
        _checked.discard(name)
        raise ImproperlyConfigured(
            _(
                "{name} leads through a pooler that gives each transaction another session of PostgreSQL, which would break the "
                "node's locks; write pool_mode = session for this database in its configuration, or name PostgreSQL itself in {name}"
            ).format(name=name)
        )


def _is_shared(connection: Any) -> bool:
    """Whether another connection gets the session of this one, which is open, between two of its transactions."""
    other = connection.copy()
    try:
        try:
            with deadline(_ANSWER_S, other):
                _session_of(other)
        except OperationalError:  # it waited for a session in vain, as long as this one has its own
            return False
        return any(_gets_session_of(connection, other) for _number in range(_TRIES))
    except OperationalError:  # it may not begin a transaction at all
        return True
    finally:
        other.close()


def _gets_session_of(connection: Any, other: Any) -> bool:
    own = _session_of(connection)
    other.set_autocommit(False)  # it has its session until it commits
    found = _session_of(other) == own or _session_of(connection) != own
    other.commit()
    other.set_autocommit(True)
    return found


def _session_of(connection: Any) -> int:
    """Return the process of PostgreSQL that a connection has now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(pid)
