"""Uploads and their documents."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class Upload(models.Model):
    """Documents that a person has sent: what would become of each, which of them were to be stored, and what became of them.

        checking ──> ready <──> storing ──> closed
            └───────────┴──────────┴──────> failed

    Written by `catalogue.bulk.upload` and `catalogue.bulk.preview` alone. The documents lie in a folder of GISC_UPLOAD_DIR.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        READY = "ready", _("waits for you")
        STORING = "storing", _("being stored")
        CLOSED = "closed", _("closed")
        FAILED = "failed", _("failed")

    folder = models.UUIDField(unique=True, editable=False)
    set_spec = models.CharField(_("setSpec"), max_length=200)
    files = models.JSONField(_("files"), default=list, help_text=_("their names and sizes in bytes, in their order"))
    who = models.CharField(_("sent by"), max_length=150)
    created = models.DateTimeField(_("sent"))
    worked = models.DateTimeField(_("last worked on"), help_text=_("when a worker worked on it last"))
    finished = models.DateTimeField(_("finished"), null=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.CHECKING)
    estimate = models.PositiveIntegerField(
        _("documents expected"), null=True, help_text=_("how many documents the files have, if that is known")
    )
    documents = models.PositiveIntegerField(_("documents"), default=0, help_text=_("so many have been checked"))
    to_store = models.PositiveIntegerField(
        _("documents to store"), default=0, help_text=_("how many documents are to be stored, or were last")
    )
    stored = models.PositiveIntegerField(_("documents stored"), default=0, help_text=_("of these, so many are done"))
    begun = models.DateTimeField(_("begun"), null=True, help_text=_("when the checking, or the storing, began"))
    tries = models.PositiveSmallIntegerField(_("tries"), default=0, help_text=_("by workers that have not come on"))
    fault = models.JSONField(_("why it failed"), null=True, help_text=_("why it has failed: a code and facts"))

    class Meta:
        verbose_name = _("upload")
        ordering = ("-created",)
        indexes = (
            models.Index(fields=("worked",), condition=Q(state__in=("checking", "storing")), name="uploads_that_wait"),
        )

    def __str__(self) -> str:
        return gettext("upload {number} into {spec}").format(number=self.pk, spec=self.set_spec)

    @property
    def is_under_way(self) -> bool:
        return self.state in (self.State.CHECKING, self.State.STORING)


class UploadDocument(models.Model):
    """One document of an upload: what would become of it, and what became of it. Its content is in the upload's folder."""

    pk = models.CompositePrimaryKey("upload", "number")
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="contents", db_index=False)
    number = models.PositiveIntegerField(help_text=_("from 1, in the order of the files"))
    source = models.TextField(help_text=_("the file, or the member of an archive, that it is in"))
    identifier = models.TextField(blank=True)
    key = models.TextField(blank=True, db_collation="C")
    title = models.TextField(blank=True)
    preview = models.CharField(max_length=20, help_text=_("what would become of it: a name that `ingest` counts under"))
    reason = models.JSONField(null=True)
    structure = models.CharField(max_length=20, blank=True, help_text=_("as in Validation; empty: not checked here"))
    faults = models.JSONField(default=list)
    digest = models.BinaryField(null=True)
    metadata_date = models.DateTimeField(null=True)
    replaces = models.BinaryField(
        null=True,
        help_text=_("the digest of the record when this was checked; empty: there was none; none: not compared"),
    )
    place = models.BigIntegerField(null=True, help_text=_("where the content begins in the folder's file"))
    length = models.PositiveIntegerField(default=0, help_text=_("of the packed content"))
    length_before = models.PositiveIntegerField(
        default=0, help_text=_("of the packed record that it would replace, next to it")
    )
    chosen = models.BooleanField(default=False)
    result = models.CharField(max_length=20, blank=True, help_text=_("what became of it; empty: it was not stored"))
    result_reason = models.JSONField(null=True)
    record_changed = models.BooleanField(
        default=False, help_text=_("the record was another one when this was stored than when it was checked")
    )

    class Meta:
        verbose_name = _("document of an upload")
        verbose_name_plural = _("documents of uploads")
        indexes = (
            models.Index(fields=("upload", "preview", "number"), name="upload_documents_by_preview"),
            models.Index(fields=("upload", "key"), name="upload_documents_by_key"),
            models.Index(
                fields=("upload", "number"), condition=Q(chosen=True, result=""), name="upload_documents_to_store"
            ),
        )

    def __str__(self) -> str:
        return self.identifier or self.source
