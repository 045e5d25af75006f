"""The last tick that went all the way.

The clock of this host.
"""

from django.db import models
from django.db.models import Q


class Canary(models.Model):
    """When the last tick went all the way from beat through broker and worker to the database; one row."""

    last = models.DateTimeField()

    class Meta:
        verbose_name_plural = "canaries"
        constraints = (models.CheckConstraint(name="there_is_one_canary", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"


class HostClock(models.Model):
    """This host's clock against NTP, as last measured; one row."""

    checked = models.DateTimeField()
    server = models.CharField(max_length=255, blank=True)
    offset_s = models.FloatField(null=True, help_text="NTP's time minus this host's; none: no server answered")
    fault = models.TextField(blank=True)

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_host_clock", condition=Q(id=1)),)

    def __str__(self) -> str:
        return self.fault if self.offset_s is None else f"{self.offset_s:+.3f} s"
