"""Which of two versions of a record counts when both came by different ways (W33). Pure: values in, a word out.

The origin is the repository that a version first came from, as its provenance tells: the innermost step, or the
provider itself where it was asked directly and names no other.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from catalogue import datestamps, oai
from catalogue.oai import OAI_NS, RIGHTS_NS

_NO_DATE = datetime.min.replace(tzinfo=UTC)


class Origin(NamedTuple):
    """Where a version comes from. `repository` is empty where that is not known; `datestamp` is its datestamp there.

    `direct`: it came from there without a relay between.
    """

    repository: str = ""
    key: str = ""
    datestamp: datetime | None = None
    direct: bool = True


OURS = Origin()  # made here: nobody is between


def origin(provenance: Mapping[str, Any] | None) -> Origin:
    """The origin that a provenance leads to. `relayed`: the provider that it names passes on what others made."""
    if not provenance or not provenance.get("baseURL"):
        return OURS
    step: Mapping[str, Any] = provenance
    while isinstance(step.get("origin"), Mapping):
        step = step["origin"]
    direct = step is provenance and not provenance.get("relayed")
    if step is provenance and not direct:
        return Origin(direct=False)
    repository = str(step.get("baseURL", "")).rstrip("/").casefold()
    key = oai.identifier_key(str(step.get("identifier", "")))
    return Origin(repository, key, datestamps.lenient(str(step.get("datestamp", ""))), direct)


def takes_over(
    offered: Origin, offered_date: datetime | None, held: Origin, held_date: datetime | None
) -> tuple[bool, str]:
    """Whether the version offered takes the place of the one held, and what decided. The dates are gmd:dateStamp."""
    if (
        offered.repository
        and (offered.repository, offered.key) == (held.repository, held.key)
        and offered.datestamp is not None
        and held.datestamp is not None
        and offered.datestamp != held.datestamp
    ):
        return offered.datestamp > held.datestamp, "by their datestamps at the origin of both"
    offered_date, held_date = offered_date or _NO_DATE, held_date or _NO_DATE
    if offered_date != held_date:
        return offered_date > held_date, "by gmd:dateStamp"
    if offered.direct != held.direct:
        return offered.direct, "as one came from its origin directly"
    return False, "as it was here first, and nothing tells which is newer"


# How much is kept of where a record has been. A way of more steps than there are centres has gone in circles.
MAX_ORIGINS = 16  # chosen
MAX_ORIGIN_CHARS = 16_000  # chosen: all texts of the steps together
# How much is kept of what else is said beside a record (P126).
MAX_ABOUTS = 8  # chosen
MAX_ABOUT_BYTES = 16_000  # chosen: those of one record together


class About(NamedTuple):
    """A container that came in an `about`: UTF-8 bytes of one element that stands by itself, and its namespace."""

    namespace: str
    element: bytes


def bounded_way(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The steps of a record's way, latest first, without those in the middle that are too many or too long (P123).

    The latest step, which is ours, and the first one, which names the origin (W33), stay longest.
    """
    kept = list(steps)
    while len(kept) > 1 and (len(kept) > MAX_ORIGINS or _size(kept) > MAX_ORIGIN_CHARS):
        del kept[-2 if len(kept) > 2 else -1]
    return kept


def bounded_abouts(abouts: Iterable[About]) -> tuple[tuple[About, ...], list[str]]:
    """Those that may be passed on (P126), and why others are not, each as the end of a sentence.

    OAI-PMH.xsd has them in a namespace other than its own (P48); of rights there is one package at most, the first.
    """
    kept: list[About] = []
    reasons = []
    for about in abouts:
        if about.namespace in ("", OAI_NS):
            reasons.append("because it is in no namespace of its own")
        elif about.namespace == RIGHTS_NS and any(other.namespace == RIGHTS_NS for other in kept):
            reasons.append("because it is a second package of rights")
        elif len(kept) == MAX_ABOUTS:
            reasons.append(f"because there are more than {MAX_ABOUTS}")
        elif sum(len(one.element) for one in (*kept, about)) > MAX_ABOUT_BYTES:
            reasons.append(f"because the abouts of a record may have {MAX_ABOUT_BYTES} bytes together")
        else:
            kept.append(about)
    return tuple(kept), reasons


def _size(steps: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(value) for step in steps for value in step.values() if isinstance(value, str))


ABOUTS_KEY = "abouts"


def with_abouts(provenance: Mapping[str, Any], abouts: Iterable[About]) -> dict[str, Any]:
    """The provenance, and what came beside it."""
    kept = [[about.namespace, about.element.decode()] for about in abouts]
    return {**provenance, ABOUTS_KEY: kept} if kept else dict(provenance)


def abouts_of(provenance: Mapping[str, Any]) -> list[About]:
    """What came beside it."""
    return [About(namespace, element.encode()) for namespace, element in provenance.get(ABOUTS_KEY, ())]
