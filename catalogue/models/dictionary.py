"""The zstd dictionaries that payloads are packed with."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Dictionary(models.Model):
    """A zstd dictionary that payloads are packed with.

    A trigger refuses changes, and deletion while a payload needs it (`sql/dictionaries.*.sql`). The id is the one that
    zstd writes into each frame, so each payload names the dictionary it needs.
    """

    id = models.BigIntegerField(primary_key=True)
    content = models.BinaryField()
    sha256 = models.BinaryField()
    created = models.DateTimeField()
    trained_on = models.PositiveIntegerField(help_text=_("how many records it was trained on"))

    class Meta:
        verbose_name_plural = _("dictionaries")

    def __str__(self) -> str:
        return str(self.pk)
