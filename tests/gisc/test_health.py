"""Health: live says only that the process answers; ready has each part of the node, with its state and a sentence."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from catalogue import checks, chores, ticks
from catalogue.models import CatalogueCanary, JournalOutbox, MetadataSet, TickCanary
from gisc import database, heartbeat
from gisc.alerts.models import AlertCanary
from gisc.parts.reasons import PartCode
from harvester.models import Canary, Link, Run
from harvester.rows import queue
from harvester.runs import lifecycle
from tests.support.heartbeats import beat_as_worker_and_beat, no_heartbeats
from tests.support.nodes import environment, free_port
from tests.support.paths import ROOT
from tests.support.ticks import begin_all

ASK_WITHOUT_DATABASE = """
import django
django.setup()
from django.test import Client
for path in ("/health/live", "/health/ready", "/health/tasks"):
    answer = Client(headers={"host": "localhost"}).get(path)
    print(answer.status_code, answer.content.decode().replace("\\n", ""))
"""
PARTS = [
    "database",
    "migrations",
    "durability",
    "vacuum",
    "replica",
    "redis",
    "workers",
    "beat",
    "chores",
    "queue",
    "clock",
    "journal",
    "disk",
    "backup",
]
NO_BACKUP = {"state": "no backup configured", "age_s": None, "late": False, "last_is_verified": None}


def test_live_asks_nothing(client: Client) -> None:
    # Without the mark `django_db`, a query would fail.
    answer = client.get("/health/live")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]


@pytest.fixture(autouse=True)
def _no_processes() -> Iterator[None]:
    with no_heartbeats():
        yield


@pytest.fixture
def processes(_no_processes: None) -> None:
    """A worker with all its processes, and a beat, that live."""
    beat_as_worker_and_beat()


def not_ok(answer: dict) -> dict[str, str]:
    """The codes of the parts that are not ok; each part says what is wrong and what to do."""
    assert list(answer["parts"]) == PARTS
    for part in answer["parts"].values():
        assert set(part) == {"state", "code", "facts", "text"}
        assert part["text"].endswith(".") and "{" not in part["text"]
    return {name: part["code"] for name, part in answer["parts"].items() if part["state"] != "ok"}


@pytest.mark.django_db
def test_ready_when_the_database_is_migrated_and_redis_answers(client: Client, settings) -> None:
    settings.GISC_EMBEDDED_DATABASE = False  # or the journal is on its disk
    answer = client.get("/health/ready")
    durable = not checks.disabled_durability()  # the tests' own server is not
    expected = {"ready": True, "status": "degraded", "database": "ok", "redis": "ok", "journal": "ok"}
    # None has come through yet.
    tasks = {"age_s": None, "late": True, "ages_s": {"alerts": None, "harvester": None, "catalogue": None}}
    found = answer.json()
    troubles = {"durability": PartCode.NOT_DURABLE, "workers": PartCode.NO_WORKER, "beat": PartCode.NO_BEAT}
    unknown = {"clock": PartCode.CLOCK_NOT_CHECKED, "backup": PartCode.BACKUP_NOT_CONFIGURED}
    assert not_ok(found) == troubles | unknown
    del found["parts"]
    assert set(found.pop("disk")) == {"data", "journal"}
    waits = dict.fromkeys(("worker", "host", "provider", "retry", "window"), 0)
    expected["queue"] = {"working": 0, "waiting": waits, "longest_wait_s": waits, "stalled": False}
    expected |= {"tasks": tasks, "durable": durable, "backup": NO_BACKUP}
    assert (answer.status_code, found) == (200, expected)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("late_app", "canary"), [("harvester", Canary), ("catalogue", CatalogueCanary), ("alerts", AlertCanary)]
)
def test_health_tells_how_long_ago_each_tick_came_through(
    client: Client, settings, processes: None, late_app: str, canary: type[TickCanary]
) -> None:
    settings.GISC_CANARY_SECONDS = 600
    begin_all()
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    assert set(not_ok(answer.json())) == {"durability", "clock", "backup"}  # the tests' own server is not durable
    assert answer.json()["tasks"]["late"] is False
    assert 0 <= answer.json()["tasks"]["age_s"] < 60
    assert client.get("/health/tasks").status_code == 200
    assert figure(client, "gisc_canary_late") == 0

    canary.objects.update(last=timezone.now() - timedelta(seconds=601))
    answer = client.get("/health/ready")
    # Still ready: what is stored is served, and to take the node off the network would help nobody.
    assert (answer.status_code, answer.json()["ready"], answer.json()["status"]) == (200, True, "degraded")
    assert answer.json()["tasks"]["late"] is True
    assert not_ok(answer.json())["beat"] == PartCode.TICKS_LATE
    assert client.get("/health/tasks").status_code == 503
    tasks = client.get("/health/tasks").json()
    ages_s = dict.fromkeys(("harvester", "catalogue", "alerts"), pytest.approx(0, abs=30))
    assert tasks["ages_s"] == ages_s | {late_app: pytest.approx(601, abs=30)}
    assert (tasks["age_s"], tasks["late"]) == (tasks["ages_s"][late_app], True)
    assert figure(client, "gisc_canary_late") == 1
    assert figure(client, "gisc_canary_age_seconds") == pytest.approx(601, abs=30)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "canaries",
    [[], [Canary, CatalogueCanary], [CatalogueCanary, AlertCanary]],
    ids=["none", "no alerts", "no harvester"],
)
def test_a_node_on_which_a_tick_never_came_through_is_degraded(
    client: Client, canaries: list[type[TickCanary]]
) -> None:
    for canary in canaries:
        ticks.begin(canary)
    assert client.get("/health/tasks").status_code == 503
    assert figure(client, "gisc_canary_late") == 1
    assert figure(client, "gisc_canary_age_seconds") == math.inf


def figure(client: Client, name: str) -> float:
    lines = client.get("/metrics").content.decode().splitlines()
    return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


@pytest.mark.django_db
@pytest.mark.parametrize("canary", [Canary, CatalogueCanary, AlertCanary])
def test_a_tick_of_the_future_says_nothing_of_now(client: Client, processes: None, canary: type[TickCanary]) -> None:
    """The clock was ten minutes ahead, is right again, and no tick has come since."""
    begin_all()
    canary.objects.update(last=timezone.now() + timedelta(minutes=10))
    assert client.get("/health/tasks").status_code == 503
    assert not_ok(client.get("/health/ready").json())["beat"] == PartCode.NO_TICK
    ticks.begin(canary)
    assert client.get("/health/tasks").status_code == 200


@pytest.mark.django_db
def test_without_redis_the_node_is_ready_and_degraded(client: Client, settings, processes: None) -> None:
    settings.GISC_REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"], answer.json()["redis"]) == (200, "degraded", "not reachable")
    found = not_ok(answer.json())
    assert (found["redis"], found["workers"]) == (PartCode.REDIS_AWAY, PartCode.NOT_KNOWN)


def part(client: Client, name: str) -> dict:
    found: dict = client.get("/health/ready").json()["parts"][name]
    return found


@pytest.mark.django_db
def test_runs_that_nobody_takes_though_nobody_is_busy_are_seen_after_two_beats(
    client: Client, toulouse: MetadataSet
) -> None:
    link = Link.objects.create(name="t", base_url="http://x.example.org/oai", local_set=toulouse)
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    assert part(client, "queue")["state"] == "ok"
    Run.objects.update(queued=timezone.now() - timedelta(seconds=61))
    found = part(client, "queue")
    assert (found["state"], found["code"], found["facts"]["waiting"]) == ("degraded", PartCode.QUEUE_STALLED, 1)
    assert queue.claim(run.pk) is not None
    assert part(client, "queue")["state"] == "ok"


@pytest.mark.django_db
def test_a_worker_with_fewer_processes_than_it_should_have_is_seen_and_one_that_ends_as_it_should_is_gone(
    client: Client, processes: None
) -> None:
    assert part(client, "workers")["state"] == "ok"
    pulse = heartbeat.Pulse(heartbeat.WORKER, "a", lambda: ([1], 2))
    pulse.beat()
    found = part(client, "workers")
    assert (found["state"], found["code"], found["facts"]) == (
        "degraded", PartCode.WORKERS_MISSING, {"alive": 1, "expected": 2}
    )  # fmt: skip
    pulse.end()
    assert part(client, "workers")["code"] == PartCode.NO_WORKER


@pytest.mark.django_db
def test_a_chore_that_fails_again_and_again_is_seen_until_it_succeeds(client: Client) -> None:
    fails = True

    def open_runs() -> None:
        if fails:
            raise RuntimeError("a bug")

    chores.run_each([open_runs])
    assert part(client, "chores")["state"] == "ok", "once may be an accident"
    chores.run_each([open_runs])
    found = part(client, "chores")
    assert (found["state"], found["code"], found["facts"]) == (
        "degraded",
        PartCode.CHORES_FAILING,
        {"chores": "open_runs"},
    )
    assert "a bug" not in found["text"], "strangers read it"
    fails = False
    chores.run_each([open_runs])
    assert part(client, "chores")["state"] == "ok"


@pytest.mark.django_db
def test_deletions_that_wait_long_for_the_journal_degrade_the_node(client: Client) -> None:
    assert part(client, "journal")["state"] == "ok"
    JournalOutbox.objects.create(event="deleted", identifier="urn:a", datestamp=timezone.now() - timedelta(minutes=2))
    found = part(client, "journal")
    assert (found["state"], found["code"], found["facts"]["waiting"]) == ("degraded", PartCode.JOURNAL_WAITING, 1)


@pytest.mark.django_db
def test_a_folder_whose_room_cannot_be_read_is_not_called_ok(client: Client, settings, tmp_path: Path) -> None:
    settings.GISC_BACKUP_DIR = tmp_path / ("x" * 300)  # whoever looks at it gets an error
    answer = client.get("/health/ready").json()
    assert answer["disk"]["backup"] == {"free_mb": None, "total_mb": None, "low": None}
    assert answer["parts"]["disk"]["code"] == PartCode.DISK_NOT_READABLE


@pytest.mark.django_db
def test_a_newest_backup_that_is_not_verified_degrades_the_node(client: Client, settings, tmp_path: Path) -> None:
    settings.GISC_BACKUP_DIR = tmp_path
    for hours, end in ((2, ""), (1, "-unverified")):
        made = timezone.now() - timedelta(hours=hours)
        (tmp_path / f"gisc-{settings.GISC_NAME}-{made:%Y%m%dT%H%M%SZ}{end}.tar").touch()
    assert part(client, "backup")["code"] == PartCode.BACKUP_NOT_VERIFIED
    assert client.get("/health/ready").json()["status"] == "degraded"


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
    codes = not_ok(found)
    assert {found["parts"][name]["state"] for name in ("migrations", "workers", "beat", "queue", "journal")} == {
        "unknown"
    }
    assert (codes["database"], codes["redis"]) == (PartCode.DATABASE_AWAY, PartCode.REDIS_AWAY)
    del found["parts"]
    assert (status, found) == ("503", {"ready": False, "status": "not ready", **parts})
    assert tasks == '503 {"age_s": null, "late": true, "queue": null}'
