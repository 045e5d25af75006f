"""Compare the problems of now with those that were seen, and put into the outbox what begins and what is over.

Flapping is damped. A problem is told once it has lasted for `settle_s`. It is over once it has been away for `over_s`; what comes
back before that has not been away. What follows from another problem is not told: if it began by itself, it goes on, and if not,
it begins when it is still there after the other one. For each time that the same problem ended within a day, that wait doubles, up to `most_over_s`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from catalogue import locks, seams
from gisc.alerts import texts
from gisc.alerts.models import Condition, Message, Recipient
from gisc.parts import parts
from gisc.problem_reasons import ProblemCode
from gisc.problems import Problem, Severity, find_problems

_SEVERITIES = [str(severity) for severity in Severity]
_DAY = timedelta(days=1)
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """When a problem is told, and when it is over. All are chosen."""

    settle_s: float = 120
    over_s: float = 900
    most_over_s: float = 21600


DEFAULTS = WatchLimits()


def watch(now: datetime | None = None, limits: WatchLimits = DEFAULTS) -> None:
    """Store what has begun and what is over, and the alerts of it, in one transaction."""
    now = now or seams.now()
    compare(find_problems(now, node=parts.read()), now, limits)


def compare(problems: Iterable[Problem], now: datetime, limits: WatchLimits = DEFAULTS) -> None:
    """As `watch`, with the problems of now. Does nothing while another process compares."""
    with transaction.atomic():
        if not locks.try_lock_transaction(locks.ALERTS):
            return
        found = {problem.key: problem for problem in problems}
        seen = {(row.code, row.subject): row for row in Condition.objects.filter(ended=None)}
        for key, problem in found.items():
            if key in seen or not problem.follows:
                seen[key] = _see(seen.get(key), problem, now)
        ended = _end({key: row for key, row in seen.items() if key not in found}, now, limits)
        settled = now - timedelta(seconds=limits.settle_s)
        to_tell = [seen[key] for key, problem in found.items() if not problem.is_muted and not problem.follows]
        _put_begins([row for row in to_tell if row.first_seen <= settled], now)
        _put_ends(ended, now)


def _see(row: Condition | None, problem: Problem, now: datetime) -> Condition:
    """Store a problem as it is now."""
    facts = {
        "name": problem.name[:100],
        "severity": str(problem.severity),
        "state": str(problem.state),
        "text": problem.text,
        "todo": problem.todo,
        "url": problem.url,
        "link_id": problem.link_id,
    }
    if row is None:
        code, subject = problem.key
        begun = problem.since or now
        return Condition.objects.create(code=code, subject=subject, begun=begun, first_seen=now, **facts)
    changed = [name for name, value in {**facts, "gone_since": None}.items() if getattr(row, name) != value]
    if changed:
        for name in changed:
            setattr(row, name, facts.get(name))
        row.save(update_fields=changed)
    return row


def _end(gone: Mapping[Key, Condition], now: datetime, limits: WatchLimits) -> list[Condition]:
    """Store which problems are gone, and which of them for so long that they are over. The latter are returned."""
    lately = (
        Counter(Condition.objects.filter(ended__gt=now - _DAY).values_list("code", "subject")) if gone else Counter()
    )
    over = []
    for key, row in gone.items():
        if row.gone_since is None:
            row.gone_since = now
        wait_s = min(limits.over_s * 2 ** min(lately[key], 20), limits.most_over_s)
        if now - row.gone_since >= timedelta(seconds=wait_s):
            row.ended = now
            over.append(row)
        row.save(update_fields=["gone_since", "ended"])
    return over


# --- The outbox ---------------------------------------------------------------------------------------------


def _put_begins(rows: Sequence[Condition], now: datetime) -> None:
    """Put the begin of each problem into the outbox, for everybody who wants it and does not have it yet."""
    recipients = [(each, _links_of(each)) for each in Recipient.objects.filter(enabled=True).prefetch_related("links")]
    have = set(
        Message.objects.filter(condition__in=rows, kind=Message.Kind.BEGIN).values_list("recipient_id", "condition_id")
    )
    Message.objects.bulk_create(
        Message(
            recipient=recipient,
            condition=row,
            kind=Message.Kind.BEGIN,
            created=now,
            not_before=now,
            **texts.of_begin(row)._asdict(),
        )
        for row in rows
        for recipient, links in recipients
        if (recipient.pk, row.pk) not in have and _wants(recipient, links, row)
    )


def _put_ends(ended: Iterable[Condition], now: datetime) -> None:
    """Put the end of each problem into the outbox, for everybody whom its begin was put there for."""
    by_pk = {row.pk: row for row in ended}
    begun = Message.objects.filter(condition__in=by_pk, kind=Message.Kind.BEGIN, recipient__enabled=True)
    Message.objects.bulk_create(
        Message(
            recipient_id=recipient_id,
            condition_id=condition_id,
            kind=Message.Kind.END,
            created=now,
            not_before=now,
            **texts.of_end(by_pk[condition_id])._asdict(),
        )
        for recipient_id, condition_id in begun.values_list("recipient_id", "condition_id")
    )


def _links_of(recipient: Recipient) -> set[int]:
    return {link.pk for link in recipient.links.all()}


def _wants(recipient: Recipient, links: set[int], row: Condition) -> bool:
    if row.code == ProblemCode.ALERT_NOT_SENT and row.subject == f"recipient:{recipient.pk}":
        return False  # it would wait behind those that are not sent
    if _SEVERITIES.index(row.severity) > _SEVERITIES.index(recipient.least_severity):
        return False
    if recipient.codes and row.code not in recipient.codes:
        return False
    return recipient.node if row.link_id is None else not links or row.link_id in links
