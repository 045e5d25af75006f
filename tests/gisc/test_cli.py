"""The command line: what it starts, and the one sentence for what it cannot do."""

from pathlib import Path
from urllib.parse import quote

import psycopg2
import pytest

from gisc import embedded
from tests.support.nodes import free_port, manage, refused


def test_a_command_on_a_fresh_data_directory_finds_a_migrated_database_and_stops_it_after(tmp_path: Path) -> None:
    answer = manage(
        "shell",
        "-v0",
        "-c",
        "from catalogue.models import MetadataSet; print(MetadataSet.objects.get(kind='own').spec)",
        GISC_DATA_DIR=str(tmp_path),
        GISC_NAME="WIS-GISC-OFFENBACH",
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "WIS-GISC-OFFENBACH"
    assert not embedded.is_running(tmp_path)
    # With psql of the package: there is no other on the PATH of this process.
    asked = ("dbshell", "--", "--tuples-only", "--no-align", "-c", "SELECT count(*) FROM catalogue_record")
    answer = manage(*asked, GISC_DATA_DIR=str(tmp_path), GISC_NAME="WIS-GISC-OFFENBACH", PATH="/nowhere")
    assert (answer.returncode, answer.stdout) == (0, "0\n"), answer.stderr


@pytest.mark.parametrize("arguments", [("help",), ("check",), ("migrate", "--help"), ("ingest", "-h"), ("--version",)])
def test_a_command_that_needs_no_database_starts_none(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    answer = manage(*arguments, GISC_DATA_DIR=str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert not (tmp_path / "postgres").exists()


def test_an_unreachable_database_is_one_sentence() -> None:
    port = free_port()
    sentence = refused(
        manage(
            "showmigrations",
            DATABASE_URL=f"postgresql://gisc:do-not-print-me@127.0.0.1:{port}/gisc",
            SECRET_KEY="x" * 50,
            ALLOWED_HOSTS="localhost",
        )
    )
    assert "the database of DATABASE_URL cannot be reached" in sentence
    assert f"port {port}" in sentence
    assert "do-not-print-me" not in sentence


def test_an_external_database_is_not_migrated_behind_the_operators_back(tmp_path: Path) -> None:
    with embedded.database(tmp_path, durable=False):
        home = str(tmp_path / "postgres")
        settings = {
            "DATABASE_URL": f"postgresql://postgres@/gisc?host={quote(home, safe='')}",
            "SECRET_KEY": "x" * 50,
            "ALLOWED_HOSTS": "localhost",
        }
        assert "run: manage.py migrate" in refused(manage("createsuperuser", "--noinput", **settings))
        assert manage("migrate", "-v0", **settings).returncode == 0
        connection = psycopg2.connect(dbname="gisc", user="postgres", host=home)
        with connection.cursor() as cursor:
            cursor.execute("SELECT spec FROM catalogue_metadataset ORDER BY spec")
            assert cursor.fetchall() == [("WIS-CATALOGUE",), ("WIS-GISC-DEMO",)]
        connection.close()


def test_a_data_directory_that_cannot_be_made_is_one_sentence() -> None:
    for command in ("node", "migrate", "check"):
        sentence = refused(manage(command, GISC_DATA_DIR="/dev/null/x"))
        assert "GISC_DATA_DIR is '/dev/null/x', where nothing can be written" in sentence


def test_a_bad_setting_is_one_sentence_and_not_an_unknown_command() -> None:
    assert "PORT is 'eighty'; write a whole number from 1 to 65535" in refused(manage("node", PORT="eighty"))


def test_an_error_of_the_command_itself_looks_as_in_django(tmp_path: Path) -> None:
    answer = manage("migrate", "no_such_app", GISC_DATA_DIR=str(tmp_path))
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1].startswith("CommandError: ")  # after warnings of checks
    assert not embedded.is_running(tmp_path)
