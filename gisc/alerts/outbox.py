"""Send what the outbox has: at least once, and in order for each recipient.

A process takes messages by a lease, sends them, and then marks them. If it dies in between, nobody knows whether they were sent;
when the lease ends they are sent again, the same ones together, as an e-mail with the same Message-ID. What fails is tried again
after waits that grow, and whatever else there is for that recipient waits behind it.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction

from catalogue import seams
from gisc.alerts import channels, texts
from gisc.alerts.models import Condition, Message, Recipient

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OutboxLimits:
    """How messages are sent. All are chosen."""

    for_s: float = 20  # one call sends for so long; what is left, the next one sends
    at_once: int = 30  # messages that are sent as one
    lease_s: float = 300  # longer than sending takes
    first_wait_s: float = 60  # after a try that failed; it doubles with each
    most_wait_s: float = 3600
    kept_days: int = 90  # messages, and problems that are over


DEFAULTS = OutboxLimits()


def has_due(now: datetime) -> bool:
    """Whether something waits that may be sent now."""
    return _next_due(now) is not None


def send_due(limits: OutboxLimits = DEFAULTS) -> int:
    """Send what is due, for a short time; how many alerts were sent."""
    end_s, number = seams.monotonic() + limits.for_s, 0
    while batch := _take(seams.now(), limits):
        number += _send(batch, limits)
        if seams.monotonic() >= end_s:
            break
    return number


def send_test(recipient: Recipient) -> str:
    """Send a test at once; why it was not sent, empty if it was. It is in the log, and is not tried again."""
    now = seams.now()
    text = texts.of_test(recipient.name, now)
    batch = uuid4()
    message = Message.objects.create(
        recipient=recipient,
        kind=Message.Kind.TEST,
        created=now,
        not_before=now,
        attempts=1,
        batch=batch,
        **text._asdict(),
    )
    try:
        channels.send(recipient, text, batch=batch)
    except channels.NotSent as exc:
        message.fault = str(exc)
    else:
        message.sent = seams.now()
    message.save(update_fields=["fault", "sent"])
    return message.fault


def prune(now: datetime, limits: OutboxLimits = DEFAULTS) -> None:
    """Remove what is old: alerts, sent or not, and problems that are over."""
    before = now - timedelta(days=limits.kept_days)
    Message.objects.filter(created__lt=before).delete()
    Condition.objects.filter(ended__lt=before).delete()


def _next_due(now: datetime) -> Message | None:
    """The oldest message of a recipient for whom nothing waits for another try, and nothing is being sent."""
    waiting = Message.objects.filter(sent=None, recipient__enabled=True).exclude(kind=Message.Kind.TEST)
    oldest = waiting.order_by("recipient_id", "pk").distinct("recipient_id")
    return next((message for message in oldest if _is_due(message, now)), None)


def _is_due(message: Message, now: datetime) -> bool:
    return message.not_before <= now and (message.leased_until is None or message.leased_until <= now)


def _take(now: datetime, limits: OutboxLimits) -> list[Message]:
    """Take what is sent next by a lease; empty if nothing is due."""
    with transaction.atomic():
        first = _next_due(now)
        if first is None:
            return []
        # Who else would send to this recipient waits here, and finds the lease.
        Recipient.objects.select_for_update().get(pk=first.recipient_id)
        first.refresh_from_db()
        if first.sent is not None or not _is_due(first, now):
            return []
        rows = _batch(first, limits)
        batch = first.batch or uuid4()
        for row in rows:
            row.batch, row.leased_until = batch, now + timedelta(seconds=limits.lease_s)
            row.attempts += 1
        Message.objects.bulk_update(rows, ["batch", "leased_until", "attempts"])
        return rows


def _batch(first: Message, limits: OutboxLimits) -> list[Message]:
    """What is sent together with a message: as the last time, or what else waits for the same recipient."""
    waiting = Message.objects.select_related("recipient").filter(recipient=first.recipient_id, sent=None).order_by("pk")
    if first.batch is not None:
        return list(waiting.filter(batch=first.batch))
    if first.condition_id is None:
        return list(waiting.filter(pk=first.pk))
    return list(waiting.filter(batch=None, condition__isnull=False)[: limits.at_once])


def _send(batch: Sequence[Message], limits: OutboxLimits) -> int:
    """Send messages as one, and store what came of it; how many were sent."""
    first, pks = batch[0], [message.pk for message in batch]
    assert first.batch is not None
    is_over = all(message.kind == Message.Kind.END for message in batch)
    rows = Message.objects.filter(pk__in=pks)
    facts = {"recipient": first.recipient.name, "alerts": len(batch), "attempt": first.attempts}
    try:
        channels.send(first.recipient, texts.of_several(batch), batch=first.batch, is_over=is_over)
    except channels.NotSent as exc:
        wait_s = min(limits.first_wait_s * 2 ** min(first.attempts - 1, 20), limits.most_wait_s)
        not_before = seams.now() + timedelta(seconds=wait_s)
        rows.update(fault=str(exc), leased_until=None, not_before=not_before)
        logger.warning("alerts not sent", extra={**facts, "reason": str(exc), "wait_s": wait_s})
        return 0
    rows.update(sent=seams.now(), leased_until=None, fault="")
    logger.info("alerts sent", extra=facts)
    return len(batch)
