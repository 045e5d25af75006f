"""What changed in the catalogue on each day."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class CatalogueDay(models.Model):
    """How many records became new, changed and deleted on one day, UTC. Written by triggers alone (`catalogue/sql/catalogue_days`)."""

    day = models.DateField(_("day"), primary_key=True)
    new = models.BigIntegerField(_("new"), default=0)
    updated = models.BigIntegerField(_("changed"), default=0)
    deleted = models.BigIntegerField(_("deleted"), default=0)

    class Meta:
        verbose_name = _("day of the catalogue")
        verbose_name_plural = _("days of the catalogue")

    def __str__(self) -> str:
        return str(self.day)
