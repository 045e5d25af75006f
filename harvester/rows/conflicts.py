"""Write conflicts: record them as a link brings them, and settle them. The only writer of Conflict.

Records are written by `catalogue.writing.store` alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from catalogue import oai, seams
from catalogue.models import Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reasons import Facts, Reason
from catalogue.writing import claims
from catalogue.writing.entry import PreparedEntry
from harvester.messages import limit_facts
from harvester.models import Conflict, Link, Run
from harvester.reasons import ActCode, EntryCode, SettlementCode
from harvester.rows import remote_headers

Kind = Conflict.Kind
MAX_OLD_SPELLINGS = 1000  # chosen: conflicts of a link about the spelling of identifiers
_STAYS_SETTLED = (SettlementCode.LEFT, SettlementCode.AS_WRITTEN, SettlementCode.SILENCED)


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """What a link brought of one identifier, and how the catalogue differs; `kind` is None where they agree, else there is a reason."""

    entry: PreparedEntry
    raw: bytes | None
    kind: Kind | None
    reason: Reason | None
    provenance: Provenance | None = None


def record(run: Run, reports: Sequence[ConflictReport]) -> None:
    """Store who disagrees, and settle the conflicts of those that agree again; in the caller's transaction.

    What an operator has left as it is stays settled for as long as the provider brings the same, and what was silenced for
    as long as it brings any version. What was settled otherwise waits again: the disagreement was over, and has come back.
    """
    if all(report.kind is None for report in reports) and not (
        Conflict.objects.filter(link=run.link_id, settled=None).exists()
    ):
        return  # as for nearly every page: the link has none that waits
    now = seams.now()
    by_key = {report.entry.key: report for report in reports}
    found = Conflict.objects.filter(link=run.link_id, key__in=list(by_key)).defer("ours", "ours_provenance")
    rows = {row.key: row for row in found}
    new, changed = [], []
    for key, report in by_key.items():
        row = rows.get(key)
        if report.kind is None:
            if row is not None and row.settled is None:
                row.settled, row.settlement, row.settlement_data = now, SettlementCode.AGREED, {}
                changed.append(row)
            continue
        assert report.reason is not None, "a conflict has a reason"
        digest = report.entry.digest
        if row is None:
            row = Conflict(link_id=run.link_id, key=key, first_seen=now)
            new.append(row)
        else:
            is_same = (row.kind, _as_bytes(row.digest)) == (report.kind, digest)
            is_silenced = row.settlement == SettlementCode.SILENCED and row.kind == report.kind and digest is not None
            if row.settled is not None and not (is_silenced or (is_same and row.settlement in _STAYS_SETTLED)):
                row.settled, row.settlement, row.settlement_data = None, "", {}
            changed.append(row)
        row.identifier, row.kind, row.last_seen = report.entry.identifier, report.kind, now
        row.reason, row.reason_data = report.reason.code, limit_facts(report.reason.facts)
        row.digest, row.raw, row.metadata_date = digest, report.raw, report.entry.metadata_date
        row.provenance = None if report.provenance is None else report.provenance.to_json()
    Conflict.objects.bulk_create(new)
    Conflict.objects.bulk_update(
        changed,
        [
            "identifier",
            "kind",
            "reason",
            "reason_data",
            "last_seen",
            "digest",
            "raw",
            "provenance",
            "metadata_date",
            "settled",
            "settlement",
            "settlement_data",
        ],
    )


class Spellings(NamedTuple):
    """What of a link's records is spelled in two ways: how many records flap, and whether `record_old_spellings` has to look."""

    flapping: int
    are_disputed: bool


def load_spellings(link: Link) -> Spellings:
    """Return what of a link's records is spelled in two ways (F74, W47)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT (SELECT count(*) FROM catalogue_record WHERE spelling <> '' AND owner_id = %(set)s),
                EXISTS (SELECT FROM catalogue_claim WHERE spelling <> '' AND set_id = %(set)s AND source = %(source)s)
                OR EXISTS (SELECT FROM harvester_conflict WHERE settled IS NULL AND link_id = %(link)s AND reason = %(old)s)
            """,
            {"set": link.local_set_id, "source": link.name, "link": link.pk, "old": EntryCode.OLD_SPELLING.value},
        )
        return Spellings(*cursor.fetchone())


def record_old_spellings(run: Run) -> None:
    """Record conflicts about what the link claims by another spelling than the owner's, and settle those that are over (W47).

    Called at the end of a complete list. What was claimed so before it began still stands.
    """
    link = run.link
    standing = claims.load_spelled_otherwise(link.local_set_id, link.name, before=run.begun, at_most=MAX_OLD_SPELLINGS)
    if standing:
        record(run, [_report_old_spelling(claim) for claim in standing])
    over = Conflict.objects.filter(link=link, settled=None, reason=EntryCode.OLD_SPELLING)
    for conflict in over.exclude(key__in=[claim.key for claim in standing]).defer("raw", "ours"):
        close(conflict)


