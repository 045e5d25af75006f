"""Send one request and follow its redirects; prevent SSRF and the leak of credentials.

SSRF (server-side request forgery): a provider must not redirect this node to a machine of our own network. A redirect
may lead to public addresses, and to private ones only if they are the provider's own (F95): that is judged when the
connection is made (`harvester/net/networks.py:Route`, `harvester/net/session.py`). The number of redirects is bounded
(H27). Credentials go to one origin only
(`may_send_credentials`).

`requests` follows redirects too, but it drops the arguments of a POST, allows SSRF, and does not tell permanent
redirects from temporary ones.
"""

from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests
from requests.auth import HTTPBasicAuth
from requests.utils import get_auth_from_url, select_proxy

from harvester.errors import FaultCode, RefusedByProvider, Unreachable
from harvester.net.networks import Route, route
from harvester.net.session import Session

MAX_REDIRECTS = 5  # H27
_PERMANENT = frozenset({301, 308})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DEFAULT_PORTS = {"http": 80, "https": 443}


def follow_redirects(
    session: Session,
    base_url: str,
    arguments: Mapping[str, str],
    timeout: tuple[float, float],
    *,
    post: bool,
    accept_encoding: str = "",
) -> tuple[requests.Response, str]:
    """Return the first answer that is no redirect, its body unread, and the base URL of permanent redirects, or "".

    The caller closes the answer. Raises RefusedByProvider for redirects that loop, lead nowhere, drop the arguments, or
    lead to an address that is not public, but for the provider's own.
    """
    url, moved_to, only_permanent = base_url, "", True
    params: Mapping[str, str] | None = None if post else arguments
    data: Mapping[str, str] | None = arguments if post else None
    seen = {url}
    try:
        in_url = get_auth_from_url(base_url)
    except ValueError as exc:  # such as a bracket that does not close
        raise requests.exceptions.InvalidURL(str(exc)) from exc
    credentials = session.credentials or (HTTPBasicAuth(*in_url) if any(in_url) else None)
    way = Route()
    route.set(way)
    for _ in range(MAX_REDIRECTS + 1):
        request = requests.Request("POST" if data is not None else "GET", url, params=params, data=data)
        if accept_encoding:
            request.headers["Accept-Encoding"] = accept_encoding
        if credentials is not None and may_send_credentials(base_url, url):
            request.auth = credentials
        prepared = session.prepare_request(request)
        options = session.options_for(prepared.url or url)
        if way.is_redirected and select_proxy(url, options["proxies"]):
            way.check_by_name(urlsplit(base_url).hostname or "", urlsplit(url).hostname or "")
        try:
            response = session.send(prepared, allow_redirects=False, timeout=timeout, **options)
        except requests.ConnectionError as exc:
            if not way.is_redirected:
                raise
            raise Unreachable(FaultCode.REDIRECT_NO_ANSWER, {"target": _base(url)}) from exc
        if response.status_code not in _REDIRECTS:
            return response, moved_to
        with response:
            target = _redirect_target(prepared.url or url, response)
            if response.status_code == 303:
                data = None
        only_permanent &= response.status_code in _PERMANENT
        _check_arguments(target, arguments, are_in_body=data is not None, from_url=url)
        if only_permanent:
            moved_to = _base(target)
        if target in seen:
            raise RefusedByProvider(FaultCode.REDIRECT_CIRCLE, {"url": _base(base_url)})
        seen.add(target)
        url, params, way.is_redirected = target, None, True
    raise RefusedByProvider(FaultCode.REDIRECTS_TOO_MANY, {"limit": MAX_REDIRECTS, "url": _base(base_url)})


def _redirect_target(requested: str, response: requests.Response) -> str:
    location = response.headers.get("Location", "").strip()
    if not location:
        raise RefusedByProvider(FaultCode.REDIRECT_WITHOUT_TARGET, {"status": response.status_code})
    target = urljoin(requested, location)
    parts = urlsplit(target)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise RefusedByProvider(FaultCode.REDIRECT_NO_WEB_ADDRESS, {"target": _base(target)})
    return target


def _check_arguments(target: str, arguments: Mapping[str, str], *, are_in_body: bool, from_url: str) -> None:
    """Refuse a redirect that drops the query: the answer would not be the one to our request (F94)."""
    if arguments and not are_in_body and not urlsplit(target).query:
        raise RefusedByProvider(
            FaultCode.REDIRECT_DROPS_ARGUMENTS,
            {"url": _base(from_url), "target": _base(target)},
            moved_to=_base(target),
        )


def may_send_credentials(base_url: str, url: str) -> bool:
    """Whether the credentials given for a base URL may go to this URL.

    Only to the same host, never from https to http, and to the same port or from the default port of http to that of
    https.
    """
    given_for, target = urlsplit(base_url), urlsplit(url)
    if given_for.hostname != target.hostname or (given_for.scheme, target.scheme) == ("https", "http"):
        return False
    return _port(given_for.scheme, given_for.port) == _port(target.scheme, target.port) or (
        given_for.port in (None, 80) and target.scheme == "https" and target.port in (None, 443)
    )


def _port(scheme: str, port: int | None) -> int | None:
    return port or _DEFAULT_PORTS.get(scheme)


def _base(url: str) -> str:
    """Return the URL without user name, password, arguments and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
