"""Search: what finds what, newest first; and that PostgreSQL answers from the index of words."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from catalogue.models import Description, MetadataSet, Record
from catalogue.reading import search
from catalogue.reading.search import NewestHits
from tests.support.world import OUR_SPEC, TOULOUSE, bury, iso_record, own_set, peer_set, put, restamp

pytestmark = pytest.mark.django_db
FEW = 3


def found(text: str) -> list[str]:
    """What the admin's search finds, which must be what the public pages find."""
    everywhere = sorted(search.records(text).values_list("identifier", flat=True))
    keys = NewestHits(text, None, 1000)[0:1000]
    assert sorted(Record.objects.filter(pk__in=keys).values_list("identifier", flat=True)) == everywhere
    return everywhere


@pytest.fixture
def texts() -> None:
    put(
        iso_record("urn:a", title="Typhoon tracks", abstract="Best tracks of the sea."),
        iso_record("urn:b", title="Sea ice", abstract="Charts of ice."),
        iso_record("urn:c", title="Seasonal outlook", abstract="Iceland."),
        iso_record("urn:d", title="全国合成レーダー", abstract="降水."),
    )


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("typh", ["urn:a"]),
        ("TYPH trac", ["urn:a"]),
        ("phoon", []),
        ("sea", ["urn:a", "urn:b", "urn:c"]),
        ("sea ice", ["urn:b", "urn:c"]),
        ('"sea ice"', ["urn:b"]),
        ('"sea"', ["urn:a", "urn:b"]),
        ("se", []),
        ("全国", ["urn:d"]),
        ("降", ["urn:d"]),
        ("sea -typh", ["urn:b", "urn:c"]),
        ("typhoon or outlook", ["urn:a", "urn:c"]),
        ("of", ["urn:a", "urn:b"]),
        ("urn:b", ["urn:b"]),
        ("-typhoon", []),
        ("typhoon or -sea", []),
        ("-" * 40, []),
        ("- " * 60, []),
        ("sea'", ["urn:a", "urn:b", "urn:c"]),
        ("\\", []),
    ],
)
def test_a_word_finds_the_words_that_begin_with_it_and_quotes_find_it_as_it_is(
    texts: None, text: str, identifiers: list[str]
) -> None:
    assert found(text) == identifiers


@pytest.fixture
def many() -> MetadataSet:
    """40 records about buoys, each with a datestamp of its own; every fourth of Toulouse, one of them deleted."""
    toulouse = peer_set(TOULOUSE)
    for number in range(40):
        identifier, theirs = f"urn:{number:02d}", number % 4 == 0
        put(iso_record(identifier, title=f"Buoy {number % 5}"), into=toulouse if theirs else own_set())
        restamp(identifier, f"2025-01-01T00:{(number * 7) % 40:02d}:00Z")
    bury("urn:08", into=toulouse)
    return toulouse


@pytest.mark.parametrize("spec", [None, OUR_SPEC, TOULOUSE.spec])
@pytest.mark.parametrize("text", ["buoy", "buo 3", "2"])
@pytest.mark.parametrize("cap", [1, 4, 9, 100])
def test_many_hits_come_in_the_order_of_few_and_none_is_missing(
    many: MetadataSet, spec: str | None, text: str, cap: int
) -> None:
    selected = MetadataSet.objects.get(spec=spec) if spec else None
    records = search.records(text)
    if selected:
        records = records.filter(memberships__set=selected, memberships__deleted=False)
    newest = list(records.order_by("-datestamp", "-pk").values_list("pk", flat=True))
    for few in (FEW, 1000):  # looked for among the newest, and sorted
        hits = NewestHits(text, selected, cap, few=few)
        assert len(hits) == min(len(newest), cap)
        pages = [key for start in range(0, len(hits), 3) for key in hits[start : min(start + 3, len(hits))]]
        assert pages == newest[:cap]


def _plans(client: Client, path: str) -> list[str]:
    """The plans of all statements on descriptions by which a page is made."""
    plans = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if Description._meta.db_table in sql and "SELECT" in sql:
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
                plans.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        assert client.get(path).status_code == 200
    return plans


def test_the_words_of_20000_records_are_found_in_their_index_and_not_computed(client: Client) -> None:
    """Every record has the word `data`, as happens; then PostgreSQL would rather read all of them."""
    put(iso_record("urn:first", title="Data"))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalogue_record (identifier, key, datestamp, deleted, owner_id, set_specs, payload, digest, spelling)
            SELECT 'urn:' || n, 'urn:' || n, r.datestamp, false, r.owner_id, r.set_specs, r.payload, r.digest, ''
            FROM catalogue_record r, generate_series(1, 20000) n
            """
        )
        cursor.execute(
            """
            INSERT INTO catalogue_description
                (record_id, title, abstract, keywords, categories, boxes, language)
            SELECT id, 'Data of ' || id, CASE WHEN id % 9000 = 0 THEN 'rare' ELSE 'common' END, '{}', '{}', '[]', ''
            FROM catalogue_record WHERE identifier <> 'urn:first'
            """
        )
        cursor.execute(
            """
            INSERT INTO catalogue_membership (record_id, set_id, datestamp, deleted, direct)
            SELECT id, owner_id, datestamp, false, true FROM catalogue_record WHERE identifier <> 'urn:first'
            """
        )
        cursor.execute("ANALYZE catalogue_record, catalogue_description, catalogue_membership")
    for text, spec in product(("nothing", "data", "dat", "rare", "data rare", "data or rare"), ("", OUR_SPEC)):
        plans = [plan for plan in _plans(client, f"/?q={text}&set={spec}") if "catalogue_words" in plan]
        assert plans
        assert "Bitmap Index Scan on description_words" in plans[0]
        for plan in plans:
            assert "Seq Scan on catalogue_description" not in plan, plan
