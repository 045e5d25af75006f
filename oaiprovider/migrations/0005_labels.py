"""Give fields and tables their names in words. Only texts, in Django's state of the models; the database stays as it is."""

import django.contrib.postgres.fields
import django.core.validators
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0026_labels"),
        ("oaiprovider", "0004_categories"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterModelOptions(
                    name="crosswalk",
                    options={"ordering": ("prefix",), "verbose_name": "crosswalk", "verbose_name_plural": "crosswalks"},
                ),
                migrations.AlterField(
                    model_name="crosswalk",
                    name="changed",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="in this format every record has this datestamp or a later one, so that harvesters fetch it again",
                        null=True,
                        verbose_name="changed",
                    ),
                ),
                migrations.AlterField(
                    model_name="crosswalk",
                    name="enabled",
                    field=models.BooleanField(
                        default=True,
                        help_text="offered to harvesters; when it is switched off, its records are deleted for them",
                        verbose_name="enabled",
                    ),
                ),
                migrations.AlterField(
                    model_name="crosswalk",
                    name="for_everybody",
                    field=models.BooleanField(
                        default=True,
                        help_text="else only harvesters whose profile names this format among its further formats get it",
                        verbose_name="for everybody",
                    ),
                ),
                migrations.AlterField(
                    model_name="identifydescription",
                    name="name",
                    field=models.CharField(
                        help_text="for the administration; harvesters never see it",
                        max_length=60,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                migrations.AlterField(
                    model_name="identifydescription",
                    name="shown",
                    field=models.BooleanField(default=True, verbose_name="shown"),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="may_be_limited",
                    field=models.BooleanField(
                        default=True,
                        help_text="else flow control never makes this harvester wait; then networks are required",
                        verbose_name="flow control applies",
                    ),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="name",
                    field=models.CharField(
                        help_text="for the administration; harvesters never see it",
                        max_length=60,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="networks",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=50),
                        blank=True,
                        default=list,
                        help_text="where the harvester asks from: networks or addresses, separated by commas, such as 192.0.2.0/24. Under its User-Agent from elsewhere, it is served as if this profile did not exist. Empty: from anywhere",
                        size=None,
                        verbose_name="networks",
                    ),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="requests_per_minute",
                    field=models.PositiveIntegerField(
                        blank=True,
                        help_text="empty: as the node limits everybody",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="requests a minute",
                    ),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="set_tombstones",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="in the list of a set, records that left it and live in another set come as deleted. For a harvester that keeps a store for each set; one that puts several sets into one store would delete live records",
                        verbose_name="deletions of sets",
                    ),
                ),
                migrations.AlterField(
                    model_name="profile",
                    name="sets",
                    field=models.ManyToManyField(
                        blank=True,
                        help_text="exactly these are listed, hidden ones too; a virtual set hides what it is made of",
                        related_name="profiles",
                        to="catalogue.metadataset",
                        verbose_name="sets",
                    ),
                ),
            ]
        )
    ]
