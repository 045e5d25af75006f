"""The list of centres: the GISCs that there are, whether this node harvests them or not."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.models import validate_set_spec

MAX_BASE_URLS = 10  # chosen
_IS_URL = URLValidator(schemes=["http", "https"])


class Centre(models.Model):
    """A GISC: its set, where it is, at which addresses its catalogue answers, and whom to call."""

    name = models.CharField(
        _("name"), max_length=60, unique=True, help_text=_("as people know it, for example Offenbach")
    )
    country = models.CharField(_("country"), max_length=60, blank=True)
    set_spec = models.CharField(
        _("set"),
        max_length=200,
        unique=True,
        validators=[validate_set_spec],
        help_text=_("of its own records, for example WIS-GISC-OFFENBACH; links into this set harvest the centre"),
    )
    latitude = models.FloatField(
        _("latitude"),
        null=True,
        blank=True,
        validators=[MinValueValidator(-90), MaxValueValidator(90)],
        help_text=_("degrees, north is positive; for the map"),
    )
    longitude = models.FloatField(
        _("longitude"),
        null=True,
        blank=True,
        validators=[MinValueValidator(-180), MaxValueValidator(180)],
        help_text=_("degrees, east is positive; for the map"),
    )
    base_urls = models.JSONField(
        _("base URLs"), default=list, blank=True, help_text=_("addresses of its OAI-PMH, the best first; one in a line")
    )
    portal_url = models.CharField(
        _("portal"),
        max_length=500,
        blank=True,
        validators=[_IS_URL],
        help_text=_("address of its pages for people; WIS monitoring asks it every ten minutes"),
    )
    sru_url = models.CharField(
        _("SRU"),
        max_length=500,
        blank=True,
        validators=[_IS_URL],
        help_text=_("address of its search by SRU; WIS monitoring asks it every ten minutes"),
    )
    contact = models.CharField(
        _("contact"), max_length=300, blank=True, help_text=_("whom to call when it does not answer")
    )
    is_active = models.BooleanField(
        _("to be harvested"),
        default=False,
        help_text=_(
            "it counts among the centres that this node is to harvest; one with a link that is enabled always does"
        ),
    )

    class Meta:
        ordering = ("name",)
        verbose_name = _("centre")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what is no list of addresses, and an address with a password in it, as everybody sees the list."""
        if not isinstance(self.base_urls, list) or len(self.base_urls) > MAX_BASE_URLS:
            raise ValidationError({"base_urls": gettext("Write one address in a line, ten at most.")})
        for base_url in self.base_urls:
            try:
                _IS_URL(base_url)
            except ValidationError as exc:
                raise ValidationError({"base_urls": gettext("%s is no address.") % str(base_url)[:200]}) from exc
            if "@" in base_url or {"?", "#"} & set(base_url):
                raise ValidationError(
                    {"base_urls": gettext("Leave passwords and arguments out of %s.") % base_url[:200]}
                )
        for field in ("portal_url", "sru_url"):
            if "@" in (url := getattr(self, field)):
                raise ValidationError({field: gettext("Leave passwords out of %s.") % url[:200]})
