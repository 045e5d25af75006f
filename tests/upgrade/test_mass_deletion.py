"""Deletions are counted by link over a day: links of earlier versions get the new share, and what waited goes on waiting."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection

from harvester.models import Conflict, Link, RemoteHeader
from harvester.rows import remote_headers
from tests.support import databases

BEFORE = "0005_versions_served"


@pytest.fixture
def of_0_9_0(migrated, django_db_blocker) -> Iterator[None]:
    """The database of version 0.9.0 with the codes of reasons, read by the test."""
    with (
        django_db_blocker.unblock(),
        databases.scratch(migrated("0.9.0", "harvester", BEFORE)) as name,
        databases.in_place_of_the_tests(name),
    ):
        yield


def test_the_share_of_earlier_versions_is_a_third_and_what_waited_waits(of_0_9_0: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT link_id, key, identifier FROM harvester_remoteheader"
            " WHERE NOT deleted AND alternative_id IS NULL ORDER BY id LIMIT 2"
        )
        (link_id, waits, waiting), (other_id, settled, other) = cursor.fetchall()
        cursor.execute(
            "UPDATE harvester_remoteheader SET state = 'rejected' WHERE alternative_id IS NULL AND (link_id, key) IN ((%s, %s), (%s, %s))",
            [link_id, waits, other_id, settled],
        )
        for link, key, identifier, is_settled in ((link_id, waits, waiting, False), (other_id, settled, other, True)):
            cursor.execute("DELETE FROM harvester_conflict WHERE (link_id, key) = (%s, %s)", [link, key])
            cursor.execute(
                """
                INSERT INTO harvester_conflict
                    (link_id, key, identifier, kind, reason, first_seen, last_seen, settled, settlement)
                VALUES (%s, %s, %s, 'mass', 'mass-deletion', now(), now(), CASE WHEN %s THEN now() END, %s)
                """,
                [link, key, identifier, is_settled, "agreed" if is_settled else ""],
            )
        cursor.execute("UPDATE harvester_link SET hold_percent = 20 WHERE id <> %s", [link_id])

    call_command("migrate", verbosity=0)

    link = Link.objects.get(pk=link_id)
    assert link.hold_percent == 33
    assert set(Link.objects.exclude(pk=link_id).values_list("hold_percent", flat=True)) <= {20}
    assert remote_headers.waiting_removals(link, {waiting, other}) == {waiting}
    row, conflict = (
        RemoteHeader.objects.get(link=link, key=waiting, alternative=None),
        Conflict.objects.get(link=link, key=waiting),
    )
    assert row.removed_at == conflict.first_seen

    call_command("migrate", "harvester", BEFORE, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT hold_percent FROM harvester_link WHERE id = %s", [link_id])
        assert cursor.fetchone() == (10,)
