"""Flow control (OAI-PMH 3.1.2.2, P112-P114): who is served now, who waits, and who is turned away.

Each client, known by its address, has a bucket of requests that refills evenly. Who finds it empty, or the node
busy, is told 503 and how long to wait. Who waits as told is served next, whatever the bucket and the node say: so
no list is lost, and never are there two 503 in a row for who obeys. Who asks again before is told 503 with what
remains of the wait, and it is counted; beyond ALLOWED_OFFENCES the answer is 403, until half of the count has
decayed. Nothing is ever 429 (P113).

The state is in Redis, so that it is the same in all processes of the node. Without Redis everyone is served.

Whose request it is: the client's address, through the proxies that are known. Pure.

`X-Forwarded-For` is written by whoever sends it. Only what a trusted proxy has added counts: the list is read
from its end, past each address that is itself trusted, to the first that is not.
"""

import logging
import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

LEAST_WAIT_S = 15  # chosen: enough of a bucket refills meanwhile that the client does not wait for each request
LONGEST_WAIT_S = 600  # P112
BUSY_WAIT_S = 10  # chosen
# What comes so soon after a 503 was sent over another connection before the client knew.
GRACE_S = 2
ALLOWED_OFFENCES = 30
HALF_LIFE_S = 600  # of the count of offences
_NO_LIMIT = 1_000_000_000
_FORGET_S = 2 * 3600  # by then a bucket is full and a count has decayed
_REDIS_TIMEOUT_S = 0.25
_REDIS_PAUSE_S = 30  # how long a process does without a Redis that did not answer


class Verdict(Enum):
    """What becomes of a request."""

    SERVE = "serve"
    WAIT = "wait"  # 503 with Retry-After
    REFUSE = "refuse"  # 403 with the reason


@dataclass(frozen=True, slots=True)
class Decision:
    """`wait_s` is the time to wait where the verdict is not SERVE: whole seconds, 1 to 600 for a 503."""

    verdict: Verdict
    wait_s: int = 0


SERVE = Decision(Verdict.SERVE)

# One step, atomic, for one client. KEYS: its hash. ARGV: now, requests a minute, busy (0 or 1), and the constants.
# `left` is what is in the bucket as of `seen`; `told` and `until` are when a 503 was sent and when it is over;
# `count` are the offences as of `offended`.
_STEP = """
local now, per_minute, busy = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local wait_s, busy_s, grace_s = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local allowed, half_life_s, forget_s = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local held = redis.call('HMGET', KEYS[1], 'left', 'seen', 'told', 'until', 'count', 'offended')
local seen = tonumber(held[2]) or now
local left = tonumber(held[1]) or per_minute
left = math.min(per_minute, left + math.max(0, now - seen) * per_minute / 60)
local told, till = tonumber(held[3]) or 0, tonumber(held[4]) or 0
local early = now < till - 0.001
local offended = tonumber(held[6]) or now
local count = (tonumber(held[5]) or 0) * 0.5 ^ (math.max(0, now - offended) / half_life_s)
local verdict, answer_s = 'serve', 0
if early and now > told + grace_s or count > allowed then
    count = math.min(count + 1, 2 * allowed)
end
if count > allowed then
    verdict, answer_s = 'refuse', half_life_s * math.log(count / allowed) / math.log(2)
elseif early then
    verdict, answer_s = 'wait', till - now
elseif till > 0 then
    till, left = 0, math.max(left, 1) - 1
elseif left < 1 or busy then
    verdict, answer_s = 'wait', left < 1 and wait_s or busy_s
    told, till = now, now + answer_s
else
    left = left - 1
end
local function text(number) return string.format('%.6f', number) end  -- tostring() rounds to 14 digits
redis.call('HSET', KEYS[1], 'left', text(left), 'seen', text(now), 'told', text(told), 'until', text(till),
    'count', text(count), 'offended', text(now))
redis.call('EXPIRE', KEYS[1], forget_s)
return {verdict, tostring(answer_s)}
"""


