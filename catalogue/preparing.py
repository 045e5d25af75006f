"""Documents read for the store, in this process or in many. lxml only, no Django.

The work that bulk loads spread over processes: parse, digest, extract. A process needs nothing but this module, and
never speaks to the database. Packing is left to who stores: zstd does it beside Python, in threads.
"""

import itertools
import multiprocessing
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from multiprocessing.process import AuthenticationString  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from catalogue import fields, metadata, prepared
from catalogue.prepared import Prepared, Unpacked


class Read(NamedTuple):
    """A document that was read. `element` is empty where the root element stands in the document as it is."""

    version: Unpacked
    start: int
    length: int
    element: bytes

    @property
    def key(self) -> str:
        return self.version.key

    def element_of(self, document: bytes) -> bytes:
        """The root element of the document that was read."""
        return self.element or document[self.start : self.start + self.length]


# What becomes of a document: a version to be packed, one that equals what is held, or why it cannot be stored.
Made = Read | Prepared | str

Provenance = Mapping[str, Any] | None

# The fileIdentifier as it mostly stands.
_IDENTIFIER = re.compile(rb"fileIdentifier[^<>]*>\s*<[^<>/]*>([^<&]*)<")
_GUESS_WITHIN_BYTES = 4096


def guess_identifier(document: bytes) -> str:
    """The identifier that the document probably has; empty if it is not where it mostly is. Never relied on."""
    found = _IDENTIFIER.search(document, 0, _GUESS_WITHIN_BYTES)
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


def read_all(
    documents: Sequence[bytes], held: Mapping[int, bytes], provenances: Sequence[Provenance] = ()
) -> list[Made]:
    """What becomes of each document. `held`: by place, the digest of the record that the document probably is."""
    given = provenances or [None] * len(documents)
    return [
        _read_or_say(document, held.get(place), provenance)
        for place, (document, provenance) in enumerate(zip(documents, given, strict=True))
    ]


def _read_or_say(document: bytes, held: bytes | None, provenance: Provenance) -> Made:
    try:
        return read(document, held, provenance)
    except metadata.Unusable as exc:
        return str(exc)


def read(document: bytes, held: bytes | None = None, provenance: Provenance = None) -> Read | Prepared:
    """Read a document; no further than its identifier when its digest is what is held. Raises metadata.Unusable."""
    element = metadata.root_element(document)
    root = metadata.parse(element)
    digest = metadata.digest_of(root)
    if digest == held:
        return prepared.unchanged(root, digest)
    version = prepared.version(fields.read_tree(root, element, digest), provenance)
    start = document.find(element)  # mostly at its beginning
    return Read(version, start, len(element), b"" if start >= 0 else element)


def _processes(number: int) -> ProcessPoolExecutor:
    _become_a_parent()
    # Not forked: the database connection and the threads of this process stay its own.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(number, mp_context=context, initializer=_begin)


def _become_a_parent() -> None:
    """Let this process have processes of its own where it is a worker of Celery: a daemon of another library.

    Daemons may have none lest they be left behind when it is killed; ours never are (`_begin`).
    """
    told = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    told["daemon"] = False
    told["authkey"] = AuthenticationString(told["authkey"])


Answer = TypeVar("Answer")


def aside(function: Callable[..., Answer], *values: object) -> Answer:
    """What a function of a module answers, from a process of its own: one that would keep all threads waiting."""
    with _processes(1) as process:
        return process.submit(function, *values).result()


class Pool:
    """Processes that read documents. They end with the process that made them, however that ends."""

    def __init__(self, processes: int) -> None:
        self._executor = _processes(processes)
        self._folder = tempfile.TemporaryDirectory(prefix="gisc-ingest-")
        self._numbers = itertools.count()

    def submit(
        self, documents: Sequence[bytes], held: Mapping[int, bytes], provenances: Sequence[Provenance] = ()
    ) -> "Future[list[Made]]":
        """Have documents read, as by `read_all`."""
        # The bytes travel through a file: half the work of sending them through a pipe.
        batch = Path(self._folder.name) / f"batch-{next(self._numbers)}"
        batch.write_bytes(b"".join(documents))
        return self._executor.submit(_read_file, str(batch), [len(each) for each in documents], held, provenances)

    def close(self) -> None:
        """End the processes; what they have not begun is dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()


def _read_file(
    file: str, lengths: Sequence[int], held: Mapping[int, bytes], provenances: Sequence[Provenance]
) -> list[Made]:
    content = memoryview(Path(file).read_bytes())
    os.unlink(file)
    ends = itertools.accumulate(lengths)
    documents = [bytes(content[end - length : end]) for length, end in zip(lengths, ends, strict=True)]
    return read_all(documents, held, provenances)


def _begin() -> None:
    """Start of a process of the pool: Ctrl-C is for its parent, whose end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
