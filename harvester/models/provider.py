"""Other providers of a link's set, and providers that served the link before."""

from dataclasses import replace
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from harvester import link_rules
from harvester.models.link import Link
from harvester.models.link_address import ProviderFields


class Alternative(ProviderFields):
    """Another provider of a link's set, used when the link's own fails (W31, W37)."""

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="alternatives", db_index=False
    )
    position = models.PositiveSmallIntegerField(
        _("position"), default=1, help_text=_("the link switches to the smallest first")
    )
    name = models.CharField(_("name"), max_length=60, help_text=_("of the relay, as people know it"))

    class Meta:
        verbose_name = _("alternative provider")
        verbose_name_plural = _("alternative providers")
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("link", "position"), name="one_alternative_at_a_position_of_a_link"),
        )

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse a provider by which records could loop (W21), and a base URL with a password in it."""
        try:
            netloc = urlsplit(self.base_url).netloc
        except ValueError:
            return  # no URL, as its field says
        if "@" in netloc:
            reason = gettext(
                "An address with a password would be shown to everybody, in the provenance of records: leave it out"
            )
            raise ValidationError({"base_url": reason})
        if not hasattr(self.link, "local_set"):
            return
        faults = link_rules.faults(
            replace(self.link.arrangement(), base_url=self.base_url, remote_set=self.remote_set),
            [],
            our_set=settings.GISC_NAME,
            our_url=f"{settings.GISC_BASE_URL}/oai",
        )
        faults = {field: reason for field, reason in faults.items() if field in ("base_url", "remote_set")}
        if faults:
            raise ValidationError(dict(faults))


class Standby(models.Model):
    """A provider that served a link before: how far the link had come with it, and whether it answers now.

    The datestamps are on this provider's clock and are used for no other provider (W13, W32).
    """

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="standbys", db_index=False
    )
    alternative = models.ForeignKey(
        Alternative,
        verbose_name=_("other provider"),
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        help_text=_("none: the link's own provider"),
    )
    harvested_to = models.DateTimeField(_("complete up to"), null=True)
    first_response = models.DateTimeField(_("last complete list answered"), null=True)
    first_asked = models.DateTimeField(_("last complete list asked for"), null=True)
    newest = models.DateTimeField(_("newest datestamp"), null=True)
    relisted_to = models.DateTimeField(_("listed twice up to"), null=True)
    is_promised = models.BooleanField(_("provider is never late"), default=False, db_default=False)
    granularity = models.CharField(_("precision of dates"), max_length=20, blank=True)
    deleted_record = models.CharField(_("keeps deletions"), max_length=20, blank=True)
    left = models.DateTimeField(_("left"), help_text=_("when the link turned away from it, on our clock"))
    next_probe = models.DateTimeField(
        _("asked next"), null=True, help_text=_("when it is asked again whether it answers")
    )
    probed = models.DateTimeField(_("asked last"), null=True, help_text=_("when it last answered, or did not"))
    answers_since = models.DateTimeField(
        _("answers since"), null=True, help_text=_("none: it did not answer when last asked")
    )
    fault = models.TextField(_("why it did not answer"), blank=True, help_text=_("why it did not"))

    class Meta:
        verbose_name = _("provider that waits")
        verbose_name_plural = _("providers that wait")
        constraints = (
            models.UniqueConstraint(
                fields=("link", "alternative"), nulls_distinct=False, name="one_standby_of_a_provider_per_link"
            ),
        )

    def __str__(self) -> str:
        return str(self.alternative or gettext("the link's own provider"))
