"""What the runs of a link did on each day: sums that stay when runs are pruned."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvester.models.link import Link


class LinkDay(models.Model):
    """The sums of a link's runs that ended on one day, UTC. Written by triggers alone (`harvester/sql/link_days`)."""

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="days", db_index=False
    )
    day = models.DateField(_("day"))
    runs = models.BigIntegerField(_("runs"))
    failed = models.BigIntegerField(_("failed"))
    new = models.BigIntegerField(_("new"))
    updated = models.BigIntegerField(_("changed"))
    unchanged = models.BigIntegerField(_("unchanged"))
    deleted = models.BigIntegerField(_("deleted"))
    rejected = models.BigIntegerField(_("rejected"))
    pages = models.BigIntegerField(_("pages"))
    seconds = models.BigIntegerField(_("seconds"))

    class Meta:
        ordering = ("-day", "link")
        verbose_name = _("daily sum")
        verbose_name_plural = _("daily sums")
        constraints = (models.UniqueConstraint(fields=("link", "day"), name="one_row_of_a_link_and_day"),)
        indexes = (models.Index(fields=("-day", "link"), name="days_of_links"),)

    def __str__(self) -> str:
        return f"{self.link} {self.day}"
