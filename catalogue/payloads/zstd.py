"""zstd frames: a root element packed with a dictionary, and unpacked again. Bytes in, bytes out; no Django.

A frame names the dictionary it was made with and carries a checksum of its content, so that a reader needs
nothing but the frame to find the dictionary, and damage is an error instead of wrong bytes.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import zstandard

# Chosen by measurement (docs/benchmarks.md): what a writer can afford while somebody waits, and what may take
# its time because nobody does. Reading costs the same.
LEVEL = 5
LEVEL_AT_LEISURE = 9

MAX_DICTIONARY_BYTES = 2 * 1024 * 1024
# Measured: asked for more than this part of the samples, the trainer returns a small dictionary instead of a large one.
_PART_OF_SAMPLES = 80
_PART_OF_FEW_SAMPLES = 8  # for small dictionaries it need not be so little
_SMALL_BYTES = 110 * 1024
_MIN_BYTES = 16 * 1024


# Measured (docs/benchmarks.md): of many samples long pieces do better than what the trainer finds by trying, and cost
# a fifth of its time. For few samples it may try.
_MANY_BYTES = 4 * 1024 * 1024
_CHOSEN: dict[str, Any] = {"k": 4096, "d": 8, "f": 20, "accel": 5, "split_point": 1.0}


NotWhole = zstandard.ZstdError


class Unreadable(Exception):
    """These bytes are not a whole frame, or not one made with this dictionary."""


class Untrainable(Exception):
    """The samples are too few, or too small, to train a dictionary on."""


class Packer:
    """Packs with one dictionary. Not to be shared between threads; its dictionary may be."""

    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None, *, level: int = LEVEL) -> None:
        self._compressor = (
            zstandard.ZstdCompressor(level=level, write_checksum=True)
            if dictionary is None
            else zstandard.ZstdCompressor(level=level, write_checksum=True, dict_data=dictionary)
        )

    def pack(self, element: bytes) -> bytes:
        return self._compressor.compress(element)


def unpacker(dictionary: zstandard.ZstdCompressionDict | None) -> Callable[[bytes | memoryview], bytes]:
    """Unpacks what one dictionary has packed. Raises NotWhole. Not to be shared between threads; its dictionary may be."""
    if dictionary is None:
        return zstandard.ZstdDecompressor().decompress
    return zstandard.ZstdDecompressor(dict_data=dictionary).decompress


def dictionary(content: bytes, *, level: int | None = None) -> zstandard.ZstdCompressionDict:
    """A dictionary ready for use; with a level, made ready to pack at that level too."""
    made = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_FULLDICT)
    if level is not None:
        made.precompute_compress(level=level)
    return made


def dictionary_id(packed: bytes | memoryview) -> int:
    """The id of the dictionary that this frame was made with; 0 for none. Raises Unreadable."""
    try:
        return zstandard.get_frame_parameters(packed).dict_id
    except zstandard.ZstdError as exc:
        raise Unreadable(str(exc)) from exc


def size_of(packed: bytes | memoryview) -> int:
    """The length of the content, as the frame has it; -1 where it does not say, or is no frame."""
    try:
        return zstandard.frame_content_size(packed)
    except zstandard.ZstdError:
        return -1


def train(samples: Sequence[bytes], size: int = MAX_DICTIONARY_BYTES) -> tuple[int, bytes]:
    """The id and the content of a new dictionary of at most `size` bytes, fewer for few samples. Raises Untrainable.

    The id is made from the content, so that the same samples give the same dictionary in every process.
    """
    given = sum(map(len, samples))
    useful = max(given // _PART_OF_SAMPLES, min(given // _PART_OF_FEW_SAMPLES, _SMALL_BYTES), _MIN_BYTES)
    try:
        chosen = _CHOSEN if given >= _MANY_BYTES else {}
        content = zstandard.train_dictionary(min(size, useful), list(samples), **chosen).as_bytes()
    except zstandard.ZstdError as exc:
        raise Untrainable(f"{len(samples)} samples are not enough to train a dictionary on: {exc}") from exc
    number = _private_id(content)
    # The header of a dictionary is a magic number of four bytes and the id (RFC 8878, section 5).
    return number, content[:4] + number.to_bytes(4, "little") + content[8:]


def _private_id(content: bytes) -> int:
    """An id in the range that zstd leaves for private use, 32768 to 2**31 - 1 (RFC 8878, section 3.1.1.1.3)."""
    return 32768 + int.from_bytes(hashlib.sha256(content[8:]).digest()[:8], "big") % (2**31 - 32768)
