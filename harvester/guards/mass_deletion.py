"""Deletions that are too many at once to be believed: held back until a person says that the provider is right.

A provider that loses its catalogue may well send deleted headers for all of it, correct by every rule.
"""

from collections.abc import Collection, Sequence

from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.rows import remote_headers

FEWEST = 50  # chosen: so many deletions in one run surprise nobody


def listed(link: Link, deletions: Sequence[str]) -> set[str]:
    """Those of these keys that the provider had listed as live before: what a deletion takes away."""
    if not deletions:
        return set()
    return set(remote_headers.of_provider(link).filter(key__in=deletions, deleted=False).values_list("key", flat=True))


def too_many(run: Run, going: Collection[str]) -> dict[str, str]:
    """Why these deletions of a page are not made, by key, as the end of a sentence. `going`: what `listed` gave.

    All of them wait where they, and those that the run has made already, are more than the link's share of what the
    provider had listed; and those that have waited before, until the provider lists the record again.
    """
    link = run.link
    if not going or run.beyond_ceiling or link.hold_percent >= 100:
        return {}
    rows = remote_headers.of_provider(link)
    number = run.removed + len(going)
    if number > FEWEST:
        before = run.removed + rows.filter(deleted=False).count()
        if number * 100 > before * link.hold_percent:
            reason = (
                f"is one of so many that the provider deletes in one run ({number} of {before} until now, more than "
                f"{link.hold_percent} %) that it is kept until you decide"
            )
            return dict.fromkeys(going, reason)
    held = Conflict.objects.filter(link=link, kind=Conflict.Kind.MASS, key__in=going).values("key")
    waiting = rows.filter(key__in=held, state=RemoteHeader.State.REJECTED).values_list("key", flat=True)
    return dict.fromkeys(waiting, "was deleted together with many others, and is kept until you decide")
