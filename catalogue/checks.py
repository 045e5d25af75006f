"""System checks: settings that contradict one another, a PostgreSQL that may lose commits, a journal beside the data.

If commits are lost, so are records and deletions that harvesters have already received, and the clock's mark (promises
1 and 6, docs/datestamps.md).
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connection
from django.utils.translation import gettext

from catalogue import journal_state, oai
from catalogue.reasons import JournalCode

SETTINGS = "settings"  # the tag of those that read settings alone: each command of the node runs them


@register(SETTINGS)
def own_set_is_a_set_spec(**_: Any) -> list[CheckMessage]:
    """Check that the node's name can be the setSpec of its own set, and is not the catalogue's (W1, P72)."""
    name = settings.GISC_NAME
    if oai.is_set_spec(name) and name != oai.CATALOGUE_SET:
        return []
    return [
        Error(
            gettext("GISC_NAME is {name}").format(name=repr(name)),
            hint=gettext("Write the setSpec of this node's own set, such as WIS-GISC-TOKYO."),  # W1
            id="catalogue.E001",
        )
    ]


@register(Tags.database)
def database_keeps_what_is_committed(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that a crash of the host loses no commit (promise 6). Runs with `check --database default` and at each migrate."""
    disabled = disabled_durability() if "default" in (databases or ()) else []
    return [
        checks.Warning(
            gettext("PostgreSQL runs with {name} = off").format(name=name),
            hint=gettext(
                "Set {name} = on, in postgresql.conf or for the database and role: a crash of the host would take back "
                "records and deletions that other centres have already harvested."
            ).format(name=name),
            id="catalogue.W001",
        )
        for name in disabled
    ]


_JOURNAL_IDS = {
    JournalCode.FILES_NOT_READ: "catalogue.W002",
    JournalCode.IN_DATA_DIRECTORY: "catalogue.W003",
    JournalCode.ON_DISK_OF_DATA: "catalogue.W004",
}


@register(Tags.database)
def journal_is_elsewhere(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that the journal does not go with the data (promise 6). Runs with `check --database default` and at each migrate."""
    found = journal_state.placement() if "default" in (databases or ()) else []
    return [checks.Warning(str(reason), id=_JOURNAL_IDS[JournalCode(reason.code)]) for reason in found]


_DURABILITY_SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")


def disabled_durability() -> list[str]:
    """Return the names of the durability settings that are off for this connection."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'off' ORDER BY name",
            [list(_DURABILITY_SETTINGS)],
        )
        return [name for (name,) in cursor.fetchall()]
