"""Lists: pages in keyset order, windows, sets and their hierarchy."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue import oai
from catalogue.models import MetadataSet, Record
from catalogue.reading import lists
from catalogue.reading.lists import Window
from catalogue.writing import decisions, set_inclusion, store
from tests.support import looking, world

pytestmark = pytest.mark.django_db

DAY = datetime(2024, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MANY = 12
ANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def at(second: int) -> datetime:
    return DAY + second * SECOND


def give_stamps(stamps: Sequence[int]) -> None:
    """The records of `many` get datestamps, in seconds after DAY; the last is written first, so that rows lie anyhow."""
    for record, second in zip(Record.objects.order_by("-identifier"), reversed(stamps), strict=True):
        world.restamp(record.identifier, f"{at(second):%Y-%m-%dT%H:%M:%SZ}")


@pytest.fixture
def many() -> list[str]:
    """Records urn:00 to urn:11 of our own set; every third is a tombstone."""
    identifiers = [f"urn:{number:02}" for number in range(MANY)]
    world.put(*(world.iso_record(identifier) for identifier in identifiers))
    world.bury(*identifiers[::3])
    return identifiers


def names(window: Window, size: int = 1000) -> list[str]:
    return [entry.identifier for entry in looking.walk(window, size)]


STAMPS = st.lists(st.integers(0, 6), min_size=MANY, max_size=MANY)


@pytest.mark.spec("P101", "P88")
@ANY
@given(stamps=STAMPS, size=st.integers(1, MANY + 2), spec=st.sampled_from([None, oai.CATALOGUE_SET, world.OUR_SPEC]))
def test_pages_of_any_size_are_together_the_whole_list(
    many: list[str], stamps: list[int], size: int, spec: str | None
) -> None:
    give_stamps(stamps)
    window = Window(spec, None, looking.FAR)
    found = looking.walk(window, size)
    order = list(Record.objects.order_by("datestamp", "id").values_list("identifier", flat=True))
    assert [entry.identifier for entry in found] == order
    assert [entry.position for entry in found] == sorted(
        (entry.position for entry in found), key=lambda place: (place.datestamp, place.pk)
    )
    assert lists.count(window) == MANY


@pytest.mark.spec("P35")
@ANY
@given(stamps=STAMPS, start=st.integers(-1, 8) | st.none(), end=st.integers(-1, 8), size=st.integers(1, 5))
def test_a_window_is_half_open(many: list[str], stamps: list[int], start: int | None, end: int, size: int) -> None:
    give_stamps(stamps)
    for spec in (None, world.OUR_SPEC):
        window = Window(spec, None if start is None else at(start), at(end))
        expected = {
            name
            for name, second in zip(many, stamps, strict=True)
            if (start is None or start <= second) and second < end
        }
        found = names(window, size)
        assert set(found) == expected
        assert len(found) == len(expected) == lists.count(window)


CHANGES = st.lists(
    st.tuples(st.integers(0, MANY - 1), st.sampled_from(["edit", "delete", "same", "new"])), min_size=1, max_size=4
)


@pytest.mark.spec("P101")
@ANY
@given(stamps=STAMPS, size=st.integers(1, 5), changes=st.lists(CHANGES, max_size=8))
def test_a_record_not_changed_between_pages_is_never_missed_nor_told_twice(
    many: list[str], stamps: list[int], size: int, changes: list
) -> None:
    """And what was changed comes in the next incremental list, from the instant of the first page."""
    with transaction.atomic():
        give_stamps(stamps)
        window = Window(world.OUR_SPEC, None, lists.instant() + SECOND)
        first_pass: list[str] = []
        changed: set[str] = set()
        after = None
        pending = list(changes)
        while page := lists.page(window, after=after, size=size, payloads=False):
            first_pass += [entry.identifier for entry in page]
            after = page[-1].position
            for number, kind in pending.pop(0) if pending else ():
                name = many[number] if kind != "new" else f"urn:new:{len(pending)}:{number}"
                if kind == "delete":
                    entry = store.prepare_deletion(name)
                else:
                    title = "Surface observations" if kind == "same" else f"Edit {len(pending)} {len(changed)}"
                    entry = store.prepare(world.iso_record(name, title=title))
                (result,) = store.put_entries([entry], into=world.own_set())
                if result.action is not decisions.Action.UNCHANGED:
                    changed.add(name)
        unchanged = set(many) - changed
        assert unchanged <= set(first_pass)
        assert all(first_pass.count(name) == 1 for name in unchanged)
        assert changed <= set(names(Window(world.OUR_SPEC, window.end - SECOND, looking.FAR)))
        transaction.set_rollback(True)


@pytest.mark.spec("P88", "P83")
def test_a_page_has_payloads_of_live_records_and_only_when_asked(many: list[str]) -> None:
    window = Window(None, None, looking.FAR)
    for entry in lists.page(window, after=None, size=100, payloads=True):
        assert entry.deleted == (entry.identifier in many[::3])
        assert (entry.payload is None) == entry.deleted
    assert {entry.payload for entry in lists.page(window, after=None, size=100, payloads=False)} == {None}


@pytest.mark.spec("P69")
@pytest.mark.parametrize("asked", ["urn:01", " urn:01 "])
def test_a_record_is_found_by_its_exact_identifier(many: list[str], asked: str) -> None:
    found = lists.find(asked)
    assert found is not None
    assert (found.identifier, found.deleted) == ("urn:01", False)
    assert found.set_specs == (oai.CATALOGUE_SET, world.OUR_SPEC)
    tombstone = lists.find("urn:00")
    assert tombstone is not None
    assert (tombstone.deleted, tombstone.payload) == (True, None)
    assert lists.find("urn:nobody") is None
    assert lists.find("URN:01") is None


# --- Sets -----------------------------------------------------------------------------------------------


@pytest.fixture
def hierarchy() -> dict[str, MetadataSet]:
    specs = ("a", "a:b", "a:b:c", "a:c", "ab", "a-b", "A:b", "empty")
    return {spec: set_inclusion.ensure_set(spec) for spec in specs}


@pytest.fixture
def filled(hierarchy: dict[str, MetadataSet]) -> dict[str, MetadataSet]:
    for spec, metadata_set in hierarchy.items():
        if spec not in ("empty", "A:b"):
            world.put(world.iso_record(f"urn:{spec}"), into=metadata_set)
    return hierarchy


@pytest.mark.spec("P74", "P76", "P77", "P78")
@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("a", {"urn:a", "urn:a:b", "urn:a:b:c", "urn:a:c"}),
        ("a:b", {"urn:a:b", "urn:a:b:c"}),
        ("a:b:c", {"urn:a:b:c"}),
        ("a:c", {"urn:a:c"}),
        ("ab", {"urn:ab"}),
        ("a-b", {"urn:a-b"}),
        ("empty", set()),
        ("no-such-set", set()),
        ("a:", set()),
        ("a%", set()),
        ("a_b", set()),
        (":b", set()),
    ],
)
def test_a_set_holds_its_own_records_and_those_of_the_sets_below_it(filled, spec: str, found: set[str]) -> None:
    for size in (1, 2, 100):
        assert set(names(Window(spec, None, looking.FAR), size)) == found
    assert lists.count(Window(spec, None, looking.FAR)) == len(found)


@pytest.mark.spec("P72")
def test_specs_that_differ_in_case_are_different_sets(hierarchy) -> None:
    world.put(world.iso_record("urn:x"), into=hierarchy["A:b"])
    assert names(Window("A:b", None, looking.FAR)) == ["urn:x"]
    assert names(Window("a:b", None, looking.FAR)) == names(Window("a", None, looking.FAR)) == []


@pytest.mark.spec("P76")
def test_a_record_handed_over_within_a_hierarchy_is_listed_once_above_and_live(hierarchy) -> None:
    """Deleted in a:b, live in a:c."""
    world.put(world.iso_record("urn:x"), into=hierarchy["a:b"])
    world.bury("urn:x", into=hierarchy["a:b"])
    world.put(world.iso_record("urn:x"), into=hierarchy["a:c"])
    for size in (1, 10):
        (whole,) = looking.walk(Window("a", None, looking.FAR), size, payloads=True)
        assert (whole.deleted, whole.payload is None) == (False, False)
    (left,) = looking.walk(Window("a:b", None, looking.FAR), 10, payloads=True)
    assert (left.deleted, left.payload, left.set_specs) == (True, None, ("a:b",))
    (there,) = looking.walk(Window("a:c", None, looking.FAR), 10)
    assert (there.deleted, there.set_specs) == (False, (oai.CATALOGUE_SET, "a:c"))


@pytest.mark.spec("P84", "P75")
def test_a_tombstone_is_in_the_list_of_its_set_with_its_setSpecs(hierarchy) -> None:
    world.put(world.iso_record("urn:x"), into=hierarchy["a:b"])
    world.bury("urn:x", "urn:never", into=hierarchy["a:b"])
    for spec in ("a", "a:b", None, oai.CATALOGUE_SET):
        found = looking.walk(Window(spec, None, looking.FAR), 1)
        assert {entry.identifier for entry in found} == {"urn:x", "urn:never"}
        assert {(entry.deleted, entry.set_specs) for entry in found} == {(True, (oai.CATALOGUE_SET, "a:b"))}


WORDS = st.lists(
    st.tuples(
        st.sampled_from(["urn:x", "urn:y", "urn:z"]),
        st.sampled_from(["a", "a:b", "a:b:c", "a:c", "ab"]),
        st.sampled_from(["put", "bury"]),
    ),
    max_size=14,
)


@pytest.mark.spec("P74", "P75", "P76", "P81", "W45")
@settings(ANY, max_examples=40)
@example(words=[("x", "a", "put"), ("x", "a:b:c", "put"), ("x", "a:b", "put"), ("x", "a:b:c", "bury")], size=1)
@example(words=[("x", "a", "put"), ("x", "a:b", "put"), ("x", "a", "bury"), ("x", "a:b", "bury")], size=1)
@given(words=WORDS, size=st.integers(1, 3))
def test_whatever_the_sets_of_a_hierarchy_say_each_lists_what_it_and_those_below_assert(
    hierarchy: dict[str, MetadataSet], words: list[tuple[str, str, str]], size: int
) -> None:
    """A record is in a set while the set, or one below it, asserts it; after that it is listed as deleted."""
    with transaction.atomic():
        asserted: set[tuple[str, str]] = set()
        ever: set[tuple[str, str]] = set()
        for name, spec, word in words:
            if word == "put":
                world.put(world.iso_record(name), into=hierarchy[spec])
                asserted.add((name, spec))
            else:
                world.bury(name, into=hierarchy[spec])
                asserted.discard((name, spec))
            ever |= asserted
        for spec in ("a", "a:b", "a:b:c", "a:c", "ab"):
            found = looking.walk(Window(spec, None, looking.FAR), size)
            assert len({entry.identifier for entry in found}) == len(found)
            live = {entry.identifier for entry in found if not entry.deleted}
            gone = {entry.identifier for entry in found if entry.deleted}
            assert live == {name for name, at in asserted if f"{at}:".startswith(f"{spec}:")}
            assert gone >= {name for name, at in ever if f"{at}:".startswith(f"{spec}:")} - live
        everything = looking.walk(Window(None, None, looking.FAR), size)
        assert {entry.identifier: entry.deleted for entry in everything} == {
            name: not any(other == name for other, _ in asserted) for name, _, _ in words
        }
        for entry in everything:
            if not entry.deleted:
                by = {at for name, at in asserted if name == entry.identifier}
                assert set(entry.set_specs[1:]) == {
                    at for at in by if not any(other.startswith(f"{at}:") for other in by)
                }  # the ancestors of a set that is named go without saying (P75)
        transaction.set_rollback(True)


@pytest.mark.spec("P80", "P77")
def test_sets_that_are_not_public_are_neither_listed_nor_walked(filled) -> None:
    MetadataSet.objects.filter(spec__in=("a:b", "ab")).update(public=False)
    assert names(Window("a:b", None, looking.FAR)) == names(Window("ab", None, looking.FAR)) == []
    assert {"urn:a", "urn:a:b:c", "urn:a:c"} <= set(names(Window("a", None, looking.FAR)))
    assert [s.spec for s in lists.visible_sets()][:2] == [oai.CATALOGUE_SET, world.OUR_SPEC]
    assert not {"a:b", "ab"} & {s.spec for s in lists.visible_sets()}


# --- Cost -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [None, world.OUR_SPEC])
@pytest.mark.parametrize("payloads", [True, False])
def test_a_page_takes_as_many_queries_at_the_end_as_at_the_beginning(
    many: list[str], spec: str | None, payloads: bool, django_assert_num_queries
) -> None:
    window = Window(spec, None, looking.FAR)
    lists.page(window, after=None, size=2, payloads=payloads)  # from now on this process knows the dictionary
    with CaptureQueriesContext(connection) as first:
        page = lists.page(window, after=None, size=2, payloads=payloads)
    deep = looking.walk(window, 1000)[-2].position
    with django_assert_num_queries(len(first)):
        assert len(lists.page(window, after=deep, size=2, payloads=payloads)) == 1
    assert len(page) == 2


def test_a_page_is_one_statement_where_nothing_was_withdrawn(many: list[str], django_assert_num_queries) -> None:
    window = Window(None, None, looking.FAR)
    lists.page(window, after=None, size=2, payloads=True)  # from now on this process knows the dictionary
    with django_assert_num_queries(1):
        assert len(lists.page(window, after=None, size=2, payloads=True)) == 2
    with django_assert_num_queries(1):
        assert lists.versions(window, after=None, size=2)


@pytest.mark.parametrize(("spec", "index"), [(None, "public_record_order"), (world.OUR_SPEC, "membership_list_order")])
def test_a_page_is_read_from_the_index_without_sorting(many: list[str], spec: str | None, index: str) -> None:
    """Constant cost (promise 10): no sort, whatever the depth. Small tables are told not to be scanned whole."""
    window = Window(spec, DAY, looking.FAR)
    query = lists._query(window, lists.ListPosition(DAY, 1))
    sql = query.sql(query.row.columns(lists.EVERYTHING, "r.payload"))
    with connection.cursor() as cursor:
        # What tests before rolled back fills pages and indexes, so that reading by one of them would seem to cost more.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("CLUSTER catalogue_record USING record_list_order")
        cursor.execute("CLUSTER catalogue_membership USING membership_list_order")
        cursor.execute("ANALYZE catalogue_record, catalogue_membership, catalogue_metadataset")
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute(f"EXPLAIN {sql}", query.values | {"size": 10})
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert index in plan
    assert "Sort" not in plan
