"""Read lists from a streaming replica: whether it may be used now, at which instant, and why not (S2, P39).

A replica is used for a block of code, in the thread that runs it; everything else, and every write, goes to the primary. Before
each use both servers are asked what they are: docs/datestamps.md says why a list that is read there misses nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, ProgrammingError, connections
from django.db.backends.signals import connection_created

from catalogue import seams
from catalogue.database_deadline import deadline
from catalogue.database_identity import CLUSTER_AND_DATABASE, TIMELINE
from catalogue.limits import Replaceable
from catalogue.outage import ERRORS

ALIAS = "replica"
# The alias of the database from which this thread reads lists now.
SOURCE: ContextVar[str] = ContextVar("source of lists", default=DEFAULT_DB_ALIAS)
_pause_until_s = 0.0


@dataclass(frozen=True, slots=True)
class ReplicaLimits:
    """How long a list waits for a replica that hangs, and how long the replica is not asked then."""

    answer_s: float = 3.0  # chosen: a server that hangs keeps a list waiting so long, once in `pause_s`
    pause_s: float = 10.0  # chosen


LIMITS = Replaceable(ReplicaLimits())


class Cause(StrEnum):
    """Why a list is not read from the replica."""

    AWAY = "away"  # it cannot be reached, starts, or gives no answer
    POOLED = "pooled"  # a pooler in between shares its sessions
    OTHER_DATABASE = "other-database"  # no copy of this database, or it lacks tables of this version
    PROMOTED = "promoted"  # it takes writes of its own
    OTHER_TIMELINE = "other-timeline"  # it follows another server than the primary
    OTHER_EPOCH = "other-epoch"  # one of the two was restored from a backup
    AHEAD = "ahead"  # it has what the primary has not: the primary was put back
    LAGS = "lags"  # longer than GISC_REPLICA_LAG_SECONDS
    PRIMARY = "primary"  # DATABASE_URL leads to a server in recovery
    # Of one list
    TOO_NEW = "too-new"  # the list goes on, or goes up to a time, after what was replayed
    REFUSED = "refused"  # the answer would be an error, which the primary gives or does not
    DAMAGED = "damaged"  # a stored record cannot be read back there
    CANCELLED = "cancelled"  # a statement came in the way of the replay, or took too long
    FAILED = "failed"  # any other error of a statement


_COSTLY = (Cause.AWAY, Cause.POOLED)  # to find out takes seconds, or many statements


class Unfit(Exception):
    """The replica cannot give this list; the primary can."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(f"{cause}: {detail}" if detail else str(cause))
        self.cause = cause


class Router:
    """Database router of Django: writes to the primary, and reads too, but for those within `reading`."""

    def db_for_read(self, _model: Any, **_hints: Any) -> str:
        return SOURCE.get()

    def db_for_write(self, _model: Any, **_hints: Any) -> str:
        return DEFAULT_DB_ALIAS  # not where the row was read

    def allow_relation(self, _one: Any, _other: Any, **_hints: Any) -> bool:
        return True  # both are the same rows

    def allow_migrate(self, db: str, _app_label: str, **_hints: Any) -> bool:
        return db != ALIAS


def is_set_up() -> bool:
    """Whether DATABASE_REPLICA_URL names a replica."""
    return ALIAS in connections.databases


def listen() -> None:
    """Have each session of the replica refuse writes, also after it was promoted."""
    connection_created.connect(_make_read_only, dispatch_uid="catalogue.reading.replica")


def _make_read_only(connection: Any, **_arguments: Any) -> None:
    if connection.alias == ALIAS:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")


def is_source() -> bool:
    """Whether this thread reads from the replica now."""
    return SOURCE.get() == ALIAS


def distrust_damage(identifier: str) -> None:
    """Raise Unfit if a record was read from the replica and cannot be read back: the primary may have it whole."""
    if is_source():
        raise Unfit(Cause.DAMAGED, identifier)


@dataclass(frozen=True, slots=True)
class Examined:
    """What the two servers said of themselves. `cause`: why no list may be read from the replica; None if lists may be.

    `instant`: the mark that the replica has replayed. `lag_s`: since when it lacks something that the primary has; None: not known.
    """

    cause: Cause | None
    instant: datetime | None = None
    lag_s: float | None = None
    detail: str = ""


def examine() -> Examined:
    """Ask both servers. Raises the errors of a primary that does not answer."""
    primary = _primary()
    if primary is None:
        return Examined(Cause.PRIMARY)
    wrapper = connections[ALIAS]
    is_new = wrapper.connection is None
    try:
        try:
            copy = _copy(wrapper)
        except ERRORS as exc:
            if is_new or not _is_lost(exc, wrapper):
                raise
            wrapper.close()  # it was restarted since it was asked last
            copy = _copy(wrapper)
    except ImproperlyConfigured:
        wrapper.close()
        return Examined(Cause.POOLED)
    except ProgrammingError as exc:
        return Examined(Cause.OTHER_DATABASE, detail=_line(exc))
    except ERRORS as exc:
        wrapper.close()
        return Examined(Cause.AWAY, detail=_line(exc))
    return _compare(primary, copy)


