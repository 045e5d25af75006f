"""System checks: contradictions in the settings that a start must not get past, and a database that forgets."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register

from catalogue import durability, oai


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
    lacking = durability.lacking() if "default" in (databases or ()) else []
    return [
        checks.Warning(
            f"PostgreSQL runs with {name} = off",
            hint=f"Set {name} = on, in postgresql.conf or for the database and role: a crash of the host would take back "
            "records and deletions that other centres have been told of.",
            id="catalogue.W001",
        )
        for name in lacking
    ]
