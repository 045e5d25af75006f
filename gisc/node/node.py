"""The node: start all its processes in the foreground, supervise them, and stop them.

`run` prepares the data directory, the embedded servers and the database, then supervises gunicorn, a Celery
worker, Celery beat and the embedded servers with the package `supervisor`, inside this process. No child
outlives it: each asks the kernel for a signal at its parent's death. Each child also has a shared file lock, by which
the next start sees whether all have ended. No domain rule is here.
"""

import http.client
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection, connections
from supervisor import loggers
from supervisor.medusa import asyncore_25 as asyncore
from supervisor.options import ServerOptions
from supervisor.supervisord import Supervisor

from catalogue import bootstrap, seams
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from gisc import administrator, database, embedded, env, file_locks
from gisc.node import keeper
from gisc.node.watchdog import Watchdog
from gisc.node.worker import die_with_parent

logger = logging.getLogger(__name__)

# A stop ends web server, worker and beat together, then the embedded servers: 6 s and 2 s at worst.
_STOP_WAIT_S = 6
# Longer than any child of a killed node takes to end.
_LEFTOVERS_S = 15
_NOT_READY_WARNING_S = 60


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the node prints when it is ready. `password`: the generated one, at the first start only."""

    password: str | None
    is_empty: bool

    def text(self) -> str:
        address = f"http://{_reachable_host()}:{settings.PORT}"
        account = f"user {administrator.NAME}" + (
            f", password {self.password} (shown this once)" if self.password else ""
        )
        lines = [
            f"{settings.GISC_NAME} is ready.",
            f"  catalogue       {address}/",
            f"  OAI-PMH         {address}/oai?verb=Identify",
            f"  administration  {address}/admin/  {account}",
        ]
        if address != settings.GISC_BASE_URL:
            lines.append(f"  published as    {settings.GISC_BASE_URL}/")
        if self.is_empty:
            lines += [
                "The catalogue is empty. To load the sample records, or records of your own, in another terminal:",
                f"  {shlex.quote(sys.executable)} manage.py ingest {_samples().relative_to(settings.BASE_DIR)}",
            ]
        return "\n".join(lines)


def run() -> None:
    """Run the node until it is stopped. Raises ImproperlyConfigured or ServerFailed."""
    data_dir: Path = settings.GISC_DATA_DIR
    embedded.prepare(data_dir)
    node_lock = file_locks.FileLock(data_dir / "node.lock")
    with ExitStack() as stack:
        stack.callback(node_lock.release)
        _lock_data_dir(node_lock)
        _await_children_of_a_killed_node(data_dir)
        _check_port()
        if settings.GISC_EMBEDDED_DATABASE:
            stack.enter_context(embedded.database(data_dir))
        stack.callback(connections.close_all)
        connection.ensure_connection()
        database.prepare()
        password = _create_administrator()
        _load_samples()
        welcome = Welcome(password=password, is_empty=not Record.objects.exists())
        connections.close_all()
        _collect_metrics_in(data_dir / "metrics")
        _supervise(welcome)


# --- Before the start -------------------------------------------------------------------------------


def _lock_data_dir(node_lock: file_locks.FileLock) -> None:
    try:
        node_lock.acquire()
    except file_locks.LockTaken as exc:
        raise ImproperlyConfigured(
            f"the data directory {settings.GISC_DATA_DIR} is in use by {_owner(node_lock.path)}; "
            "stop that node, or name another directory in GISC_DATA_DIR and another port in PORT"
        ) from exc
    now = seams.now().strftime("%Y-%m-%d %H:%M:%S UTC")
    node_lock.write_owner(f"process {os.getpid()} ({shlex.join(sys.argv)}), since {now}\n")


def _owner(lock_file: Path) -> str:
    return lock_file.read_text(encoding="utf-8").strip() or "another node"


def _await_children_of_a_killed_node(data_dir: Path) -> None:
    children_lock = file_locks.FileLock(_children_lock_file(data_dir))
    try:
        children_lock.acquire(wait_s=_LEFTOVERS_S)
    except file_locks.LockTaken as exc:
        raise ImproperlyConfigured(
            f"processes of a node that was killed still run in the data directory {data_dir}; "
            f"wait for them to end, or end them (fuser {_children_lock_file(data_dir)} lists them)"
        ) from exc
    children_lock.release()


def _children_lock_file(data_dir: Path) -> Path:
    return data_dir / "node.children"


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
        raise ImproperlyConfigured(
            f"the web server cannot listen on HOST {settings.HOST}, PORT {settings.PORT} ({exc.strerror}); "
            "set PORT to a free port, or stop what uses this one"
        ) from exc


def _create_administrator() -> str | None:
    """Create the administrator at the first start; return the password if it was generated."""
    outcome, generated_password = administrator.create_first(generate_password=True)
    if outcome is administrator.AccountOutcome.CREATED:
        logger.info("administrator created", extra={"user": administrator.NAME})
    return generated_password


def _samples() -> Path:
    """Return the folder of this node's sample records, or else of those that any node can use."""
    own = SAMPLES / settings.GISC_NAME
    return own if own.is_dir() else SAMPLES / "WIS-GISC-TOKYO"


