"""Fields of a link: when it changes to another provider of its set, and which one serves it now."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FailoverFields(models.Model):
    """When a link changes its provider by itself, and which provider serves it (W31, W37)."""

    switch_after_h = models.PositiveSmallIntegerField(
        _("turn to the next provider after, hours"),
        default=0,
        help_text=_("of failing without a break; 0: only by hand"),  # W37
    )
    return_after_h = models.PositiveSmallIntegerField(
        _("return to its own provider after, hours"),
        default=0,
        help_text=_("of answering without a break, while another one serves the link; 0: only by hand"),  # W37
    )
    serving = models.ForeignKey(
        "harvester.Alternative",
        verbose_name=_("served by"),
        on_delete=models.RESTRICT,
        null=True,
        editable=False,
        related_name="+",
        help_text=_("none: the first"),
    )
    serving_since = models.DateTimeField(_("served by it since"), null=True, editable=False)
    failing_since = models.DateTimeField(_("failing since"), null=True, editable=False)

    class Meta:
        abstract = True
