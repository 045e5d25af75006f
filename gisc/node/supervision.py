"""The supervisor of a node: the package `supervisor`, run inside this process, with a watch over hanging children."""

import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any, NoReturn

from django.conf import settings
from supervisor import loggers
from supervisor.medusa import asyncore_25 as asyncore
from supervisor.options import ServerOptions
from supervisor.states import ProcessStates
from supervisor.supervisord import Supervisor

from catalogue import seams
from gisc import embedded, installation, language
from gisc.node import children, keeper, processes, readiness
from gisc.node.watchdog import StandIn, Watchdog
from gisc.node.welcome import Welcome
from gisc.node.worker import die_with_parent

logger = logging.getLogger(__name__)

LOG = "supervisor.log"  # in the data directory: which processes were started and stopped
_LINE = "%(asctime)s %(levelname)s %(message)s\n"
_LOG_BYTES = 1_000_000
_NOT_READY_WARNING_S = 60
# Chosen. Whatever children write wakes the supervisor, and while Redis is away the web server writes a line with each answer.
_READY_CHECK_S = 1
_ANSWER_S = 4  # chosen: while Redis hangs, the answer takes 2 s; nothing else is done meanwhile


def supervise(welcome: Welcome) -> None:
    """Run the children until a signal stops the node and the last of them has ended."""
    configuration = settings.GISC_DATA_DIR / "supervisord.conf"
    processes.write_configuration(configuration)
    options = _Options()
    options.realize(["-c", str(configuration)], doc=__doc__)
    options.first, options.test = True, False
    try:
        _Supervisor(options, welcome).main()
    except asyncore.ExitNow:
        logger.info("node stopped")


class _Options(ServerOptions):  # type: ignore[misc]
    """Supervisor's options, with its log in ours, the output of children on our stdout, and no child that outlives us."""

    def __init__(self) -> None:
        super().__init__()
        self.node_pid = os.getpid()

    def make_logger(self) -> None:
        self.logger = loggers.getLogger(self.loglevel)
        handler = _LoggingHandler()
        if not settings.LOG_JSON:  # a person looks on: what is in order goes to a file
            handler.setLevel(loggers.LevelsByName.WARN)
            file = _FileHandler(str(settings.GISC_DATA_DIR / LOG), maxBytes=_LOG_BYTES, backupCount=1)
            file.setFormat(_LINE)
            file.setLevel(self.loglevel)
            self.logger.addHandler(file)
        self.logger.addHandler(handler)

    def getLogger(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802  (the name is supervisor's)
        """Send a child's output to our stdout; the file /dev/stdout cannot be opened if it is a socket."""
        output = loggers.getLogger(*args, **kwargs)
        output.addHandler(_OutputHandler(sys.stdout.buffer))
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
        children.share_lock(settings.GISC_DATA_DIR)
        os.execve(filename, argv, environment)


class _OutputHandler(loggers.StreamHandler):  # type: ignore[misc]
    """Writes to our stdout. A line for which there is no room is lost: an error would end the node, as stderr has no room either."""

    def handleError(self) -> None:  # noqa: N802  (the name is supervisor's)
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError()


class _FileHandler(loggers.RotatingFileHandler):  # type: ignore[misc]
    """Writes supervisor's own log, and loses lines in the same way."""

    def emit(self, record: Any) -> None:
        with suppress(OSError):  # of the beginning of a new file, too
            super().emit(record)

    def handleError(self) -> None:  # noqa: N802  (the name is supervisor's)
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError()


class _LoggingHandler(loggers.Handler):  # type: ignore[misc]
    """Passes supervisor's messages to logging; the levels have the same numbers."""

    def emit(self, record: Any) -> None:
        logger.log(record.level, "%s", record.asdict()["message"])

    def reopen(self) -> None:
        """Do nothing: there is no file of supervisor's to reopen."""


class _Supervisor(Supervisor):  # type: ignore[misc]
    """Supervisor's supervisor, which also prints when the node is ready, and mends what cannot mend itself."""

    def __init__(self, options: _Options, welcome: Welcome) -> None:
        super().__init__(options)
        self.welcome: Welcome | None = welcome
        self.ended_redis: int | None = None  # the last one that was ended, until it is reaped
        self.last_check = seams.monotonic()
        self.ask_at, self.warn_at = self.last_check, self.last_check + _NOT_READY_WARNING_S
        self.watchdog = Watchdog(
            late_s=settings.GISC_CANARY_SECONDS, patience_s=4 * settings.GISC_BEAT_SECONDS, now=self.last_check
        )
        self.stand_in = StandIn(every_s=settings.GISC_ALERT_SETTLE_SECONDS)

    def tick(self, now: float | None = None) -> None:
        super().tick(now)
        if self.stopping:
            return
        if settings.GISC_EMBEDDED_REDIS:
            self._restart_redis_without_socket()
        if self.welcome is not None and seams.monotonic() >= self.ask_at:
            self._print_welcome_if_ready()
        if seams.monotonic() > self.last_check + settings.GISC_BEAT_SECONDS:
            self.last_check = seams.monotonic()
            _, answer = readiness.ask(_ANSWER_S)
            if self.watchdog.must_restart(answer, self.last_check):
                self._kill_worker_and_beat()
            if self.stand_in.must_tick(answer, self.last_check):
                self._send_alerts()

    def _restart_redis_without_socket(self) -> None:
        """End a Redis whose socket was removed, which nobody can reach; the supervisor starts it again."""
        redis = self.process_groups["servers"].processes["redis"]
        is_up = redis.get_state() == ProcessStates.RUNNING and redis.pid != self.ended_redis
        if not is_up or embedded.has_socket(settings.GISC_DATA_DIR):
            return
        embedded.redis_command(settings.GISC_DATA_DIR)  # makes the directory of the socket, should it be gone too
        logger.warning("embedded Redis is started again: its socket was removed")
        self.ended_redis = redis.pid
        os.kill(redis.pid, signal.SIGKILL)

    def _kill_worker_and_beat(self) -> None:
        """Kill worker and beat, whatever state they are in; the supervisor starts them again."""
        logger.error("a scheduler tick is too late; worker and beat are killed and started again")
        for name in ("worker", "beat"):
            if pid := self.process_groups["node"].processes[name].pid:
                os.kill(pid, signal.SIGKILL)

    def _send_alerts(self) -> None:
        """Start a process that does what the worker would do: find what has begun or is over, and send it."""
        logger.warning("worker, beat or Redis does not run; alerts are sent without them")
        command = installation.command("alerts", "tick")
        seams.start_program(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def _print_welcome_if_ready(self) -> None:
        status, answer = readiness.ask()
        if readiness.is_complete(status, answer):
            assert self.welcome is not None
            with language.for_people():
                print(self.welcome.text(), flush=True)
            self.welcome = None
            return
        self.ask_at = seams.monotonic() + _READY_CHECK_S
        if seams.monotonic() > self.warn_at:
            logger.warning("node not ready yet", extra={"reason": readiness.why_incomplete(answer)})
            self.warn_at = seams.monotonic() + _NOT_READY_WARNING_S
