"""The session that requests go through: one deadline for a whole answer, and what a link needs to be let in.

requests gives a limit to each read, not to the answer: a provider that sends a byte now and then would hold a
worker for ever. Here a watchdog shuts the socket down when the time for status and headers is over; the body is
read piece by piece in `harvester.client`, which looks at the clock in between.
"""

import socket
import threading
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import BaseHTTPResponse

# When the answer being waited for must be there (time.monotonic).
deadline: ContextVar[float] = ContextVar("deadline")


@dataclass(frozen=True, slots=True)
class Access:
    """What a link needs besides its base URL to be let in (fault catalogue 96 to 105). All of it may be empty.

    `ca_file`: certificates to trust instead of the usual ones. `proxy`: URL of an HTTP proxy. `post`: ask by POST.
    `cookies`: what the provider set earlier in this run, as `cookies_of` gave it.
    """

    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str = ""
    proxy: str = field(default="", repr=False)
    post: bool = False
    user_agent: str = ""
    sender: str = ""
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)


class Session(requests.Session):
    """A session for one run: its requests share cookies and connections. `credentials` go to one origin only."""

    def __init__(self, access: Access) -> None:
        super().__init__()
        self.access = access
        self.credentials = HTTPBasicAuth(access.user, access.password) if access.user else None
        self.auth = _unchanged  # else requests would look into ~/.netrc
        self.headers.update(
            {
                "User-Agent": access.user_agent
                or f"GISC-catalogue-node/{settings.GISC_VERSION} ({settings.GISC_NAME})",
                "From": access.sender or settings.GISC_ADMIN_EMAIL,  # H3
                "Accept": "text/xml, application/xml;q=0.9, */*;q=0.1",
                "Accept-Encoding": "gzip;q=1.0, identity;q=0.5",  # H30
            }
        )
        if access.ca_file:
            self.verify = access.ca_file
        if access.proxy:
            self.proxies = {"http": access.proxy, "https": access.proxy}
        self.cookies.update(access.cookies)
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def cookies_of(self) -> dict[str, str]:
        """The cookies of this run, to be given to the session that goes on with it in another process."""
        return {cookie.name: cookie.value or "" for cookie in self.cookies}


def _unchanged(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class _Watchdog:
    """Shuts a socket down at the deadline, unless it is called off before; what then seems to be an answer is none."""

    def __init__(self, watched: socket.socket | None) -> None:
        self._watched = watched
        self._bit = False
        self._timer = threading.Timer(max(deadline.get() - time.monotonic(), 0), self._bite)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._bit:  # http.client takes headers that end so for whole ones
            raise TimeoutError("the headers were not complete in time")

    def _bite(self) -> None:
        self._bit = True
        try:
            if self._watched is not None:
                self._watched.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it ended in the same moment


class _Connection(HTTPConnection):
    def getresponse(self) -> Any:
        with _Watchdog(self.sock):
            return super().getresponse()


class _SecureConnection(HTTPSConnection):
    def getresponse(self) -> Any:
        with _Watchdog(self.sock):
            return super().getresponse()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
        return manager


def read_some(raw: BaseHTTPResponse, most: int) -> bytes:
    """What has come of a body, undecoded, at most `most` bytes; empty at its end. Waits no longer than for one read."""
    return raw.read1(most, decode_content=False)
