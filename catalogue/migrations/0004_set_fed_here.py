"""Store of each shared set whether its records are uploaded at this node (W42)."""

from django.db import migrations, models

# The record of an upload has no provenance, the claim of one has no source.
_MARK = """
    UPDATE catalogue_metadataset s SET fed_here = true
    WHERE kind = 'shared' AND (
        EXISTS (SELECT FROM catalogue_record r WHERE r.owner_id = s.id AND NOT r.deleted AND r.provenance IS NULL)
        OR EXISTS (SELECT FROM catalogue_claim c WHERE c.set_id = s.id AND c.source = '')
    )
"""


class Migration(migrations.Migration):
    dependencies = (("catalogue", "0003_cataloguecanary"),)
    operations = (
        migrations.AddField(
            model_name="metadataset",
            name="fed_here",
            field=models.BooleanField(
                "fed by uploads",
                db_default=False,
                default=False,
                editable=False,
                help_text="records of this shared set are uploaded at this node, so it is not harvested from a co-owner (W42)",
            ),
        ),
        migrations.RunSQL(_MARK, migrations.RunSQL.noop),
    )