def _report_old_spelling(claim: claims.SpelledClaim) -> ConflictReport:
    entry = PreparedEntry(claim.spelling, claim.key, claim.digest, claim.metadata_date, b"")
    reason = Reason(EntryCode.OLD_SPELLING, {"spelling": claim.spelling, "stored": claim.stored, "owner": claim.owner})
    raw = payload.unpack_or_log(claim.packed, identifier=claim.spelling)
    return ConflictReport(entry, raw, Kind.DIFFERS, reason, claim.provenance)


# Conflicts whose record agrees with the provider by now, whoever has written it: as live, or as deleted. What a run is
# about to store is left to it, so that neither waits for the other.
_AGREED = f"""
    UPDATE harvester_conflict SET settled = %(now)s, settlement = '{SettlementCode.AGREED}', settlement_data = '{{}}'
    WHERE id IN (
        SELECT c.id FROM harvester_conflict c JOIN catalogue_record r ON r.key = c.key
        WHERE c.settled IS NULL AND (
            r.deleted AND c.digest IS NULL
            OR NOT r.deleted AND c.digest = r.digest AND c.kind IN ('{Kind.DIFFERS}', '{Kind.OFFERED}')
        )
        FOR UPDATE OF c SKIP LOCKED
    )
"""


def settle_agreed() -> None:
    """Settle the conflicts that a later harvest, an upload or a withdrawal has settled.

    A record of our own set that was misplaced, and is withdrawn, is asked for again: it is the provider's now (W23).
    """
    with connection.cursor() as cursor:
        cursor.execute(_AGREED, {"now": seams.now()})
    withdrawn = Exists(Record.objects.filter(key=OuterRef("key"), deleted=True))
    misplaced = Conflict.objects.filter(withdrawn, kind=Kind.MISPLACED, settled=None)
    for conflict in misplaced.select_related("link").defer("raw", "ours"):
        with transaction.atomic():
            request_versions(conflict.link, [conflict])
            close(conflict)


def close(conflict: Conflict) -> None:
    """Settle a conflict about which nothing is left to decide, unless a run has seen it again meanwhile."""
    Conflict.objects.filter(pk=conflict.pk, last_seen=conflict.last_seen).update(**_outdated())


def close_all(link: Link) -> None:
    """Settle all conflicts of a link that asks for something else from now on: what is still so is found again."""
    Conflict.objects.filter(link=link, settled=None).update(**_outdated())


def _outdated() -> dict[str, Any]:
    return {"settled": seams.now(), "settlement": SettlementCode.OUTDATED, "settlement_data": {}}


def request_versions(link: Link, found: Iterable[Conflict]) -> None:
    """Ask for the provider's versions in the next run; the provider may spell the identifiers otherwise (F74)."""
    keys = {key for conflict in found for key in (conflict.key, oai.oai_identifier(conflict.identifier))}
    remote_headers.request(link, keys)


def settle(found: Collection[Conflict], settlement: SettlementCode, facts: Facts) -> None:
    """Store how these conflicts were settled, and that they wait for nobody any more."""
    Conflict.objects.filter(pk__in=[conflict.pk for conflict in found], settled=None).update(
        settled=seams.now(), settlement=settlement, settlement_data=limit_facts(facts)
    )


def keep_ours(versions: Mapping[int, tuple[bytes | None, Provenance | None]]) -> None:
    """Store our versions, by the conflict's pk, before an act deletes or replaces them, so that it can be undone."""
    rows = [
        Conflict(pk=pk, ours=document, ours_provenance=None if provenance is None else provenance.to_json())
        for pk, (document, provenance) in versions.items()
    ]
    Conflict.objects.bulk_update(rows, ["ours", "ours_provenance"], batch_size=100)


def reopen(found: Collection[Conflict]) -> None:
    """Let settled conflicts wait for an operator again."""
    Conflict.objects.filter(pk__in=[conflict.pk for conflict in found]).update(
        settled=None, settlement="", settlement_data={}, ours=None, ours_provenance=None
    )


def replace_version(conflict: Conflict, entry: PreparedEntry, raw: bytes) -> None:
    """Store what the provider sends of it now as its version."""
    Conflict.objects.filter(pk=conflict.pk).update(
        raw=raw, digest=entry.digest, metadata_date=entry.metadata_date, last_seen=seams.now()
    )


def not_stored(reason: Reason) -> Reason:
    """Return the reason of an act whose record the catalogue does not store, for this reason."""
    return Reason(ActCode.NOT_STORED, {"reason": reason.to_json()})


def _as_bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)


def prune(before: datetime, *, limit: int) -> int:
    """Remove conflicts that were settled before this instant, so many at most; how many were removed.

    What an operator has left as it is stays, as it would wait again.
    """
    old = Conflict.objects.filter(settled__lt=before).exclude(settlement__in=_STAYS_SETTLED)
    return Conflict.objects.filter(pk__in=old.order_by().values("pk")[:limit]).delete()[0]
