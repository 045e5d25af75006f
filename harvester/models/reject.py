"""Rejects: the entries of a link that were not stored, one row for each identifier and cause."""

from django.db import models
from django.db.models import Func, Q
from django.db.models.functions import MD5
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from harvester import reasons
from harvester.models.link import Link
from harvester.models.run import Run


def _database_now() -> Func:
    return Func(function="gisc_clock", output_field=models.DateTimeField())


class RejectQuerySet(models.QuerySet["Reject"]):
    def standing(self) -> "RejectQuerySet":
        """Those that are not over."""
        return self.filter(settled=None)

    def seen_by(self, run: Run) -> "RejectQuerySet":
        """The rejects that the run saw. For a run that is not the link's newest also those seen before and after it."""
        seen = self.filter(link=run.link_id, last_seen__gte=run.begun)
        return seen if run.finished is None else seen.filter(first_seen__lte=run.finished)


class Reject(models.Model):
    """Entries of a link that were not stored, of one identifier and with one cause (promise 7).

    A row stands until the record is stored, is deleted by the provider, or is rejected for another cause.
    """

    link = models.ForeignKey(
        Link,
        verbose_name=_("link"),
        on_delete=models.CASCADE,
        null=True,  # in rows that a node of the version before still writes; `harvester.rows.rejects.fold` sets it
        db_index=False,
        related_name="rejects",
    )
    run = models.ForeignKey(
        Run,
        verbose_name=_("last run"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="rejects",
        help_text=_("the last one that rejected it"),
    )
    identifier = models.TextField(_("identifier"), blank=True)
    datestamp = models.CharField(
        _("datestamp"), max_length=100, blank=True, help_text=_("as the provider gave it last")
    )
    reason = models.TextField(_("code"), help_text=_("of the reason: docs/codes.md"))
    reason_data = models.JSONField(
        _("facts of the reason"), default=dict, db_default={}, help_text=_("the facts of the reason")
    )
    raw = models.BinaryField(null=True, help_text=_("the metadata as received last"))
    file_key = models.TextField(
        _("OAI identifier in the metadata"),
        blank=True,
        db_collation="C",
        help_text=_("the OAI identifier for its gmd:fileIdentifier, if that differs from the header's identifier"),
    )
    first_seen = models.DateTimeField(_("first seen"), db_default=_database_now())
    last_seen = models.DateTimeField(_("last seen"), db_default=_database_now())
    count = models.PositiveIntegerField(
        _("times rejected"), default=1, db_default=1, help_text=_("how often it was rejected")
    )
    count_in_run = models.PositiveIntegerField(
        _("times in the last run"), default=1, db_default=1, help_text=_("of these, in the last run")
    )
    settled = models.DateTimeField(
        _("settled"), null=True, help_text=_("when it was found to be over; none: it stands")
    )

    objects = RejectQuerySet.as_manager()

    class Meta:
        verbose_name = _("reject")
        verbose_name_plural = _("rejects")
        ordering = ("-last_seen", "-pk")
        constraints = (models.UniqueConstraint("link", MD5("identifier"), "reason", name="one_reject_of_a_cause"),)
        indexes = (
            models.Index(fields=("file_key",), condition=~Q(file_key=""), name="rejects_called_otherwise"),
            models.Index(fields=("-last_seen", "-id"), name="rejects_by_last_seen"),
            models.Index(fields=("link",), condition=Q(settled=None), name="rejects_that_stand"),
            models.Index(fields=("settled",), condition=Q(settled__isnull=False), name="rejects_that_are_over"),
        )

    def __str__(self) -> str:
        return self.identifier or gettext("(no identifier)")

    @property
    def reason_text(self) -> str:
        """The reason for an operator, and for the provider."""
        return reasons.describe_reason(self.reason, self.reason_data)

    def report(self) -> dict[str, object]:
        """Return identifier and reason, with its code and facts, for reports in JSON."""
        code_and_facts = {"code": self.reason, "facts": self.reason_data}
        return {"identifier": self.identifier, "reason": self.reason_text, **code_and_facts}
