"""Health: live says only that the process answers; ready asks the database and Redis."""

import subprocess
import sys

import pytest
from django.test import Client

from catalogue import durability
from gisc import database, health
from tests.gisc.running import ROOT, environment, free_port

ASK_WITHOUT_DATABASE = """
import django
django.setup()
from django.test import Client
for path in ("/health/live", "/health/ready"):
    answer = Client(headers={"host": "localhost"}).get(path)
    print(answer.status_code, answer.content.decode().strip())
"""


def test_live_asks_nothing(client: Client) -> None:
    # Without the mark `django_db`, a query would fail.
    answer = client.get("/health/live")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_ready_when_the_database_is_migrated_and_redis_answers(client: Client) -> None:
    answer = client.get("/health/ready")
    durable = not durability.lacking()  # the tests' own server is not
    expected = {"ready": True, "database": "ok", "redis": "ok", "durable": durable}
    assert (answer.status_code, answer.json()) == (200, expected)


@pytest.mark.django_db
def test_not_ready_without_redis(client: Client, settings) -> None:
    settings.GISC_EMBEDDED_REDIS = False
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{free_port()}/0"
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["redis"]) == (503, "not reachable")


@pytest.mark.django_db
def test_not_ready_on_a_database_that_lacks_migrations(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)
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
    live, ready = answer.stdout.splitlines()
    assert live == "200 ok"
    assert ready == '503 {"ready": false, "database": "not reachable", "redis": "not reachable", "durable": null}'
