"""Keep the former states of records, for their history: what is replaced, deleted or moved, and by whom.

`catalogue.writing.store` calls `keep` under the clock's lock, before it writes; a record that is new costs nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings

from catalogue import acting
from catalogue.models import RecordVersion
from catalogue.writing import clock, memberships

_BATCH = 5000  # chosen: rows that one tick deletes; a tick comes twice a minute

# Without a digest a record is damaged: PostgreSQL itself may be unable to read it (`writing.read_back`).
# One statement for all records of a page. The older versions that are one too many go with it.
_KEEP = """
    WITH kept AS (
        INSERT INTO catalogue_recordversion (
            record_id, number, datestamp, deleted, owner, link, payload, digest, metadata_date,
            ended, ended_by, who, act, reason
        )
        SELECT r.id, last.number + 1, r.datestamp, r.deleted, s.spec, coalesce(r.provenance->>'link', ''),
            CASE WHEN %(act)s = 'move' THEN NULL WHEN r.digest = '' THEN catalogue_readable(r.payload) ELSE r.payload END, r.digest, r.metadata_date,
            %(stamp)s, %(source)s, %(who)s, %(act)s, %(reason)s
        FROM catalogue_record r
        JOIN catalogue_metadataset s ON s.id = r.owner_id
        CROSS JOIN LATERAL (
            SELECT coalesce(max(v.number), 0) AS number FROM catalogue_recordversion v WHERE v.record_id = r.id
        ) last
        WHERE r.key = ANY(%(keys)s)
        RETURNING record_id, number
    )
    DELETE FROM catalogue_recordversion v USING kept
    WHERE v.record_id = kept.record_id AND v.number <= kept.number - %(most)s
"""


def keep(keys: Sequence[str], stamp: datetime, source: str = "", *, act: str = "") -> None:
    """Keep these records as they are now: the transaction is about to change them. `source`: the link that brings the change."""
    if not keys or not settings.GISC_RECORD_VERSIONS:
        return
    by = acting.current()
    memberships.execute(
        _KEEP,
        keys=list(keys),
        stamp=stamp,
        source=source,
        who=by.who,
        act=act or by.act,
        reason=by.reason,
        most=settings.GISC_RECORD_VERSIONS,
    )


def purge_versions(batch: int = _BATCH) -> int:
    """Delete the versions that ended too long ago, oldest first, so many at a time; all, if none are to be kept."""
    days = settings.GISC_RECORD_VERSION_DAYS if settings.GISC_RECORD_VERSIONS else 0
    before = clock.database_now() - timedelta(days=days)
    old = RecordVersion.objects.filter(ended__lte=before).order_by("ended").values_list("pk", flat=True)[:batch]
    return RecordVersion.objects.filter(pk__in=list(old)).delete()[0]
