"""The session that requests go through: one deadline for a whole answer, and what a link needs to be let in.

requests gives a limit to each read, not to the answer: a provider that sends a byte now and then would hold a
worker for ever. Here a watchdog shuts the socket down when the time for status and headers is over; the body is
read piece by piece in `harvester.net.client`, which looks at the clock in between.
"""

import socket
import tempfile
import threading
import time
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import BaseHTTPResponse

from harvester.net.access import Access, Cookie, is_pem

_COOKIE = ("name", "value", "domain", "path", "secure", "expires")  # what of a cookie decides where it goes
# When the answer being waited for must be there (time.monotonic).
deadline: ContextVar[float] = ContextVar("deadline")


class Session(requests.Session):
    """A session for one run: its requests share cookies and connections. `credentials` go to one origin only."""

    def __init__(self, access: Access) -> None:
        super().__init__()
        self.access = access
        self._files = ExitStack()
        # As bytes, because requests would send text in Latin-1, and RFC 7617 asks for UTF-8.
        self.credentials = HTTPBasicAuth(access.user.encode(), access.password.encode()) if access.user else None
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
        self.ca_file = self._file_of(access.certificates)
        if access.proxy:
            self.proxies = {"http": access.proxy, "https": access.proxy}
        for cookie in access.cookies:
            self.cookies.set(**cookie)
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def cookies_of(self) -> tuple[Cookie, ...]:
        """The cookies of this run, each for the host that set it, for the session that goes on in another process."""
        return tuple({name: getattr(cookie, name) for name in _COOKIE} for cookie in self.cookies)

    def close(self) -> None:
        super().close()
        self._files.close()

    def _file_of(self, certificates: str) -> str:
        """The path of a file with these certificates, as TLS wants one; empty for none."""
        if not is_pem(certificates):
            return certificates
        file = Path(self._files.enter_context(tempfile.TemporaryDirectory(prefix="gisc-ca-"))) / "trusted.pem"
        file.write_text(certificates, encoding="ascii", errors="replace")
        return str(file)


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
