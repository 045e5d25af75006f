"""Send one OAI-PMH request over HTTP and return the body of its answer. Only HTTP headers are parsed here.

Every wait has a limit: to connect, for each read, for the whole answer; every size has one, too. The texts of errors
show no credentials, no tokens and no cookies.
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlencode, urljoin, urlsplit

import requests
import urllib3
from isal import igzip_lib, isal_zlib

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.payloads.gzip_registers import clear_registers
from catalogue.reasons import describe_error
from harvester.errors import BrokenReply, FaultCode, HarvestError, RefusedByProvider, TooLarge, Unreachable
from harvester.net import addresses
from harvester.net.access import Access
from harvester.net.causes import name_cause
from harvester.net.session import Session, deadline

__all__ = [
    "INTERACTIVE_LIMITS",
    "LIMITS",
    "Access",
    "Limits",
    "Reply",
    "Session",
    "get",
]

MAX_REPLY_BYTES = 256 * 1024 * 1024  # after decompression (H30)
MAX_COPIED_BYTES = 16 * MAX_REPLY_BYTES  # chosen: each member of a gzip body costs a copy of what is left of it
MAX_LAYERS = 2  # of compression: some servers compress what is compressed (F15)
MAX_GET_CHARACTERS = 2000  # H6
_CHUNK_BYTES = 256 * 1024

# HTTP statuses after which a request is repeated, and seconds to wait if the provider names none; None: as
# `schedule.retry_wait_s` has it. H26: five minutes after a 503. Every other 5xx is as 500.
RETRY_WAITS_S: Mapping[int, float | None] = {408: None, 425: None, 429: 60, 500: None, 502: None, 503: 300, 504: None}
_MAY_BE_OAI_ERRORS = frozenset({400, 422})
_METHOD_REFUSED = frozenset({405, 501})  # F97
_PROXY_WANTS_PASSWORD = re.compile(r"Tunnel connection failed: 407\b")  # http.client has no status for it


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in seconds: to connect, for each read, for the whole answer."""

    connect_s: float
    read_s: float
    total_s: float


LIMITS = Replaceable(Limits(connect_s=10, read_s=60, total_s=600))  # of a harvest
# For requests while an operator waits: a web process must not be blocked for long.
INTERACTIVE_LIMITS = Limits(connect_s=5, read_s=10, total_s=20)


@dataclass(frozen=True, slots=True)
class Reply:
    """The decompressed body of an answer, and what its HTTP headers say of it.

    `charset`: for a body that declares none. `date`: the time by the provider's HTTP server. `moved_to`: the base URL
    that permanent redirects led to, proposed to the operator (H27). `status`: 200, or a status that some providers, and
    all of OAI-PMH 1.x, use for an OAI-PMH error. `is_compressed`: it came compressed.
    """

    body: bytes
    charset: str = ""
    date: datetime | None = None
    moved_to: str = ""
    status: int = 200
    content_type: str = ""
    is_compressed: bool = False


