"""Fields of a link: how many records its provider has, how it wants to be called, and the address of its report."""

import uuid

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.utils.translation import gettext_lazy as _


class CountFields(models.Model):
    """How many records the provider has, by its headers, its brand, and what its report page is found by."""

    live_there = models.PositiveIntegerField(
        _("live records there"),
        null=True,
        editable=False,
        help_text=_("live records of the provider, by its last headers; none: not counted yet"),
    )
    counted_there = models.DateTimeField(
        _("counted there"), null=True, editable=False, help_text=_("when they were counted")
    )
    brand = models.JSONField(
        _("software of the provider"),
        default=dict,
        db_default={},
        editable=False,
        help_text=_("`title` and `link` of the branding container in its Identify, as strangers wrote them"),
    )
    report_key = models.UUIDField(
        _("key of the report"),
        default=uuid.uuid4,
        db_default=RandomUUID(),  # for rows that a node of the version before still writes
        unique=True,
        editable=False,
        help_text=_("in the address of the report for the provider, which cannot be guessed"),
    )

    class Meta:
        abstract = True
