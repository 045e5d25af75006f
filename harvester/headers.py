"""The link's table: what the provider's headers last said (H40). The only writer of RemoteHeader.

Called by the worker that holds the link's run, inside the transaction that stores what the headers belong to (W29).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Q, QuerySet

from catalogue import datestamps, oai
from harvester.models import RemoteHeader, Run

State = RemoteHeader.State


@dataclass(frozen=True, slots=True)
class Known:
    """A row of the table, as far as a comparison needs it."""

    datestamp: datetime | None
    deleted: bool
    state: str

    def differs_from(self, header: oai.Header) -> bool:
        """Whether the provider has said something else since."""
        return (datestamps.lenient(header.datestamp), header.deleted) != (self.datestamp, self.deleted)

    def says(self, header: oai.Header, *, settled_before: datetime | None) -> bool:
        """Whether the provider says the same as before, so that the record need not be asked for.

        A datestamp in the granule of the last list's responseDate, or later, proves nothing: the record may have
        changed again in that granule.
        """
        settled = self.datestamp is not None and settled_before is not None and self.datestamp < settled_before
        return self.state == State.HELD and settled and not self.differs_from(header)


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


_TO_ASK = (State.WANTED, State.ABSENT)


def wanted(link_id: int, number: int) -> list[RemoteHeader]:
    """The next identifiers to ask for by GetRecord."""
    return list(RemoteHeader.objects.filter(link_id=link_id, state__in=_TO_ASK).order_by("id")[:number])


def any_wanted(link_id: int) -> bool:
    return RemoteHeader.objects.filter(link_id=link_id, state__in=_TO_ASK).exists()


def see(run: Run, keys: Sequence[str]) -> None:
    """A comparison has seen these listed."""
    RemoteHeader.objects.filter(link_id=run.link_id, key__in=keys).update(seen_in=run.pk)


def unseen(run: Run) -> QuerySet[RemoteHeader]:
    """What a comparison should have seen listed and did not: live rows of its window.

    The first slice has those, too, that the provider of today has never told of.
    """
    rows = RemoteHeader.objects.filter(link_id=run.link_id, state=State.HELD, deleted=False)
    rows = rows.exclude(seen_in=run.pk) if run.pk else rows
    if run.list_from is not None:
        rows = rows.filter(datestamp__gte=run.list_from)
    if run.list_until is not None:
        end = datestamps.end_of(run.list_until, datestamps.Granularity(run.granularity))
        within = Q(datestamp__lt=end)
        rows = rows.filter(within | Q(datestamp=None) if run.list_from is None else within)
    return rows


def drop_suspicion(link_id: int) -> None:
    """A comparison ended before it had asked for all that it missed: the next one looks for itself."""
    RemoteHeader.objects.filter(link_id=link_id, state=State.ABSENT).update(state=State.HELD)


def live(link_id: int) -> QuerySet[RemoteHeader]:
    """All that the link holds."""
    return RemoteHeader.objects.filter(link_id=link_id, deleted=False, state=State.HELD)


def vanish(rows: Sequence[RemoteHeader]) -> None:
    """The provider says that it does not know these."""
    RemoteHeader.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.VANISHED)


def want(link_id: int, key: str) -> None:
    """Ask for this record in the link's next run."""
    RemoteHeader.objects.filter(link_id=link_id, key=key).update(state=State.WANTED)


def distrust(link_id: int) -> None:
    """Another provider speaks from now on: its datestamps are another clock's (W32), so none of these counts."""
    RemoteHeader.objects.filter(link_id=link_id).update(datestamp=None, state=State.HELD)
