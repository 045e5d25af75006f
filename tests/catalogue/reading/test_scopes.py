"""Lists within a scope: what a harvester that is shown some sets sees of the catalogue (G11)."""

from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import oai
from catalogue.models import Membership, MetadataSet, Record
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, ListRow, Window
from catalogue.reading.scopes import Scope
from catalogue.writing import set_inclusion, store
from tests.support import looking, world

pytestmark = pytest.mark.django_db
WHOLE = Window(None, None, looking.FAR)


def scope(*chosen: MetadataSet) -> Scope:
    return Scope(frozenset(one.pk for one in chosen), any(one.kind == MetadataSet.Kind.CATALOGUE for one in chosen))


def walk(within: Scope, window: Window = WHOLE, size: int = 1000) -> list[ListRow]:
    found: list[ListRow] = []
    after: ListPosition | None = None
    while page := lists.page(window, after=after, size=size, payloads=True, scope=within):
        found += page
        after = page[-1].position
    return found


def told(within: Scope, window: Window = WHOLE) -> dict[str, tuple[bool, tuple[str, ...]]]:
    found = walk(within, window)
    assert len({one.identifier for one in found}) == len(found)
    return {one.identifier: (one.deleted, one.set_specs) for one in found}


@pytest.mark.spec("G11")
def test_what_is_in_no_set_of_the_scope_does_not_exist_there() -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    world.put(world.iso_record("urn:a"), into=toulouse)
    world.put(world.iso_record("urn:b"), into=offenbach)
    world.put(world.iso_record("urn:c"))

    assert told(scope(toulouse)) == {"urn:a": (False, (toulouse.spec,))}
    assert set(told(scope(toulouse, offenbach))) == {"urn:a", "urn:b"}
    assert told(scope()) == {}
    assert lists.find("urn:b", scope(toulouse)) is None
    assert lists.find("urn:a", scope(toulouse, offenbach)) is not None
    assert told(scope(toulouse), Window(offenbach.spec, None, looking.FAR)) == {}
    assert told(scope(toulouse), Window(oai.CATALOGUE_SET, None, looking.FAR)) == {}


@pytest.mark.spec("G11", "P142")
def test_a_header_names_the_sets_of_the_scope_only_and_virtual_ones_too() -> None:
    toulouse = world.peer_set(world.TOULOUSE)
    union = set_inclusion.ensure_set("DRIVER", kind=MetadataSet.Kind.VIRTUAL)
    set_inclusion.include(union, [toulouse, world.own_set()])
    MetadataSet.objects.filter(pk=union.pk).update(public=False)
    world.put(world.iso_record("urn:a"), into=toulouse)
    catalogue = MetadataSet.objects.get(spec=oai.CATALOGUE_SET)

    assert told(scope(union)) == {"urn:a": (False, ("DRIVER",))}, "what it is made of is not visible (G4)"
    assert told(scope(union, toulouse)) == {"urn:a": (False, ("DRIVER", toulouse.spec))}
    assert told(scope(catalogue, union)) == {"urn:a": (False, (oai.CATALOGUE_SET, "DRIVER"))}
    assert told(scope(union), Window("DRIVER", None, looking.FAR)) == {"urn:a": (False, ("DRIVER",))}


@pytest.mark.spec("P75", "P142")
def test_of_a_hierarchy_a_header_names_what_the_scope_shows() -> None:
    world.put(world.iso_record("urn:deep"), into=set_inclusion.ensure_set("a:b"))
    inner = MetadataSet.objects.get(spec="a")

    assert told(scope(inner)) == {"urn:deep": (False, ("a",))}


@pytest.mark.spec("G11", "P84")
def test_who_left_the_scope_is_deleted_there_and_who_moved_within_it_is_not() -> None:
    shared = set_inclusion.ensure_set("shared01", kind=MetadataSet.Kind.SHARED)
    own = world.own_set()
    world.put(world.iso_record("urn:a"))
    store.move(["urn:a"], into=shared)

    assert told(scope(own)) == {"urn:a": (True, (own.spec,))}
    assert told(scope(own, shared)) == {"urn:a": (False, ("shared01",))}
    gone = lists.find("urn:a", scope(own))
    assert gone is not None and gone.deleted and gone.payload is None

    Membership.objects.update(datestamp="2024-01-01T00:00:00Z")
    world.bury("urn:a", into=shared)
    assert told(scope(own, shared)) == {"urn:a": (True, ("shared01",))}, "the set that it left last"


@pytest.mark.spec("G15")
def test_what_another_set_does_to_a_record_is_no_news_in_the_scope() -> None:
    world.put(world.iso_record("urn:a"))
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    (before,) = walk(scope(world.own_set()))
    set_inclusion.include(set_inclusion.ensure_set("DRIVER", kind=MetadataSet.Kind.VIRTUAL), [world.own_set()])

    assert walk(scope(world.own_set())) == [before]
    (news,) = walk(scope(world.own_set(), MetadataSet.objects.get(spec="DRIVER")))
    assert news.position.datestamp.year > 2024, "it joined a set of this scope"


