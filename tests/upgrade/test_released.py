"""A node of each released version is upgraded: what it stored is there, and it goes on.

The fixtures are made by `tests/upgrade/make_fixture.py`, one for each version, when it is released.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_httpserver import HTTPServer

from catalogue import journal
from catalogue.models import Record
from catalogue.reading import stats
from catalogue.writing import search_index
from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support import asking, databases, world
from tests.support.commands import printed
from tests.support.provider import Provider, fill
from tests.upgrade import dumps
from tests.upgrade.make_fixture import DATA, SECRET_KEY
from tests.upgrade.observing import observe

VERSIONS = sorted(file.parent.name for file in DATA.glob("*/observed.json"))
WITHDRAWN, RETURNED, PURGED, WAITED = (f"urn:x-wmo:md:jp.jma::{name}" for name in ("D", "E", "G", "waits"))


@pytest.fixture(params=VERSIONS)
def upgraded(request, tmp_path: Path, settings, migrated, django_db_blocker) -> Iterator[str]:
    """The database of a released version, migrated by this one, and read by the test."""
    folder = DATA / request.param
    shutil.copytree(folder / "journal", tmp_path / "journal")
    settings.GISC_JOURNAL_DIR = tmp_path / "journal"
    settings.SECRET_KEY = SECRET_KEY  # it sealed a password and cookies
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated(request.param)) as name,
        databases.in_place_of_the_tests(name),
    ):
        yield name


@pytest.fixture
def released(request) -> Path:
    """The folder of the version that `upgraded` is made of."""
    return DATA / request.node.callspec.params["upgraded"]


def without_new_keys(after: Any, before: Any) -> Any:
    """A JSON value without the keys of objects that an earlier version did not have."""
    if isinstance(after, dict) and isinstance(before, dict):
        return {key: without_new_keys(value, before[key]) for key, value in after.items() if key in before}
    if isinstance(after, list) and isinstance(before, list) and len(after) == len(before):
        return [without_new_keys(one, other) for one, other in zip(after, before, strict=True)]
    return after


def replay(path: Path, *options: str) -> dict[str, Any]:
    return dict(json.loads(printed("journal", "replay", str(path), "--json", *options)))


def test_there_is_a_fixture_of_the_first_version_whose_databases_are_kept_to() -> None:
    assert VERSIONS[0] == "0.9.0"


def without_keys(seen: Any, gone: set[str]) -> Any:
    """What was seen, without these keys at any depth."""
    if isinstance(seen, dict):
        return {name: without_keys(value, gone) for name, value in seen.items() if name not in gone}
    return [without_keys(each, gone) for each in seen] if isinstance(seen, list) else seen


# Sentences for people that are written in other words since; programs read the codes beside them.
REWORDED = {
    " 1 are unknown there without a deletion; they are kept, and wait among the conflicts.": (
        " 1 is unknown there without a deletion; it is kept, and waits among the conflicts."
    ),
}


def reworded(seen: Any) -> Any:
    """What was seen, in the words of this version."""
    if isinstance(seen, dict):
        return {name: reworded(value) for name, value in seen.items()}
    if isinstance(seen, list):
        return [reworded(each) for each in seen]
    for before, now in REWORDED.items():
        seen = seen.replace(before, now) if isinstance(seen, str) else seen
    return seen


def without_set_tombstones(lists: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """The lists without records that left the set and are live elsewhere: not everybody is sent these any more (P75)."""
    found = {}
    for name, entries in lists.items():
        agent, prefix, _ = name.rsplit(" ", 2)
        live = {entry[0] for entry in lists[f"{agent} {prefix} "] if not entry[3]}
        found[name] = [entry for entry in entries if not (entry[3] and entry[0] in live)]
    return found


def test_what_the_version_said_is_said_after_the_upgrade(upgraded: str, released: Path) -> None:
    before = json.loads((released / "observed.json").read_text(encoding="utf-8"))
    had_terms = released.name != "0.9.0"
    waiting = 0 if had_terms else Record.objects.filter(deleted=False).count()
    assert stats.count_waiting_for_search() == waiting, "search says what it does not find"
    search_index.make_missing(seconds=60)  # as the first tick does
    after = reworded(observe())  # some sentences are stored as they were written
    assert before.keys() <= after.keys()
    for part, seen in before.items():
        kept = without_keys(reworded(seen), {"from_policy"})  # in its place is lateness_h: CHANGELOG.md
        if part == "lists":
            kept = without_set_tombstones(kept)
        if part == "rejects":  # one row a link and identifier, with what was written last
            assert {tuple(reject) for reject in after[part]} <= {tuple(reject) for reject in kept}
            assert [tuple(reject[:2]) for reject in after[part]] == sorted({tuple(reject[:2]) for reject in kept})
            continue
        assert without_new_keys(after[part], kept) == kept, part


def test_the_tables_are_those_of_a_new_database(upgraded: str) -> None:
    """Compared after a dump and a load of both, which writes some expressions in another way."""
    with databases.scratch() as fresh, databases.scratch() as copy:
        with databases.in_place_of_the_tests(fresh):
            call_command("migrate", verbosity=0)
            call_command("makemigrations", check=True, dry_run=True, verbosity=0)
        databases.execute(copy, dumps.dump(databases.url(fresh), "--schema-only"))
        expected = dumps.dump(databases.url(copy), "--schema-only").splitlines()
        with databases.scratch() as second:
            databases.execute(second, dumps.dump(databases.url(upgraded), "--schema-only"))
            assert dumps.dump(databases.url(second), "--schema-only").splitlines() == expected


def test_the_version_itself_can_go_on_writing_its_tables_meanwhile(upgraded: str, released: Path) -> None:
    """All its columns are there, and what this version added may be left out of a row."""
    with databases.scratch() as name:
        dumps.load(name, released / "database.sql")
        before = dumps.columns(name)
    after = dumps.columns(upgraded)
    assert before.keys() - after.keys() == set()
    tables = {table for table, _ in before}
    added = {column: may_be_left_out for column, may_be_left_out in after.items() if column not in before}
    assert [column for column, may_be_left_out in added.items() if column[0] in tables and not may_be_left_out] == []
    no_longer_written = {("harvester_run", "message"), ("harvester_link", "from_policy")}
    assert all(after[column] for column in no_longer_written)


def test_a_harvester_that_goes_on_from_its_last_datestamp_misses_nothing(upgraded: str) -> None:
    client = Client()
    arguments = {"verb": "ListIdentifiers", "metadataPrefix": "iso19139"}
    known = asking.headers_of(asking.walk(client, **arguments))
    newest = max(header.datestamp for header in known)
    world.put(world.iso_record("urn:new"), world.iso_record(WITHDRAWN, title="Back"))

    headers = asking.headers_of(asking.walk(client, **arguments, from_=newest))
    assert {"urn:new", WITHDRAWN} <= {header.identifier for header in headers}
    assert all(header.datestamp >= newest for header in headers)


def test_the_journal_is_replayed_and_written_on(upgraded: str, released: Path, settings, tmp_path: Path) -> None:
    """Of what it says, only the tombstone that was purged is not there."""
    before = list(journal.JournalReader(released / "journal"))
    report = replay(released / "journal")
    assert (report["events"], report["damaged_lines"]) == (len(before), [])
    assert (report["deleted"], report["moved"], report["departed"]) == (1, 0, 0)
    assert [left["identifier"] for left in report["left"]] == [RETURNED]
    assert Record.objects.get(identifier=PURGED).deleted

    world.put(world.iso_record(WITHDRAWN, title="From an archive"))
    written = list(journal.JournalReader(Path(settings.GISC_JOURNAL_DIR)))
    assert written[: len(before)] == before
    added = {(it.event, it.identifier): it.position for it in written[len(before) :]}
    assert added.keys() >= {("deleted", WAITED), ("returned", WITHDRAWN)}
    assert min(added.values()) > max(it.position for it in before)
    writer = (
        released / "journal" / "writer"
    )  # 0.9.0 had none, so that this version is another writer in the same folder
    last = max(it.number for it in before) if writer.exists() else 0
    assert [it.number for it in written[len(before) :]] == [last + 1, last + 2, last + 3]

    settings.GISC_JOURNAL_DIR = tmp_path / "of a node that was rebuilt"
    # The database knows that another folder has later events, which this one has not.
    assert replay(released / "journal", "--accept-gap")["deleted"] == 1
    states = dict(Record.objects.values_list("identifier", "deleted"))
    assert (states[WITHDRAWN], states[RETURNED]) == (True, False)


def test_a_run_that_was_open_goes_on_from_its_token_with_its_cookie(upgraded: str) -> None:
    run = Run.objects.get(state=Run.State.OPEN)
    with HTTPServer(host="127.0.0.1") as server:  # the host that the cookie is for
        provider = Provider(server)
        fill(provider, range(40, 45))
        Link.objects.filter(pk=run.link_id).update(base_url=provider.base_url)
        after = lifecycle.work(run.pk)

    assert after is not None
    assert (after.state, after.received, after.new) == (Run.State.DONE, 5, 5)
    assert provider.lists[0]["resumptionToken"] == run.token
    assert provider.requests[0].cookies.get("session") == "s3ss10n"


def stored_messages() -> dict[int, str]:
    """The messages of runs as version 0.9.0 stores them, by id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, message FROM harvester_run")
        return dict(cursor.fetchall())


