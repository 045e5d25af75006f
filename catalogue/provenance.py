"""Read and build provenance, and decide which of two versions of a record is newer (W33). Pure: no database, no clock.

The origin of a version is the repository that it first came from: the innermost step of its provenance, or the
provider itself if it was asked directly and names no other. The abouts of a record (P126) are stored in its provenance.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from catalogue import datestamps, oai
from catalogue.oai import OAI_NS, RIGHTS_NS

_NO_DATE = datetime.min.replace(tzinfo=UTC)


class Origin(NamedTuple):
    """The repository that a version first came from. `repository`: its base URL, empty if not known.

    `key` and `datestamp`: the record's there. `direct`: it came from there without a relay between.
    """

    repository: str = ""
    key: str = ""
    datestamp: datetime | None = None
    direct: bool = True


LOCAL_ORIGIN = Origin()  # of records loaded at this node


def origin_of(provenance: Mapping[str, Any] | None) -> Origin:
    """Return the origin that a provenance names. Its field `relayed`: the provider passes on records of others."""
    if not provenance or not provenance.get("baseURL"):
        return LOCAL_ORIGIN
    step: Mapping[str, Any] = provenance
    while isinstance(step.get("origin"), Mapping):
        step = step["origin"]
    direct = step is provenance and not provenance.get("relayed")
    if step is provenance and not direct:
        return Origin(direct=False)
    repository = str(step.get("baseURL", "")).rstrip("/").casefold()
    key = oai.identifier_key(str(step.get("identifier", "")))
    return Origin(repository, key, datestamps.lenient(str(step.get("datestamp", ""))), direct)


def compare_versions(
    offered: Origin, offered_date: datetime | None, current: Origin, current_date: datetime | None
) -> tuple[bool, str]:
    """Return whether the offered version is newer than the current one, and what decided. The dates are gmd:dateStamp.

    What decided is the end of a sentence: "which counts by gmd:dateStamp".
    """
    if (
        offered.repository
        and (offered.repository, offered.key) == (current.repository, current.key)
        and offered.datestamp is not None
        and current.datestamp is not None
        and offered.datestamp != current.datestamp
    ):
        return offered.datestamp > current.datestamp, "by their datestamps at the origin of both"
    offered_date, current_date = offered_date or _NO_DATE, current_date or _NO_DATE
    if offered_date != current_date:
        return offered_date > current_date, "by gmd:dateStamp"
    if offered.direct != current.direct:
        return offered.direct, "because it came from its origin directly"
    return False, "because it was stored first and nothing shows which one is newer"


# How many steps of provenance are stored. More steps than there are centres means that the record went in circles.
MAX_ORIGINS = 16  # chosen
MAX_ORIGIN_CHARS = 16_000  # chosen: all texts of the steps together
# How much is stored of the abouts of a record (P126).
MAX_ABOUTS = 8  # chosen
MAX_ABOUT_BYTES = 16_000  # chosen: those of one record together


class About(NamedTuple):
    """The content of an `about`: one element as UTF-8 bytes with all its namespace declarations, and its namespace."""

    namespace: str
    element: bytes


def limit_steps(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the steps of a record's provenance, latest first, without those in the middle that exceed the limits (P123).

    The latest step, which is ours, and the first one, which names the origin (W33), are dropped last.
    """
    limited = list(steps)
    while len(limited) > 1 and (len(limited) > MAX_ORIGINS or _size(limited) > MAX_ORIGIN_CHARS):
        del limited[-2 if len(limited) > 2 else -1]
    return limited


def limit_abouts(abouts: Iterable[About]) -> tuple[tuple[About, ...], list[str]]:
    """Return the abouts that may be served (P126), and for each of the others the reason, as the end of a sentence.

    OAI-PMH.xsd wants them in a namespace other than its own (P48). Only the first package of rights is accepted.
    """
    accepted: list[About] = []
    reasons = []
    for about in abouts:
        if about.namespace in ("", OAI_NS):
            reasons.append("because it is in no namespace of its own")
        elif about.namespace == RIGHTS_NS and any(other.namespace == RIGHTS_NS for other in accepted):
            reasons.append("because it is a second package of rights")
        elif len(accepted) == MAX_ABOUTS:
            reasons.append(f"because there are more than {MAX_ABOUTS}")
        elif sum(len(one.element) for one in (*accepted, about)) > MAX_ABOUT_BYTES:
            reasons.append(f"because the abouts of a record may have {MAX_ABOUT_BYTES} bytes together")
        else:
            accepted.append(about)
    return tuple(accepted), reasons


def _size(steps: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(value) for step in steps for value in step.values() if isinstance(value, str))


ABOUTS_KEY = "abouts"


def with_abouts(provenance: Mapping[str, Any], abouts: Iterable[About]) -> dict[str, Any]:
    """Return the provenance with these abouts stored in it."""
    stored = [[about.namespace, about.element.decode()] for about in abouts]
    return {**provenance, ABOUTS_KEY: stored} if stored else dict(provenance)


def abouts_of(provenance: Mapping[str, Any]) -> list[About]:
    """Return the abouts that are stored in a provenance."""
    return [About(namespace, element.encode()) for namespace, element in provenance.get(ABOUTS_KEY, ())]
