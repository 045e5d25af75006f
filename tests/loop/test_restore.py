"""A node that is restored by the commands of docs/deployment.md leaves no harvester wrong, and nothing withdrawn lives."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.db import connection

from tests.loop import handbook, mesh
from tests.loop.data_managers import NAMES, SPEC, Centre, harvesters, identifiers, visit_all
from tests.loop.handbook import Checkout, wait_for_ready
from tests.support.nodes import free_port
from tests.support.waiting import until

# --- Without containers -----------------------------------------------------------------------------


@pytest.fixture
def embedded(tmp_path: Path) -> Checkout:
    port = str(free_port())
    return Checkout(
        tmp_path / "gisc", GISC_NAME=SPEC, PORT=port, GISC_WEB_WORKERS="1", GISC_BACKUP_DIR=str(tmp_path / "backups")
    )


def backups_in(folder: Path) -> list[Path]:
    """The archives that are verified."""
    return [path for path in folder.glob("gisc-*.tar") if "unverified" not in path.name]


@pytest.mark.spec("W11", "W34", "P92")
def test_the_commands_without_containers_restore_the_node(embedded: Checkout, tmp_path: Path) -> None:
    centre, base_url = Centre(embedded), f"http://127.0.0.1:{embedded.settings['PORT']}/oai"
    centre.before_the_backup()
    copies = harvesters(base_url)
    with embedded.serving() as log:
        wait_for_ready(log)
        until(lambda: backups_in(tmp_path / "backups"), 180, "the node has backed itself up")
        visit_all(copies)
        centre.after_the_backup()
        visit_all(copies)
        assert requests.get(base_url.replace("/oai", "/health/ready"), timeout=10).json()["backup"]["state"] == "ok"
    centre.at_last()
    with embedded.serving(handbook.commands_of(handbook.blocks("Restore"), "mv var/postgres")) as log:
        wait_for_ready(log)
        text = log.read_text(encoding="utf-8")
        assert "8 records deleted again, 4 moved again" in text
        assert "3 in the files, and not stored" in text
        centre.check(copies, base_url)


@pytest.mark.spec("W11", "W34", "P92")
def test_a_data_directory_that_was_put_back_is_named_and_brought_up(embedded: Checkout) -> None:
    centre, base_url = Centre(embedded), f"http://127.0.0.1:{embedded.settings['PORT']}/oai"
    del embedded.settings["GISC_BACKUP_DIR"]
    centre.before_the_backup()
    embedded.run("cp --archive var copy")
    centre.after_the_backup()
    centre.at_last()
    embedded.run("rm --recursive var && mv copy var")
    assert "manage.py restore --in-place" in embedded.fails(".venv/bin/python manage.py journal status")
    with embedded.serving(
        handbook.commands_of(handbook.blocks("A database that was put back by other means"), "--in-place")
    ) as log:
        wait_for_ready(log)
        centre.check({}, base_url)


# --- With containers, and with two hosts ------------------------------------------------------------


@pytest.fixture
def database(db: None) -> Iterator[str]:
    name = mesh.database_name("restored")
    mesh.run_sql(f"CREATE DATABASE {name} TEMPLATE template0")
    yield name
    mesh.run_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def containers(database: str, tmp_path: Path) -> Checkout:
    """The environment that docker-compose.yml gives the services, with the database of the tests."""
    known = connection.get_connection_params()
    libpq = {"PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGPASSWORD": "password"}
    return Checkout(
        tmp_path / "gisc",
        GISC_NAME=SPEC,
        DATABASE_URL=mesh.database_url(database),
        REDIS_URL="redis://127.0.0.1:1/0",
        SECRET_KEY="one of the test, and good for nothing else",
        ALLOWED_HOSTS="127.0.0.1",
        GISC_JOURNAL_DIR=str(tmp_path / "journal"),
        GISC_BACKUP_DIR=str(tmp_path / "backups"),
        TEST_DATABASE=database,
        **{name: str(known[part]) for name, part in libpq.items() if known.get(part)},
    )


def listed(database: str) -> tuple[set[str], set[str]]:
    """The identifiers of the live and of the deleted records."""
    with mesh.session(database) as cursor:
        cursor.execute("SELECT identifier, deleted FROM catalogue_record")
        rows = cursor.fetchall()
    return {name for name, deleted in rows if not deleted}, {name for name, deleted in rows if deleted}


@pytest.mark.spec("W11", "W34")
def test_the_commands_with_containers_back_up_and_restore_the_node(containers: Checkout, database: str) -> None:
    centre = Centre(containers)
    centre.before_the_backup()
    assert "Verified" in containers.run(
        handbook.commands_of(handbook.blocks("Backup"), "docker compose exec -T backup")
    )
    centre.after_the_backup()
    centre.at_last()
    before = listed(database)
    text = containers.run(handbook.commands_of(handbook.blocks("Restore"), "docker compose"))
    assert "8 records deleted again, 4 moved again" in text
    assert listed(database) == before
    assert "the database has" in containers.fails('.venv/bin/python manage.py restore "$GISC_BACKUP_DIR"').lower()


@pytest.mark.spec("W11", "W34")
def test_of_two_hosts_with_a_journal_each_no_deletion_is_lost_by_two_restores(
    containers: Checkout, database: str, tmp_path: Path
) -> None:
    centre = Centre(containers)
    journals = [tmp_path / "journal", tmp_path / "other-hosts-journal"]

    def restore(*options: str) -> str:
        return f'.venv/bin/python manage.py restore --json {" ".join(options)} "$GISC_BACKUP_DIR"'

    def put_away() -> None:
        mesh.run_sql(f"DROP DATABASE {database} WITH (FORCE)", f"CREATE DATABASE {database} TEMPLATE template0")

    def on_host(number: int, *commands: list[str]) -> None:
        containers.settings["GISC_JOURNAL_DIR"] = str(journals[number])
        containers.manage(*commands)

    on_host(0, ["migrate"], centre.ingest(NAMES), centre.withdraw(NAMES[:1]))
    on_host(1, centre.withdraw(NAMES[1:2]))
    on_host(0, ["backup"], centre.withdraw(NAMES[2:4]))
    on_host(1, centre.withdraw(NAMES[4:6]))
    on_host(0, centre.withdraw(NAMES[6:7]))
    put_away()
    message = containers.fails(restore())
    assert "Events of the journal are missing" in message and "manage.py restore --in-place" in message
    assert "a restore was begun and has not ended" in containers.fails(".venv/bin/python manage.py journal status")
    report = json.loads(
        containers.run(f".venv/bin/python manage.py restore --in-place --json --journal '{journals[1]}'")
    )
    assert (report["replay"]["deleted"], report["replay"]["missing"]) == (5, [])
    assert listed(database)[1] == identifiers(NAMES[:7])

    on_host(1, centre.withdraw(NAMES[7:9]))
    on_host(0, centre.withdraw(NAMES[9:10]))
    put_away()
    report = json.loads(containers.run(restore(f"--journal '{journals[1]}'")))
    assert report["replay"]["missing"] == []
    assert listed(database)[1] == identifiers(NAMES[:10])


@pytest.mark.spec("W11")
def test_the_commands_without_any_dump_rebuild_the_node(containers: Checkout, database: str) -> None:
    centre = Centre(containers)
    centre.before_the_backup()
    centre.after_the_backup()
    centre.at_last()
    before = listed(database)
    mesh.run_sql(f"DROP DATABASE {database} WITH (FORCE)", f"CREATE DATABASE {database} TEMPLATE template0")
    containers.manage(["migrate"])
    commands = handbook.commands_of(handbook.blocks("Without any dump"), "set add")
    containers.run(commands.removesuffix("make run"))
    assert listed(database) == before
