"""Read what the states of the parts are made of. Ends within seconds, also where PostgreSQL or Redis hangs."""

import dataclasses
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction

from catalogue import checks, chores, journal, journal_state, seams
from catalogue.database_deadline import deadline
from catalogue.database_identity import database_identity
from catalogue.outage import ERRORS, is_outage
from catalogue.reading import replica, stats
from catalogue.reading.replica import Examined
from catalogue.ticks import TickAges, read_ages
from gisc import database, disk_space, heartbeat, replication_slots, vacuum
from gisc.backup import wal_archive
from gisc.backup.schedule import BackupState, backup_state
from gisc.disk_space import DiskSpace
from gisc.heartbeat import Broker
from gisc.vacuum import Vacuum
from harvester.rows import clocks
from harvester.rows.queue import QueueState, queue_state

Value = TypeVar("Value")

_STATEMENT_S = 2
_DEADLINE_S = 3.0
logger = logging.getLogger(__name__)
# True once all migrations were found applied: it stays so while this code runs, and the check is not cheap.
_migrated = False


class DatabaseState(StrEnum):
    """Whether the database answers, and has all migrations."""

    OK = "ok"
    AWAY = "not reachable"
    NOT_MIGRATED = "not migrated"


@dataclass(frozen=True, slots=True)
class JournalFacts:
    """The journal's files beside the database. `status`: None if the files cannot be read. `since`: of the first that waits."""

    status: journal_state.Status | None
    is_writable: bool
    waiting: int
    since: datetime | None

    @property
    def wait_s(self) -> float:
        return 0.0 if self.since is None else max((seams.now() - self.since).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read at one moment. None: it could not be read, because the database did not answer.

    `kept_wal`: the bytes of its log that PostgreSQL keeps for replication slots that nobody reads. `unarchived_wal`: the file
    that it could not archive; '' if there is none, or nothing is archived. `replica`: None also where none is set up. `identity`: of the database; None also where it is not known.
    """

    database: DatabaseState
    broker: Broker
    backup: BackupState
    disks: list[DiskSpace]
    disabled_durability: list[str] | None = None
    vacuum: Vacuum | None = None
    kept_wal: int | None = None
    ticks: TickAges | None = None
    failing_chores: list[str] | None = None
    queue: QueueState | None = None
    clock: clocks.ClockState | None = None
    journal: JournalFacts | None = None
    waiting_for_search: int | None = None
    unarchived_wal: str | None = None
    replica: Examined | None = None
    identity: str | None = None

    @property
    def has_database(self) -> bool:
        """Whether tables can be read."""
        return self.database == DatabaseState.OK


def read() -> Reading:
    """Read the node as it is now."""
    found = _read_node()
    return dataclasses.replace(found, replica=_examine_replica()) if found.has_database else found


def _read_node() -> Reading:
    broker, disks = heartbeat.read(), disk_space.disks()
    with deadline(_DEADLINE_S):
        state = _database_state()
        identity = None if state == DatabaseState.AWAY else _ask(database_identity)
        backup = backup_state(identity)
        if state == DatabaseState.AWAY:
            return Reading(state, broker, backup, disks)
        durability = _ask(checks.disabled_durability)
        if state == DatabaseState.NOT_MIGRATED:
            return Reading(state, broker, backup, disks, durability)
        return Reading(
            state,
            broker,
            backup,
            disks,
            durability,
            vacuum=_ask(vacuum.read),
            kept_wal=_ask(replication_slots.kept_bytes),
            ticks=_ask(read_ages),
            failing_chores=_ask(chores.failing),
            queue=_ask(lambda: queue_state(seams.now())),
            clock=_ask(clocks.clock_state),
            journal=_ask(_journal_facts),
            waiting_for_search=_ask(stats.count_waiting_for_search),
            unarchived_wal=_ask(wal_archive.unarchived),
            identity=identity,
        )


def _examine_replica() -> Examined | None:
    """Ask the replica, which has a limit of its own; None where none is set up, or the primary does not answer."""
    if not replica.is_set_up():
        return None
    try:
        examined = replica.examine()
    except ERRORS as exc:
        logger.warning("database did not answer", extra={"reason": " ".join(str(exc).split())})
        return None
    if examined.cause is not None:
        logger.warning(
            "lists are not read from the replica", extra={"cause": str(examined.cause), "reason": examined.detail}
        )
    return examined


def _database_state() -> DatabaseState:
    global _migrated
    try:
        with transaction.atomic():
            _limit_statements()
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not _migrated:
                _migrated = not database.unapplied()
    except ERRORS as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return DatabaseState.AWAY
    except ImproperlyConfigured as exc:
        logger.warning("database not migrated", extra={"reason": str(exc)})
    return DatabaseState.OK if _migrated else DatabaseState.NOT_MIGRATED


def _limit_statements() -> None:
    """Limit the statements of a transaction; one that has begun before has limits of its own."""
    if len(connection.savepoint_ids) == 0:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{_STATEMENT_S}s"])


def _ask(question: Callable[[], Value]) -> Value | None:
    """Return the answer of the database; None if it has none in time."""
    if connection.connection is None or connection.connection.closed:
        return None  # it was lost by the question before: a new connection would cost as long again
    try:
        with transaction.atomic():
            _limit_statements()
            return question()
    except ERRORS as exc:
        logger.warning("database did not answer", extra={"reason": " ".join(str(exc).split())})
        if is_outage(exc) and not connection.in_atomic_block:
            connection.close()  # within a transaction, that of a public page, its next statement fails by itself
        return None


def _journal_facts() -> JournalFacts:
    try:
        status = journal_state.status()
    except OSError as exc:
        # Events wait in the database then. That the files are ahead cannot be seen.
        logger.warning("journal not readable", extra={"reason": str(exc)})
        status = None
    if status is not None and status.problem is not None:
        logger.warning("node not ready: %s", status.problem)
    is_writable = _is_writable(Path(settings.GISC_JOURNAL_DIR))
    return JournalFacts(status, is_writable, journal.count_waiting(), journal.waiting_since())


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or the folder itself in the nearest one above it that is there."""
    try:
        existing = next(place for place in (folder, *folder.parents) if place.exists())
    except OSError:
        return False
    return os.access(existing, os.W_OK | os.X_OK)
