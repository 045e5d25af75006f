"""Write rejects: one row a link, identifier and cause, however often it comes. The only writer of Reject.

Called inside the transaction that stores what the entries came with (W29).
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import Sum

from catalogue.reasons import Reason
from harvester.header import ReceivedHeader
from harvester.messages import limit_facts
from harvester.models import Reject, Run

# XML that is as it was stays where it is: PostgreSQL then writes none of it again.
_ON_CONFLICT = """
    ON CONFLICT (link_id, md5(identifier), reason) DO UPDATE SET
        run_id = excluded.run_id, datestamp = excluded.datestamp, reason_data = excluded.reason_data,
        raw = CASE WHEN stored.raw IS DISTINCT FROM excluded.raw THEN excluded.raw ELSE stored.raw END,
        file_key = excluded.file_key, last_seen = excluded.last_seen, settled = NULL,
        count = stored.count + excluded.count,
        count_in_run = excluded.count_in_run
            + CASE WHEN stored.run_id = excluded.run_id THEN stored.count_in_run ELSE 0 END
"""


class Refusal(NamedTuple):
    """An entry that is not stored, and why. `raw`: its metadata as received.

    `file_key`: the key of its gmd:fileIdentifier, where that is not the identifier of the header (H38).
    """

    header: ReceivedHeader
    reason: Reason
    raw: bytes | None = None
    file_key: str = ""


def add(run: Run, refused: Iterable[Refusal], *, now: datetime) -> None:
    """Store entries that were not stored as records (promise 7). One that came before is counted, with its latest XML."""
    newest: dict[tuple[str, str], Refusal] = {}
    counts = Counter[tuple[str, str]]()
    for refusal in refused:
        cause = refusal.header.identifier, str(refusal.reason.code)
        newest[cause] = refusal
        counts[cause] += 1
    if not newest:
        return
    columns: list[list[object]] = [[], [], [], [], [], [], []]
    for (identifier, code), (header, reason, raw, file_key) in newest.items():
        facts = json.dumps(limit_facts(reason.facts))
        values = (identifier, header.datestamp[:100], code, facts, raw, file_key, counts[identifier, code])
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO harvester_reject AS stored
                (link_id, run_id, identifier, datestamp, reason, reason_data, raw, file_key,
                 first_seen, last_seen, count, count_in_run)
            SELECT %s, %s, identifier, datestamp, reason, facts::jsonb, raw, file_key, %s, %s, number, number
            FROM unnest(
                %s::text[], %s::text[], %s::text[], %s::text[], %s::bytea[], %s::text[], %s::integer[]
            ) AS refused (identifier, datestamp, reason, facts, raw, file_key, number)
            """
            + _ON_CONFLICT,
            [run.link_id, run.pk, now, now, *columns],
        )


def count_nameless(run: Run) -> int:
    """How many entries without an identifier the run has rejected."""
    found = Reject.objects.filter(run=run, identifier="").aggregate(number=Sum("count_in_run"))
    return found["number"] or 0


def reasons_in(run: Run) -> list[str]:
    """The codes of what the run has rejected, the most frequent first."""
    counted = Reject.objects.filter(run=run).order_by().values_list("reason").annotate(number=Sum("count_in_run"))
    return [code for code, _ in counted.order_by("-number", "reason")]


def settle(run: Run, *, now: datetime) -> None:
    """Mark the rejects of the run's link that are over, when the run has come to its end.

    Over is what this run did not reject, if the link's table does not have its header as rejected any more, if it was
    rejected later for another cause, or if it has no identifier and this list was a whole one.
    """
    is_whole = run.list_from is None and run.list_until is None
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE harvester_reject r SET settled = %(now)s
            WHERE r.link_id = %(link)s AND r.settled IS NULL AND r.run_id IS DISTINCT FROM %(run)s AND (
                r.identifier <> '' AND r.identifier NOT IN (
                    SELECT identifier FROM harvester_remoteheader WHERE link_id = %(link)s AND state = 'rejected'
                )
                OR r.identifier = '' AND %(is_whole)s
                OR EXISTS (
                    SELECT FROM harvester_reject later WHERE later.link_id = r.link_id
                    AND md5(later.identifier) = md5(r.identifier) AND later.last_seen > r.last_seen
                )
            )
            """,
            {"now": now, "link": run.link_id, "run": run.pk, "is_whole": is_whole},
        )


def forget_runs(runs: Sequence[int]) -> None:
    """Let no reject name these runs, as they are removed."""
    Reject.objects.filter(run__in=runs).update(run=None)


def prune(before: datetime, *, limit: int) -> int:
    """Remove rejects that were over before this instant, so many at most; how many were removed."""
    old = Reject.objects.filter(settled__lt=before).order_by("settled").values("pk")[:limit]
    return Reject.objects.filter(pk__in=old).delete()[0]


def fold() -> None:
    """Fold the rows that a node of the version before has written, one for each run, into those of their links."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH unfolded AS (DELETE FROM harvester_reject WHERE link_id IS NULL RETURNING *),
            of_links AS (SELECT u.*, run.link_id AS of_link, run.begun FROM unfolded u JOIN harvester_run run ON run.id = u.run_id)
            INSERT INTO harvester_reject AS stored
                (link_id, run_id, identifier, datestamp, reason, reason_data, raw, file_key,
                 first_seen, last_seen, count, count_in_run)
            SELECT DISTINCT ON (of_link, md5(identifier), reason)
                of_link, run_id, identifier, datestamp, reason, reason_data, raw, file_key,
                min(begun) OVER cause, max(last_seen) OVER cause, sum(count) OVER cause,
                sum(count) OVER (PARTITION BY of_link, md5(identifier), reason, run_id)
            FROM of_links WINDOW cause AS (PARTITION BY of_link, md5(identifier), reason)
            ORDER BY of_link, md5(identifier), reason, id DESC
            """
            + _ON_CONFLICT
        )
