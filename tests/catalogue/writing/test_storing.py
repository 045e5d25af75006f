"""What becomes of entries that are put: counts, rows, tombstones."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue import oai
from catalogue.models import DatestampClock, Description, JournalOutbox, Membership, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reading.query import search
from catalogue.writing import store
from catalogue.writing.decisions import Action, Disagreement
from tests.support import looking, world

pytestmark = pytest.mark.django_db


def put(*offered: bytes | str, into=None) -> list[Action]:
    """Put records (bytes) and deletions (identifiers); what became of each."""
    entries = [store.prepare(o) if isinstance(o, bytes) else store.prepare_deletion(o) for o in offered]
    return [result.action for result in store.put_entries(entries, into=into or world.own_set())]


def a(title: str = "One", identifier: str = "urn:a") -> bytes:
    return world.iso_record(identifier, title=title)


# --- New, updated, unchanged --------------------------------------------------------------------------


@pytest.mark.spec("W3", "P69", "H42")
def test_a_new_record_is_kept_as_it_came_with_the_identifier_it_has() -> None:
    document = world.iso_record("URN:x-wmo:md:A", title="Wind", metadata_date="2024-03-01")
    assert put(document) == [Action.NEW]
    held = looking.record("URN:x-wmo:md:A")
    assert payload.unpack(held.payload) == document.split(b"\n", 1)[1].rstrip()
    assert held.key == "URN:x-wmo:md:A"
    assert held.owner == world.own_set()
    assert held.set_specs == [world.OUR_SPEC]
    assert held.provenance is None
    assert held.description.title == "Wind"


@pytest.mark.spec("P95", "W16")
def test_the_datestamp_is_ours_and_never_the_metadata_date() -> None:
    before = DatestampClock.objects.get().stamp
    put(world.iso_record("urn:a", metadata_date="2035-01-01"))
    held = looking.record("urn:a")
    assert before <= held.datestamp == DatestampClock.objects.get().stamp
    assert held.datestamp.year != 2035
    assert held.metadata_date.year == 2035
    assert held.memberships.get().datestamp == held.datestamp


def test_entries_are_counted_one_by_one_in_their_order() -> None:
    put(a("One"), world.iso_record("urn:b"), world.iso_record("urn:c"))
    world.put(world.iso_record("urn:theirs"), into=world.peer_set(world.TOULOUSE))
    assert put(
        a("Two"), world.iso_record("urn:b"), "urn:c", world.iso_record("urn:d"), "urn:e", world.iso_record("urn:theirs")
    ) == [Action.UPDATED, Action.UNCHANGED, Action.DELETED, Action.NEW, Action.DELETED, Action.REJECTED]


def test_nothing_offered_is_nothing_done() -> None:
    before = looking.row_versions()
    assert put() == []
    assert looking.row_versions() == before


@pytest.mark.spec("P90")
def test_unchanged_entries_write_nothing_not_even_the_clock() -> None:
    put(a(), world.iso_record("urn:b"), "urn:gone")
    before = looking.row_versions()
    reindented = a().replace(b"\n", b"\r\n   ").replace(b'encoding="UTF-8"', b"")
    assert put(reindented, world.iso_record("urn:b"), "urn:gone", " urn:gone ") == [Action.UNCHANGED] * 4
    assert looking.row_versions() == before


def test_descriptions_of_new_records_are_written_before_the_lock_and_not_looked_at_under_it() -> None:
    def written_under_the_lock(*offered: bytes | str) -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            put(*offered)
        statements = [query["sql"] for query in queries]
        (locked,) = [number for number, text in enumerate(statements) if "catalogue_stamp" in text]
        assert any("INTO catalogue_description" in text for text in statements[:locked])
        return [text for text in statements[locked:] if "catalogue_description" in text]

    assert written_under_the_lock(a(), world.iso_record("urn:b")) == []
    assert Description.objects.count() == 2
    assert len(written_under_the_lock(a("Two"), world.iso_record("urn:c"))) == 2
    assert len(written_under_the_lock("urn:b", world.iso_record("urn:d"))) == 2
    assert set(Description.objects.values_list("record__key", "title")) == {
        ("urn:a", "Two"),
        ("urn:c", "Surface observations"),
        ("urn:d", "Surface observations"),
    }


@pytest.mark.spec("P90")
def test_an_unchanged_entry_beside_a_changed_one_keeps_its_row() -> None:
    put(a(), world.iso_record("urn:b"))
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    held = looking.record("urn:a")
    with looking.connection.cursor() as cursor:
        cursor.execute("SELECT ctid::text, xmin::text, cmin::text FROM catalogue_record WHERE key = 'urn:a'")
        version = cursor.fetchone()
        assert put(a(), world.iso_record("urn:b", title="Two")) == [Action.UNCHANGED, Action.UPDATED]
        cursor.execute("SELECT ctid::text, xmin::text, cmin::text FROM catalogue_record WHERE key = 'urn:a'")
        assert cursor.fetchone() == version
    assert looking.record("urn:a").datestamp == held.datestamp < looking.record("urn:b").datestamp


@pytest.mark.spec("P89")
def test_an_update_changes_content_datestamp_and_description_and_nothing_else() -> None:
    put(a("One"))
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    old = looking.record("urn:a")
    assert put(a("Two")) == [Action.UPDATED]
    new = looking.record("urn:a")
    assert new.pk == old.pk
    assert new.datestamp > old.datestamp
    assert b"Two" in payload.unpack(new.payload)
    assert Description.objects.get().title == "Two"
    assert Membership.objects.get().datestamp == new.datestamp
    assert not JournalOutbox.objects.exists()


def test_the_provenance_of_the_version_held_is_kept() -> None:
    entry = store.prepare(a(), provenance=Provenance("é\\\"'", "urn:a", link="toulouse"))
    store.put_entries([entry], into=world.peer_set(world.TOULOUSE))
    assert Provenance.from_json(looking.record("urn:a").provenance) == entry.provenance
    again = store.prepare(a(), provenance=Provenance(link="another"))
    assert [result.action for result in store.put_entries([again], into=world.peer_set(world.TOULOUSE))] == [
        Action.UNCHANGED
    ]
    assert looking.record("urn:a").provenance["link"] == "toulouse"


@pytest.mark.parametrize("offered", [
    (a(),), (a("Two", "urn:b"), "urn:c"), ("urn:known",), (a("Changed", "urn:known"),), (a("Held", "urn:known"), a("New", "urn:d")),
])  # fmt: skip
def test_no_statement_runs_for_an_empty_list(offered: tuple[bytes | str, ...], toulouse) -> None:
    """Under the writers' lock least of all: all other writers wait meanwhile."""
    put(a("Held", "urn:known"), into=toulouse)
    with CaptureQueriesContext(connection) as captured:
        put(*offered, into=toulouse)
    statements = [query["sql"] for query in captured.captured_queries]
    assert any("catalogue_record" in sql for sql in statements)
    assert [sql for sql in statements if "'{}'" in sql or "ARRAY[]" in sql] == []


