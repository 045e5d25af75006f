"""`/metrics`, `/harvest/` and `/health/` are for everybody, or where GISC_PRIVATE_PAGES says so for people and monitors of this node."""

import json
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import requests
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from catalogue import bootstrap
from catalogue.models import MetadataSet
from gisc import private_pages
from gisc.node import readiness
from harvester.models import Link
from tests.support import world
from tests.support.served import served

SENTENCE = "Only people who are signed in and the monitoring of this node may read this."
HARVEST = [
    "/harvest/",
    "/harvest/status.json",
    "/harvest/runs.atom",
    "/harvest/toulouse/",
    "/harvest/toulouse/link.json",
]
HARVEST += ["/harvest/toulouse/runs.atom", "/harvest/badge/toulouse.svg", "/harvest/run/1/", "/harvest/no-such-link/"]
PRIVATE = ["/metrics", "/health/ready", "/health/tasks", *HARVEST]
ALL = ["metrics", "harvest", "health"]
MONITOR, STRANGER, PROXY = "192.0.2.9", "203.0.113.5", "172.18.0.1"


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    return Link.objects.create(
        name="toulouse", base_url="http://toulouse.example.org/oai", remote_set=toulouse.spec, local_set=toulouse
    )


@pytest.fixture
def private(link: Link, settings: Any) -> Any:
    settings.GISC_PRIVATE_PAGES = ALL
    settings.GISC_MONITORING_ADDRESSES = [ip_network("192.0.2.8/29"), ip_network("2001:db8::/64")]
    settings.GISC_TRUSTED_PROXIES = [ip_network(f"{PROXY}/32")]
    return settings


def statuses(paths: list[str], client: Client | None = None, **headers: str) -> dict[str, int]:
    return {path: (client or Client()).get(path, **headers).status_code for path in paths}


def test_without_the_setting_everybody_reads_them(link: Link) -> None:
    found = statuses(
        [path for path in PRIVATE if path not in ("/harvest/run/1/", "/harvest/no-such-link/", "/health/tasks")]
    )
    assert set(found.values()) == {200}
    assert 'href="/harvest/"' in Client().get("/").content.decode()


def test_strangers_are_refused_in_one_sentence_and_nothing_is_cached(private: Any) -> None:
    for path in PRIVATE:
        answer = Client().get(path, REMOTE_ADDR=STRANGER)
        assert answer.status_code == 403 and SENTENCE in answer.content.decode(), path
        assert "no-store" in answer["Cache-Control"] and "public" not in answer["Cache-Control"]
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert json.loads(Client().get("/harvest/status.json").content) == {"error": SENTENCE}
    assert json.loads(Client().get("/health/ready").content) == {"error": SENTENCE}
    assert Client().get("/metrics")["Content-Type"].startswith("text/plain")
    assert "/admin/login/?next=/harvest/toulouse/" in Client().get("/harvest/toulouse/").content.decode()
    asked = {"HTTP_ACCESS_CONTROL_REQUEST_METHOD": "GET", "HTTP_ORIGIN": "https://evil.example.org"}
    assert "Access-Control-Allow-Origin" not in Client().options("/harvest/status.json", **asked).headers


def test_no_public_page_leads_there(private: Any) -> None:
    world.put(world.iso_record("urn:0"))
    for path in ("/", "/?q=data", "/record?id=urn:0", "/glossary", "/no-such-page", "/harvest/"):
        assert 'href="/harvest/' not in Client().get(path).content.decode().replace("next=/harvest/", ""), path


def test_people_read_them_when_they_are_signed_in_all_the_way(private: None, settings: Any, admin_user: User) -> None:
    client = Client()
    client.force_login(admin_user)
    assert statuses(["/metrics", "/health/ready", "/harvest/", "/harvest/status.json"], client) == dict.fromkeys(
        ("/metrics", "/health/ready", "/harvest/", "/harvest/status.json"), 200
    )
    assert "no-store" in client.get("/harvest/badge/toulouse.svg")["Cache-Control"]
    settings.GISC_SECOND_FACTOR_ROLES = ["superuser"]  # which is not set up
    assert set(statuses(PRIVATE, client).values()) == {403}


