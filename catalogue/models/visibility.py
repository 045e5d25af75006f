"""Who sees which records: audiences, withdrawals, and changes that records still have to follow."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogue.models.record import Record


class Audience(models.Model):
    """Who sees some records: whoever may see all these categories and, if sets are named, one of these unlisted sets.

    Rows are added by `catalogue_settle`. 0, without a row, is everybody; -1 nobody, while a record is being stored. Minus
    the key of a harvester's profile is a category that this harvester alone may see.
    """

    id = models.AutoField(primary_key=True)
    categories = ArrayField(models.BigIntegerField(), default=list)
    sets = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("categories", "sets"), name="one_audience_of_a_kind"),)

    def __str__(self) -> str:
        return f"{self.pk}: {self.categories} {self.sets}"


class Withdrawal(models.Model):
    """A record that an audience may not see any more: its tombstone in the lists of those who see that audience, and not it.

    A row for each set that it was in then, and one with set 0 for the list of the whole catalogue.
    """

    pk = models.CompositePrimaryKey("record", "set_id", "audience")
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="withdrawals", db_index=False)
    set_id = models.BigIntegerField(help_text=_("0: the whole catalogue"))
    audience = models.IntegerField()
    datestamp = models.DateTimeField()
    direct = models.BooleanField(default=False, help_text=_("it was put into the set itself: headers name it"))

    class Meta:
        verbose_name = _("record out of sight")
        verbose_name_plural = _("records out of sight")
        indexes = (models.Index(fields=("set_id", "datestamp", "record"), name="withdrawal_list_order"),)

    def __str__(self) -> str:
        return f"{self.record_id} from {self.audience} in {self.set_id}"


class VisibilityChange(models.Model):
    """A change of who sees what that records still have to follow, batch by batch (`catalogue.writing.visibility`).

    Triggers insert it in the transaction that changes a set or a link (`sql/visibility.*.sql`); the row goes at the end.
    """

    class Kind(models.TextChoices):
        SET = "set", _("set")
        LINK = "link", _("link")
        LOST = "lost", _("a harvester may not see them any more")
        GAINED = "gained", _("a harvester may see them now")

    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.TextField(help_text=_("key of the set or profile, or name of the link"))
    audiences = ArrayField(models.IntegerField(), default=list, db_default=[])
    last = models.BigIntegerField(default=0, db_default=0, help_text=_("the last record that was looked at"))

    def __str__(self) -> str:
        return f"{self.kind} {self.name} after {self.last}"
