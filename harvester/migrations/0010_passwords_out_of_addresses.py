from urllib.parse import unquote, urlsplit, urlunsplit

from django.db import migrations

from harvester.net import access


def move(apps, schema_editor):
    """User names and passwords that stood in base URLs get the fields that are there for them, and are not shown."""
    for link in apps.get_model("harvester", "Link").objects.filter(base_url__contains="@"):
        parts = urlsplit(link.base_url)
        named, at, host = parts.netloc.rpartition("@")
        if not at:
            continue
        user, _, password = named.partition(":")
        link.user = unquote(user)[:200]
        link.sealed_password = access.seal(unquote(password), "password") if password else ""
        link.base_url = urlunsplit((parts.scheme, host, parts.path, parts.query, parts.fragment))
        link.save(update_fields=["user", "sealed_password", "base_url"])


class Migration(migrations.Migration):
    dependencies = [("harvester", "0009_access")]

    # Not turned round: an address with a password in it is what the fields are there to prevent.
    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