def test_monitors_are_known_by_their_address_also_behind_a_proxy(private: Any) -> None:
    paths = ["/metrics", "/health/ready", "/harvest/status.json"]
    for headers in (
        {"REMOTE_ADDR": MONITOR},
        {"REMOTE_ADDR": "2001:db8::7"},
        {"REMOTE_ADDR": PROXY, "HTTP_X_FORWARDED_FOR": f"{STRANGER}, {MONITOR}"},
    ):
        assert set(statuses(paths, **headers).values()) == {200}, headers
    for headers in (
        {"REMOTE_ADDR": STRANGER, "HTTP_X_FORWARDED_FOR": MONITOR},
        {"REMOTE_ADDR": PROXY, "HTTP_X_FORWARDED_FOR": f"{MONITOR}, {STRANGER}"},
        {"REMOTE_ADDR": PROXY},
        {"REMOTE_ADDR": "127.0.0.1"},
        {"REMOTE_ADDR": ""},
    ):
        assert set(statuses(paths, **headers).values()) == {403}, headers


def test_what_shows_nothing_and_what_was_given_away_stays_open(private: Any, link: Link) -> None:
    report = f"/harvest/report/{link.report_key}/"
    assert statuses(["/health/live", report, f"{report}report.json", f"{report}rejects.csv"]) == dict.fromkeys(
        ("/health/live", report, f"{report}report.json", f"{report}rejects.csv"), 200
    )


def test_each_may_be_private_alone(link: Link, settings: Any) -> None:
    settings.GISC_PRIVATE_PAGES = ["metrics"]
    assert statuses(["/metrics", "/harvest/", "/health/ready"]) == {
        "/metrics": 403,
        "/harvest/": 200,
        "/health/ready": 200,
    }


def test_a_pass_is_signed_by_this_node_for_this_purpose(private: Any) -> None:
    header = "HTTP_X_GISC_OWN_NODE"
    for value in ("", "made up", signing.dumps("", salt="some other purpose")):
        assert statuses(["/health/ready"], **{header: value}) == {"/health/ready": 403}
    assert statuses(["/health/ready"], **{header: private_pages.own_pass()}) == {"/health/ready": 200}
    with override_settings(SECRET_KEY="another"):
        of_another_node = private_pages.own_pass()
    assert statuses(["/health/ready"], **{header: of_another_node}) == {"/health/ready": 403}


def test_a_monitor_sees_a_node_whose_database_is_away(settings: Any, rf: RequestFactory) -> None:
    """This test may use no database: each query would be an error."""
    settings.GISC_PRIVATE_PAGES, settings.GISC_MONITORING_ADDRESSES = ALL, [ip_network(MONITOR)]
    page = private_pages.PrivatePages(lambda _: HttpResponse("figures"))
    assert page(rf.get("/metrics", REMOTE_ADDR=MONITOR)).content == b"figures"


def test_the_node_goes_on_watching_itself(transactional_db: None, tmp_path: Path, settings: Any) -> None:
    bootstrap.ensure_sets()
    given = {
        "GISC_PRIVATE_PAGES": ",".join(ALL),
        "GISC_MONITORING_ADDRESSES": MONITOR,
        "GISC_TRUSTED_PROXIES": "127.0.0.1",
    }
    with served(tmp_path, **given) as server:
        settings.HOST, settings.PORT, settings.ALLOWED_HOSTS = "127.0.0.1", server.port, ["127.0.0.1"]
        status, answer = readiness.ask()
        assert status in (200, 503) and json.loads(answer)["database"] == "ok"
        assert requests.get(f"{server.url}/health/ready", timeout=30).status_code == 403
        assert requests.get(f"{server.url}/health/live", timeout=30).text == "ok\n"
        seen = requests.get(f"{server.url}/metrics", headers={"X-Forwarded-For": MONITOR}, timeout=30)
        assert seen.status_code == 200 and "gisc_" in seen.text
