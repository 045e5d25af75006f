"""Hold deletions that are too many at once, until an operator confirms that the provider is right.

A provider that loses its catalogue may send deleted headers for all of it, correct by every rule.
"""

from collections.abc import Collection, Sequence

from catalogue.reasons import Reason
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.reasons import EntryCode
from harvester.rows import remote_headers

MIN_DELETIONS = 50  # chosen: fewer deletions in one run are always normal


def listed_as_live(link: Link, keys: Sequence[str]) -> frozenset[str]:
    """Return those of these keys that the provider had listed as live before."""
    return frozenset(remote_headers.of_provider(link).filter(key__in=keys, deleted=False).values_list("key", flat=True))


def awaiting_operator(run: Run, deletions: Collection[str]) -> dict[str, Reason]:
    """Return why these deletions of a page wait for an operator, by key.

    `deletions`: the keys that `listed_as_live` gave. All of them wait if they, with the deletions that the run has
    stored already, are more than the link's share (`hold_percent`) of what the provider had listed. Deletions that have
    waited before go on waiting, until the provider lists the record again.
    """
    link = run.link
    if not deletions or run.beyond_ceiling or link.hold_percent >= 100:
        return {}
    rows = remote_headers.of_provider(link)
    deleted_count = run.removed + len(deletions)
    if deleted_count > MIN_DELETIONS:
        listed_count = run.removed + rows.filter(deleted=False).count()
        if deleted_count * 100 > listed_count * link.hold_percent:
            facts = {"deleted": deleted_count, "listed": listed_count, "percent": link.hold_percent}
            return dict.fromkeys(deletions, Reason(EntryCode.MASS_DELETION, facts))
    conflicts = Conflict.objects.filter(link=link, kind=Conflict.Kind.MASS, key__in=deletions).values("key")
    waiting = rows.filter(key__in=conflicts, state=RemoteHeader.State.REJECTED).values_list("key", flat=True)
    return dict.fromkeys(waiting, Reason(EntryCode.MASS_DELETION_WAITS))
