"""The last tick of the harvester that a worker ran, and the clock of this host against NTP."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.models import TickCanary


class Canary(TickCanary):
    """The last tick of the harvester, and the last claim."""

    last_claim = models.DateTimeField(null=True, help_text=_("when a worker last took a run from the queue"))
    host_turns = models.JSONField(
        default=dict, db_default={}, help_text=_("when it last took one of each host that has open runs, as Unix time")
    )

    class Meta:
        verbose_name_plural = _("canaries")
        constraints = (models.CheckConstraint(name="there_is_one_canary", condition=Q(id=1)),)


class HostClock(models.Model):
    """The last measurement of this host's clock against NTP. The table has one row."""

    checked = models.DateTimeField()
    server = models.CharField(max_length=255, blank=True)
    offset_s = models.FloatField(null=True, help_text=_("NTP's time minus this host's, as last measured; none: never"))
    measured = models.DateTimeField(null=True, help_text=_("when it was measured last"))
    fault = models.TextField(blank=True, help_text=_("why no server answered the last check"))

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_host_clock", condition=Q(id=1)),)

    def __str__(self) -> str:
        return self.fault or (gettext("not measured") if self.offset_s is None else f"{self.offset_s:+.3f} s")
