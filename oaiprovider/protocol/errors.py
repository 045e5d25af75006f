"""What a provider may refuse, one class per code of OAI-PMH 3.6, and the one exception that carries them.

A `Fault` is a value: an answer may hold several (P21). `Refused` is what is raised. Imports nothing of ours.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One `<error>`: its code, spelled as the wire spells it, and a sentence for the person who reads the log."""

    code: ClassVar[str]
    text: str


class BadVerb(Fault):
    """P15: verb missing, empty, repeated, or not one of the six."""

    __slots__ = ()
    code = "badVerb"


class BadArgument(Fault):
    """P16-P20, P29-P33: an argument that is illegal, missing, repeated or not written as it must be."""

    __slots__ = ()
    code = "badArgument"


class BadResumptionToken(Fault):
    """P105: a token that is not ours, not for this verb, too old, or with nothing left behind it."""

    __slots__ = ()
    code = "badResumptionToken"


class CannotDisseminateFormat(Fault):
    """T3.27, T3.34: a well-formed prefix that this repository does not support."""

    __slots__ = ()
    code = "cannotDisseminateFormat"


class IdDoesNotExist(Fault):
    """T3.14, T3.25: never known, or purged."""

    __slots__ = ()
    code = "idDoesNotExist"


class NoRecordsMatch(Fault):
    """T3.35, T3.47: the list would be empty. Nothing went wrong; a harvester takes it for an empty list."""

    __slots__ = ()
    code = "noRecordsMatch"


class NoMetadataFormats(Fault):
    """T3.16: the item is known, but nothing of it is live."""

    __slots__ = ()
    code = "noMetadataFormats"


class NoSetHierarchy(Fault):
    """P79: the repository has no sets at all."""

    __slots__ = ()
    code = "noSetHierarchy"


class Refused(Exception):
    """The request is answered by errors instead of a verb element; HTTP status 200 all the same (P9)."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(f"{fault.code}: {fault.text}" for fault in faults))
        self.faults = faults


class Behind(Exception):
    """This server has not received yet what the token's list was begun on; a matter of transport, not of OAI (P9)."""
