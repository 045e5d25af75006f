"""Runs have an outcome, a code with its facts, in place of a sentence.

What earlier versions wrote stays as it is, under the code `as-written`. Backwards each outcome and each warning becomes the
sentence that this version makes of it.
"""

from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import JSONObject

from harvester import messages

_BATCH = 500


def keep_sentences(apps, schema_editor):
    runs = apps.get_model("harvester", "Run").objects.order_by()
    runs.exclude(message="").update(outcome="as-written", outcome_data=JSONObject(text=F("message")))
    runs.filter(message="", state="done").update(outcome="done", outcome_data={"remarks": []})


def write_sentences(apps, schema_editor):
    runs = apps.get_model("harvester", "Run").objects.order_by()
    changed = []
    for run in runs.only("outcome", "outcome_data", "warnings").iterator(chunk_size=_BATCH):
        run.message = messages.describe_outcome(run.outcome, run.outcome_data)
        run.warnings = [_with_text(warning) for warning in run.warnings]
        changed.append(run)
        if len(changed) == _BATCH:
            runs.bulk_update(changed, ["message", "warnings"])
            changed = []
    runs.bulk_update(changed, ["message", "warnings"])


def _with_text(warning):
    text = warning.get("text") or messages.describe_warning(warning["code"], warning.get("facts") or {})
    return {"code": warning["code"], "text": text, "count": warning["count"]}


class Migration(migrations.Migration):
    dependencies = [("harvester", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="outcome",
            field=models.CharField(
                default="running",
                db_default="running",
                help_text="code of what happened last, and of what happens next",
                max_length=40,
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="outcome_data",
            field=models.JSONField(default=dict, db_default={}, help_text="the facts of the outcome"),
        ),
        migrations.AlterField(
            model_name="run",
            name="warnings",
            field=models.JSONField(default=list, help_text="what was not as it should be: code, facts, count"),
        ),
        migrations.RunPython(keep_sentences, write_sentences),
        # The column stays while nodes of version 0.9.0 may still write it; this version neither reads nor writes it.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="run", name="message")],
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE harvester_run ALTER COLUMN message SET DEFAULT ''",
                    "ALTER TABLE harvester_run ALTER COLUMN message DROP DEFAULT",
                )
            ],
        ),
    ]
