"""Store for each link when it is stale, and until when its problems are muted."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("harvester", "0017_host_clock_measured")]

    operations = [
        migrations.AddField(
            model_name="link",
            name="grace_h",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="without a complete harvest; 0: after two intervals, and 24 hours at least",
                validators=[django.core.validators.MaxValueValidator(8784)],
                verbose_name="stale after, hours",
            ),
        ),
        migrations.AddField(
            model_name="link",
            name="muted_until",
            field=models.DateTimeField(
                editable=False,
                help_text="until then its problems are on its own page alone, and nobody is alerted",
                null=True,
            ),
        ),
    ]
