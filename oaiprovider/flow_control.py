"""Flow control (OAI-PMH 3.1.2.2, P112-P114): rate limit of each client address, 503 with Retry-After, and 403.

Each client address has a token bucket of requests that refills evenly. If the bucket is empty or the node is busy,
the answer is 503 with Retry-After. A client that waited for Retry-After is served next, even if the bucket is empty or
the node busy: so no list is lost, and a client that obeys never gets two 503 in a row. A client that comes earlier gets
503 with the rest of the wait, and this counts as an offence; above ALLOWED_OFFENCES the answer is 403, until the count
has decayed to the allowed number. 429 is never used (P113).

The state is in Redis, so it is the same in all processes of the node. Without Redis every request is served.

The client's address is found in `X-Forwarded-For`. Any client can write that header, so only entries added by trusted
proxies count: it is read from its end, over each address that is a trusted proxy, up to the first one that is not.
"""

import logging
import math
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

from catalogue import seams

logger = logging.getLogger(__name__)

LEAST_WAIT_S = 15  # chosen: a quarter of the bucket refills meanwhile, so the client need not wait for each request
LONGEST_WAIT_S = 600  # P112
BUSY_WAIT_S = 10  # chosen
# A request so soon after a 503 is no offence: it was sent over another connection before the client had the 503.
GRACE_S = 2
ALLOWED_OFFENCES = 30
HALF_LIFE_S = 600  # of the count of offences
_NO_LIMIT = 1_000_000_000
_FORGET_S = 2 * 3600  # by then a bucket is full and a count has decayed
_REDIS_TIMEOUT_S = 0.25
_REDIS_PAUSE_S = 30  # how long a process does not ask a Redis that did not answer
_LONGEST_WAIT_FOR_END_S = 0.25  # chosen: many times as long as a thread takes to learn that its client has all


class Verdict(Enum):
    """How a request is answered."""

    SERVE = "serve"
    WAIT = "wait"  # 503 with Retry-After
    REFUSE = "refuse"  # 403 with the reason


@dataclass(frozen=True, slots=True)
class FlowDecision:
    """A verdict; unless it is SERVE, `wait_s` is the time to wait in whole seconds, 1 to 600 for a 503."""

    verdict: Verdict
    wait_s: int = 0


SERVE = FlowDecision(Verdict.SERVE)

# Decide about one request of one client, atomically. KEYS: the client's hash. ARGV: now, requests per minute, busy (0 or
# 1), and the constants. Fields: `left` requests were in the bucket at `seen`; a 503 was sent at `told`, its Retry-After
# ends at `until`; `count` offences at `offended`. (The names are in Redis already.)
_SCRIPT = """
local now, per_minute, busy = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local wait_s, busy_s, grace_s = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local allowed, half_life_s, forget_s = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local stored = redis.call('HMGET', KEYS[1], 'left', 'seen', 'told', 'until', 'count', 'offended')
local seen = tonumber(stored[2]) or now
local left = tonumber(stored[1]) or per_minute
left = math.min(per_minute, left + math.max(0, now - seen) * per_minute / 60)
local refused_at, retry_at = tonumber(stored[3]) or 0, tonumber(stored[4]) or 0
local early = now < retry_at - 0.001
local offended = tonumber(stored[6]) or now
local count = (tonumber(stored[5]) or 0) * 0.5 ^ (math.max(0, now - offended) / half_life_s)
local verdict, answer_s = 'serve', 0
if early and now > refused_at + grace_s or count > allowed then
    count = math.min(count + 1, 2 * allowed)
end
if count > allowed then
    verdict, answer_s = 'refuse', half_life_s * math.log(count / allowed) / math.log(2)
elseif early then
    verdict, answer_s = 'wait', retry_at - now
elseif retry_at > 0 then
    retry_at, left = 0, math.max(left, 1) - 1
elseif left < 1 or busy then
    verdict, answer_s = 'wait', left < 1 and wait_s or busy_s
    refused_at, retry_at = now, now + answer_s
else
    left = left - 1
end
local function text(number) return string.format('%.6f', number) end  -- tostring() rounds to 14 digits
redis.call('HSET', KEYS[1], 'left', text(left), 'seen', text(now), 'told', text(refused_at), 'until', text(retry_at),
    'count', text(count), 'offended', text(now))
redis.call('EXPIRE', KEYS[1], forget_s)
return {verdict, tostring(answer_s)}
"""


