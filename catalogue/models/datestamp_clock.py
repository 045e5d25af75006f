"""The clock of all datestamps, and the days that the node has lived."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class DatestampClock(models.Model):
    """The high-water mark of all datestamps (P92) and the lower bound that Identify gives (P55); one row.

    Read and raised by the functions of `sql/datestamp_clock.*.sql`, under an advisory lock.
    """

    stamp = models.DateTimeField(help_text=_("the largest datestamp ever given"))
    earliest = models.DateTimeField(help_text=_("Identify/earliestDatestamp; never moves forward"))

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_clock", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.stamp:%Y-%m-%dT%H:%M:%SZ}"


class DayLived(models.Model):
    """A day that this node has lived (`catalogue.writing.days_lived`). A tombstone is as old as the days after it."""

    mark = models.DateTimeField(
        help_text=_("the high-water mark when the day was added: what is older was stamped before it")
    )
    purge = models.JSONField(null=True, help_text=_("what the purge of this day did; none: it is still to be done"))

    class Meta:
        verbose_name_plural = _("days lived")

    def __str__(self) -> str:
        return f"{self.mark:%Y-%m-%d}"


class HostUptime(models.Model):
    """How long a host has run since the last day was added. A host that was booted anew is another one."""

    boot = models.CharField(primary_key=True, max_length=100, help_text=_("the id of this boot of the host"))
    monotonic_s = models.FloatField(help_text=_("its monotonic clock at the last tick"))
    lived_s = models.FloatField(default=0)

    def __str__(self) -> str:
        return f"{self.boot}: {self.lived_s:.0f} s"
