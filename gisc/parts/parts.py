"""The parts of the node with their states, and the state of the node as a whole, made from one reading."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.conf import settings

from catalogue import seams
from catalogue.reading import replica
from catalogue.reading.replica import Cause, Examined
from catalogue.reasons import Facts, JournalCode, Reason
from gisc.heartbeat import BEAT, WORKER, RedisState
from gisc.parts import reading
from gisc.parts.reading import DatabaseState, Reading
from gisc.parts.reasons import PartCode
from harvester.messages import WaitsFor

_REMEMBERED_S = 5.0  # chosen: pages that many people may ask for read no more often
_JOURNAL_WAIT_S = 60.0  # chosen: two ticks, each of which writes what waits
_STUCK_BEATS = 2  # a run that waits for an idle worker longer than two beats would not be taken by the next one either


class State(StrEnum):
    """How a part is. FAILED: `/oai` cannot answer rightly. UNKNOWN: nobody can say, or nothing is set up that could."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the node: its state, and why, as a code with facts and one sentence."""

    name: str
    state: State
    reason: Reason

    @property
    def sentence(self) -> str:
        """What is wrong, and what to do."""
        text = str(self.reason)
        return f"{text[0].upper()}{text[1:]}."

    def report(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "state": str(self.state),
            "code": str(self.reason.code),
            "facts": dict(self.reason.facts),
            "text": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Node:
    """The node at one moment: what was read, and the states of its parts."""

    read: Reading
    parts: tuple[Part, ...]

    @property
    def is_ready(self) -> bool:
        """Whether `/oai` can answer rightly."""
        return all(part.state != State.FAILED for part in self.parts)

    @property
    def status(self) -> str:
        """`ok`, `degraded` or `not ready`. What is unknown because it was not set up degrades nothing."""
        if not self.is_ready:
            return "not ready"
        return "degraded" if any(part.state == State.DEGRADED for part in self.parts) else "ok"

    @property
    def troubles(self) -> list[Part]:
        """The parts that an operator should look at: all that are not ok."""
        return [part for part in self.parts if part.state != State.OK]

    @property
    def unwell(self) -> list[Part]:
        """The parts that are degraded or have failed, without those of which nothing is known."""
        return [part for part in self.troubles if part.state != State.UNKNOWN]


_last: tuple[float, Node] | None = None


def read() -> Node:
    """Read the node as it is now."""
    found = reading.read()
    return Node(found, tuple(judge(found)))


def recent() -> Node:
    """Return the node as it was read last by this process, a few seconds ago at most."""
    global _last
    now_s = seams.monotonic()
    if _last is None or not 0 <= now_s - _last[0] < _REMEMBERED_S:
        _last = (seams.monotonic(), read())
    return _last[1]


def public_report() -> dict[str, Any]:
    """Return what everybody may know, for the page of the harvests: names and states."""
    node = recent()
    return {"status": node.status, "parts": {part.name: str(part.state) for part in node.parts}}


# --- The states -------------------------------------------------------------------------------------


def judge(found: Reading) -> Iterable[Part]:
    """Return the state of each part, always of all of them and in this order."""
    yield _database(found)
    yield _migrations(found)
    yield _durability(found)
    yield _vacuum(found)
    yield _replica(found)
    yield _redis(found)
    yield _workers(found)
    yield _beat(found)
    yield _chores(found)
    yield _queue(found)
    yield _clock(found)
    yield _journal(found)
    yield _disk(found)
    yield _backup(found)


def _ok(name: str, **facts: Any) -> Part:
    return Part(name, State.OK, Reason(PartCode.OK, facts))


def _degraded(name: str, code: PartCode, **facts: Any) -> Part:
    return Part(name, State.DEGRADED, Reason(code, facts))


def _failed(name: str, code: PartCode, **facts: Any) -> Part:
    return Part(name, State.FAILED, Reason(code, facts))


def _unknown(name: str, code: PartCode, **facts: Any) -> Part:
    return Part(name, State.UNKNOWN, Reason(code, facts))


def _without(name: str, other: str) -> Part:
    """A part of which nothing can be known while another one is away."""
    return _unknown(name, PartCode.NOT_KNOWN, part=other)


def _database(found: Reading) -> Part:
    if found.database == DatabaseState.AWAY:
        return _failed("database", PartCode.DATABASE_AWAY)
    return _ok("database")


def _migrations(found: Reading) -> Part:
    if found.database == DatabaseState.AWAY:
        return _without("migrations", "database")
    return _ok("migrations") if found.has_database else _failed("migrations", PartCode.NOT_MIGRATED)


def _durability(found: Reading) -> Part:
    if found.disabled_durability is None:
        return _without("durability", "database")
    if found.disabled_durability:
        return _degraded("durability", PartCode.NOT_DURABLE, settings=", ".join(found.disabled_durability))
    return _ok("durability")


def _vacuum(found: Reading) -> Part:
    vacuum = found.vacuum
    if vacuum is None:
        return _without("vacuum", "database")
    if vacuum.is_behind:
        return _degraded("vacuum", PartCode.NUMBERS_RUN_OUT, percent=round(vacuum.used * 100))
    if vacuum.is_held_back:
        return _degraded("vacuum", PartCode.TRANSACTION_OPEN, age_h=round(vacuum.oldest_s / 3600, 1))
    if vacuum.disabled:
        return _degraded("vacuum", PartCode.AUTOVACUUM_OFF, disabled=", ".join(vacuum.disabled))
    return _ok("vacuum")


_REPLICA = {
    Cause.AWAY: PartCode.REPLICA_AWAY,
    Cause.POOLED: PartCode.REPLICA_POOLED,
    Cause.OTHER_DATABASE: PartCode.REPLICA_OTHER_DATABASE,
    Cause.PROMOTED: PartCode.REPLICA_PROMOTED,
    Cause.OTHER_TIMELINE: PartCode.REPLICA_OTHER_TIMELINE,
    Cause.OTHER_EPOCH: PartCode.REPLICA_OTHER_EPOCH,
    Cause.AHEAD: PartCode.REPLICA_AHEAD,
    Cause.LAGS: PartCode.REPLICA_LAGS,
    Cause.PRIMARY: PartCode.PRIMARY_IN_RECOVERY,
}


def _replica(found: Reading) -> Part:
    """The replica; one that is not set up is well."""
    if not replica.is_set_up():
        return _ok("replica")
    return _without("replica", "database") if found.replica is None else judge_replica(found.replica)


def judge_replica(examined: Examined) -> Part:
    """Return the state of a replica that is set up."""
    lag_s = None if examined.lag_s is None else round(examined.lag_s, 1)
    if examined.cause is None:
        return _ok("replica", lag_s=lag_s)
    return _degraded("replica", _REPLICA[examined.cause], lag_s=lag_s, limit_s=settings.GISC_REPLICA_LAG_SECONDS)


_REDIS = {
    RedisState.AWAY: PartCode.REDIS_AWAY,
    RedisState.FULL: PartCode.REDIS_FULL,
    RedisState.REFUSES: PartCode.REDIS_REFUSES,
}


def _redis(found: Reading) -> Part:
    code = _REDIS.get(found.broker.state)
    if code is None and found.broker.is_shared(found.identity):
        code = PartCode.REDIS_SHARED
    return _ok("redis") if code is None else _degraded("redis", code)


def _workers(found: Reading) -> Part:
    alive, expected = found.broker.workers_alive, found.broker.workers_expected
    if found.broker.state != RedisState.OK:
        return _without("workers", "redis")  # a worker that lives cannot say so
    if not found.broker.alive(WORKER):
        return _degraded("workers", PartCode.NO_WORKER, expected=expected)
    if alive < expected:
        return _degraded("workers", PartCode.WORKERS_MISSING, alive=alive, expected=expected)
    return _ok("workers", alive=alive, expected=expected)


def _beat(found: Reading) -> Part:
    if found.broker.state == RedisState.OK and not found.broker.alive(BEAT):
        return _degraded("beat", PartCode.NO_BEAT)
    if found.ticks is None:
        return _without("beat", "database")
    if found.ticks.oldest_s is None:
        return _degraded("beat", PartCode.NO_TICK)
    age_s = round(found.ticks.oldest_s, 1)
    return _degraded("beat", PartCode.TICKS_LATE, age_s=age_s) if found.ticks.is_late else _ok("beat", age_s=age_s)


def _chores(found: Reading) -> Part:
    if found.failing_chores is None:
        return _without("chores", "database")
    if found.failing_chores:
        return _degraded("chores", PartCode.CHORES_FAILING, chores=", ".join(found.failing_chores))
    return _ok("chores")


def _queue(found: Reading) -> Part:
    if found.queue is None:
        return _without("queue", "database")
    facts: Facts = {
        "waiting": found.queue.waiting[WaitsFor.WORKER],
        "wait_s": round(found.queue.longest_s[WaitsFor.WORKER], 1),
    }
    is_stuck = not found.queue.working and facts["wait_s"] > _STUCK_BEATS * settings.GISC_BEAT_SECONDS
    if found.queue.is_stalled or is_stuck:
        return _degraded("queue", PartCode.QUEUE_STALLED, **facts)
    return _ok("queue", working=found.queue.working, **facts)


def _clock(found: Reading) -> Part:
    clock = found.clock
    if clock is None:
        return _without("clock", "database")
    offset_s = None if clock.offset_s is None else round(clock.offset_s, 3)
    age_s = None if clock.age_s is None else round(clock.age_s)
    if clock.is_wrong:
        return _degraded("clock", PartCode.CLOCK_WRONG, offset_s=offset_s, age_s=age_s)
    if clock.is_known:
        return _ok("clock", offset_s=offset_s, age_s=age_s)
    if clock.is_checked_by_links:
        facts = {"links": len(clock.skews_s), "skew_s": round(statistics.median(clock.skews_s), 1)}
        return _degraded("clock", PartCode.CLOCK_DIFFERS, **facts)
    if not clock.has_servers:
        return _unknown("clock", PartCode.CLOCK_NOT_CHECKED)
    if clock.is_silent:
        return _degraded("clock", PartCode.NTP_SILENT, offset_s=offset_s, age_s=age_s)
    return _unknown("clock", PartCode.CLOCK_CHECK_OLD, age_s=age_s)


_JOURNAL_FAILED = {
    JournalCode.DATABASE_BEHIND: PartCode.DATABASE_BEHIND,
    JournalCode.RESTORE_NOT_ENDED: PartCode.RESTORE_NOT_ENDED,
}
# That the journal is on the disk of the data is a warning of the start and of /health/ready: many small nodes are so.
_JOURNAL_DEGRADED = {
    JournalCode.FILES_BEHIND: PartCode.FILES_BEHIND,
    JournalCode.FILES_NOT_READ: PartCode.FILES_NOT_READ,
}


def _journal(found: Reading) -> Part:
    facts = found.journal
    if facts is None:
        if found.has_database:
            return _failed("journal", PartCode.JOURNAL_NOT_KNOWN)
        return _without("journal", "database")
    if facts.status is None:
        return _degraded("journal", PartCode.JOURNAL_NOT_READABLE)
    if facts.status.problem is not None:
        return _failed("journal", _JOURNAL_FAILED[JournalCode(facts.status.problem.code)])
    if not facts.is_writable:
        return _degraded("journal", PartCode.JOURNAL_NOT_WRITABLE)
    if facts.wait_s > _JOURNAL_WAIT_S:
        return _degraded("journal", PartCode.JOURNAL_WAITING, waiting=facts.waiting, wait_s=round(facts.wait_s, 1))
    for warning in facts.status.warnings:
        if (code := _JOURNAL_DEGRADED.get(JournalCode(warning.code))) is not None:
            return _degraded("journal", code)
    return _ok("journal", waiting=facts.waiting)


def _disk(found: Reading) -> Part:
    unreadable = [disk.kind for disk in found.disks if not disk.is_readable]
    low = {disk.kind: (disk.free or 0) // 1_000_000 for disk in found.disks if disk.is_low}
    if low:
        return _degraded("disk", PartCode.DISK_LOW, free_mb=low)
    if found.kept_wal:
        return _degraded("disk", PartCode.WAL_KEPT, kept_mb=found.kept_wal // 1_000_000)
    if unreadable:
        return _degraded("disk", PartCode.DISK_NOT_READABLE, kinds=", ".join(unreadable))
    return _ok("disk")


def _backup(found: Reading) -> Part:
    backup = found.backup
    if found.unarchived_wal:
        return _degraded("backup", PartCode.WAL_NOT_ARCHIVED, wal=found.unarchived_wal)
    if not backup.is_configured:
        return _unknown("backup", PartCode.BACKUP_NOT_CONFIGURED)
    if not backup.is_readable:
        return _degraded("backup", PartCode.BACKUP_NOT_READABLE)
    if backup.is_shared:
        return _degraded("backup", PartCode.BACKUP_SHARED)
    if backup.age_s is None:
        return _degraded("backup", PartCode.NO_BACKUP)
    age_h = round(backup.age_s / 3600, 1)
    if backup.is_late:
        return _degraded("backup", PartCode.BACKUP_LATE, age_h=age_h)
    if not backup.last_is_verified:
        return _degraded("backup", PartCode.BACKUP_NOT_VERIFIED, age_h=age_h)
    return _ok("backup", age_h=age_h)
