"""Virtual sets that are defined by a search: the writer keeps them, and their harvesters are told what comes and goes."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.discovery import set_searches as reading
from catalogue.models import Description, Membership, MetadataSet, Record, SetChange, SetSearch
from catalogue.reading import viewers
from catalogue.reading.query import stored
from catalogue.reading.query.conditions import (
    All,
    Among,
    Any,
    Changed,
    Compare,
    Condition,
    During,
    InSet,
    Is,
    IsNull,
    Like,
    Meets,
    MetadataDate,
    Not,
    Phrase,
    Words,
    WordsIn,
)
from catalogue.writing import search_index, set_changes, set_inclusion, set_searches, store, visibility
from gisc.problems import find_problems
from tests.support import looking, world
from tests.support.naive_search import World
from tests.support.some_conditions import some_conditions
from tests.support.threads import TIMEOUT_S, threads

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_searches")]


def live(spec: str = "SEA") -> set[str]:
    return {identifier for identifier, listed in looking.listed(spec).items() if not listed.deleted}


def gone(spec: str = "SEA") -> set[str]:
    return {identifier for identifier, listed in looking.listed(spec).items() if listed.deleted}


def virtual(spec: str = "SEA") -> MetadataSet:
    return set_inclusion.ensure_set(spec, kind=MetadataSet.Kind.VIRTUAL)


def define(condition: Condition | None, spec: str = "SEA") -> MetadataSet:
    defined = virtual(spec)
    change = set_searches.begin(defined, condition)
    assert change is not None
    assert set_changes.go_on(change)
    return defined


def put(identifier: str, title: str = "Surface observations", **fields: object) -> None:
    world.put(world.iso_record(identifier, title=title, **fields))


def stamped_now() -> set[str]:
    """What has a new datestamp in the set since `as_of_old`."""
    return {name for name, listed in looking.listed("SEA").items() if listed.position.datestamp.year > 2024}


def as_of_old() -> None:
    Membership.objects.update(datestamp="2024-01-01T00:00:00Z")


# --- What the writer does -----------------------------------------------------------------------------


@pytest.mark.spec("P75", "P91")
def test_a_set_has_what_its_search_finds_of_before_and_after() -> None:
    put("urn:before", "Sea ice")
    put("urn:land", "Soil")
    define(Words("sea"))
    put("urn:after", "Deep sea")

    assert (live(), gone()) == ({"urn:before", "urn:after"}, set())
    as_of_old()

    put("urn:after", "Deep lake")
    put("urn:land", "Land and sea")
    world.bury("urn:before")

    assert (live(), gone()) == ({"urn:land"}, {"urn:before", "urn:after"})
    assert stamped_now() == {"urn:before", "urn:after", "urn:land"}
    assert (
        looking.listed("SEA")["urn:after"].set_specs == ("SEA",)
        or "SEA" in looking.listed("SEA")["urn:after"].set_specs
    )
    put("urn:after", "Deep sea again")
    assert live() == {"urn:land", "urn:after"}
    assert "SEA" not in looking.record("urn:after").set_specs, "no header names a virtual set"


def test_a_record_that_changes_and_stays_is_told_as_changed() -> None:
    define(Words("sea"))
    put("urn:a", "Sea ice")
    put("urn:b", "Sea ice")
    as_of_old()
    put("urn:a", "Sea ice, corrected")
    assert stamped_now() == {"urn:a"}


def test_records_of_every_set_and_every_way_of_writing_follow() -> None:
    define(All((Words("sea"), Not(InSet("shared01")))))
    shared = set_inclusion.ensure_set("shared01", kind=MetadataSet.Kind.SHARED)
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:theirs", title="Sea"), into=toulouse)
    put("urn:ours", "Sea")
    assert live() == {"urn:theirs", "urn:ours"}

    store.move(["urn:ours"], into=shared)
    assert (live(), gone()) == ({"urn:theirs"}, {"urn:ours"})
    store.move(["urn:ours"], into=world.own_set())
    assert live() == {"urn:theirs", "urn:ours"}
    store.withdraw(["urn:ours"])
    assert (live(), gone()) == ({"urn:theirs"}, {"urn:ours"})

    # A claim that becomes the record: another source's version is of the sea no more.
    offenbach = world.peer_set(world.OFFENBACH)
    world.put(world.iso_record("urn:theirs", title="Lake"), into=offenbach)
    assert live() == {"urn:theirs"}
    world.bury("urn:theirs", into=toulouse)
    assert (live(), gone()) == (set(), {"urn:ours", "urn:theirs"})
    assert not looking.record("urn:theirs").deleted


def test_what_a_set_that_is_named_gains_and_loses_follows() -> None:
    union = virtual("UNION")
    define(InSet("UNION"))
    put("urn:a")
    assert live() == set()
    set_inclusion.include(union, [world.own_set()])
    assert live() == {"urn:a"}
    set_inclusion.exclude(union, [world.own_set()])
    assert (live(), gone()) == (set(), {"urn:a"})


def test_records_whose_terms_are_made_later_follow_then() -> None:
    put("urn:a", "Sea ice")
    Description.objects.update(terms=None)
    define(Words("sea"))
    assert live() == set()
    search_index.make_missing(seconds=60)
    assert live() == {"urn:a"}


@pytest.mark.spec("P74")
def test_sets_below_it_by_name_are_in_it_too() -> None:
    define(Words("sea"))
    below = set_inclusion.ensure_set("SEA:arctic")
    world.put(world.iso_record("urn:below", title="Ice"), into=below)
    put("urn:a", "Sea")
    assert live() == {"urn:below", "urn:a"}
    define(Words("lake"))
    assert (live(), gone()) == ({"urn:below"}, {"urn:a"})
    world.put(world.iso_record("urn:below", title="Ice lake"), into=below)
    world.bury("urn:below", into=below)
    assert gone() == {"urn:below", "urn:a"}


# --- Changing the search ------------------------------------------------------------------------------


@pytest.mark.spec("G15", "P91")
def test_what_is_foreseen_is_what_is_done_and_what_stays_keeps_its_datestamp() -> None:
    for number in range(3):
        put(f"urn:sea:{number}", "Sea")
        put(f"urn:lake:{number}", "Lake")
    put("urn:both", "Sea and lake")
    sea = define(Words("sea"))
    as_of_old()

    foreseen = set_searches.foresee(sea, Words("lake"))
    assert (foreseen.added, foreseen.deleted, foreseen.stay, foreseen.is_exact) == (3, 3, 1, True)
    assert set(foreseen.examples) == set(Record.objects.filter(key__contains="lake").values_list("pk", flat=True)) | {
        looking.record("urn:both").pk
    }
    define(Words("lake"))

    assert live() == {"urn:lake:0", "urn:lake:1", "urn:lake:2", "urn:both"}
    assert gone() == {"urn:sea:0", "urn:sea:1", "urn:sea:2"}
    assert "urn:both" not in stamped_now()
    assert set_searches.begin(sea, Words("lake")) is None, "that is so already"
    assert set_searches.foresee(sea, Words("lake")).moved == 0


def test_without_enough_time_the_foreseen_numbers_are_marked_as_estimates() -> None:
    for number in range(6):
        put(f"urn:{number}", "Sea" if number % 2 else "Lake")
    with set_searches.LIMITS.replaced(batch=2):
        foreseen = set_searches.foresee(virtual(), Words("sea"), seconds=0)
    assert (foreseen.added, foreseen.is_exact) == (3, False)


@pytest.mark.parametrize("batch", [1, 2])
def test_an_interrupted_change_is_gone_on_with_by_the_next_tick(batch: int) -> None:
    for number in range(5):
        put(f"urn:{number}", "Sea")

    def die(_number: int) -> None:
        raise KeyboardInterrupt

    with set_searches.LIMITS.replaced(batch=batch):
        change = set_searches.begin(virtual(), Words("sea"))
        with pytest.raises(KeyboardInterrupt):
            set_changes.go_on(change, advance=die)
        assert len(live()) == batch
        put("urn:4", "Lake")
        put("urn:new", "Sea")
        assert set_changes.go_on_with_all()
    assert live() == {"urn:0", "urn:1", "urn:2", "urn:3", "urn:new"}
    assert SetChange.objects.get(pk=change.pk).ended is not None


def test_a_search_that_is_changed_on_its_way_is_replaced() -> None:
    put("urn:sea", "Sea")
    put("urn:lake", "Lake")
    first = set_searches.begin(virtual(), Words("sea"))
    second = set_searches.begin(virtual(), Words("lake"))
    assert [change.pk for change in set_changes.open_changes()] == [second.pk]
    assert set_changes.go_on(first), "it has ended"
    assert set_changes.go_on_with_all()
    assert (live(), gone()) == ({"urn:lake"}, set())


def test_a_search_that_is_taken_away_takes_its_records_along() -> None:
    put("urn:a", "Sea")
    sea = define(Words("sea"))
    with pytest.raises(ValidationError, match="SEA is defined by a search"):
        set_inclusion.include(sea, [world.own_set()])
    assert set_searches.foresee(sea, None).deleted == 1
    define(None)
    assert (live(), gone()) == (set(), {"urn:a"})
    assert not SetSearch.objects.exists()
    assert set_searches.begin(sea, None) is None
    set_inclusion.include(sea, [world.own_set()])
    assert live() == {"urn:a"}
    with pytest.raises(ValidationError, match="SEA is made of other sets"):
        set_searches.begin(sea, Words("sea"))


@pytest.mark.django_db(transaction=True)
def test_what_others_store_while_the_search_changes_is_where_it_belongs() -> None:
    """A writer in another connection, between the batches of the change and while they wait for its lock."""
    for number in range(60):
        put(f"urn:{number}", "Sea" if number % 2 else "Lake")
    define(Words("sea"))

    def write() -> None:
        for number in range(0, 60, 3):
            put(f"urn:{number}", "Sea" if number % 2 == 0 else "Lake")

    def change() -> None:
        with set_searches.LIMITS.replaced(batch=7):
            for condition in (Words("lake"), Words("sea"), Words("lake")):
                define(condition)

    with threads(2) as pool:
        for future in (pool.start(write), pool.start(change)):
            future.result(TIMEOUT_S)
    lakes = {f"urn:{number}" for number in range(60) if (number % 2 == 0) != (number % 3 == 0)}
    assert live() == lakes
    assert looking.sizes_that_are_wrong() == []


# --- Who sees it --------------------------------------------------------------------------------------


def test_that_a_search_finds_a_hidden_record_shows_it_to_nobody() -> None:
    hidden = set_inclusion.ensure_set("hidden", name="Hidden")
    hidden.public = False
    hidden.save()
    world.put(world.iso_record("urn:hidden", title="Sea"), into=hidden)
    put("urn:open", "Sea")
    visibility.settle_pending()
    define(Words("sea"))
    visibility.settle_pending()

    everybody = set(viewers.ANYBODY.records().values_list("identifier", flat=True))
    assert everybody == {"urn:open"}
    assert live() == {"urn:open"}
    world.put(world.iso_record("urn:hidden", title="Sea ice"), into=hidden)
    assert looking.record("urn:hidden").audience != 0
    assert Membership.objects.filter(set__spec="SEA", deleted=False).count() == 2

    change = set_searches.begin(virtual(), None)
    world.put(world.iso_record("urn:hidden", title="Sea ice, again"), into=hidden)
    assert looking.record("urn:hidden").audience != 0, "nor while the search is being taken away"
    set_changes.go_on(change)
    assert looking.record("urn:hidden").audience != 0


# --- What cannot define a set -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        (Changed(), "when records changed here"),
        (All((Words("sea"), Compare("updated", ">", "2024"))), "when records changed here"),
        (Not(Is("label", ("valid",))), "cannot hang on the label"),
        (Words("  "), "finds every record"),
        (All(()), "finds every record"),
        (Compare("created", "<", "text"), "The database cannot run this search: invalid input syntax"),
        (InSet("SEA"), "no set that is defined by a search: SEA"),
        (InSet("OTHER"), "no set that is defined by a search: OTHER"),
    ],
)
def test_a_search_that_cannot_define_a_set_is_refused_with_the_reason(condition: Condition, why: str) -> None:
    define(Words("other"), "OTHER")
    for refuse in (set_searches.begin, set_searches.foresee):
        with pytest.raises(ValidationError, match=why):
            refuse(virtual(), condition)
    assert not SetSearch.objects.filter(set__spec="SEA").exists()


def test_only_a_virtual_set_without_a_colon_is_defined_by_a_search() -> None:
    with pytest.raises(ValidationError, match="not a virtual set"):
        set_searches.begin(world.own_set(), Words("sea"))
    with pytest.raises(ValidationError, match="below another set by its name"):
        set_searches.begin(virtual("A:sea"), Words("sea"))
    union = virtual("UNION")
    define(InSet("UNION"))
    with pytest.raises(ValidationError, match="can name no set"):
        set_searches.begin(union, Words("sea"))


def test_a_search_that_cannot_be_read_stops_no_writer_and_is_a_problem() -> None:
    define(Words("sea"))
    define(Words("lake"), "LAKE")
    SetSearch.objects.filter(set__spec="SEA").update(condition={"is": "Unheard"})
    put("urn:a", "Sea and lake")
    assert (live(), live("LAKE")) == (set(), {"urn:a"})
    found = [problem for problem in find_problems() if problem.code == "set-search-unreadable"]
    assert [problem.name for problem in found] == ["SEA"]
    define(Words("sea"))
    assert live() == {"urn:a"}


# --- The texts of people ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "filter_text", "condition", "canonical"),
    [
        ("sea ice", "", All((Words("sea ice"),)), "q=sea+ice"),
        ("q=sea&sort=id&after=x", "", All((Words("sea"),)), "q=sea"),
        ("?q=sea&west=", "", All((Words("sea"),)), "q=sea"),
        (
            "https://gisc.example/?q=%22sea+ice%22&type=dataset&type=series",
            "",
            All((Words('"sea ice"'), Is("type", ("dataset", "series")))),
            "q=%22sea+ice%22&type=dataset&type=series",
        ),
        ("/?west=-10&south=0&east=20&north=30", "", All((Meets(-10, 0, 20, 30),)), "west=-10&south=0&east=20&north=30"),
        ("", "title LIKE 'Sea%'", All((Like("title", "Sea%"),)), ""),
        ("sea", "type = 'dataset'", None, "q=sea"),
    ],
)
def test_a_search_is_read_as_the_public_page_reads_it(
    address: str, filter_text: str, condition: Condition | None, canonical: str
) -> None:
    defined = reading.read(address, filter_text)
    if condition is not None:
        assert defined.condition == condition
        assert defined.address == canonical
    assert reading.read(defined.address, defined.filter_text) == defined


@pytest.mark.parametrize(
    ("address", "filter_text", "why"),
    [
        ("", "", "every record"),
        ("/?", "", "every record"),
        ("q=sea&bbox=1,2,3,4", "", "no argument “bbox”"),
        ("q=sea&set=NOWHERE", "", "no set “NOWHERE”"),
        ("west=1&south=2&east=3", "", "four numbers of degrees"),
        ("begins=yesterday", "", "Write a date"),
        ("the", "", "Nothing in “the” is a word"),
        ("q=the&keyword=x", "", "Nothing in “the” is a word"),
        ("+".join(["q=sea", *map(str, range(100, 150))]), "", "more than 50 words"),
        ("q=sea&q=ice", "", "does not understand all"),
        ("q=sea&q=", "", "does not understand all"),
        ("label=unheard", "", "does not understand all"),
        ("&".join(f"keyword={number}" for number in range(21)), "", "does not understand all"),
        ("sea", "title LIKE", "no CQL2 text"),
        ("", "nothing = 1", "nothing"),
    ],
)
def test_what_a_page_would_leave_out_of_a_search_is_refused(address: str, filter_text: str, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        reading.read(address, filter_text)
    assert why in " ".join(refused.value.messages)


def test_the_command_says_what_harvesters_will_see_and_does_it() -> None:
    put("urn:a", "Sea")
    put("urn:b", "Sea")
    call_command("set", "add", "SEA", "--kind", "virtual", stdout=StringIO())
    for options, found in ((["--dry-run"], set()), ([], {"urn:a", "urn:b"})):
        out = StringIO()
        call_command("set", "search", "SEA", "--search", "q=sea", *options, stdout=out)
        assert "found: 2, added: 2, deleted: 0, unchanged: 0" in out.getvalue()
        assert live() == found
    assert str(SetSearch.objects.get()) == "q=sea"
    call_command("set", "search", "SEA", "--filter", "id = 'urn:b'", stdout=StringIO())
    assert (live(), gone()) == ({"urn:b"}, {"urn:a"})
    call_command("set", "search", "SEA", "--none", stdout=StringIO())
    assert live() == set()
    for arguments, why in (
        (["--search", "bbox=1"], "no argument"),
        (["--none", "--search", "sea"], "Give a search, or --none"),
        ([], "every record"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("set", "search", "SEA", *arguments, stdout=StringIO())


# --- Real records -------------------------------------------------------------------------------------

_EACH = 12
CONDITIONS: list[Condition] = [
    Words("sea"),
    All((Words("data"), Not(Words("ice")))),
    Any((Phrase("surface temperature"), Words("rainfall"))),
    Any((Phrase("sea ice"), WordsIn("title", "ocean"), WordsIn("subject", "weather observations", are_adjacent=True))),
    All((Meets(-30, 30, 50, 80), During(None, None))),
    All((InSet(world.TOULOUSE.spec), Is("type", ("dataset", "")))),
    Any((Among(("urn:nothing",)), Like("title", "%e%", ignores_case=True), IsNull("keyword"))),
    All((MetadataDate(), Not(Is("language", ("eng",))))),
    Any((Not(Is("language_code", ("en", "fra"))), Is("language_code", ("deu",)))),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=repr)
def test_of_real_records_a_set_has_those_that_a_naive_filter_finds(condition: Condition) -> None:
    found = World(_EACH, by_beginning=False)
    wanted = {each.record.key for each in found.records if found.matches(condition, each)}
    define(condition)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.key FROM catalogue_membership m JOIN catalogue_record r ON r.id = m.record_id"
            " JOIN catalogue_metadataset s ON s.id = m.set_id WHERE s.spec = 'SEA' AND NOT m.deleted"
        )
        assert {key for (key,) in cursor.fetchall()} == wanted


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_of_any_search_the_writer_finds_what_a_naive_filter_finds(real: World, data: st.DataObject) -> None:
    condition = data.draw(some_conditions(real))
    if list(stored.unfit_for_sets(condition)):
        return
    assert stored.from_json(stored.to_json(condition)) == condition
    wanted = {each.record.pk for each in real.records if real.matches(condition, each)}
    assert set_searches._found(condition, [each.record.pk for each in real.records]) == wanted


@pytest.fixture
def real(db: None) -> World:
    return World(_EACH, by_beginning=False)


# --- Whatever happens ---------------------------------------------------------------------------------

NAMES = [f"urn:{number}" for number in range(6)]
TITLES = ["Sea", "Lake", "Sea and lake", "Soil"]
SEARCHES: list[Condition | None] = [Words("sea"), Words("lake"), Not(Words("soil")), InSet(world.TOULOUSE.spec), None]
steps = st.lists(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from(TITLES), st.booleans())
    | st.tuples(st.just("bury"), st.sampled_from(NAMES), st.just(""), st.booleans())
    | st.tuples(st.just("search"), st.integers(0, len(SEARCHES) - 1), st.just(""), st.booleans()),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(given_steps=steps)
def test_a_harvester_that_asks_for_changes_alone_always_has_the_set(given_steps: list[tuple]) -> None:
    with transaction.atomic():
        sets = {True: world.own_set(), False: world.peer_set(world.TOULOUSE)}
        virtual()
        search: Condition | None = None
        mirror: set[str] = set()
        for act, which, title, is_own in given_steps:
            as_of_old()
            if act == "put":
                store.put_entries([store.prepare(world.iso_record(which, title=title))], into=sets[is_own])
            elif act == "bury":
                world.bury(which, into=sets[is_own])
            else:
                search = SEARCHES[which]
                change = set_searches.begin(virtual(), search)
                if change is not None:
                    set_changes.go_on(change)
            for name, listed in looking.listed("SEA").items():
                if listed.position.datestamp.year > 2024:
                    (mirror.discard if listed.deleted else mirror.add)(name)
            wanted = {
                record.identifier
                for record in Record.objects.filter(deleted=False).select_related("description")
                if search is not None and _is_found(search, record)
            }
            assert live() == wanted == mirror
            assert looking.sizes_that_are_wrong() == []
        transaction.set_rollback(True)


def _is_found(search: Condition, record: Record) -> bool:
    title = record.description.title.casefold()
    if isinstance(search, Not):
        return "soil" not in title
    if isinstance(search, InSet):
        return record.memberships.filter(set__spec=search.spec, deleted=False).exists()
    return search.text in title
