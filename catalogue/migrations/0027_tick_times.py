"""Store how long a tick of the catalogue took, so that ticks leave time for runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0026_labels"),
    ]

    operations = [
        migrations.AddField(
            model_name="cataloguecanary",
            name="took_s",
            field=models.FloatField(db_default=0, default=0, help_text="how long that tick took"),
        ),
    ]
