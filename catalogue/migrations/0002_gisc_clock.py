"""Let all SQL read the time by one function, `gisc_clock()`."""

from django.db import migrations

from catalogue import sql


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0001_initial"),)
    operations = (
        migrations.RunSQL(sql.read("catalogue", "clock.0001"), "DROP FUNCTION gisc_clock()"),
        migrations.RunSQL(sql.read("catalogue", "datestamp_clock.0002"), sql.read("catalogue", "datestamp_clock.0001")),
    )
