"""Which of two versions of a record counts when both came by different ways (W33). Pure: values in, a word out.

The origin is the repository that a version first came from, as its provenance tells: the innermost step, or the
provider itself where it was asked directly and names no other.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from catalogue import datestamps, oai

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
