"""The node: start all its processes in the foreground, supervise them, and stop them.

`run` prepares the data directory, the embedded servers and the database, then supervises gunicorn, a Celery
worker, Celery beat and the embedded servers with the package `supervisor`, inside this process. No child
outlives it: each asks the kernel for a signal at its parent's death. Each child also has a shared file lock, by which
the next start sees whether all have ended. No domain rule is here.
"""

import hashlib
import logging
import os
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from catalogue import journal_state, seams
from catalogue.models import Record
from gisc import administrator, database, embedded, file_locks, file_modes, language, running_nodes
from gisc.early_texts import gettext
from gisc.node import children, samples, supervision
from gisc.node.welcome import Welcome

logger = logging.getLogger(__name__)

_PATHS = (
    "GISC_DATA_DIR",
    "GISC_JOURNAL_DIR",
    "GISC_BACKUP_DIR",
    "GISC_UPLOAD_DIR",
    "GISC_WATCH_FOLDER",
    "GISC_SCHEMA_DIR",
)
_MEMORY = Path("/dev/shm")  # of Linux; elsewhere the counters are on disk  # nosec B108


def run() -> None:
    """Run the node until it is stopped. Raises ImproperlyConfigured or ServerFailed."""
    data_dir: Path = settings.GISC_DATA_DIR
    _write_paths_in_full()
    file_modes.keep_from_strangers()
    embedded.prepare(data_dir)
    node_lock = file_locks.FileLock(data_dir / running_nodes.LOCK)
    with ExitStack() as stack:
        stack.callback(node_lock.release)
        _lock_data_dir(node_lock)
        embedded.restrict(data_dir)
        stack.enter_context(running_nodes.announced())
        children.await_end(data_dir)
        _check_port()
        if settings.GISC_EMBEDDED_DATABASE:
            _report(gettext("Starting the database ..."))
            stack.enter_context(embedded.database(data_dir))
        stack.callback(connections.close_all)
        connection.ensure_connection()
        _report(gettext("Preparing the catalogue ..."))
        with language.for_people():  # why it cannot be
            database.prepare()
        journal_state.check()
        password = _create_administrator()
        samples.load_if_wanted()
        welcome = Welcome(password=password, is_empty=not Record.objects.exists())
        connections.close_all()
        stack.enter_context(_metrics_folder(data_dir))
        _report(gettext("Starting web server, harvest workers and scheduler ..."))
        supervision.supervise(welcome)


def _write_paths_in_full() -> None:
    """Let the children, which start in the folder of the code, read the same paths from the environment as this process."""
    for name in _PATHS:
        if path := os.environ.get(name, "").strip():
            os.environ[name] = str(Path(path).resolve())


def _report(line: str) -> None:
    """Tell whoever waits at a terminal what goes on."""
    if not settings.LOG_JSON:
        print(line, flush=True)


def _lock_data_dir(node_lock: file_locks.FileLock) -> None:
    try:
        node_lock.acquire(wait_s=running_nodes.GLANCE_S)
    except file_locks.LockTaken as exc:
        sentence = gettext(
            "the data directory {folder} is in use by {owner}; "
            "stop that node, or name another directory in GISC_DATA_DIR and another port in PORT"
        )
        raise ImproperlyConfigured(
            sentence.format(folder=settings.GISC_DATA_DIR, owner=_owner(node_lock.path))
        ) from exc
    now = seams.now().strftime("%Y-%m-%d %H:%M:%S UTC")
    node_lock.write_owner(f"process {os.getpid()} ({shlex.join(sys.argv)}), since {now}\n")


def _owner(lock_file: Path) -> str:
    return lock_file.read_text(encoding="utf-8").strip() or gettext("another node")


def _check_port() -> None:
    """Raise ImproperlyConfigured if the port is in use; gunicorn would find this out later and retry."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.HOST, settings.PORT, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as exc:
        sentence = gettext(
            "the web server cannot listen on HOST {host}, PORT {port} ({reason}); "
            "set PORT to a free port, or stop what uses this one"
        )
        raise ImproperlyConfigured(
            sentence.format(host=settings.HOST, port=settings.PORT, reason=exc.strerror)
        ) from exc


def _create_administrator() -> str | None:
    """Create the administrator at the first start; return the password if it was generated."""
    with language.for_people():  # why a password is not taken
        outcome, generated_password = administrator.create_first(generate_password=True)
    if outcome is administrator.AccountOutcome.CREATED:
        logger.info("administrator created", extra={"user": administrator.NAME})
    return generated_password


@contextmanager
def _metrics_folder(data_dir: Path) -> Iterator[None]:
    """Have all processes write their counters into one folder, so that /metrics has the sum; remove it at the end.

    In memory if possible: the files are mapped, and where the disk is full a process that touches a new page of one is
    killed (SIGBUS), with all the requests that it answers.
    """
    on_disk = data_dir / "metrics"
    in_memory = _MEMORY / f"gisc-metrics-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]}"
    shutil.rmtree(on_disk, ignore_errors=True)
    shutil.rmtree(in_memory, ignore_errors=True)
    try:
        in_memory.mkdir(mode=0o700)  # fails if another account has made one
        folder = in_memory
    except OSError as exc:
        logger.warning("counters are on disk, not in memory", extra={"path": str(on_disk), "reason": str(exc)})
        on_disk.mkdir(mode=0o700)
        folder = on_disk
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
