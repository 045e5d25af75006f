"""Conflicts between what a provider lists and what the catalogue has."""

from django.db import models
from django.db.models import Q

from harvester import reasons
from harvester.models.link import Link


class Conflict(models.Model):
    """A record that a link brings otherwise than the catalogue has it, until an operator or the provider settles it.

    The catalogue has the version of the record's owner (promise 9); this row has the other version (W23, W33, W45).
    """

    class Kind(models.TextChoices):
        MISPLACED = "misplaced", "misplaced: the record is in our own set, or ours claims a peer's"
        DIFFERS = "differs", "differs from what the owner says"
        DISPUTED = "disputed", "deleted by one, live at another"
        VANISHED = "vanished", "the provider no longer knows it and never said that it was deleted"
        RENAMED = "renamed", "the provider deletes it and lists the same by another identifier"
        MASS = "mass", "one of so many deletions that they wait for the operator"
        TAKEN = "taken", "taken: its OAI identifier belongs to another record here"
        OFFERED = "offered", "a co-owner of a shared set has a newer version: to be confirmed, or left"

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="conflicts", db_index=False)
    key = models.TextField(db_collation="C")
    identifier = models.TextField(help_text="as the provider spells it")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.TextField("code", help_text="of the reason: docs/codes.md")
    reason_data = models.JSONField(default=dict, db_default={}, help_text="the facts of the reason")
    digest = models.BinaryField(null=True, help_text="of the provider's version; none: a deletion")
    metadata_date = models.DateTimeField(null=True, help_text="gmd:dateStamp of the provider's version")
    raw = models.BinaryField(null=True, help_text="the provider's version as received")
    provenance = models.JSONField(null=True, help_text="what is stored with that version when it is taken over")
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    settled = models.DateTimeField(null=True, help_text="none: it waits for the operator")
    settlement = models.TextField(blank=True, help_text="its code: docs/codes.md")
    settlement_data = models.JSONField(default=dict, db_default={}, help_text="the facts of the settlement")

    class Meta:
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
