"""Health: live says only that the process answers; ready asks the database and Redis."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from catalogue import checks, chores
from catalogue.models import CatalogueCanary
from gisc import database
from harvester.models import Canary
from harvester.rows.health import begin_tick
from tests.support.nodes import environment, free_port
from tests.support.paths import ROOT

ASK_WITHOUT_DATABASE = """
import django
django.setup()
from django.test import Client
for path in ("/health/live", "/health/ready", "/health/tasks"):
    answer = Client(headers={"host": "localhost"}).get(path)
    print(answer.status_code, answer.content.decode().strip())
"""
NO_BACKUP = {"state": "no backup configured", "age_s": None, "late": False, "last_is_verified": None}


def test_live_asks_nothing(client: Client) -> None:
    # Without the mark `django_db`, a query would fail.
    answer = client.get("/health/live")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_ready_when_the_database_is_migrated_and_redis_answers(client: Client, settings) -> None:
    settings.GISC_EMBEDDED_DATABASE = False  # or the journal is on its disk
    answer = client.get("/health/ready")
    durable = not checks.disabled_durability()  # the tests' own server is not
    expected = {"ready": True, "status": "degraded", "database": "ok", "redis": "ok", "journal": "ok"}
    # None has come through yet.
    tasks = {"age_s": None, "late": True, "ages_s": {"harvester": None, "catalogue": None}}
    found = answer.json()
    assert set(found.pop("disk")) == {"data", "journal"}
    waits = dict.fromkeys(("worker", "host", "provider", "retry"), 0)
    expected["queue"] = {"working": 0, "waiting": waits, "longest_wait_s": waits, "stalled": False}
    expected |= {"tasks": tasks, "durable": durable, "backup": NO_BACKUP}
    assert (answer.status_code, found) == (200, expected)


@pytest.mark.django_db
@pytest.mark.parametrize(("late_app", "canary"), [("harvester", Canary), ("catalogue", CatalogueCanary)])
def test_health_tells_how_long_ago_each_tick_came_through(
    client: Client, settings, late_app: str, canary: type[Canary] | type[CatalogueCanary]
) -> None:
    settings.GISC_CANARY_SECONDS = 600
    begin_tick()
    chores.record_tick()
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["tasks"]["late"] is False
    assert 0 <= answer.json()["tasks"]["age_s"] < 60
    assert client.get("/health/tasks").status_code == 200
    assert figure(client, "gisc_canary_late") == 0

    canary.objects.update(last=timezone.now() - timedelta(seconds=601))
    answer = client.get("/health/ready")
    # Still ready: what is stored is served, and to take the node off the network would help nobody.
    assert (answer.status_code, answer.json()["ready"], answer.json()["status"]) == (200, True, "degraded")
    assert answer.json()["tasks"]["late"] is True
    assert client.get("/health/tasks").status_code == 503
    tasks = client.get("/health/tasks").json()
    ages_s = {"harvester": pytest.approx(0, abs=30), "catalogue": pytest.approx(0, abs=30)}
    assert tasks["ages_s"] == ages_s | {late_app: pytest.approx(601, abs=30)}
    assert (tasks["age_s"], tasks["late"]) == (tasks["ages_s"][late_app], True)
    assert figure(client, "gisc_canary_late") == 1
    assert figure(client, "gisc_canary_age_seconds") == pytest.approx(601, abs=30)


@pytest.mark.django_db
@pytest.mark.parametrize("ticks", [[], [begin_tick], [chores.record_tick]], ids=["neither", "harvester", "catalogue"])
def test_a_node_on_which_a_tick_never_came_through_is_degraded(client: Client, ticks: list[Callable[[], None]]) -> None:
    for record in ticks:
        record()
    assert client.get("/health/tasks").status_code == 503
    assert figure(client, "gisc_canary_late") == 1
    assert "gisc_canary_age_seconds " not in client.get("/metrics").content.decode()


def figure(client: Client, name: str) -> float:
    lines = client.get("/metrics").content.decode().splitlines()
    return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


@pytest.mark.django_db
def test_not_ready_without_redis(client: Client, settings) -> None:
    settings.GISC_REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["redis"]) == (503, "not reachable")


@pytest.mark.django_db
def test_not_ready_on_a_database_that_lacks_migrations(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "unapplied", lambda: ["catalogue.0099_to_come"])
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["database"]) == (503, "not migrated")


def test_without_a_database_the_node_is_live_and_not_ready() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", ASK_WITHOUT_DATABASE],
        cwd=ROOT,
        env=environment(
            DJANGO_SETTINGS_MODULE="gisc.settings",
            DATABASE_URL=f"postgresql://gisc:secret@127.0.0.1:{free_port()}/gisc",
            REDIS_URL=f"redis://127.0.0.1:{free_port()}/0",
            SECRET_KEY="x" * 50,
            ALLOWED_HOSTS="localhost",
        ),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    live, ready, tasks = answer.stdout.splitlines()
    assert live == "200 ok"
    status, _, body = ready.partition(" ")
    parts = {"database": "not reachable", "redis": "not reachable", "tasks": None, "durable": None, "backup": NO_BACKUP}
    found = json.loads(body)
    assert set(found.pop("disk")) == {"data", "journal"}
    assert (status, found) == ("503", {"ready": False, "status": "not ready", **parts})
    assert tasks == '503 {"age_s": null, "late": true, "queue": null}'
