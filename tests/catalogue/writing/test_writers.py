"""Who writes records, and by which clock."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection, transaction

from tests.support import looking, world
from tests.support.paths import ROOT
from tests.support.waiting import until

# The writer and its parts (docs/ARCHITECTURE.md). Each takes the clock's lock before it changes what a list shows.
WRITERS = Path("catalogue/writing"), Path("catalogue/replay.py")
_TABLES = r"(?:catalogue_record|catalogue_membership)\b"
_WRITES = re.compile(
    rf"(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE|COPY)\s+{_TABLES}"
    r"|\b(?:Record|Membership)\.objects\b[^\n]*\.(?:update|create|bulk_create|bulk_update|update_or_create|get_or_create|delete)\("
    r"|\brecord\.(?:save|delete)\(|\bmembership\.(?:save|delete)\("
)


@pytest.mark.spec("S8")
def test_records_and_memberships_are_written_by_the_writer_alone() -> None:
    sources = [
        file
        for app in ("catalogue", "harvester", "oaiprovider", "gisc")
        for file in (ROOT / app).rglob("*.py")
        if "migrations" not in file.parts
    ]
    writing = {file.relative_to(ROOT) for file in sources if _WRITES.search(file.read_text(encoding="utf-8"))}
    assert Path("catalogue/writing/memberships.py") in writing, "the pattern finds what it looks for"
    assert {file for file in writing if not any(file.is_relative_to(writer) for writer in WRITERS)} == set()


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("S3", "S1", "P91")
def test_a_stamp_is_the_present_and_not_the_start_of_its_transaction() -> None:
    """now() would be the start: a list between the two would have passed it."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT now()")
            [start] = cursor.fetchone()
        until(
            lambda: datetime.now(UTC).replace(microsecond=0) > start.astimezone(UTC),
            timeout_s=5,
            what="the next second",
        )
        world.put(world.iso_record("urn:a"))
        stamp = looking.record("urn:a").datestamp
    assert stamp > start
