"""Open a session of `requests` with one deadline for a whole answer and the access of a link.

`requests` limits the time of each read, not of the answer: a provider that sends a byte now and then would block a
worker for ever. Here a timer shuts the socket down when the time for status and headers is over; the body is read chunk
by chunk in `harvester.net.client`, which looks at the clock in between.
"""

import socket
import ssl
import tempfile
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, LocationParseError, NameResolutionError, NewConnectionError
from urllib3.util.connection import create_connection
from urllib3.util.ssl_ import create_urllib3_context

from catalogue import oai, seams
from harvester.net.access import Access, Cookie, is_pem
from harvester.net.networks import Route, route

MAX_COOKIES, MAX_COOKIE_CHARACTERS = 50, 8192  # chosen: what browsers keep of a host at least, and servers read
_COOKIE_FIELDS = ("name", "value", "domain", "path", "secure", "expires")
# When the answer to the present request must be complete (seams.monotonic).
deadline: ContextVar[float] = ContextVar("deadline")


class Session(requests.Session):
    """A session for one run: its requests share cookies and connections.

    `credentials` are added to requests by `addresses.follow_redirects`, for one origin only.
    """

    def __init__(self, access: Access | None = None) -> None:
        super().__init__()
        self.access = access = access or Access()
        self._files = ExitStack()
        self._options: dict[tuple[str, str], dict[str, Any]] = {}
        # As bytes, because requests would send text in Latin-1, and RFC 7617 asks for UTF-8.
        self.credentials = HTTPBasicAuth(access.user.encode(), access.password.encode()) if access.user else None
        self.auth = _no_auth  # else requests would look into ~/.netrc
        self.headers.update(
            {
                "User-Agent": access.user_agent or f"{oai.USER_AGENT}/{settings.GISC_VERSION} ({settings.GISC_NAME})",
                "From": access.sender or settings.GISC_ADMIN_EMAIL,  # H3
                "Accept": "text/xml, application/xml;q=0.9, */*;q=0.1",
                "Accept-Encoding": "gzip;q=1.0, identity;q=0.5",  # H30
            }
        )
        self.ca_file = self._ca_path(access.certificates) if access.certificates else ""
        if access.proxy:
            self.proxies = {"http": access.proxy, "https": access.proxy}
        for cookie in access.cookies:
            self.cookies.set(**cookie)
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def options_for(self, url: str) -> dict[str, Any]:
        """Return proxies and certificates for a URL: the link's own before those of the environment.

        requests reads all variables of the environment several times for each request; here that is done once a host.
        """
        origin = url.partition("://")[0], urlsplit(url).netloc
        if origin not in self._options:
            verify = self.ca_file or None
            found = self.merge_environment_settings(url, dict(self.proxies), True, verify, None)
            self._options[origin] = dict(found)
        return self._options[origin]

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send a request; keep the first cookies of an answer that would make the next request ever longer."""
        response = super().send(request, **options)
        size, cookies = 0, list[Any](self.cookies)
        for number, cookie in enumerate(cookies):
            size += len(cookie.name) + len(cookie.value or "")
            if number >= MAX_COOKIES or size > MAX_COOKIE_CHARACTERS:
                self.cookies.clear(cookie.domain, cookie.path, cookie.name)
        return response

    def export_cookies(self) -> tuple[Cookie, ...]:
        """Return the cookies of this run, for the session of another process that continues it (`Access.cookies`)."""
        return tuple({name: getattr(cookie, name) for name in _COOKIE_FIELDS} for cookie in self.cookies)

    def close(self) -> None:
        super().close()
        self._files.close()

    def _ca_path(self, certificates: str) -> str:
        """Return the path of a file with these certificates, as TLS needs one; "" for none."""
        if not is_pem(certificates):
            return certificates
        file = Path(self._files.enter_context(tempfile.TemporaryDirectory(prefix="gisc-ca-"))) / "trusted.pem"
        file.write_text(certificates, encoding="ascii", errors="replace")
        return str(file)


def _no_auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class _Connection(HTTPConnection):
    """A connection to an address that was judged (F95), with a deadline for status and headers."""

    def _new_conn(self) -> socket.socket:
        """Resolve the name once, judge all its addresses, and connect to the first that answers."""
        if self.proxy is not None:
            return super()._new_conn()
        try:
            found = (route.get(None) or Route()).lookup(self._dns_host, self.port)
        except socket.gaierror as exc:
            raise NameResolutionError(self.host, self, exc) from exc
        except UnicodeError as exc:
            raise LocationParseError(f"{self.host!r}, label empty or too long") from exc
        failure: Exception = NewConnectionError(self, "the name has no address")
        for address in found:
            try:
                return create_connection((address, self.port), self.timeout, self.source_address, self.socket_options)
            except TimeoutError as exc:
                failure = ConnectTimeoutError(self, f"no connection to {address} within {self.timeout} s")
                failure.__cause__ = exc
            except OSError as exc:
                failure = NewConnectionError(self, f"no connection to {address}: {exc}")
                failure.__cause__ = exc
        raise failure

    def request(self, *args: Any, **options: Any) -> None:
        """Send a request; over a connection that is open already, only to where it may go."""
        way = route.get(None) or Route()
        if self.proxy is None and self.sock is not None:
            way.check(self.host, [str(self.sock.getpeername()[0])])
        super().request(*args, **options)
        if self.proxy is None and not way.is_redirected and self.sock is not None:
            way.provider = str(self.sock.getpeername()[0])

    def getresponse(self) -> Any:
        """Read status and headers; shut the socket down at the deadline. Raises TimeoutError if it came first."""
        sock, fired = self.sock, []

        def shut_down() -> None:
            fired.append(True)
            try:
                if sock is not None:
                    sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the connection ended in the same moment

        timer = seams.timer(max(deadline.get() - seams.monotonic(), 0), shut_down)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()
        finally:
            timer.cancel()
            if fired:  # http.client takes the headers that came until then for complete ones
                raise TimeoutError("the headers were not complete in time")


class _SecureConnection(_Connection, HTTPSConnection):
    """The same over TLS.

    Any certificate that is trusted counts as an authority. As from Python 3.13 on the default refuses authorities that openssl
    makes (no key usage), all versions judge by the same rules here: else a link would fail when the host gets a newer Python.
    """

    def connect(self) -> None:
        if self.ssl_context is None:
            self.ssl_context = create_urllib3_context(verify_flags=ssl.VERIFY_X509_PARTIAL_CHAIN)
        super().connect()


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
