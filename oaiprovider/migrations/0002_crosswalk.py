"""Crosswalks, and the trigger that says when each last changed what harvesters receive (P93).

The trigger takes catalogue_stamp(), and so the lock of the datestamps' clock, in the transaction that writes the row:
lists wait for its commit as they wait for that of a record (docs/datestamps.md). It is a trigger and no Python, so that
nothing that writes the row goes past it (S8). What cannot be seen by harvesters has no stamp: a crosswalk that was never
enabled, a change of one that is switched off.
"""

import django.core.validators
import django.db.models.functions.datetime
from django.db import migrations, models

import oaiprovider.models.crosswalk

TRIGGER = """
CREATE FUNCTION oaiprovider_crosswalk_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.changed := CASE WHEN NEW.enabled THEN catalogue_stamp() END;
    ELSIF (NEW.enabled OR OLD.enabled) AND (NEW.prefix, NEW.namespace, NEW.schema, NEW.stylesheet, NEW.enabled)
            IS DISTINCT FROM (OLD.prefix, OLD.namespace, OLD.schema, OLD.stylesheet, OLD.enabled) THEN
        NEW.changed := catalogue_stamp();
    ELSE
        NEW.changed := OLD.changed;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER oaiprovider_crosswalk_changed BEFORE INSERT OR UPDATE ON oaiprovider_crosswalk
    FOR EACH ROW EXECUTE FUNCTION oaiprovider_crosswalk_changed();
"""
NO_TRIGGER = """
DROP TRIGGER oaiprovider_crosswalk_changed ON oaiprovider_crosswalk;
DROP FUNCTION oaiprovider_crosswalk_changed();
"""


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0002_clock"), ("oaiprovider", "0001_profile")]

    operations = [
        migrations.CreateModel(
            name="Generation",
            fields=[
                ("prefix", models.CharField(max_length=100, primary_key=True, serialize=False)),
                (
                    "digest",
                    models.CharField(help_text="of the stylesheet that the records are made with", max_length=64),
                ),
                ("changed", models.DateTimeField(help_text="none: not since the node was installed", null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Crosswalk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "prefix",
                    models.CharField(
                        help_text="what harvesters ask for: letters, digits and -_.!~*'(); cannot be changed later",
                        max_length=100,
                        unique=True,
                        validators=[oaiprovider.models.crosswalk.validate_prefix],
                        verbose_name="metadataPrefix",
                    ),
                ),
                (
                    "namespace",
                    models.CharField(
                        help_text="of the element that the stylesheet makes, spelled exactly as in it",
                        max_length=500,
                        validators=[oaiprovider.models.crosswalk.validate_namespace],
                        verbose_name="namespace",
                    ),
                ),
                (
                    "schema",
                    models.CharField(
                        help_text="the address of its XML schema; told to harvesters, never fetched from here",
                        max_length=500,
                        validators=[django.core.validators.URLValidator(schemes=["http", "https"])],
                        verbose_name="schema",
                    ),
                ),
                (
                    "stylesheet",
                    models.TextField(
                        help_text="is given one ISO 19139 record and the parameter 'identifier', and makes one element",
                        verbose_name="XSLT 1.0 stylesheet",
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True,
                        help_text="offered to harvesters; when switched off, they are told that its records are deleted",
                    ),
                ),
                (
                    "for_everybody",
                    models.BooleanField(
                        default=True,
                        help_text="else only harvesters whose profile names this format among its further formats get it",
                    ),
                ),
                (
                    "changed",
                    models.DateTimeField(
                        editable=False,
                        help_text="in this format every record has this datestamp or a later one, so that harvesters "
                        "fetch it again",
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ("prefix",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("changed", django.db.models.functions.datetime.TruncSecond(models.F("changed")))
                        ),
                        name="a_crosswalk_changed_at_whole_seconds",
                    )
                ],
            },
        ),
        migrations.RunSQL(TRIGGER, NO_TRIGGER),
    ]
