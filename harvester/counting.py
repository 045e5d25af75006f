"""The counters of runs: added to in the transaction that stores what is counted."""

from django.db.models import F

from harvester.models import Run


def count(run: Run, **more: int) -> None:
    """Add to the run's counters, in the caller's transaction; a constraint sees that they add up."""
    if any(more.values()):
        Run.objects.filter(pk=run.pk).update(**{name: F(name) + number for name, number in more.items()})
