"""Logs: each line is one JSON object that says which request, run and link it is about, whatever clients send."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from catalogue import bootstrap
from gisc.logs import JsonFormatter, LineFormatter
from tests.support.served import Served, served
from tests.support.waiting import until

THROUGH_PROXY = {"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    administrator = get_user_model().objects.create_superuser("admin")
    # Not as tests hash passwords: the server does not know that.
    administrator.password = PBKDF2PasswordHasher().encode("the-right-one", "salt", iterations=1)
    administrator.save()
    with served(tmp_path, LOG_JSON="True", GISC_TRUSTED_PROXIES="127.0.0.1") as running:
        yield running


def lines(server: Served) -> list[dict[str, Any]]:
    """What the server has logged; every line is an object."""
    return [json.loads(line) for line in server.log.read_text(encoding="utf-8").splitlines(True) if line.endswith("\n")]


def of(server: Served, request_id: str) -> dict[str, Any]:
    """The line of the access log of one request, which is written after the answer."""

    def found() -> list[dict[str, Any]]:
        return [line for line in lines(server) if line["message"] == "request" and line["request_id"] == request_id]

    until(found, timeout_s=60, what="the request is logged")
    (line,) = found()
    return line


def test_each_request_is_a_line_with_the_id_that_the_client_gets(server: Served) -> None:
    answer = requests.get(
        f"{server.url}/oai?verb=Identify", headers={"X-Request-ID": "abc-1"} | THROUGH_PROXY, timeout=60
    )
    assert answer.headers["X-Request-ID"] == "abc-1"
    line = of(server, "abc-1")
    assert line["time"].endswith("+00:00")
    assert {name: line[name] for name in ("logger", "level", "client", "method", "url", "status", "bytes")} == {
        "logger": "gisc.access_log", "level": "INFO", "client": "203.0.113.7", "method": "GET", "url": "/oai?verb=Identify",
        "status": 200, "bytes": int(answer.headers["Content-Length"]),
    }  # fmt: skip
    assert line["agent"].startswith("python-requests")
    assert line["ms"] >= 0


def test_an_id_that_is_no_plain_word_is_replaced_and_long_texts_are_cut(server: Served) -> None:
    for given in ("", "a b", "x" * 129, "\u00e9\u0085", "<script>", '"', "a\tb"):
        headers = {"X-Request-ID": given.encode("latin-1"), "User-Agent": b"\x85\x9b2J" + b"y" * 5000}
        answer = requests.get(f"{server.url}/?q={'z' * 3000}", headers=headers, timeout=60)
        made = answer.headers["X-Request-ID"]
        assert len(made) == 32 and made.isalnum()
        line = of(server, made)
        assert (len(line["url"]), len(line["agent"])) == (500, 200)
    assert not any(character in server.log.read_text(encoding="utf-8") for character in "\x85\x9b\u2028")


def test_health_checks_are_no_lines_but_where_they_fail(server: Served) -> None:
    requests.get(f"{server.url}/health/live", headers={"X-Request-ID": "well"}, timeout=60)
    requests.post(f"{server.url}/health/live", headers={"X-Request-ID": "not-so"}, timeout=60)
    assert of(server, "not-so")["status"] == 403
    assert "well" not in {line.get("request_id") for line in lines(server)}


def sign_in(server: Served, name: str, password: str) -> requests.Response:
    page = f"{server.url}/admin/login/?token=in-the-query"
    with requests.Session() as browser:
        browser.headers.update(THROUGH_PROXY)
        browser.get(page, timeout=60)
        token = browser.cookies.get("csrftoken", "")
        return browser.post(
            page, data={"username": name, "password": password, "csrfmiddlewaretoken": token}, timeout=60
        )


def test_who_does_not_get_in_is_logged_with_address_and_name_and_without_password(server: Served) -> None:
    name = "eve\u202e\x1b[2J\r\nforged " + "n" * 220
    for number in range(11):
        answer = sign_in(server, name, f"guessed-{number}")
    found = [line for line in lines(server) if line["logger"] == "gisc.sign_ins"]
    failed = [line for line in found if line["message"] == "sign-in failed"]
    assert {line["client"] for line in found} == {"203.0.113.7"}
    assert len(failed) >= 10
    assert failed[0]["user"].startswith("eve")
    assert all(line["level"] == "WARNING" and len(line["user"]) <= 150 and line["request_id"] for line in failed)
    assert "locked" in found[-1]["message"] or answer.status_code in (403, 429)
    text = server.log.read_text(encoding="utf-8")
    assert not any(secret in text for secret in ("guessed-", "in-the-query", "\u202e", "\x1b"))
    # Another address behind the same proxy is not locked out.
    with requests.Session() as browser:
        browser.headers.update({"X-Forwarded-For": "203.0.113.8"})
        browser.get(f"{server.url}/admin/login/", timeout=60)
        data = {"username": "admin", "password": "the-right-one", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        assert (
            browser.post(f"{server.url}/admin/login/", data=data, timeout=60, allow_redirects=False).status_code == 302
        )
    (entered,) = [line for line in lines(server) if line["message"] == "signed in"]
    assert (entered["client"], entered["user"]) == ("203.0.113.8", "admin")


@pytest.mark.parametrize("formatter", [JsonFormatter(), LineFormatter()])
def test_nothing_that_is_logged_makes_a_second_line(formatter: logging.Formatter) -> None:
    nasty = 'a\nb\rc\x1b[0m\x85\u2028\u202e\ud800\x00"\\'
    record = logging.makeLogRecord(
        {"msg": nasty, "name": "x", "levelname": "INFO", "field": nasty, "object": {"x": nasty}}
    )
    text = formatter.format(record)
    assert text.splitlines() == [text]
    assert text.isprintable()
    text.encode("utf-8")
    if isinstance(formatter, JsonFormatter):
        assert json.loads(text)["message"] == nasty
