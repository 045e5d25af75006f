"""Pack and unpack payloads: the root element as it is served, in a zstd frame with a trained dictionary.

It is spliced into answers, so elements in no namespace are kept out of that of the answer (`xml_tree.to_splice`). A mark
after the frame says that this was done as it was packed; earlier versions did not, and it takes as long as unpacking.

A frame has the id of its dictionary (`catalogue.payloads.zstd`); dictionaries are rows, so any process of any host
reads any payload. A dictionary that is missing or damaged is an error, never wrong bytes. New payloads are packed
with the newest dictionary; `catalogue.payloads.dictionaries` trains them.
"""

import hashlib
import logging
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import zstandard
from django.utils.translation import gettext, gettext_noop

from catalogue import seams
from catalogue.documents import xml_tree
from catalogue.models import Dictionary
from catalogue.payloads import zstd

logger = logging.getLogger(__name__)

_REFRESH_S = 60  # chosen: how long a process may go on packing with a dictionary that is no longer the newest


class PayloadDamaged(Exception):
    """A stored payload cannot be unpacked; the record must be restored, offered or harvested again."""


class DictionaryDamaged(PayloadDamaged):
    """A dictionary is missing or damaged, so that none of the payloads that need it can be unpacked; it must be restored."""


@dataclass(frozen=True, slots=True)
class NewestDictionary:
    """The dictionary that payloads are packed with now; id 0 and no content while there is none.

    `to_pack`: the same, loaded for packers.
    """

    id: int
    content: bytes
    to_pack: zstandard.ZstdCompressionDict | None = field(default=None, repr=False, compare=False)


class _Codecs(threading.local):
    """Packers and unpackers of this thread, by dictionary id: threads must not share those of zstandard."""

    def __init__(self) -> None:
        self.packers: dict[int, Callable[[bytes], bytes]] = {}
        self.unpackers: dict[int, Callable[[bytes | memoryview], bytes]] = {}


class _DictionaryCache:
    """The dictionaries that this process has read, by id. Rows never change, so only the newest is looked up again."""

    def __init__(self) -> None:
        self.codecs = _Codecs()
        self.to_unpack: dict[int, zstandard.ZstdCompressionDict] = {}
        self.newest: NewestDictionary | None = None
        self.refreshed = 0.0


_cache = _DictionaryCache()


def pack(element: bytes, packer: Callable[[bytes], bytes] | None = None, *, is_to_splice: bool = False) -> bytes:
    """Pack a root element with a packer of `zstd`; None for one with the newest dictionary.

    `is_to_splice`: it comes from `xml_tree.to_splice`, or none of its elements is in no namespace.
    """
    if packer is None:
        in_use = newest()
        packer = _cache.codecs.packers.get(in_use.id)
        if packer is None:
            packer = zstd.packer(in_use.to_pack)
            _cache.codecs.packers = {in_use.id: packer}
    return packer(element if is_to_splice else xml_tree.to_splice(element)) + zstd.MARK


def unpack(packed: bytes | memoryview) -> bytes:
    """Unpack a root element, as it is spliced into answers. Raises PayloadDamaged if it or its dictionary is damaged."""
    try:
        number = zstd.dictionary_id(packed)
        unpacker = _cache.codecs.unpackers.get(number)
        if unpacker is None:
            unpacker = _cache.codecs.unpackers[number] = zstd.unpacker(_dictionary(number))
        element = unpacker(packed)
    except (zstd.NotAFrame, zstd.DamagedFrame) as exc:
        raise PayloadDamaged(
            gettext("a stored payload of {size} bytes cannot be read back: {reason}").format(
                size=len(packed), reason=exc
            )
        ) from exc
    return element if zstd.is_marked(packed) else xml_tree.to_splice(element)


def unpack_or_log(packed: bytes | memoryview, *, identifier: str) -> bytes | None:
    """Unpack a root element for a list. Returns None, and logs an error, if it is damaged.

    Raises DictionaryDamaged: a list without all records that need it would be answered as if it were whole.
    """
    try:
        return unpack(packed)
    except DictionaryDamaged:
        raise
    except PayloadDamaged as exc:
        logger.error("record left out of a list", extra={"identifier": identifier, "reason": str(exc)})
        return None


def size_of(packed: bytes | memoryview) -> int:
    """Return how many bytes are packed, without unpacking; -1 if the frame does not say.

    `unpack` may give a few more for what an earlier version packed.
    """
    return zstd.size_of(packed)


def fetch_dictionaries(payloads: Iterable[bytes | memoryview]) -> None:
    """Read the dictionaries that these payloads need into the cache. A damaged one is reported by `unpack`."""
    for number in set(map(_dictionary_id, payloads)) - _cache.to_unpack.keys():
        with suppress(PayloadDamaged):
            _dictionary(number)


def contents_of_dictionaries(payloads: Iterable[bytes | memoryview]) -> dict[int, bytes]:
    """Return the contents of the dictionaries that these payloads need, by id, without those that are damaged."""
    numbers = set(map(_dictionary_id, payloads))
    fetch_dictionaries(payloads)
    return {number: _cache.to_unpack[number].as_bytes() for number in numbers if number in _cache.to_unpack}


def newest() -> NewestDictionary:
    """Return the dictionary that payloads are packed with now. Looked up at most once a minute."""
    if _cache.newest is None or not _cache.refreshed or seams.monotonic() - _cache.refreshed > _REFRESH_S:
        number = Dictionary.objects.order_by("-created", "-id").values_list("id", flat=True).first() or 0
        if _cache.newest is None or _cache.newest.id != number:
            content = _content(number) if number else b""
            to_pack = zstd.load_dictionary(content, level=zstd.LEVEL) if number else None
            _cache.newest = NewestDictionary(number, content, to_pack)
        _cache.refreshed = seams.monotonic()
    return _cache.newest


def refresh_newest() -> None:
    """Look the newest dictionary up at the next use, not in a minute: a new one has just been stored."""
    _cache.refreshed = 0.0


def clear_cache() -> None:
    """Forget all dictionaries, because the database has been replaced by another one."""
    global _cache
    _cache = _DictionaryCache()


def _dictionary(number: int) -> zstandard.ZstdCompressionDict | None:
    if not number:
        return None
    dictionary = _cache.to_unpack.get(number)
    if dictionary is None:
        dictionary = _cache.to_unpack[number] = zstd.load_dictionary(_content(number))
    return dictionary


def _dictionary_id(packed: bytes | memoryview) -> int:
    try:
        return zstd.dictionary_id(packed)
    except zstd.NotAFrame:
        return 0


def _content(number: int) -> bytes:
    """Read the content of a dictionary and check it. Raises DictionaryDamaged, and logs an error."""
    row = Dictionary.objects.filter(pk=number).first()
    if row is None:
        text = gettext_noop(
            "the dictionary {id} is not in the database; restore the table catalogue_dictionary from a backup"
        )
    elif hashlib.sha256(row.content).digest() != bytes(row.sha256):
        text = gettext_noop("the dictionary {id} is damaged; restore the table catalogue_dictionary from a backup")
    else:
        return bytes(row.content)
    logger.error("payloads cannot be read", extra={"reason": text.format(id=number)})
    fault = gettext(text).format(id=number)
    raise DictionaryDamaged(gettext("a stored payload cannot be read back: {fault}").format(fault=fault))
