"""Run an uploaded stylesheet on a record where it can do no harm: in helper processes that are kept for the next one.

libxslt cannot be interrupted from Python, so a stylesheet that loops or swallows memory can only be stopped with its
process. A helper (`sandbox_child.py`) has limits of its own on processor time, memory and files; one that dies, or does
not answer in time, is replaced, and the record that it died of has failed. Measured with the shipped stylesheet and
samples: the first record takes 0.04 s, which starts the helper; then one of 12,000 bytes takes 0.58 ms, and 0.53 ms where
it is done in this process. No Django.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from oaiprovider.formats import sandbox_child
from oaiprovider.formats.stylesheet import Stylesheet

MEMORY = 512 * 1024 * 1024  # chosen: the tree of a record of 10 MB fits
CPU_S = 2.0  # chosen: a hundred times what a large record takes
WALL_S = 20.0  # chosen: on a machine that has better things to do
KEPT = 2  # helpers that a process keeps when they are idle
USES = 1000  # chosen: then a helper is replaced, before what libraries leak comes near its limit


class Failed(Exception):
    """This record cannot be given in this format; the text is the end of a sentence that says why."""


class Unusable(Failed):
    """No record can: the stylesheet does not compile."""


class Busy(Exception):
    """Whether the record can be given is not known: the machine was too slow, or ended the helper. Ask again later."""


class _Helper:
    """One helper process, and the stylesheet that it has compiled."""

    def __init__(self) -> None:
        self.stylesheet: Stylesheet | None = None
        self.uses = 0
        self.asked = False  # and has not answered: whoever asks next would get that answer
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-B", str(Path(sandbox_child.__file__)), str(MEMORY), str(CPU_S)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={},  # no secret is handed on
                cwd="/",
            )
        except OSError as exc:
            raise Busy(f"a helper cannot be started: {exc}") from exc
        try:
            self._read(len(sandbox_child.READY), time.monotonic() + WALL_S)
        except (OSError, TimeoutError) as exc:
            self.close()
            raise Busy(f"a helper ended as it started, with status {self.process.returncode}") from exc

    def ask(self, stylesheet: Stylesheet, payload: bytes, identifier: str) -> bytes:
        """The record in the format. Raises Failed or Busy."""
        self.uses += 1
        self.asked = True
        head = b""
        if stylesheet != self.stylesheet:
            said = {"text": stylesheet.text.decode(), "namespace": stylesheet.namespace, "schema": stylesheet.schema}
            head = json.dumps(said).encode()
        name = identifier.encode()
        deadline = time.monotonic() + WALL_S
        try:
            self._write(sandbox_child.REQUEST.pack(len(head), len(name), len(payload)) + head + name + payload)
            kind, length = sandbox_child.ANSWER.unpack(self._read(sandbox_child.ANSWER.size, deadline))
            answer = self._read(length, deadline)
        except (OSError, TimeoutError) as exc:
            raise self._death(exc) from exc
        self.stylesheet = stylesheet
        self.asked = False
        if kind == sandbox_child.MADE:
            return answer
        raise (Unusable if kind == sandbox_child.STYLESHEET_FAILED else Failed)(answer.decode(errors="replace"))

    def _write(self, data: bytes) -> None:
        # A helper always reads a request to its end before it does anything else.
        view = memoryview(data)
        while view:
            view = view[os.write(self._in, view) :]

    def _read(self, size: int, deadline: float) -> bytes:
        if size > sandbox_child.MAX_OUTPUT:
            raise OSError("too long an answer")
        parts = []
        while size:
            left = deadline - time.monotonic()
            waiting = select.poll()
            waiting.register(self._out, select.POLLIN)
            if left <= 0 or not waiting.poll(left * 1000):
                raise TimeoutError
            part = os.read(self._out, min(size, 1 << 20))
            if not part:
                raise OSError("the helper is gone")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    @property
    def _in(self) -> int:
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    @property
    def _out(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def _death(self, why: Exception) -> Exception:
        """End the process, and say what it died of: of the record it had, or of something else."""
        self.stylesheet = None
        self.close()
        if isinstance(why, TimeoutError):
            return Busy(f"a helper did not answer within {WALL_S:g} s")
        if self.process.returncode == -signal.SIGKILL:  # as the kernel does when memory is short
            return Busy("a helper was killed")
        if self.process.returncode == -signal.SIGPROF:
            return Failed(f"takes longer than {CPU_S:g} s of processor time")
        return Failed(f"needs more than {MEMORY >> 20} MB of memory, or breaks the process that it runs in")

    def close(self) -> None:
        """End the process, which may be dead already."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    @property
    def alive(self) -> bool:
        return not self.asked and self.process.returncode is None and self.process.poll() is None


_idle: list[_Helper] = []
_lock = threading.Lock()


def transform(stylesheet: Stylesheet, payload: bytes, identifier: str) -> bytes:
    """The record as the stylesheet makes it: the bytes of one element in its namespace.

    Raises Failed, Unusable or Busy.
    """
    helper = _take(stylesheet)
    try:
        return helper.ask(stylesheet, payload, identifier)
    except Failed:
        if helper.uses == 1:
            raise
        helper.close()  # a failure is believed of a new helper only: it may have been what this one had before
        helper = _Helper()
        return helper.ask(stylesheet, payload, identifier)
    finally:
        _give_back(helper)


def _take(stylesheet: Stylesheet) -> _Helper:
    """A helper that has this stylesheet, else any, else a new one."""
    with _lock:
        for dead in [helper for helper in _idle if not helper.alive]:
            _idle.remove(dead)
            dead.close()
        for helper in _idle:
            if helper.stylesheet == stylesheet:
                _idle.remove(helper)
                return helper
        if len(_idle) == KEPT:
            return _idle.pop(0)
    return _Helper()


def _give_back(helper: _Helper) -> None:
    with _lock:
        if helper.alive and helper.uses < USES and len(_idle) < KEPT:
            _idle.append(helper)
            return
    helper.close()


def close() -> None:
    """End the helpers that wait for work."""
    with _lock:
        helpers = list(_idle)
        _idle.clear()
    for helper in helpers:
        helper.close()


def _forget() -> None:
    """A child of this process must not talk to its parent's helpers."""
    global _lock
    _lock = threading.Lock()
    for helper in _idle:
        for pipe in (helper.process.stdin, helper.process.stdout):
            if pipe is not None:
                pipe.close()
        helper.process.returncode = 0  # not this process's child
    _idle.clear()


atexit.register(close)
os.register_at_fork(after_in_child=_forget)
