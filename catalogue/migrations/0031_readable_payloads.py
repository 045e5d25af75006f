"""Add the function that reads the payloads of which PostgreSQL can read some alone."""

from django.db import migrations

from catalogue import sql


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0030_damaged_records"),
    ]

    operations = [
        migrations.RunSQL(sql.read("catalogue", "payloads.0001"), "DROP FUNCTION catalogue_readable(bytea)"),
    ]
