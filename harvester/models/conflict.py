"""Conflicts between what a provider lists and what the catalogue has."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvester import reasons
from harvester.models.link import Link


class Conflict(models.Model):
    """A record that a link brings otherwise than the catalogue has it, until an operator or the provider settles it.

    The catalogue has the version of the record's owner (promise 9); this row has the other version (W23, W33, W45).
    """

    class Kind(models.TextChoices):
        MISPLACED = "misplaced", _("misplaced: the record is in our own set, or ours claims a peer's")
        DIFFERS = "differs", _("differs from what the owner says")
        DISPUTED = "disputed", _("deleted by one, live at another")
        VANISHED = "vanished", _("the provider no longer knows it and never said that it was deleted")
        RENAMED = "renamed", _("the provider deletes it and lists the same by another identifier")
        MASS = "mass", _("one of so many deletions that they wait for the operator")
        TAKEN = "taken", _("taken: its OAI identifier belongs to another record here")
        OFFERED = "offered", _("a co-owner of a shared set has a newer version: to be confirmed, or left")

    link = models.ForeignKey(
        Link, verbose_name=_("link"), on_delete=models.CASCADE, related_name="conflicts", db_index=False
    )
    key = models.TextField(_("OAI identifier"), db_collation="C")
    identifier = models.TextField(_("identifier"), help_text=_("as the provider spells it"))
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    reason = models.TextField(_("code"), help_text=_("of the reason: docs/codes.md"))
    reason_data = models.JSONField(default=dict, db_default={}, help_text=_("the facts of the reason"))
    digest = models.BinaryField(null=True, help_text=_("of the provider's version; none: a deletion"))
    metadata_date = models.DateTimeField(
        _("metadata date"), null=True, help_text=_("gmd:dateStamp of the provider's version")
    )
    raw = models.BinaryField(null=True, help_text=_("the provider's version as received"))
    provenance = models.JSONField(
        _("where theirs came from"), null=True, help_text=_("what is stored with that version when it is taken over")
    )
    ours = models.BinaryField(
        null=True, help_text=_("our version as it was before the act that settled it, to undo that")
    )
    ours_provenance = models.JSONField(_("where ours came from"), null=True, help_text=_("of that version"))
    first_seen = models.DateTimeField(_("first seen"))
    last_seen = models.DateTimeField(_("last seen"))
    settled = models.DateTimeField(_("settled"), null=True, help_text=_("none: it waits for the operator"))
    settlement = models.TextField(_("how it was settled"), blank=True, help_text=_("its code: docs/codes.md"))
    settlement_data = models.JSONField(default=dict, db_default={}, help_text=_("the facts of the settlement"))

    class Meta:
        verbose_name = _("conflict")
        verbose_name_plural = _("conflicts")
        ordering = ("-first_seen", "-pk")
        constraints = (models.UniqueConstraint(fields=("link", "key"), name="one_conflict_of_an_identifier_per_link"),)
        indexes = (models.Index(fields=("link", "key"), condition=Q(settled=None), name="conflicts_that_wait"),)

    def __str__(self) -> str:
        return self.identifier

    @property
    def reason_text(self) -> str:
        """The reason for an operator."""
        return reasons.describe_disagreement(self.reason, self.reason_data)

    @property
    def settlement_text(self) -> str:
        """How it was settled, for an operator; empty if it waits."""
        return reasons.describe_settlement(self.settlement, self.settlement_data)