# --- One identifier, several times --------------------------------------------------------------------


def test_of_several_versions_in_one_batch_the_last_counts() -> None:
    assert put(a("One"), a("Two"), a("Three")) == [Action.NEW, Action.UPDATED, Action.UPDATED]
    assert Description.objects.get().title == "Three"
    assert Record.objects.count() == Membership.objects.count() == 1


def test_a_version_offered_twice_in_one_batch_is_new_once() -> None:
    assert put(a(), a(), a()) == [Action.NEW, Action.UNCHANGED, Action.UNCHANGED]


def test_a_record_and_its_deletion_in_one_batch_leave_a_tombstone() -> None:
    assert put(a(), "urn:a") == [Action.NEW, Action.DELETED]
    assert looking.record("urn:a").deleted
    assert not Description.objects.exists()


def test_a_deletion_and_the_record_in_one_batch_leave_the_record() -> None:
    put(a("One"))
    assert put("urn:a", a("Two")) == [Action.DELETED, Action.UPDATED]
    assert not looking.record("urn:a").deleted
    assert Description.objects.get().title == "Two"


@pytest.mark.spec("P90")
def test_a_batch_that_ends_where_it_began_writes_no_record() -> None:
    put(a("One"))
    before = looking.row_versions()
    assert put(a("Two"), a("One")) == [Action.UPDATED, Action.UPDATED]
    after = looking.row_versions()
    assert after["catalogue_record"] == before["catalogue_record"]
    assert after["catalogue_membership"] == before["catalogue_membership"]
    assert Description.objects.get().title == "One"


# --- A gmd:fileIdentifier that is no URI --------------------------------------------------------------


@pytest.mark.spec("P68")
@pytest.mark.parametrize("named", ["{a b}", "%7Ba%20b%7D"])
def test_a_record_whose_fileIdentifier_is_no_uri_is_found_and_deleted_by_either_form(named: str) -> None:
    assert put(a(identifier="{a b}")) == [Action.NEW]
    held = Record.objects.get()
    assert (held.identifier, held.key) == ("{a b}", "%7Ba%20b%7D")
    assert b"{a b}" in payload.unpack(held.payload)
    assert Record.objects.named(named).get() == held
    assert put(named) == [Action.DELETED]
    held.refresh_from_db()
    assert (held.identifier, held.key, held.deleted) == ("{a b}", "%7Ba%20b%7D", True)
    assert put(a(identifier="{a b}")) == [Action.UPDATED]


