"""Runs: passes over a link. Written by `harvester.rows.runs` alone."""

import json
from functools import cached_property

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.datestamps import Granularity
from harvester import messages
from harvester.messages import OutcomeCode
from harvester.models.link import Link
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

    BY_SCHEDULE = "schedule"  # the trigger of runs that keep to the windows of their link

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

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="runs", db_index=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.HARVEST)
    trigger = models.CharField(max_length=20, default="schedule", help_text=_("what started it"))
    begun = models.DateTimeField()
    finished = models.DateTimeField(null=True)
    strategy = models.CharField(max_length=12, choices=Link.Strategy.choices, default=Link.Strategy.RECORDS)
    phase = models.CharField(max_length=10, choices=Phase.choices, default=Phase.LISTING)
    outcome = models.CharField(
        max_length=40,
        default=OutcomeCode.RUNNING,
        db_default="running",  # for rows that a node of the version before still writes
        help_text=_("code of what happened last, and of what happens next"),
    )
    outcome_data = models.JSONField(default=dict, db_default={}, help_text=_("the facts of the outcome"))

    warnings = models.JSONField(default=list, help_text=_("what was not as it should be: code, facts, count"))

    list_from = models.DateTimeField(_("from"), null=True, help_text=_("lower bound asked for; none: the whole list"))
    list_until = models.DateTimeField(_("until"), null=True, help_text=_("upper bound; none, but for slices"))  # H14
    granularity = models.CharField(max_length=20, choices=[(g.value, g.value) for g in Granularity], blank=True)
    token = models.TextField(blank=True, help_text=_("asks for the next page; empty before the first"))
    pages = models.PositiveIntegerField(default=0, help_text=_("pages stored since the list was (re)started"))
    restarts = models.PositiveIntegerField(default=0)
    first_asked = models.DateTimeField(null=True, help_text=_("when that page was asked for, on our clock"))  # H48
    first_response = models.DateTimeField(null=True, help_text=_("responseDate of the list's first page"))  # H10
    asked_before = models.DateTimeField(
        null=True,
        help_text=_("what is stamped before this was in a list before, or came late; none: not known"),  # H8
    )
    skipped_from = models.DateTimeField(
        null=True,
        help_text=_("begin of the window before `from` whose headers were counted and not listed"),  # H50
    )
    skipped_size = models.PositiveIntegerField(null=True, help_text=_("how many headers the provider counted in it"))
    is_promised = models.BooleanField(
        default=False,
        db_default=False,
        help_text=_("Identify names this software and promise 1"),  # P147
    )
    stepped_back_s = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=_("seconds by which the provider's clock was set back before this list"),  # H48
    )
    newest = models.DateTimeField(null=True, help_text=_("largest datestamp of the list so far"))
    list_size = models.PositiveIntegerField(null=True, help_text=_("completeListSize as the provider gives it"))  # H25
    listed = models.PositiveIntegerField(default=0, help_text=_("entries since the list was (re)started"))
    marked_token = models.TextField(blank=True, help_text=_("a token given before: to see it again is a loop"))  # H23
    marked_page = models.BinaryField(null=True, help_text=_("the digest of a page's headers, for the same purpose"))
    fetched = models.PositiveIntegerField(default=0, help_text=_("records asked for by GetRecord"))

    received = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)

    missing = models.PositiveIntegerField(default=0, help_text=_("the provider lists it and we knew nothing of it"))
    stale = models.PositiveIntegerField(default=0, help_text=_("the provider has another version than is served here"))
    extra = models.PositiveIntegerField(default=0, help_text=_("stored here, and not listed by the provider"))
    changed = models.PositiveIntegerField(
        default=0,
        db_default=0,  # for rows that a node of the version before still writes
        help_text=_("their content differs, though identifier and datestamp are those that were known"),
    )
    vanished = models.PositiveIntegerField(
        default=0, help_text=_("of the extra: unknown to the provider; they stay here")
    )
    held_back = models.PositiveIntegerField(default=0, help_text=_("of the extra: above the ceiling, so not asked for"))
    not_served = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=_(
            "listed by the provider, and not what is served here: rejected, or another source's version counts"
        ),
    )
    removed = models.PositiveIntegerField(
        default=0, help_text=_("of the deleted: those the provider had listed before")
    )
    beyond_ceiling = models.BooleanField(default=False, help_text=_("an operator has lifted the ceiling for this run"))

    came_late = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=_("stamped within what a list before should have had"),  # H8
    )
    explained = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=_("of what the list before announced and did not list"),  # H49
    )

    attempts = models.PositiveIntegerField(default=0, help_text=_("failed tries since the last page was stored"))
    crashes = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text=_("faults of this node since the last page was stored: a worker died, an error"),
    )
    first_fault = models.JSONField(null=True, help_text=_("the first fault of the run: `at`, `code`, `facts`"))
    last_fault = models.JSONField(null=True, help_text=_("the last one"))
    not_before = models.DateTimeField(null=True, help_text=_("wait until then before the next try"))
    queued = models.DateTimeField(
        null=True, help_text=_("since when it waits for a worker; claimed then, if one has it")
    )
    asking_since = models.DateTimeField(
        null=True, help_text=_("since when it waits for the provider's answer without keeping a worker")
    )
    sealed_cookies = models.TextField(blank=True, help_text=_("what the provider set in this run"))  # F96
    worker = models.CharField(max_length=300, blank=True, db_column="holder", help_text=_("host:pid that works on it"))
    leased_until = models.DateTimeField(null=True, help_text=_("another worker may take it over after this"))

    # Of a run that a worker has claimed: whether it waited for its provider's answer when its last worker died or ended.
    was_asking: bool = False

    class Meta:
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
        return self.link.schedule.windows if self.trigger == Run.BY_SCHEDULE else ()

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
