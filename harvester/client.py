"""One OAI-PMH request: the only place that speaks HTTP. Nothing is parsed here but headers.

Every wait has a limit: to connect, for each read, for the whole answer; and so has every size.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import requests
from django.conf import settings

from harvester.errors import BrokenReply, Refused, Unreachable

MAX_REPLY_BYTES = 256 * 1024 * 1024  # after decompression (H30)
MAX_REDIRECTS = 5  # H27
MAX_GET_CHARACTERS = 2000  # H6
_TRY_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_WAIT_WITHOUT_HEADER_S = 300  # H26


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in seconds: to connect, for each read, for the whole answer."""

    connect_s: float
    read_s: float
    total_s: float


HARVEST_LIMITS = Limits(connect_s=10, read_s=60, total_s=600)
# A person waits for the answer, in a web process that must not be held up for long.
INTERACTIVE_LIMITS = Limits(connect_s=5, read_s=10, total_s=20)


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an answer, decompressed."""

    body: bytes
    url: str


Fetch = Callable[[str, Mapping[str, str]], Reply]


def new_session() -> requests.Session:
    """A session for one run, as all requests of a run share cookies and connections."""
    session = requests.Session()
    session.max_redirects = MAX_REDIRECTS
    session.headers.update(
        {
            "User-Agent": f"GISC-catalogue-node/{settings.GISC_VERSION} ({settings.GISC_NAME})",  # H3
            "From": settings.GISC_ADMIN_EMAIL,
            "Accept": "text/xml, application/xml;q=0.9, */*;q=0.1",
            "Accept-Encoding": "gzip;q=1.0, identity;q=0.5",  # H30
        }
    )
    return session


def get(
    session: requests.Session, base_url: str, arguments: Mapping[str, str], limits: Limits = HARVEST_LIMITS
) -> Reply:
    """Ask one question. Raises Unreachable, BrokenReply or Refused (harvester.errors).

    GET, or POST when the URL would be too long (H6); arguments are percent-encoded once.
    """
    started = time.monotonic()
    timeout = (limits.connect_s, limits.read_s)
    try:
        request = requests.Request("GET", base_url, params=arguments).prepare()
        if len(request.url or "") > MAX_GET_CHARACTERS:
            response = session.post(base_url, data=dict(arguments), timeout=timeout, stream=True)
        else:
            response = session.get(base_url, params=dict(arguments), timeout=timeout, stream=True)
        with response:
            _check_status(response)
            return Reply(_body(response, started, limits.total_s), response.url)
    except (
        requests.exceptions.InvalidURL,
        requests.exceptions.InvalidSchema,
        requests.exceptions.MissingSchema,
    ) as exc:
        raise Refused(f"no provider can be asked at {base_url}: {exc}") from exc
    except requests.exceptions.TooManyRedirects as exc:
        raise Refused(f"more than {MAX_REDIRECTS} redirects from {base_url}; correct the link's base URL") from exc
    except requests.exceptions.SSLError as exc:
        raise Refused(f"the certificate of {base_url} cannot be trusted: {_short(exc)}") from exc
    except (requests.exceptions.ContentDecodingError, requests.exceptions.ChunkedEncodingError) as exc:
        raise BrokenReply(f"the answer of {base_url} broke off or cannot be decompressed: {exc}") from exc
    except UnicodeError as exc:
        raise Refused(f"no provider can be asked at {base_url}: {exc}") from exc
    except requests.exceptions.RequestException as exc:
        raise Unreachable(f"no answer from {base_url}: {_short(exc)}") from exc


def _body(response: requests.Response, started: float, total_s: float) -> bytes:
    pieces = []
    size = 0
    for piece in response.iter_content(64 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_REPLY_BYTES:
            raise BrokenReply(f"the answer is larger than {MAX_REPLY_BYTES // 1024**2} MiB")
        if time.monotonic() - started > total_s:
            raise Unreachable(f"the answer was not complete after {total_s:.0f} s")
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and "Content-Encoding" not in response.headers and size < int(announced):
        raise BrokenReply(f"the answer broke off after {size} of {announced} bytes")
    return b"".join(pieces)


def _check_status(response: requests.Response) -> None:
    status = response.status_code
    if status == 200:
        return
    said = f"the provider answered HTTP {status} {response.reason}"
    if status in _TRY_LATER:
        wait_s = _retry_after_s(response.headers.get("Retry-After"))
        if wait_s is None and status == 503:
            wait_s = _WAIT_WITHOUT_HEADER_S
        raise Unreachable(said, wait_s)
    raise Refused(f"{said}; look at the link's base URL and at the provider")


def _retry_after_s(header: str | None) -> float | None:
    """Seconds to wait, from either form of Retry-After; None if there is none or it makes no sense."""
    if header is None:
        return None
    header = header.strip()
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    until = until.replace(tzinfo=UTC) if until.tzinfo is None else until
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


def _short(exc: Exception) -> str:
    """The innermost cause, without the layers that urllib3 and requests wrap around it."""
    cause: BaseException = exc
    while (inner := cause.__cause__ or cause.__context__) is not None:
        cause = inner
    return str(cause) or type(cause).__name__
