"""Pack root elements into zstd frames with a dictionary, unpack them, train dictionaries. Bytes in, bytes out; no Django.

A frame has the id of its dictionary and a checksum of its content, so that a reader needs nothing but the frame to
find the dictionary, and damage is an error instead of wrong bytes.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import zstandard

from catalogue.reasons import gettext

# Chosen by measurement (docs/benchmarks.md): the level while somebody waits for a writer, and the slower one for
# repacking, when nobody waits. Reading costs the same.
LEVEL = 5
LEVEL_AT_LEISURE = 9

MAX_DICTIONARY_BYTES = 2 * 1024 * 1024
# Measured: asked for more than an 80th of the samples, the trainer returns a small dictionary instead of a large one.
_PART_OF_SAMPLES = 80
_PART_OF_FEW_SAMPLES = 8  # a small dictionary may be an 8th
_SMALL_BYTES = 110 * 1024
_MIN_BYTES = 16 * 1024


# Measured (docs/benchmarks.md): segments of a fixed length do better than the options that the trainer finds by trying,
# in a fifth of its time; and once in three hundred orders of the same few samples it finds the worst of all. A
# hundredth of many samples is not trained on: the trainer packs that part to see what it has made, or else all of them,
# which takes a quarter of its time.
_MANY_BYTES = 4 * 1024 * 1024
_OPTIONS_FOR_MANY: dict[str, Any] = {"k": 4096, "d": 8, "f": 20, "accel": 5, "split_point": 0.99}
_OPTIONS_FOR_FEW: dict[str, Any] = {"k": 1024, "d": 8, "split_point": 1.0}


# A skippable frame of four bytes (RFC 8878, 3.1.2), which other readers ignore; what it says is the caller's.
MARK = b"\x50\x2a\x4d\x18\x04\0\0\0gisc"

DamagedFrame = zstandard.ZstdError  # raised by unpackers


class NotAFrame(Exception):
    """These bytes do not begin with the header of a frame."""


class Untrainable(Exception):
    """The samples are too few, or too small, to train a dictionary on."""


def packer(dictionary: zstandard.ZstdCompressionDict | None, *, level: int = LEVEL) -> Callable[[bytes], bytes]:
    """Return a function that packs with one dictionary. Threads must not share it; they may share the dictionary."""
    if dictionary is None:
        return zstandard.ZstdCompressor(level=level, write_checksum=True).compress
    return zstandard.ZstdCompressor(level=level, write_checksum=True, dict_data=dictionary).compress


def unpacker(dictionary: zstandard.ZstdCompressionDict | None) -> Callable[[bytes | memoryview], bytes]:
    """Return a function that unpacks frames of one dictionary, marked or not, and raises DamagedFrame.

    Threads must not share the function; they may share the dictionary.
    """
    decompressor = zstandard.ZstdDecompressor(dict_data=dictionary) if dictionary else zstandard.ZstdDecompressor()

    def unpack(packed: bytes | memoryview) -> bytes:
        frame = packed[: -len(MARK)] if is_marked(packed) else packed
        return decompressor.decompress(frame, allow_extra_data=False)

    return unpack


def is_marked(packed: bytes | memoryview) -> bool:
    """Whether the mark follows the frame."""
    return bytes(packed[-len(MARK) :]) == MARK  # a memoryview of characters equals no bytes


def load_dictionary(content: bytes, *, level: int | None = None) -> zstandard.ZstdCompressionDict:
    """Load a dictionary to unpack with; with a level, also to pack at that level."""
    dictionary = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_FULLDICT)
    if level is not None:
        dictionary.precompute_compress(level=level)
    return dictionary


def dictionary_id(packed: bytes | memoryview) -> int:
    """Return the id of the dictionary that this frame was packed with; 0 for none. Raises NotAFrame."""
    try:
        return zstandard.get_frame_parameters(packed).dict_id
    except zstandard.ZstdError as exc:
        raise NotAFrame(str(exc)) from exc


def size_of(packed: bytes | memoryview) -> int:
    """Return the length of the unpacked content; -1 if the frame does not say, or is not a frame."""
    try:
        return zstandard.frame_content_size(packed)
    except zstandard.ZstdError:
        return -1


def train(samples: Sequence[bytes], size: int = MAX_DICTIONARY_BYTES) -> tuple[int, bytes]:
    """Train a dictionary of at most `size` bytes, fewer for few samples; its id and its content. Raises Untrainable.

    The id is computed from the content, so that the same samples give the same dictionary in every process.
    """
    sample_bytes = sum(map(len, samples))
    useful = max(sample_bytes // _PART_OF_SAMPLES, min(sample_bytes // _PART_OF_FEW_SAMPLES, _SMALL_BYTES), _MIN_BYTES)
    try:
        options = _OPTIONS_FOR_MANY if sample_bytes >= _MANY_BYTES else _OPTIONS_FOR_FEW
        content = zstandard.train_dictionary(min(size, useful), list(samples), **options).as_bytes()
    except zstandard.ZstdError as exc:
        raise Untrainable(
            gettext("{number} samples are not enough to train a dictionary on: {reason}").format(
                number=len(samples), reason=exc
            )
        ) from exc
    number = _private_id(content)
    # The header of a dictionary is a magic number of four bytes and the id (RFC 8878, section 5).
    return number, content[:4] + number.to_bytes(4, "little") + content[8:]


def train_on_frames(
    frames: Sequence[bytes], dictionaries: Mapping[int, bytes], size: int = MAX_DICTIONARY_BYTES
) -> tuple[int, bytes, int]:
    """Train as `train` does, on what these frames have packed; also returns how many of them could be unpacked.

    `dictionaries`: the contents of those that the frames need, by id. Frames are a twentieth of what they unpack to, so
    they are what is sent to the process that trains.
    """
    unpackers = {number: unpacker(load_dictionary(content)) for number, content in dictionaries.items()}
    unpackers[0] = unpacker(None)
    samples = []
    for frame in frames:
        with suppress(NotAFrame, DamagedFrame, KeyError):  # what is damaged is reported when it is served
            samples.append(unpackers[dictionary_id(frame)](frame))
    return *train(samples, size), len(samples)


def _private_id(content: bytes) -> int:
    """Compute an id in the range that zstd leaves for private use, 32768 to 2**31 - 1 (RFC 8878, section 3.1.1.1.3)."""
    return 32768 + int.from_bytes(hashlib.sha256(content[8:]).digest()[:8], "big") % (2**31 - 32768)
