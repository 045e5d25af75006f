"""Runs: passes over a link. Written by `harvester.rows.runs` alone."""

import json
from functools import cached_property

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvester import messages
from harvester.messages import OutcomeCode
from harvester.models.link import Link
from harvester.models.link_address import GRANULARITIES
from harvester.net import access
from harvester.net.access import Cookie
from harvester.schedule import Window

_COOKIES = "cookies"
SEALED = {"sealed_cookies": _COOKIES}  # columns and their purposes


class Run(models.Model):
    """One pass over a link, from its `from` to the list's end. This row is the truth; the queue is only a hint.

    OPEN --last page stored--> DONE
    OPEN --tries spent, or refused--> FAILED
    OPEN --by the operator--> CANCELLED
    """

    class Trigger(models.TextChoices):
        SCHEDULE = "schedule", _("the schedule")
        OPERATOR = "operator", _("an operator")
        COMMAND_LINE = "command line", _("the command line")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Purpose(models.TextChoices):
        HARVEST = "harvest", _("harvest")
        COMPARISON = "comparison", _("comparison")
        CONTENT = "content", _("total re-harvest")

    class Phase(models.TextChoices):
        LISTING = "listing", _("reading the list")
        FETCHING = "fetching", _("asking for single records")

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="runs", db_index=False
    )
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    purpose = models.CharField(_("purpose"), max_length=10, choices=Purpose.choices, default=Purpose.HARVEST)
    trigger = models.CharField(_("started by"), max_length=20, choices=Trigger.choices, default=Trigger.SCHEDULE)
    begun = models.DateTimeField(_("begun"))
    finished = models.DateTimeField(_("finished"), null=True)
    strategy = models.CharField(
        _("way of asking"), max_length=12, choices=Link.Strategy.choices, default=Link.Strategy.RECORDS
    )
    phase = models.CharField(_("phase"), max_length=10, choices=Phase.choices, default=Phase.LISTING)
    outcome = models.CharField(
        _("outcome"),
        max_length=40,
        default=OutcomeCode.RUNNING,
        db_default="running",  # for rows that a node of the version before still writes
        help_text=_("code of what happened last, and of what happens next"),
    )
    outcome_data = models.JSONField(
        _("facts of the outcome"), default=dict, db_default={}, help_text=_("the facts of the outcome")
    )

    warnings = models.JSONField(
        _("warnings"), default=list, help_text=_("what was not as it should be: code, facts, count")
    )

    list_from = models.DateTimeField(_("from"), null=True, help_text=_("lower bound asked for; none: the whole list"))
    list_until = models.DateTimeField(_("until"), null=True, help_text=_("upper bound; none, but for slices"))  # H14
    granularity = models.CharField(_("precision of dates"), max_length=20, choices=GRANULARITIES, blank=True)
    token = models.TextField(
        _("resumptionToken"), blank=True, help_text=_("asks for the next page; empty before the first")
    )
    pages = models.PositiveIntegerField(
        _("pages stored"), default=0, help_text=_("pages stored since the list was (re)started")
    )
    restarts = models.PositiveIntegerField(_("restarts of the list"), default=0)
    first_asked = models.DateTimeField(
        _("first page asked for"), null=True, help_text=_("when that page was asked for, on our clock")
    )  # H48
    first_response = models.DateTimeField(
        _("first page answered"), null=True, help_text=_("responseDate of the list's first page")
    )  # H10
    asked_before = models.DateTimeField(
        _("listed before up to"),
        null=True,
        help_text=_("what is stamped before this was in a list before, or came late; none: not known"),  # H8
    )
    skipped_from = models.DateTimeField(
        _("not listed from"),
        null=True,
        help_text=_("begin of the window before `from` whose headers were counted and not listed"),  # H50
    )
    skipped_size = models.PositiveIntegerField(
        _("headers not listed"), null=True, help_text=_("how many headers the provider counted in it")
    )
    is_promised = models.BooleanField(
        _("provider is never late"),
        default=False,
        db_default=False,
        help_text=_("Identify names this software and promise 1"),  # P147
    )
    stepped_back_s = models.PositiveIntegerField(
        _("clock set back, seconds"),
        default=0,
        db_default=0,
        help_text=_("seconds by which the provider's clock was set back before this list"),  # H48
    )
    newest = models.DateTimeField(_("newest datestamp"), null=True, help_text=_("largest datestamp of the list so far"))
    list_size = models.PositiveIntegerField(
        _("size of the list"), null=True, help_text=_("completeListSize as the provider gives it")
    )  # H25
    listed = models.PositiveIntegerField(
        _("entries listed"), default=0, help_text=_("entries since the list was (re)started")
    )
    marked_token = models.TextField(blank=True, help_text=_("a token given before: to see it again is a loop"))  # H23
    marked_page = models.BinaryField(null=True, help_text=_("the digest of a page's headers, for the same purpose"))
    fetched = models.PositiveIntegerField(
        _("records asked for one by one"), default=0, help_text=_("records asked for by GetRecord")
    )

    received = models.PositiveIntegerField(_("received"), default=0)
    new = models.PositiveIntegerField(_("new"), default=0)
    updated = models.PositiveIntegerField(_("changed"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    rejected = models.PositiveIntegerField(_("rejected"), default=0)

    missing = models.PositiveIntegerField(
        _("missing here"), default=0, help_text=_("the provider lists it and we knew nothing of it")
    )
    stale = models.PositiveIntegerField(
        _("outdated here"), default=0, help_text=_("the provider has another version than is served here")
    )
    extra = models.PositiveIntegerField(
        _("not at the provider"), default=0, help_text=_("stored here, and not listed by the provider")
    )
    changed = models.PositiveIntegerField(
        _("other content"),
        default=0,
        db_default=0,  # for rows that a node of the version before still writes
        help_text=_("their content differs, though identifier and datestamp are those that were known"),
    )
    vanished = models.PositiveIntegerField(
        _("unknown to the provider"),
        default=0,
        help_text=_("of those that are not at the provider: it does not know them, and they stay here"),
    )
    held_back = models.PositiveIntegerField(
        _("above the ceiling"),
        default=0,
        help_text=_("of those that are not at the provider: not asked for, as they are too many"),
    )
    not_served = models.PositiveIntegerField(
        _("not served here"),
        default=0,
        db_default=0,
        help_text=_(
            "listed by the provider, and not what is served here: rejected, or another source's version counts"
        ),
    )
    removed = models.PositiveIntegerField(
        _("deleted after it was listed"), default=0, help_text=_("of the deleted: those the provider had listed before")
    )
    beyond_ceiling = models.BooleanField(
        _("ceiling lifted"), default=False, help_text=_("an operator has lifted the ceiling for this run")
    )

    came_late = models.PositiveIntegerField(
        _("came late"),
        default=0,
        db_default=0,
        help_text=_("stamped within what a list before should have had"),  # H8
    )
    explained = models.PositiveIntegerField(
        _("announced before"),
        default=0,
        db_default=0,
        help_text=_("of what the list before announced and did not list"),  # H49
    )

    attempts = models.PositiveIntegerField(
        _("failed tries"), default=0, help_text=_("failed tries since the last page was stored")
    )
    crashes = models.PositiveIntegerField(
        _("faults of this node"),
        default=0,
        db_default=0,
        help_text=_("faults of this node since the last page was stored: a worker died, an error"),
    )
    first_fault = models.JSONField(
        _("first fault"), null=True, help_text=_("the first fault of the run: `at`, `code`, `facts`")
    )
    last_fault = models.JSONField(_("last fault"), null=True, help_text=_("the last one"))
    not_before = models.DateTimeField(
        _("next try not before"), null=True, help_text=_("wait until then before the next try")
    )
    queued = models.DateTimeField(
        _("waits for a worker since"),
        null=True,
        help_text=_("since when it waits for a worker; claimed then, if one has it"),
    )
    asking_since = models.DateTimeField(
        _("waits for the provider since"),
        null=True,
        help_text=_("since when it waits for the provider's answer without keeping a worker"),
    )
    sealed_cookies = models.TextField(blank=True, help_text=_("what the provider set in this run"))  # F96
    worker = models.CharField(
        _("worker"), max_length=300, blank=True, db_column="holder", help_text=_("host:pid that works on it")
    )
    leased_until = models.DateTimeField(
        _("worker has it until"), null=True, help_text=_("another worker may take it over after this")
    )

    # Of a run that a worker has claimed: whether it waited for its provider's answer when its last worker died or ended.
    was_asking: bool = False

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ("-begun",)
        indexes = (
            models.Index("link", models.F("begun").desc(), name="runs_of_a_link"),
            models.Index(fields=("link", "purpose", "-begun", "-id"), name="runs_of_a_purpose"),
            models.Index(
                fields=("link", "-begun", "-id"), condition=Q(purpose="harvest", state="done"), name="complete_harvests"
            ),
            # for the lists of the admin: all runs, and what most of them do not have
            models.Index(fields=("-begun", "-id"), name="runs_by_begun"),
            models.Index(fields=("state", "-begun", "-id"), condition=~Q(state="done"), name="runs_of_a_state"),
            models.Index(fields=("outcome", "-begun", "-id"), condition=~Q(outcome="done"), name="runs_of_an_outcome"),
            models.Index(fields=("purpose", "-begun", "-id"), condition=~Q(purpose="harvest"), name="runs_no_harvests"),
            models.Index(fields=("trigger", "-begun", "-id"), condition=~Q(trigger="schedule"), name="runs_by_hand"),
        )
        constraints = (
            models.UniqueConstraint(fields=("link",), condition=Q(state="open"), name="one_open_run_per_link"),
            models.CheckConstraint(
                name="a_run_that_has_ended_has_no_cookies", condition=Q(state="open") | Q(sealed_cookies="")
            ),
            models.CheckConstraint(
                name="the_counters_of_a_run_add_up",
                condition=Q(
                    received=models.F("new")
                    + models.F("updated")
                    + models.F("unchanged")
                    + models.F("deleted")
                    + models.F("rejected")
                ),
            ),
        )

    def __str__(self) -> str:
        return f"{self.link} {self.begun:%Y-%m-%d %H:%M:%S}"

    @property
    def message(self) -> str:
        """What an operator reads of the outcome; empty while there is nothing to tell. For display only."""
        return messages.describe_outcome(self.outcome, self.outcome_data)

    @cached_property
    def is_comparison(self) -> bool:
        """Whether the run compares headers only. A run never changes its purpose."""
        return self.purpose == Run.Purpose.COMPARISON

    @cached_property
    def is_of_content(self) -> bool:
        """Whether it is a total re-harvest, or a slice of one."""
        return self.purpose == Run.Purpose.CONTENT

    @cached_property
    def compares(self) -> bool:
        """Whether it compares what is here with the provider's headers or content; then `harvested_to` stays (W27)."""
        return self.purpose != Run.Purpose.HARVEST

    @property
    def windows(self) -> tuple[Window, ...]:
        """The parts of the day in which it goes on; none: at any time, as for what a person has started."""
        return self.link.schedule.windows if self.trigger == Run.Trigger.SCHEDULE else ()

    @property
    def is_open(self) -> bool:
        return self.state == Run.State.OPEN

    @property
    def cookies(self) -> tuple[Cookie, ...]:
        """The cookies that the provider set in this run; none if they cannot be decrypted any more."""
        try:
            return tuple(json.loads(access.unseal(self.sealed_cookies, _COOKIES))) if self.sealed_cookies else ()
        except access.UnreadableSecret:
            return ()

    def seal_cookies(self, cookies: tuple[Cookie, ...]) -> str:
        """Return the value of `sealed_cookies` for these cookies: the present one if they have not changed."""
        if cookies == self.cookies:
            return self.sealed_cookies
        return access.seal(json.dumps(cookies), _COOKIES) if cookies else ""
