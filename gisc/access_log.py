"""The access log: one line for each request that was answered, with the address, the status, bytes and time, and its request id.

The id is that of the client's or the proxy's `X-Request-ID`, if it is a plain word, else a new one. It is in the answer, and
in all log lines that are written while the request is answered.
"""

import logging
import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from oaiprovider import flow_control

REQUEST_ID = "request_id"  # in the environ
_LONGEST_URL, _LONGEST_AGENT, _LONGEST_ID = 500, 200, 128  # chosen; what is longer is cut, an id is replaced
_PLAIN_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._:/+=@-]{{0,{_LONGEST_ID - 1}}}")
# Monitors and probes ask for these every few seconds.
_MONITORS = ("/health/", "/metrics")
logger = logging.getLogger(__name__)


def request_id(environ: Mapping[str, Any]) -> str:
    """Return the id by which the client knows its request, or a new one."""
    given = environ.get("HTTP_X_REQUEST_ID", "")
    return given if _PLAIN_ID.fullmatch(given) else uuid.uuid4().hex


def client_of(environ: Mapping[str, Any]) -> str:
    """Return the client's address, looking through trusted proxies; empty on a Unix socket."""
    address = flow_control.client_address(
        environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", ""), settings.GISC_TRUSTED_PROXIES
    )
    return "" if address is None else str(address)


def write(environ: Mapping[str, Any], *, status: str, sent: int | None, ms: int) -> None:
    """Write the line of an answered request. The query of a page of the administration is left out."""
    path, _, query = environ.get("RAW_URI", "").partition("?")
    monitor = path.startswith(_MONITORS) and status.startswith("2")
    logger.log(
        logging.DEBUG if monitor else logging.INFO,
        "request",
        extra={
            "request_id": environ.get(REQUEST_ID, ""),
            "client": client_of(environ),
            "method": environ.get("REQUEST_METHOD", ""),
            "url": (f"{path}?{query}" if query and not path.startswith("/admin") else path)[:_LONGEST_URL],
            "status": int(status[:3]),
            "bytes": sent or 0,
            "ms": ms,
            "agent": environ.get("HTTP_USER_AGENT", "")[:_LONGEST_AGENT],
        },
    )
