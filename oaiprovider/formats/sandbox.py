"""Run an uploaded stylesheet on a record in a helper process that can do no harm. No Django.

libxslt cannot be interrupted from Python, so a stylesheet that loops or takes too much memory can only be stopped with
its process. A helper (`sandbox_child.py`) has limits on processor time, memory and files. A helper that dies or does
not answer in time is replaced, and the transformation of its record has failed. Idle helpers are reused. Measured with
the shipped stylesheet and samples: the first record takes 0.04 s, which starts the helper; then a record of 12,000
bytes takes 0.58 ms, against 0.53 ms in this process.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from catalogue import seams
from catalogue.limits import Replaceable
from catalogue.reasons import _, describe_error, gettext
from oaiprovider.formats import sandbox_child
from oaiprovider.formats.stylesheet import Stylesheet


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What a helper may use, for how long, and how many helpers there are."""

    memory: int = 512 * 1024 * 1024  # bytes; chosen: the tree of a record of 10 MB fits
    cpu_s: float = 2.0  # chosen: a hundred times what a large record takes
    wall_s: float = 20.0  # chosen: enough for `cpu_s` on a busy machine
    max_idle: int = 2  # idle helpers that a process keeps for reuse
    uses: int = 1000  # chosen: then a helper is replaced, before memory leaks of the libraries reach its limit


LIMITS = Replaceable(SandboxLimits())


class _Told(Exception):
    """An error whose sentence is made, in the language in force, when it is shown or logged."""

    def __init__(self, sentence: str, **facts: object) -> None:
        super().__init__(sentence, facts)
        self._sentence, self._facts = sentence, facts

    def __str__(self) -> str:
        return gettext(self._sentence).format_map(self._facts)


class TransformFailed(_Told):
    """This record cannot be transformed; the text is the end of a sentence that says why. `cpu_s`: what it took to find that out."""

    cpu_s = 0.0


class LibraryFailed(TransformFailed):
    """This record cannot be transformed; the text is what libxslt says."""


class StylesheetUnusable(TransformFailed):
    """No record can be transformed: the stylesheet does not compile."""


# The sentences of the codes that a helper answers with (`sandbox_child.py`).
_SENTENCES = {
    "library": "{text}",  # in the words of libxslt
    "library-silent": _("{error}, without a reason; perhaps there is no more memory"),
    "does-not-compile": _("does not compile"),
    "too-deep": _("is nested too deeply"),
    "no-element": _("makes no element"),
    "several-elements": _("makes more than one element, or text beside it"),
    "other-namespace": _("makes {name} in the namespace {namespace}, not in {expected}"),
    "no-namespace": _("makes {name} in the namespace (none), not in {expected}"),
    "too-long": _("makes {bytes:,} bytes, more than {limit:,}"),
    "not-well-formed": _("makes what is not well-formed XML: {error}"),
}


class SandboxBusy(_Told):
    """The result is unknown, because the machine was too slow or killed the helper. Try again later."""


