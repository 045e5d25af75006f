"""Links, runs and rejects: fields, constraints and facts about one row. `harvester.runs` and its two helpers alone write Run."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator, URLValidator
from django.db import models
from django.db.models import Q

from catalogue import oai
from catalogue.datestamps import Granularity
from catalogue.models import MetadataSet
from harvester import kinds
from harvester.words import Kind


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a link's records come from."""

    base_url: str
    prefix: str
    remote_set: str


class Link(models.Model):
    """The standing arrangement to harvest one remote set of one provider into one local set (W13, W22)."""

    class Strategy(models.TextChoices):
        RECORDS = "records", "ListRecords: whole records, page by page"
        IDENTIFIERS = "identifiers", "ListIdentifiers, then GetRecord for what is new or changed"

    class SetState(models.TextChoices):
        LISTED = "listed", "the provider lists it"
        MISSING = "missing", "the provider lists other sets and not this one"
        NO_SETS = "no sets", "the provider says that it has no sets"
        NOT_TOLD = "not told", "the provider could not be asked for its sets"

    class FromPolicy(models.TextChoices):
        EARLIER = "earlier", "the earlier of the first responseDate and the largest datestamp of the last list"
        RESPONSE = "response", "the first responseDate of the last list: an idle link asks for nothing again"

    name = models.SlugField(max_length=60, unique=True, help_text="short name, used on the command line and in logs")
    kind = models.CharField(
        max_length=10, choices=Kind.choices, default=Kind.PEER, help_text="what the provider is to us"
    )
    base_url = models.CharField(
        "base URL", max_length=500, validators=[URLValidator(schemes=["http", "https"])], help_text="without arguments"
    )
    prefix = models.CharField(
        "metadata prefix",
        max_length=100,
        default=oai.ISO19139,
        validators=[RegexValidator(rf"\A{oai.PREFIX.pattern}\Z")],
    )
    remote_set = models.CharField(
        "remote setSpec",
        max_length=200,
        blank=True,
        help_text="as the provider spells it; empty, for a centre only: everything it has",
    )
    local_set = models.ForeignKey(MetadataSet, on_delete=models.PROTECT, related_name="links")
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
    from_policy = models.CharField(
        "“from” is", max_length=10, choices=FromPolicy.choices, default=FromPolicy.EARLIER, help_text="less the overlap"
    )
    overlap_s = models.PositiveIntegerField(
        "overlap, seconds", default=60, help_text="asked for again before the last harvest's end (H9)"
    )
    granularity = models.CharField(
        max_length=20, choices=[(g.value, g.value) for g in Granularity], blank=True, editable=False
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

    cycle_days = models.PositiveSmallIntegerField(
        "compare everything every, days",
        default=28,
        validators=[MaxValueValidator(366)],
        help_text="in slices, one a day; 7: weekly, 28: monthly, 0: never by schedule (W24)",
    )
    ceiling_records = models.PositiveIntegerField(
        "ceiling, records",
        default=100,
        help_text="so many that the provider no longer lists are asked for by GetRecord; above it an operator decides",
    )
    ceiling_percent = models.PositiveSmallIntegerField(
        "ceiling, percent of the link", default=1, validators=[MaxValueValidator(100)], help_text="if that is more"
    )
    tombstone_days = models.PositiveIntegerField(
        "provider keeps deletions, days",
        default=90,
        help_text="if it keeps them for a while only: after a longer silence everything is compared (H15)",
    )
    deleted_record = models.CharField(
        "deletions are kept", max_length=20, blank=True, editable=False, help_text="deletedRecord, as Identify says"
    )
    switch_after_h = models.PositiveSmallIntegerField(
        "turn to the next provider after, hours",
        default=0,
        help_text="of failing without a break; 0: only by hand (W37)",
    )
    return_after_h = models.PositiveSmallIntegerField(
        "return to its own provider after, hours",
        default=0,
        help_text="of answering without a break, while another one serves the link; 0: only by hand (W37)",
    )
    serving = models.ForeignKey(
        "Alternative",
        on_delete=models.RESTRICT,
        null=True,
        editable=False,
        related_name="+",
        help_text="none: the first",
    )
    serving_since = models.DateTimeField(null=True, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)

    set_state = models.CharField(
        "remote set",
        max_length=10,
        choices=SetState.choices,
        blank=True,
        editable=False,
        help_text="as last looked (H17)",
    )
    set_checked = models.DateTimeField("remote set looked for", null=True, editable=False)

    skew_s = models.FloatField(
        "clock skew, seconds", null=True, editable=False, help_text="the provider's clock minus ours (W19)"
    )

    next_slice = models.DateTimeField("next comparison", null=True, editable=False)
    compared_to = models.DateTimeField(
        null=True, editable=False, help_text="this cycle has compared what is stamped up to here; none: it is complete"
    )
    cycle_begun = models.DateTimeField(null=True, editable=False)
    cycle_ended = models.DateTimeField("compared as a whole", null=True, editable=False)
    reconciles = models.BooleanField(
        default=False, editable=False, help_text="the slices follow one another at once until all is compared"
    )
    failures = models.PositiveIntegerField("failed runs in a row", default=0, editable=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what could loop (W21, W42), and a base URL that is none (P1)."""
        if {"?", "#"} & set(self.base_url):
            raise ValidationError({"base_url": "The base URL has no arguments: leave out ? or # and what follows"})
        if not hasattr(self, "local_set"):
            return  # no set chosen: the field itself says so
        others = Link.objects.exclude(pk=self.pk).select_related("local_set")
        faults = kinds.faults(
            self.arrangement(),
            [other.arrangement() for other in others],
            our_set=settings.GISC_NAME,
            our_url=f"{settings.GISC_BASE_URL}/oai",
        )
        if faults:
            raise ValidationError(dict(faults))

    @property
    def provider(self) -> "Provider":
        """Whom the link asks now: its own provider, or an alternative that serves in its place."""
        served_by: Link | Alternative = self if self.serving is None else self.serving
        return Provider(served_by.base_url, served_by.prefix, served_by.remote_set)

    @property
    def is_relayed(self) -> bool:
        """Whether the provider of today passes on what others have made."""
        return self.kind == Kind.RELAY or self.serving_id is not None

    def arrangement(self) -> kinds.Arrangement:
        """What the link is to do, for the rules of `harvester.kinds`."""
        return kinds.Arrangement(
            name=self.name,
            kind=self.kind,
            base_url=self.base_url,
            remote_set=self.remote_set,
            local_set=self.local_set.spec,
            local_kind=self.local_set.kind,
            enabled=self.enabled,
        )


class Alternative(models.Model):
    """Another provider of a link's set, to turn to when the link's own cannot be had (W31, W37)."""

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="alternatives", db_index=False)
    position = models.PositiveSmallIntegerField(default=1, help_text="the smallest is turned to first")
    name = models.CharField(max_length=60, help_text="of the relay, as people know it")
    base_url = models.CharField(
        "base URL", max_length=500, validators=[URLValidator(schemes=["http", "https"])], help_text="without arguments"
    )
    prefix = models.CharField(
        "metadata prefix",
        max_length=100,
        default=oai.ISO19139,
        validators=[RegexValidator(rf"\A{oai.PREFIX.pattern}\Z")],
    )
    remote_set = models.CharField("remote setSpec", max_length=200)

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("link", "position"), name="one_alternative_at_a_position_of_a_link"),
        )

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what could loop (W21): an alternative obeys the rules of its link's kind."""
        if not hasattr(self.link, "local_set"):
            return
        faults = kinds.faults(
            replace(self.link.arrangement(), base_url=self.base_url, remote_set=self.remote_set),
            [],
            our_set=settings.GISC_NAME,
            our_url=f"{settings.GISC_BASE_URL}/oai",
        )
        faults = {field: reason for field, reason in faults.items() if field in ("base_url", "remote_set")}
        if faults:
            raise ValidationError(dict(faults))


class Standby(models.Model):
    """A provider that served a link and does not now: how far the link had come with it, and whether it answers.

    The place is on this provider's clock and is used for no other one (W13, W32).
    """

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="standbys", db_index=False)
    alternative = models.ForeignKey(
        Alternative, on_delete=models.CASCADE, null=True, related_name="+", help_text="none: the link's own provider"
    )
    harvested_to = models.DateTimeField(null=True)
    first_response = models.DateTimeField(null=True)
    newest = models.DateTimeField(null=True)
    granularity = models.CharField(max_length=20, blank=True)
    deleted_record = models.CharField(max_length=20, blank=True)
    left = models.DateTimeField(help_text="when the link turned away from it, on our clock")
    next_probe = models.DateTimeField(null=True, help_text="when it is asked again whether it answers")
    probed = models.DateTimeField(null=True, help_text="when it last answered, or did not")
    answers_since = models.DateTimeField(null=True, help_text="none: it did not answer when last asked")
    fault = models.TextField(blank=True, help_text="why it did not")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("link", "alternative"), nulls_distinct=False, name="one_standby_of_a_provider_per_link"
            ),
        )

    def __str__(self) -> str:
        return str(self.alternative or "the link's own provider")


