"""The tables of the catalogue, and the SQL functions and triggers that guard them.

The first migration since version 0.9.0. It stands for the seven of the versions before, the first of which had its name: a
database that has all of them goes on from here, and one that has only some is refused (`gisc.database`). Columns stand in
the order that they have there. What each function guards stands in its file in `catalogue/sql/`.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import TruncSecond

from catalogue import sql
from catalogue.models import validate_set_spec

# Payloads are compressed already: PostgreSQL need not try again.
STORE_PAYLOADS_AS_THEY_ARE = "ALTER TABLE catalogue_record ALTER COLUMN payload SET STORAGE EXTERNAL"
# Django gives a composite primary key no name of its own.
NAME_THE_PRIMARY_KEY = """
ALTER TABLE catalogue_membership RENAME CONSTRAINT catalogue_membership_pkey TO a_record_is_in_a_set_once
"""
# Row 0 is there from the start; those of sets come with their first record.
COUNT_OF_THE_CATALOGUE = "INSERT INTO catalogue_listsize (set_id, live, deleted) VALUES (0, 0, 0)"
DROP_LIST_SIZES = """
DROP TRIGGER counted_insert ON catalogue_record;
DROP TRIGGER counted_update ON catalogue_record;
DROP TRIGGER counted_delete ON catalogue_record;
DROP TRIGGER counted_insert ON catalogue_membership;
DROP TRIGGER counted_update ON catalogue_membership;
DROP TRIGGER counted_delete ON catalogue_membership;
DROP FUNCTION catalogue_record_insert_counted(), catalogue_record_update_counted(), catalogue_record_delete_counted();
DROP FUNCTION catalogue_membership_insert_counted(), catalogue_membership_update_counted(), catalogue_membership_delete_counted();
"""
DROP_DICTIONARIES = """
DROP TRIGGER dictionaries_are_kept ON catalogue_dictionary;
DROP FUNCTION catalogue_keep_dictionaries();
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    replaces = [
        ("catalogue", "0002_clock"),
        ("catalogue", "0003_claims_dictionaries_and_validation"),
        ("catalogue", "0004_membership_direct"),
        ("catalogue", "0005_words"),
        ("catalogue", "0006_list_sizes"),
        ("catalogue", "0007_ledger"),
    ]

    operations = [
        # --- Sets ---
        migrations.CreateModel(
            name="MetadataSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "spec",
                    models.CharField(
                        max_length=200, unique=True, validators=[validate_set_spec], verbose_name="setSpec"
                    ),
                ),
                ("name", models.CharField(max_length=200, verbose_name="setName")),
                ("description", models.TextField(blank=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("own", "own: this node's area of responsibility"),
                            ("peer", "peer: another GISC's"),
                            ("shared", "shared: joint responsibility"),
                            ("virtual", "virtual: a named union that some harvesters see"),
                            ("catalogue", "catalogue: every record"),
                        ],
                        default="peer",
                        max_length=10,
                    ),
                ),
                ("public", models.BooleanField(default=True, help_text="listed by ListSets and on the public pages")),
            ],
            options={
                "verbose_name": "set",
                "ordering": ("spec",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("kind__in", ("own", "catalogue"))),
                        fields=("kind",),
                        name="one_own_set_and_one_catalogue_set",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SetInclusion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "child",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="included_in", to="catalogue.metadataset"),
                ),
                (
                    "parent",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="inclusions", to="catalogue.metadataset"),
                ),
            ],
            options={
                "verbose_name": "inclusion",
                "constraints": [
                    models.UniqueConstraint(fields=("parent", "child"), name="a_set_includes_another_once"),
                    models.CheckConstraint(
                        condition=Q(("parent", F("child")), _negated=True), name="no_set_includes_itself"
                    ),
                ],
            },
        ),
        # --- The clock of datestamps ---
        migrations.CreateModel(
            name="DatestampClock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stamp", models.DateTimeField(help_text="the largest datestamp ever given")),
                ("earliest", models.DateTimeField(help_text="Identify/earliestDatestamp; never moves forward")),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=Q(("id", 1)), name="there_is_one_clock")],
            },
        ),
        migrations.RunSQL(
            sql.read("catalogue", "datestamp_clock.0001"), "DROP FUNCTION catalogue_stamp(), catalogue_instant()"
        ),
        # --- Records: header and payload; what search needs; what the checks said ---
        migrations.CreateModel(
            name="Record",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identifier", models.TextField(help_text="gmd:fileIdentifier, served exactly as received")),
                ("key", models.TextField(db_collation="C", help_text="the identifier trimmed and case-folded")),
                (
                    "datestamp",
                    models.DateTimeField(help_text="when it last changed in this node; whole seconds, UTC (P40)"),
                ),
                ("deleted", models.BooleanField(default=False)),
                (
                    "set_specs",
                    ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="memberships for the header; kept by a tombstone (P84)",
                        size=None,
                    ),
                ),
                (
                    "payload",
                    models.BinaryField(help_text="root element in a zstd frame; none in a tombstone", null=True),
                ),
                ("digest", models.BinaryField(help_text="SHA-256 of the canonical XML", null=True)),
                (
                    "metadata_date",
                    models.DateTimeField(help_text="gmd:dateStamp; never the datestamp (P95)", null=True),
                ),
                (
                    "provenance",
                    models.JSONField(help_text="where it was harvested; none for records of our own", null=True),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        help_text="the set whose link decides its content",
                        on_delete=models.PROTECT,
                        related_name="owned",
                        to="catalogue.metadataset",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["datestamp", "id"], name="record_list_order"),
                    models.Index(condition=Q(("deleted", True)), fields=["datestamp"], name="tombstones_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("key",), name="one_record_per_identifier"),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("deleted", True), ("digest__isnull", True), ("payload__isnull", True)),
                            Q(("deleted", False), ("digest__isnull", False), ("payload__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_tombstone_has_no_metadata",
                    ),
                    models.CheckConstraint(
                        condition=Q(("datestamp", TruncSecond(F("datestamp")))),
                        name="a_record_datestamp_is_whole_seconds",
                    ),
                ],
            },
        ),
        migrations.RunSQL(STORE_PAYLOADS_AS_THEY_ARE, migrations.RunSQL.noop),
        migrations.RunSQL(
            sql.read("catalogue", "search_words.0001"), "DROP FUNCTION catalogue_words(text, text, text[], text[])"
        ),
        migrations.CreateModel(
            name="Description",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="description",
                        serialize=False,
                        to="catalogue.record",
                    ),
                ),
                ("title", models.TextField(blank=True)),
                ("abstract", models.TextField(blank=True)),
                (
                    "keywords",
                    ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="all but the WMO category codes",
                        size=None,
                    ),
                ),
                (
                    "boxes",
                    models.JSONField(
                        default=list, help_text="bounding boxes in degrees: [[west, south, east, north], ...]"
                    ),
                ),
                (
                    "begins",
                    models.DateTimeField(help_text="start of the time extent; none: open or not given", null=True),
                ),
                ("ends", models.DateTimeField(help_text="end of the time extent; none: open or not given", null=True)),
                ("language", models.CharField(blank=True, max_length=100)),
                (
                    "categories",
                    ArrayField(
                        base_field=models.TextField(),
                        default=list,
                        help_text="terms of the WMO_CategoryCode list",
                        size=None,
                    ),
                ),
            ],
            options={
                "indexes": [
                    GinIndex(
                        models.Func(
                            "title",
                            "abstract",
                            "keywords",
                            "categories",
                            function="catalogue_words",
                            output_field=SearchVectorField(),
                        ),
                        name="description_words",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Validation",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="validation",
                        serialize=False,
                        to="catalogue.record",
                    ),
                ),
                ("digest", models.BinaryField(help_text="of the version that was checked")),
                ("rules", models.CharField(help_text="which rules and schemas it was checked with", max_length=64)),
                (
                    "structure",
                    models.CharField(
                        choices=[("valid", "valid"), ("invalid", "invalid"), ("not checked", "not checked")],
                        max_length=20,
                    ),
                ),
                (
                    "schema",
                    models.CharField(blank=True, help_text="the schema set chosen by the GML namespace", max_length=60),
                ),
                (
                    "faults",
                    models.JSONField(default=list, help_text="[{rule, text}, ...]: sentences for the data manager"),
                ),
                ("checked", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["rules", "record"], name="validation_by_rules"),
                    models.Index(condition=Q(("structure", "invalid")), fields=["record"], name="invalid_records"),
                ],
            },
        ),
        # --- Which sets a record is in, and what else is said of it ---
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("datestamp", models.DateTimeField()),
                ("deleted", models.BooleanField(default=False)),
                (
                    "record",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="memberships", to="catalogue.record"
                    ),
                ),
                (
                    "set",
                    models.ForeignKey(
                        db_index=False, on_delete=models.PROTECT, related_name="memberships", to="catalogue.metadataset"
                    ),
                ),
                (
                    "direct",
                    models.BooleanField(
                        default=True,
                        help_text="the record was put into this set itself; else into a set that this one includes",
                    ),
                ),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "record", "set", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["set", "datestamp", "record"], name="membership_list_order"),
                    models.Index(condition=Q(("deleted", True)), fields=["datestamp"], name="ended_memberships_by_age"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("datestamp", TruncSecond(F("datestamp")))),
                        name="a_membership_datestamp_is_whole_seconds",
                    )
                ],
            },
        ),
        migrations.RunSQL(NAME_THE_PRIMARY_KEY, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.TextField(help_text="the link it came by; empty: this node itself")),
                ("payload", models.BinaryField(help_text="packed as in Record")),
                ("digest", models.BinaryField()),
                ("metadata_date", models.DateTimeField(null=True)),
                ("provenance", models.JSONField(null=True)),
                ("first_seen", models.DateTimeField()),
                (
                    "record",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="claims", to="catalogue.record"
                    ),
                ),
                ("set", models.ForeignKey(on_delete=models.PROTECT, related_name="claims", to="catalogue.metadataset")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("record", "set", "source"), name="one_claim_of_a_source_on_a_record"
                    )
                ],
            },
        ),
        # --- How many records each list holds ---
        migrations.CreateModel(
            name="ListSize",
            fields=[
                (
                    "set_id",
                    models.BigIntegerField(
                        help_text="0: the whole catalogue", primary_key=True, serialize=False, verbose_name="set"
                    ),
                ),
                ("live", models.BigIntegerField(default=0)),
                ("deleted", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.RunSQL(COUNT_OF_THE_CATALOGUE, migrations.RunSQL.noop),
        migrations.RunSQL(sql.read("catalogue", "list_sizes.0001"), DROP_LIST_SIZES),
        # --- What payloads are packed with ---
        migrations.CreateModel(
            name="Dictionary",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("content", models.BinaryField()),
                ("sha256", models.BinaryField()),
                ("created", models.DateTimeField()),
                ("trained_on", models.PositiveIntegerField(help_text="how many records it was trained on")),
            ],
            options={
                "verbose_name_plural": "dictionaries",
            },
        ),
        migrations.RunSQL(sql.read("catalogue", "dictionaries.0001"), DROP_DICTIONARIES),
        # --- The journal ---
        migrations.CreateModel(
            name="JournalOutbox",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("deleted", "deleted"),
                            ("returned", "returned after a deletion"),
                            ("left", "left a set and lives elsewhere"),
                            ("joined", "came back to a set it had left"),
                            ("moved", "moved to another owner"),
                        ],
                        max_length=10,
                    ),
                ),
                ("identifier", models.TextField()),
                ("datestamp", models.DateTimeField()),
                ("set_specs", ArrayField(base_field=models.TextField(), default=list, size=None)),
            ],
            options={
                "verbose_name": "event waiting for the journal",
                "verbose_name_plural": "events waiting for the journal",
            },
        ),
        migrations.CreateModel(
            name="Purged",
            fields=[
                (
                    "hash",
                    models.BigIntegerField(help_text="hashtextextended(key, 0)", primary_key=True, serialize=False),
                ),
            ],
            options={
                "verbose_name": "purged tombstone",
            },
        ),
    ]