class _Helper:
    """One helper process, and the stylesheet that it has compiled."""

    def __init__(self, limits: SandboxLimits) -> None:
        self.memory, self.cpu_s = limits.memory, limits.cpu_s  # what the kernel enforces on this process
        self.stylesheet: Stylesheet | None = None
        self.uses = 0
        self.answer_pending = False  # then the next request would read the answer to this one
        try:
            self.process = seams.start_program(
                [sys.executable, "-I", "-B", str(Path(sandbox_child.__file__)), str(self.memory), str(self.cpu_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={},  # no secrets for the child
                cwd="/",
            )
        except OSError as exc:
            raise SandboxBusy(_("a helper cannot be started: {reason}"), reason=describe_error(exc)) from exc
        try:
            self._read(len(sandbox_child.READY), seams.monotonic() + limits.wall_s)
        except (OSError, TimeoutError) as exc:
            self.close()
            status = self.process.returncode
            raise SandboxBusy(_("a helper ended as it started, with status {status}"), status=status) from exc

    def transform(self, stylesheet: Stylesheet, payload: bytes, identifier: str, wall_s: float) -> tuple[bytes, float]:
        """Have the helper transform the record within `wall_s`; also the processor time. Raises TransformFailed or SandboxBusy."""
        self.uses += 1
        self.answer_pending = True
        head = b""
        if stylesheet != self.stylesheet:
            fields = {"text": stylesheet.text.decode(), "namespace": stylesheet.namespace, "schema": stylesheet.schema}
            head = json.dumps(fields).encode()
        name = identifier.encode()
        deadline = seams.monotonic() + wall_s
        try:
            self._write(sandbox_child.REQUEST.pack(len(head), len(name), len(payload)) + head + name + payload)
            kind, cpu_s, length = sandbox_child.ANSWER.unpack(self._read(sandbox_child.ANSWER.size, deadline))
            answer = self._read(length, deadline)
        except (OSError, TimeoutError) as exc:
            raise self._cause_of_death(exc, wall_s) from exc
        self.stylesheet = stylesheet
        self.answer_pending = False
        if kind == sandbox_child.TRANSFORMED:
            return answer, cpu_s
        failure = self._failure(kind, answer)
        failure.cpu_s = cpu_s
        raise failure

    def _failure(self, kind: bytes, answer: bytes) -> TransformFailed:
        """Return why there is no result. A helper that a stylesheet has broken may answer anything."""
        try:
            code, facts = json.loads(answer)
            failure = _ERRORS[kind](_SENTENCES[code], **facts)
            str(failure)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return self._broken()
        return failure

    def _broken(self) -> TransformFailed:
        sentence = _("needs more than {limit_mb} MB of memory, or breaks the process that it runs in")
        return TransformFailed(sentence, limit_mb=self.memory >> 20)

    def _write(self, data: bytes) -> None:
        # This cannot block for long: a helper reads the whole request before anything else.
        view = memoryview(data)
        while view:
            view = view[os.write(self._in, view) :]

    def _read(self, size: int, deadline: float) -> bytes:
        if size > sandbox_child.MAX_OUTPUT:
            raise OSError("the answer is too long")
        parts = []
        while size:
            left = deadline - seams.monotonic()
            poll = select.poll()
            poll.register(self._out, select.POLLIN)
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeoutError
            part = os.read(self._out, min(size, 1 << 20))
            if not part:
                raise OSError("the helper has ended")
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

    def _cause_of_death(self, error: Exception, wall_s: float) -> Exception:
        """End the process; return TransformFailed if it died of its record, else SandboxBusy."""
        self.stylesheet = None
        self.close()
        if isinstance(error, TimeoutError):
            return SandboxBusy(_("a helper did not answer within {limit_s:g} s"), limit_s=wall_s)
        if self.process.returncode == -signal.SIGKILL:  # by the kernel, when memory is short
            return SandboxBusy(_("a helper was killed"))
        if self.process.returncode == -signal.SIGPROF:
            failure = TransformFailed(_("takes longer than {limit_s:g} s of processor time"), limit_s=self.cpu_s)
            failure.cpu_s = self.cpu_s
            return failure
        return self._broken()

    def close(self) -> None:
        """End the process if it still runs, and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    @property
    def alive(self) -> bool:
        return not self.answer_pending and self.process.returncode is None and self.process.poll() is None


_ERRORS = {
    sandbox_child.RECORD_FAILED: TransformFailed,
    sandbox_child.LIBRARY_FAILED: LibraryFailed,
    sandbox_child.STYLESHEET_FAILED: StylesheetUnusable,
}

_idle: list[_Helper] = []
_lock = seams.Lock()


def transform(stylesheet: Stylesheet, payload: bytes, identifier: str) -> bytes:
    """Transform the record with the stylesheet into the bytes of one element in its namespace.

    Raises TransformFailed, StylesheetUnusable or SandboxBusy.
    """
    return _transform(stylesheet, payload, identifier)[0]


def measure(stylesheet: Stylesheet, payload: bytes, identifier: str) -> tuple[float, TransformFailed | None]:
    """Transform a record; return the seconds of processor time, which are the same on a busy machine, and why there is no result.

    Raises StylesheetUnusable or SandboxBusy.
    """
    try:
        return _transform(stylesheet, payload, identifier)[1], None
    except StylesheetUnusable:
        raise
    except TransformFailed as exc:
        return exc.cpu_s, exc


def _transform(stylesheet: Stylesheet, payload: bytes, identifier: str) -> tuple[bytes, float]:
    limits = LIMITS.in_force
    helper = _take(stylesheet, limits)
    try:
        return helper.transform(stylesheet, payload, identifier, limits.wall_s)
    except TransformFailed:
        if helper.uses == 1:
            raise
        helper.close()  # an earlier record may be the cause of the failure, so try once more with a new helper
        helper = _Helper(limits)
        return helper.transform(stylesheet, payload, identifier, limits.wall_s)
    finally:
        _give_back(helper, limits)


def _take(stylesheet: Stylesheet, limits: SandboxLimits) -> _Helper:
    """Take an idle helper with this stylesheet, else start a new one, or take any if enough are idle."""
    with _lock:
        for dead in [helper for helper in _idle if not helper.alive]:
            _idle.remove(dead)
            dead.close()
        for helper in _idle:
            if helper.stylesheet == stylesheet:
                _idle.remove(helper)
                return helper
        if len(_idle) == limits.max_idle:
            return _idle.pop(0)
    return _Helper(limits)


def _give_back(helper: _Helper, limits: SandboxLimits) -> None:
    with _lock:
        if helper.alive and helper.uses < limits.uses and len(_idle) < limits.max_idle:
            _idle.append(helper)
            return
    helper.close()


def close() -> None:
    """End the idle helpers."""
    with _lock:
        helpers = list(_idle)
        _idle.clear()
    for helper in helpers:
        helper.close()


def _drop_inherited() -> None:
    """Drop the helpers in a forked child: they belong to its parent."""
    global _lock
    _lock = seams.Lock()
    for helper in _idle:
        for pipe in (helper.process.stdin, helper.process.stdout):
            if pipe is not None:
                pipe.close()
        helper.process.returncode = 0  # not this process's child
    _idle.clear()


atexit.register(close)
os.register_at_fork(after_in_child=_drop_inherited)
