"""System checks: contradictions in the settings that a start must not get past, and a database that forgets.

Whether PostgreSQL keeps what it has committed through a crash of the host (promises 1 and 6).

Without that, records and deletions that lists have told are gone after a power cut, the clock's mark with them:
harvesters hold what the node does not (docs/datestamps.md).
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connection

from catalogue import oai


@register()
def own_set_is_a_set_spec(**_: Any) -> list[CheckMessage]:
    """W1, P72: the node's name is the setSpec of its own set, and is not the catalogue's."""
    name = settings.GISC_NAME
    if oai.is_set_spec(name) and name != oai.CATALOGUE_SET:
        return []
    return [
        Error(
            f"GISC_NAME is {name!r}",
            hint="Write the setSpec of this node's own set, such as WIS-GISC-TOKYO (W1).",
            id="catalogue.E001",
        )
    ]


@register(Tags.database)
def database_keeps_what_is_committed(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Promise 6: a deletion that was told is not forgotten. By `manage.py check --database default`, and at each migrate."""
    lacking = lacking_durability() if "default" in (databases or ()) else []
    return [
        checks.Warning(
            f"PostgreSQL runs with {name} = off",
            hint=f"Set {name} = on, in postgresql.conf or for the database and role: a crash of the host would take back "
            "records and deletions that other centres have been told of.",
            id="catalogue.W001",
        )
        for name in lacking
    ]


_NEEDED = ("fsync", "full_page_writes", "synchronous_commit")


def lacking_durability() -> list[str]:
    """The settings of this connection's server, database or role that are off and must not be."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'off' ORDER BY name", [list(_NEEDED)]
        )
        return [name for (name,) in cursor.fetchall()]
