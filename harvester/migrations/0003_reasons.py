"""Store why an entry was not stored, and how a conflict was settled, as codes with facts in place of sentences.

What earlier versions wrote stays as it is, under the code `as-written`. Backwards each code becomes the sentence that this
version makes of it.
"""

from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import JSONObject

from catalogue.migration_operations import LockTables
from harvester import reasons

_BATCH = 500
_SENTENCES = {
    "Reject": {"reason": reasons.describe_reason},
    "Conflict": {"reason": reasons.describe_disagreement, "settlement": reasons.describe_settlement},
}


def keep_sentences(apps, schema_editor):
    for model, columns in _SENTENCES.items():
        for column in columns:
            rows = apps.get_model("harvester", model).objects.order_by().exclude(**{column: ""})
            rows.update(**{f"{column}_data": JSONObject(text=F(column)), column: "as-written"})


def write_sentences(apps, schema_editor):
    for model, columns in _SENTENCES.items():
        rows = apps.get_model("harvester", model).objects.order_by()
        changed = []
        for row in rows.defer("raw").iterator(chunk_size=_BATCH):
            for column, describe in columns.items():
                setattr(row, column, describe(getattr(row, column), getattr(row, f"{column}_data")))
            changed.append(row)
            if len(changed) == _BATCH:
                rows.bulk_update(changed, columns)  # each row once, or no column could be dropped afterwards
                changed = []
        rows.bulk_update(changed, columns)


def _reason(model):
    return migrations.AlterField(model, "reason", models.TextField("code", help_text="of the reason: docs/codes.md"))


def _facts(model, field):
    # The database has the default too, for rows that a node of the version before still writes.
    text = f"the facts of the {field.removesuffix('_data')}"
    return migrations.AddField(model, field, models.JSONField(default=dict, db_default={}, help_text=text))


class Migration(migrations.Migration):
    dependencies = (("harvester", "0002_outcomes"),)
    operations = (
        LockTables("harvester_reject", "harvester_conflict"),
        _reason("reject"),
        _facts("reject", "reason_data"),
        _reason("conflict"),
        _facts("conflict", "reason_data"),
        migrations.AlterField(
            "conflict", "settlement", models.TextField(blank=True, help_text="its code: docs/codes.md")
        ),
        _facts("conflict", "settlement_data"),
        migrations.RunPython(keep_sentences, write_sentences),
    )
