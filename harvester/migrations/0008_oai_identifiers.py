"""Find headers and conflicts by the exact OAI identifier, no longer by a case-folded key (P68, P69)."""

from itertools import islice
from typing import Any

from django.db import migrations, models

from catalogue import oai

_BATCH = 1000
_NOT_PLAIN = r"[^A-Za-z0-9._~:@!$&'()*+,;=/?-]"
# A rejected record whose gmd:fileIdentifier is not the identifier of its header.
_SET_FILE_KEYS = """
    UPDATE harvester_reject SET file_key = reason_data->>'record' WHERE file_key <> '' AND reason_data->>'record' <> ''
"""


def _set_keys(apps: Any, _schema_editor: Any) -> None:
    """Set the keys of URIs; delete the rows of others, which could not be stored: the next comparison asks for them."""
    for name in ("RemoteHeader", "Conflict"):
        model = apps.get_model("harvester", name)
        in_doubt = ~models.Q(key=models.F("identifier")) | models.Q(identifier__regex=_NOT_PLAIN)
        rows = model.objects.filter(in_doubt).only("pk", "key", "identifier").iterator(chunk_size=_BATCH)
        while batch := list(islice(rows, _BATCH)):
            uris = [row for row in batch if oai.is_identifier(row.identifier)]
            for row in uris:
                row.key = row.identifier
            model.objects.bulk_update(uris, ["key"])
            model.objects.filter(pk__in={row.pk for row in batch} - {row.pk for row in uris}).delete()


class Migration(migrations.Migration):
    dependencies = (("harvester", "0007_total_reharvest"), ("catalogue", "0005_oai_identifiers"))
    operations = (
        migrations.AlterField(
            "remoteheader",
            "key",
            models.TextField(db_collation="C", help_text="the OAI identifier of this node for it (P68)"),
        ),
        migrations.AlterField(
            "reject",
            "file_key",
            models.TextField(
                blank=True,
                db_collation="C",
                help_text="the OAI identifier for its gmd:fileIdentifier, if that differs from the header's identifier",
            ),
        ),
        migrations.AlterField(
            "conflict",
            "kind",
            models.CharField(
                choices=[
                    ("misplaced", "misplaced: the record is in our own set, or ours claims a peer's"),
                    ("differs", "differs from what the owner says"),
                    ("disputed", "deleted by one, live at another"),
                    ("vanished", "the provider no longer knows it and never said that it was deleted"),
                    ("renamed", "the provider deletes it and lists the same by another identifier"),
                    ("mass", "one of so many deletions that they wait for the operator"),
                    ("taken", "taken: its OAI identifier belongs to another record here"),
                    ("offered", "a co-owner of a shared set has a newer version: to be confirmed, or left"),
                ],
                max_length=10,
            ),
        ),
        migrations.RunSQL(_SET_FILE_KEYS, migrations.RunSQL.noop),
        migrations.RunPython(_set_keys, migrations.RunPython.noop),
    )