def decide(client: str, *, at: float, requests_per_minute: int | None, busy: bool = False) -> Decision:
    """What becomes of this request of `client` at `at`, in seconds of the epoch.

    `requests_per_minute` is also the size of the bucket; None means without limit. A node that is `busy` has those
    wait, too, who are within their limit or have none.
    """
    if requests_per_minute is None and not busy:
        return SERVE
    per_minute = requests_per_minute or _NO_LIMIT
    # Time for a quarter of the bucket, which is at least one request.
    wait_s = min(max(LEAST_WAIT_S, -(-60 // per_minute)), LONGEST_WAIT_S)
    answer = _store.step(
        f"gisc:{settings.GISC_NAME}:flow:{client}",
        [at, per_minute, int(busy), wait_s, BUSY_WAIT_S, GRACE_S, ALLOWED_OFFENCES, HALF_LIFE_S, _FORGET_S],
    )
    if answer is None:
        return SERVE
    verdict, seconds = Verdict(answer[0]), float(answer[1])
    if verdict is Verdict.SERVE:
        return SERVE
    return Decision(verdict, max(1, math.ceil(seconds)))


class _Store:
    """Redis, which may be away: then `step` says None, one line in the log tells it, and requests do not wait for it."""

    def __init__(self) -> None:
        self.away_until = 0.0

    def step(self, key: str, values: list[float]) -> tuple[str, str] | None:
        if time.monotonic() < self.away_until:
            return None
        try:
            verdict, seconds = _script()(keys=[key], args=values)
        except redis.RedisError as exc:
            if not self.away_until:
                logger.warning("no flow control: Redis does not answer", extra={"reason": str(exc)})
            self.away_until = time.monotonic() + _REDIS_PAUSE_S
            return None
        if self.away_until:
            self.away_until = 0.0
            logger.info("flow control again: Redis answers")
        return verdict.decode(), seconds.decode()

    def forget(self) -> None:
        """Connect anew at the next step: the setting has changed."""
        self.away_until = 0.0
        _script.cache_clear()


@cache
def _script() -> Any:
    """The step, registered with a client that all threads share."""
    client = redis.Redis.from_url(
        settings.GISC_REDIS_URL,
        socket_connect_timeout=_REDIS_TIMEOUT_S,
        socket_timeout=_REDIS_TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),  # once: a connection may have been lost while it lay idle
    )
    return client.register_script(_STEP)


_store = _Store()
forget = _store.forget


class _InProgress:
    """How many requests of the endpoint this process is answering now; an answer counts until all of it is sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.number = 0

    def enter(self) -> int:
        """One more; how many there are with it."""
        with self._lock:
            self.number += 1
            return self.number

    def leave(self) -> None:
        with self._lock:
            self.number -= 1


in_progress = _InProgress()


# Measured (docs/benchmarks.md): one thread makes an answer while another one waits for PostgreSQL. More of them only take
# Python's lock from each other, and the processor's caches.
_AT_A_TIME = 2
_LONGEST_WAIT_FOR_SLOT_S = 0.25  # chosen: nobody waits longer for others, who may be at something slow
_slots = threading.BoundedSemaphore(_AT_A_TIME)


@contextmanager
def slot() -> Iterator[None]:
    """Wait until no more than a few answers are being made in this process, but not for long."""
    had = _slots.acquire(timeout=_LONGEST_WAIT_FOR_SLOT_S)
    try:
        yield
    finally:
        if had:
            _slots.release()


Network = IPv4Network | IPv6Network
_IPV6_HOST = 64  # RFC 6177: whoever has an IPv6 address has at least all of its /64


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> IPv4Address | IPv6Address | None:
    """The address of the client behind the socket's `peer`; None when the peer has none, as a Unix socket.

    An entry that is no address ends the walk: what stands before it was not written by a trusted proxy.
    """
    nearest = _address(peer)
    for hop in reversed(forwarded.split(",")):
        if nearest is None or not any(nearest in network for network in trusted):
            break
        further = _address(hop)
        if further is None:
            break
        nearest = further
    return nearest


def address_key(address: IPv4Address | IPv6Address) -> str:
    """What stands for one client: the IPv4 address, or the IPv6 network of /64."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_HOST), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    text = text.strip()
    if text.startswith("["):  # RFC 7239 and many proxies: [2001:db8::1]:4711
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:  # 192.0.2.7:4711
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])  # the zone of a link-local address is this host's affair
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
