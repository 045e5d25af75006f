"""Links: what is harvested from whom, and how far it has come."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator, URLValidator
from django.db import models

from catalogue import oai
from catalogue.datestamps import Granularity
from catalogue.models import MetadataSet
from harvester import link_rules
from harvester.link_rules import Kind
from harvester.models.access import AccessFields
from harvester.net.access import Access, Cookie
from harvester.net.addresses import may_send_credentials

if TYPE_CHECKING:
    from harvester.models.provider import Alternative


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a link's records come from."""

    base_url: str
    prefix: str
    remote_set: str


MAX_AT_ONCE = 16  # chosen: less than a batch of `harvester.runs.get_records`


class Link(AccessFields):
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
    hold_percent = models.PositiveSmallIntegerField(
        "hold deletions above, percent of the link",
        default=10,
        validators=[MaxValueValidator(100)],
        help_text="more deletions than that in one run, and more than 50, wait for an operator; 100: none ever does",
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

    moved_to = models.CharField(
        "has moved to",
        max_length=500,
        blank=True,
        editable=False,
        help_text="where the provider's permanent redirect leads, until a person accepts it (H27)",
    )
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
        self.check_access(self.base_url)
        self._check_password()
        if not hasattr(self, "local_set"):
            return  # no set chosen: the field itself says so
        others = Link.objects.exclude(pk=self.pk).select_related("local_set")
        faults = link_rules.faults(
            self.arrangement(),
            [other.arrangement() for other in others],
            our_set=settings.GISC_NAME,
            our_url=f"{settings.GISC_BASE_URL}/oai",
        )
        if faults:
            raise ValidationError(dict(faults))

    def _check_password(self) -> None:
        """A password goes where it was given for, and nowhere else that an edit of the link leads to."""
        held = Link.objects.filter(pk=self.pk).first()
        if held is None:
            return
        again = "enter it again, or leave the user name empty"
        is_kept = self.sealed_password and self.sealed_password == held.sealed_password
        if is_kept and not may_send_credentials(held.base_url, self.base_url):
            raise ValidationError({"user": f"The password was given for another provider: {again}"})
        is_kept = self.sealed_proxy_password and self.sealed_proxy_password == held.sealed_proxy_password
        if is_kept and self.proxy != held.proxy:
            raise ValidationError({"proxy_user": f"The password was given for another proxy: {again}"})

    def access(self, cookies: tuple[Cookie, ...] = ()) -> Access:
        """What the link's present provider is asked with. Raises Refused where a password cannot be read any more."""
        return (
            self.access_to_own_provider(cookies=cookies)
            if self.serving is None
            else self.access_to_alternative(cookies=cookies)
        )

    @property
    def provider(self) -> "Provider":
        """Whom the link asks now: its own provider, or an alternative that serves in its place."""
        served_by: Link | Alternative = self if self.serving is None else self.serving
        return Provider(served_by.base_url, served_by.prefix, served_by.remote_set)

    @property
    def is_relayed(self) -> bool:
        """Whether the provider of today passes on what others have made."""
        return self.kind == Kind.RELAY or self.serving_id is not None

    def arrangement(self) -> link_rules.Arrangement:
        """What the link is to do, for the rules of `harvester.link_rules`."""
        return link_rules.Arrangement(
            name=self.name,
            kind=self.kind,
            base_url=self.base_url,
            remote_set=self.remote_set,
            local_set=self.local_set.spec,
            local_kind=self.local_set.kind,
            enabled=self.enabled,
        )
