"""SQL in sight: what the database has is what the newest files say, no released file was edited, and a page tells of all.

`tests/data/released_sql.txt` has the checksums of all files that were released, in a section for each version. To release:
add a section with the lines of `sha256sum` for the new files.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps as django_apps
from django.db import connection, transaction

import gisc
from catalogue import locks, sql
from tests.support.paths import ROOT

RELEASED = ROOT / "tests" / "data" / "released_sql.txt"
APPS = ("catalogue", "oaiprovider", "harvester", "gisc")
NAME = re.compile(r"([a-z_]+)\.(\d{4})\.sql")


class Definitions(NamedTuple):
    """What the database has of ours, by name: the text that makes each function, and each trigger."""

    functions: dict[str, str]
    triggers: dict[str, str]


def files() -> list[Path]:
    return sorted(file.relative_to(ROOT) for app in APPS for file in (ROOT / app).rglob("*.sql"))


def released() -> Iterator[tuple[str, str, str]]:
    """The version, the checksum and the file of each line."""
    version = ""
    for line in RELEASED.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            version = line.removeprefix("# ")
        elif line:
            checksum, file = line.split()
            yield version, checksum, file


def test_files_are_named_by_noun_and_version_without_a_gap() -> None:
    versions: dict[tuple[Path, str], list[int]] = {}
    for file in files():
        matched = NAME.fullmatch(file.name)
        assert matched, file
        assert file.parent.name == "sql", file
        versions.setdefault((file.parent, matched[1]), []).append(int(matched[2]))
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in versions.values()), versions


def test_no_released_file_was_edited_or_removed() -> None:
    for version, checksum, file in released():
        assert hashlib.sha256((ROOT / file).read_bytes()).hexdigest() == checksum, (
            f"{file} was released with {version} and is never edited: a change is a file of the next version"
        )


def test_this_version_has_a_section_and_no_file_is_listed_twice() -> None:
    listed = [file for _, _, file in released()]
    assert len(listed) == len(set(listed))
    assert f"# {gisc.__version__}\n" in RELEASED.read_text(encoding="utf-8"), "add a section, empty if no file is new"


def test_each_file_is_read_by_a_migration_of_its_app() -> None:
    for file in files():
        app, name = file.parts[0], file.name.removesuffix(".sql")
        migrations = [text.read_text(encoding="utf-8") for text in (ROOT / app / "migrations").glob("*.py")]
        assert any(f'sql.read("{app}", "{name}")' in text for text in migrations), file


def test_no_migration_makes_functions_or_triggers_beside_the_files() -> None:
    for app in APPS:
        for file in (ROOT / app).glob("migrations/*.py"):
            made = re.search(
                r"CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|TRIGGER|PROCEDURE)", file.read_text(encoding="utf-8")
            )
            assert made is None, file


@pytest.mark.django_db
def test_the_database_has_what_the_newest_files_say_and_nothing_else() -> None:
    """All that is there is dropped, and made again from the newest files alone, in a transaction that is undone."""
    before = definitions()
    assert before.functions
    assert before.triggers
    with transaction.atomic(), connection.cursor() as cursor:
        for name in before.functions:
            cursor.execute(f"DROP FUNCTION {name} CASCADE")
        assert definitions() == Definitions({}, {})
        for file in newest():
            cursor.execute(sql.read(file.parts[0], file.name.removesuffix(".sql")))
        after = definitions()
        transaction.set_rollback(True)
    assert after == before


def newest() -> list[Path]:
    """The last file of each noun; those of the catalogue first, as the others use its functions."""
    last = {(file.parent, file.name.split(".")[0]): file for file in files()}
    return sorted(last.values())


def definitions() -> Definitions:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace"
        )
        functions = dict(cursor.fetchall())
        cursor.execute(
            "SELECT tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"
        )
        return Definitions(functions, dict(cursor.fetchall()))


@pytest.mark.django_db
def test_the_database_has_every_constraint_and_index_that_a_model_declares() -> None:
    """AlterField of a foreign key without index once dropped a unique constraint on the same column as well."""
    for model in django_apps.get_models():
        if model.__module__.partition(".")[0] not in APPS:
            continue
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, model._meta.db_table).keys()
        declared = {each.name for each in (*model._meta.constraints, *model._meta.indexes)}
        assert declared <= found, (model, declared - found)


# --- The tables of docs/ARCHITECTURE.md ----------------------------------------------------------------


def table(heading: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading, without marks of code."""
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition("\n## SQL in the database\n")[2].partition("\n## ")[0]
    rows = section.partition(f"\n| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.django_db
def test_the_page_tells_of_every_function_with_its_file() -> None:
    told = {name: file for names, file, _ in table("function") for name in names.split(", ")}
    assert told.keys() == {f"{name.split('(')[0]}()" for name in definitions().functions}
    for name, file in told.items():
        newest_file = max(ROOT.glob(f"{file}.*.sql"))
        assert f"FUNCTION {name.removesuffix(')')}" in newest_file.read_text(encoding="utf-8"), name


@pytest.mark.django_db
def test_the_page_tells_of_every_trigger_with_what_it_runs() -> None:
    told = {f"{name} on {on}": (when, function) for name, on, when, function in table("trigger")}
    known = definitions().triggers
    assert told.keys() == known.keys()
    for name, (when, function) in told.items():
        moment, _, level = when.partition(" each ")
        assert f" {moment.upper()} " in known[name], name
        assert re.search(
            rf"FOR EACH {level.upper()} (WHEN \(.*\) )?EXECUTE FUNCTION {re.escape(function)}", known[name]
        ), name


def test_the_page_tells_of_every_advisory_lock_as_the_register_does() -> None:
    told = [(name, int(number, 16), level, mode, guards) for name, number, level, mode, _, guards in table("lock")]
    assert told == [(lock.name, lock.number, lock.level.value, lock.modes, lock.guards) for lock in locks.ALL]
