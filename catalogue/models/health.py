"""The last tick of the catalogue that a worker ran, and the chores that fail."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class TickCanary(models.Model):
    """The last tick of a kind that passed beat, broker, worker and database. The table of each kind has one row."""

    last = models.DateTimeField()
    took_s = models.FloatField(default=0, db_default=0, help_text=_("how long that tick took"))

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"


class CatalogueCanary(TickCanary):
    """The last tick of the catalogue."""

    class Meta:
        verbose_name_plural = _("catalogue canaries")
        constraints = (models.CheckConstraint(name="there_is_one_catalogue_canary", condition=Q(id=1)),)


class FailingChore(models.Model):
    """A chore of the ticks that has failed when it ran last. The row goes when the chore succeeds."""

    chore = models.CharField(max_length=80, primary_key=True)
    since = models.DateTimeField(help_text=_("the first time of those without a success in between"))
    last = models.DateTimeField()
    fault = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.chore
