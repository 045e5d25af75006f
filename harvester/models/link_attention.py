"""Fields of a link: when people are told that something is wrong with it."""

from datetime import datetime, timedelta

from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

LEAST_GRACE = timedelta(hours=24)  # chosen
GRACE_INTERVALS = 2  # chosen


class AttentionFields(models.Model):
    """How old the last complete harvest may be, and until when the link's problems are out of the way."""

    grace_h = models.PositiveIntegerField(
        _("stale after, hours"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(8784)],
        help_text=_("without a complete harvest; 0: after two intervals, and 24 hours at least"),
    )
    muted_until = models.DateTimeField(
        _("quiet until"),
        null=True,
        editable=False,
        help_text=_("until then its problems are on its own page alone, and nobody is alerted"),
    )

    class Meta:
        abstract = True

    def is_muted(self, now: datetime) -> bool:
        """Whether its problems are out of the way now."""
        return self.muted_until is not None and self.muted_until > now