class Run(models.Model):
    """One pass over a link, from its `from` to the list's end. This row is the truth; the queue is only a hint.

    OPEN --last page stored--> DONE
    OPEN --tries spent, or refused--> FAILED
    OPEN --by the operator--> CANCELLED
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    class Purpose(models.TextChoices):
        HARVEST = "harvest", "harvest"
        COMPARISON = "comparison", "comparison"

    class Phase(models.TextChoices):
        LISTING = "listing", "reading the list"
        FETCHING = "fetching", "asking for single records"

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="runs")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.HARVEST)
    trigger = models.CharField(max_length=20, default="schedule", help_text="what started it")
    begun = models.DateTimeField()
    finished = models.DateTimeField(null=True)
    strategy = models.CharField(max_length=12, choices=Link.Strategy.choices, default=Link.Strategy.RECORDS)
    phase = models.CharField(max_length=10, choices=Phase.choices, default=Phase.LISTING)
    message = models.TextField(blank=True, help_text="what happened last, and what happens next")

    list_from = models.DateTimeField("from", null=True, help_text="lower bound asked for; none: the whole list")
    list_until = models.DateTimeField("until", null=True, help_text="upper bound; none, but for slices (H14)")
    granularity = models.CharField(max_length=20, choices=[(g.value, g.value) for g in Granularity], blank=True)
    token = models.TextField(blank=True, help_text="asks for the next page; empty before the first")
    pages = models.PositiveIntegerField(default=0, help_text="pages stored since the list was (re)started")
    restarts = models.PositiveIntegerField(default=0)
    first_response = models.DateTimeField(null=True, help_text="responseDate of the list's first page (H10)")
    newest = models.DateTimeField(null=True, help_text="largest datestamp of the list so far")
    list_size = models.PositiveIntegerField(null=True, help_text="completeListSize as the provider gives it (H25)")
    listed = models.PositiveIntegerField(default=0, help_text="entries since the list was (re)started")
    marked_token = models.TextField(blank=True, help_text="a token given before: to see it again is a loop (H23)")
    marked_page = models.BinaryField(null=True, help_text="the digest of a page's headers, for the same purpose")
    fetched = models.PositiveIntegerField(default=0, help_text="records asked for by GetRecord")

    received = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)

    missing = models.PositiveIntegerField(default=0, help_text="the provider lists it and we knew nothing of it")
    stale = models.PositiveIntegerField(default=0, help_text="the provider has said something else since")
    extra = models.PositiveIntegerField(default=0, help_text="held here, and the provider does not list it")
    vanished = models.PositiveIntegerField(default=0, help_text="of the extra: unknown there, and kept here")
    held_back = models.PositiveIntegerField(default=0, help_text="of the extra: above the ceiling, so not asked for")
    beyond_ceiling = models.BooleanField(default=False, help_text="an operator has lifted the ceiling for this run")

    attempts = models.PositiveIntegerField(default=0, help_text="tries since the last page was stored")
    not_before = models.DateTimeField(null=True, help_text="wait until then before the next try")
    queued = models.DateTimeField(null=True, help_text="when a task was last queued for it")
    holder = models.CharField(max_length=300, blank=True, help_text="host:pid that works on it")
    leased_until = models.DateTimeField(null=True, help_text="another worker may take it over after this")

    class Meta:
        ordering = ("-begun",)
        indexes = (models.Index("link", models.F("begun").desc(), name="runs_of_a_link"),)
        constraints = (
            models.UniqueConstraint(fields=("link",), condition=Q(state="open"), name="one_open_run_per_link"),
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
    def is_comparison(self) -> bool:
        return self.purpose == Run.Purpose.COMPARISON

    @property
    def is_open(self) -> bool:
        return self.state == Run.State.OPEN

    def log_facts(self, **more: object) -> dict[str, object]:
        """What every log line about the run says, and `more`."""
        return {"link": self.link.name, "run": self.pk, **more}


class RemoteHeader(models.Model):
    """What a provider of a link last said of one identifier (H40): the link's table, which comparisons go by (W25).

    Each provider has rows of its own, as its datestamps are of its own clock (W32).
    """

    class State(models.TextChoices):
        HELD = "held", "taken as the provider gave it"
        WANTED = "wanted", "to be asked for by GetRecord"
        ABSENT = "absent", "not listed where it should be: to be asked for by GetRecord"
        DOUBTED = "doubted", "changed here while another provider served the link: to be asked for by GetRecord"
        VANISHED = "vanished", "no longer known to the provider"
        REJECTED = "rejected", "what came was not stored"

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="headers", db_index=False)
    alternative = models.ForeignKey(
        Alternative,
        on_delete=models.CASCADE,
        null=True,
        db_index=False,
        related_name="+",
        help_text="who said so; none: the link's own provider",
    )
    key = models.TextField(db_collation="C", help_text="the identifier trimmed and case-folded")
    identifier = models.TextField(help_text="as the provider spells it")
    datestamp = models.DateTimeField(null=True, help_text="on the provider's clock; none: not known")
    deleted = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    seen_in = models.BigIntegerField(null=True, help_text="the last comparison that saw it listed")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("link", "alternative", "key"), nulls_distinct=False, name="one_header_of_a_provider"
            ),
        )
        indexes = (
            models.Index(fields=("link", "datestamp"), name="headers_by_datestamp"),
            models.Index(
                fields=("link", "id"), condition=Q(state__in=("wanted", "absent", "doubted")), name="headers_wanted"
            ),
        )

    def __str__(self) -> str:
        return self.identifier


class Reject(models.Model):
    """An entry that was not stored, kept with the reason (promise 7)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rejects")
    identifier = models.TextField(blank=True)
    datestamp = models.CharField(max_length=100, blank=True, help_text="as the provider gave it")
    reason = models.TextField()
    raw = models.BinaryField(null=True, help_text="the metadata as received")
    file_key = models.TextField(
        blank=True, db_collation="C", help_text="what its gmd:fileIdentifier says, folded, if the header says otherwise"
    )

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("file_key",), condition=~Q(file_key=""), name="rejects_called_otherwise"),)

    def __str__(self) -> str:
        return self.identifier or "(no identifier)"


