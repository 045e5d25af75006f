"""Add the list of centres, with the GISCs that are known as templates; let a link keep its address to itself.

The templates are written once, here: what an operator changes or deletes stays so. Only the base URLs that a centre has
told can be right, so there are none.
"""

import django.core.validators
from django.db import migrations, models

import catalogue.models

# name, country, setSpec by the convention WIS-GISC-<CITY>, latitude, longitude
KNOWN = (
    ("Beijing", "China", "WIS-GISC-BEIJING", 39.9, 116.4),
    ("Brasilia", "Brazil", "WIS-GISC-BRASILIA", -15.8, -47.9),
    ("Casablanca", "Morocco", "WIS-GISC-CASABLANCA", 33.6, -7.6),
    ("Exeter", "United Kingdom", "WIS-GISC-EXETER", 50.7, -3.5),
    ("Jeddah", "Saudi Arabia", "WIS-GISC-JEDDAH", 21.5, 39.2),
    ("Melbourne", "Australia", "WIS-GISC-MELBOURNE", -37.8, 145.0),
    ("Moscow", "Russian Federation", "WIS-GISC-MOSCOW", 55.8, 37.6),
    ("New Delhi", "India", "WIS-GISC-NEW-DELHI", 28.6, 77.2),
    ("Offenbach", "Germany", "WIS-GISC-OFFENBACH", 50.1, 8.8),
    ("Pretoria", "South Africa", "WIS-GISC-PRETORIA", -25.7, 28.2),
    ("Seoul", "Republic of Korea", "WIS-GISC-SEOUL", 37.6, 127.0),
    ("Tashkent", "Uzbekistan", "WIS-GISC-TASHKENT", 41.3, 69.2),
    ("Tehran", "Islamic Republic of Iran", "WIS-GISC-TEHRAN", 35.7, 51.4),
    ("Tokyo", "Japan", "WIS-GISC-TOKYO", 35.7, 139.7),
    ("Toulouse", "France", "WIS-GISC-TOULOUSE", 43.6, 1.4),
    ("Washington", "United States of America", "WIS-GISC-WASHINGTON", 38.9, -77.0),
)


def install(apps, schema_editor):
    centre = apps.get_model("harvester", "Centre")
    centre.objects.using(schema_editor.connection.alias).bulk_create(
        centre(name=name, country=country, set_spec=spec, latitude=latitude, longitude=longitude)
        for name, country, spec, latitude, longitude in KNOWN
    )


class Migration(migrations.Migration):
    dependencies = (("harvester", "0019_schedules"),)
    operations = (
        migrations.AddField(
            "link",
            "is_told",
            models.BooleanField(
                "tell others its address",
                default=True,
                db_default=True,
                help_text="in Identify, as a friend: only that of a peer whose link is enabled, and never with a password",
            ),
        ),
        migrations.CreateModel(
            "Centre",
            fields=(
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(max_length=60, unique=True, help_text="as people know it, for example Offenbach"),
                ),
                ("country", models.CharField(blank=True, max_length=60)),
                (
                    "set_spec",
                    models.CharField(
                        "set",
                        max_length=200,
                        unique=True,
                        validators=[catalogue.models.validate_set_spec],
                        help_text="of its own records, for example WIS-GISC-OFFENBACH; links into this set harvest the centre",
                    ),
                ),
                (
                    "latitude",
                    models.FloatField(
                        blank=True,
                        null=True,
                        help_text="degrees, north is positive; for the map",
                        validators=[
                            django.core.validators.MinValueValidator(-90),
                            django.core.validators.MaxValueValidator(90),
                        ],
                    ),
                ),
                (
                    "longitude",
                    models.FloatField(
                        blank=True,
                        null=True,
                        help_text="degrees, east is positive; for the map",
                        validators=[
                            django.core.validators.MinValueValidator(-180),
                            django.core.validators.MaxValueValidator(180),
                        ],
                    ),
                ),
                (
                    "base_urls",
                    models.JSONField(
                        "base URLs",
                        blank=True,
                        default=list,
                        help_text="addresses of its OAI-PMH, the best first; one in a line",
                    ),
                ),
                (
                    "contact",
                    models.CharField(blank=True, max_length=300, help_text="whom to call when it does not answer"),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        "to be harvested",
                        default=False,
                        help_text="it counts among the centres that this node is to harvest; one with a link that is "
                        "enabled always does",
                    ),
                ),
            ),
            options={"ordering": ("name",), "verbose_name": "centre"},
        ),
        migrations.RunPython(install, migrations.RunPython.noop),
    )
