"""Disseminate a record in an uploaded format, or None if the crosswalk fails on it. No Django.

Each process remembers which records failed with which stylesheet: it logs a failure once, and a record that takes two
seconds to fail does not take them in each list.
"""

import hashlib
import logging
from collections import OrderedDict

from catalogue.documents import xml_tree
from oaiprovider.formats import sandbox
from oaiprovider.formats.stylesheet import Stylesheet

logger = logging.getLogger(__name__)

MAX_FAILURES = 20_000  # chosen: 100 bytes each

_failed: OrderedDict[tuple[Stylesheet, bytes], None] = OrderedDict()
_EVERY_RECORD = b""


def disseminate(prefix: str, stylesheet: Stylesheet, payload: bytes, identifier: str) -> bytes | None:
    """Return the record's element in the format; None if it has none (P66). Raises sandbox.SandboxBusy."""
    record = hashlib.sha256(identifier.encode() + b"\n" + payload).digest()
    if (stylesheet, _EVERY_RECORD) in _failed or (stylesheet, record) in _failed:
        return None
    try:
        return xml_tree.to_splice(sandbox.transform(stylesheet, payload, identifier))
    except sandbox.StylesheetUnusable as exc:
        _remember(stylesheet, _EVERY_RECORD)
        logger.error("crosswalk does not compile", extra={"prefix": prefix, "error": str(exc)})
    except sandbox.TransformFailed as exc:
        _remember(stylesheet, record)
        logger.warning("crosswalk failed", extra={"prefix": prefix, "identifier": identifier, "error": str(exc)})
    return None


def _remember(stylesheet: Stylesheet, record: bytes) -> None:
    _failed[stylesheet, record] = None
    while len(_failed) > MAX_FAILURES:
        _failed.popitem(last=False)