def get(
    session: Session,
    base_url: str,
    arguments: Mapping[str, str],
    limits: Limits | None = None,
    *,
    post: bool = False,
) -> Reply:
    """Send one request and return its answer. Raises Unreachable, BrokenReply or RefusedByProvider (harvester.errors).

    `limits`: None for those of a harvest. By GET; by POST if the URL would be too long (H6), if the link or the caller says so, or if GET is not allowed. A
    body that cannot be decompressed is requested once more without compression.
    """
    limits = limits or LIMITS.in_force
    deadline.set(seams.monotonic() + limits.total_s)
    try:
        post = post or session.access.post or len(base_url) + len(urlencode(arguments)) >= MAX_GET_CHARACTERS
        try:
            return _send(session, base_url, arguments, limits, post=post)
        except _MethodRefused:
            return _send(session, base_url, arguments, limits, post=not post, is_last=True)
        except _BadCompression:
            return _send(session, base_url, arguments, limits, post=post, accept_encoding="identity", is_last=True)
    except (
        requests.exceptions.InvalidURL,
        requests.exceptions.InvalidSchema,
        requests.exceptions.MissingSchema,
        UnicodeError,
    ) as exc:
        raise RefusedByProvider(FaultCode.ADDRESS_UNUSABLE, _url_and_cause(base_url, exc)) from exc
    except requests.exceptions.SSLError as exc:
        raise RefusedByProvider(FaultCode.CERTIFICATE_UNTRUSTED, _url_and_cause(base_url, exc)) from exc
    except requests.exceptions.ProxyError as exc:
        if _PROXY_WANTS_PASSWORD.search(_cause(exc)):
            raise refusal(407, "Proxy Authentication Required") from exc
        raise Unreachable(FaultCode.PROXY_UNREACHABLE, _url_and_cause(base_url, exc)) from exc
    except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError) as exc:
        if seams.monotonic() > deadline.get():
            facts = {"url": redact_url(base_url), "limit_s": limits.total_s}
            raise Unreachable(FaultCode.ANSWER_TOO_SLOW, facts) from exc
        if _is_cut_short(exc):
            raise BrokenReply(FaultCode.ANSWER_CUT_SHORT, _url_and_cause(base_url, exc)) from exc
        raise Unreachable(FaultCode.NO_ANSWER, _url_and_cause(base_url, exc)) from exc


class _MethodRefused(Exception):
    """The provider does not accept this HTTP method."""


class _BadCompression(Exception):
    """The body is compressed and cannot be decompressed."""


def _send(
    session: Session,
    base_url: str,
    arguments: Mapping[str, str],
    limits: Limits,
    *,
    post: bool,
    accept_encoding: str = "",
    is_last: bool = False,
) -> Reply:
    timeout = (limits.connect_s, limits.read_s)
    response, moved_to = addresses.follow_redirects(
        session, base_url, arguments, timeout, post=post, accept_encoding=accept_encoding
    )
    with response:
        if response.status_code in _METHOD_REFUSED and not is_last:
            raise _MethodRefused
        if response.status_code != 200 and response.status_code not in _MAY_BE_OAI_ERRORS:
            raise _fault_of_status(response, moved_to)
        compressed = _read_body(response)
        try:
            body = decompress(compressed) if compressed.startswith(_MAY_BE_COMPRESSED) else compressed
        except zlib.error as exc:
            if is_last:
                facts = {"url": redact_url(base_url), "detail": describe_error(exc)}
                raise BrokenReply(FaultCode.NOT_DECOMPRESSIBLE, facts) from exc
            raise _BadCompression from exc
        charset = re.search(r"charset\s*=\s*[\"']?([\w.:\-]+)", response.headers.get("Content-Type", ""), re.IGNORECASE)
        date = _http_date(response.headers.get("Date", ""))
        return Reply(
            body,
            charset.group(1) if charset else "",
            date,
            moved_to,
            response.status_code,
            response.headers.get("Content-Type", "").partition(";")[0].strip().lower()[:100],
            body is not compressed,
        )


# --- The body ---------------------------------------------------------------------------------------


def _read_body(response: requests.Response) -> bytes:
    chunks = []
    size = 0
    # Not decompressed, and each time no longer than one read takes.
    while chunk := response.raw.read1(_CHUNK_BYTES, decode_content=False):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_REPLY_BYTES:
            raise _too_large()
        if seams.monotonic() > deadline.get():
            raise requests.exceptions.Timeout
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and size < int(announced):
        raise BrokenReply(FaultCode.ANSWER_INCOMPLETE, {"bytes": size, "announced": int(announced)})
    return b"".join(chunks)


_MAY_BE_COMPRESSED = (b"\x1f\x8b", b"\x78")  # how gzip and zlib begin


