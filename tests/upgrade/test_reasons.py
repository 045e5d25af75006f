"""Sentences on rejects and conflicts become codes with facts: what 0.9.0 wrote is kept, and the way back is open."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection

from harvester.models import Conflict, Reject
from tests.support import databases

BEFORE = "0002_outcomes"


@pytest.fixture
def of_0_9_0(migrated, django_db_blocker) -> Iterator[None]:
    """The database of version 0.9.0 as it was, read by the test."""
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated("0.9.0", "harvester", BEFORE)) as name,
        databases.in_place_of_the_tests(name),
    ):
        yield


def sentences() -> dict[str, list[tuple[str, ...]]]:
    """The texts in the columns, as a version reads them that knows no codes."""
    columns = {"harvester_reject": "reason", "harvester_conflict": "reason, settlement"}
    with connection.cursor() as cursor:
        found = {}
        for table, names in columns.items():
            cursor.execute(f"SELECT {names} FROM {table} ORDER BY id")
            found[table] = cursor.fetchall()
        return found


def test_what_was_written_is_kept_and_comes_back(of_0_9_0: None) -> None:
    before = sentences()
    assert all(before.values())

    call_command("migrate", verbosity=0)
    rejects, conflicts = Reject.objects.order_by("pk"), Conflict.objects.order_by("pk")
    assert {reject.reason for reject in rejects} == {conflict.reason for conflict in conflicts} == {"as-written"}
    kept = [(reject.reason_text,) for reject in rejects]  # one row a link and identifier, with what was written last
    assert set(kept) <= set(before["harvester_reject"])
    described = [(conflict.reason_text, conflict.settlement_text) for conflict in conflicts]
    assert described == before["harvester_conflict"]
    assert {conflict.settlement for conflict in conflicts} <= {"", "as-written"}

    call_command("migrate", "harvester", BEFORE, verbosity=0)
    assert sentences() == {**before, "harvester_reject": kept}


def test_on_the_way_back_each_code_becomes_its_sentence(of_0_9_0: None) -> None:
    call_command("migrate", verbosity=0)
    Reject.objects.update(reason="empty", reason_data={})
    Conflict.objects.update(
        reason="renamed", reason_data={"identifier": "urn:b"}, settlement="deleted", settlement_data={"by": "anna"}
    )
    text = (
        "The record is deleted by this identifier and listed by the identifier urn:b, so it is kept until you decide."
    )

    call_command("migrate", "harvester", BEFORE, verbosity=0)
    assert {*sentences()["harvester_reject"]} == {("the record is empty",)}
    assert {*sentences()["harvester_conflict"]} == {(text, "Deleted by anna.")}


def test_a_node_of_the_version_before_may_write_while_this_one_migrates(of_0_9_0: None) -> None:
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO harvester_reject (run_id, identifier, datestamp, reason, file_key)"
            " SELECT max(id), 'urn:new', '', 'the record is <odd>', '' FROM harvester_run"
        )
    assert Reject.objects.get(identifier="urn:new").reason_text == "the record is <odd>"
