"""What the whole catalogue, as everybody sees it, was distributed over when it was counted last."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Overview(models.Model):
    """Facets and map of all records that everybody sees, counted by the ticks. The table has one row, once it was counted."""

    counted_at = models.DateTimeField()
    took_s = models.FloatField(help_text=_("seconds that the count took: the larger, the rarer"))
    live = models.BigIntegerField(help_text=_("records that were counted"))
    newest = models.DateTimeField(null=True, help_text=_("the newest datestamp at that time"))
    hidden_mark = models.TextField(
        help_text=_("the newest withdrawals of the right to see: others since make the count void")
    )
    facets = models.JSONField(help_text=_("by name: [[value, number], ...], the largest first"))
    coverage = models.JSONField(
        help_text=_("records whose boxes touch each cell of the map, row by row from north and west")
    )
    everywhere = models.BigIntegerField(default=0, help_text=_("records of the whole world, which the map leaves out"))

    class Meta:
        verbose_name_plural = _("overviews")
        constraints = (models.CheckConstraint(name="there_is_one_overview", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.counted_at:%Y-%m-%d %H:%M:%S}"