@pytest.mark.spec("P68", "P69")
@pytest.mark.parametrize(("first", "second"), [("a b", "a%20b"), ("a%20b", "a b")])
def test_of_two_fileIdentifiers_with_one_oai_identifier_the_second_is_a_conflict(first: str, second: str) -> None:
    put(a(identifier=first))
    (result,) = store.put_entries([store.prepare(a(identifier=second))], into=world.own_set())
    assert (result.action, result.disagreement) == (Action.REJECTED, Disagreement.TAKEN)
    assert "a%20b, which belongs to the record" in str(result.reason)
    assert Record.objects.get().identifier == first


@pytest.mark.spec("P68", "P69")
def test_a_deletion_by_the_other_records_fileIdentifier_deletes_nothing() -> None:
    put(a(identifier="a%20b"))
    assert put("a b") == [Action.REJECTED]
    assert store.withdraw(["a b"])[0].action is Action.REJECTED
    assert store.move(["a b"], into=world.peer_set(world.TOULOUSE))[0].action is Action.REJECTED
    assert not Record.objects.get().deleted


@pytest.mark.spec("P68", "W12")
def test_a_record_takes_the_place_of_a_tombstone_that_knew_only_the_oai_identifier() -> None:
    put("a%20b")
    assert put(a(identifier="a b")) == [Action.UPDATED]
    assert Record.objects.get().identifier == "a b"


# --- Deletion and return ------------------------------------------------------------------------------


@pytest.mark.spec("P83", "P84", "W8")
def test_a_deletion_leaves_a_tombstone_with_its_sets_and_without_metadata() -> None:
    put(a())
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    old = looking.record("urn:a")
    assert put("urn:a") == [Action.DELETED]
    held = looking.record("urn:a")
    assert (held.pk, held.deleted, held.payload, held.digest, held.metadata_date) == (old.pk, True, None, None, None)
    assert held.datestamp > old.datestamp
    assert held.set_specs == [world.OUR_SPEC]
    membership = held.memberships.get()
    assert (membership.deleted, membership.datestamp) == (True, held.datestamp)
    assert not Description.objects.exists()
    (entry,) = looking.listed(world.OUR_SPEC).values()
    assert (entry.deleted, entry.payload, entry.set_specs) == (True, None, (oai.CATALOGUE_SET, world.OUR_SPEC))


@pytest.mark.spec("W12")
def test_a_tombstone_is_kept_for_an_identifier_never_seen() -> None:
    toulouse = world.peer_set(world.TOULOUSE)
    assert put("urn:never", into=toulouse) == [Action.DELETED]
    held = looking.record("urn:never")
    assert (held.deleted, held.owner, held.set_specs) == (True, toulouse, [toulouse.spec])
    assert looking.listed(toulouse.spec)["urn:never"].deleted
    assert looking.listed()["urn:never"].deleted
    assert put("urn:never", into=toulouse) == [Action.UNCHANGED]


@pytest.mark.spec("P86")
def test_a_record_that_comes_back_keeps_its_row() -> None:
    put(a("One"))
    put("urn:a")
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    tombstone = looking.record("urn:a")
    assert put(a("One")) == [Action.UPDATED]
    held = looking.record("urn:a")
    assert (held.pk, held.deleted) == (tombstone.pk, False)
    assert held.datestamp > tombstone.datestamp
    assert Description.objects.get().title == "One"
    assert not held.memberships.get().deleted
    assert not looking.listed(world.OUR_SPEC)["urn:a"].deleted


def test_a_tombstone_has_no_provenance_of_the_record_it_was() -> None:
    store.put_entries([store.prepare(a(), provenance=Provenance(link="x"))], into=world.own_set())
    store.put_entries([store.prepare_deletion("urn:a")], into=world.own_set())
    assert looking.record("urn:a").provenance is None


# --- Whoever owns the record decides ------------------------------------------------------------------


@pytest.mark.spec("W23", "W47")
@pytest.mark.parametrize("offered", ["record", "same record", "deletion"])
def test_a_peer_never_changes_our_record(offered: str) -> None:
    into = world.own_set()
    put(a("One"), into=into)
    before = looking.row_versions()
    entry = {
        "record": store.prepare(a("Two")),
        "same record": store.prepare(a("One")),
        "deletion": store.prepare_deletion("urn:a"),
    }[offered]
    (result,) = store.put_entries([entry], into=world.peer_set(world.TOULOUSE))
    assert result.action is Action.REJECTED
    assert f"belongs to the set {into.spec}, so WIS-GISC-TOULOUSE cannot " in str(result.reason)
    assert result.reason.facts["act"] == ("delete" if entry.deleted else "change")
    after = looking.row_versions()
    assert {table: rows for table, rows in after.items() if rows != before[table] and "clock" not in table} == {}


