"""Worker processes of one test run keep out of each other's way."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.nodes import environment, free_port
from tests.support.paths import ROOT
from tests.support.waiting import until

TELL = """
import json
from pathlib import Path
from django.conf import settings
from django.db import connection

def test_tell(db, tmp_path, worker_id):
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        server = cursor.fetchone()[0]
    Path(__file__).with_name(f"{worker_id}.json").write_text(
        json.dumps([server, str(settings.GISC_DATA_DIR), settings.GISC_REDIS_URL, str(tmp_path)])
    )
"""


def test_each_worker_has_servers_and_folders_of_its_own_and_nothing_is_left_of_them(tmp_path: Path) -> None:
    (tmp_path / "test_tell.py").write_text(TELL)
    outside = {name: value for name, value in environment().items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", f"--rootdir={ROOT}", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--dist=each", "--tx=2*popen", f"--basetemp={tmp_path / 'base'}", str(tmp_path / "test_tell.py")],
        cwd=ROOT,
        env=outside,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].strip("= ").startswith("2 passed in ")
    told = [json.loads(file.read_text()) for file in sorted(tmp_path.glob("gw*.json"))]
    assert len(told) == 2
    assert len({place for one in told for place in one}) == 8
    for server, data_dir, _, _ in told:
        assert server == f"{data_dir}/postgres"
        until(lambda folder=Path(data_dir): not folder.exists(), timeout_s=60, what=f"{data_dir} is removed")


def test_no_two_workers_are_given_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
    given: list[set[int]] = []
    for worker in ("gw0", "gw1", "gw2"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        given.append({free_port() for _ in range(20)})
    assert [len(ports) for ports in given] == [20, 20, 20]
    assert len({(port // 2 % 3, number) for number, ports in enumerate(given) for port in ports}) == 3
