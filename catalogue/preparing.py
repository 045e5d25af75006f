"""Documents made ready for the store, in this process or in many. lxml and zstd only, no Django.

The work that bulk loads spread over processes: read, digest, extract, pack. A process needs nothing but this
module and the dictionary, which it reads from a file; it never speaks to the database.
"""

import functools
import hashlib
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import wait

from lxml import etree

from catalogue import frames, metadata


@dataclass(frozen=True, slots=True)
class Ready:
    """A document that can be stored."""

    metadata: metadata.Metadata
    packed: bytes


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of the record that a document probably is: asked for before the document is read."""

    identifier: str
    digest: bytes


# What becomes of a document: ready to be stored, or exactly what is held, or the sentence why it cannot be stored.
Made = Ready | Held | str

# The fileIdentifier as it mostly stands.
_IDENTIFIER = re.compile(rb"fileIdentifier[^<>]*>\s*<[^<>/]*>([^<&]*)<")
_GUESS_WITHIN_BYTES = 4096


def guess_identifier(document: bytes) -> str:
    """The identifier that the document probably has; empty if it is not where it mostly is. Never relied on."""
    found = _IDENTIFIER.search(document, 0, _GUESS_WITHIN_BYTES)
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


def prepare(documents: Sequence[bytes], held: Mapping[int, Held], packer: frames.Packer) -> list[Made]:
    """What becomes of each document. `held` says, by place, what is held of some of them.

    A document that equals what is held is neither read further than its digest nor packed.
    """
    made: list[Made] = []
    for place, document in enumerate(documents):
        try:
            element = metadata.root_element(document)
            known = held.get(place)
            if known is not None and _digest(element) == known.digest:
                made.append(known)
            else:
                made.append(Ready(metadata.read(element), packer.pack(element)))
        except metadata.Unusable as exc:
            made.append(str(exc))
    return made


def _digest(element: bytes) -> bytes | None:
    """The digest as `metadata.read` gives it; None where it raises."""
    try:
        root = etree.fromstring(metadata._without_long_blanks(element), metadata._strict_parser())
    except etree.XMLSyntaxError:
        return None
    return hashlib.sha256(metadata._canonical(root)).digest()


class Pool:
    """Processes that prepare documents. They end with the process that made them, however that ends."""

    def __init__(self, processes: int) -> None:
        # Not forked: the database connection and the threads of this process stay its own.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            context.set_forkserver_preload([__name__])
        self._executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)

    def submit(
        self, documents: Sequence[bytes], held: Mapping[int, Held], dictionary_file: str
    ) -> "Future[list[Made]]":
        return self._executor.submit(_prepare, documents, held, dictionary_file)

    def close(self) -> None:
        """End the processes; what they have not begun is dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)


def _prepare(documents: Sequence[bytes], held: Mapping[int, Held], dictionary_file: str) -> list[Made]:
    return prepare(documents, held, _packer(dictionary_file))


@functools.lru_cache(maxsize=1)
def _packer(dictionary_file: str) -> frames.Packer:
    with open(dictionary_file, "rb") as file:
        content = file.read()
    return frames.Packer(frames.dictionary(content, level=frames.LEVEL) if content else None)


def _begin() -> None:
    """Start of a process of the pool: Ctrl-C is for its parent, whose end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
