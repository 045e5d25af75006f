"""The register of all advisory locks of PostgreSQL that the node takes, and the only Python code that takes them.

Every process of every host that uses one database sees the same locks, so their numbers are constants of the outside
world: during an upgrade processes of two versions may run at once and must wait for one another. Numbers are never
changed and never used again. The SQL functions write the number out; a test compares them with this register.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from django.db import connection, transaction


class Level(Enum):
    """When PostgreSQL gives a lock up by itself."""

    TRANSACTION = "transaction"  # at its end
    SESSION = "session"  # when the connection ends, if it was not given up before


@dataclass(frozen=True, slots=True)
class AdvisoryLock:
    """One lock of the register. `modes`: who takes it exclusively, who shared."""

    name: str
    number: int
    level: Level
    modes: str
    guards: str


DATESTAMP_CLOCK = AdvisoryLock(
    name="datestamp clock",
    number=0x47495343,  # "GISC"
    level=Level.TRANSACTION,
    modes="exclusive for writers, shared for lists",
    guards="datestamps grow in the order of commits, and a list waits for the writers that have their stamp (P91, P92)",
)
VALIDATION = AdvisoryLock(
    name="validation",
    number=0x47495356,  # "GISV"
    level=Level.SESSION,
    modes="exclusive",
    guards="one process at a time checks records, so that none is checked twice",
)
DICTIONARY_TRAINING = AdvisoryLock(
    name="dictionary training",
    number=0x44494354,  # "DICT"
    level=Level.TRANSACTION,
    modes="exclusive",
    guards="one process at a time trains a dictionary for payloads",
)
RUN_CLAIMS = AdvisoryLock(
    name="run claims",
    number=0x67697363_72756E73,  # "giscruns"
    level=Level.TRANSACTION,
    modes="exclusive",
    guards="workers claim runs one after the other, so that GISC_MAX_RUNS and GISC_MAX_RUNS_PER_HOST hold",
)
DATABASE_PREPARATION = AdvisoryLock(
    name="database preparation",
    number=0x61536331,
    level=Level.SESSION,
    modes="exclusive",
    guards="one process at a time migrates the database and creates its first rows and its first administrator",
)
BACKUP = AdvisoryLock(
    name="backup",
    number=0x4749534342,  # "GISCB"
    level=Level.SESSION,
    modes="exclusive",
    guards="one process at a time backs the database up, and has its scratch database for itself",
)
ALERTS = AdvisoryLock(
    name="alerts",
    number=0x47495341,  # "GISA"
    level=Level.TRANSACTION,
    modes="exclusive",
    guards="one process at a time finds which problems have begun or are over, so that each is told once",
)
UPLOADS = AdvisoryLock(
    name="uploads",
    number=0x47495355,  # "GISU"
    level=Level.SESSION,
    modes="exclusive",
    guards="one worker at a time works on uploads, so that each document is checked and stored once",
)
WATCHED_FOLDER = AdvisoryLock(
    name="watched folder",
    number=0x47495357,  # "GISW"
    level=Level.SESSION,
    modes="exclusive, for each path",
    guards="one process at a time watches a folder, so that two hosts with different files do not withdraw each other's records",
)
ALL = (
    *(DATESTAMP_CLOCK, VALIDATION, DICTIONARY_TRAINING, RUN_CLAIMS, DATABASE_PREPARATION, BACKUP, ALERTS, UPLOADS),
    WATCHED_FOLDER,
)


def lock_transaction(lock: AdvisoryLock) -> None:
    """Wait for the lock and keep it until the transaction ends. Raises TransactionManagementError outside of one."""
    _take(lock, Level.TRANSACTION, wait=True)


def try_lock_transaction(lock: AdvisoryLock) -> bool:
    """Take the lock until the transaction ends, unless another process has it; whether it was taken."""
    return _take(lock, Level.TRANSACTION, wait=False)


@contextmanager
def session_lock(lock: AdvisoryLock, *, wait: bool = True) -> Iterator[bool]:
    """Keep the lock for the length of the block. The value is whether it was taken, which `wait` makes sure of."""
    taken = _take(lock, Level.SESSION, wait=wait)
    try:
        yield taken
    finally:
        # A connection that broke meanwhile has given the lock up by itself.
        if taken and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock.number])


def keep_for_session(lock: AdvisoryLock, of: str) -> bool:
    """Take the lock of one thing, named by a text, until the connection ends, unless another process has it; whether it is ours.

    To be called again and again: the lock of a connection that broke is taken anew.
    """
    assert lock.level is Level.SESSION, f"{lock.name} is a lock of a {lock.level.value}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [lock.number, of])
        (answer,) = cursor.fetchone()
    return bool(answer)


def _take(lock: AdvisoryLock, level: Level, *, wait: bool) -> bool:
    assert lock.level is level, f"{lock.name} is a lock of a {lock.level.value}"
    if level is Level.TRANSACTION and not connection.in_atomic_block:
        raise transaction.TransactionManagementError(f"the lock {lock.name} would be given up at once")
    function = f"pg_{'' if wait else 'try_'}advisory_{'xact_' if level is Level.TRANSACTION else ''}lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [lock.number])
        (answer,) = cursor.fetchone()
    return wait or bool(answer)
