"""Read the history of one record: its states, the change that began each of them, and the content that each had."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Q

from catalogue import datestamps
from catalogue.models import Record, RecordVersion
from catalogue.payloads import payload


class Change(StrEnum):
    """What began a state of a record."""

    FIRST = "first"  # known: the states before it are not kept, or there were none
    CHANGED = "changed"
    DELETED = "deleted"
    RETURNED = "returned"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class State:
    """A state of a record. `datestamp`: the last that it had in it. `owner`: a setSpec. `link`: that its content came by.

    `change` began it at `began` (None for the first known one), brought by the link `by`, or by `who` at this node, with an
    `act` of `RecordVersion.Act` and a `reason` where a person gave one. `version`: the key of its row; None for the present
    state. `differs`: whether its content is another than that of the state before.
    """

    number: int
    version: int | None
    datestamp: datetime
    deleted: bool
    owner: str
    link: str
    metadata_date: datetime | None
    digest: bytes | None
    has_payload: bool
    change: Change = Change.FIRST
    began: datetime | None = None
    by: str = ""
    who: str = ""
    act: str = ""
    reason: str = ""
    differs: bool = True

    @property
    def is_current(self) -> bool:
        return self.version is None

    def report(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "number": self.number,
            "current": self.is_current,
            "change": str(self.change),
            "began": self.began and datestamps.write(self.began),
            "datestamp": datestamps.write(self.datestamp),
            "deleted": self.deleted,
            "set": self.owner,
            "source": self.link,
            "metadata_date": self.metadata_date and datestamps.write(self.metadata_date),
            "by_link": self.by,
            "who": self.who,
            "act": self.act,
            "reason": self.reason,
        }


_COLUMNS = ("number", "pk", "datestamp", "deleted", "owner", "link", "metadata_date", "digest", "packed")


def states(record: Record) -> list[State]:
    """Return the known states of a record, the present one first. Reads no payload."""
    rows = list(record.versions.defer("payload").annotate(packed=Q(payload__isnull=False)).order_by("number"))
    found = [State(*(_plain(getattr(row, column)) for column in _COLUMNS)) for row in rows]
    found.append(
        State(
            found[-1].number + 1 if found else 1,
            None,
            record.datestamp,
            record.deleted,
            record.owner.spec,
            (record.provenance or {}).get("link", ""),
            record.metadata_date,
            _plain(record.digest),
            not record.deleted,
        )
    )
    return [*_with_changes(found, rows)][::-1]


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _with_changes(found: list[State], rows: Sequence[RecordVersion]) -> Iterator[State]:
    yield found[0]
    for before, state, row in zip(found, found[1:], rows, strict=False):
        yield replace(
            state,
            change=_change(before, state),
            began=row.ended,
            by=row.ended_by,
            who=row.who,
            act=row.act,
            reason=row.reason,
            differs=before.digest != state.digest,
        )


def _change(before: State, after: State) -> Change:
    if before.deleted != after.deleted:
        return Change.DELETED if after.deleted else Change.RETURNED
    return Change.MOVED if before.owner != after.owner else Change.CHANGED


def element_of(record: Record, known: list[State], number: int) -> bytes | None:
    """Return the root element that a state had, of `states(record)`; None if it was deleted, or its content is not kept.

    Where only the owner changed, the content is that of the state after it. Raises payload.PayloadDamaged.
    """
    wanted = next((state for state in known if state.number == number), None)
    if wanted is None or wanted.digest is None:
        return None
    same = [state for state in reversed(known) if state.number >= number and state.digest == wanted.digest]
    holder = next((state for state in same if state.has_payload), None)
    if holder is None:
        return None
    if holder.version is None:
        return None if record.payload is None else payload.unpack(record.payload)
    row = RecordVersion.objects.filter(pk=holder.version).values_list("payload", flat=True).first()
    return None if row is None else payload.unpack(row)
