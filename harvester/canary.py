"""The canary: how long ago a task came through beat, broker, worker and database. Its age is the health of all four."""

from django.conf import settings
from django.utils import timezone

from harvester.models import Canary


def sing() -> None:
    """A tick has come through."""
    Canary.objects.update_or_create(pk=1, defaults={"last": timezone.now()})


def age_s() -> float | None:
    """Seconds since the last tick; None if there never was one."""
    canary = Canary.objects.filter(pk=1).first()
    return None if canary is None else max((timezone.now() - canary.last).total_seconds(), 0.0)


def is_late(age_s: float | None) -> bool:
    """Whether nobody harvests any more, as far as one can tell by a canary of this age."""
    return age_s is None or age_s > settings.GISC_CANARY_SECONDS
