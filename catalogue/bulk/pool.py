"""Documents read for the store, in this process or in many. lxml only, no Django.

The work that bulk loads spread over processes: parse, digest, extract. A process needs nothing but this module, and
never speaks to the database. Packing is left to who stores: zstd does it beside Python, in threads.
"""

import itertools
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from catalogue import seams
from catalogue.writing import read_document
from catalogue.writing.read_document import Provenance, ReadResult


class ReadPool:
    """Processes that read documents. They end with the process that made them, however that ends."""

    def __init__(self, processes: int) -> None:
        self._executor = seams.process_pool(processes)
        self._folder = tempfile.TemporaryDirectory(prefix="gisc-ingest-")
        self._numbers = itertools.count()

    def submit(
        self, documents: Sequence[bytes], held: Mapping[int, bytes], provenances: Sequence[Provenance] = ()
    ) -> "Future[list[ReadResult]]":
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
) -> list[ReadResult]:
    content = memoryview(Path(file).read_bytes())
    os.unlink(file)
    ends = itertools.accumulate(lengths)
    documents = [bytes(content[end - length : end]) for length, end in zip(lengths, ends, strict=True)]
    return read_document.read_all(documents, held, provenances)
