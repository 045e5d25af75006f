"""Make the condition of a crosswalk's instant the same in every time zone that a session may have; pg_restore has that of the server."""

from django.db import migrations
from django.db.models import CheckConstraint, DateTimeField, F, Func, Q, Value

_NAME = "a_crosswalk_changed_at_whole_seconds"
_WHOLE = Q(changed=Func(Value("second"), F("changed"), function="date_trunc", output_field=DateTimeField()))


class Migration(migrations.Migration):
    dependencies = [
        ("oaiprovider", "0005_labels"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="crosswalk", name=_NAME),
        migrations.AddConstraint("crosswalk", CheckConstraint(condition=_WHOLE, name=_NAME)),
    ]
