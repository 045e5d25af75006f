"""The last tick of the catalogue that a worker ran, and the chores that fail."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class CatalogueCanary(models.Model):
    """The time of the last tick of the catalogue that passed beat, broker, worker and database. The table has one row."""

    last = models.DateTimeField()

    class Meta:
        verbose_name_plural = _("catalogue canaries")
        constraints = (models.CheckConstraint(name="there_is_one_catalogue_canary", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"


class FailingChore(models.Model):
    """A chore of the ticks that has failed when it ran last. The row goes when the chore succeeds."""

    chore = models.CharField(max_length=80, primary_key=True)
    since = models.DateTimeField(help_text=_("the first time of those without a success in between"))
    last = models.DateTimeField()
    fault = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.chore
