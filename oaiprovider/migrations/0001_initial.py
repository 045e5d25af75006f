"""The tables of the provider, and the trigger that stamps a changed crosswalk.

The first migration since version 0.9.0. It stands for the two of the versions before: a database that has both goes on from
here, and one that has only the first is refused (`gisc.database`).
"""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import TruncSecond

import oaiprovider.models.crosswalk
from catalogue import sql

DROP_CROSSWALK_CHANGES = """
DROP TRIGGER oaiprovider_crosswalk_changed ON oaiprovider_crosswalk;
DROP FUNCTION oaiprovider_crosswalk_changed();
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = [("catalogue", "0001_initial")]
    replaces = [
        ("oaiprovider", "0001_profile"),
        ("oaiprovider", "0002_crosswalk"),
    ]

    operations = [
        # --- Who is served what ---
        migrations.CreateModel(
            name="Profile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="for the administration; harvesters never see it", max_length=60, unique=True
                    ),
                ),
                (
                    "match",
                    models.CharField(
                        blank=True,
                        help_text="the characters agreed with the harvester's operator, such as DRIVER, case-sensitive; * stands for anything. Of several profiles that fit, the longest wins",
                        max_length=200,
                        verbose_name="User-Agent contains",
                    ),
                ),
                (
                    "networks",
                    ArrayField(
                        base_field=models.CharField(max_length=50),
                        blank=True,
                        default=list,
                        help_text="where the harvester asks from: networks or addresses, separated by commas, such as 192.0.2.0/24. Under its User-Agent from elsewhere, it is served as if this profile did not exist. Empty: from anywhere",
                        size=None,
                    ),
                ),
                (
                    "everything",
                    models.BooleanField(
                        default=True,
                        help_text="every public set, and every record, also what is in hidden sets only; else the sets chosen below and the records in them, and nothing else",
                        verbose_name="shows everything",
                    ),
                ),
                (
                    "page_records",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="empty: GISC_PAGE_RECORDS",
                        null=True,
                        validators=[MinValueValidator(1), MaxValueValidator(10000)],
                        verbose_name="records on a page",
                    ),
                ),
                (
                    "page_headers",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="empty: GISC_PAGE_HEADERS",
                        null=True,
                        validators=[MinValueValidator(1), MaxValueValidator(10000)],
                        verbose_name="headers on a page",
                    ),
                ),
                (
                    "page_sets",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="empty: GISC_PAGE_SETS",
                        null=True,
                        validators=[MinValueValidator(1), MaxValueValidator(10000)],
                        verbose_name="sets on a page",
                    ),
                ),
                (
                    "repository_name",
                    models.CharField(
                        blank=True,
                        help_text="empty: GISC_REPOSITORY_NAME",
                        max_length=200,
                        verbose_name="repositoryName",
                    ),
                ),
                (
                    "admin_emails",
                    ArrayField(
                        base_field=models.CharField(max_length=254),
                        blank=True,
                        default=list,
                        help_text="one or more, separated by commas; empty: GISC_ADMIN_EMAIL",
                        size=None,
                        verbose_name="adminEmail",
                    ),
                ),
                (
                    "formats",
                    ArrayField(
                        base_field=models.CharField(max_length=100),
                        blank=True,
                        default=list,
                        help_text="metadataPrefixes, separated by commas, of formats that not everybody gets. iso19139 and oai_dc are always there",
                        size=None,
                        verbose_name="further formats",
                    ),
                ),
                (
                    "requests_per_minute",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="empty: as the node limits everybody",
                        null=True,
                        validators=[MinValueValidator(1)],
                    ),
                ),
                (
                    "may_be_limited",
                    models.BooleanField(
                        default=True,
                        help_text="else flow control never makes this harvester wait; then networks are required",
                    ),
                ),
                (
                    "sets",
                    models.ManyToManyField(
                        blank=True,
                        help_text="exactly these are listed, hidden ones too; a virtual set hides what it is made of",
                        related_name="profiles",
                        to="catalogue.metadataset",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("match", "networks"),
                        name="one_profile_for_the_same_requests",
                        violation_error_message="Another profile is for the same User-Agent and networks.",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("match", ""), ("name", "Any"), ("networks__len", 0)),
                            Q(Q(("name", "Any"), _negated=True), Q(("match", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="any_serves_everyone_and_no_other_profile_does",
                        violation_error_message="Any is for every User-Agent from everywhere, and no other profile is.",
                    ),
                ],
            },
        ),
        # --- What Identify shows ---
        migrations.CreateModel(
            name="IdentifyDescription",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="for the administration; harvesters never see it", max_length=60, unique=True
                    ),
                ),
                (
                    "xml",
                    models.TextField(
                        help_text="one element with its namespace and xsi:schemaLocation", verbose_name="XML"
                    ),
                ),
                ("shown", models.BooleanField(default=True)),
            ],
            options={
                "verbose_name": "container of Identify",
                "verbose_name_plural": "containers of Identify",
                "ordering": ("name",),
            },
        ),
        # --- Formats that are made on the fly, and when each last changed ---
        migrations.CreateModel(
            name="Crosswalk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "prefix",
                    models.CharField(
                        help_text="what harvesters ask for: letters, digits and -_.!~*'(); cannot be changed later",
                        max_length=100,
                        unique=True,
                        validators=[oaiprovider.models.crosswalk.validate_prefix],
                        verbose_name="metadataPrefix",
                    ),
                ),
                (
                    "namespace",
                    models.CharField(
                        help_text="of the element that the stylesheet makes, spelled exactly as in it",
                        max_length=500,
                        validators=[oaiprovider.models.crosswalk.validate_namespace],
                        verbose_name="namespace",
                    ),
                ),
                (
                    "schema",
                    models.CharField(
                        help_text="the address of its XML schema, for harvesters; this node never fetches it",
                        max_length=500,
                        validators=[URLValidator(schemes=["http", "https"])],
                        verbose_name="schema",
                    ),
                ),
                (
                    "stylesheet",
                    models.TextField(
                        help_text="is given one ISO 19139 record and the parameter 'identifier', and makes one element",
                        verbose_name="XSLT 1.0 stylesheet",
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True,
                        help_text="offered to harvesters; when it is switched off, its records are deleted for them",
                    ),
                ),
                (
                    "for_everybody",
                    models.BooleanField(
                        default=True,
                        help_text="else only harvesters whose profile names this format among its further formats get it",
                    ),
                ),
                (
                    "changed",
                    models.DateTimeField(
                        editable=False,
                        help_text="in this format every record has this datestamp or a later one, so that harvesters fetch it again",
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ("prefix",),
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("changed", TruncSecond(F("changed")))), name="a_crosswalk_changed_at_whole_seconds"
                    )
                ],
            },
        ),
        migrations.RunSQL(sql.read("oaiprovider", "crosswalk_changes.0001"), DROP_CROSSWALK_CHANGES),
        migrations.CreateModel(
            name="Generation",
            fields=[
                ("prefix", models.CharField(max_length=100, primary_key=True, serialize=False)),
                (
                    "digest",
                    models.CharField(help_text="of the stylesheet that the records are made with", max_length=64),
                ),
                ("changed", models.DateTimeField(help_text="none: not since the node was installed", null=True)),
            ],
        ),
    ]
