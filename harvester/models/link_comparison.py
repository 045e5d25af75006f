"""Fields of a link: how often all its headers are compared, what may be deleted, and where the comparison stands."""

from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogue import ceilings
from harvester.schedule import Cycle

MAX_DAYS_WITHOUT_DELETIONS = 7  # chosen


class ComparisonFields(models.Model):
    """The comparison of a link's headers, slice by slice, and the limits of what is deleted (W24 to W27)."""

    cycle_days = models.PositiveSmallIntegerField(
        _("compare everything every, days"),
        default=28,
        validators=[MaxValueValidator(366)],
        help_text=_("in slices, one a day; 7: weekly, 28: monthly, 0: never by schedule"),  # W24
    )
    ceiling_records = models.PositiveIntegerField(
        _("ceiling, records"),
        default=ceilings.DEFAULTS.records,
        help_text=_(
            "so many that the provider no longer lists are asked for by GetRecord; above it an operator decides"
        ),
    )
    ceiling_percent = models.PositiveSmallIntegerField(
        _("ceiling, percent of the link"),
        default=ceilings.DEFAULTS.percent,
        validators=[MaxValueValidator(100)],
        help_text=_("if that is more"),
    )
    hold_percent = models.PositiveSmallIntegerField(
        _("hold deletions above, percent of the link"),
        default=33,
        validators=[MaxValueValidator(100)],
        help_text=_(
            "more deletions than that within a day, and at least 5, wait for an operator, and so do deletions of all "
            "records; 33: a third; 100: none ever waits"
        ),
    )
    deletions_accepted = models.DateTimeField(
        _("deletions confirmed"),
        null=True,
        editable=False,
        help_text=_("an operator has accepted deletions: those before count no longer"),
    )
    tombstone_days = models.PositiveIntegerField(
        _("provider keeps deletions, days"),
        default=90,
        help_text=_("if it keeps them for a while only: after a longer silence everything is compared"),  # H15
    )
    deleted_record = models.CharField(
        _("deletions are kept"),
        max_length=20,
        blank=True,
        editable=False,
        help_text=_("deletedRecord, as Identify says"),
    )
    next_slice = models.DateTimeField(_("next comparison"), null=True, editable=False)
    compared_to = models.DateTimeField(
        _("compared up to"),
        null=True,
        editable=False,
        help_text=_("this cycle has compared what is stamped up to here; none: it is complete"),
    )
    cycle_begun = models.DateTimeField(_("comparison begun"), null=True, editable=False)
    cycle_ended = models.DateTimeField(_("compared as a whole"), null=True, editable=False)
    reconciles = models.BooleanField(
        _("compares everything"),
        default=False,
        editable=False,
        help_text=_("the slices follow one another at once until all is compared"),
    )

    class Meta:
        abstract = True

    @property
    def effective_cycle_days(self) -> int:
        """In how many days all headers are compared: within a week if the provider gives no deletions (F82)."""
        return min(self.cycle_days, MAX_DAYS_WITHOUT_DELETIONS) if self.deleted_record == "no" else self.cycle_days

    @property
    def header_cycle(self) -> Cycle:
        return Cycle(self.effective_cycle_days, self.cycle_begun, self.compared_to)

    def compare_all(self) -> None:
        """Compare all headers from the beginning, slice after slice without a pause; nothing is saved."""
        self.reconciles, self.compared_to = True, None
