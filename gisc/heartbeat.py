"""Heartbeats: worker and beat write into Redis every few seconds that they live, and health and metrics read it. So do ticks, which
database they are of: another node of the same name takes messages of this one.

In Redis, because a heartbeat is of use for seconds. Their times are Redis's own, so that the clocks of hosts do not count.
"""

import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import OutOfMemoryError
from redis.retry import Retry

from catalogue import seams

logger = logging.getLogger(__name__)

WORKER, BEAT = "worker", "beat"
_EVERY_S = 10.0  # chosen
_ALIVE_S = 35.0  # chosen: three heartbeats may be lost
_FORGOTTEN_S = 86_400.0  # chosen: a host that has not been seen for a day has another name now
_LATELY_S = 300.0  # chosen: ten ticks at the usual interval
_PAUSE_S = 3600.0  # chosen: a node whose ticks stop for so long begins anew
_TIMEOUT_S = 2


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last heartbeat of a process. `processes`: ids of the processes of its pool; `expected`: how many there should be."""

    kind: str
    name: str
    pid: int
    processes: tuple[int, ...]
    expected: int
    age_s: float

    @property
    def is_alive(self) -> bool:
        return self.age_s <= _ALIVE_S


class RedisState(StrEnum):
    """Whether Redis answers, and takes what is written."""

    OK = "ok"
    AWAY = "not reachable"
    FULL = "full"
    REFUSES = "refuses writes"


@dataclass(frozen=True, slots=True)
class DatabaseUse:
    """A database of which ticks came through this Redis (`catalogue.database_identity`), and how long ago the first and the last did."""

    identity: str
    first_age_s: float
    last_age_s: float


@dataclass(frozen=True, slots=True)
class Broker:
    """Redis as it was found, with the heartbeats in it. `restarts`: pool processes that took the place of others so far."""

    state: RedisState
    heartbeats: tuple[Heartbeat, ...] = ()
    restarts: int = 0
    databases: tuple[DatabaseUse, ...] = ()

    def alive(self, kind: str) -> list[Heartbeat]:
        """Return the heartbeats of the processes of this kind that live."""
        return [heartbeat for heartbeat in self.heartbeats if heartbeat.kind == kind and heartbeat.is_alive]

    @property
    def workers_alive(self) -> int:
        """How many processes of the pools of all workers run."""
        return sum(len(worker.processes) for worker in self.alive(WORKER))

    @property
    def workers_expected(self) -> int:
        """How many should: those of a worker that was seen lately count, and at least one worker is expected."""
        lately = [heartbeat for heartbeat in self.heartbeats if heartbeat.age_s <= settings.GISC_CANARY_SECONDS]
        return max(settings.GISC_HARVEST_WORKERS, sum(each.expected for each in lately if each.kind == WORKER))

    def is_shared(self, identity: str | None) -> bool:
        """Whether ticks of another database than this come through beside ours, so that two nodes have one name.

        Not where ours began when the other's had ended: then the primary has changed, or the node has moved.
        """
        lately_s = max(_LATELY_S, 3.0 * settings.GISC_BEAT_SECONDS)
        ours = [use for use in self.databases if use.identity == identity]
        others = [use for use in self.databases if use.identity != identity and use.last_age_s <= lately_s]
        return any(theirs.last_age_s < use.first_age_s for use in ours for theirs in others)


# --- Read -------------------------------------------------------------------------------------------


def read() -> Broker:
    """Read the heartbeats, and see whether Redis takes what is written: full, it still answers a ping."""
    try:
        with _connect() as client:
            pipeline = client.pipeline(transaction=False)
            pipeline.set(_key("health"), "1", ex=60)
            pipeline.time()
            pipeline.hgetall(_key("heartbeats"))
            pipeline.get(_key("restarts"))
            pipeline.hgetall(_key("databases"))
            written, now, stored, restarts, databases = pipeline.execute(raise_on_error=False)
    except redis.RedisError as exc:
        logger.warning("Redis not reachable", extra={"reason": str(exc)})
        return Broker(RedisState.AWAY)
    for answer in (now, stored, restarts, databases):
        if isinstance(answer, Exception):
            logger.warning("Redis not readable", extra={"reason": str(answer)})
            return Broker(RedisState.REFUSES)
    now_s = _seconds(now)
    heartbeats = tuple(_parse(name, text, now_s) for name, text in sorted(stored.items()))
    uses = tuple(_parse_use(identity, text, now_s) for identity, text in sorted(databases.items()))
    return Broker(_state_after(written), heartbeats, int(restarts or 0), uses)


def _state_after(written: object) -> RedisState:
    if not isinstance(written, Exception):
        return RedisState.OK
    logger.warning("Redis refuses what is written", extra={"reason": str(written)})
    return RedisState.FULL if isinstance(written, OutOfMemoryError) else RedisState.REFUSES


def _parse(field_name: bytes, text: bytes, now_s: float) -> Heartbeat:
    kind, _, name = field_name.decode().partition(":")
    facts = json.loads(text)
    age_s = max(now_s - facts["at"], 0.0)
    return Heartbeat(kind, name, facts["pid"], tuple(facts["processes"]), facts["expected"], age_s)


def _parse_use(identity: bytes, text: bytes, now_s: float) -> DatabaseUse:
    facts = json.loads(text)
    return DatabaseUse(identity.decode(), max(now_s - facts["first"], 0.0), max(now_s - facts["last"], 0.0))


# --- Write ------------------------------------------------------------------------------------------


def note_database(identity: str) -> None:
    """Write that a tick of this database came through now. Without Redis nothing is written."""
    try:
        with _connect() as client:
            now_s = _seconds(client.time())
            stored = {name.decode(): json.loads(text) for name, text in client.hgetall(_key("databases")).items()}
            before = stored.get(identity, {"first": now_s, "last": now_s})
            goes_on = now_s - before["last"] <= max(_PAUSE_S, 3.0 * settings.GISC_BEAT_SECONDS)
            facts = {"first": before["first"] if goes_on else now_s, "last": now_s}
            pipeline = client.pipeline()
            pipeline.hset(_key("databases"), identity, json.dumps(facts))
            if old := [name for name, use in stored.items() if name != identity and now_s - use["last"] > _FORGOTTEN_S]:
                pipeline.hdel(_key("databases"), *old)
            pipeline.execute()
    except redis.RedisError as exc:
        logger.debug("not written which database this is", extra={"reason": str(exc)})


@dataclass(slots=True)
class Pulse:
    """Writes the heartbeats of this process. `pool`: returns the ids of its pool's processes now, and how many there should be."""

    kind: str
    name: str
    pool: Callable[[], tuple[list[int], int]] = field(default=lambda: ([], 0))
    _known: set[int] | None = None

    def keep_beating(self) -> None:
        """Write a heartbeat every few seconds, for as long as this process lives."""
        while True:
            try:
                self.beat()
            except (redis.RedisError, OSError) as exc:
                logger.debug("no heartbeat written", extra={"reason": str(exc)})
            seams.sleep(_EVERY_S)

    def beat(self) -> None:
        """Write one heartbeat, and count the processes of the pool that took the place of others."""
        processes, expected = self.pool()
        field_name = f"{self.kind}:{self.name}"
        with _connect() as client:
            now_s = _seconds(client.time())
            before = self._known
            if before is None:
                stored = client.hgetall(_key("heartbeats"))
                before = self._of_predecessor(stored.get(field_name.encode()), processes)
                if old := [name for name, text in stored.items() if now_s - json.loads(text)["at"] > _FORGOTTEN_S]:
                    client.hdel(_key("heartbeats"), *old)
            facts = {"pid": os.getpid(), "processes": processes, "expected": expected, "at": now_s}
            replaced = len(set(processes) - before)
            pipeline = client.pipeline()
            pipeline.hset(_key("heartbeats"), field_name, json.dumps(facts))
            if replaced:
                pipeline.incrby(_key("restarts"), replaced)
            pipeline.execute()
        self._known = set(processes)

    def _of_predecessor(self, stored: bytes | None, processes: list[int]) -> set[int]:
        """Return the processes that are no replacements: all, unless a worker of this name died and this one follows it."""
        if stored is None:
            return set(processes)
        facts = json.loads(stored)
        return set(facts["processes"]) if facts["pid"] != os.getpid() else set(processes)

    def end(self) -> None:
        """Remove the heartbeat of this process, which ends as it should."""
        try:
            with _connect() as client:
                client.hdel(_key("heartbeats"), f"{self.kind}:{self.name}")
        except redis.RedisError as exc:
            logger.debug("heartbeat not removed", extra={"reason": str(exc)})


# --- Redis ------------------------------------------------------------------------------------------


def _connect() -> redis.Redis:
    # Each try has its time limit; the library's default would be several tries.
    return redis.Redis.from_url(
        settings.GISC_REDIS_URL,
        socket_connect_timeout=_TIMEOUT_S,
        socket_timeout=_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
    )


def _key(name: str) -> str:
    return f"gisc:{settings.GISC_NAME}:{name}"


def _seconds(time: tuple[int, int] | Any) -> float:
    """Return the answer to TIME in seconds."""
    return float(time[0] + time[1] / 1e6)
