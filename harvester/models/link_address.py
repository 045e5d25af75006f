"""Fields of a link: where its provider is, and what was last seen of the provider there."""

from dataclasses import dataclass

from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.datestamps import Granularity
from harvester.link_rules import Identifiers

# The two of OAI-PMH, in words.
GRANULARITIES = [(Granularity.DAY.value, _("to the day")), (Granularity.SECOND.value, _("to the second"))]


@dataclass(frozen=True, slots=True)
class Provider:
    """What requests ask for and where: base URL, metadataPrefix and setSpec; and what counts as identifier."""

    base_url: str
    prefix: str
    remote_set: str
    identifiers: str = Identifiers.SAME


class ProviderFields(models.Model):
    """Where a list is harvested from. Links have these fields, and their alternatives."""

    base_url = models.CharField(
        _("base URL"),
        max_length=500,
        validators=[URLValidator(schemes=["http", "https"])],
        help_text=_("without arguments"),
    )
    prefix = models.CharField(
        _("metadata prefix"),
        max_length=100,
        default=oai.ISO19139,
        validators=[RegexValidator(rf"\A{oai.PREFIX.pattern}\Z")],
    )
    remote_set = models.CharField(_("remote setSpec"), max_length=200)

    class Meta:
        abstract = True


class AddressFields(ProviderFields):
    """The link's own provider: its address, and what it last answered about its set, its clock and its new address."""

    class SetState(models.TextChoices):
        LISTED = "listed", _("the provider lists it")
        MISSING = "missing", _("the provider lists other sets and not this one")
        NO_SETS = "no sets", _("the provider says that it has no sets")
        UNLISTED = "unlisted", _("the provider does not list it, and gives records of it")
        UNKNOWN = "not told", _("the provider could not be asked for its sets")

    LACKING = (SetState.MISSING, SetState.NO_SETS)

    remote_set = models.CharField(
        _("remote setSpec"),
        max_length=200,
        blank=True,
        help_text=_("as the provider spells it; empty, for a centre only: everything it has"),
    )
    identifiers = models.CharField(
        _("identifiers"),
        max_length=10,
        choices=Identifiers.choices,
        default=Identifiers.SAME,
        db_default=Identifiers.SAME,  # for rows that a node of the version before still writes
        help_text=_("“Retrieve info” says what this provider needs. Between GISCs they must be the same"),  # H38
    )
    is_told = models.BooleanField(
        _("tell others its address"),
        default=True,
        db_default=True,  # for rows that a node of the version before still writes
        help_text=_("in Identify, as a friend: only that of a peer whose link is enabled, and never with a password"),
    )
    granularity = models.CharField(
        _("precision of dates"),
        max_length=20,
        choices=GRANULARITIES,
        blank=True,
        editable=False,
    )
    set_state = models.CharField(
        _("remote set"),
        max_length=10,
        choices=SetState.choices,
        blank=True,
        editable=False,
        help_text=_("as last looked"),  # H17
    )
    set_checked = models.DateTimeField(_("remote set looked for"), null=True, editable=False)
    moved_to = models.CharField(
        _("has moved to"),
        max_length=500,
        blank=True,
        editable=False,
        help_text=_("where the provider's permanent redirect leads, until a person accepts it"),  # H27
    )
    skew_s = models.FloatField(
        _("clock skew, seconds"),
        null=True,
        editable=False,
        help_text=_("the provider's clock minus ours"),  # W19
    )

    class Meta:
        abstract = True

    @property
    def lacks_remote_set(self) -> bool:
        """Whether the provider was asked for its sets and does not have the one that the link asks for (H17, H18)."""
        return self.set_state in self.LACKING

    @property
    def has_unlisted_set(self) -> bool:
        """Whether the provider gives records of the set that the link asks for, and does not list it."""
        return self.set_state == self.SetState.UNLISTED
