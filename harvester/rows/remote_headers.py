"""Write the headers that a link's providers gave last (H40): the link's table. The only writer of RemoteHeader.

Called by the worker that has the link's run, inside the transaction that stores what the headers belong to (W29).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Lower

from catalogue import datestamps, seams
from catalogue.writing.current import SourceDigests
from harvester.header import UNKNOWN, ReceivedHeader, is_unknown, unknown_key
from harvester.link_rules import Identifiers
from harvester.models import Alternative, Link, RemoteHeader, Run

State = RemoteHeader.State
_LENGTH_OF_A_DAY = len("YYYY-MM-DD")


class HeaderRow(NamedTuple):
    """A header to store. `digest`: of the version that was stored; where none was, the row keeps that of the last one."""

    header: ReceivedHeader
    state: str
    digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class KnownHeader:
    """A row of the table, as far as a comparison needs it."""

    datestamp: datetime | None
    deleted: bool
    state: str
    digest: bytes | None = None

    def differs_from(self, header: ReceivedHeader) -> bool:
        """Whether the provider gives another datestamp or status now."""
        return (header.stamp, header.deleted) != (self.datestamp, self.deleted)

    def is_later_than(self, header: ReceivedHeader) -> bool:
        """Whether a live version with a later datestamp than the header's was stored."""
        is_live = self.state == State.STORED and not (self.deleted or header.deleted)
        return is_live and self.datestamp is not None and header.stamp is not None and header.stamp < self.datestamp

    def differs_by_day(self, header: ReceivedHeader) -> bool:
        """As `differs_from`, but a header in days is only compared by the day.

        For providers that give days in lists of headers and seconds in lists of records.
        """
        if self.datestamp is None or header.stamp is None or len(header.datestamp) != _LENGTH_OF_A_DAY:
            return self.differs_from(header)
        return (header.stamp.date(), header.deleted) != (self.datestamp.date(), self.deleted)

    def proves_unchanged(self, header: ReceivedHeader, *, settled_before: datetime | None) -> bool:
        """Whether the record cannot have changed since it was stored, so that it need not be asked for.

        A datestamp in the granule of the last list's responseDate, or later, proves nothing: the record may have
        changed again in that granule.
        """
        settled = self.datestamp is not None and settled_before is not None and self.datestamp < settled_before
        return self.state == State.STORED and settled and not self.differs_from(header)

    def is_served(self, stored: SourceDigests | None) -> bool:
        """Whether the live record is what came with this header. A row of an earlier version has no digest."""
        if self.state in (State.REJECTED, State.VANISHED):
            return False
        return stored is not None and self.digest in (None, stored.served)

    def is_overruled(self, stored: SourceDigests | None) -> bool:
        """Whether the provider's version is stored as a claim, because another source's version counts."""
        if self.state != State.STORED or stored is None or stored.claimed in (None, stored.served):
            return False
        return self.digest in (None, stored.claimed)

    def is_current(self, stored: SourceDigests | None) -> bool:
        """Whether nothing is to be asked for: the version that came with this header is served, or stored as a claim."""
        return self.is_served(stored) or self.is_overruled(stored)


# --- Reading ----------------------------------------------------------------------------------------


def of_provider(link: Link) -> QuerySet[RemoteHeader]:
    """The rows of the provider that serves the link; each provider has its own (W32)."""
    return RemoteHeader.objects.filter(Q(alternative_id=link.serving_id), link_id=link.pk)


def live(link: Link) -> QuerySet[RemoteHeader]:
    """The rows of records that are stored as the provider gave them, and not deleted there."""
    return of_provider(link).filter(deleted=False, state=State.STORED)


def within(link: Link, begin: datetime, end: datetime) -> QuerySet[RemoteHeader]:
    """The rows with a datestamp from `begin` on and before `end`."""
    return of_provider(link).filter(datestamp__gte=begin, datestamp__lt=end)


def newest(link: Link, *, not_after: datetime) -> datetime | None:
    """The largest datestamp up to here."""
    rows = of_provider(link).filter(datestamp__lte=not_after)
    return rows.order_by("-datestamp").values_list("datestamp", flat=True).first()


