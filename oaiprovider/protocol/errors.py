"""The errors of OAI-PMH: one class for each error code of section 3.6, and the exception that carries them.

An `OaiFault` is a value, since an answer may hold several (P21); `Refused` is what is raised. Imports nothing of ours.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class OaiFault:
    """One `<error>`: its code as OAI-PMH spells it, and a sentence for the operator of the harvester."""

    code: ClassVar[str]
    text: str


class BadVerb(OaiFault):
    """P15: verb missing, empty, repeated, or not one of the six."""

    __slots__ = ()
    code = "badVerb"


class BadArgument(OaiFault):
    """P16-P20, P29-P33: an argument that is illegal, missing, repeated or not written as it must be."""

    __slots__ = ()
    code = "badArgument"


class BadResumptionToken(OaiFault):
    """P105: a token of another repository, verb or harvester, an expired one, or one with no record after it."""

    __slots__ = ()
    code = "badResumptionToken"


class CannotDisseminateFormat(OaiFault):
    """T3.27, T3.34: a well-formed prefix that this repository does not support."""

    __slots__ = ()
    code = "cannotDisseminateFormat"


class IdDoesNotExist(OaiFault):
    """T3.14, T3.25: the identifier was never known, or its tombstone was purged."""

    __slots__ = ()
    code = "idDoesNotExist"


class NoRecordsMatch(OaiFault):
    """T3.35, T3.47: the list is empty. This is no failure: a harvester treats it as an empty list."""

    __slots__ = ()
    code = "noRecordsMatch"


class NoMetadataFormats(OaiFault):
    """T3.16: the item is known, but deleted."""

    __slots__ = ()
    code = "noMetadataFormats"


class NoSetHierarchy(OaiFault):
    """P79: the repository has no sets at all."""

    __slots__ = ()
    code = "noSetHierarchy"


class Refused(Exception):
    """Answer the request with errors instead of a verb element; the HTTP status is still 200 (P9)."""

    def __init__(self, *faults: OaiFault) -> None:
        super().__init__("; ".join(f"{fault.code}: {fault.text}" for fault in faults))
        self.faults = faults


class ReplicaLags(Exception):
    """The database is a replica that lags behind the one that issued the token. Answered by HTTP 503 (P9)."""