def test_we_do_not_change_a_peers_record_either() -> None:
    put(a(), into=world.peer_set(world.TOULOUSE))
    assert put(a("Two")) == put("urn:a") == [Action.REJECTED]


@pytest.mark.spec("W23")
def test_after_the_holder_deleted_a_record_another_set_may_take_it_over() -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    put(a("One"), into=toulouse)
    put("urn:a", into=toulouse)
    world.restamp("urn:a", "2024-01-01T00:00:00Z")
    assert put(a("Two"), into=offenbach) == [Action.UPDATED]
    held = looking.record("urn:a")
    assert (held.owner, held.set_specs, held.deleted) == (offenbach, [offenbach.spec], False)
    # To the harvesters of the old set it stays deleted, by a header that names that set alone, and so is a new one.
    (old,) = looking.listed(toulouse.spec).values()
    (new,) = looking.listed(offenbach.spec).values()
    assert not new.deleted
    assert (old.deleted, old.payload, old.position.datestamp) == (True, None, new.position.datestamp)
    assert old.set_specs == (toulouse.spec,)


def test_a_deletion_by_a_set_that_does_not_hold_the_tombstone_changes_nothing() -> None:
    put("urn:a", into=world.peer_set(world.TOULOUSE))
    before = looking.row_versions()
    assert put("urn:a", into=world.peer_set(world.OFFENBACH)) == [Action.UNCHANGED]
    assert looking.row_versions() == before


# --- Withdrawal ---------------------------------------------------------------------------------------


@pytest.mark.spec("W8")
def test_withdrawing_makes_tombstones_of_our_own_records_only() -> None:
    put(a(), world.iso_record("urn:b"))
    put(world.iso_record("urn:theirs"), into=world.peer_set(world.TOULOUSE))
    results = store.withdraw(["urn:a", " urn:b\n", "urn:theirs", "urn:unknown", "{unknown}", ""])
    assert [result.action for result in results] == [
        *(Action.DELETED, Action.DELETED, Action.REJECTED),
        *(Action.REJECTED, Action.REJECTED, Action.REJECTED),
    ]
    assert [str(result.reason) for result in results[2:]] == [
        "belongs to the set WIS-GISC-TOULOUSE, so WIS-GISC-TOKYO cannot delete it",
        "is not in the catalogue",
        "is not in the catalogue",
        "the identifier '' is empty",
    ]
    assert {identifier for identifier, entry in looking.listed().items() if entry.deleted} == {"urn:a", "urn:b"}
    assert not Record.objects.filter(key="urn:unknown").exists()


@pytest.mark.spec("P90")
def test_withdrawing_twice_changes_nothing_the_second_time() -> None:
    put(a())
    assert [result.action for result in store.withdraw(["urn:a", "urn:a"])] == [Action.DELETED, Action.UNCHANGED]
    before = looking.row_versions()
    assert [result.action for result in store.withdraw(["urn:a"])] == [Action.UNCHANGED]
    assert looking.row_versions() == before


def test_withdrawing_nothing_is_nothing() -> None:
    assert store.withdraw([]) == []


# --- Search -------------------------------------------------------------------------------------------


def hits(text: str) -> set[str]:
    return set(search.records(text).values_list("identifier", flat=True))


def test_search_finds_words_of_title_keywords_and_abstract_and_the_identifier() -> None:
    put(
        world.iso_record("urn:A", title="Wind over Tōkyō", abstract="Hourly reports", keywords=["sea ice", "WAVES"]),
        world.iso_record("urn:b", title="Rain", abstract="Daily reports"),
    )
    assert hits("wind") == hits("WIND tōkyō") == hits("hourly") == hits("waves ice") == {"urn:A"}
    assert hits("reports") == hits("") == hits(" ") == {"urn:A", "urn:b"}
    assert hits("rain or wind") == {"urn:A", "urn:b"}
    assert hits("reports -wind") == {"urn:b"}
    assert hits('"sea ice"') == {"urn:A"}
    assert hits("urn:A") == hits(" urn:A ") == {"urn:A"}
    assert hits("snow") == set()


@pytest.mark.parametrize(
    "text", ["'", '"', "\\", "%", "a & | ! ( )", "<->", ":*", "-", "or", "x" * 5000, "'; DROP TABLE"]
)
def test_no_search_text_is_an_error(text: str) -> None:
    put(a())
    assert hits(text) <= {"urn:a"}


def test_search_forgets_what_was_updated_or_deleted() -> None:
    put(a("Wind"))
    put(a("Rain"))
    assert (hits("wind"), hits("rain")) == (set(), {"urn:a"})
    put("urn:a")
    assert (hits("rain"), hits("urn:a"), hits("")) == (set(), set(), set())