def load_known(link: Link, keys: Sequence[str]) -> dict[str, KnownHeader]:
    """The rows of these keys, by key."""
    if not keys:
        return {}
    served_by = "alternative_id IS NULL" if link.serving_id is None else "alternative_id = %(serving)s"
    # For each page: Django takes longer to write the statement than PostgreSQL to run it.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key, datestamp, deleted, state, digest FROM harvester_remoteheader"
            f" WHERE link_id = %(link)s AND {served_by} AND key = ANY(%(keys)s)",
            {"link": link.pk, "serving": link.serving_id, "keys": list(keys)},
        )
        return {
            key: KnownHeader(datestamp, deleted, state, None if digest is None else bytes(digest))
            for key, datestamp, deleted, state, digest in cursor.fetchall()
        }


def keys_of_names(link: Link, names: Collection[str]) -> dict[str, str]:
    """The keys of the records that these names of the provider mean, by name."""
    rows = of_provider(link).filter(_is_named(names)).exclude(key__startswith=UNKNOWN)
    return dict(rows.values_list("identifier", "key"))


def names_of_keys(link: Link, keys: Collection[str]) -> dict[str, str]:
    """What the provider calls those of these records that it was seen to have, by key.

    Not what was seen before the link was edited, or another provider took over: that one may have other names.
    """
    rows = live(link).filter(key__in=keys, digest__isnull=False, datestamp__isnull=False)
    return dict(rows.values_list("key", "identifier"))


