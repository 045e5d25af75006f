"""Rejects, one for each run before, become one row a link, identifier and cause; runs count on their days."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection

from harvester.models import Link, LinkDay, Reject
from tests.support import databases

BEFORE = "0010"
_RUN = """
    INSERT INTO harvester_run (link_id, state, purpose, trigger, begun, finished, strategy, phase, warnings, granularity,
        token, pages, restarts, listed, marked_token, fetched, received, new, updated, unchanged, deleted, rejected,
        missing, stale, extra, vanished, held_back, removed, beyond_ceiling, attempts, sealed_cookies, holder)
    SELECT id, 'done', 'harvest', 'schedule', %(begun)s, %(begun)s::timestamptz + interval '1 minute', 'records', 'listing',
        '[]', '', '', 1, 0, 0, '', 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, false, 0, '', ''
    FROM harvester_link WHERE name = %(link)s RETURNING id
"""
_REJECT = """
    INSERT INTO harvester_reject (run_id, identifier, datestamp, reason, raw, file_key)
    VALUES (%s, %s, '', %s, %s, 'urn:key')
"""
_HEADER = """
    INSERT INTO harvester_remoteheader (link_id, key, identifier, deleted, state)
    SELECT id, 'urn:bad', 'urn:bad', false, 'rejected' FROM harvester_link WHERE name = 'toulouse'
"""


@pytest.fixture
def before(migrated, django_db_blocker) -> Iterator[None]:
    """A database of 0.9.0, migrated to the version before, with rejects of three runs of each of two links."""
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated("0.9.0", "harvester", BEFORE)) as name,
        databases.in_place_of_the_tests(name),
    ):
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM harvester_reject")
            cursor.execute(_HEADER)
            for link in ("toulouse", "offenbach"):
                for day in (1, 3, 2):
                    cursor.execute(_RUN, {"link": link, "begun": f"2030-01-0{day}T00:00:00Z"})
                    (run,) = cursor.fetchone()
                    for identifier, cause in (
                        ("urn:bad", "empty"),
                        ("urn:bad", "no-metadata"),
                        ("", "no-identifier"),
                    ):
                        cursor.execute(_REJECT, [run, identifier, cause, f"<day>{day}</day>".encode()])
                    cursor.execute(_REJECT, [run, "", "no-identifier", b"<another/>"])
        yield


def test_old_rows_are_folded_and_the_latest_stays(before: None) -> None:
    call_command("migrate", verbosity=0)
    assert Reject.objects.count() == 6
    for link in Link.objects.filter(name__in=("toulouse", "offenbach")):
        for cause in ("empty", "no-metadata"):
            reject = link.rejects.get(identifier="urn:bad", reason=cause)
            assert (reject.count, reject.count_in_run, bytes(reject.raw)) == (3, 1, b"<day>3</day>")
            assert (reject.first_seen.day, reject.last_seen.day, reject.run.begun.day) == (1, 3, 3)
            assert (reject.settled is None) == (link.name == "toulouse"), "there its header is rejected"
            assert reject.file_key == "urn:key"
        nameless = link.rejects.get(identifier="")
        assert (nameless.count, nameless.count_in_run, nameless.settled) == (6, 2, None)


def test_the_runs_that_there_are_count_on_their_days(before: None) -> None:
    call_command("migrate", verbosity=0)
    days = LinkDay.objects.filter(day__year=2030).values_list("link__name", "day__day", "runs", "rejected", "seconds")
    assert sorted(days) == [(link, day, 1, 2, 60) for link in ("offenbach", "toulouse") for day in (1, 2, 3)]


def test_there_is_a_way_back(before: None) -> None:
    call_command("migrate", verbosity=0)
    newest = Reject.objects.select_related("run").get(link__name="toulouse", reason="empty")
    newest.run.delete()
    call_command("migrate", "harvester", BEFORE, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM harvester_reject")
        assert cursor.fetchone() == (3,), "those of a run that is gone go"
