"""Results of the checks of records."""

from django.contrib.postgres.fields import ArrayField
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
    # `documents.kpi`. A label of a former version has none, until the record is checked again.
    scores = ArrayField(
        models.SmallIntegerField(),
        default=list,
        db_default=[],
        help_text=_("KPI-1 to KPI-12: what is reached and what can be, in turn"),
    )
    percent = models.FloatField(null=True, help_text=_("of all scores together"))
    grade = models.CharField(
        max_length=1, blank=True, db_default="", help_text=_("empty: not known, as the schemas were not looked at")
    )
    checked = models.DateTimeField()

    class Meta:
        verbose_name = _("result of the checks")
        verbose_name_plural = _("results of the checks")
        indexes = (
            models.Index(fields=("checked",), name="validation_by_time"),
            models.Index(fields=("rules", "record"), name="validation_by_rules"),
            models.Index(fields=("record",), condition=Q(structure="invalid"), name="invalid_records"),
            models.Index(fields=("record",), condition=Q(structure="not checked"), name="unchecked_records"),
        )

    def __str__(self) -> str:
        return f"{self.record_id} {self.structure}"


class CompletedWalk(models.Model):
    """The last walk of the checks that came to its end: live records that were stamped before its start have a label. One row."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    started_at = models.DateTimeField(_("begun"))  # by the clock of datestamps

    class Meta:
        verbose_name = _("completed walk of the checks")
        verbose_name_plural = _("completed walks of the checks")

    def __str__(self) -> str:
        return f"{self.started_at:%Y-%m-%dT%H:%M:%SZ}"


class Quality(models.Model):
    """What the checks say of the records of a set, or of a centre, together; counted by the ticks (`writing.quality`)."""

    class Kind(models.TextChoices):
        SET = "set", _("set")
        CENTRE = "centre", _("centre")

    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    name = models.TextField(_("name"), blank=True)
    live = models.BigIntegerField(_("records"))
    valid = models.BigIntegerField(_("valid"))
    invalid = models.BigIntegerField(_("invalid"))
    not_checked = models.BigIntegerField(_("not checked"))
    faulty = models.BigIntegerField(_("with remarks"), help_text=_("of any rule"))
    percent = models.FloatField(_("mean score"), null=True, help_text=_("per cent"))
    kpis = models.JSONField(
        _("indicators"), default=list, help_text=_("KPI-1 to KPI-12 in per cent; null where there is nothing to score")
    )
    grades = models.JSONField(_("grades"), default=dict, help_text=_("how many records have each grade"))
    rules = models.JSONField(_("broken rules"), default=dict, help_text=_("how many records break each rule"))
    counted_at = models.DateTimeField(_("counted"))
    took_s = models.FloatField(
        _("counting took, seconds"), help_text=_("seconds that the count of all took: the larger, the rarer")
    )

    class Meta:
        verbose_name = _("quality of a set or centre")
        verbose_name_plural = _("quality of sets and centres")

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
