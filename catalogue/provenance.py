"""Where a version of a record came from: the type that is stored with it, its limits, and which version is newer (W33).

No Django. A provenance is stored as JSON beside the record (P122); harvesters get it in an `about`
(`oaiprovider.protocol.provenance`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from catalogue import datestamps, oai
from catalogue.oai import OAI_NS, RIGHTS_NS
from catalogue.reasons import Reason, ReasonCode

_NO_DATE = datetime.min.replace(tzinfo=UTC)


class About(NamedTuple):
    """The content of an `about`: one element as UTF-8 bytes with all its namespace declarations, and its namespace."""

    namespace: str
    element: bytes


@dataclass(frozen=True, slots=True)
class Provenance:
    """One harvest of a record, and in `origin` the harvest before it, as that provider reported it (P122).

    Texts are as received. `link`: the link that it came by here, empty in a reported harvest. `relayed`: the provider
    passes on records of others and does not say from whom it has this one (W33). `abouts`: the other containers (P126).
    """

    base_url: str = ""
    identifier: str = ""
    datestamp: str = ""
    metadata_namespace: str = ""
    harvest_date: str = ""
    altered: bool = False
    origin: "Provenance | None" = None
    link: str = ""
    relayed: bool = False
    abouts: tuple[About, ...] = ()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Provenance":
        """Return a provenance as it was stored; what is missing is empty."""
        origin = stored.get("origin")
        return cls(
            base_url=str(stored.get("baseURL") or ""),
            identifier=str(stored.get("identifier") or ""),
            datestamp=str(stored.get("datestamp") or ""),
            metadata_namespace=str(stored.get("metadataNamespace") or ""),
            harvest_date=str(stored.get("harvestDate") or ""),
            altered=bool(stored.get("altered")),
            origin=cls.from_json(origin) if isinstance(origin, Mapping) else None,
            link=str(stored.get("link") or ""),
            relayed=bool(stored.get("relayed")),
            abouts=tuple(About(namespace, element.encode()) for namespace, element in stored.get(ABOUTS_KEY, ())),
        )

    @classmethod
    def from_text(cls, stored: str | None) -> "Provenance | None":
        """Return a provenance from the text of its JSON column, as a bare cursor gives it; None for NULL or an empty one."""
        found = json.loads(stored) if stored else None
        return cls.from_json(found) if found else None

    def to_json(self) -> dict[str, Any]:
        """Return what is stored in the JSON column."""
        stored: dict[str, Any] = {"link": self.link} if self.link else {}
        stored |= {
            "baseURL": self.base_url,
            "identifier": self.identifier,
            "datestamp": self.datestamp,
            "metadataNamespace": self.metadata_namespace,
            "harvestDate": self.harvest_date,
            "altered": self.altered,
        }
        if self.origin is not None:
            stored["origin"] = self.origin.to_json()
        if self.relayed:
            stored["relayed"] = True
        if self.abouts:
            stored[ABOUTS_KEY] = abouts_to_json(self.abouts)
        return stored

    def steps(self) -> "list[Provenance]":
        """Return the harvests of the record, the latest first, at most as many as are stored (P123)."""
        steps, step = [], self
        while True:
            steps.append(step)
            if step.origin is None:
                return limit_steps(steps)
            step = step.origin


ABOUTS_KEY = "abouts"  # only in the provenance of records that have such containers


def abouts_to_json(abouts: Iterable[About]) -> list[list[str]]:
    """Return what is stored of these abouts."""
    return [[about.namespace, about.element.decode()] for about in abouts]


def chain(steps: Sequence[Provenance]) -> Provenance:
    """Return the harvests of one record, the latest first, as one provenance, within the limits (P123)."""
    nested: Provenance | None = None
    for step in reversed(limit_steps(steps)):
        nested = replace(step, origin=nested)
    assert nested is not None, "no harvest"
    return nested


# --- Which version is newer (W33) ---------------------------------------------------------------------


class Origin(NamedTuple):
    """The repository that a version first came from. `repository`: its base URL, empty if not known.

    `key` and `datestamp`: the record's there. `direct`: it came from there without a relay between.
    """

    repository: str = ""
    key: str = ""
    datestamp: datetime | None = None
    direct: bool = True


LOCAL_ORIGIN = Origin()  # of records loaded at this node


def origin_of(provenance: Provenance | None) -> Origin:
    """Return the origin that a provenance names."""
    if provenance is None or not provenance.base_url:
        return LOCAL_ORIGIN
    first = provenance
    while first.origin is not None:
        first = first.origin
    direct = first is provenance and not provenance.relayed
    if first is provenance and not direct:
        return Origin(direct=False)
    repository = first.base_url.rstrip("/").casefold()
    return Origin(repository, oai.oai_identifier(first.identifier), datestamps.lenient(first.datestamp), direct)


def compare_versions(
    offered: Origin, offered_date: datetime | None, current: Origin, current_date: datetime | None
) -> tuple[bool, Reason]:
    """Return whether the offered version is newer than the current one, and what decided. The dates are gmd:dateStamp.

    The text of what decided is the end of a sentence: "which counts by gmd:dateStamp".
    """
    if (
        offered.repository
        and (offered.repository, offered.key) == (current.repository, current.key)
        and offered.datestamp is not None
        and current.datestamp is not None
        and offered.datestamp != current.datestamp
    ):
        return offered.datestamp > current.datestamp, Reason(ReasonCode.BY_ORIGIN)
    offered_date, current_date = offered_date or _NO_DATE, current_date or _NO_DATE
    if offered_date != current_date:
        return offered_date > current_date, Reason(ReasonCode.BY_METADATA_DATE)
    if offered.direct != current.direct:
        return offered.direct, Reason(ReasonCode.BY_DIRECT_WAY)
    return False, Reason(ReasonCode.STORED_FIRST)


# --- Limits -----------------------------------------------------------------------------------------

# How many steps of provenance are stored. More steps than there are centres means that the record went in circles.
MAX_ORIGINS = 16  # chosen
MAX_ORIGIN_CHARS = 16_000  # chosen: all texts of the steps together
# How much is stored of the abouts of a record (P126).
MAX_ABOUTS = 8  # chosen
MAX_ABOUT_BYTES = 16_000  # chosen: those of one record together


def limit_steps(steps: Sequence[Provenance]) -> list[Provenance]:
    """Return the steps of a record's provenance, latest first, without those in the middle that exceed the limits (P123).

    The latest step, which is ours, and the first one, which names the origin (W33), are dropped last.
    """
    limited = list(steps)
    while len(limited) > 1 and (len(limited) > MAX_ORIGINS or _size(limited) > MAX_ORIGIN_CHARS):
        del limited[-2 if len(limited) > 2 else -1]
    return limited


class AboutFault(StrEnum):
    """Why an about is not served."""

    NO_NAMESPACE = "no-namespace"
    SECOND_RIGHTS = "second-rights"
    TOO_MANY = "too-many"
    TOO_LARGE = "too-large"


# Numbers of abouts and of bytes.
ABOUT_LIMITS = {AboutFault.TOO_MANY: MAX_ABOUTS, AboutFault.TOO_LARGE: MAX_ABOUT_BYTES}


def limit_abouts(abouts: Iterable[About]) -> tuple[tuple[About, ...], list[AboutFault]]:
    """Return the abouts that may be served (P126), and for each of the others the reason.

    OAI-PMH.xsd wants them in a namespace other than its own (P48). Only the first package of rights is accepted.
    """
    accepted: list[About] = []
    reasons = []
    for about in abouts:
        if about.namespace in ("", OAI_NS):
            reasons.append(AboutFault.NO_NAMESPACE)
        elif about.namespace == RIGHTS_NS and any(other.namespace == RIGHTS_NS for other in accepted):
            reasons.append(AboutFault.SECOND_RIGHTS)
        elif len(accepted) == MAX_ABOUTS:
            reasons.append(AboutFault.TOO_MANY)
        elif sum(len(one.element) for one in (*accepted, about)) > MAX_ABOUT_BYTES:
            reasons.append(AboutFault.TOO_LARGE)
        else:
            accepted.append(about)
    return tuple(accepted), reasons


def _size(steps: Sequence[Provenance]) -> int:
    return sum(
        len(text)
        for step in steps
        for text in (
            step.base_url,
            step.identifier,
            step.datestamp,
            step.metadata_namespace,
            step.harvest_date,
            step.link,
        )
    )
