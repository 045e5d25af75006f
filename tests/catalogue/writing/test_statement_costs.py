"""No statement of a writer costs more than the pairs of its records, whatever PostgreSQL believes of the tables.

Statistics of a table are of when PostgreSQL looked at it last. After a first load that was interrupted they may be those of an
empty table, until PostgreSQL looks again; then any plan seems good, also one that reads all rows for each row, for each row.
"""

from collections.abc import Callable

import pytest
from django.db import transaction

from catalogue.models import MetadataSet
from catalogue.writing import store
from tests.support import rows_looked_at, world
from tests.support.sql import run

RECORDS = 40

pytestmark = pytest.mark.django_db


def offer(*offered: bytes | str, into: MetadataSet, source: str) -> int:
    """Put records (bytes) and deletions (identifiers), and return how many rows the costliest statement looked at."""
    entries = [store.prepare(o) if isinstance(o, bytes) else store.prepare_deletion(o) for o in offered]
    with rows_looked_at.statements() as done:
        store.put_entries(entries, into=into, source=source)
    return max(each.looked_at for each in done)


@pytest.fixture(autouse=True)
def _new_files() -> None:
    """Nothing that other tests left is in the tables: dead rows are found by indexes, and make files large."""
    run("TRUNCATE catalogue_record CASCADE")


def grow_files(into: MetadataSet) -> None:
    """Leave dead rows of live records and of tombstones: the larger the file of a table, the dearer it is to read it whole."""
    live, dead = (
        [f"urn:costs:{kind}:{n}" for n in range(number * RECORDS)] for kind, number in (("live", 80), ("dead", 18))
    )
    with transaction.atomic():
        world.put(*map(world.iso_record, live), into=into)
        store.put_entries([store.prepare_deletion(identifier) for identifier in dead], into=into)
        transaction.set_rollback(True)


@pytest.mark.parametrize("grown", [pytest.param(False, id="new"), pytest.param(True, id="grown")])
@pytest.mark.parametrize(
    "forget",
    [
        pytest.param(rows_looked_at.take_tables_for_unknown, id="unknown"),
        pytest.param(rows_looked_at.take_tables_for_empty, id="empty"),
    ],
)
def test_no_statement_of_a_writer_costs_more_than_the_pairs_of_its_records(
    forget: Callable[[], None], grown: bool
) -> None:
    """A page has some hundred records, so the pairs of them do not matter."""
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    if grown:
        grow_files(offenbach)
    world.put(*(world.iso_record(f"urn:costs:other:{n}") for n in range(RECORDS)), into=offenbach)
    forget()
    identifiers = [f"urn:costs:{n}" for n in range(RECORDS)]
    records = [world.iso_record(identifier) for identifier in identifiers]
    changed = [world.iso_record(identifier, title="Buoys") for identifier in identifiers]
    looked_at = {
        "new": offer(*records, into=toulouse, source="one"),
        "changed": offer(*changed, into=toulouse, source="one"),
        "claimed by another": offer(*records, into=offenbach, source="two"),
        "changed by the owner": offer(*records, into=toulouse, source="one"),
        "left to the other": offer(*identifiers, into=toulouse, source="one"),
        "deleted": offer(*identifiers, into=offenbach, source="two"),
        "back": offer(*changed, into=toulouse, source="one"),
    }
    assert max(looked_at.values()) <= 15 * RECORDS**2, looked_at
