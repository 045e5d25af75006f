"""Records, their former versions, and the tombstones that were purged.

Rows of records, claims and memberships are written by `catalogue.writing` and `catalogue.replay` alone (S8), under the
clock's lock.
"""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Lower
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.models.metadata_set import MetadataSet
from catalogue.models.whole_seconds import is_in_whole_seconds


class RecordQuerySet(models.QuerySet["Record"]):
    """Queries of records."""

    def named(self, text: str) -> Self:
        """Return the record with this OAI identifier or this gmd:fileIdentifier (P68), live or deleted."""
        return self.filter(Q(key=text.strip()) | Q(identifier=text.strip()), key=oai.oai_identifier(text))

    def in_another_case(self, text: str) -> Self:
        """Return the live records whose identifier differs from this one in its case alone, which means nothing there (F74)."""
        key = oai.oai_identifier(text)
        folded = oai.folded(key)
        if folded is None:
            return self.none()
        return self.alias(folded=Lower("key")).filter(folded=folded, deleted=False).exclude(key=key)


# The link that a live record came by; empty: this node itself.
SOURCE = Coalesce(KeyTextTransform("link", "provenance"), models.Value("", output_field=models.TextField()))


# What follows the last colon or slash of an identifier: `search_terms.last_part`.
LAST_PART = models.Func("key", function="catalogue_last_part", output_field=models.TextField())


class Record(models.Model):
    """One identifier, live or deleted (OAI-PMH 2.5): header and payload, ready to be served.

    `identifier` and `key` are a pair: what is asked for by either is this record, and what has the same key and another
    identifier is another record, which cannot be stored.

    What search and people need is in `Description`, so that a restamp or a list page never touches
    the wide rows and the text index.
    """

    identifier = models.TextField(_("identifier"), help_text=_("gmd:fileIdentifier, as it is in the metadata"))
    key = models.TextField(
        _("OAI identifier"),
        db_collation="C",
        help_text=_("the OAI identifier: gmd:fileIdentifier, percent-encoded where that is no URI"),  # P68
    )
    datestamp = models.DateTimeField(
        _("datestamp"), help_text=_("when it last changed in this node; whole seconds, UTC")
    )  # P40
    deleted = models.BooleanField(_("deleted"), default=False)
    owner = models.ForeignKey(
        MetadataSet,
        verbose_name=_("owner"),
        on_delete=models.PROTECT,
        related_name="owned",
        help_text=_("the set whose link decides its content"),
    )
    set_specs = ArrayField(
        models.TextField(),
        verbose_name=_("sets"),
        default=list,
        help_text=_("memberships for the header; kept by a tombstone"),  # P84
    )
    payload = models.BinaryField(null=True, help_text=_("root element in a zstd frame; none in a tombstone"))
    digest = models.BinaryField(null=True, help_text=_("SHA-256 of the canonical XML"))
    metadata_date = models.DateTimeField(
        _("metadata date"), null=True, help_text=_("gmd:dateStamp; never the datestamp")
    )  # P95
    provenance = models.JSONField(
        _("provenance"), null=True, help_text=_("where it was harvested; none for records of our own")
    )
    spelling = models.TextField(
        _("spelling of the identifier"),
        default="",
        db_default="",
        db_collation="C",
        help_text=_(
            "the OAI identifier for the gmd:fileIdentifier in the metadata, where only its case differs from the key"
        ),  # F74
    )
    audience = models.IntegerField(
        _("audience"),
        default=0,
        db_default=0,
        editable=False,
        help_text=_("who sees it, by its set, link and own category; 0: everybody"),
    )

    objects = RecordQuerySet.as_manager()

    class Meta:
        verbose_name = _("record")
        verbose_name_plural = _("records")
        constraints = (
            models.UniqueConstraint(fields=("key",), name="one_record_per_identifier"),
            models.CheckConstraint(
                name="a_tombstone_has_no_metadata",
                condition=Q(deleted=True, payload__isnull=True, digest__isnull=True)
                | Q(deleted=False, payload__isnull=False, digest__isnull=False),
            ),
            models.CheckConstraint(
                name="a_record_datestamp_is_whole_seconds", condition=is_in_whole_seconds("datestamp")
            ),
        )
        indexes = (
            models.Index(fields=("datestamp", "id"), name="record_list_order"),
            models.Index(fields=("datestamp", "id"), condition=Q(audience=0), name="public_record_order"),
            models.Index(fields=("audience", "datestamp", "id"), condition=~Q(audience=0), name="hidden_records"),
            models.Index(fields=("datestamp",), condition=Q(deleted=True), name="tombstones_by_age"),  # for the purge
            # Not of live records alone: PostgreSQL uses no statistics of a partial index.
            models.Index(Lower("key"), name="records_by_folded_key"),
            models.Index(fields=("spelling",), condition=~Q(spelling=""), name="records_spelled_otherwise"),
            models.Index(LAST_PART, name="records_by_last_part"),
            # What thousands of hits are sorted by, without their wide rows.
            models.Index(fields=("id",), include=("datestamp", "audience"), name="record_sorting"),
            models.Index(SOURCE, "datestamp", "id", condition=Q(deleted=False), name="live_records_by_source"),
        )

    def __str__(self) -> str:
        return self.identifier


