"""Conflicts: note them as a link brings them, and settle them. The only writer of Conflict.

Records are never written here but through `catalogue.writing.store`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from catalogue.writing import decisions, store
from catalogue.writing.entry import PreparedEntry
from harvester.models import Conflict, Run
from harvester.rows import remote_headers

Kind = Conflict.Kind


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """What a link said of one identifier, and what the catalogue made of it; no `reason` where they agree."""

    entry: PreparedEntry
    raw: bytes | None
    kind: Kind | None
    reason: str
    provenance: Mapping[str, Any] | None = None


def kind_of(result: decisions.Result) -> Kind | None:
    """Which kind of conflict a result of `store.put_entries` tells of, if any."""
    return None if result.disagreement is None else Kind(result.disagreement.value)


def note(run: Run, words: Sequence[ConflictReport]) -> None:
    """Write down who disagrees, and that those who agree again no longer do; in the caller's transaction.

    What an operator has settled stays settled for as long as the provider says the same.
    """
    now = timezone.now()
    by_key = {word.entry.key: word for word in words}
    rows = {row.key: row for row in Conflict.objects.filter(link=run.link_id, key__in=list(by_key))}
    new, changed = [], []
    for key, word in by_key.items():
        row = rows.get(key)
        if word.kind is None:
            if row is not None and row.settled is None:
                row.settled, row.settlement = now, "The provider and the catalogue agree again."
                changed.append(row)
            continue
        digest = word.entry.digest
        if row is None:
            row = Conflict(link_id=run.link_id, key=key, first_seen=now)
            new.append(row)
        else:
            if row.settled is not None and (row.kind, _bytes(row.digest)) != (word.kind, digest):
                row.settled, row.settlement = None, ""
            changed.append(row)
        row.identifier, row.kind, row.reason, row.last_seen = word.entry.identifier, word.kind, word.reason, now
        row.digest, row.raw, row.metadata_date = digest, word.raw, word.entry.metadata_date
        row.provenance = None if word.provenance is None else dict(word.provenance)
    Conflict.objects.bulk_create(new)
    Conflict.objects.bulk_update(
        changed,
        [
            "identifier",
            "kind",
            "reason",
            "last_seen",
            "digest",
            "raw",
            "provenance",
            "metadata_date",
            "settled",
            "settlement",
        ],
    )


def keep(conflict: Conflict, by: str) -> str:
    """The operator leaves things as they are; what to tell. It comes up again when the provider says otherwise."""
    settle(conflict, f"Left as it is by {by}.")
    return "left as it is; it comes up again only when the provider says something else"


@transaction.atomic
def hand_over(conflict: Conflict, by: str) -> str:
    """A misplaced record goes from our own set to the provider's, whose version is asked for next. Raises ValueError."""
    if conflict.kind != Kind.MISPLACED:
        raise ValueError("only a misplaced record can be handed over")
    into = conflict.link.local_set
    result = store.move([conflict.identifier], into=into)[0]
    if result.action is decisions.Action.REJECTED:
        raise ValueError(f"the record {result.reason}")
    remote_headers.request(conflict.link, conflict.key)
    settle(conflict, f"Handed over to {into.spec} by {by}.")
    return f"handed over to {into.spec}; the next run of {conflict.link} asks for its version"


@transaction.atomic
def withdraw(conflict: Conflict, by: str) -> str:
    """A record that its provider has deleted, no longer knows, or knows by another name, is deleted here.

    Raises ValueError.
    """
    if conflict.kind not in (Kind.VANISHED, Kind.RENAMED, Kind.MASS):
        raise ValueError("only a record that its provider no longer has is deleted here; the others have an owner")
    entry = store.prepare_deletion(conflict.identifier)
    result = store.put_entries([entry], into=conflict.link.local_set, source=conflict.link.name)[0]
    if result.action is decisions.Action.REJECTED:
        raise ValueError(f"the record {result.reason}")
    remote_headers.mark_deleted(conflict.link, conflict.key)
    settle(conflict, f"Deleted by {by}.")
    return "deleted"


def settle(conflict: Conflict, how: str) -> None:
    """It waits for nobody any more."""
    conflict.settled, conflict.settlement = timezone.now(), how
    conflict.save(update_fields=["settled", "settlement"])


def _bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)
