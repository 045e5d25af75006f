"""Fields of a link: how often all its records are harvested again, whatever their datestamps say, and where that stands."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvester.schedule import Cycle


class ContentFields(models.Model):
    """The total re-harvest of a link's content, slice by slice (W24)."""

    class ContentCycle(models.IntegerChoices):
        """In how many days all records are harvested again."""

        OFF = 0, _("off")
        WEEKLY = 7, _("weekly")
        MONTHLY = 28, _("monthly")

    content_days = models.PositiveSmallIntegerField(
        _("total re-harvest"),
        choices=ContentCycle.choices,
        default=ContentCycle.MONTHLY,
        db_default=ContentCycle.MONTHLY,  # for rows that a node of the version before still writes
        help_text=_(
            "of all records with their content, in slices, one a day or more: finds what the provider has changed "
            "without a new datestamp"
        ),  # W24
    )
    next_content = models.DateTimeField(_("next slice of the total re-harvest"), null=True, editable=False)
    content_to = models.DateTimeField(
        _("re-harvested up to"),
        null=True,
        editable=False,
        help_text=_("this cycle has harvested what is stamped up to here; none: it is complete"),
    )
    content_begun = models.DateTimeField(_("re-harvest begun"), null=True, editable=False)
    content_ended = models.DateTimeField(_("re-harvested as a whole"), null=True, editable=False)

    class Meta:
        abstract = True

    @property
    def content_cycle(self) -> Cycle:
        return Cycle(self.content_days, self.content_begun, self.content_to)
