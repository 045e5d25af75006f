"""When the clock of this host was last measured: a measurement stays while no NTP server answers."""

from django.db import migrations, models
from django.db.models import F


def date_measurements(apps, schema_editor):
    """Date what was measured before: an offset was stored only where a server had answered that check."""
    clocks = apps.get_model("harvester", "HostClock").objects
    clocks.filter(offset_s__isnull=False).update(measured=F("checked"))


class Migration(migrations.Migration):
    dependencies = [("harvester", "0016_from_ignored")]

    operations = [
        migrations.AlterField(
            model_name="hostclock",
            name="offset_s",
            field=models.FloatField(help_text="NTP's time minus this host's, as last measured; none: never", null=True),
        ),
        migrations.AlterField(
            model_name="hostclock",
            name="fault",
            field=models.TextField(blank=True, help_text="why no server answered the last check"),
        ),
        migrations.AddField(
            model_name="hostclock",
            name="measured",
            field=models.DateTimeField(help_text="when it was measured last", null=True),
        ),
        migrations.RunPython(date_measurements, migrations.RunPython.noop),
    ]
