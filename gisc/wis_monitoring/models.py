"""What the messages of WIS monitoring are made of: the figures of each day, and how fast centres answered."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class DailyFigures(models.Model):
    """The catalogue on one day, taken at 00 UTC or as soon afterwards as the node ran: what everybody sees."""

    day = models.DateField(primary_key=True)
    until = models.DateTimeField(help_text=_("changes that are stamped before this are counted"))
    since = models.DateTimeField(
        null=True, help_text=_("changes from this instant on are counted; none: nothing was counted before")
    )
    live = models.BigIntegerField(help_text=_("records"))
    changed = models.BigIntegerField(null=True, help_text=_("records that were added or changed since the day before"))
    deleted = models.BigIntegerField(null=True, help_text=_("records that were withdrawn since the day before"))
    services = models.JSONField(
        help_text=_("by name: whether it answered at its public address; null: it is not offered")
    )

    class Meta:
        ordering = ("-day",)
        verbose_name_plural = _("daily figures")

    def __str__(self) -> str:
        return f"{self.day:%Y-%m-%d}"


class ResponseTimes(models.Model):
    """How long the services of the other centres took to answer, all asked at one time."""

    at = models.DateTimeField(primary_key=True)
    centres = models.JSONField(
        help_text=_("a list of centre, portal, oaipmh, sru; seconds, -1: no answer, null: no address is known")
    )

    class Meta:
        ordering = ("-at",)
        verbose_name_plural = _("response times")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%dT%H:%M:%SZ}"
