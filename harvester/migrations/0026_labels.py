"""Give fields and tables their names in words. Only texts, in Django's state of the models; the database stays as it is."""

import uuid

import django.contrib.postgres.functions
import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0026_labels"),
        ("harvester", "0025_centre_addresses"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterModelOptions(
                    name="alternative",
                    options={
                        "ordering": ("position", "pk"),
                        "verbose_name": "alternative provider",
                        "verbose_name_plural": "alternative providers",
                    },
                ),
                migrations.AlterModelOptions(
                    name="conflict",
                    options={
                        "ordering": ("-first_seen", "-pk"),
                        "verbose_name": "conflict",
                        "verbose_name_plural": "conflicts",
                    },
                ),
                migrations.AlterModelOptions(
                    name="link",
                    options={"ordering": ("name",), "verbose_name": "link", "verbose_name_plural": "links"},
                ),
                migrations.AlterModelOptions(
                    name="linkday",
                    options={
                        "ordering": ("-day", "link"),
                        "verbose_name": "daily sum",
                        "verbose_name_plural": "daily sums",
                    },
                ),
                migrations.AlterModelOptions(
                    name="quietcause",
                    options={"verbose_name": "quiet cause", "verbose_name_plural": "quiet causes"},
                ),
                migrations.AlterModelOptions(
                    name="reject",
                    options={
                        "ordering": ("-last_seen", "-pk"),
                        "verbose_name": "reject",
                        "verbose_name_plural": "rejects",
                    },
                ),
                migrations.AlterModelOptions(
                    name="remoteheader",
                    options={"verbose_name": "remote header", "verbose_name_plural": "remote headers"},
                ),
                migrations.AlterModelOptions(
                    name="run",
                    options={"ordering": ("-begun",), "verbose_name": "run", "verbose_name_plural": "runs"},
                ),
                migrations.AlterModelOptions(
                    name="standby",
                    options={"verbose_name": "provider that waits", "verbose_name_plural": "providers that wait"},
                ),
                migrations.AlterField(
                    model_name="alternative",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alternatives",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="alternative",
                    name="name",
                    field=models.CharField(
                        help_text="of the relay, as people know it", max_length=60, verbose_name="name"
                    ),
                ),
                migrations.AlterField(
                    model_name="alternative",
                    name="position",
                    field=models.PositiveSmallIntegerField(
                        default=1, help_text="the link switches to the smallest first", verbose_name="position"
                    ),
                ),
                migrations.AlterField(
                    model_name="centre",
                    name="contact",
                    field=models.CharField(
                        blank=True,
                        help_text="whom to call when it does not answer",
                        max_length=300,
                        verbose_name="contact",
                    ),
                ),
                migrations.AlterField(
                    model_name="centre",
                    name="country",
                    field=models.CharField(blank=True, max_length=60, verbose_name="country"),
                ),
                migrations.AlterField(
                    model_name="centre",
                    name="latitude",
                    field=models.FloatField(
                        blank=True,
                        help_text="degrees, north is positive; for the map",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-90),
                            django.core.validators.MaxValueValidator(90),
                        ],
                        verbose_name="latitude",
                    ),
                ),
                migrations.AlterField(
                    model_name="centre",
                    name="longitude",
                    field=models.FloatField(
                        blank=True,
                        help_text="degrees, east is positive; for the map",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-180),
                            django.core.validators.MaxValueValidator(180),
                        ],
                        verbose_name="longitude",
                    ),
                ),
                migrations.AlterField(
                    model_name="centre",
                    name="name",
                    field=models.CharField(
                        help_text="as people know it, for example Offenbach",
                        max_length=60,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="first_seen",
                    field=models.DateTimeField(verbose_name="first seen"),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="identifier",
                    field=models.TextField(help_text="as the provider spells it", verbose_name="identifier"),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="key",
                    field=models.TextField(db_collation="C", verbose_name="OAI identifier"),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("misplaced", "misplaced: the record is in our own set, or ours claims a peer's"),
                            ("differs", "differs from what the owner says"),
                            ("disputed", "deleted by one, live at another"),
                            ("vanished", "the provider no longer knows it and never said that it was deleted"),
                            ("renamed", "the provider deletes it and lists the same by another identifier"),
                            ("mass", "one of so many deletions that they wait for the operator"),
                            ("taken", "taken: its OAI identifier belongs to another record here"),
                            ("offered", "a co-owner of a shared set has a newer version: to be confirmed, or left"),
                        ],
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="last_seen",
                    field=models.DateTimeField(verbose_name="last seen"),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conflicts",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="metadata_date",
                    field=models.DateTimeField(
                        help_text="gmd:dateStamp of the provider's version", null=True, verbose_name="metadata date"
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="ours_provenance",
                    field=models.JSONField(help_text="of that version", null=True, verbose_name="where ours came from"),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="provenance",
                    field=models.JSONField(
                        help_text="what is stored with that version when it is taken over",
                        null=True,
                        verbose_name="where theirs came from",
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="settled",
                    field=models.DateTimeField(
                        help_text="none: it waits for the operator", null=True, verbose_name="settled"
                    ),
                ),
                migrations.AlterField(
                    model_name="conflict",
                    name="settlement",
                    field=models.TextField(
                        blank=True, help_text="its code: docs/codes.md", verbose_name="how it was settled"
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="brand",
                    field=models.JSONField(
                        db_default={},
                        default=dict,
                        editable=False,
                        help_text="`title` and `link` of the branding container in its Identify, as strangers wrote them",
                        verbose_name="software of the provider",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="clean_comparisons",
                    field=models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="after a list that was too short: those that found nothing missing",
                        verbose_name="comparisons without a difference",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="compared_to",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="this cycle has compared what is stamped up to here; none: it is complete",
                        null=True,
                        verbose_name="compared up to",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="counted_there",
                    field=models.DateTimeField(
                        editable=False, help_text="when they were counted", null=True, verbose_name="counted there"
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="cycle_begun",
                    field=models.DateTimeField(editable=False, null=True, verbose_name="comparison begun"),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="deletions_accepted",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="an operator has accepted deletions: those before count no longer",
                        null=True,
                        verbose_name="deletions confirmed",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="doubts",
                    field=models.JSONField(
                        db_default=[],
                        default=list,
                        editable=False,
                        help_text="remarks, with code and facts, that stay until all headers are compared",
                        verbose_name="doubts",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="enabled",
                    field=models.BooleanField(default=True, verbose_name="enabled"),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="failing_since",
                    field=models.DateTimeField(editable=False, null=True, verbose_name="failing since"),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="first_asked",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="when that page was asked for, on our clock",
                        null=True,
                        verbose_name="last complete list asked for",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="first_response",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="responseDate of the first page of the last complete list",
                        null=True,
                        verbose_name="last complete list answered",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="from_ignored",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="lists in a row, until now, that were mostly older than what was asked for",
                        verbose_name="lists that ignored “from”",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="granularity",
                    field=models.CharField(
                        blank=True,
                        choices=[("YYYY-MM-DD", "to the day"), ("YYYY-MM-DDThh:mm:ssZ", "to the second")],
                        editable=False,
                        max_length=20,
                        verbose_name="precision of dates",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="harvested_to",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="the link is complete up to here, on the provider's clock",
                        null=True,
                        verbose_name="complete up to",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="identifiers",
                    field=models.CharField(
                        choices=[
                            (
                                "same",
                                "must be the same: a record whose header differs from its gmd:fileIdentifier is rejected",
                            ),
                            (
                                "file",
                                "gmd:fileIdentifier counts: the header has only the provider's own name for the record",
                            ),
                            (
                                "header",
                                "the header counts: it is the OAI identifier here, whatever gmd:fileIdentifier is",
                            ),
                        ],
                        db_default="same",
                        default="same",
                        help_text="“Retrieve info” says what this provider needs. Between GISCs they must be the same",
                        max_length=10,
                        verbose_name="identifiers",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="is_promised",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="the provider is a node of this software, which lists every record from its datestamp on (promise 1)",
                        verbose_name="provider is never late",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("peer", "peer: another GISC's own set, from that GISC"),
                            ("relay", "relay: a GISC's set, from another GISC that holds it"),
                            ("centre", "centre: an NC, a DCPC or another catalogue that harvests nobody"),
                            ("shared", "shared: a set of joint responsibility, from one of its owners"),
                            (
                                "backup",
                                "backup: a set that we look after, too, from its other owner; by hand, each record confirmed",
                            ),
                            ("recovery", "recovery: our own set back from another GISC, by hand"),
                        ],
                        default="peer",
                        help_text="what the provider is to us",
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="live_there",
                    field=models.PositiveIntegerField(
                        editable=False,
                        help_text="live records of the provider, by its last headers; none: not counted yet",
                        null=True,
                        verbose_name="live records there",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="local_set",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="links",
                        to="catalogue.metadataset",
                        verbose_name="our set",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="muted_until",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="until then its problems are on its own page alone, and nobody is alerted",
                        null=True,
                        verbose_name="quiet until",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="name",
                    field=models.SlugField(
                        help_text="short name, used on the command line and in logs",
                        max_length=60,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="newest",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="largest datestamp of the last complete list that was not empty",
                        null=True,
                        verbose_name="newest datestamp",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="next_due",
                    field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name="next run"),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="proxy",
                    field=models.CharField(
                        blank=True,
                        help_text="http://host:port; empty: as the node's environment has it",
                        max_length=300,
                        verbose_name="proxy",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="reconciles",
                    field=models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="the slices follow one another at once until all is compared",
                        verbose_name="compares everything",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="relisted_to",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="what is stamped up to here was listed twice",
                        null=True,
                        verbose_name="listed twice up to",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="report_key",
                    field=models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        help_text="in the address of the report for the provider, which cannot be guessed",
                        unique=True,
                        verbose_name="key of the report",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="serving",
                    field=models.ForeignKey(
                        editable=False,
                        help_text="none: the first",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="harvester.alternative",
                        verbose_name="served by",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="serving_since",
                    field=models.DateTimeField(editable=False, null=True, verbose_name="served by it since"),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="shortfall",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="so many entries of the last list were announced and not listed; the next list may explain them",
                        verbose_name="records not listed",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="shortfall_from",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="`from` of the list that was too short; none: it was the whole list",
                        null=True,
                        verbose_name="records not listed from",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="strategy",
                    field=models.CharField(
                        choices=[
                            ("records", "ListRecords: whole records, page by page"),
                            ("identifiers", "ListIdentifiers, then GetRecord for what is new or changed"),
                        ],
                        default="records",
                        help_text="both bring the same",
                        max_length=12,
                        verbose_name="way of asking",
                    ),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="day",
                    field=models.DateField(verbose_name="day"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="deleted",
                    field=models.BigIntegerField(verbose_name="deleted"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="failed",
                    field=models.BigIntegerField(verbose_name="failed"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="new",
                    field=models.BigIntegerField(verbose_name="new"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="pages",
                    field=models.BigIntegerField(verbose_name="pages"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="rejected",
                    field=models.BigIntegerField(verbose_name="rejected"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="runs",
                    field=models.BigIntegerField(verbose_name="runs"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="seconds",
                    field=models.BigIntegerField(verbose_name="seconds"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="unchanged",
                    field=models.BigIntegerField(verbose_name="unchanged"),
                ),
                migrations.AlterField(
                    model_name="linkday",
                    name="updated",
                    field=models.BigIntegerField(verbose_name="changed"),
                ),
                migrations.AlterField(
                    model_name="quietcause",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quiet_causes",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="quietcause",
                    name="up_to",
                    field=models.PositiveIntegerField(verbose_name="quiet up to"),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="count",
                    field=models.PositiveIntegerField(
                        db_default=1, default=1, help_text="how often it was rejected", verbose_name="times rejected"
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="count_in_run",
                    field=models.PositiveIntegerField(
                        db_default=1,
                        default=1,
                        help_text="of these, in the last run",
                        verbose_name="times in the last run",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="datestamp",
                    field=models.CharField(
                        blank=True, help_text="as the provider gave it last", max_length=100, verbose_name="datestamp"
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="file_key",
                    field=models.TextField(
                        blank=True,
                        db_collation="C",
                        help_text="the OAI identifier for its gmd:fileIdentifier, if that differs from the header's identifier",
                        verbose_name="OAI identifier in the metadata",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="first_seen",
                    field=models.DateTimeField(
                        db_default=models.Func(function="gisc_clock", output_field=models.DateTimeField()),
                        verbose_name="first seen",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="identifier",
                    field=models.TextField(blank=True, verbose_name="identifier"),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="last_seen",
                    field=models.DateTimeField(
                        db_default=models.Func(function="gisc_clock", output_field=models.DateTimeField()),
                        verbose_name="last seen",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rejects",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="reason_data",
                    field=models.JSONField(
                        db_default={},
                        default=dict,
                        help_text="the facts of the reason",
                        verbose_name="facts of the reason",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="run",
                    field=models.ForeignKey(
                        help_text="the last one that rejected it",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rejects",
                        to="harvester.run",
                        verbose_name="last run",
                    ),
                ),
                migrations.AlterField(
                    model_name="reject",
                    name="settled",
                    field=models.DateTimeField(
                        help_text="when it was found to be over; none: it stands", null=True, verbose_name="settled"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="asked_before",
                    field=models.DateTimeField(
                        help_text="what is stamped before this was in a list before, or came late; none: not known",
                        null=True,
                        verbose_name="listed before up to",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="asking_since",
                    field=models.DateTimeField(
                        help_text="since when it waits for the provider's answer without keeping a worker",
                        null=True,
                        verbose_name="waits for the provider since",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="attempts",
                    field=models.PositiveIntegerField(
                        default=0, help_text="failed tries since the last page was stored", verbose_name="failed tries"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="begun",
                    field=models.DateTimeField(verbose_name="begun"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="beyond_ceiling",
                    field=models.BooleanField(
                        default=False,
                        help_text="an operator has lifted the ceiling for this run",
                        verbose_name="ceiling lifted",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="came_late",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="stamped within what a list before should have had",
                        verbose_name="came late",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="changed",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="their content differs, though identifier and datestamp are those that were known",
                        verbose_name="other content",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="crashes",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="faults of this node since the last page was stored: a worker died, an error",
                        verbose_name="faults of this node",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="deleted",
                    field=models.PositiveIntegerField(default=0, verbose_name="deleted"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="explained",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="of what the list before announced and did not list",
                        verbose_name="announced before",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="extra",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="stored here, and not listed by the provider",
                        verbose_name="not at the provider",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="fetched",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="records asked for by GetRecord",
                        verbose_name="records asked for one by one",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="finished",
                    field=models.DateTimeField(null=True, verbose_name="finished"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="first_asked",
                    field=models.DateTimeField(
                        help_text="when that page was asked for, on our clock",
                        null=True,
                        verbose_name="first page asked for",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="first_fault",
                    field=models.JSONField(
                        help_text="the first fault of the run: `at`, `code`, `facts`",
                        null=True,
                        verbose_name="first fault",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="first_response",
                    field=models.DateTimeField(
                        help_text="responseDate of the list's first page", null=True, verbose_name="first page answered"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="granularity",
                    field=models.CharField(
                        blank=True,
                        choices=[("YYYY-MM-DD", "to the day"), ("YYYY-MM-DDThh:mm:ssZ", "to the second")],
                        max_length=20,
                        verbose_name="precision of dates",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="held_back",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="of those that are not at the provider: not asked for, as they are too many",
                        verbose_name="above the ceiling",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="is_promised",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Identify names this software and promise 1",
                        verbose_name="provider is never late",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="last_fault",
                    field=models.JSONField(help_text="the last one", null=True, verbose_name="last fault"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="leased_until",
                    field=models.DateTimeField(
                        help_text="another worker may take it over after this",
                        null=True,
                        verbose_name="worker has it until",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="list_size",
                    field=models.PositiveIntegerField(
                        help_text="completeListSize as the provider gives it",
                        null=True,
                        verbose_name="size of the list",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="listed",
                    field=models.PositiveIntegerField(
                        default=0, help_text="entries since the list was (re)started", verbose_name="entries listed"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="missing",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="the provider lists it and we knew nothing of it",
                        verbose_name="missing here",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="new",
                    field=models.PositiveIntegerField(default=0, verbose_name="new"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="newest",
                    field=models.DateTimeField(
                        help_text="largest datestamp of the list so far", null=True, verbose_name="newest datestamp"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="not_before",
                    field=models.DateTimeField(
                        help_text="wait until then before the next try", null=True, verbose_name="next try not before"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="not_served",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="listed by the provider, and not what is served here: rejected, or another source's version counts",
                        verbose_name="not served here",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="outcome",
                    field=models.CharField(
                        db_default="running",
                        default="running",
                        help_text="code of what happened last, and of what happens next",
                        max_length=40,
                        verbose_name="outcome",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="outcome_data",
                    field=models.JSONField(
                        db_default={},
                        default=dict,
                        help_text="the facts of the outcome",
                        verbose_name="facts of the outcome",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="pages",
                    field=models.PositiveIntegerField(
                        default=0, help_text="pages stored since the list was (re)started", verbose_name="pages stored"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="phase",
                    field=models.CharField(
                        choices=[("listing", "reading the list"), ("fetching", "asking for single records")],
                        default="listing",
                        max_length=10,
                        verbose_name="phase",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="purpose",
                    field=models.CharField(
                        choices=[("harvest", "harvest"), ("comparison", "comparison"), ("content", "total re-harvest")],
                        default="harvest",
                        max_length=10,
                        verbose_name="purpose",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="queued",
                    field=models.DateTimeField(
                        help_text="since when it waits for a worker; claimed then, if one has it",
                        null=True,
                        verbose_name="waits for a worker since",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="received",
                    field=models.PositiveIntegerField(default=0, verbose_name="received"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="rejected",
                    field=models.PositiveIntegerField(default=0, verbose_name="rejected"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="removed",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="of the deleted: those the provider had listed before",
                        verbose_name="deleted after it was listed",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="restarts",
                    field=models.PositiveIntegerField(default=0, verbose_name="restarts of the list"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="skipped_from",
                    field=models.DateTimeField(
                        help_text="begin of the window before `from` whose headers were counted and not listed",
                        null=True,
                        verbose_name="not listed from",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="skipped_size",
                    field=models.PositiveIntegerField(
                        help_text="how many headers the provider counted in it",
                        null=True,
                        verbose_name="headers not listed",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="stale",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="the provider has another version than is served here",
                        verbose_name="outdated here",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="state",
                    field=models.CharField(
                        choices=[("open", "open"), ("done", "done"), ("failed", "failed"), ("cancelled", "cancelled")],
                        default="open",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="stepped_back_s",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="seconds by which the provider's clock was set back before this list",
                        verbose_name="clock set back, seconds",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="strategy",
                    field=models.CharField(
                        choices=[
                            ("records", "ListRecords: whole records, page by page"),
                            ("identifiers", "ListIdentifiers, then GetRecord for what is new or changed"),
                        ],
                        default="records",
                        max_length=12,
                        verbose_name="way of asking",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="token",
                    field=models.TextField(
                        blank=True,
                        help_text="asks for the next page; empty before the first",
                        verbose_name="resumptionToken",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="trigger",
                    field=models.CharField(
                        choices=[
                            ("schedule", "the schedule"),
                            ("operator", "an operator"),
                            ("command line", "the command line"),
                        ],
                        default="schedule",
                        max_length=20,
                        verbose_name="started by",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="unchanged",
                    field=models.PositiveIntegerField(default=0, verbose_name="unchanged"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="updated",
                    field=models.PositiveIntegerField(default=0, verbose_name="changed"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="vanished",
                    field=models.PositiveIntegerField(
                        default=0,
                        help_text="of those that are not at the provider: it does not know them, and they stay here",
                        verbose_name="unknown to the provider",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="warnings",
                    field=models.JSONField(
                        default=list,
                        help_text="what was not as it should be: code, facts, count",
                        verbose_name="warnings",
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="worker",
                    field=models.CharField(
                        blank=True,
                        db_column="holder",
                        help_text="host:pid that works on it",
                        max_length=300,
                        verbose_name="worker",
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="alternative",
                    field=models.ForeignKey(
                        help_text="none: the link's own provider",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="harvester.alternative",
                        verbose_name="other provider",
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="answers_since",
                    field=models.DateTimeField(
                        help_text="none: it did not answer when last asked", null=True, verbose_name="answers since"
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="deleted_record",
                    field=models.CharField(blank=True, max_length=20, verbose_name="keeps deletions"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="fault",
                    field=models.TextField(
                        blank=True, help_text="why it did not", verbose_name="why it did not answer"
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="first_asked",
                    field=models.DateTimeField(null=True, verbose_name="last complete list asked for"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="first_response",
                    field=models.DateTimeField(null=True, verbose_name="last complete list answered"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="granularity",
                    field=models.CharField(blank=True, max_length=20, verbose_name="precision of dates"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="harvested_to",
                    field=models.DateTimeField(null=True, verbose_name="complete up to"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="is_promised",
                    field=models.BooleanField(db_default=False, default=False, verbose_name="provider is never late"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="left",
                    field=models.DateTimeField(
                        help_text="when the link turned away from it, on our clock", verbose_name="left"
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standbys",
                        to="harvester.link",
                        verbose_name="link",
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="newest",
                    field=models.DateTimeField(null=True, verbose_name="newest datestamp"),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="next_probe",
                    field=models.DateTimeField(
                        help_text="when it is asked again whether it answers", null=True, verbose_name="asked next"
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="probed",
                    field=models.DateTimeField(
                        help_text="when it last answered, or did not", null=True, verbose_name="asked last"
                    ),
                ),
                migrations.AlterField(
                    model_name="standby",
                    name="relisted_to",
                    field=models.DateTimeField(null=True, verbose_name="listed twice up to"),
                ),
            ]
        )
    ]
