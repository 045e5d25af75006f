"""System checks: settings that contradict one another, a PostgreSQL that is unfit or may lose commits, a journal beside the data.

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
def database_is_fit(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check what every other command but `check` refuses to work with (`gisc.database.refuse_unfit`)."""
    found = why_unfit() if "default" in (databases or ()) else []
    return [checks.Error(sentence, id="catalogue.E002") for sentence in found]


def why_unfit() -> list[str]:
    """Return why the database cannot be the node's, each reason in a sentence that says what to do.

    In another encoding than UTF-8 a text cannot be stored, or is cut within a letter. In transactions that see one snapshot,
    a writer that has waited for another one does not see what that one wrote, and fails (docs/datestamps.md). Beside a
    catalogue in a schema in which the role does not look, `migrate` would make another one, without records.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_encoding'), current_setting('default_transaction_isolation'),"
            " quote_ident(current_user), quote_ident(current_database())"
        )
        encoding, isolation, role, name = cursor.fetchone()
        cursor.execute(
            "SELECT min(relnamespace::regnamespace::text) FROM pg_class WHERE relname = 'catalogue_record' AND relkind = 'r'"
            " AND relowner = current_user::regrole HAVING NOT bool_or(pg_table_is_visible(oid))"
        )
        elsewhere = cursor.fetchone()
    found = []
    if encoding != "UTF8":
        sentence = gettext(
            "the database {name} has the encoding {encoding}, in which records of other languages are refused or damaged; make "
            "another one (CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0), and copy this one into it by PGTZ=UTC pg_dump and "
            "PGTZ=UTC pg_restore if it has records"
        )
        found.append(sentence.format(name=name, encoding=encoding))
    if isolation != "read committed":
        sentence = gettext(
            "transactions in the database {name} are {isolation} where nothing else is said, and writers that work at once would "
            "fail; run: ALTER ROLE {role} IN DATABASE {name} SET default_transaction_isolation TO 'read committed'"
        )
        found.append(sentence.format(name=name, isolation=isolation.upper(), role=role))
    if elsewhere:
        sentence = gettext(
            "the database {name} has a catalogue in the schema {schema}, where nobody looks for it; run: ALTER ROLE {role} IN "
            "DATABASE {name} SET search_path TO {schema}"
        )
        found.append(sentence.format(name=name, schema=elsewhere[0], role=role))
    return found


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
