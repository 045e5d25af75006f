"""Entries that were not stored."""

from django.db import models
from django.db.models import Q

from harvester.models.run import Run


class Reject(models.Model):
    """An entry that was not stored, kept with the reason (promise 7)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rejects")
    identifier = models.TextField(blank=True)
    datestamp = models.CharField(max_length=100, blank=True, help_text="as the provider gave it")
    reason = models.TextField()
    raw = models.BinaryField(null=True, help_text="the metadata as received")
    file_key = models.TextField(
        blank=True, db_collation="C", help_text="what its gmd:fileIdentifier says, folded, if the header says otherwise"
    )

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("file_key",), condition=~Q(file_key=""), name="rejects_called_otherwise"),)

    def __str__(self) -> str:
        return self.identifier or "(no identifier)"
