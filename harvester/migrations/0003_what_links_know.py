"""Give links that have harvested before what they now keep: both ends of the last list, and the table of headers."""

from itertools import islice

from django.db import migrations

from catalogue import datestamps

_CURSORS = "UPDATE harvester_link SET first_response = harvested_to, newest = harvested_to"
_BATCH = 10_000


def copy_headers(apps, schema_editor):
    """What each record's provenance says of the provider's header; the spelling of its datestamp is the provider's."""
    records = apps.get_model("catalogue", "Record").objects.filter(deleted=False, provenance__link__isnull=False)
    headers = apps.get_model("harvester", "RemoteHeader").objects
    links = dict(apps.get_model("harvester", "Link").objects.values_list("name", "pk"))
    rows = records.values_list("key", "identifier", "provenance").iterator(chunk_size=_BATCH)
    found = (
        headers.model(
            link_id=links[provenance["link"]],
            key=key,
            identifier=provenance.get("identifier") or identifier,
            datestamp=datestamps.lenient(provenance.get("datestamp") or ""),
        )
        for key, identifier, provenance in rows
        if provenance["link"] in links
    )
    while batch := list(islice(found, _BATCH)):
        headers.bulk_create(batch)


class Migration(migrations.Migration):
    dependencies = (("harvester", "0002_strategies_and_headers"), ("catalogue", "0004_membership_direct"))

    operations = (
        migrations.RunSQL(_CURSORS, migrations.RunSQL.noop),
        migrations.RunPython(copy_headers, migrations.RunPython.noop),
    )
