"""Put the weekly summary into the outbox, for those who want it: at their day and hour, or later if the node was down then."""

from datetime import datetime, timedelta

from django.db import transaction

from catalogue import locks
from gisc.alerts.models import Message, Recipient
from gisc.alerts.summary import write_summary
from gisc.alerts.texts import Text

_WEEK = timedelta(days=7)


def queue_summaries(now: datetime) -> None:
    """Put the summaries that are due into the outbox. Whoever has never had one gets the first at the next day and hour."""
    with transaction.atomic():
        if not locks.try_lock_transaction(locks.ALERTS):
            return
        text: Text | None = None
        for recipient in Recipient.objects.filter(enabled=True, weekly=True):
            planned = planned_before(now, day=recipient.weekly_day, hour=recipient.weekly_hour)
            if recipient.last_weekly is not None and recipient.last_weekly < planned:
                text = text or write_summary(now)
                Message.objects.create(
                    recipient=recipient, kind=Message.Kind.WEEKLY, created=now, not_before=now, **text._asdict()
                )
            if recipient.last_weekly is None or recipient.last_weekly < planned:
                Recipient.objects.filter(pk=recipient.pk).update(last_weekly=now)


def planned_before(now: datetime, *, day: int, hour: int) -> datetime:
    """Return the last time, until now, that it was this hour of this day of the week (Monday: 0), UTC."""
    today = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    planned = today - timedelta(days=(today.weekday() - day) % 7)
    return planned if planned <= now else planned - _WEEK
