"""Count what changes in the catalogue each day, by whatever way it comes. Days of before have no row."""

from django.db import migrations, models

from catalogue import sql


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0023_quality"),
    ]

    operations = [
        migrations.CreateModel(
            name="CatalogueDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("new", models.BigIntegerField(default=0)),
                ("updated", models.BigIntegerField(default=0)),
                ("deleted", models.BigIntegerField(default=0)),
            ],
            options={
                "verbose_name": "day of the catalogue",
                "verbose_name_plural": "days of the catalogue",
            },
        ),
        migrations.RunSQL(
            sql.read("catalogue", "catalogue_days.0001"),
            "DROP TRIGGER dated_insert ON catalogue_record; DROP TRIGGER dated_update ON catalogue_record;"
            " DROP FUNCTION catalogue_record_insert_dated(), catalogue_record_update_dated()",
        ),
    ]
