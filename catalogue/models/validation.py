"""Results of the checks of records."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.models.record import Record


class Validation(models.Model):
    """The result of the checks of one version of a record. It keeps no record out and moves no datestamp (promise 7)."""

    class Structure(models.TextChoices):
        VALID = "valid", _("valid")
        INVALID = "invalid", _("invalid")
        NOT_CHECKED = "not checked", _("not checked")

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="validation")
    digest = models.BinaryField(help_text=_("of the version that was checked"))
    rules = models.CharField(max_length=64, help_text=_("which rules and schemas it was checked with"))
    structure = models.CharField(max_length=20, choices=Structure.choices)
    schema = models.CharField(max_length=60, blank=True, help_text=_("the schema set chosen by the GML namespace"))
    faults = models.JSONField(default=list, help_text=_("[{rule, text}, ...]: sentences for the data manager"))
    checked = models.DateTimeField()

    class Meta:
        indexes = (
            models.Index(fields=("rules", "record"), name="validation_by_rules"),
            models.Index(fields=("record",), condition=Q(structure="invalid"), name="invalid_records"),
        )

    def __str__(self) -> str:
        return f"{self.record_id} {self.structure}"