class RecordVersion(models.Model):
    """A former state of a record, live or deleted, and what ended it; written where the next state is, in the same transaction.

    A record has no more of them than GISC_RECORD_VERSIONS, and none that ended before GISC_RECORD_VERSION_DAYS. Where only
    the owner changed, there is no payload: the state after it has the same. A purged record may leave rows behind, which
    go by their age: the former version of the node knows nothing of them, so there is no foreign key in the database.
    """

    class Act(models.TextChoices):
        WITHDRAW = "withdraw", _("withdrawn")
        MOVE = "move", _("moved to another set")
        REPLACE = "replace", _("replaced")
        RESTORE = "restore", _("restored from a former version")

    record = models.ForeignKey(
        Record, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text=_("counts the states of a record, from 1"))
    datestamp = models.DateTimeField(help_text=_("the last that the record had in this state"))
    deleted = models.BooleanField()
    owner = models.TextField(help_text=_("setSpec"))
    link = models.TextField(blank=True, help_text=_("the link that the content came by; empty: this node itself"))
    payload = models.BinaryField(null=True, help_text=_("packed as in Record"))
    digest = models.BinaryField(null=True)
    metadata_date = models.DateTimeField(null=True)
    ended = models.DateTimeField(help_text=_("the datestamp of the change"))
    ended_by = models.TextField(blank=True, help_text=_("the link that brought the change; empty: this node itself"))
    who = models.TextField(blank=True, help_text=_("the account, or the user of the operating system"))
    act = models.CharField(max_length=10, choices=Act.choices, blank=True)
    reason = models.TextField(blank=True, help_text=_("as it was typed"))

    class Meta:
        verbose_name = _("former version")
        verbose_name_plural = _("former versions")
        constraints = (models.UniqueConstraint(fields=("record", "number"), name="one_version_a_number"),)
        indexes = (models.Index(fields=("ended",), name="versions_by_age"),)

    def __str__(self) -> str:
        return f"{self.record_id} version {self.number}"


class Purged(models.Model):
    """A tombstone that was purged, by the hash of its key. Its deletion stays in the journal for ever.

    If the record is offered again, it is new to the catalogue, but the journal needs an event that it came back, or the
    next replay would delete it. A rebuilt database has none of these rows: the replay makes the tombstones again.
    """

    hash = models.BigIntegerField(primary_key=True, help_text=_("hashtextextended(key, 0)"))

    class Meta:
        verbose_name = _("purged tombstone")

    def __str__(self) -> str:
        return str(self.pk)
