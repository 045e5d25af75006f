"""Our own set back from another GISC (W35): what may be taken over what we hold.

The guard of our own set (W23) is lifted for links of this kind alone. They bring what we have lost; they never undo
what this node knows better.
"""

from collections.abc import Sequence

from catalogue import store
from catalogue.models import MetadataSet, Record


def objections(entries: Sequence[store.Prepared], into: MetadataSet) -> dict[str, str]:
    """Why some entries are not taken, by key."""
    keys = [entry.key for entry in entries]
    rows = Record.objects.filter(key__in=keys, owner=into).values_list("key", "deleted", "digest", "metadata_date")
    held = {key: (deleted, digest, date) for key, deleted, digest, date in rows}
    found = {}
    for entry in entries:
        if entry.key not in held:
            continue
        deleted, digest, date = held[entry.key]
        if deleted:
            if not entry.deleted:
                found[entry.key] = "was withdrawn here, and a recovery does not bring it back"
        elif entry.deleted:
            found[entry.key] = "is deleted there and live here; withdraw it, if that is right"
        elif bytes(digest or b"") != entry.digest and not (
            date is not None and entry.metadata_date is not None and entry.metadata_date > date
        ):
            found[entry.key] = "differs from the version held here, which is not older"
    return found
