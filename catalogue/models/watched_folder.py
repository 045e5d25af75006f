"""Folders that are watched, their files, and the records that they gave."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WatchedFolder(models.Model):
    """A folder that somebody watches or has watched (`catalogue.bulk.watch`), as it was when it was looked through last."""

    folder = models.TextField(unique=True)
    looked = models.DateTimeField(help_text=_("when it was looked through last"))
    every_s = models.PositiveIntegerField(
        null=True, help_text=_("seconds between two looks; empty: it is not to be watched now")
    )
    unreadable = models.JSONField(
        default=list, help_text=_("folders that cannot be listed, and files that cannot be read")
    )
    above_ceiling = models.PositiveIntegerField(
        default=0, help_text=_("records that stay though their files have vanished")
    )
    ceiling = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.folder


class WatchedFile(models.Model):
    """A file of a watched folder as it was read last (`catalogue.bulk.watch`)."""

    folder = models.TextField()
    path = models.TextField(help_text=_("below the folder"))
    size = models.BigIntegerField(null=True)
    modified_ns = models.BigIntegerField(null=True)
    fault = models.JSONField(
        null=True, help_text=_("the first document that was not stored: where it is, and why; empty: all were")
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("folder", "path"), name="one_row_a_watched_file"),)
        indexes = (
            models.Index(
                fields=("folder", "path"), condition=models.Q(fault__isnull=False), name="watched_files_with_faults"
            ),
        )

    def __str__(self) -> str:
        return self.path


class WatchedRecord(models.Model):
    """A record that a file of a watched folder gave, or that was withdrawn because its file has vanished.

    Of several files with one record, the last row is that of the file that was read last.
    """

    folder = models.TextField()
    path = models.TextField(blank=True, help_text=_("of the file; empty: it has left its file, or was withdrawn"))
    identifier = models.TextField()
    withdrawn = models.DateTimeField(null=True, help_text=_("when it was, as its file had vanished"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("folder", "identifier", "path"), name="one_row_a_watched_record"),
        )
        indexes = (models.Index(fields=("folder", "path"), name="watched_records_by_file"),)

    def __str__(self) -> str:
        return self.identifier
