"""The node: all its processes in the foreground, from an empty directory to a clean stop.

`run` prepares the data directory, the embedded servers and the database, then supervises gunicorn, a Celery
worker, Celery beat and the embedded servers with the package `supervisor`, inside this process. No child
outlives it: each asks the kernel for a signal at its parent's death, and holds a file lock by which the next
start sees that all have gone. Holds no domain rule.
"""

import http.client
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
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

from catalogue import bootstrap
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from gisc import administrator, database, embedded, env, file_locks
from gisc.node import keeper
from gisc.node.watchdog import Watchdog
from gisc.node.worker import die_with_parent

logger = logging.getLogger(__name__)

# A stop takes the web server and the workers together, then the servers under them: 6 s and 2 s at worst.
_STOP_WAIT_S = 6
# Longer than any child of a killed node takes to go.
_LEFTOVERS_S = 15
_LATE_S = 60


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the operator is told when the node is ready. `password` is the made-up one, at the first start only."""

    password: str | None
    empty: bool

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
        if self.empty:
            lines += [
                "The catalogue is empty. To load the sample records, or records of your own, in another terminal:",
                f"  {shlex.quote(sys.executable)} manage.py ingest {_samples().relative_to(settings.BASE_DIR)}",
            ]
        return "\n".join(lines)


def run() -> None:
    """Start the node and return when it has been stopped. Raises ImproperlyConfigured or ServerFailed."""
    data_dir: Path = settings.GISC_DATA_DIR
    embedded.prepare(data_dir)
    holder = file_locks.FileLock(data_dir / "node.lock")
    with ExitStack() as stack:
        stack.callback(holder.drop)
        _take_data_dir(holder)
        _await_children_of_a_killed_node(data_dir)
        _check_port()
        if settings.GISC_EMBEDDED_DATABASE:
            stack.enter_context(embedded.database(data_dir))
        stack.callback(connections.close_all)
        connection.ensure_connection()
        database.prepare()
        password = _create_administrator()
        _load_samples()
        welcome = Welcome(password=password, empty=not Record.objects.exists())
        connections.close_all()
        _collect_metrics_in(data_dir / "metrics")
        _supervise(welcome)


# --- Before the start -------------------------------------------------------------------------------


def _take_data_dir(holder: file_locks.FileLock) -> None:
    try:
        holder.take()
    except file_locks.Taken as exc:
        raise ImproperlyConfigured(
            f"the data directory {settings.GISC_DATA_DIR} is in use by {_holder(holder.path)}; "
            "stop that node, or name another directory in GISC_DATA_DIR and another port in PORT"
        ) from exc
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    holder.note(f"process {os.getpid()} ({shlex.join(sys.argv)}), since {now}\n")


def _holder(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() or "another node"


def _await_children_of_a_killed_node(data_dir: Path) -> None:
    children = file_locks.FileLock(_children_lock(data_dir))
    try:
        children.take(wait_s=_LEFTOVERS_S)
    except file_locks.Taken as exc:
        raise ImproperlyConfigured(
            f"processes of a node that was killed still work in the data directory {data_dir}; "
            f"wait for them to end, or end them (fuser {_children_lock(data_dir)} lists them)"
        ) from exc
    children.drop()


def _children_lock(data_dir: Path) -> Path:
    return data_dir / "node.children"


def _check_port() -> None:
    """Find out now, and in a sentence, what gunicorn would find out later and try five times."""
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
    """At the first start, create the administrator; the password if it was made up."""
    outcome, made_up = administrator.create_first(make_up=True)
    if outcome is administrator.Outcome.CREATED:
        logger.info("administrator created", extra={"user": administrator.NAME})
    return made_up


def _samples() -> Path:
    """The sample records made for this node, or those that any node may take for its own."""
    folder = SAMPLES
    own = folder / settings.GISC_NAME
    return own if own.is_dir() else folder / "WIS-GISC-TOKYO"


def _load_samples() -> None:
    """With SAMPLES=1, put the sample records into an empty catalogue. One that has tombstones is not empty."""
    wanted = env.text("SAMPLES", "0")
    if wanted not in ("0", "1"):
        raise ImproperlyConfigured(f"SAMPLES is {wanted!r}; write 1 to load the sample records, or leave it out")
    if wanted == "1" and not Record.objects.exists():
        call_command("ingest", str(_samples()), set=bootstrap.own_set().spec)


def _collect_metrics_in(folder: Path) -> None:
    """Have the processes count into files of one directory, so that /metrics tells of all of them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


# --- The processes ----------------------------------------------------------------------------------


def _programs() -> dict[str, list[list[str]]]:
    """The commands of the node, by supervisor group and in the order of their names."""
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
    """Write what supervisor reads. It holds no secret: the children get theirs from the environment."""
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
        # Groups start by rising priority and stop, one after the other, by falling priority.
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
                # A child that lives for less is started again after a pause, one second longer each time.
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
    """Run the children until a signal asks for the end, and until the last of them has ended."""
    configuration = settings.GISC_DATA_DIR / "supervisord.conf"
    _write_configuration(configuration)
    options = _Options(_children_lock(settings.GISC_DATA_DIR))
    options.realize(["-c", str(configuration)], doc=__doc__)
    options.first, options.test = True, False
    supervisor = _Supervisor(options, welcome)
    try:
        supervisor.main()
    except asyncore.ExitNow:
        logger.info("node stopped")
    finally:
        supervisor.tell_password()


