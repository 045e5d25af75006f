"""A PostgreSQL that a centre has made: a role without rights, a schema and a time zone of its own, databases that are refused."""

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

import psycopg2
import pytest
from django.db import IntegrityError, NotSupportedError, connection, transaction
from django.db.backends.postgresql.features import DatabaseFeatures

from catalogue import bootstrap
from catalogue.documents.sources import SAMPLES
from gisc import command_errors
from oaiprovider.models import Crosswalk
from tests.support import databases
from tests.support.nodes import manage, refused
from tests.support.world import iso_record, put

SAMPLE = str(SAMPLES / "WIS-GISC-TOKYO")
SETTINGS = {"SECRET_KEY": "x" * 50, "ALLOWED_HOSTS": "127.0.0.1", "GISC_NAME": "WIS-GISC-TOKYO"}


@contextmanager
def a_role() -> Iterator[str]:
    """A role that may sign in and create databases."""
    name = f"centre_{uuid.uuid4().hex[:12]}"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name} LOGIN CREATEDB")
    try:
        yield name
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP ROLE {name}")


@contextmanager
def a_database(options: str, role: str = "") -> Iterator[str]:
    """An empty database, made with these options."""
    name = f"centre_{uuid.uuid4().hex[:12]}"
    owner = f"OWNER {role}" if role else ""
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} {owner} TEMPLATE template0 {options}")
    try:
        yield name
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def url(name: str, role: str = "") -> str:
    return re.sub("//[^@]*@", f"//{role}@", databases.url(name)) if role else databases.url(name)


def command(address: str, folder: Path, *arguments: str) -> CompletedProcess[str]:
    places = {"GISC_DATA_DIR": str(folder / "data"), "GISC_JOURNAL_DIR": str(folder / "journal")}
    return manage(*arguments, DATABASE_URL=address, **places, **SETTINGS)


def done(answer: CompletedProcess[str]) -> str:
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def ask(address: str, statement: str) -> list[tuple[object, ...]]:
    session = psycopg2.connect(address)
    try:
        with session, session.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []
    finally:
        session.close()


# --- Refused ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_keep_all_letters_is_refused_before_anything_is_made(
    encoding: str, tmp_path: Path
) -> None:
    with a_database(f"ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc") as name:
        address = url(name)
        for arguments in (["migrate"], ["ingest", SAMPLE], ["restore", str(tmp_path)], ["node"]):
            sentence = refused(command(address, tmp_path, *arguments))
            assert f"the database {name} has the encoding {encoding}" in sentence
            assert "ENCODING 'UTF8' TEMPLATE template0" in sentence
        checked = command(address, tmp_path, "check", "--database", "default")
        assert checked.returncode == 1 and "catalogue.E002" in checked.stderr
        assert ask(address, "SELECT relname FROM pg_class WHERE relname LIKE 'django%'") == []


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_transactions_that_see_one_snapshot_are_refused_and_the_sentence_says_how_to_change_that(
    level: str, tmp_path: Path
) -> None:
    with a_role() as role, a_database("", role) as name:
        address = url(name, role)
        ask(address, f"ALTER DATABASE {name} SET default_transaction_isolation TO '{level}'")
        sentence = refused(command(address, tmp_path, "migrate"))
        assert f"transactions in the database {name} are {level.upper()}" in sentence
        ask(address, sentence.partition("; run: ")[2])
        done(command(address, tmp_path, "migrate"))
        done(command(address, tmp_path, "check", "--database", "default"))


@pytest.mark.usefixtures("db")
def test_a_server_that_is_too_old_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DatabaseFeatures, "minimum_database_version", (99,))
    with pytest.raises(NotSupportedError) as error:
        connection.check_database_version_supported()
    sentence = command_errors.describe(error.value)
    assert sentence is not None
    assert "PostgreSQL 99 or later is required (found" in sentence


