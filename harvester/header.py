"""The header of an entry as a provider sent it, with what is computed from it once. No Django, no I/O."""

from datetime import datetime
from typing import NamedTuple


class ReceivedHeader(NamedTuple):
    """Identifier, datestamp, setSpecs and status (OAI-PMH 2.5) as received, with the key and the parsed datestamp.

    `datestamp` is the text of the element (P125); `stamp` is None where that cannot be understood.
    """

    identifier: str
    key: str
    datestamp: str
    stamp: datetime | None
    set_specs: tuple[str, ...] = ()
    deleted: bool = False


UNKNOWN = " "  # begins the key of a name that is not known to mean a record; no OAI identifier begins so


def unknown_key(name: str) -> str:
    """Return the key for a provider's name of which it is not known what it means."""
    return UNKNOWN + name


def is_unknown(key: str) -> bool:
    """Whether this is the key for a name of which it is not known what it means."""
    return key.startswith(UNKNOWN)


NO_HEADER = ReceivedHeader("", "", "", None)
