"""A PostgreSQL that a centre has made: a role without rights, a schema and a time zone of its own, databases that are refused."""

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psycopg2
import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, NotSupportedError, connection, connections, transaction
from pytest_django.plugin import DjangoDbBlocker

from catalogue import bootstrap, checks
from catalogue.documents.sources import SAMPLES
from gisc import command_errors, database
from oaiprovider.models import Crosswalk
from tests.support import databases
from tests.support.databases import command, done
from tests.support.nodes import free_port, refused
from tests.support.replicas import replica_of_the_tests
from tests.support.world import iso_record, put

SAMPLE = str(SAMPLES / "WIS-GISC-TOKYO")


@pytest.fixture(scope="module")
def role(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """A role that may sign in and create databases."""
    name = f"centre_{uuid.uuid4().hex[:12]}"
    with django_db_blocker.unblock():
        databases.as_superuser(f"CREATE ROLE {name} LOGIN CREATEDB")
        yield name
        databases.as_superuser(f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def migrated(role: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A migrated database whose tables are in a schema of the role's own; nobody may make any in `public`."""
    with databases.scratch(options=f"OWNER {role}") as name:
        ask(url(name), f"REVOKE ALL ON SCHEMA public FROM {role}, pg_database_owner, public")
        ask(url(name, role), f"CREATE SCHEMA {role}")  # the first in which PostgreSQL looks
        done(command(url(name, role), tmp_path_factory.mktemp("migrated"), "migrate"))
        yield name


def url(name: str, role: str = "") -> str:
    return re.sub("//[^@]*@", f"//{role}@", databases.url(name)) if role else databases.url(name)


def ask(address: str, statement: str) -> list[tuple[object, ...]]:
    session = psycopg2.connect(address)
    try:
        with session, session.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []
    finally:
        session.close()


# --- Refused ----------------------------------------------------------------------------------------


SQL_ASCII = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc"


@pytest.mark.usefixtures("db")
def test_a_database_that_cannot_keep_all_letters_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with databases.scratch(options=SQL_ASCII) as name:
        address = url(name)
        for arguments in (["migrate"], ["ingest", SAMPLE], ["restore", str(tmp_path)], ["node"]):
            sentence = refused(command(address, tmp_path, *arguments))
            assert f"the database {name} has the encoding SQL_ASCII" in sentence
            assert "ENCODING 'UTF8' TEMPLATE template0" in sentence
        checked = command(address, tmp_path, "check", "--database", "default")
        assert checked.returncode == 1 and "catalogue.E002" in checked.stderr
        assert ask(address, "SELECT relname FROM pg_class WHERE relname LIKE 'django%'") == []


@pytest.mark.django_db(transaction=True)
def test_so_is_one_of_another_encoding_or_whose_transactions_see_one_snapshot() -> None:
    with databases.scratch(options=SQL_ASCII.replace("SQL_ASCII", "LATIN1")) as name:
        databases.as_superuser(f"ALTER DATABASE {name} SET default_transaction_isolation TO 'serializable'")
        with databases.in_place_of_the_tests(name):
            encoding, transactions = checks.why_unfit()
            with pytest.raises(ImproperlyConfigured, match="encoding LATIN1"):
                database.unapplied()
    assert "are SERIALIZABLE where nothing else is said" in transactions
    assert "has the encoding LATIN1" in encoding
    assert checks.why_unfit() == []


@pytest.mark.django_db(transaction=True)
def test_transactions_see_what_others_have_written_also_where_the_default_is_changed_while_the_node_runs() -> None:
    with databases.scratch() as name:
        databases.as_superuser(f"ALTER DATABASE {name} SET default_transaction_isolation TO 'serializable'")
        with databases.in_place_of_the_tests(name), transaction.atomic(), connection.cursor() as cursor:
            names = ("default_transaction_isolation", "transaction_isolation")
            cursor.execute("SELECT current_setting(%s), current_setting(%s)", names)
            assert cursor.fetchone() == ("serializable", "read committed")


def test_the_sentence_says_how_transactions_are_made_what_they_should_be(role: str, tmp_path: Path) -> None:
    with databases.scratch(options=f"OWNER {role}") as name:
        address = url(name, role)
        ask(address, f"ALTER DATABASE {name} SET default_transaction_isolation TO 'repeatable read'")
        sentence = refused(command(address, tmp_path, "migrate"))
        assert f"transactions in the database {name} are REPEATABLE READ" in sentence
        ask(address, sentence.partition("; run: ")[2])
        done(command(address, tmp_path, "check", "--database", "default"))
        done(command(address, tmp_path, "showmigrations", "-v0"))


@pytest.mark.usefixtures("db")
def test_a_server_that_is_too_old_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "pg_version", 140_023)  # in place of the cached property
    with pytest.raises(NotSupportedError) as error:
        connection.check_database_version_supported()
    sentence = command_errors.describe(error.value)
    assert sentence is not None
    assert "PostgreSQL 15 or later is required (found 14.23)" in sentence


@pytest.mark.usefixtures("db")
def test_the_oldest_server_that_is_not_refused_can_do_what_each_model_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django leaves a constraint out that the server does not know, and then no header of a provider could be stored."""
    server = connections["default"]
    (oldest,) = server.features.minimum_database_version

    def asked_of(version: int) -> list[str | None]:
        monkeypatch.setitem(server.__dict__, "pg_version", version * 10_000)
        monkeypatch.setitem(server.__dict__, "features", type(server.features)(server))
        return [found.id for found in run_checks(databases=["default"]) if (found.id or "").startswith("models.")]

    assert asked_of(oldest) == []
    assert set(asked_of(oldest - 1)) == {"models.W047"}, "so this test would notice"


# --- Several hosts ------------------------------------------------------------------------------------


def test_of_several_hosts_the_one_that_answers_is_taken_by_the_node_and_by_its_tools(
    role: str, migrated: str, tmp_path: Path
) -> None:
    with databases.scratch(migrated, f"OWNER {role}") as name:
        place = parse_qs(urlsplit(url(name)).query)
        hosts = f"127.0.0.1:{free_port()},{quote(place['host'][0], safe='')}:{place.get('port', ['5432'])[0]}"
        address = f"postgresql://{role}@{hosts}/{name}"
        done(command(address, tmp_path, "ingest", SAMPLE))
        done(command(address, tmp_path, "backup", str(tmp_path / "backups")))
        assert len(_records(url(name, role))) > 5


def test_a_standby_that_answers_first_is_passed_over(role: str, migrated: str, tmp_path: Path) -> None:
    with databases.scratch(migrated, f"OWNER {role}") as name, replica_of_the_tests() as standby:
        place = parse_qs(urlsplit(url(name)).query)
        hosts = f"127.0.0.1:{standby.port},{quote(place['host'][0], safe='')}:{place.get('port', ['5432'])[0]}"
        alone = command(f"postgresql://{role}@127.0.0.1:{standby.port}/{name}", tmp_path, "ingest", SAMPLE)
        assert alone.returncode == 2 and "read-only" in alone.stderr
        done(command(f"postgresql://{role}@{hosts}/{name}", tmp_path, "ingest", SAMPLE))
        assert len(_records(url(name, role))) > 5


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


def test_a_catalogue_in_a_schema_of_its_own_is_backed_up_and_restored(role: str, migrated: str, tmp_path: Path) -> None:
    owner = f"OWNER {role}"
    with (
        databases.scratch(migrated, owner) as name,
        databases.scratch(migrated, owner) as other,
        databases.scratch(options=owner) as third,
    ):
        address = url(name, role)
        assert ask(address, "SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = current_user") == [(role,)]
        done(command(address, tmp_path, "ingest", SAMPLE))
        figures = json.loads(done(command(address, tmp_path, "catalogue", "stats", "--json")))
        assert figures["bytes"] > 100_000
        done(command(address, tmp_path, "backup", str(tmp_path / "backups")))
        # It is not overwritten,
        restore = ("restore", str(tmp_path / "backups"))
        kept = command(address, tmp_path, *restore)
        assert "records, and a restore would replace them all" in kept.stderr, kept
        # and goes into a database that has that schema, and tables, already, or nothing.
        for empty in (other, third):
            done(command(url(empty, role), tmp_path, *restore))
            assert _records(url(empty, role)) == _records(address) != []


def test_a_schema_in_which_nobody_looks_makes_no_second_catalogue(role: str, migrated: str, tmp_path: Path) -> None:
    with databases.scratch(migrated, f"OWNER {role}") as name, databases.scratch(options=f"OWNER {role}") as other:
        address = url(name, role)
        ask(address, f"ALTER SCHEMA {role} RENAME TO catalogue_of_tokyo")
        for arguments in (["migrate"], ["ingest", SAMPLE]):
            sentence = refused(command(address, tmp_path, *arguments))
            assert f"the database {name} has a catalogue in the schema catalogue_of_tokyo" in sentence
        ask(address, sentence.partition("; run: ")[2])
        done(command(address, tmp_path, "ingest", SAMPLE))
        done(command(address, tmp_path, "backup", str(tmp_path / "backups")))
        # A dump of it says so where it is restored.
        told = command(url(other, role), tmp_path, "restore", str(tmp_path / "backups"))
        assert f"the database {other} has a catalogue in the schema catalogue_of_tokyo" in told.stderr, told
        ask(url(other, role), told.stderr.partition("; run: ")[2].partition(";")[0])
        done(command(url(other, role), tmp_path, "restore", "--in-place"))
        assert _records(url(other, role)) == _records(address) != []


def _records(address: str) -> list[tuple[object, ...]]:
    return ask(address, "SELECT identifier, encode(digest, 'hex'), deleted FROM catalogue_record ORDER BY key")