def test_messages_of_runs_are_kept_as_written_and_can_be_taken_back(django_db_setup: None, django_db_blocker) -> None:
    with django_db_blocker.unblock(), databases.scratch() as name:
        dumps.load(name, DATA / "0.9.0" / "database.sql")
        with databases.in_place_of_the_tests(name):
            before = stored_messages()
            assert any(before.values()) and not all(before.values())
            old_warnings = dict(Run.objects.values_list("pk", "warnings"))
            call_command("migrate", "harvester", "0002", verbosity=0)

            of_then = Run.objects.only(
                "state", "outcome", "outcome_data", "warnings"
            )  # later columns are not there yet
            runs = {run.pk: run for run in of_then}
            assert {pk: run.message for pk, run in runs.items()} == before
            for pk, run in runs.items():
                if before[pk]:
                    assert (run.outcome, run.outcome_data) == ("as-written", {"text": before[pk]})
                else:
                    assert run.outcome == ("running" if run.is_open else "done")
            assert {pk: run.warnings for pk, run in runs.items()} == old_warnings

            newer = min(runs)
            cause = {"code": "http-error", "facts": {"status": 502, "reason": ""}}
            Run.objects.filter(pk=newer).update(
                outcome="failed",
                outcome_data={"cause": cause, "pages": 2},
                warnings=[{"code": "moved", "facts": {"moved_to": "http://new.example.org"}, "count": 2}],
            )
            sentence = of_then.get(pk=newer).message
            call_command("migrate", "harvester", "0001", verbosity=0)
            assert stored_messages() == {**before, newer: sentence}
            [warning] = Run.objects.values_list("warnings", flat=True).get(pk=newer)
            assert warning["text"].startswith("The provider has moved for good to http://new.example.org;")
            assert warning.keys() == {"code", "text", "count"}
            assert {**dict(Run.objects.values_list("pk", "warnings")), newer: []} == {**old_warnings, newer: []}

            call_command("migrate", verbosity=0)
            assert Run.objects.get(pk=newer).message == sentence
