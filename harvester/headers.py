"""The link's table: what the provider's headers last said (H40). The only writer of RemoteHeader.

Called by the worker that holds the link's run, inside the transaction that stores what the headers belong to (W29).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from catalogue import datestamps, oai
from harvester.models import RemoteHeader

State = RemoteHeader.State


@dataclass(frozen=True, slots=True)
class Known:
    """A row of the table, as far as a comparison needs it."""

    datestamp: datetime | None
    deleted: bool
    state: str

    def says(self, header: oai.Header, *, settled_before: datetime | None) -> bool:
        """Whether the provider says the same as before, so that the record need not be asked for.

        A datestamp in the granule of the last list's responseDate, or later, proves nothing: the record may have
        changed again in that granule.
        """
        stamp = datestamps.lenient(header.datestamp)
        return (
            self.state == State.HELD
            and stamp is not None
            and (stamp, header.deleted) == (self.datestamp, self.deleted)
            and settled_before is not None
            and stamp < settled_before
        )


def known(link_id: int, keys: Sequence[str]) -> dict[str, Known]:
    """What the table says of these keys."""
    rows = RemoteHeader.objects.filter(link_id=link_id, key__in=keys)
    return {
        key: Known(datestamp, deleted, state)
        for key, datestamp, deleted, state in rows.values_list("key", "datestamp", "deleted", "state")
    }


def note(link_id: int, said: Iterable[tuple[oai.Header, str]]) -> None:
    """Write down what headers said, each with the state it leads to; rows that say so already are not touched."""
    rows = {oai.identifier_key(header.identifier): (header, state) for header, state in said if header.identifier}
    if not rows:
        return
    columns: list[list[object]] = [[], [], [], [], []]
    for key, (header, state) in rows.items():
        stamp = datestamps.lenient(header.datestamp)
        for column, value in zip(columns, (key, header.identifier, stamp, header.deleted, str(state)), strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader AS held (link_id, key, identifier, datestamp, deleted, state)
            SELECT %s, * FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::boolean[], %s::text[])
            ON CONFLICT (link_id, key) DO UPDATE SET
                identifier = excluded.identifier, datestamp = excluded.datestamp, deleted = excluded.deleted,
                state = excluded.state
            WHERE (held.identifier, held.datestamp, held.deleted, held.state)
                IS DISTINCT FROM (excluded.identifier, excluded.datestamp, excluded.deleted, excluded.state)
            """,
            [link_id, *columns],
        )


def wanted(link_id: int, number: int) -> list[RemoteHeader]:
    """The next identifiers to ask for by GetRecord."""
    return list(RemoteHeader.objects.filter(link_id=link_id, state=State.WANTED).order_by("id")[:number])


def any_wanted(link_id: int) -> bool:
    return RemoteHeader.objects.filter(link_id=link_id, state=State.WANTED).exists()


def want(link_id: int, key: str) -> None:
    """Ask for this record in the link's next run."""
    RemoteHeader.objects.filter(link_id=link_id, key=key).update(state=State.WANTED)


def distrust(link_id: int) -> None:
    """Another provider speaks from now on: its datestamps are another clock's (W32), so none of these counts."""
    RemoteHeader.objects.filter(link_id=link_id).update(datestamp=None, state=State.HELD)