# --- Time zones ---------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_conditions_of_rows_are_the_same_in_every_time_zone_of_a_session(zone: str) -> None:
    bootstrap.ensure_sets()
    put(iso_record("urn:x:1"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        for table in ("catalogue_record", "catalogue_membership"):
            cursor.execute(f"UPDATE {table} SET datestamp = '2026-05-01 12:00:01+00'")
            assert cursor.rowcount > 0
            with pytest.raises(IntegrityError, match="whole_seconds"), transaction.atomic():
                cursor.execute(f"UPDATE {table} SET datestamp = '2026-05-01 12:00:01.01+00'")
        crosswalk = Crosswalk.objects.create(prefix="x")  # a trigger gives it its stamp
        crosswalk.refresh_from_db()
        assert crosswalk.changed is not None
        cursor.execute("SELECT count(*) FROM pg_constraint WHERE pg_get_constraintdef(oid) LIKE '%date_trunc%'")
        assert cursor.fetchone() == (3,)


# --- A schema of the role's own -----------------------------------------------------------------------


@pytest.mark.usefixtures("db")
def test_a_catalogue_in_a_schema_of_its_own_is_backed_up_and_restored(tmp_path: Path) -> None:
    with a_role() as role, a_database("", role) as name, a_database("", role) as other:
        address = url(name, role)
        ask(url(name), f"REVOKE ALL ON SCHEMA public FROM {role}, pg_database_owner, public")
        ask(address, f"CREATE SCHEMA {role}")  # the first in which PostgreSQL looks
        done(command(address, tmp_path, "migrate"))
        assert ask(address, "SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = current_user") == [(role,)]
        done(command(address, tmp_path, "ingest", SAMPLE))
        figures = json.loads(done(command(address, tmp_path, "catalogue", "stats", "--json")))
        assert figures["bytes"] > 100_000
        said = done(command(address, tmp_path, "backup", str(tmp_path / "backups")))
        assert "not verified" not in said
        # It is not overwritten,
        restore = ("restore", str(tmp_path / "backups"))
        kept = command(address, tmp_path, *restore)
        assert "records, and a restore would replace them all" in kept.stderr, kept
        # and goes into a database that has that schema, and tables, already, or not.
        ask(url(other, role), f"CREATE SCHEMA {role}")
        done(command(url(other, role), tmp_path, "migrate"))
        done(command(url(other, role), tmp_path, *restore))
        assert _records(url(other, role)) == _records(address) != []


@pytest.mark.usefixtures("db")
def test_a_schema_in_which_nobody_looks_makes_no_second_catalogue(tmp_path: Path) -> None:
    with a_role() as role, a_database("", role) as name, a_database("", role) as other:
        address = url(name, role)
        ask(address, "CREATE SCHEMA catalogue_of_tokyo")
        ask(address, f"ALTER DATABASE {name} SET search_path TO catalogue_of_tokyo")
        done(command(address, tmp_path, "migrate"))
        done(command(address, tmp_path, "ingest", SAMPLE))
        said = done(command(address, tmp_path, "backup", str(tmp_path / "backups")))
        assert "not verified" not in said
        before = _records(address)
        ask(address, f"ALTER DATABASE {name} RESET search_path")
        for arguments in (["migrate"], ["ingest", SAMPLE]):
            sentence = refused(command(address, tmp_path, *arguments))
            assert f"the database {name} has a catalogue in the schema catalogue_of_tokyo" in sentence
        ask(address, sentence.partition("; run: ")[2])
        done(command(address, tmp_path, "catalogue", "stats"))
        assert _records(address) == before != []
        # A dump of it says so where it is restored.
        told = command(url(other, role), tmp_path, "restore", str(tmp_path / "backups"))
        assert f"the database {other} has a catalogue in the schema catalogue_of_tokyo" in told.stderr, told
        ask(url(other, role), told.stderr.partition("; run: ")[2].partition(";")[0])
        done(command(url(other, role), tmp_path, "restore", "--in-place"))
        assert _records(url(other, role)) == before


def _records(address: str) -> list[tuple[object, ...]]:
    return ask(address, "SELECT identifier, encode(digest, 'hex'), deleted FROM catalogue_record ORDER BY key")
