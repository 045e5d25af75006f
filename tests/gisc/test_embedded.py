"""The embedded servers: started once, stopped by the last who needs them, whatever happened before."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import dj_database_url
import psycopg2
import pytest
import redis
from django.core.exceptions import ImproperlyConfigured

from gisc import embedded
from gisc.embedded import postgres_server, reserved_room
from tests.support.nodes import environment
from tests.support.paths import ROOT
from tests.support.serving import answers
from tests.support.waiting import until

ASK = "SELECT current_database(), lower('É'), to_tsvector('simple', 'ÄRGER')::text"
HOLD = """
import sys
from pathlib import Path
from gisc import embedded
with embedded.database(Path(sys.argv[1]), durable=False):
    print("held", flush=True)
    sys.stdin.read()
"""


def ask(data_dir: Path) -> tuple[object, ...] | None:
    """What the embedded database answers under the URL that the settings use."""
    parts = dj_database_url.parse(embedded.database_url(data_dir))
    options = parts.get("OPTIONS", {})
    connection = psycopg2.connect(dbname=parts["NAME"], user=parts["USER"], **options)
    try:
        with connection.cursor() as cursor:
            cursor.execute(ASK)
            return cursor.fetchone()
    finally:
        connection.close()


def holder(data_dir: Path) -> subprocess.Popen[str]:
    """Another process that holds the embedded database until its stdin is closed."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_database_folds_the_letters_of_every_language_whatever_the_locale(tmp_path: Path) -> None:
    with embedded.database(tmp_path, durable=False):
        assert ask(tmp_path) == ("gisc", "é", "'ärger':1")
    assert not embedded.is_running(tmp_path)


def test_a_data_directory_with_a_long_and_odd_name_works(tmp_path: Path) -> None:
    data_dir = tmp_path / "Ein Ort für 'Daten', 100 % lang" / ("x" * 80)
    before = embedded.database_url(data_dir)
    with embedded.database(data_dir, durable=False):
        assert embedded.database_url(data_dir) == before
        assert ask(data_dir)
    server = subprocess.Popen(embedded.redis_command(data_dir))
    try:
        with redis.Redis.from_url(embedded.redis_url(data_dir)) as client:
            until(lambda: answers(client), timeout_s=60, what="Redis answers")
    finally:
        server.terminate()
        server.wait(10)
        Path(server.args[server.args.index("--unixsocket") + 1]).parent.rmdir()


def test_many_processes_start_it_once_and_the_last_one_stops_it(tmp_path: Path) -> None:
    holders = [holder(tmp_path) for _ in range(4)]
    for process in holders:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
    for process in holders:
        assert embedded.is_running(tmp_path)
        process.communicate()
        assert process.returncode == 0
    assert not embedded.is_running(tmp_path)


def test_a_holder_that_was_killed_does_not_keep_it_running_for_ever(tmp_path: Path) -> None:
    process = holder(tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert embedded.is_running(tmp_path)
    with embedded.database(tmp_path):
        assert ask(tmp_path)
    assert not embedded.is_running(tmp_path)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.iterdir())}


def test_keys_and_folder_are_the_owners_alone_whatever_the_umask_is(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from gisc import embedded; os.umask(0); folder = Path(sys.argv[1]); "
        "embedded.secret_key(folder); embedded.rotate_key(folder)"
    )
    folder = tmp_path / "data"
    subprocess.run([sys.executable, "-c", program, str(folder)], cwd=ROOT, env=environment(), check=True)
    assert modes(folder) == {"data": 0o700, "secret_key": 0o600, "secret_key_fallbacks": 0o600}


def test_rights_of_others_are_taken_once_and_no_link_is_followed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    for each in (folder, elsewhere, folder / "uploads"):
        each.mkdir()
        each.chmod(0o777)
    (folder / "secret_key").touch(mode=0o600)
    (folder / "secret_key").chmod(0o664)
    (folder / "run").symlink_to(elsewhere)
    embedded.restrict(folder)
    passing = 0o011 if os.geteuid() == 0 else 0
    assert modes(folder) | {"run": 0} == {"data": 0o700 | passing, "uploads": 0o700, "secret_key": 0o600, "run": 0}
    assert modes(elsewhere) == {"elsewhere": 0o777}
    (record,) = caplog.records
    assert record.paths.split(", ")[0] == str(folder) and len(record.paths.split(", ")) == 3
    embedded.restrict(folder)
    assert len(caplog.records) == 1


