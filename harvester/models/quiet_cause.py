"""Causes of rejects that an operator knows of and does not want to be told about."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from harvester.models.link import Link


class QuietCause(models.Model):
    """Up to so many rejects of a link with one cause are nothing to do; more of them, or another cause, are."""

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="quiet_causes", db_index=False
    )
    reason = models.TextField(_("code"), help_text=_("of the reason: docs/codes.md"))
    up_to = models.PositiveIntegerField(_("quiet up to"))

    class Meta:
        verbose_name = _("quiet cause")
        verbose_name_plural = _("quiet causes")
        constraints = (models.UniqueConstraint(fields=("link", "reason"), name="one_quiet_cause_of_a_link"),)

    def __str__(self) -> str:
        return gettext("{link}: {reason} up to {up_to}").format(link=self.link, reason=self.reason, up_to=self.up_to)
