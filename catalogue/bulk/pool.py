"""Parse documents for the store in many processes. lxml only, no Django.

The work that bulk loads spread over processes: parse, digest, extract. A process needs nothing but this module, and
never connects to the database. Packing stays with the process that stores: zstd runs beside Python, in threads.
"""

import itertools
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from catalogue import seams
from catalogue.writing import read_apart
from catalogue.writing.read_document import ReadResult


class ReadPool:
    """Processes that parse documents. They end with the process that started them, however that ends.

    They need not be replaced: after all the costliest records that `catalogue.documents.complexity` lets through, one has
    160 MB.
    """

    def __init__(self, processes: int) -> None:
        self._executor = seams.process_pool(processes)
        self._folder = tempfile.TemporaryDirectory(prefix="gisc-ingest-")
        self._numbers = itertools.count()

    def submit(self, documents: Sequence[bytes], stored_digests: Mapping[int, bytes]) -> "Future[list[ReadResult]]":
        """Have documents parsed, as by `read_apart.read_all`."""
        # The bytes go through a file: half the work of sending them through a pipe.
        batch = Path(self._folder.name) / f"batch-{next(self._numbers)}"
        with batch.open("wb") as file:
            file.writelines(documents)
        lengths = [len(document) for document in documents]
        return self._executor.submit(_read_file, str(batch), lengths, stored_digests)

    def close(self) -> None:
        """End the processes; documents that they have not begun are dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()


def _read_file(file: str, lengths: Sequence[int], stored_digests: Mapping[int, bytes]) -> list[ReadResult]:
    with open(file, "rb") as batch:
        documents = [batch.read(length) for length in lengths]
    os.unlink(file)
    return read_apart.read_all(documents, stored_digests)