class Conflict(models.Model):
    """What a link brings and the catalogue says otherwise, until an operator or the provider settles it.

    The record itself is what its owner says (promise 9); this row tells of the other word (W23, W33, W45).
    """

    class Kind(models.TextChoices):
        MISPLACED = "misplaced", "misplaced: the record is in our own set, or ours claims a peer's"
        DIFFERS = "differs", "differs from what the owner says"
        DISPUTED = "disputed", "deleted by one, held by another"
        VANISHED = "vanished", "the provider no longer knows it and never said that it was deleted"
        RENAMED = "renamed", "the provider deletes it and lists the same by another identifier"
        OFFERED = "offered", "a co-owner of a shared set has a newer version: to be confirmed, or left"

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="conflicts", db_index=False)
    key = models.TextField(db_collation="C")
    identifier = models.TextField(help_text="as the provider spells it")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.TextField()
    digest = models.BinaryField(null=True, help_text="of the provider's version; none: a deletion")
    metadata_date = models.DateTimeField(null=True, help_text="gmd:dateStamp of the provider's version")
    raw = models.BinaryField(null=True, help_text="the provider's version as received")
    provenance = models.JSONField(null=True, help_text="what is stored with that version when it is taken over")
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    settled = models.DateTimeField(null=True, help_text="none: it waits for the operator")
    settlement = models.TextField(blank=True)

    class Meta:
        ordering = ("-first_seen", "-pk")
        constraints = (models.UniqueConstraint(fields=("link", "key"), name="one_conflict_of_an_identifier_per_link"),)
        indexes = (models.Index(fields=("link", "key"), condition=Q(settled=None), name="conflicts_that_wait"),)

    def __str__(self) -> str:
        return self.identifier


class Canary(models.Model):
    """When the last tick went all the way from beat through broker and worker to the database; one row."""

    last = models.DateTimeField()

    class Meta:
        verbose_name_plural = "canaries"
        constraints = (models.CheckConstraint(name="there_is_one_canary", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"


class HostClock(models.Model):
    """This host's clock against NTP, as last measured; one row."""

    checked = models.DateTimeField()
    server = models.CharField(max_length=255, blank=True)
    offset_s = models.FloatField(null=True, help_text="NTP's time minus this host's; none: no server answered")
    fault = models.TextField(blank=True)

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_host_clock", condition=Q(id=1)),)

    def __str__(self) -> str:
        return self.fault if self.offset_s is None else f"{self.offset_s:+.3f} s"