@contextmanager
def reading() -> Iterator[datetime]:
    """Let this thread read lists from the replica, and yield the instant of such a list. Raises Unfit.

    Errors of the replica become Unfit, too. Raises the errors of a primary that does not answer before the block begins.
    """
    global _pause_until_s
    if seams.monotonic() < _pause_until_s:
        raise Unfit(Cause.AWAY, "it is not asked, as it was of no use some seconds ago")
    examined = examine()
    _pause_until_s = seams.monotonic() + LIMITS.in_force.pause_s if examined.cause in _COSTLY else 0.0
    if examined.cause is not None or examined.instant is None:
        raise Unfit(examined.cause or Cause.OTHER_DATABASE, examined.detail)
    before = SOURCE.set(ALIAS)
    try:
        yield examined.instant
    except ERRORS as exc:
        wrapper = connections[ALIAS]
        cause = _cause_of(exc)
        if _is_lost(exc, wrapper):
            wrapper.close()
        raise Unfit(cause, _line(exc)) from exc
    finally:
        SOURCE.reset(before)


def forget() -> None:
    """Ask a replica again that did not answer."""
    global _pause_until_s
    _pause_until_s = 0.0


# --- What a server says of itself -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Primary:
    identity: str
    timeline: int
    written: int  # up to this byte of its log
    now: datetime
    epoch: int | None


@dataclass(frozen=True, slots=True)
class _Copy:
    identity: str
    timeline: int
    replayed: int
    last_commit: datetime | None  # by the clock of the primary
    epoch: int | None
    instant: datetime


_EPOCH = "(SELECT epoch FROM catalogue_journalposition)"
_SELECT_PRIMARY = f"""
    SELECT {CLUSTER_AND_DATABASE}, {TIMELINE}, (pg_current_wal_flush_lsn() - '0/0')::bigint, gisc_clock(), {_EPOCH}
    WHERE NOT pg_is_in_recovery()
"""
# No row, and no write, where it is no replica.
_SELECT_COPY = f"""
    SELECT {CLUSTER_AND_DATABASE}, greatest(c.timeline_id, r.min_recovery_end_timeline), (pg_last_wal_replay_lsn() - '0/0')::bigint,
           pg_last_xact_replay_timestamp(), {_EPOCH}, catalogue_instant()
    FROM pg_control_checkpoint() c, pg_control_recovery() r
    WHERE pg_is_in_recovery()
"""


def _primary() -> _Primary | None:
    """Ask the primary; None if it is in recovery itself."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_SELECT_PRIMARY)
        found = cursor.fetchone()
    return None if found is None else _Primary(*found)


def _copy(wrapper: Any) -> _Copy | None:
    """Ask the replica; None if it is in recovery no more."""
    wrapper.health_check_done = True  # this is one
    with deadline(LIMITS.in_force.answer_s, wrapper), wrapper.cursor() as cursor:
        cursor.execute(_SELECT_COPY)
        found = cursor.fetchone()
    return None if found is None else _Copy(*found)


def _compare(primary: _Primary, copy: _Copy | None) -> Examined:
    if copy is None:
        return Examined(Cause.PROMOTED)
    if copy.identity != primary.identity:
        return Examined(Cause.OTHER_DATABASE)
    if copy.timeline != primary.timeline:
        return Examined(Cause.OTHER_TIMELINE, detail=f"{copy.timeline}, not {primary.timeline}")
    if copy.replayed > primary.written and copy.replayed > _written_now():
        return Examined(Cause.AHEAD)
    lag_s = _lag_s(primary, copy)
    if copy.epoch != primary.epoch:
        return Examined(Cause.OTHER_EPOCH, lag_s=lag_s, detail=f"{copy.epoch}, not {primary.epoch}")
    if lag_s is None or lag_s > settings.GISC_REPLICA_LAG_SECONDS:
        return Examined(Cause.LAGS, lag_s=lag_s)
    return Examined(None, copy.instant, lag_s)


def _written_now() -> int:
    """Ask the primary again: it goes on writing after it was asked, which the replica may have received."""
    primary = _primary()
    return 0 if primary is None else primary.written


def _lag_s(primary: _Primary, copy: _Copy) -> float | None:
    """Return how old the last commit is that was replayed, if anything was written since; None if there was none yet.

    A primary that writes nothing is no lag, however long ago it wrote last.
    """
    if copy.replayed >= primary.written:
        return 0.0
    return None if copy.last_commit is None else max((primary.now - copy.last_commit).total_seconds(), 0.0)


def _is_lost(exc: Exception, wrapper: Any) -> bool:
    is_closed = wrapper.connection is None or wrapper.connection.closed
    return is_closed or (isinstance(exc, (OperationalError, InterfaceError)) and _sqlstate(exc) not in _CANCELLED)


# serialization_failure (a conflict with the replay), query_canceled (statement_timeout)
_CANCELLED = ("40001", "57014")


def _cause_of(exc: Exception) -> Cause:
    if _sqlstate(exc) in _CANCELLED:
        return Cause.CANCELLED
    return Cause.AWAY if isinstance(exc, OperationalError) else Cause.FAILED


def _sqlstate(exc: Exception) -> str | None:
    """Return the code of PostgreSQL of an error of the driver, or of Django's error around it."""
    for each in (exc, exc.__cause__):
        if (code := getattr(each, "pgcode", None)) is not None:
            return str(code)
    return None


def _line(exc: Exception) -> str:
    return " ".join(str(exc).split())