SPECS = ("WIS-GISC-TOULOUSE", "WIS-GISC-OFFENBACH", "shared01")
STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(SPECS), st.sampled_from(["put", "bury"]), st.integers(0, 2)),
    max_size=12,
)


@pytest.mark.spec("G11", "P140", "P143", "P101")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, chosen=st.sets(st.sampled_from(SPECS), min_size=1), size=st.integers(1, 4), data=st.data())
def test_pages_are_together_what_the_memberships_say_and_each_record_is_found(
    steps: list, chosen: set[str], size: int, data: st.DataObject
) -> None:
    """Against a plain reading of the rows; any page size, any history, datestamps spread at random."""
    with transaction.atomic():
        by_spec = {spec: set_inclusion.ensure_set(spec) for spec in SPECS}
        for number, spec, kind, version in steps:
            if kind == "put":
                document = world.iso_record(f"urn:{number}", title=f"Version {version}")
                store.put_entries([store.prepare(document)], into=by_spec[spec])
            else:
                store.put_entries([store.prepare_deletion(f"urn:{number}")], into=by_spec[spec])
        for row in Membership.objects.filter(set__spec__in=chosen):
            second = data.draw(st.integers(0, 3))
            Membership.objects.filter(pk=row.pk).update(datestamp=f"2025-01-01T00:00:0{second}Z")
        within = scope(*(by_spec[spec] for spec in chosen))

        rows = Membership.objects.filter(set__spec__in=chosen).select_related("record")
        expected = sorted(
            (max(mine.datestamp for mine in rows if mine.record_id == pk), pk) for pk in {row.record_id for row in rows}
        )
        dead = {pk for _, pk in expected if all(row.deleted for row in rows if row.record_id == pk)}

        found = walk(within, size=size)
        assert [(one.position.datestamp, one.position.pk) for one in found] == expected
        assert {one.position.pk for one in found if one.deleted} == dead
        assert all(lists.find(one.identifier, within) == one for one in found)
        known = {one.identifier for one in found}
        others = Record.objects.exclude(identifier__in=known).values_list("identifier", flat=True)
        assert all(lists.find(name, within) is None for name in others)
        assert lists.count(WHOLE, within) == len(found)
        half = datetime.fromisoformat("2025-01-01T00:00:02Z")
        early = walk(within, Window(None, None, half), size)
        late = walk(within, Window(None, half, looking.FAR), size)
        assert early + late == found
        transaction.set_rollback(True)


@pytest.mark.spec("G11", "P146")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(STEPS, min_size=1, max_size=4), chosen=st.sets(st.sampled_from(SPECS), min_size=1, max_size=2))
def test_who_asks_again_from_the_last_instant_holds_what_a_full_harvest_gives(rounds: list, chosen: set[str]) -> None:
    """Records come, change, go, and move in and out of the scope between the harvests."""
    with transaction.atomic():
        by_spec = {spec: set_inclusion.ensure_set(spec) for spec in SPECS}
        within = scope(*(by_spec[spec] for spec in chosen))
        held: dict[str, bytes | None] = {}
        since = None
        for steps in rounds:
            for number, spec, kind, version in steps:
                entry = store.prepare_deletion(f"urn:{number}")
                if kind == "put":
                    entry = store.prepare(world.iso_record(f"urn:{number}", title=f"Version {version}"))
                store.put_entries([entry], into=by_spec[spec])
            instant = lists.instant()
            for one in walk(within, Window(None, since, instant + timedelta(seconds=1)), size=2):
                held[one.identifier] = one.payload
            since = instant
            # What was told is a minute old at the next harvest, which then gets nothing but what changed meanwhile.
            for model in (Record, Membership):
                model.objects.update(datestamp=F("datestamp") - timedelta(minutes=1))
        live = {name: content for name, content in held.items() if content is not None}
        assert live == {one.identifier: one.payload for one in walk(within) if not one.deleted}
        transaction.set_rollback(True)


def test_a_page_over_several_sets_is_read_from_their_indexes_in_order() -> None:
    """Constant cost (promise 10): each set is read in order and no further than a page. Small tables would be sorted."""
    own, toulouse = world.own_set(), world.peer_set(world.TOULOUSE)
    query = lists._query(WHOLE, ListPosition(datetime.fromisoformat("2024-01-01T00:00:00Z"), 1), scope(own, toulouse))
    assert query is not None
    columns = query.row.columns(scope(own, toulouse), "r.payload")
    sql = query.sql(columns)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", query.values | {"size": 10})
        (plan,) = cursor.fetchone()[0]
    # The planner may use the same index for other joins as well, by the statistics that tests before this one have left.
    in_order = [node for node in nodes(plan["Plan"]) if node.get("Index Name") == "membership_list_order"]
    branches = [node for node in in_order if node["parent"] == "Limit"]
    assert len(branches) == 2, "nothing sorts a set before the page is cut off"


def nodes(plan: dict, parent: str = "") -> list[dict]:
    """Every node of a plan, with the kind of the one above it."""
    return [
        plan | {"parent": parent},
        *(node for below in plan.get("Plans", ()) for node in nodes(below, plan["Node Type"])),
    ]
