"""Give centres the addresses of their portal and SRU, which WIS monitoring asks."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("harvester", "0024_link_category"),
    ]

    operations = [
        migrations.AddField(
            model_name="centre",
            name="portal_url",
            field=models.CharField(
                blank=True,
                help_text="address of its pages for people; WIS monitoring asks it every ten minutes",
                max_length=500,
                validators=[django.core.validators.URLValidator(schemes=["http", "https"])],
                verbose_name="portal",
            ),
        ),
        migrations.AddField(
            model_name="centre",
            name="sru_url",
            field=models.CharField(
                blank=True,
                help_text="address of its search by SRU; WIS monitoring asks it every ten minutes",
                max_length=500,
                validators=[django.core.validators.URLValidator(schemes=["http", "https"])],
                verbose_name="SRU",
            ),
        ),
    ]
