"""Make the conditions of datestamps the same in every time zone that a session may have; pg_restore has that of the server."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations
from django.db.models import CheckConstraint, DateTimeField, F, Func, Q, Value

from catalogue.migration_operations import LockTables

_WHOLE = Q(datestamp=Func(Value("second"), F("datestamp"), function="date_trunc", output_field=DateTimeField()))
_CONSTRAINTS = (
    ("membership", "a_membership_datestamp_is_whole_seconds"),
    ("record", "a_record_datestamp_is_whole_seconds"),
)


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0032_days_without_damage"),
    ]

    operations = [
        LockTables("catalogue_membership", "catalogue_record"),
        *(migrations.RemoveConstraint(model_name=model, name=name) for model, name in _CONSTRAINTS),
        # The rows that are there were checked in UTC. The next migration reads them again, while writers go on.
        *(AddConstraintNotValid(model, CheckConstraint(condition=_WHOLE, name=name)) for model, name in _CONSTRAINTS),
    ]
