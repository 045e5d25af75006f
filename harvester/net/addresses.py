"""One request, and where redirects lead it: bounded, never to a more private place, with credentials for one origin.

requests follows redirects too, but forgets the arguments of a POST, would ask a machine of our own network on a
stranger's word, and does not tell a permanent redirect from a passing one.
"""

import ipaddress
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import requests
from requests.auth import HTTPBasicAuth
from requests.utils import get_auth_from_url

from harvester.errors import RefusedByProvider, Unreachable
from harvester.net.session import Session

MAX_REDIRECTS = 5  # H27
_PERMANENT = frozenset({301, 308})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DEFAULT_PORTS = {"http": 80, "https": 443}


def length(base_url: str, arguments: Mapping[str, str]) -> int:
    """Characters of the URL that a GET would have."""
    return len(base_url) + 1 + len(urlencode(arguments))


@contextmanager
def follow(
    session: Session,
    base_url: str,
    arguments: Mapping[str, str],
    timeout: tuple[float, float],
    *,
    post: bool,
    coding: str = "",
) -> Iterator[tuple[requests.Response, str]]:
    """The answer that is no redirect, its body unread, and the base URL that permanent redirects name, or "".

    Raises Refused for redirects that loop, lead nowhere, drop the arguments, or lead to a more private address.
    """
    url, moved_to, only_permanent = base_url, "", True
    params: Mapping[str, str] | None = None if post else arguments
    data: Mapping[str, str] | None = arguments if post else None
    seen = {url}
    credentials = session.credentials or (HTTPBasicAuth(*named) if any(named := get_auth_from_url(base_url)) else None)
    for _ in range(MAX_REDIRECTS + 1):
        request = requests.Request("POST" if data is not None else "GET", url, params=params, data=data)
        if coding:
            request.headers["Accept-Encoding"] = coding
        if credentials is not None and may_have_credentials(base_url, url):
            request.auth = credentials
        prepared = session.prepare_request(request)
        # What the link says comes before what the environment says.
        ca_file = session.ca_file or None
        settings = session.merge_environment_settings(prepared.url, dict(session.proxies), True, ca_file, None)
        try:
            answer = session.send(prepared, allow_redirects=False, timeout=timeout, **settings)
        except requests.ConnectionError as exc:
            if url == base_url:
                raise
            raise Unreachable(f"the provider redirects to {_base(url)}, which gives no answer") from exc
        with answer as response:
            if response.status_code not in _REDIRECTS:
                yield response, moved_to
                return
            target = _target(prepared.url or url, response, base_url)
            if response.status_code == 303:
                data = None
        only_permanent &= response.status_code in _PERMANENT
        _check_arguments(target, arguments, kept_in_body=data is not None, from_url=url)
        if only_permanent:
            moved_to = _base(target)
        if target in seen:
            raise RefusedByProvider(
                f"the redirects of {_base(base_url)} go round in a circle; look at the link's base URL"
            )
        seen.add(target)
        url, params = target, None
    raise RefusedByProvider(f"more than {MAX_REDIRECTS} redirects from {_base(base_url)}; correct the link's base URL")


def _target(asked: str, response: requests.Response, base_url: str) -> str:
    location = response.headers.get("Location", "").strip()
    if not location:
        raise RefusedByProvider(
            f"HTTP {response.status_code} without a Location; look at the link's base URL and at the provider"
        )
    target = urljoin(asked, location)
    parts = urlsplit(target)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise RefusedByProvider(
            f"a redirect leads to {_base(target)!r}, which is no web address; look at the link's base URL"
        )
    host = urlsplit(base_url).hostname or ""
    if parts.hostname != host and not may_lead(addresses(host), addresses(parts.hostname)):
        raise RefusedByProvider(
            f"a redirect leads to {parts.hostname}, a more private address than the provider's own, and was not "
            "followed; if it is right, make it the link's base URL"
        )
    return target


def _check_arguments(target: str, arguments: Mapping[str, str], *, kept_in_body: bool, from_url: str) -> None:
    """A redirect that drops the query would bring Identify, or an error, whatever was asked (F94)."""
    if arguments and not kept_in_body and not urlsplit(target).query:
        raise RefusedByProvider(
            f"a redirect from {_base(from_url)} to {_base(target)} drops the arguments; make {_base(target)} the "
            "link's base URL",
            moved_to=_base(target),
        )


def addresses(host: str) -> list[str]:
    """The addresses of a host; none if it has none."""
    try:
        return sorted({str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        return []


def may_lead(here: list[str], there: list[str]) -> bool:
    """Whether a redirect may lead from a host with these addresses to one with those (F95).

    To public addresses always; to others only where the provider itself, which an operator has named, has one of
    the same kind.
    """
    return {_kind(address) for address in there} <= {"public"} | {_kind(address) for address in here}


def _kind(text: str) -> str:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if address.is_loopback:
        return "loopback"
    if address.is_link_local or address.is_unspecified or address.is_multicast:
        return "link"
    return "public" if address.is_global else "private"


def may_have_credentials(base_url: str, url: str) -> bool:
    """Whether what was given for a base URL may go to this one. The same host, and no way back from https to http; the ports as they were, or the usual ones."""
    known, asked = urlsplit(base_url), urlsplit(url)
    if known.hostname != asked.hostname or (known.scheme, asked.scheme) == ("https", "http"):
        return False
    return _port(known.scheme, known.port) == _port(asked.scheme, asked.port) or (
        known.port in (None, 80) and asked.scheme == "https" and asked.port in (None, 443)
    )


def _port(scheme: str, port: int | None) -> int | None:
    return port or _DEFAULT_PORTS.get(scheme)


def _base(url: str) -> str:
    """The URL without user name, password, arguments and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
