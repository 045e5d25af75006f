"""Every answer says what browsers may load and run: pages, errors, files, `/oai`, health, metrics; also where no view is reached."""

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from catalogue import bootstrap
from tests.support import world
from tests.support.served import Served, served

STRICT = {
    "default-src": ["'self'"],
    "script-src": ["'self'"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}
ADMIN = STRICT | {"script-src": ["'self'", "'unsafe-eval'"], "style-src": ["'self'", "'unsafe-inline'"]}
BROWSE = dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), ["'none'"])
BROWSE |= dict.fromkeys(("style-src", "img-src"), ["'self'"])
VALUES = {"int": "1", "path": "1", "str": "1", "slug": "a", "uuid": "1" * 32}


def policy_of(response: object) -> dict[str, list[str]]:
    directives = (each.split() for each in response.headers["Content-Security-Policy"].split(";"))
    return {name: sorted(values) for name, *values in directives}


def expected(path: str) -> dict[str, list[str]]:
    if path.startswith("/oai/browse"):
        return BROWSE
    return ADMIN if path.startswith("/admin/") else STRICT


def routes(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """A path for each route of the node, with a value in each gap."""
    for entry in resolver.url_patterns:
        route = str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, prefix + route)
            continue
        assert isinstance(entry, URLPattern)
        for name, converter in entry.pattern.converters.items():
            kind = type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")
            for written in (f"<{kind}:{name}>", f"<{name}>"):
                route = route.replace(written, VALUES[kind])
        if not route.startswith("(?P"):  # the admin's answer to all other paths
            yield prefix + route


@pytest.mark.django_db
def test_every_route_answers_with_the_policy_of_its_part(admin_client: Client, toulouse: object) -> None:
    paths = sorted(set(routes(get_resolver())))
    assert len(paths) > 100 and "/harvest/" in paths and "/admin/login/" in paths
    wrong = {
        path: response.get("Content-Security-Policy")
        for path in paths
        if policy_of(response := Client().get(path)) != expected(path)
        or "camera=()" not in response["Permissions-Policy"]
    }
    assert wrong == {}
    for path in ("/admin/", "/admin/harvester/link/add/", "/admin/no-such-page"):
        assert policy_of(admin_client.get(path)) == ADMIN


@pytest.mark.django_db
def test_a_script_of_the_page_itself_would_need_the_nonce(rf: object, client: Client) -> None:
    from django.http import HttpResponse

    from gisc.content_policy import ContentPolicy

    def view(request: object) -> HttpResponse:
        return HttpResponse(f'<script nonce="{request.csp_nonce}"></script>')

    first, second = (ContentPolicy(view)(rf.get("/")) for _ in range(2))
    nonce = policy_of(first)["script-src"][0]
    assert nonce.startswith("'nonce-") and nonce[7:-1] in first.content.decode()
    assert nonce != policy_of(second)["script-src"][0]


def test_what_is_answered_before_or_without_django_has_it_too(transactional_db: None, tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))
    User.objects.create_superuser("admin", password="x")
    with served(tmp_path, ALLOWED_HOSTS="127.0.0.1") as server:
        seen = {path: ask(server, path) for path in ("/oai?verb=Identify", "/oai", "/oai/browse?verb=Identify")}
        seen |= {path: ask(server, path) for path in ("/static/catalogue/pages.css", "/static/none.css", "/none")}
        seen |= {path: ask(server, path) for path in ("/health/ready", "/metrics", "/record?id=urn:0", "/stats.json")}
        seen["/ of another host"] = ask(server, "/", Host="evil.example.org")
        seen["/oai of another host"] = ask(server, "/oai?verb=Identify", Host="evil.example.org")
        assert {path: policy_of(answer) for path, answer in seen.items()} == {path: expected(path) for path in seen}
        assert {path: answer.headers["X-Content-Type-Options"] for path, answer in seen.items()} == dict.fromkeys(
            seen, "nosniff"
        )
        assert {path: answer.headers["Referrer-Policy"] for path, answer in seen.items()} == dict.fromkeys(
            seen, "same-origin"
        )
        assert seen["/ of another host"].status == 400 and seen["/none"].status == 404
        assert policy_of(ask(server, "/static/unfold/js/app.js")) == STRICT
        assert policy_of(ask(server, "/admin/login/")) == ADMIN


def test_what_gunicorn_refuses_itself_has_it_too(transactional_db: None, tmp_path: Path) -> None:
    """Such answers quote the request in HTML."""
    bootstrap.ensure_sets()
    with served(tmp_path) as server:
        for raw in (
            b"<script>alert(1)</script>\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\n<script> : x\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nx: " + b"y" * 20_000 + b"\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
                link.sendall(raw)
                answer = http.client.HTTPResponse(link)
                answer.begin()
                body = answer.read()
            assert answer.status >= 400 and b"<script" not in body, raw[:50]
            assert policy_of(answer) == {"default-src": ["'none'"], "frame-ancestors": ["'none'"]}, raw[:50]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_browsers_are_told_to_use_https_where_they_came_by_https(transactional_db: None, tmp_path: Path) -> None:
    """Harvesters by http, which no proxy forwards as https, are told nothing."""
    bootstrap.ensure_sets()
    paths = (
        "/",
        "/oai?verb=Identify",
        "/static/catalogue/pages.css",
        "/static/none.css",
        "/none",
        "/metrics",
        "/admin/",
    )
    given = {"GISC_BASE_URL": "https://gisc.example.org", "GISC_BEHIND_TLS_PROXY": "True"}
    with served(tmp_path, **given) as server:
        by_https = {path: ask(server, path, **{"X-Forwarded-Proto": "https"}) for path in paths}
        by_http = {path: ask(server, path) for path in paths}
    said = {path: answer.headers["Strict-Transport-Security"] for path, answer in by_https.items()}
    assert said == dict.fromkeys(paths, "max-age=86400")
    assert {path: answer.headers["Strict-Transport-Security"] for path, answer in by_http.items()} == dict.fromkeys(
        paths
    )


def ask(server: Served, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        return response
    finally:
        connection.close()
