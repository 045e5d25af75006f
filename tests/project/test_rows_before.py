"""What a test that commits leaves for the next: the same rows as a flush of Django, which would take longer."""

import pytest
from django.core.management import call_command
from django.db import connection

from catalogue import bootstrap
from catalogue.models import Record
from oaiprovider.models import Profile
from tests.support import rows_before, world

pytestmark = pytest.mark.django_db(transaction=True)


def all_rows() -> dict[str, list[str]]:
    rows = {}
    with connection.cursor() as cursor:
        for table in rows_before.tables_of(cursor):
            cursor.execute(f"SELECT row::text FROM public.{table} AS row ORDER BY 1")
            rows[table] = [row for (row,) in cursor.fetchall()]
    return rows


def change_much() -> None:
    """Add rows to tables that were empty and to others, change some and remove some."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_content_type SET model = model || ' changed'")
        cursor.execute("DELETE FROM auth_group_permissions")
    bootstrap.ensure_sets()
    world.put(*(world.iso_record(f"urn:x-wmo:md:int.wmo::{number}") for number in range(3)))


@pytest.fixture
def after_flush() -> dict[str, list[str]]:
    rows_before.restore("default")
    return all_rows()


def test_all_rows_are_again_those_of_a_flush(after_flush: dict[str, list[str]]) -> None:
    change_much()
    assert Record.objects.count() == 3
    assert all_rows() != after_flush

    rows_before.restore("default")

    assert all_rows() == after_flush


def test_django_itself_would_leave_the_same_rows(after_flush: dict[str, list[str]]) -> None:
    change_much()

    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)

    assert {table: len(rows) for table, rows in all_rows().items()} == {
        table: len(rows) for table, rows in after_flush.items()
    }
    rows_before.restore("default")


def test_numbers_go_on_after_those_of_the_rows_even_where_tables_were_made_anew(
    after_flush: dict[str, list[str]],
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM oaiprovider_profile")
        cursor.execute("ALTER TABLE oaiprovider_profile ALTER id RESTART WITH 1")  # as a migration to and fro does

    rows_before.restore("default")

    assert all_rows() == after_flush
    kept = Profile.objects.get().pk
    assert Profile.objects.create(name="DRIVER", match="DRIVER").pk > kept
