"""How a record's root element is kept: the bytes that go on the wire, in a zstd frame made with a trained dictionary.

A frame says by itself which dictionary it needs (`catalogue.payloads.zstd`); dictionaries are rows, so any process
of any host reads any payload. One that is missing or not what it was is an alarm, never wrong bytes. New
payloads are packed with the newest dictionary; `catalogue.payloads.dictionaries` says where dictionaries come from.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

import zstandard

from catalogue.models import Dictionary
from catalogue.payloads import zstd

logger = logging.getLogger(__name__)

_LOOK_EVERY_S = 60  # chosen: how long a process may go on packing with a dictionary that is no longer the newest


class PayloadDamaged(Exception):
    """A stored payload cannot be read back; the record must be restored, offered or harvested again."""


@dataclass(frozen=True, slots=True)
class Newest:
    """The dictionary that payloads are packed with now; its id is 0 and its content empty while there is none."""

    id: int
    content: bytes


class _Codecs(threading.local):
    """Packers and unpackers of this thread, by dictionary id: zstandard's must not be shared between threads."""

    def __init__(self) -> None:
        self.packers: dict[int, zstd.Packer] = {}
        self.unpackers: dict[int, Callable[[bytes | memoryview], bytes]] = {}


class _Known:
    """The dictionaries this process has read, by id. A row never changes, so what is known stays true."""

    def __init__(self) -> None:
        self.codecs = _Codecs()
        self.to_unpack: dict[int, zstandard.ZstdCompressionDict] = {}
        self.to_pack: tuple[Newest, zstandard.ZstdCompressionDict | None] | None = None
        self.looked = 0.0


_known = _Known()


def pack(element: bytes) -> bytes:
    """`element` as it is stored."""
    now, dictionary = _newest()
    packer = _known.codecs.packers.get(now.id)
    if packer is None:
        packer = zstd.Packer(dictionary)
        _known.codecs.packers = {now.id: packer}
    return packer.pack(element)


def unpack(packed: bytes | memoryview) -> bytes:
    """The element that was packed. Raises PayloadDamaged when it or its dictionary is not whole."""
    try:
        number = zstd.dictionary_id(packed)
        unpacker = _known.codecs.unpackers.get(number)
        if unpacker is None:
            unpacker = _known.codecs.unpackers[number] = zstd.unpacker(_dictionary(number))
        return unpacker(packed)
    except (zstd.Unreadable, zstd.NotWhole) as exc:
        raise PayloadDamaged(f"a stored payload of {len(packed)} bytes cannot be read back: {exc}") from exc


def unpack_or_tell(packed: bytes | memoryview, *, identifier: str) -> bytes | None:
    """As `unpack`, for lists: None, and an error in the log, for the one record that cannot be read back."""
    try:
        return unpack(packed)
    except PayloadDamaged as exc:
        logger.error("record left out of a list", extra={"identifier": identifier, "reason": str(exc)})
        return None


def size_of(packed: bytes | memoryview) -> int:
    """How many bytes `unpack` gives, without unpacking; -1 where the frame does not say."""
    return zstd.size_of(packed)


def fetch_dictionaries(payloads: Iterable[bytes | memoryview]) -> None:
    """Have the dictionaries at hand that unpacking these takes; one that is damaged is told by `unpack`."""
    for number in set(map(_dictionary_id, payloads)) - _known.to_unpack.keys():
        with suppress(PayloadDamaged):
            _dictionary(number)


def newest() -> Newest:
    """The dictionary that payloads are packed with now, looked for at most once a minute."""
    return _newest()[0]


def look_again() -> None:
    """Look for the newest dictionary at the next use, not in a minute: a new one has just been stored."""
    _known.looked = 0.0


def forget() -> None:
    """Forget all dictionaries: what the database holds has been replaced by something else."""
    global _known
    _known = _Known()


def _newest() -> tuple[Newest, zstandard.ZstdCompressionDict | None]:
    if _known.to_pack is None or not _known.looked or time.monotonic() - _known.looked > _LOOK_EVERY_S:
        number = Dictionary.objects.order_by("-created", "-id").values_list("id", flat=True).first() or 0
        if _known.to_pack is None or _known.to_pack[0].id != number:
            content = _content(number) if number else b""
            dictionary = zstd.dictionary(content, level=zstd.LEVEL) if number else None
            _known.to_pack = Newest(number, content), dictionary
        _known.looked = time.monotonic()
    return _known.to_pack


def _dictionary(number: int) -> zstandard.ZstdCompressionDict | None:
    if not number:
        return None
    dictionary = _known.to_unpack.get(number)
    if dictionary is None:
        dictionary = _known.to_unpack[number] = zstd.dictionary(_content(number))
    return dictionary


def _dictionary_id(packed: bytes | memoryview) -> int:
    try:
        return zstd.dictionary_id(packed)
    except zstd.Unreadable:
        return 0


def _content(number: int) -> bytes:
    """The content of a dictionary, checked. Raises PayloadDamaged, with an error in the log."""
    row = Dictionary.objects.filter(pk=number).first()
    if row is None:
        fault = f"the dictionary {number} is not in the database; restore the table catalogue_dictionary from a backup"
    elif hashlib.sha256(row.content).digest() != bytes(row.sha256):
        fault = f"the dictionary {number} is not what it was; restore the table catalogue_dictionary from a backup"
    else:
        return bytes(row.content)
    logger.error("payloads cannot be read", extra={"reason": fault})
    raise PayloadDamaged(f"a stored payload cannot be read back: {fault}")
