"""Claims: other versions of a record; and changes of an identifier of which only the case differs."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.models.metadata_set import MetadataSet
from catalogue.models.record import Record


class Claim(models.Model):
    """Another version of a live record: from another set, or from another source of the same shared set.

    The record itself has the version of its owner (promise 9). A claim stores the other version: operators see where
    it differs, and it becomes the record when the owner deletes the record (W23, W45, W47).
    """

    record = models.ForeignKey(
        Record, verbose_name=_("record"), on_delete=models.CASCADE, related_name="claims", db_index=False
    )
    set = models.ForeignKey(MetadataSet, verbose_name=_("set"), on_delete=models.PROTECT, related_name="claims")
    source = models.TextField(_("source"), help_text=_("the link it came by; empty: this node itself"))
    payload = models.BinaryField(help_text=_("packed as in Record"))
    digest = models.BinaryField()
    metadata_date = models.DateTimeField(_("metadata date"), null=True)
    provenance = models.JSONField(null=True)
    spelling = models.TextField(
        _("spelling of the identifier"),
        default="",
        db_default="",
        db_collation="C",
        help_text=_(
            "the OAI identifier as this source spells it, where only its case differs from the record's"
        ),  # W47
    )
    first_seen = models.DateTimeField(_("first seen"), help_text=_("on this record, with this spelling"))

    class Meta:
        verbose_name = _("other version")
        constraints = (
            models.UniqueConstraint(fields=("record", "set", "source"), name="one_claim_of_a_source_on_a_record"),
        )
        indexes = (models.Index(fields=("spelling",), condition=~Q(spelling=""), name="claims_spelled_otherwise"),)

    def __str__(self) -> str:
        return f"{self.record_id} by {self.source or 'this node'}"


class SpellingChange(models.Model):
    """A record that got another identifier, of which only the case differs: the third within a week is not made (F74).

    Or the first half of such a change: its owner deleted a record that others claim, and may send the new one later.
    """

    folded = models.TextField(db_collation="C", help_text=_("what all spellings share: `oai.folded`"))
    old = models.TextField(help_text=_("the OAI identifier of the record that became a tombstone"))
    new = models.TextField(
        help_text=_("that of the record in its place; empty: the owner deleted it, and others claim it")
    )
    owner = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, db_index=False, related_name="+")
    datestamp = models.DateTimeField(help_text=_("of both; rows are deleted after a week"))

    class Meta:
        verbose_name = _("change of spelling")
        verbose_name_plural = _("changes of spelling")
        indexes = (
            models.Index(fields=("folded", "datestamp"), name="changes_of_a_spelling"),
            models.Index(fields=("datestamp",), name="spelling_changes_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.old} is {self.new}"
