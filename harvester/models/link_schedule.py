"""Fields of a link: when it is harvested and how, and how far it has come."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

MAX_AT_ONCE = 16  # chosen: less than `RunLimits.fetch_batch`


class ScheduleFields(models.Model):
    """When and how a link is harvested, up to where it is complete (promise 2), and when it is due."""

    class Strategy(models.TextChoices):
        RECORDS = "records", "ListRecords: whole records, page by page"
        IDENTIFIERS = "identifiers", "ListIdentifiers, then GetRecord for what is new or changed"

    class FromPolicy(models.TextChoices):
        EARLIER = "earlier", "the earlier of the first responseDate and the largest datestamp of the last list"
        RESPONSE = "response", "the first responseDate of the last list: an idle link asks for nothing again"

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
    from_policy = models.CharField(
        "“from” is", max_length=10, choices=FromPolicy.choices, default=FromPolicy.EARLIER, help_text="less the overlap"
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
    newest = models.DateTimeField(
        null=True, editable=False, help_text="largest datestamp of the last complete list that was not empty (H8, M)"
    )
    next_due = models.DateTimeField(null=True, blank=True, editable=False)
    failures = models.PositiveIntegerField("failed runs in a row", default=0, editable=False)

    class Meta:
        abstract = True

    def update_harvested_to(self) -> None:
        """Set `harvested_to`, up to where the link is complete after a complete list (promise 2); nothing is saved.

        The earlier of the first page's responseDate and the largest datestamp listed; by the link's policy the
        responseDate alone (H8, W14). `newest` is that of the last list that was not empty, so that an empty list moves
        nothing in the first case (H13).
        """
        if self.first_response is None:
            return
        if self.from_policy == self.FromPolicy.RESPONSE:
            self.harvested_to = self.first_response
        else:
            self.harvested_to = None if self.newest is None else min(self.first_response, self.newest)
