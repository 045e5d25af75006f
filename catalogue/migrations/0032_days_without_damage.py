"""Count no change on a day for a record that was found damaged, or can be read again."""

from django.db import migrations

from catalogue import sql


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0031_readable_payloads"),
    ]

    operations = [
        migrations.RunSQL(sql.read("catalogue", "catalogue_days.0002"), sql.read("catalogue", "catalogue_days.0001")),
    ]
