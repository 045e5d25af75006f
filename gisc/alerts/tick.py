"""The chores of an alert tick, for the worker, for the command, and for the supervisor of a node whose worker is dead."""

from django.conf import settings

from catalogue import chores, seams
from gisc import language
from gisc.alerts import outbox, watch, weekly


def run_chores() -> bool:
    """See what has begun and what is over, and write the summaries that are due; whether something waits to be sent."""
    with language.for_people():
        chores.run_each((_watch_problems, _queue_summaries, _prune_alerts))
    return outbox.has_due(seams.now())


def _watch_problems() -> None:
    limits = watch.WatchLimits(settle_s=settings.GISC_ALERT_SETTLE_SECONDS, over_s=settings.GISC_ALERT_OVER_SECONDS)
    watch.watch(limits=limits)


def _queue_summaries() -> None:
    weekly.queue_summaries(seams.now())


def _prune_alerts() -> None:
    outbox.prune(seams.now())
