"""The link's table: what the provider's headers last said (H40). The only writer of RemoteHeader.

Called by the worker that holds the link's run, inside the transaction that stores what the headers belong to (W29).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Q, QuerySet

from catalogue import datestamps, oai
from harvester.models import Alternative, Link, RemoteHeader, Run

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


def of(link: Link) -> QuerySet[RemoteHeader]:
    """The rows of the provider that serves the link; each provider has its own (W32)."""
    return RemoteHeader.objects.filter(Q(alternative_id=link.serving_id), link_id=link.pk)


def known(link: Link, keys: Sequence[str]) -> dict[str, Known]:
    """What the table says of these keys."""
    return {
        key: Known(datestamp, deleted, state)
        for key, datestamp, deleted, state in of(link)
        .filter(key__in=keys)
        .values_list("key", "datestamp", "deleted", "state")
    }


def note(link: Link, said: Iterable[tuple[oai.Header, str]]) -> None:
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
            INSERT INTO harvester_remoteheader AS held
                (link_id, alternative_id, key, identifier, datestamp, deleted, state)
            SELECT %s, %s, * FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::boolean[], %s::text[])
            ON CONFLICT (link_id, alternative_id, key) DO UPDATE SET
                identifier = excluded.identifier, datestamp = excluded.datestamp, deleted = excluded.deleted,
                state = excluded.state
            WHERE (held.identifier, held.datestamp, held.deleted, held.state)
                IS DISTINCT FROM (excluded.identifier, excluded.datestamp, excluded.deleted, excluded.state)
            """,
            [link.pk, link.serving_id, *columns],
        )


_TO_ASK = (State.WANTED, State.ABSENT, State.DOUBTED)


def wanted(link: Link, number: int) -> list[RemoteHeader]:
    """The next identifiers to ask for by GetRecord."""
    return list(of(link).filter(state__in=_TO_ASK).order_by("id")[:number])


def any_wanted(link: Link) -> bool:
    return of(link).filter(state__in=_TO_ASK).exists()


def mark_seen(run: Run, keys: Sequence[str]) -> None:
    """A comparison has seen these listed."""
    of(run.link).filter(key__in=keys).update(seen_in=run.pk)


def unseen(run: Run) -> QuerySet[RemoteHeader]:
    """What a comparison should have seen listed and did not: live rows of its window.

    The first slice has those, too, that the provider of today has never told of.
    """
    rows = of(run.link).filter(state=State.HELD, deleted=False)
    rows = rows.exclude(seen_in=run.pk) if run.pk else rows
    if run.list_from is not None:
        rows = rows.filter(datestamp__gte=run.list_from)
    if run.list_until is not None:
        end = datestamps.end_of(run.list_until, datestamps.Granularity(run.granularity))
        within = Q(datestamp__lt=end)
        rows = rows.filter(within | Q(datestamp=None) if run.list_from is None else within)
    return rows


def mark_absent(unseen: QuerySet[RemoteHeader]) -> None:
    """Ask for these in the run that did not see them; `unseen`: as the function of that name gave them."""
    unseen.update(state=State.ABSENT)


def drop_suspicion(link: Link) -> None:
    """A comparison ended before it had asked for all that it missed: the next one looks for itself."""
    of(link).filter(state=State.ABSENT).update(state=State.HELD)


def live(link: Link) -> QuerySet[RemoteHeader]:
    """All that the link holds."""
    return of(link).filter(deleted=False, state=State.HELD)


def vanish(rows: Sequence[RemoteHeader]) -> None:
    """The provider says that it does not know these."""
    RemoteHeader.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.VANISHED)


def request(link: Link, key: str) -> None:
    """Ask for this record in the link's next run."""
    of(link).filter(key=key).update(state=State.WANTED)


def mark_deleted(link: Link, key: str) -> None:
    """Store that the provider of today has this record no more."""
    of(link).filter(key=key).update(deleted=True)


def distrust(link: Link) -> None:
    """The link asks for something else from now on: none of these datestamps counts."""
    RemoteHeader.objects.filter(link_id=link.pk).update(datestamp=None, state=State.HELD)


# --- When another provider takes over ---------------------------------------------------------------


def begin_anew(link: Link, to: Alternative | None) -> None:
    """All that is held is looked for at this provider, and nothing that it said before counts (W31, W32)."""
    to_id = to.pk if to else None
    RemoteHeader.objects.filter(Q(alternative_id=to_id), link_id=link.pk).update(datestamp=None, state=State.HELD)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader (link_id, alternative_id, key, identifier, deleted, state)
            SELECT link_id, %(to)s, key, identifier, false, %(held)s FROM harvester_remoteheader
            WHERE link_id = %(link)s AND alternative_id IS NOT DISTINCT FROM %(leaving)s AND NOT deleted
            ON CONFLICT (link_id, alternative_id, key) DO NOTHING
            """,
            {"link": link.pk, "to": to_id, "leaving": link.serving_id, "held": State.HELD.value},
        )


def mark_doubtful(link: Link, to: Alternative | None, identifiers: Mapping[str, str]) -> None:
    """Ask this provider for these records, by key, in its next run: it has not said what the catalogue now says."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader AS held (link_id, alternative_id, key, identifier, deleted, state)
            SELECT %s, %s, key, identifier, false, %s FROM unnest(%s::text[], %s::text[]) AS doubted (key, identifier)
            ON CONFLICT (link_id, alternative_id, key) DO UPDATE SET state = excluded.state
            """,
            [
                *(link.pk, to.pk if to else None, State.DOUBTED.value),
                *(list(identifiers), list(identifiers.values())),
            ],
        )
