"""What grows beside the apps stays within its bounds: sessions, sign-ins, acts in the admin, logs, files of the dead."""

import json
import logging
import os
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from prometheus_client import CollectorRegistry, multiprocess

from catalogue import tasks
from gisc import embedded, logs, metrics_files, upkeep
from gisc.upkeep import UpkeepLimits
from tests.support.nodes import environment
from tests.support.paths import ROOT

SIGN_INS = (AccessLog, AccessFailureLog, AccessAttempt)


def ago(**time: float) -> object:
    return timezone.now() - timedelta(**time)


def sign_in(model: type, number: int, **age: float) -> None:
    """Rows of sign-ins of that age; the time of a new row cannot be given."""
    facts = {"failures_since_start": 1} if model is AccessAttempt else {}
    made = [model(username=f"{age} {each}", ip_address="192.0.2.1", user_agent="x", **facts) for each in range(number)]
    model.objects.bulk_create(made)
    model.objects.filter(username__startswith=str(age)).update(attempt_time=ago(**age))


# --- Rows ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_tick_removes_sessions_that_are_over(admin_client: Client) -> None:
    Session.objects.create(session_key="over", session_data="", expire_date=ago(seconds=1))
    tasks.tick()
    assert not Session.objects.filter(session_key="over").exists()
    assert admin_client.get("/admin/").status_code == 200, "whoever is signed in stays so"


@pytest.mark.django_db
@pytest.mark.parametrize("model", SIGN_INS)
def test_sign_ins_go_after_their_time_and_above_their_number(model: type) -> None:
    sign_in(model, 3, days=91)
    sign_in(model, 20, days=89)
    upkeep.clean_up()
    assert model.objects.count() == 20
    sign_in(model, 5, days=2)
    upkeep.clean_up(UpkeepLimits(sign_ins=10))
    assert model.objects.count() <= 10
    assert model.objects.filter(attempt_time__gt=ago(days=3)).count() == 5, "the newest stay"


@pytest.mark.django_db
def test_a_failed_sign_in_stays_while_it_locks_its_account_however_many_there_are() -> None:
    sign_in(AccessAttempt, 30, minutes=30)
    upkeep.clean_up(UpkeepLimits(sign_ins=10))
    assert AccessAttempt.objects.count() == 30


@pytest.mark.django_db
def test_what_was_done_in_the_admin_stays_for_two_years(admin_user: User) -> None:
    for name, age in (("old", 731), ("new", 729)):
        LogEntry.objects.create(user=admin_user, action_flag=2, object_repr=name, action_time=ago(days=age))
    upkeep.clean_up()
    assert [entry.object_repr for entry in LogEntry.objects.all()] == ["new"]


@pytest.mark.django_db
def test_a_batch_goes_at_a_time() -> None:
    Session.objects.bulk_create(
        Session(session_key=f"{n}", session_data="", expire_date=ago(days=1)) for n in range(25)
    )
    left = []
    for _ in range(3):
        upkeep.clean_up(UpkeepLimits(batch=10))
        left.append(Session.objects.count())
    assert left == [15, 5, 0]


# --- Files ---------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_folders_of_killed_processes_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, age in (("gisc-ca-old", 8), ("gisc-ingest-old", 8), ("gisc-ca-new", 1), ("gisc-0123456789abcdef", 99)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trusted.pem").write_text("x")
        stamp = ago(days=age).timestamp()
        os.utime(tmp_path / name, (stamp, stamp))
    upkeep.clean_up()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["gisc-0123456789abcdef", "gisc-ca-new"]


def test_a_log_of_postgresql_is_copied_and_emptied_while_the_server_appends(tmp_path: Path) -> None:
    log = tmp_path / "postgres" / "server.log"
    log.parent.mkdir()
    with log.open("a") as server:
        for number in range(5):
            server.write(f"{number}" * 600)
            server.flush()
            embedded.rotate_database_log(tmp_path, 1000)
    assert log.read_text() == "4" * 600
    assert log.with_name("server.log.1").read_text() == "2" * 600 + "3" * 600
    assert not embedded.rotate_database_log(tmp_path, 1000)


def test_a_log_of_redis_is_renamed(tmp_path: Path) -> None:
    log = tmp_path / "redis" / "server.log"
    log.parent.mkdir()
    assert not embedded.rotate_broker_log(tmp_path, 10), "there is none yet"
    for text in ("first " * 5, "second " * 5):
        log.write_text(text)
        assert embedded.rotate_broker_log(tmp_path, 10)
    assert [file.name for file in log.parent.iterdir()] == ["server.log.1"]
    assert log.with_name("server.log.1").read_text() == "second " * 5


_COUNTING = """
import sys
from prometheus_client import Counter, Gauge, Histogram
Counter("answers", "x", ["verb"]).labels("Identify").inc(2)
Histogram("seconds", "x").observe(float(sys.argv[1]))
Gauge("lives", "x", multiprocess_mode="liveall").set(1)
Gauge("all", "x", multiprocess_mode="all").set(1)
"""


def count_in_a_process(folder: Path, seconds: float) -> None:
    """A process that counts, and dies without a word."""
    given = environment(PROMETHEUS_MULTIPROC_DIR=str(folder))
    subprocess.run([sys.executable, "-c", _COUNTING, str(seconds)], cwd=ROOT, env=given, check=True)


def counted(folder: Path) -> dict[str, float]:
    registry = CollectorRegistry()
    collector = multiprocess.MultiProcessCollector(registry, path=str(folder))
    with metrics_files.folded(folder):
        return {sample.name: sample.value for family in collector.collect() for sample in family.samples}


def test_files_of_dead_processes_are_folded_and_what_they_counted_stays(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        count_in_a_process(tmp_path, number)
        seen = counted(tmp_path)
        assert (seen["answers_total"], seen["seconds_sum"]) == (2 * number, sum(range(number + 1)))
        assert sorted(file.name for file in tmp_path.glob("*.db")) == ["counter_dead.db", "histogram_dead.db"]


def test_files_of_living_processes_are_left_alone(tmp_path: Path) -> None:
    count_in_a_process(tmp_path, 1)
    for file in tmp_path.glob("*.db"):
        file.rename(tmp_path / file.name.replace(file.stem.rsplit("_", 1)[1], str(os.getpid())))
    before = {file.name: file.read_bytes() for file in tmp_path.glob("*.db")}
    assert counted(tmp_path)["answers_total"] == 2
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.db")} == before


# --- Lines ---------------------------------------------------------------------------------------------


def test_a_line_of_the_log_has_its_date() -> None:
    record = logging.makeLogRecord({"name": "gisc", "levelname": "INFO", "msg": "ready", "created": 1769947200.0})
    assert logs.LineFormatter().format(record) == "2026-02-01 12:00:00 INFO gisc ready"
    assert json.loads(logs.JsonFormatter().format(record))["time"].startswith("2026-02-01T12:00:00")


@pytest.mark.django_db
@pytest.mark.parametrize("is_embedded", [True, False])
def test_room_is_reserved_again_for_the_embedded_database_alone(settings, tmp_path: Path, is_embedded: bool) -> None:
    settings.GISC_DATA_DIR, settings.GISC_EMBEDDED_DATABASE = tmp_path, is_embedded
    upkeep.clean_up()
    assert (tmp_path / "reserved_room").exists() == is_embedded