def keys_left(link: Link, keys: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name and key of each record that one of these names brought before. `keys`: what each brings now, by name."""
    rows = of_provider(link).filter(_is_named(keys), deleted=False, digest__isnull=False)
    return [(name, key) for name, key in rows.values_list("identifier", "key") if keys[name] != key]


def _is_named(names: Collection[str]) -> Q:
    """The condition of rows with these names, in a form that the indexes serve."""
    return Q(key__in=names, identifier=F("key")) | Q(~Q(identifier=F("key")), identifier__in=names)


def listed_as_live(link: Link, keys: Collection[str]) -> frozenset[str]:
    """Those of these keys that the provider had listed as live before."""
    return frozenset(of_provider(link).filter(key__in=keys, deleted=False).values_list("key", flat=True))


def identifiers_listed_as_live(link: Link, keys: Collection[str]) -> dict[str, str]:
    """The provider's own identifiers of those of these keys that it had listed as live before, by key."""
    return dict(of_provider(link).filter(key__in=keys, deleted=False).values_list("key", "identifier"))


def waiting_removals(link: Link, keys: Collection[str]) -> frozenset[str]:
    """Those of these keys whose deletion waits for an operator, whichever provider of the link sent it."""
    waiting = RemoteHeader.objects.filter(link_id=link.pk, key__in=keys, removed_at__isnull=False, deleted=False)
    return frozenset(waiting.values_list("key", flat=True))


def count_removals(link: Link, *, since: datetime) -> int:
    """How many records the link's providers have removed since then: their deletions are stored, or wait."""
    return RemoteHeader.objects.filter(link_id=link.pk, removed_at__gt=since).count()


def count_left(link: Link, *, without: Collection[str], at_most: int | None) -> int:
    """How many records the provider lists as live, but for these and those whose deletion has come; `at_most` are counted."""
    rows = of_provider(link).filter(deleted=False, removed_at=None).exclude(state=State.VANISHED)
    if link.serving_since is not None:  # this provider may not know yet what another one has deleted
        removed = RemoteHeader.objects.filter(link_id=link.pk, removed_at__isnull=False)
        rows = rows.exclude(key__in=removed.values("key"))
    return rows.exclude(key__in=without)[:at_most].count()


_TO_REQUEST = (State.WANTED, State.ABSENT, State.DOUBTFUL, State.UNPROVEN)


def next_to_request(link: Link, number: int) -> list[RemoteHeader]:
    """The next identifiers to ask for by GetRecord, so many at most."""
    return list(of_provider(link).filter(state__in=_TO_REQUEST).order_by("id")[:number])


def any_to_request(link: Link) -> bool:
    return of_provider(link).filter(state__in=_TO_REQUEST).exists()


def unseen(run: Run) -> QuerySet[RemoteHeader]:
    """The live rows of a comparison's window that the provider did not list.

    The first slice has those, too, that this provider has never listed.
    """
    rows = of_provider(run.link).filter(state=State.STORED, deleted=False)
    rows = rows.exclude(seen_in=run.pk) if run.pk else rows
    if run.list_from is not None:
        rows = rows.filter(datestamp__gte=run.list_from)
    if run.list_until is not None:
        end = datestamps.end_of(run.list_until, datestamps.Granularity(run.granularity))
        is_within = Q(datestamp__lt=end)
        rows = rows.filter(is_within | Q(datestamp=None) if run.list_from is None else is_within)
    return rows


# --- Writing ----------------------------------------------------------------------------------------


def record(link: Link, headers: Iterable[HeaderRow], *, removed: Collection[str] = ()) -> None:
    """Store headers as the provider gave them, each with its new state; rows that are the same already stay untouched.

    `removed`: keys of records that were live here and that the provider deletes now. The time when that came stays until
    the record is live again, so that a deletion that is repeated is counted once.
    """
    rows = {row.header.key: row for row in headers if row.header.identifier}
    if not rows:
        return
    now = seams.now()
    columns: list[list[object]] = [[], [], [], [], [], [], []]
    for key, (header, state, digest) in rows.items():
        removed_at = now if key in removed else None
        values = (key, header.identifier, header.stamp, header.deleted, str(state), digest, removed_at)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader AS stored
                (link_id, alternative_id, key, identifier, datestamp, deleted, state, digest, removed_at)
            SELECT %s, %s, * FROM unnest(
                %s::text[], %s::text[], %s::timestamptz[], %s::boolean[], %s::text[], %s::bytea[], %s::timestamptz[]
            )
            ON CONFLICT (link_id, alternative_id, key) DO UPDATE SET
                identifier = excluded.identifier, datestamp = excluded.datestamp, deleted = excluded.deleted,
                state = excluded.state,
                digest = CASE WHEN excluded.state = %s THEN excluded.digest ELSE stored.digest END,
                removed_at = CASE WHEN excluded.deleted OR excluded.removed_at IS NOT NULL
                    THEN coalesce(stored.removed_at, excluded.removed_at) END
            WHERE (stored.identifier, stored.datestamp, stored.deleted, stored.state)
                IS DISTINCT FROM (excluded.identifier, excluded.datestamp, excluded.deleted, excluded.state)
                OR excluded.state = %s AND stored.digest IS DISTINCT FROM excluded.digest
                OR (stored.removed_at IS NULL) <> (excluded.removed_at IS NULL) AND NOT excluded.deleted
            """,
            [link.pk, link.serving_id, *columns, State.STORED.value, State.STORED.value],
        )
    if link.identifiers == Identifiers.FILE:  # what these names mean is known now
        known = [unknown_key(header.identifier) for key, (header, _, _) in rows.items() if not is_unknown(key)]
        of_provider(link).filter(key__in=known).delete()
    if link.serving_since is not None:
        is_live = {key for key, (header, state, _) in rows.items() if state == State.STORED and not header.deleted}
        _forget_other_removals(link, is_live.union(removed))


def _forget_other_removals(link: Link, keys: Collection[str]) -> None:
    """Clear that other providers of the link have removed these records: they are live again, or removed by this one."""
    others = RemoteHeader.objects.filter(link_id=link.pk, key__in=keys, removed_at__isnull=False)
    others.exclude(Q(alternative_id=link.serving_id)).update(removed_at=None)


def mark_replaced(link: Link, keys: Collection[str]) -> None:
    """Store that these spellings are no more, as the record has another one: no deletion that counts, and no doubt (F74)."""
    rows = RemoteHeader.objects.filter(link_id=link.pk, key__in=keys)
    rows.update(deleted=True, state=State.STORED, digest=None, removed_at=None)


def forget_removals_of(link: Link, folded: Collection[str]) -> None:
    """Let the deletions of these spellings not count, as the records arrive with others (F74). `folded`: `oai.folded`."""
    rows = RemoteHeader.objects.filter(link_id=link.pk, deleted=True, removed_at__isnull=False)
    rows.alias(folded=Lower("key")).filter(folded__in=folded).update(removed_at=None)


def limit_removals(link: Link, *, to: datetime) -> None:
    """Let no removal be later than this: our clock may have been ahead when it was stored."""
    RemoteHeader.objects.filter(link_id=link.pk, removed_at__gt=to).update(removed_at=to)


def request(link: Link, keys: Collection[str]) -> int:
    """Ask for these records in the link's next run. Returns how many of them its provider has given before."""
    return of_provider(link).filter(key__in=keys).update(state=State.WANTED)


def mark_seen(run: Run, keys: Sequence[str]) -> None:
    """Store that a comparison found these in the provider's list."""
    of_provider(run.link).filter(key__in=keys).update(seen_in=run.pk)


def mark_absent(rows: QuerySet[RemoteHeader]) -> None:
    """Ask for the rows that `unseen` gave, by GetRecord, in the same run."""
    rows.update(state=State.ABSENT)


def clear_unasked(link: Link) -> None:
    """Clear what a comparison has not asked for before it ended: the next one lists and compares again."""
    of_provider(link).filter(state__in=(State.ABSENT, State.UNPROVEN)).update(state=State.STORED)


def mark_vanished(rows: Sequence[RemoteHeader]) -> None:
    """Store that the provider answers idDoesNotExist for these."""
    RemoteHeader.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.VANISHED)