def test_files_of_the_node_are_not_for_strangers(tmp_path: Path) -> None:
    """A umask that is stricter stays."""
    program = "import os, sys; from gisc import file_modes; os.umask(int(sys.argv[1], 8)); file_modes.keep_from_strangers(); print(oct(os.umask(0)))"
    told = [
        subprocess.run(
            [sys.executable, "-c", program, before],
            cwd=ROOT,
            env=environment(),
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for before in ("0", "022", "077")
    ]
    assert told == ["0o27", "0o27", "0o77"]


def test_a_pid_file_whose_number_another_program_has_is_no_obstacle(tmp_path: Path) -> None:
    with embedded.database(tmp_path, durable=False):
        pid_file = tmp_path / "postgres" / "postmaster.pid"
        lines = pid_file.read_text(encoding="utf-8").splitlines()
    for file in (pid_file, pid_file.with_name(".s.PGSQL.5432.lock")):
        file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n", encoding="utf-8")
    assert not embedded.is_running(tmp_path)
    with embedded.database(tmp_path, durable=False):
        assert ask(tmp_path)


def test_a_set_up_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    draft = tmp_path / "postgres.new"
    draft.mkdir()
    (draft / "PG_VERSION").write_text("18\n")
    with embedded.database(tmp_path, durable=False):
        assert ask(tmp_path)
    assert not draft.exists()


def test_a_server_that_does_not_start_names_its_log(tmp_path: Path) -> None:
    with embedded.database(tmp_path, durable=False):
        pass
    with (tmp_path / "postgres" / "postgresql.conf").open("a") as stream:
        stream.write("shared_buffers = 'a lot'\n")
    with (
        pytest.raises(embedded.ServerFailed, match=r"did not start; its log is .*server\.log; .*FATAL"),
        embedded.database(tmp_path),
    ):
        pass


@pytest.mark.parametrize(("gigabytes", "megabytes"), [(0.5, 256), (2, 256), (4, 512), (16, 2048), (256, 2048)])
def test_the_database_caches_an_eighth_of_the_memory_within_bounds(gigabytes: float, megabytes: int) -> None:
    assert postgres_server.buffers_mb(int(gigabytes * 2**30)) == megabytes


def test_the_secret_key_is_made_once_also_by_many_at_once(tmp_path: Path) -> None:
    program = "import sys, pathlib; from gisc import embedded; print(embedded.secret_key(pathlib.Path(sys.argv[1])))"
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    keys = {process.communicate()[0].strip() for process in processes}
    assert len(keys) == 1
    assert len(keys.pop()) >= 64
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_a_data_directory_below_a_file_is_refused_in_a_sentence() -> None:
    with pytest.raises(ImproperlyConfigured, match="GISC_DATA_DIR is '/dev/null/x', where nothing can be written"):
        embedded.prepare(Path("/dev/null/x"))


# --- Room for the database on a full disk -------------------------------------------------------------


def test_room_is_kept_once_and_given_once(tmp_path: Path) -> None:
    file, for_log = tmp_path / "reserved_room", tmp_path / "reserved_room_for_log"
    embedded.give_room(tmp_path)  # none is kept: nothing happens
    embedded.keep_room(tmp_path)
    kept = file.stat()
    assert kept.st_size == 1_000_000 <= kept.st_blocks * 512, "the blocks are taken, not promised"
    embedded.keep_room(tmp_path)
    assert file.stat().st_ino == kept.st_ino
    embedded.give_room(tmp_path)
    assert list(tmp_path.iterdir()) == [for_log]
    assert for_log.stat().st_size > 16 * 1024**2
    assert not reserved_room.give_room_for_log(tmp_path), "there is room without it"
