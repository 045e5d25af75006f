"""What happens to a node while it harvests: faults at instants that are drawn from a seed and told by progress.

An instant is a number of list pages that the provider has been asked for, and a part of the time that the node lately
took for a page, so that a fault strikes in mid-harvest, while a page is worked on, whatever the speed of the machine:
the next page is not answered before it has.
"""

import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import psutil
import psycopg2
import redis
from celery import Celery

from gisc import embedded
from tests.support.misbehaving import Arguments, RawServer, whole
from tests.support.nodes import Node
from tests.support.waiting import until

MOST_PAGE_S = 1.0  # a page that took longer had met a fault


# --- What strikes the node --------------------------------------------------------------------------


def kill_worker(node: Node) -> None:
    psutil.Process(node.pid_of("worker")).kill()


def kill_pool_process(node: Node) -> None:
    """The process of the worker's pool that has the run."""
    (holder,) = _ask(node, "SELECT holder FROM harvester_run WHERE state = 'open' AND holder <> ''")[0]
    psutil.Process(int(holder.rpartition(":")[2])).kill()


def kill_beat(node: Node) -> None:
    psutil.Process(node.pid_of("beat")).kill()


def kill_redis(node: Node) -> None:
    psutil.Process(node.pid_of("redis")).kill()


def flush_redis(node: Node) -> None:
    with redis.Redis.from_url(embedded.redis_url(node.data_dir)) as client:
        client.flushall()


def kill_postgres(node: Node) -> None:
    psutil.Process(node.postmaster()).kill()


def restart_postgres(node: Node) -> None:
    """A fast shutdown, as an administrator's restart does it; the node starts it again."""
    os.kill(node.postmaster(), signal.SIGINT)


def end_connections(node: Node) -> None:
    _ask(
        node,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'gisc'",
    )


def deliver_again(node: Node) -> None:
    """The broker delivers the run's task some times more, while a worker has it."""
    (run_id,) = _ask(node, "SELECT id FROM harvester_run WHERE state = 'open'")[0]
    with Celery(broker=embedded.broker_url(node.data_dir)) as queue:
        for _ in range(5):
            queue.send_task("harvester.tasks.harvest", [run_id], queue="WIS-GISC-TOKYO")


def freeze_worker(node: Node) -> None:
    """Stop the worker and its pool where they are: they live, and do nothing any more."""
    worker = psutil.Process(node.pid_of("worker"))
    for process in (worker, *worker.children(recursive=True)):
        process.suspend()


def _ask(node: Node, sql: str) -> list[tuple]:
    connection = psycopg2.connect(embedded.database_url(node.data_dir))
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()
    finally:
        connection.close()


ON_NODE: dict[str, Callable[[Node], None]] = {
    function.__name__: function
    for function in (
        *(kill_worker, kill_pool_process, kill_beat, kill_redis, flush_redis),
        *(kill_postgres, restart_postgres, end_connections, deliver_again, freeze_worker),
    )
}
# What one of them may meet when another has struck just before: the victim is not there, or not yet.
_NOT_THERE = (psutil.NoSuchProcess, ProcessLookupError, FileNotFoundError, IndexError, redis.RedisError, psycopg2.Error)


# --- What the provider does -------------------------------------------------------------------------


def busy(connection: socket.socket, body: bytes) -> None:
    connection.sendall(whole(b"busy", "Retry-After: 2", status="503 Service Unavailable"))


def busy_without_a_time(connection: socket.socket, body: bytes) -> None:
    connection.sendall(whole(b"busy", status="503 Service Unavailable"))


def reset(connection: socket.socket, body: bytes) -> None:
    """A connection that is reset in the middle of the body."""
    answer = whole(body)
    connection.sendall(answer[: len(answer) // 2])
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close sends RST


def truncated(connection: socket.socket, body: bytes) -> None:
    """A whole HTTP answer with half a document."""
    connection.sendall(whole(body[: len(body) // 2]))


def expired(connection: socket.socket, body: bytes) -> None:
    """A token that is good no longer."""
    start, end = body.index(b"<ListRecords>"), body.index(b"</OAI-PMH>")
    lost = b'<error code="badResumptionToken">it has expired</error>'
    connection.sendall(whole(body[:start] + lost + body[end:]))


AT_PROVIDER: dict[str, Callable[[socket.socket, bytes], None]] = {
    function.__name__: function for function in (busy, busy_without_a_time, reset, truncated, expired)
}


# --- When -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instant:
    """A fault that strikes when the provider has been asked for so many list pages, and a part of a page's time later."""

    kind: str
    asked: int
    part: float


def draw(chance: random.Random, kinds: Sequence[str], pages: int) -> list[Instant]:
    """An instant for each of these kinds, before the last page of a list of so many pages."""
    at = chance.sample(range(2, pages), len(kinds))
    return [Instant(kind, asked, chance.random()) for kind, asked in zip(kinds, sorted(at), strict=True)]


@dataclass
class Chaos:
    """Has faults strike as a harvest goes on. Put `misbehave` among the misbehaviours of the provider's server."""

    node: Node
    server: RawServer
    left: list[Instant] = field(default_factory=list)
    asked: int = 0  # list pages, since `plan`
    struck: list[tuple[Instant, int]] = field(default_factory=list)  # with the pages asked for when it had struck
    _last: float = 0.0  # when a list page was asked for, of time.monotonic
    _page_s: float = 0.1  # how long the node lately took for a page
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _striking: Future[None] | None = None
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))

    def plan(self, instants: Sequence[Instant]) -> None:
        """From now on, have these faults strike."""
        with self._turn:
            self.left, self.asked, self.struck = list(instants), 0, []

    def kinds(self) -> Counter[str]:
        """How many of each kind have struck."""
        return Counter(instant.kind for instant, _ in self.struck)

    def misbehave(self, connection: socket.socket, arguments: Arguments) -> bool:
        if arguments.get("verb") != "ListRecords":
            return False
        with self._turn:
            if self._striking is not None:
                self._striking.result()
                self._striking = None
            self.asked += 1
            now = time.monotonic()
            if now - self._last < MOST_PAGE_S:
                self._page_s = now - self._last
            self._last = now
            due = next((instant for instant in self.left if instant.asked <= self.asked), None)
            if due is None or (due.kind in AT_PROVIDER and "resumptionToken" not in arguments):
                return False
            self.left.remove(due)
            if due.kind in AT_PROVIDER:
                AT_PROVIDER[due.kind](connection, self.server.provider.say(arguments))
                self.struck.append((due, self.asked))
                return True
            self._striking = self._pool.submit(self._strike, due, self.asked)
        return False

    def _strike(self, instant: Instant, asked: int) -> None:
        time.sleep(instant.part * self._page_s)  # the instant is drawn: nothing waits for anything here

        def hit() -> bool:
            try:
                ON_NODE[instant.kind](self.node)
            except _NOT_THERE:
                return False
            return True

        until(hit, timeout_s=60, what=f"{instant.kind} finds its victim")
        self.struck.append((instant, asked))
