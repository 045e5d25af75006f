"""Files of watched folders, and the records that they gave."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WatchedFile(models.Model):
    """A file of a watched folder as it was read last (`catalogue.bulk.watch`)."""

    folder = models.TextField()
    path = models.TextField(help_text=_("below the folder"))
    size = models.BigIntegerField(null=True)
    modified_ns = models.BigIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("folder", "path"), name="one_row_a_watched_file"),)

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
