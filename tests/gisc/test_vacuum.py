"""PostgreSQL that cannot remove what was changed, or keeps its log for nobody: nothing fails for weeks, so the node says it."""

from dataclasses import replace

import pytest
from django.db import connection, transaction

from gisc import replication_slots, vacuum
from gisc.parts import parts
from gisc.parts.reasons import PartCode
from gisc.problem_reasons import ProblemCode
from gisc.problems import Severity, find_problems
from tests.support.sql import run
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def part(name: str) -> tuple[parts.State, str]:
    found = next(each for each in parts.read().parts if each.name == name)
    assert "{" not in found.sentence
    return found.state, str(found.reason.code)


def judged(**facts: object) -> list[tuple[parts.State, str]]:
    """The part vacuum of the node as it is, but for these facts."""
    read = parts.read().read
    assert read.vacuum is not None
    found = parts.judge(replace(read, vacuum=replace(read.vacuum, **facts)))
    return [(each.state, str(each.reason.code)) for each in found if each.name == "vacuum"]


def test_a_server_as_it_is_installed_is_well() -> None:
    assert part("vacuum") == (parts.State.OK, PartCode.OK)
    found = vacuum.read()
    assert (found.disabled, found.oldest_s) == ((), 0)
    assert 0 < found.used < 0.5


def test_what_switches_autovacuum_off_is_named() -> None:
    with transaction.atomic():
        run("SET LOCAL track_counts = off")
        run("ALTER TABLE catalogue_record SET (autovacuum_enabled = false)")
        run("ALTER TABLE catalogue_membership SET (autovacuum_enabled = on)")
        assert vacuum.read().disabled == ("track_counts", "catalogue_record")
        transaction.set_rollback(True)
    run("ALTER SYSTEM SET autovacuum = off")
    try:
        run("SELECT pg_reload_conf()")
        until(lambda: vacuum.read().disabled == ("autovacuum",), 30, "the server has read its settings")
        assert part("vacuum") == (parts.State.DEGRADED, PartCode.AUTOVACUUM_OFF)
        (problem,) = [each for each in find_problems(node=parts.read()) if each.code == ProblemCode.PART_VACUUM]
        assert problem.severity == Severity.SOON and "is off (autovacuum)" in problem.text
    finally:
        run("ALTER SYSTEM RESET autovacuum")
        run("SELECT pg_reload_conf()")
        until(lambda: not vacuum.read().disabled, 30, "the server has read its settings")


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE open_transaction ()", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1"]
)
def test_a_transaction_that_somebody_leaves_open_is_seen_until_it_ends(statement: str) -> None:
    """By one that has written, and by one that sees the rows of before: a transaction that does neither holds nothing back."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert vacuum.read().oldest_s == 0
            other.rollback()
            cursor.execute(statement)
            assert 0 < vacuum.read().oldest_s < 600
    finally:
        other.rollback()
        other.close()
    assert vacuum.read().oldest_s == 0
    assert judged(oldest_s=vacuum.OPEN_S - 60) == [(parts.State.OK, PartCode.OK)]
    assert judged(oldest_s=vacuum.OPEN_S + 60) == [(parts.State.DEGRADED, PartCode.TRANSACTION_OPEN)]


def test_transaction_numbers_that_run_out_are_told_before_all_else() -> None:
    assert judged(used=0.99) == [(parts.State.OK, PartCode.OK)]
    assert judged(used=1.0, oldest_s=1e6, disabled=("autovacuum",)) == [
        (parts.State.DEGRADED, PartCode.NUMBERS_RUN_OUT)
    ]


# --- The log that is kept for a replica -------------------------------------------------------------------


def write_log(segments: int) -> None:
    for _ in range(segments):
        run("SELECT pg_logical_emit_message(false, 'tests', 'log')")
        run("SELECT pg_switch_wal()")


def test_a_slot_whose_replica_is_gone_keeps_the_log_and_is_told_before_the_disk_is_full() -> None:
    run("ALTER SYSTEM SET max_wal_size = '64MB'")
    run("SELECT pg_reload_conf()")
    run("SELECT pg_create_physical_replication_slot('tests_gone', true)")
    try:
        until(lambda: run("SHOW max_wal_size") == [("64MB",)], 30, "the server has read its settings")
        assert replication_slots.kept_bytes() == 0
        write_log(6)
        kept = replication_slots.kept_bytes()
        assert kept > 64_000_000
        assert part("disk") == (parts.State.DEGRADED, PartCode.WAL_KEPT)
        (problem,) = [each for each in find_problems(node=parts.read()) if each.code == ProblemCode.PART_DISK]
        assert f"{kept // 1_000_000} MB" in problem.text
    finally:
        run("SELECT pg_drop_replication_slot('tests_gone')")
        run("ALTER SYSTEM RESET max_wal_size")
        run("SELECT pg_reload_conf()")
    assert replication_slots.kept_bytes() == 0


def test_a_role_without_special_rights_may_ask() -> None:
    run("DROP ROLE IF EXISTS plain")
    run("CREATE ROLE plain")
    try:
        with transaction.atomic():
            run("SET LOCAL ROLE plain")
            assert replication_slots.kept_bytes() == 0
            assert vacuum.read().disabled == ()
    finally:
        run("DROP ROLE plain")
