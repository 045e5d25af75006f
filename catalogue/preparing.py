"""Documents made ready for the store, in this process or in many. lxml and zstd only, no Django.

The work that bulk loads spread over processes: read, digest, extract, pack. A process needs nothing but this
module and the dictionary, which it reads from a file; it never speaks to the database.
"""

import functools
import itertools
import multiprocessing
import os
import re
import signal
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from catalogue import frames, metadata, prepared
from catalogue.prepared import Prepared

# What becomes of a document: an entry for the store, or the sentence why it cannot be stored.
Made = Prepared | str

# The fileIdentifier as it mostly stands.
_IDENTIFIER = re.compile(rb"fileIdentifier[^<>]*>\s*<[^<>/]*>([^<&]*)<")
_GUESS_WITHIN_BYTES = 4096


def guess_identifier(document: bytes) -> str:
    """The identifier that the document probably has; empty if it is not where it mostly is. Never relied on."""
    found = _IDENTIFIER.search(document, 0, _GUESS_WITHIN_BYTES)
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


def prepare(documents: Sequence[bytes], held: Mapping[int, bytes], packer: frames.Packer) -> list[Made]:
    """What becomes of each document. `held`: by place, the digest of the record that the document probably is.

    A document that equals what is held is neither read further than its identifier nor packed.
    """
    # First all are read, then all are packed: in turns, each would push the other's tables out of the processor's cache.
    done = [_read_or_say(document, held.get(place)) for place, document in enumerate(documents)]
    return [prepared.version(each.said, packer.pack(each.element)) if isinstance(each, Read) else each for each in done]


def _read_or_say(document: bytes, held: bytes | None) -> "Read | Made":
    try:
        return read(document, held)
    except metadata.Unusable as exc:
        return str(exc)


@dataclass(frozen=True, slots=True)
class Read:
    """What a document says, and its root element."""

    said: metadata.Metadata
    element: bytes


def read(document: bytes, held: bytes | None = None) -> Read | Prepared:
    """Read a document; no further than its identifier when its digest is what is held. Raises metadata.Unusable."""
    element = metadata.root_element(document)
    root = metadata.parse(element)
    digest = metadata.digest_of(root)
    if digest == held:
        return prepared.unchanged(metadata.identifier_of(root), digest)
    return Read(metadata.read_tree(root, element, digest), element)


class Pool:
    """Processes that prepare documents. They end with the process that made them, however that ends."""

    def __init__(self, processes: int) -> None:
        # Not forked: the database connection and the threads of this process stay its own.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            context.set_forkserver_preload([__name__])
        self._executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)
        self._folder = tempfile.TemporaryDirectory(prefix="gisc-ingest-")
        self._numbers = itertools.count()

    def submit(
        self, documents: Sequence[bytes], held: Mapping[int, bytes], dictionary: tuple[int, bytes]
    ) -> "Future[list[Made]]":
        """Have documents prepared, as by `prepare`. `dictionary`: the id and content of the one to pack with."""
        # The bytes travel through a file: half the work of sending them through a pipe.
        batch = Path(self._folder.name) / f"batch-{next(self._numbers)}"
        batch.write_bytes(b"".join(documents))
        number, content = dictionary
        packing = Path(self._folder.name) / f"dictionary-{number}"
        if not packing.exists():
            packing.write_bytes(content)
        return self._executor.submit(_prepare_file, str(batch), [len(each) for each in documents], held, str(packing))

    def close(self) -> None:
        """End the processes; what they have not begun is dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()


def _prepare_file(file: str, lengths: Sequence[int], held: Mapping[int, bytes], dictionary_file: str) -> list[Made]:
    content = memoryview(Path(file).read_bytes())
    os.unlink(file)
    ends = itertools.accumulate(lengths)
    documents = [bytes(content[end - length : end]) for length, end in zip(lengths, ends, strict=True)]
    return prepare(documents, held, _packer(dictionary_file))


@functools.lru_cache(maxsize=1)
def _packer(dictionary_file: str) -> frames.Packer:
    content = Path(dictionary_file).read_bytes()
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