def mark_deleted(link: Link, keys: Collection[str], *, deleted: bool = True) -> None:
    """Store that these records are deleted, or live, at the provider that serves the link."""
    of_provider(link).filter(key__in=keys).update(deleted=deleted)


def forget_datestamps(link: Link) -> None:
    """Clear the datestamps of all the link's providers, as the link asks for something else from now on."""
    _forget_unknown(link)
    RemoteHeader.objects.filter(link_id=link.pk).update(datestamp=None, state=State.STORED)


def forget_unstored(link: Link) -> None:
    """Delete the rows of what is not stored, as identifiers are read in another way from now on.

    A row of an earlier version has no digest, though its record is stored.
    """
    is_stored = Q(state=State.STORED, deleted=False)
    RemoteHeader.objects.filter(~is_stored, link_id=link.pk, digest=None).delete()


def _forget_unknown(link: Link) -> None:
    """Delete the rows of names that are not known to mean a record."""
    RemoteHeader.objects.filter(link_id=link.pk, key__startswith=UNKNOWN).delete()


# --- When another provider takes over ---------------------------------------------------------------


def prepare_for_whole_list(link: Link, to: Alternative | None) -> None:
    """Fill this provider's rows with all live identifiers of the present one, and clear its datestamps (W31, W32).

    So the comparison after its whole list misses nothing that is stored, and nothing that it gave before counts.
    """
    to_id = to.pk if to else None
    _forget_unknown(link)
    RemoteHeader.objects.filter(Q(alternative_id=to_id), link_id=link.pk).update(datestamp=None, state=State.STORED)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader (link_id, alternative_id, key, identifier, deleted, state)
            SELECT link_id, %(to)s, key, CASE WHEN %(by_key)s THEN key ELSE identifier END, false, %(stored)s
            FROM harvester_remoteheader
            WHERE link_id = %(link)s AND alternative_id IS NOT DISTINCT FROM %(leaving)s AND NOT deleted
            ON CONFLICT (link_id, alternative_id, key) DO NOTHING
            """,
            {
                "link": link.pk,
                "to": to_id,
                "leaving": link.serving_id,
                "stored": State.STORED.value,
                "by_key": link.identifiers == Identifiers.FILE,  # the other provider's names are not this one's
            },
        )


def mark_doubtful(link: Link, to: Alternative | None, identifiers: Mapping[str, str]) -> None:
    """Ask this provider for these records in its next run, as they changed here while another one served the link.

    `identifiers`: by key.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_remoteheader (link_id, alternative_id, key, identifier, deleted, state)
            SELECT %s, %s, key, identifier, false, %s FROM unnest(%s::text[], %s::text[]) AS doubtful (key, identifier)
            ON CONFLICT (link_id, alternative_id, key) DO UPDATE SET state = excluded.state
            """,
            [
                *(link.pk, to.pk if to else None, State.DOUBTFUL.value),
                *(list(identifiers), list(identifiers.values())),
            ],
        )
