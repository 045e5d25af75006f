"""Read the rejects of a link that stand, grouped by their cause, for operators and for the provider. Two queries a link."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from harvester.models import Link, Reject

EXAMPLES = 5  # of each group, at most

_GROUPS = """
    SELECT cause.*, coalesce(quiet.up_to, 0) FROM (
        SELECT reason, count(*), sum(count), min(first_seen), max(last_seen),
            (array_agg(id ORDER BY last_seen DESC, id DESC))[:%s]
        FROM harvester_reject WHERE link_id = %s AND settled IS NULL GROUP BY reason
    ) AS cause (reason, number, times, first_seen, last_seen, examples)
    LEFT JOIN harvester_quietcause quiet ON quiet.link_id = %s AND quiet.reason = cause.reason
    ORDER BY number > coalesce(quiet.up_to, 0) DESC, number DESC, reason
"""
_TO_DO = """
    SELECT cause.link_id, sum(number), min(since) FROM (
        SELECT link_id, reason, count(*) AS number, min(first_seen) AS since FROM harvester_reject
        WHERE link_id IS NOT NULL AND settled IS NULL GROUP BY link_id, reason
    ) AS cause
    LEFT JOIN harvester_quietcause quiet ON quiet.link_id = cause.link_id AND quiet.reason = cause.reason
    WHERE number > coalesce(quiet.up_to, 0) GROUP BY cause.link_id
"""


class RejectsToDo(NamedTuple):
    """How many rejects of a link stand whose causes are not quiet, and since when."""

    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class RejectGroup:
    """The rejects of one cause: how many records, how often in all, since when, and some of them, the last one first.

    `up_to`: so many are nothing to do.
    """

    code: str
    number: int
    times: int
    first_seen: datetime
    last_seen: datetime
    up_to: int
    examples: Sequence[Reject]

    @property
    def is_quiet(self) -> bool:
        return self.number <= self.up_to

    @property
    def text(self) -> str:
        """The cause as the last one of them has it."""
        return self.examples[0].reason_text if self.examples else self.code


def to_do_by_link() -> dict[int, RejectsToDo]:
    """Return what is to do of all links that have rejects, by their keys."""
    with connection.cursor() as cursor:
        cursor.execute(_TO_DO)
        return {link: RejectsToDo(int(number), since) for link, number, since in cursor.fetchall()}


def read_groups(link: Link) -> list[RejectGroup]:
    """Return the groups of a link: those that are to do before the quiet ones, the largest first."""
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS, [EXAMPLES, link.pk, link.pk])
        rows = cursor.fetchall()
    chosen = [key for row in rows for key in row[5]]
    rejects = Reject.objects.defer("raw").in_bulk(chosen) if chosen else {}
    return [
        RejectGroup(code, number, int(times), first, last, up_to, [rejects[key] for key in keys if key in rejects])
        for code, number, times, first, last, keys, up_to in rows
    ]
