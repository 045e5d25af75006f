"""What search needs of a live record: the fields and terms of its metadata; and the words of all records."""

from django.contrib.postgres.fields import ArrayField, DateTimeRangeField, IntegerRangeField
from django.contrib.postgres.indexes import GinIndex, GistIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.models.record import Record


class Description(models.Model):
    """The fields of a live record's metadata, for search. Deleted together with the payload.

    What only the page of one record shows (contacts, links) is read from the payload: iso19139.read_details.
    """

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="description")
    title = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    keywords = ArrayField(models.TextField(), default=list, help_text=_("all but the WMO category codes"))
    categories = ArrayField(models.TextField(), default=list, help_text=_("terms of the WMO_CategoryCode list"))
    boxes = models.JSONField(default=list, help_text=_("bounding boxes in degrees: [[west, south, east, north], ...]"))
    longitudes = models.GeneratedField(
        expression=models.Func("boxes", function="catalogue_longitudes"),
        output_field=IntegerRangeField(),
        db_persist=True,
        help_text=_("of the boxes, in millionths of a degree, from -180 to 540 degrees"),
    )
    latitudes = models.GeneratedField(
        expression=models.Func("boxes", function="catalogue_latitudes"),
        output_field=IntegerRangeField(),
        db_persist=True,
        help_text=_("of the boxes, in millionths of a degree"),
    )
    begins = models.DateTimeField(null=True, help_text=_("start of the time extent; none: open or not given"))
    ends = models.DateTimeField(null=True, help_text=_("end of the time extent; none: open or not given"))
    period = models.GeneratedField(
        expression=models.Func("begins", "ends", function="catalogue_period"),
        output_field=DateTimeRangeField(),
        db_persist=True,
        help_text=_("the time extent; empty: none is given"),
    )
    language = models.CharField(max_length=100, blank=True)
    kind = models.TextField(blank=True, db_default="", help_text=_("code of the hierarchy level, such as dataset"))
    policy = models.TextField(blank=True, db_default="", help_text=_("term of the WMO_DataLicenseCode list"))
    organisations = ArrayField(
        models.TextField(), default=list, db_default=[], help_text=_("first that which answers for the metadata")
    )
    terms = ArrayField(
        models.IntegerField(),
        null=True,
        help_text=_("what search finds it by (documents.search_terms); none: not made yet"),
    )

    class Meta:
        verbose_name = _("description of a record")
        verbose_name_plural = _("descriptions of records")
        indexes = (
            GinIndex(fields=("terms",), name="descriptions_by_terms"),
            GistIndex(fields=("longitudes", "latitudes", "period"), name="descriptions_by_place"),
            models.Index(fields=("language",), name="descriptions_by_language"),
            models.Index(fields=("record",), condition=Q(terms=None), name="descriptions_without_terms"),
        )

    def __str__(self) -> str:
        return self.title


class Word(models.Model):
    """A word that records have or had, folded, with a stem that it is found by (`documents.search_terms`).

    Search finds the words with a beginning here. Two stems may have one number; who must be sure compares the texts.
    """

    pk = models.CompositePrimaryKey("folded", "stem")
    folded = models.TextField(db_collation="C")
    stem = models.TextField(db_collation="C")
    number = models.IntegerField(help_text=_("the checksum of the stem that terms are made of"))

    class Meta:
        indexes = (models.Index(fields=("number",), name="words_by_number"),)

    def __str__(self) -> str:
        return self.folded