class _Options(ServerOptions):  # type: ignore[misc]
    """Supervisor's, with its log in ours, its children's output on our stdout, and no child that outlives us."""

    def __init__(self, children: Path) -> None:
        super().__init__()
        self.children = children
        self.node = os.getpid()

    def make_logger(self) -> None:
        self.logger = loggers.getLogger(self.loglevel)
        self.logger.addHandler(_ToOurLog())

    def getLogger(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  (the name is supervisor's)
        """The log of a child's output. Not a file: /dev/stdout cannot be opened where it is a socket."""
        output = loggers.getLogger(*args, **kwargs)
        output.addHandler(loggers.StreamHandler(sys.stdout.buffer))
        return output

    def setsignals(self) -> None:
        hangup = signal.getsignal(signal.SIGHUP)
        super().setsignals()
        if hangup is signal.SIG_IGN:  # started with nohup
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def execve(self, filename: str, argv: list[str], environment: dict[str, str]) -> NoReturn:
        """Become the child's program. Runs in the child, which is still a copy of the node."""
        # Celery waits for its task, and without Redis for ever; a run that is cut off goes on from its last page.
        kill = environment["SUPERVISOR_PROCESS_NAME"] == "worker"
        if environment["SUPERVISOR_PROCESS_NAME"] == "postgres":
            # A signal that comes before the keeper can obey it waits: else nobody would stop the server.
            signal.pthread_sigmask(signal.SIG_BLOCK, keeper.SIGNALS)
        die_with_parent(self.node, signal.SIGKILL if kill else signal.SIGTERM)
        family = file_locks.FileLock(self.children)
        family.take(shared=True, wait_s=None)
        family.inherit()
        os.execve(filename, argv, environment)


class _ToOurLog(loggers.Handler):  # type: ignore[misc]
    """Passes supervisor's messages to logging; the levels have the same numbers."""

    def emit(self, record: Any) -> None:
        logger.log(record.level, "%s", record.asdict()["message"])

    def reopen(self) -> None:
        """Nothing to reopen: logging has the file."""


class _Supervisor(Supervisor):  # type: ignore[misc]
    """Supervisor's, which says when the node is ready, and kills worker and beat when they hang."""

    def __init__(self, options: _Options, welcome: Welcome) -> None:
        super().__init__(options)
        self.welcome: Welcome | None = welcome
        self.late_at: float | None = time.monotonic() + _LATE_S
        self.asked = time.monotonic()
        self.watchdog = Watchdog(
            late_s=settings.GISC_CANARY_SECONDS, patience_s=4 * settings.GISC_BEAT_SECONDS, now=self.asked
        )

    def tick(self, now: float | None = None) -> None:
        super().tick(now)
        if self.stopping:
            return
        if self.welcome is not None:
            self._welcome()
        elif time.monotonic() > self.asked + settings.GISC_BEAT_SECONDS:
            self.asked = time.monotonic()
            _, answer = _readiness()
            if self.watchdog.gives_up(answer, self.asked):
                self._kill_what_hangs()

    def _kill_what_hangs(self) -> None:
        """Kill worker and beat, stopped or spinning as they may be; what is killed is started again."""
        logger.error("no task comes through; worker and beat are killed and started again")
        for name in ("worker", "beat"):
            if pid := self.process_groups["node"].processes[name].pid:
                os.kill(pid, signal.SIGKILL)

    def _welcome(self) -> None:
        status, answer = _readiness()
        if status == 200:
            assert self.welcome is not None
            print(self.welcome.text(), flush=True)
            self.welcome = None
        elif self.late_at is not None and time.monotonic() > self.late_at:
            logger.warning("node not ready yet", extra={"answer": answer, "after_s": _LATE_S})
            self.late_at = None

    def tell_password(self) -> None:
        """A node stopped before it was ready has not told the password, and will not be able to later."""
        if self.welcome is not None and self.welcome.password:
            print(f"The password of the administrator {administrator.NAME} is {self.welcome.password}", flush=True)


def _readiness() -> tuple[int, str]:
    """Status and body of /health/ready; 0 and the reason when there is no answer."""
    # Asked under a name that the node answers to, which need not be the address it listens on.
    name = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
    link = http.client.HTTPConnection(_reachable_host(), settings.PORT, timeout=1)
    try:
        link.request("GET", "/health/ready", headers={"Host": name})
        response = link.getresponse()
        return response.status, response.read(10_000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as exc:
        return 0, str(exc)
    finally:
        link.close()


def _reachable_host() -> str:
    """An address of this machine at which a server on HOST answers."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)
