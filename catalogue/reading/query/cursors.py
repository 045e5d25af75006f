"""Cursors of pages: after which hit of which search a page begins, signed."""

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from django.core import signing

from catalogue.reading.query.conditions import Condition

_SALT = "catalogue.reading.query"  # of cursors: never changed


class CursorInvalid(Exception):
    """A cursor was not made by this node for this search."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record, and what it is sorted by: tier, datestamp and id, or its key."""

    key: int
    tier: int
    stamp: datetime
    text: str = ""


def write(condition: Condition, order: str, hit: Hit) -> str:
    """Return the cursor of the page after this hit."""
    position = [_fingerprint(condition, order), hit.key, hit.tier, hit.stamp.timestamp(), hit.text]
    return signing.dumps(position, salt=_SALT, compress=True)


def read(condition: Condition, order: str, text: str) -> Hit:
    """Return the hit after which a page begins. Raises CursorInvalid."""
    try:
        fingerprint, key, tier, stamp, last = signing.loads(text, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as exc:
        raise CursorInvalid from exc
    if fingerprint != _fingerprint(condition, order):
        raise CursorInvalid
    return Hit(key, tier, datetime.fromtimestamp(stamp, UTC), last)


def _fingerprint(condition: Condition, order: str) -> str:
    """Tell one search from another. Not for whom it is: who signs in meanwhile goes on."""
    text = json.dumps([repr(condition), order])
    return base64.b85encode(hashlib.blake2b(text.encode(), digest_size=9).digest()).decode()
