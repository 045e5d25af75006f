"""Records whose stored metadata cannot be read back, and how far the reading back has come."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.models.record import Record


class DamagedRecord(models.Model):
    """A live record whose stored metadata cannot be read back (`catalogue.writing.read_back`): lists leave it out."""

    record = models.OneToOneField(
        Record, on_delete=models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="damage"
    )
    found = models.DateTimeField()
    fault = models.TextField(help_text=_("what the database or the unpacking said"))
    digest = models.BinaryField(
        help_text=_("that the record had, where it was emptied; it comes back where the record can be read back again")
    )
    asked = models.BooleanField(
        default=False, help_text=_("whether the link or the watched folder that it came by was told to give it again")
    )

    def __str__(self) -> str:
        return str(self.pk)


class ReadBackWalk(models.Model):
    """The walk through all records in the order of their ids that reads them back. The table has one row, once it was begun."""

    begun = models.DateTimeField()
    ended = models.DateTimeField(null=True, help_text=_("empty: it is under way"))
    fault = models.TextField(default="", help_text=_("of a dictionary, which ended it early; empty: none"))
    after_id = models.BigIntegerField(default=0, help_text=_("records up to this id have been read back"))

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_read_back_walk", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.begun:%Y-%m-%d %H:%M:%S}"
