"""A record in an uploaded format, or None where the crosswalk fails on it; each failure is logged once. No Django.

What failed is remembered for as long as the process lives, by what it failed with: a record that takes two seconds to
fail would otherwise take them in each list. Nothing depends on it: another process finds out for itself.
"""

import hashlib
import logging
from collections import OrderedDict

from oaiprovider.formats import sandbox
from oaiprovider.formats.stylesheet import Stylesheet

logger = logging.getLogger(__name__)

REMEMBERED = 20_000  # chosen: 100 bytes each

_failed: OrderedDict[tuple[Stylesheet, bytes], None] = OrderedDict()
_EVERY_RECORD = b""


def disseminate(prefix: str, stylesheet: Stylesheet, payload: bytes, identifier: str) -> bytes | None:
    """The record's element in the format; None if it has none (P66). Raises sandbox.Busy."""
    record = hashlib.sha256(identifier.encode() + b"\n" + payload).digest()
    if (stylesheet, _EVERY_RECORD) in _failed or (stylesheet, record) in _failed:
        return None
    try:
        return sandbox.transform(stylesheet, payload, identifier)
    except sandbox.Unusable as exc:
        _remember(stylesheet, _EVERY_RECORD)
        logger.error("crosswalk does not compile", extra={"prefix": prefix, "error": str(exc)})
    except sandbox.Failed as exc:
        _remember(stylesheet, record)
        logger.warning("crosswalk failed", extra={"prefix": prefix, "identifier": identifier, "error": str(exc)})
    return None


def _remember(stylesheet: Stylesheet, record: bytes) -> None:
    _failed[stylesheet, record] = None
    while len(_failed) > REMEMBERED:
        _failed.popitem(last=False)
