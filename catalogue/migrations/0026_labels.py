"""Give fields and tables their names in words. Only texts, in Django's state of the models; the database stays as it is."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0025_completed_walk"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterModelOptions(
                    name="category",
                    options={"ordering": ("name",), "verbose_name": "category", "verbose_name_plural": "categories"},
                ),
                migrations.AlterModelOptions(
                    name="description",
                    options={
                        "verbose_name": "description of a record",
                        "verbose_name_plural": "descriptions of records",
                    },
                ),
                migrations.AlterModelOptions(
                    name="membership",
                    options={"verbose_name": "membership", "verbose_name_plural": "memberships"},
                ),
                migrations.AlterModelOptions(
                    name="record",
                    options={"verbose_name": "record", "verbose_name_plural": "records"},
                ),
                migrations.AlterModelOptions(
                    name="recordcategory",
                    options={"verbose_name": "category of a record", "verbose_name_plural": "categories of records"},
                ),
                migrations.AlterModelOptions(
                    name="recordversion",
                    options={"verbose_name": "former version", "verbose_name_plural": "former versions"},
                ),
                migrations.AlterModelOptions(
                    name="sourcecategory",
                    options={
                        "verbose_name": "category of a link's records",
                        "verbose_name_plural": "categories of links' records",
                    },
                ),
                migrations.AlterModelOptions(
                    name="spellingchange",
                    options={"verbose_name": "change of spelling", "verbose_name_plural": "changes of spelling"},
                ),
                migrations.AlterModelOptions(
                    name="uploaddocument",
                    options={"verbose_name": "document of an upload", "verbose_name_plural": "documents of uploads"},
                ),
                migrations.AlterModelOptions(
                    name="validation",
                    options={"verbose_name": "result of the checks", "verbose_name_plural": "results of the checks"},
                ),
                migrations.AlterModelOptions(
                    name="withdrawal",
                    options={"verbose_name": "record out of sight", "verbose_name_plural": "records out of sight"},
                ),
                migrations.AlterField(
                    model_name="catalogueday",
                    name="day",
                    field=models.DateField(primary_key=True, serialize=False, verbose_name="day"),
                ),
                migrations.AlterField(
                    model_name="catalogueday",
                    name="deleted",
                    field=models.BigIntegerField(default=0, verbose_name="deleted"),
                ),
                migrations.AlterField(
                    model_name="catalogueday",
                    name="new",
                    field=models.BigIntegerField(default=0, verbose_name="new"),
                ),
                migrations.AlterField(
                    model_name="catalogueday",
                    name="updated",
                    field=models.BigIntegerField(default=0, verbose_name="changed"),
                ),
                migrations.AlterField(
                    model_name="category",
                    name="description",
                    field=models.TextField(
                        blank=True,
                        help_text="for the administration: why, until when, whom to ask",
                        verbose_name="description",
                    ),
                ),
                migrations.AlterField(
                    model_name="category",
                    name="name",
                    field=models.CharField(
                        help_text="such as “members only”; harvesters never see it",
                        max_length=60,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="first_seen",
                    field=models.DateTimeField(
                        help_text="on this record, with this spelling", verbose_name="first seen"
                    ),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="metadata_date",
                    field=models.DateTimeField(null=True, verbose_name="metadata date"),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="record",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="catalogue.record",
                        verbose_name="record",
                    ),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="set",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to="catalogue.metadataset",
                        verbose_name="set",
                    ),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="source",
                    field=models.TextField(
                        help_text="the link it came by; empty: this node itself", verbose_name="source"
                    ),
                ),
                migrations.AlterField(
                    model_name="claim",
                    name="spelling",
                    field=models.TextField(
                        db_collation="C",
                        db_default="",
                        default="",
                        help_text="the OAI identifier as this source spells it, where only its case differs from the record's",
                        verbose_name="spelling of the identifier",
                    ),
                ),
                migrations.AlterField(
                    model_name="journaloutbox",
                    name="datestamp",
                    field=models.DateTimeField(verbose_name="datestamp"),
                ),
                migrations.AlterField(
                    model_name="journaloutbox",
                    name="event",
                    field=models.CharField(
                        choices=[
                            ("deleted", "deleted"),
                            ("returned", "returned after a deletion"),
                            ("left", "left a set and lives elsewhere"),
                            ("joined", "came back to a set it had left"),
                            ("moved", "moved to another owner"),
                            ("restricted", "who sees a set, the records of a link, or a record, was changed"),
                        ],
                        max_length=10,
                        verbose_name="event",
                    ),
                ),
                migrations.AlterField(
                    model_name="journaloutbox",
                    name="identifier",
                    field=models.TextField(verbose_name="identifier"),
                ),
                migrations.AlterField(
                    model_name="journaloutbox",
                    name="set_specs",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None, verbose_name="sets"
                    ),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="datestamp",
                    field=models.DateTimeField(verbose_name="datestamp"),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="deleted",
                    field=models.BooleanField(default=False, verbose_name="deleted"),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="direct",
                    field=models.BooleanField(
                        default=True,
                        help_text="the record was put into this set itself; else into a set that this one includes",
                        verbose_name="put into it itself",
                    ),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="record",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="catalogue.record",
                        verbose_name="record",
                    ),
                ),
                migrations.AlterField(
                    model_name="membership",
                    name="set",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to="catalogue.metadataset",
                        verbose_name="set",
                    ),
                ),
                migrations.AlterField(
                    model_name="metadataset",
                    name="description",
                    field=models.TextField(blank=True, verbose_name="description"),
                ),
                migrations.AlterField(
                    model_name="metadataset",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("own", "own: this node's area of responsibility"),
                            ("peer", "peer: another GISC's"),
                            ("shared", "shared: joint responsibility"),
                            ("virtual", "virtual: made of other sets, or of what a search finds"),
                            ("catalogue", "catalogue: every record"),
                        ],
                        default="peer",
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                migrations.AlterField(
                    model_name="metadataset",
                    name="public",
                    field=models.BooleanField(
                        default=True,
                        help_text="listed by ListSets and on the public pages; records that are in no listed set are not public either",
                        verbose_name="public",
                    ),
                ),
                migrations.AlterField(
                    model_name="quality",
                    name="grades",
                    field=models.JSONField(
                        default=dict, help_text="how many records have each grade", verbose_name="grades"
                    ),
                ),
                migrations.AlterField(
                    model_name="quality",
                    name="kind",
                    field=models.CharField(
                        choices=[("set", "set"), ("centre", "centre")], max_length=10, verbose_name="kind"
                    ),
                ),
                migrations.AlterField(
                    model_name="quality",
                    name="kpis",
                    field=models.JSONField(
                        default=list,
                        help_text="KPI-1 to KPI-12 in per cent; null where there is nothing to score",
                        verbose_name="indicators",
                    ),
                ),
                migrations.AlterField(
                    model_name="quality",
                    name="rules",
                    field=models.JSONField(
                        default=dict, help_text="how many records break each rule", verbose_name="broken rules"
                    ),
                ),
                migrations.AlterField(
                    model_name="quality",
                    name="took_s",
                    field=models.FloatField(
                        help_text="seconds that the count of all took: the larger, the rarer",
                        verbose_name="counting took, seconds",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="audience",
                    field=models.IntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="who sees it, by its set, link and own category; 0: everybody",
                        verbose_name="audience",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="datestamp",
                    field=models.DateTimeField(
                        help_text="when it last changed in this node; whole seconds, UTC", verbose_name="datestamp"
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="deleted",
                    field=models.BooleanField(default=False, verbose_name="deleted"),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="identifier",
                    field=models.TextField(
                        help_text="gmd:fileIdentifier, as it is in the metadata", verbose_name="identifier"
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="key",
                    field=models.TextField(
                        db_collation="C",
                        help_text="the OAI identifier: gmd:fileIdentifier, percent-encoded where that is no URI",
                        verbose_name="OAI identifier",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="metadata_date",
                    field=models.DateTimeField(
                        help_text="gmd:dateStamp; never the datestamp", null=True, verbose_name="metadata date"
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="owner",
                    field=models.ForeignKey(
                        help_text="the set whose link decides its content",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="owned",
                        to="catalogue.metadataset",
                        verbose_name="owner",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="provenance",
                    field=models.JSONField(
                        help_text="where it was harvested; none for records of our own",
                        null=True,
                        verbose_name="provenance",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="set_specs",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="memberships for the header; kept by a tombstone",
                        size=None,
                        verbose_name="sets",
                    ),
                ),
                migrations.AlterField(
                    model_name="record",
                    name="spelling",
                    field=models.TextField(
                        db_collation="C",
                        db_default="",
                        default="",
                        help_text="the OAI identifier for the gmd:fileIdentifier in the metadata, where only its case differs from the key",
                        verbose_name="spelling of the identifier",
                    ),
                ),
                migrations.AlterField(
                    model_name="setinclusion",
                    name="child",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="included_in",
                        to="catalogue.metadataset",
                        verbose_name="included set",
                    ),
                ),
                migrations.AlterField(
                    model_name="setinclusion",
                    name="parent",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="inclusions",
                        to="catalogue.metadataset",
                        verbose_name="includes",
                    ),
                ),
                migrations.AlterField(
                    model_name="setsearch",
                    name="address",
                    field=models.TextField(
                        blank=True, help_text="the arguments of a search on the public page", verbose_name="search"
                    ),
                ),
                migrations.AlterField(
                    model_name="setsearch",
                    name="changed",
                    field=models.DateTimeField(verbose_name="changed"),
                ),
                migrations.AlterField(
                    model_name="setsearch",
                    name="filter",
                    field=models.TextField(blank=True, help_text="a filter in CQL2 text", verbose_name="filter"),
                ),
                migrations.AlterField(
                    model_name="setsearch",
                    name="set",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search",
                        serialize=False,
                        to="catalogue.metadataset",
                        verbose_name="set",
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="begun",
                    field=models.DateTimeField(
                        help_text="when the checking, or the storing, began", null=True, verbose_name="begun"
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="estimate",
                    field=models.PositiveIntegerField(
                        help_text="how many documents the files have, if that is known",
                        null=True,
                        verbose_name="documents expected",
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="fault",
                    field=models.JSONField(
                        help_text="why it has failed: a code and facts", null=True, verbose_name="why it failed"
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="files",
                    field=models.JSONField(
                        default=list, help_text="their names and sizes in bytes, in their order", verbose_name="files"
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="stored",
                    field=models.PositiveIntegerField(
                        default=0, help_text="of these, so many are done", verbose_name="documents stored"
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="to_store",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="how many documents are to be stored, or were last",
                        verbose_name="documents to store",
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="tries",
                    field=models.PositiveSmallIntegerField(
                        default=0, help_text="by workers that have not come on", verbose_name="tries"
                    ),
                ),
                migrations.AlterField(
                    model_name="upload",
                    name="worked",
                    field=models.DateTimeField(
                        help_text="when a worker worked on it last", verbose_name="last worked on"
                    ),
                ),
            ]
        )
    ]
