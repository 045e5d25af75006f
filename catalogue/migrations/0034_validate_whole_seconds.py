"""Check the rows of before by the new conditions of datestamps, while writers go on."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0033_whole_seconds_in_every_zone"),
    ]

    operations = [
        ValidateConstraint("membership", "a_membership_datestamp_is_whole_seconds"),
        ValidateConstraint("record", "a_record_datestamp_is_whole_seconds"),
    ]
