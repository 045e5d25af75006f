"""Secrets as the database keeps them: sealed under a key that is made of SECRET_KEY.

Whoever has a dump of the database alone reads no password; whoever has SECRET_KEY too reads them all, as the node
itself must. HMAC-SHA-256 makes the key stream (counter mode) and the tag over nonce and ciphertext (encrypt, then
authenticate), with a key of its own for each of the two and for each purpose.
"""

import base64
import binascii
import hmac
import secrets
from hashlib import sha256

from django.conf import settings
from django.utils.crypto import salted_hmac

_NONCE_BYTES = 16
_TAG_BYTES = sha256().digest_size


class Unreadable(Exception):
    """What is sealed was changed, or SECRET_KEY is not the one it was sealed under."""


def seal(text: str, purpose: str) -> str:
    """The text, sealed: ASCII, and another one each time."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    hidden = nonce + _masked(text.encode(), nonce, purpose)
    return base64.b64encode(hidden + _tag(hidden, purpose)).decode()


def opened(sealed: str, purpose: str) -> str:
    """The text that was sealed for this purpose. Raises Unreadable."""
    try:
        raw = base64.b64decode(sealed, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise Unreadable from exc
    hidden, tag = raw[:-_TAG_BYTES], raw[-_TAG_BYTES:]
    if len(hidden) < _NONCE_BYTES or not hmac.compare_digest(tag, _tag(hidden, purpose)):
        raise Unreadable
    nonce = hidden[:_NONCE_BYTES]
    return _masked(hidden[_NONCE_BYTES:], nonce, purpose).decode()


def _masked(data: bytes, nonce: bytes, purpose: str) -> bytes:
    """The data combined with the key stream; done twice, it is as it was."""
    key = _key("stream", purpose)
    blocks = range(-(-len(data) // _TAG_BYTES))
    stream = b"".join(hmac.digest(key, nonce + number.to_bytes(8, "big"), sha256) for number in blocks)
    return bytes(one ^ other for one, other in zip(data, stream, strict=False))


def _tag(hidden: bytes, purpose: str) -> bytes:
    return hmac.digest(_key("tag", purpose), hidden, sha256)


def _key(part: str, purpose: str) -> bytes:
    return salted_hmac(f"harvester.seals.{part}.{purpose}", "", secret=settings.SECRET_KEY, algorithm="sha256").digest()
