"""Secrets as the database keeps them: sealed under a key that is made of SECRET_KEY.

Whoever has a dump of the database alone reads no password; whoever has SECRET_KEY too reads them all, as the node
itself must. Sealed with Fernet (AES-128 and HMAC-SHA-256), under a key of its own for each purpose.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.crypto import salted_hmac


class Unreadable(Exception):
    """What is sealed was changed, or SECRET_KEY is not the one it was sealed under."""


def seal(text: str, purpose: str) -> str:
    """The text, sealed: ASCII, and another one each time."""
    return _fernet(purpose).encrypt(text.encode()).decode()


def opened(sealed: str, purpose: str) -> str:
    """The text that was sealed for this purpose. Raises Unreadable."""
    try:
        return _fernet(purpose).decrypt(sealed).decode()
    except (InvalidToken, ValueError) as exc:  # ValueError: it is not even ASCII
        raise Unreadable from exc


def _fernet(purpose: str) -> Fernet:
    made = salted_hmac(f"harvester.seals.{purpose}", "", secret=settings.SECRET_KEY, algorithm="sha256")
    return Fernet(base64.urlsafe_b64encode(made.digest()))