def decide(client: str, *, at: float, requests_per_minute: int | None, busy: bool = False) -> FlowDecision:
    """Decide how to answer a request of `client` at `at`, in seconds of the epoch.

    `requests_per_minute` is also the size of the bucket; None means without limit. If the node is `busy`, clients
    within their limit or without one have to wait, too.
    """
    if requests_per_minute is None and not busy:
        return SERVE
    per_minute = requests_per_minute or _NO_LIMIT
    # Time for a quarter of the bucket, which is at least one request.
    wait_s = min(max(LEAST_WAIT_S, -(-60 // per_minute)), LONGEST_WAIT_S)
    answer = _state.step(
        f"gisc:{settings.GISC_NAME}:flow:{client}",
        [at, per_minute, int(busy), wait_s, BUSY_WAIT_S, GRACE_S, ALLOWED_OFFENCES, HALF_LIFE_S, _FORGET_S],
    )
    if answer is None:
        return SERVE
    verdict, seconds = Verdict(answer[0]), float(answer[1])
    if verdict is Verdict.SERVE:
        return SERVE
    return FlowDecision(verdict, max(1, math.ceil(seconds)))


class _RedisState:
    """The script and its state in Redis. While Redis does not answer, requests are served without waiting for it."""

    def __init__(self) -> None:
        self.away_until = 0.0  # seams.monotonic() before which Redis is not asked; 0 while it answers

    def step(self, key: str, values: list[float]) -> tuple[str, str] | None:
        """Return verdict and seconds; None, logged once, while Redis does not answer."""
        if seams.monotonic() < self.away_until:
            return None
        try:
            verdict, seconds = _script()(keys=[key], args=values)
        except redis.RedisError as exc:
            if not self.away_until:
                logger.warning("no flow control: Redis does not answer", extra={"reason": str(exc)})
            self.away_until = seams.monotonic() + _REDIS_PAUSE_S
            return None
        if self.away_until:
            self.away_until = 0.0
            logger.info("flow control again: Redis answers")
        return verdict.decode(), seconds.decode()

    def reset(self) -> None:
        """Connect anew at the next step, by the present setting."""
        self.away_until = 0.0
        _script.cache_clear()


@cache
def _script() -> Any:
    """Register the script with a client that all threads share."""
    client = redis.Redis.from_url(
        settings.GISC_REDIS_URL,
        socket_connect_timeout=_REDIS_TIMEOUT_S,
        socket_timeout=_REDIS_TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),  # one retry: an idle connection may have been closed
    )
    return client.register_script(_SCRIPT)


_state = _RedisState()
reset = _state.reset


class _InProgress:
    """Number of requests of the endpoint that this process is answering; a request counts until its answer is sent.

    A client has the last byte a little before the thread that sent it knows so. One that asks its next request at once
    would meet its own last one: so one request too many waits a moment for another one to end, in one thread at most.
    """

    def __init__(self) -> None:
        self._lock = seams.Lock()
        self._waiting: tuple[int, seams.Semaphore] | None = None  # the most that it may be one of, and what wakes it
        self.number = 0

    def enter(self, most: int | None = None, longest_wait_s: float = _LONGEST_WAIT_FOR_END_S) -> bool:
        """Count one more request; return whether more than `most` are in progress, even after a moment."""
        with self._lock:
            self.number += 1
            if most is None or self.number <= most:
                return False
            if self._waiting is not None:
                return True
            ended = seams.Semaphore(0)
            ours = self._waiting = (most, ended)
        ended.acquire(timeout=longest_wait_s)
        with self._lock:
            if self._waiting is not ours:
                return False
            self._waiting = None
            return True

    def leave(self) -> None:
        """Count one request less, and let the one that waits proceed if there is a place for it."""
        with self._lock:
            self.number -= 1
            if self._waiting is not None and self.number <= self._waiting[0]:
                self._waiting[1].release()
                self._waiting = None


in_progress = _InProgress()


# Measured (docs/benchmarks.md): one thread builds an answer while another one waits for PostgreSQL. More threads only
# compete for Python's lock and the processor's caches.
_SLOTS = 2
_LONGEST_WAIT_FOR_SLOT_S = 0.25  # chosen: then a request proceeds without a slot, since others may be slow
_slots = seams.BoundedSemaphore(_SLOTS)


@contextmanager
def slot() -> Iterator[None]:
    """Hold one of a few slots for building an answer in this process; after a short wait, proceed without a slot."""
    acquired = _slots.acquire(timeout=_LONGEST_WAIT_FOR_SLOT_S)
    try:
        yield
    finally:
        if acquired:
            _slots.release()


Network = IPv4Network | IPv6Network
_IPV6_HOST = 64  # RFC 6177: a site has at least a /64, so that is one client


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> IPv4Address | IPv6Address | None:
    """Return the client's address for the socket's `peer` and X-Forwarded-For; None if the peer is a Unix socket.

    An entry that is no address ends the search: the entries before it were not written by a trusted proxy.
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
    """Return the key of one client: its IPv4 address, or its IPv6 network of /64."""
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
        found = ip_address(text.partition("%")[0])  # without the zone of a link-local address
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
