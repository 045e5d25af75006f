"""Fields of a link: when it is harvested and how, and how far it has come."""

from datetime import time

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from catalogue.reasons import ActRefused
from harvester import schedule_words
from harvester.messages import as_sentence
from harvester.schedule import (
    DEFAULT_LATENESS_H,
    DEFAULT_OVERLAP_S,
    MAX_LATENESS_H,
    Schedule,
    complete_to,
    longest_wait_s,
)

# The fields that say when a link is harvested.
SCHEDULE = frozenset({"interval_s", "run_at", "weekday", "windows"})
MAX_AT_ONCE = 16  # chosen: less than `RunLimits.fetch_batch`


class ScheduleFields(models.Model):
    """When and how a link is harvested, up to where it is complete (promise 2), and when it is due."""

    class Strategy(models.TextChoices):
        RECORDS = "records", _("ListRecords: whole records, page by page")
        IDENTIFIERS = "identifiers", _("ListIdentifiers, then GetRecord for what is new or changed")

    enabled = models.BooleanField(_("enabled"), default=True)
    interval_s = models.PositiveIntegerField(
        _("interval, seconds"),
        default=21600,
        validators=[MinValueValidator(schedule_words.SHORTEST_S)],
        help_text=_("between the starts of two runs"),
    )
    run_at = models.TimeField(
        _("time of the day, UTC"), null=True, blank=True, help_text=_("none: by the interval, from the last start")
    )
    weekday = models.PositiveSmallIntegerField(
        _("day of the week"), choices=list(WEEKDAYS.items()), null=True, blank=True, help_text=_("none: each day")
    )
    windows = models.CharField(
        _("only at these times of the day, UTC"),
        max_length=100,
        blank=True,
        default="",
        db_default="",  # for rows that a node of the version before still writes
        help_text=_(
            "for example 20:00-05:00; empty: at any time. Outside of them no run begins by schedule, and one that is open "
            "waits and then goes on"
        ),
    )
    strategy = models.CharField(
        _("way of asking"),
        max_length=12,
        choices=Strategy.choices,
        default=Strategy.RECORDS,
        help_text=_("both bring the same"),  # W18
    )
    at_once = models.PositiveSmallIntegerField(
        _("GetRecord requests at once"),
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_AT_ONCE)],
        help_text=_("1 to 16, where single records are asked for; pages of a list are asked for one by one"),  # H4
    )
    lateness_h = models.PositiveIntegerField(
        _("provider's lateness, hours"),
        default=DEFAULT_LATENESS_H,
        db_default=DEFAULT_LATENESS_H,
        validators=[MaxValueValidator(MAX_LATENESS_H)],
        help_text=_("a record may be listed so long after its datestamp; doubled where one came late"),  # H8
    )
    overlap_s = models.PositiveIntegerField(
        _("overlap, seconds"),
        default=DEFAULT_OVERLAP_S,
        help_text=_("asked for again before the last harvest's end"),  # H9
    )
    harvested_to = models.DateTimeField(
        _("complete up to"),
        null=True,
        editable=False,
        help_text=_("the link is complete up to here, on the provider's clock"),
    )
    first_response = models.DateTimeField(
        _("last complete list answered"),
        null=True,
        editable=False,
        help_text=_("responseDate of the first page of the last complete list"),  # H8
    )
    first_asked = models.DateTimeField(
        _("last complete list asked for"),
        null=True,
        editable=False,
        help_text=_("when that page was asked for, on our clock"),  # H48
    )
    newest = models.DateTimeField(
        _("newest datestamp"),
        null=True,
        editable=False,
        help_text=_("largest datestamp of the last complete list that was not empty"),  # H8
    )
    relisted_to = models.DateTimeField(
        _("listed twice up to"),
        null=True,
        editable=False,
        help_text=_("what is stamped up to here was listed twice"),  # H50
    )
    is_promised = models.BooleanField(
        _("provider is never late"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_(
            "the provider is a node of this software, which lists every record from its datestamp on (promise 1)"
        ),
    )
    next_due = models.DateTimeField(_("next run"), null=True, blank=True, editable=False)
    failures = models.PositiveIntegerField(_("failed runs in a row"), default=0, editable=False)

    class Meta:
        abstract = True

    @property
    def schedule(self) -> Schedule:
        """When the link is harvested."""
        windows = schedule_words.read_windows(self.windows) if self.windows else ()
        if self.run_at is None:
            return Schedule(self.interval_s, windows=windows)
        minute = self.run_at.hour * 60 + self.run_at.minute
        if self.weekday is None:
            return Schedule.daily(minute, *windows)
        return Schedule.weekly(self.weekday, minute, *windows)

    @schedule.setter
    def schedule(self, new: Schedule) -> None:
        self.interval_s = new.interval_s
        self.run_at = None if new.at is None else time(new.at // 60, new.at % 60)
        self.weekday = new.weekday
        self.windows = schedule_words.write_windows(new.windows)

    @property
    def longest_wait_s(self) -> int:
        """The seconds that may lie between the starts of two runs that are over in time."""
        return longest_wait_s(self.schedule)

    def clean(self) -> None:
        """Refuse a schedule that cannot be; write its fields in one way, the interval of a daily one too."""
        super().clean()
        try:
            self.schedule = schedule_words.check(self.schedule)
        except ActRefused as exc:
            raise ValidationError({"windows": as_sentence(str(exc))}) from exc

    def update_harvested_to(self) -> None:
        """Set `harvested_to`, up to where the link is complete; nothing is saved. A provider may promise that it is never late."""
        if self.first_response is not None:
            lateness_h = 0 if self.is_promised else self.lateness_h
            self.harvested_to = complete_to(self.first_response, self.newest, lateness_h)
