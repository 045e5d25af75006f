"""Memberships: which records are in which sets; and how many records each list holds."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.models.metadata_set import MetadataSet
from catalogue.models.record import Record
from catalogue.models.whole_seconds import is_in_whole_seconds


class Membership(models.Model):
    """A record in a set, with its own datestamp: leaving a set is a deletion to the harvesters of that set."""

    pk = models.CompositePrimaryKey("record", "set")  # an id of its own would cost 30 bytes a row
    record = models.ForeignKey(
        Record, verbose_name=_("record"), on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    set = models.ForeignKey(
        MetadataSet, verbose_name=_("set"), on_delete=models.PROTECT, related_name="memberships", db_index=False
    )
    datestamp = models.DateTimeField(_("datestamp"))
    deleted = models.BooleanField(_("deleted"), default=False)
    direct = models.BooleanField(
        _("put into it itself"),
        default=True,
        help_text=_("the record was put into this set itself; else into a set that this one includes"),
    )
    # Both are kept by triggers: `sql/set_tombstones.*.sql`.
    departed = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=_("deleted because the record left the set: the header there names this set alone"),  # P75
    )
    elsewhere = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=_("departed, and the record is live elsewhere: sent only to harvesters that want set tombstones"),
    )
    audience = models.IntegerField(default=0, db_default=0, editable=False, help_text=_("that of the record"))

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = (
            models.CheckConstraint(
                name="a_membership_datestamp_is_whole_seconds", condition=is_in_whole_seconds("datestamp")
            ),
        )
        indexes = (
            models.Index(fields=("set", "datestamp", "record"), name="membership_list_order"),
            models.Index(
                fields=("set", "datestamp", "record"),
                condition=Q(elsewhere=False, audience=0),
                name="public_membership_order",
            ),
            models.Index(fields=("set", "audience"), condition=~Q(audience=0), name="hidden_memberships"),
            models.Index(fields=("set", "record"), condition=Q(elsewhere=True), name="memberships_elsewhere"),
            models.Index(fields=("datestamp",), condition=Q(deleted=True), name="ended_memberships_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.record_id} in {self.set_id}"


class ListSize(models.Model):
    """How many records a list holds. Triggers keep it in the transaction of each change: `sql/list_sizes.*.sql`.

    Those that not everybody sees are counted in a row of their own, of the set -1 - `set_id`.
    """

    set_id = models.BigIntegerField(_("set"), primary_key=True, help_text=_("0: the whole catalogue"))
    live = models.BigIntegerField(default=0)
    deleted = models.BigIntegerField(default=0)
    elsewhere = models.BigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return gettext("{set_id}: {live} and {deleted} deleted").format(
            set_id=self.set_id, live=self.live, deleted=self.deleted
        )
