"""Fields of a link: when it is harvested and how, and how far it has come."""

from datetime import timedelta

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from harvester import schedule

MAX_AT_ONCE = 16  # chosen: less than `RunLimits.fetch_batch`


class ScheduleFields(models.Model):
    """When and how a link is harvested, up to where it is complete (promise 2), and when it is due."""

    class Strategy(models.TextChoices):
        RECORDS = "records", "ListRecords: whole records, page by page"
        IDENTIFIERS = "identifiers", "ListIdentifiers, then GetRecord for what is new or changed"

    enabled = models.BooleanField(default=True)
    interval_s = models.PositiveIntegerField(
        "interval, seconds",
        default=21600,
        validators=[MinValueValidator(5)],
        help_text="between the starts of two runs",
    )
    strategy = models.CharField(
        max_length=12, choices=Strategy.choices, default=Strategy.RECORDS, help_text="both bring the same (W18)"
    )
    at_once = models.PositiveSmallIntegerField(
        "GetRecord requests at once",
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_AT_ONCE)],
        help_text=f"1 to {MAX_AT_ONCE}, where single records are asked for; pages of a list are asked for one by one (H4)",
    )
    lateness_h = models.PositiveIntegerField(
        "provider's lateness, hours",
        default=72,
        db_default=72,
        validators=[MaxValueValidator(schedule.MAX_LATENESS_H)],
        help_text="a record may be listed so long after its datestamp; doubled where one came late (H8)",
    )
    overlap_s = models.PositiveIntegerField(
        "overlap, seconds", default=60, help_text="asked for again before the last harvest's end (H9)"
    )
    harvested_to = models.DateTimeField(
        null=True, editable=False, help_text="the link is complete up to here, on the provider's clock"
    )
    first_response = models.DateTimeField(
        null=True, editable=False, help_text="responseDate of the first page of the last complete list (H8, F)"
    )
    first_asked = models.DateTimeField(
        null=True, editable=False, help_text="when that page was asked for, on our clock (H48, O)"
    )
    newest = models.DateTimeField(
        null=True, editable=False, help_text="largest datestamp of the last complete list that was not empty (H8, M)"
    )
    relisted_to = models.DateTimeField(
        null=True, editable=False, help_text="what is stamped up to here was listed twice (H50)"
    )
    is_promised = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="the provider is a node of this software, which lists every record from its datestamp on (promise 1)",
    )
    next_due = models.DateTimeField(null=True, blank=True, editable=False)
    failures = models.PositiveIntegerField("failed runs in a row", default=0, editable=False)

    class Meta:
        abstract = True

    def update_harvested_to(self) -> None:
        """Set `harvested_to`, up to where the link is complete: min(F, max(M, F - L)) (promise 2, H8); nothing is saved.

        F is the responseDate of the first page, M the largest datestamp of the last list that was not empty, L the longest
        time after its datestamp at which this provider lists a record: none, if it promises so.
        """
        if self.first_response is None:
            return
        late = self.first_response - timedelta(hours=0 if self.is_promised else self.lateness_h)
        self.harvested_to = min(self.first_response, late if self.newest is None else max(self.newest, late))