@clear_registers
def decompress(raw: bytes) -> bytes:
    """Decompress a body if its first bytes say so, as Content-Encoding is wrong in both directions (F15, F16).

    The result has at most MAX_REPLY_BYTES. Raises zlib.error and TooLarge. By ISA-L, which takes half of zlib's time.
    """
    for _ in range(MAX_LAYERS):
        if raw[:2] == b"\x1f\x8b":
            bits = 31
        elif raw[:1] == b"\x78" and len(raw) > 1 and int.from_bytes(raw[:2], "big") % 31 == 0:
            bits = 15
        else:
            break
        members: list[bytes] = []
        size = copied = 0
        while raw:  # a gzip body may have several members
            decompressor = isal_zlib.decompressobj(bits)
            try:
                members.append(decompressor.decompress(raw, MAX_REPLY_BYTES + 1 - size))
            except igzip_lib.IsalError as exc:  # type: ignore[misc]  # a class, whatever its stub says
                raise zlib.error(str(exc)) from exc
            size += len(members[-1])
            copied += len(decompressor.unused_data)
            if size > MAX_REPLY_BYTES:
                raise _too_large()
            if copied > MAX_COPIED_BYTES:
                raise zlib.error("it has too many members")
            if not decompressor.eof:
                raise zlib.error("it ends in the middle")
            raw = decompressor.unused_data
            if raw[:2] != b"\x1f\x8b":
                break  # padding
        raw = b"".join(members)
    return raw


def _too_large() -> TooLarge:
    return TooLarge(FaultCode.ANSWER_TOO_LARGE, {"limit_mib": MAX_REPLY_BYTES // 1024**2})


# --- Status and headers -----------------------------------------------------------------------------


def _fault_of_status(response: requests.Response, moved_to: str) -> HarvestError:
    status = response.status_code
    if status in RETRY_WAITS_S or status >= 500 and status not in _METHOD_REFUSED:
        if response.headers.get("cf-mitigated"):  # F91
            return RefusedByProvider(FaultCode.BROWSER_CHALLENGE, {"status": status})
        now = _http_date(response.headers.get("Date", "")) or seams.now()  # Retry-After may be a date of their clock
        wait_s = retry_after_s(response.headers.get("Retry-After"), now)
        return Unreachable(
            FaultCode.HTTP_ERROR,
            {"status": status, "reason": response.reason or ""},
            retry_after_s=RETRY_WAITS_S.get(status) if wait_s is None else wait_s,
            status=status,
        )
    return refusal(status, response.reason or "", moved_to)


def refusal(status: int, reason: str, moved_to: str = "") -> RefusedByProvider:
    """Return the error for an HTTP status that repeating the request will not change."""
    facts = {"status": status, "reason": reason}
    return RefusedByProvider(FaultCode.HTTP_REFUSED, facts, status=status, moved_to=moved_to)


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """Return the seconds to wait, from either form of Retry-After; None if there is none or it makes no sense."""
    header = (header or "").strip()
    if header.isascii() and header.isdigit() and len(header) < 10:
        return float(header)
    until = _http_date(header)
    return None if until is None else max((until - now).total_seconds(), 0.0)


def _http_date(text: str) -> datetime | None:
    try:
        stamp = parsedate_to_datetime(text)
    except ValueError:
        return None
    return stamp.replace(tzinfo=UTC) if stamp.tzinfo is None else stamp


# --- Texts without secrets --------------------------------------------------------------------------


def redact_url(url: str) -> str:
    """Return a URL as it may be logged: without user name, password and arguments."""
    try:
        return _redact_text(urljoin(url, urlsplit(url).path or "/") if "?" in url or "#" in url else url)
    except ValueError:  # no URL
        return _redact_text(re.split("[?#]", url)[0])


def _redact_text(text: str) -> str:
    text = re.sub(r"(?<=//)[^/@\s]*@", "", text)
    return re.sub(r"\?\S*", "?...", text)


def _url_and_cause(base_url: str, exc: Exception) -> dict[str, str]:
    return {"url": redact_url(base_url), "detail": _cause(exc)}


def _cause(exc: Exception) -> str:
    """Return a `ConnectionCode`, or the words of the innermost cause, without secrets."""
    return _redact_text(name_cause(exc))


def _is_cut_short(exc: Exception) -> bool:
    """Whether an answer had begun before the connection failed."""
    return isinstance(exc, urllib3.exceptions.ProtocolError | requests.exceptions.ChunkedEncodingError)
