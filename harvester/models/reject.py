"""Entries that were not stored."""

from django.db import models

from harvester.models.run import Run


class Reject(models.Model):
    """An entry that was not stored, kept with the reason (promise 7)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rejects")
    identifier = models.TextField(blank=True)
    datestamp = models.CharField(max_length=100, blank=True, help_text="as the provider gave it")
    reason = models.TextField()
    raw = models.BinaryField(null=True, help_text="the metadata as received")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.identifier or "(no identifier)"
