"""Add the row that tells when the catalogue's tick last came through, as the harvester has one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0002_gisc_clock"),)
    operations = (
        migrations.CreateModel(
            name="CatalogueCanary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("last", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "catalogue canaries",
                "constraints": [models.CheckConstraint(condition=models.Q(id=1), name="there_is_one_catalogue_canary")],
            },
        ),
    )