def _load_samples() -> None:
    """Load the sample records into an empty catalogue if SAMPLES=1. A catalogue with tombstones is not empty."""
    samples = env.text("SAMPLES", "0")
    if samples not in ("0", "1"):
        raise ImproperlyConfigured(f"SAMPLES is {samples!r}; write 1 to load the sample records, or leave it out")
    if samples == "1" and not Record.objects.exists():
        call_command("ingest", str(_samples()), set=bootstrap.own_set().spec)


def _collect_metrics_in(folder: Path) -> None:
    """Have all processes write their counters into one directory, so that /metrics has the sum."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


# --- The processes ----------------------------------------------------------------------------------


def _programs() -> dict[str, list[list[str]]]:
    """Return the programs of the node by supervisor group: name and command of each."""
    python = sys.executable
    celery = [python, "-m", "celery", "-q", "-A", "gisc.node.worker"]
    return {
        "servers": [
            *([["postgres", python, "-m", "gisc.node.keeper"]] if settings.GISC_EMBEDDED_DATABASE else []),
            *([["redis", *embedded.redis_command(settings.GISC_DATA_DIR)]] if settings.GISC_EMBEDDED_REDIS else []),
        ],
        "node": [
            ["web", python, "-m", "gunicorn", "-c", "python:gisc.gunicorn_conf", "gisc.wsgi"],
            [
                "worker",
                *celery,
                "worker",
                f"--hostname={settings.GISC_NAME}-{settings.PORT}@%h",
                f"--concurrency={settings.GISC_HARVEST_WORKERS}",
                "--without-gossip",
                "--without-mingle",
            ],
            ["beat", *celery, "beat", "--pidfile="],
        ],
    }


def _write_configuration(file: Path) -> None:
    """Write supervisor's configuration. It has no secrets: the children get them from the environment."""
    lines = [
        "; Written by gisc/node/node.py at each start.",
        "[supervisord]",
        "nodaemon = true",
        "nocleanup = true",
        "logfile = /dev/null",
        "logfile_maxbytes = 0",
        f"pidfile = {_escaped(str(file.with_suffix('.pid')))}",
    ]
    for priority, (group, programs) in enumerate(_programs().items(), start=1):
        if not programs:
            continue
        # Groups start in the order of rising priority and stop, one after the other, in the order of falling priority.
        lines += ["", f"[group:{group}]", f"programs = {','.join(name for name, *_ in programs)}"]
        lines += [f"priority = {priority}"]
        for name, *command in programs:
            lines += [
                "",
                f"[program:{name}]",
                f"command = {_escaped(shlex.join(command))}",
                f"directory = {_escaped(str(settings.BASE_DIR))}",
                'environment = PYTHONUNBUFFERED="1"',
                "autorestart = true",
                # A child that ends sooner is started again after a pause, which grows by one second each time.
                "startsecs = 5",
                "startretries = 1000000",
                "stopsignal = TERM",
                f"stopwaitsecs = {_STOP_WAIT_S}",
                "killasgroup = true",
                "redirect_stderr = true",
                "stdout_logfile = /dev/null",
                "stdout_logfile_maxbytes = 0",
            ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _supervise(welcome: Welcome) -> None:
    """Run the children until a signal stops the node and the last of them has ended."""
    configuration = settings.GISC_DATA_DIR / "supervisord.conf"
    _write_configuration(configuration)
    options = _Options(_children_lock_file(settings.GISC_DATA_DIR))
    options.realize(["-c", str(configuration)], doc=__doc__)
    options.first, options.test = True, False
    supervisor = _Supervisor(options, welcome)
    try:
        supervisor.main()
    except asyncore.ExitNow:
        logger.info("node stopped")
    finally:
        supervisor.print_password_if_pending()


class _Options(ServerOptions):  # type: ignore[misc]
    """Supervisor's options, with its log in ours, the output of children on our stdout, and no child that outlives us."""

    def __init__(self, children_lock_file: Path) -> None:
        super().__init__()
        self.children_lock_file = children_lock_file
        self.node_pid = os.getpid()

    def make_logger(self) -> None:
        self.logger = loggers.getLogger(self.loglevel)
        self.logger.addHandler(_LoggingHandler())

    def getLogger(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  (the name is supervisor's)
        """Send a child's output to our stdout; the file /dev/stdout cannot be opened if it is a socket."""
        output = loggers.getLogger(*args, **kwargs)
        output.addHandler(loggers.StreamHandler(sys.stdout.buffer))
        return output

    def setsignals(self) -> None:
        hangup = signal.getsignal(signal.SIGHUP)
        super().setsignals()
        if hangup is signal.SIG_IGN:  # started with nohup
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def execve(self, filename: str, argv: list[str], environment: dict[str, str]) -> NoReturn:
        """Replace this process, the forked child, by the child's program."""
        # On SIGTERM Celery waits for its task, without Redis for ever; a run that is cut off is resumed from its last page.
        kill = environment["SUPERVISOR_PROCESS_NAME"] == "worker"
        if environment["SUPERVISOR_PROCESS_NAME"] == "postgres":
            # Defer signals until the keeper handles them: else the server would not be stopped.
            signal.pthread_sigmask(signal.SIG_BLOCK, keeper.SIGNALS)
        die_with_parent(self.node_pid, signal.SIGKILL if kill else signal.SIGTERM)
        children_lock = file_locks.FileLock(self.children_lock_file)
        children_lock.acquire(shared=True, wait_s=None)
        children_lock.inherit()
        os.execve(filename, argv, environment)


class _LoggingHandler(loggers.Handler):  # type: ignore[misc]
    """Passes supervisor's messages to logging; the levels have the same numbers."""

    def emit(self, record: Any) -> None:
        logger.log(record.level, "%s", record.asdict()["message"])

    def reopen(self) -> None:
        """Do nothing: there is no file of supervisor's to reopen."""


class _Supervisor(Supervisor):  # type: ignore[misc]
    """Supervisor's supervisor, which also prints when the node is ready, and kills worker and beat if they hang."""

    def __init__(self, options: _Options, welcome: Welcome) -> None:
        super().__init__(options)
        self.welcome: Welcome | None = welcome
        self.warn_at: float | None = seams.monotonic() + _NOT_READY_WARNING_S
        self.last_check = seams.monotonic()
        self.watchdog = Watchdog(
            late_s=settings.GISC_CANARY_SECONDS, patience_s=4 * settings.GISC_BEAT_SECONDS, now=self.last_check
        )

    def tick(self, now: float | None = None) -> None:
        super().tick(now)
        if self.stopping:
            return
        if self.welcome is not None:
            self._print_welcome_if_ready()
        elif seams.monotonic() > self.last_check + settings.GISC_BEAT_SECONDS:
            self.last_check = seams.monotonic()
            _, answer = _readiness()
            if self.watchdog.must_restart(answer, self.last_check):
                self._kill_worker_and_beat()

    def _kill_worker_and_beat(self) -> None:
        """Kill worker and beat, whatever state they are in; the supervisor starts them again."""
        logger.error("no scheduled task is executed; worker and beat are killed and started again")
        for name in ("worker", "beat"):
            if pid := self.process_groups["node"].processes[name].pid:
                os.kill(pid, signal.SIGKILL)

    def _print_welcome_if_ready(self) -> None:
        status, answer = _readiness()
        if status == 200:
            assert self.welcome is not None
            print(self.welcome.text(), flush=True)
            self.welcome = None
        elif self.warn_at is not None and seams.monotonic() > self.warn_at:
            logger.warning("node not ready yet", extra={"answer": answer, "after_s": _NOT_READY_WARNING_S})
            self.warn_at = None

    def print_password_if_pending(self) -> None:
        """Print the password if the node is stopped before it was ready: it cannot be read anywhere later."""
        if self.welcome is not None and self.welcome.password:
            print(f"The password of the administrator {administrator.NAME} is {self.welcome.password}", flush=True)


def _readiness() -> tuple[int, str]:
    """Return status and body of /health/ready; 0 and the reason if there is no answer."""
    # The Host header must be an allowed one, which the address that the node listens on need not be.
    name = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
    http_connection = http.client.HTTPConnection(_reachable_host(), settings.PORT, timeout=1)
    try:
        http_connection.request("GET", "/health/ready", headers={"Host": name})
        response = http_connection.getresponse()
        return response.status, response.read(10_000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as exc:
        return 0, str(exc)
    finally:
        http_connection.close()


def _reachable_host() -> str:
    """Return an address of this machine at which a server that listens on HOST answers."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)
