"""Promise 9: whoever owns a record decides its content; what others say of it is kept, shown, and may take over."""

import pytest

from catalogue.documents import xml_tree
from catalogue.models import Claim, JournalOutbox, MetadataSet, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reading import lists
from catalogue.writing import decisions, store
from catalogue.writing.decisions import Action
from tests.support import looking, world

pytestmark = pytest.mark.django_db

FRENCH, GERMAN = world.TOULOUSE.spec, world.OFFENBACH.spec


def a(title: str = "One", *, date: str = "2024-01-01") -> bytes:
    return world.iso_record("urn:a", title=title, metadata_date=date)


def offer(document: bytes | str, *, into: MetadataSet, source: str) -> decisions.Result:
    """One entry of a link; a string is a deletion."""
    if isinstance(document, str):
        entry = store.prepare_deletion(document)
    else:
        entry = store.prepare(document, provenance=Provenance(link=source))
    (result,) = store.put_entries([entry], into=into, source=source)
    return result


@pytest.fixture
def toulouse() -> MetadataSet:
    return world.peer_set(world.TOULOUSE)


@pytest.fixture
def offenbach() -> MetadataSet:
    return world.peer_set(world.OFFENBACH)


@pytest.fixture
def shared() -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared 01", kind=MetadataSet.Kind.SHARED)


def title() -> str:
    return looking.record("urn:a").description.title


def stamps_of_the_past() -> None:
    world.restamp("urn:a", "2024-01-01T00:00:00Z")


def in_list(spec: str) -> tuple[bool, int]:
    """Whether the record is deleted in the list of a set, and the year of its datestamp there."""
    listed = looking.listed(spec)["urn:a"]
    return listed.deleted, listed.position.datestamp.year


@pytest.mark.spec("W23", "W47")
def test_a_record_from_two_sets_is_one_record_in_both_with_its_owners_content(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    stamps_of_the_past()

    result = offer(a("Two"), into=offenbach, source="offenbach")

    assert result.action is Action.UPDATED
    assert "differs from the version of WIS-GISC-TOULOUSE" in str(result.reason)
    held = looking.record("urn:a")
    assert (held.owner, held.set_specs, title()) == (toulouse, [GERMAN, FRENCH], "One")
    assert (in_list(FRENCH), in_list(GERMAN)) == ((False, held.datestamp.year), (False, held.datestamp.year))
    assert held.datestamp.year > 2024, "a change of membership changes the datestamp (P81)"
    assert Claim.objects.get().set == offenbach


def test_the_same_word_again_changes_nothing(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    before = looking.row_versions()

    assert offer(a("Two"), into=offenbach, source="offenbach").action is Action.UNCHANGED
    assert offer(a("One"), into=toulouse, source="toulouse").action is Action.UNCHANGED

    assert looking.row_versions() == before


def test_another_word_on_the_same_record_is_kept_and_changes_nothing_that_is_served(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    stamps_of_the_past()

    result = offer(a("Three"), into=offenbach, source="offenbach")

    assert (result.action, title()) == (Action.UNCHANGED, "One")
    assert looking.record("urn:a").datestamp.year == 2024
    assert bytes(Claim.objects.get().digest) == store.prepare(a("Three")).digest


def test_the_owners_new_version_is_told_to_the_harvesters_of_both_sets(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    stamps_of_the_past()

    assert offer(a("Four"), into=toulouse, source="toulouse").action is Action.UPDATED

    assert title() == "Four"
    assert looking.record("urn:a").set_specs == [GERMAN, FRENCH]
    assert all(year > 2024 for _, year in (in_list(FRENCH), in_list(GERMAN)))


@pytest.mark.spec("P68", "W23")
def test_a_record_that_is_called_by_its_header_is_so_too_when_a_claim_takes_over(toulouse, offenbach) -> None:
    for into, title_ in ((toulouse, "One"), (offenbach, "Two")):
        entry = store.prepare(a(title_), provenance=Provenance(link=into.spec)).called("oai:h:1", "oai:h:1")
        store.put_entries([entry], into=into, source=into.spec)
    for into in (toulouse, offenbach):
        assert not Record.objects.get().deleted
        store.put_entries([store.prepare_deletion("oai:h:1")], into=into, source=into.spec)
        held = Record.objects.get()
        assert (held.key, held.identifier) == ("oai:h:1", "oai:h:1")
    assert held.deleted
    assert {event.identifier for event in JournalOutbox.objects.all()} == {"oai:h:1"}, "a replay finds the record by it"


@pytest.mark.spec("W23")
def test_when_the_owner_deletes_it_the_other_word_takes_over(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    stamps_of_the_past()

    result = offer("urn:a", into=toulouse, source="toulouse")

    assert (result.action, str(result.reason)) == (
        Action.UPDATED,
        f"is deleted in {FRENCH} and still live at another source",
    )
    held = looking.record("urn:a")
    assert (held.deleted, held.owner, held.set_specs, title()) == (False, offenbach, [GERMAN], "Two")
    assert in_list(FRENCH)[0] and not in_list(GERMAN)[0]
    assert in_list(FRENCH)[1] > 2024
    assert not Claim.objects.exists()
    (noted,) = JournalOutbox.objects.all()
    assert (noted.event, noted.identifier, noted.set_specs) == ("left", "urn:a", [FRENCH]), "it lives on elsewhere"


@pytest.mark.spec("W23")
def test_a_hand_over_works_in_the_other_order_too(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer("urn:a", into=toulouse, source="toulouse")

    assert offer(a("Two"), into=offenbach, source="offenbach").action is Action.UPDATED

    held = looking.record("urn:a")
    assert (held.owner, held.set_specs, held.deleted) == (offenbach, [GERMAN], False)
    assert offer("urn:a", into=toulouse, source="toulouse").action is Action.UNCHANGED, "the overlap brings it again"
    assert not looking.record("urn:a").deleted


def test_a_word_taken_back_leaves_the_set_and_the_record(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    stamps_of_the_past()

    assert offer("urn:a", into=offenbach, source="offenbach").action is Action.DELETED

    held = looking.record("urn:a")
    assert (held.deleted, held.set_specs, title()) == (False, [FRENCH], "One")
    assert in_list(GERMAN)[0]
    assert looking.listed(GERMAN)["urn:a"].set_specs == (GERMAN,)
    found = lists.find("urn:a")
    assert found is not None
    assert not found.deleted, "GetRecord shows it live"


def test_both_words_gone_is_a_tombstone_in_both_sets(toulouse, offenbach) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    offer("urn:a", into=toulouse, source="toulouse")

    assert offer("urn:a", into=offenbach, source="offenbach").action is Action.DELETED

    assert looking.record("urn:a").deleted
    assert in_list(FRENCH)[0] and in_list(GERMAN)[0]


def damage(spec: str) -> None:
    """The claim of this set cannot be read back any more."""
    claim = Claim.objects.get(set__spec=spec)
    Claim.objects.filter(pk=claim.pk).update(payload=bytes(claim.payload)[:-9])


@pytest.mark.spec("W23")
def test_a_claim_that_cannot_be_read_back_leaves_the_next_best_to_take_over(
    toulouse, offenbach, shared, caplog
) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two", date="2024-06-01"), into=offenbach, source="offenbach")
    offer(a("Three", date="2024-02-01"), into=shared, source="s")
    damage(GERMAN)

    page = [store.prepare_deletion("urn:a"), store.prepare(world.iso_record("urn:b"))]
    results = store.put_entries(page, into=toulouse, source="toulouse")

    assert [result.action for result in results] == [Action.UPDATED, Action.NEW], "one bad record costs one record"
    held = looking.record("urn:a")
    assert (held.owner, held.set_specs, title()) == (shared, [GERMAN, "shared01"], "Three")
    (kept,) = Claim.objects.all()
    assert kept.set == offenbach, "the operator still sees it"
    (logged,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (logged.identifier, logged.source) == ("urn:a", "offenbach")
    assert offer(a("Two", date="2024-06-01"), into=offenbach, source="offenbach").action is Action.UNCHANGED
    assert payload.unpack(Claim.objects.get().payload) == xml_tree.root_element(a("Two", date="2024-06-01"))


def test_a_record_of_which_no_claim_can_be_read_back_is_buried_in_all_its_sets(toulouse, offenbach, caplog) -> None:
    offer(a("One"), into=toulouse, source="toulouse")
    offer(a("Two"), into=offenbach, source="offenbach")
    stamps_of_the_past()
    damage(GERMAN)

    result = offer("urn:a", into=toulouse, source="toulouse")

    assert (result.action, "the versions of other sources are damaged" in str(result.reason)) == (Action.DELETED, True)
    held = looking.record("urn:a")
    assert (held.deleted, held.set_specs, held.datestamp.year > 2024) == (True, [GERMAN, FRENCH], True)
    assert in_list(FRENCH) == in_list(GERMAN) == (True, held.datestamp.year)
    assert [(e.event, e.set_specs) for e in JournalOutbox.objects.all()] == [("deleted", [GERMAN, FRENCH])]
    assert Claim.objects.exists()
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert offer(a("Two"), into=offenbach, source="offenbach").action is Action.UPDATED
    assert not looking.record("urn:a").deleted
    assert not Claim.objects.exists(), "what it says now is the record"


@pytest.mark.spec("W45", "W48")
def test_a_record_of_a_shared_set_is_there_while_one_link_asserts_it(shared) -> None:
    offer(a(), into=shared, source="from-toulouse")
    assert offer(a(), into=shared, source="from-offenbach").action is Action.UNCHANGED
    stamps_of_the_past()

    result = offer("urn:a", into=shared, source="from-toulouse")

    assert "still live" in str(result.reason)
    held = looking.record("urn:a")
    assert (held.deleted, held.datestamp.year) == (False, 2024), "nothing visible changed (P90)"
    assert Provenance.from_json(held.provenance) == Provenance(link="from-offenbach")
    assert offer("urn:a", into=shared, source="from-offenbach").action is Action.DELETED
    assert looking.record("urn:a").deleted


@pytest.mark.spec("W33")
def test_of_two_sources_of_a_shared_set_the_newer_version_counts(shared) -> None:
    offer(a("Old", date="2024-01-01"), into=shared, source="from-toulouse")

    assert offer(a("New", date="2024-06-01"), into=shared, source="from-offenbach").action is Action.UPDATED
    assert title() == "New"
    result = offer(a("Older", date="2023-01-01"), into=shared, source="from-toulouse")
    assert (result.action, title()) == (Action.UNCHANGED, "New")
    assert {claim.source for claim in Claim.objects.all()} == {"from-toulouse"}


@pytest.mark.spec("W33")
def test_the_same_date_and_other_content_leaves_what_is_there_and_says_so(shared) -> None:
    offer(a("One"), into=shared, source="from-toulouse")

    result = offer(a("Two"), into=shared, source="from-offenbach")

    assert (title(), bool(result.reason)) == ("One", True)


def test_a_peers_record_is_not_taken_for_ours(toulouse) -> None:
    offer(a(), into=toulouse, source="toulouse")

    result = store.put_entries([store.prepare(a("Ours"))], into=world.own_set())[0]

    assert result.action is Action.REJECTED
    assert looking.record("urn:a").owner == toulouse


# --- Uploads ------------------------------------------------------------------------------------------


def upload(document: bytes, *, into: MetadataSet, yields_to: frozenset[str] = frozenset()) -> decisions.Result:
    (result,) = store.put_entries([store.prepare(document)], into=into, yields_to=yields_to)
    return result


@pytest.mark.spec("W45")
def test_what_was_uploaded_into_a_shared_set_is_withdrawn_from_it(shared) -> None:
    upload(a(), into=shared)

    assert [result.action for result in store.withdraw(["urn:a", "urn:a"])] == [Action.DELETED, Action.UNCHANGED]

    held = looking.record("urn:a")
    assert (held.deleted, held.owner, held.set_specs) == (True, shared, ["shared01"])
    assert [(e.event, e.set_specs) for e in JournalOutbox.objects.all()] == [("deleted", ["shared01"])]
    assert upload(a("Again"), into=shared).action is Action.UPDATED
    assert (title(), looking.record("urn:a").deleted) == ("Again", False)


@pytest.mark.spec("W45", "W48")
@pytest.mark.parametrize(("date", "served"), [("2024-06-01", "Ours"), ("2023-06-01", "Theirs")])
def test_an_upload_that_is_withdrawn_leaves_what_another_source_has(shared, date: str, served: str) -> None:
    offer(a("Theirs"), into=shared, source="nc")
    upload(a("Ours", date=date), into=shared)
    assert title() == served

    (result,) = store.withdraw(["urn:a"])

    assert result.is_live_elsewhere and result.action is not Action.REJECTED
    assert (title(), looking.record("urn:a").deleted, Claim.objects.exists()) == ("Theirs", False, False)
    assert store.withdraw(["urn:a"])[0].action is Action.REJECTED, "what is left is not ours"


def test_what_a_link_brought_into_a_shared_set_is_not_withdrawn_here(shared) -> None:
    offer(a(), into=shared, source="nc")
    (result,) = store.withdraw(["urn:a"])
    assert (result.action, looking.record("urn:a").deleted) == (Action.REJECTED, False)


@pytest.mark.spec("W42")
def test_a_shared_set_knows_that_it_is_fed_here(shared) -> None:
    def is_fed() -> bool:
        return MetadataSet.objects.get(pk=shared.pk).fed_here

    offer(a(), into=shared, source="nc")
    store.put_entries([store.prepare_deletion("urn:b")], into=shared)
    assert not is_fed(), "by its links alone"
    world.put(world.iso_record("urn:c"))
    store.move(["urn:c"], into=shared)
    assert is_fed()
    MetadataSet.objects.update(fed_here=False)
    shared.refresh_from_db()
    upload(world.iso_record("urn:d"), into=shared)
    assert is_fed()


def test_an_upload_does_not_replace_what_a_link_of_a_peers_set_brings(toulouse) -> None:
    links = frozenset({"toulouse"})
    offer(a("Theirs"), into=toulouse, source="toulouse")
    offer(world.iso_record("urn:b"), into=toulouse, source="toulouse")
    offer("urn:b", into=toulouse, source="toulouse")

    result = upload(a("Ours", date="2030-01-01"), into=toulouse, yields_to=links)

    assert (result.action, result.reason.code, title()) == (Action.REJECTED, "link-decides", "Theirs")
    assert upload(world.iso_record("urn:b"), into=toulouse, yields_to=links).reason.code == "deleted-by-link"
    assert upload(a("Theirs"), into=toulouse, yields_to=links).action is Action.UNCHANGED
    assert upload(world.iso_record("urn:c"), into=toulouse, yields_to=links).action is Action.NEW
    assert upload(a("Ours"), into=toulouse).action is Action.UPDATED, "of a set that no link feeds any more"


@pytest.mark.spec("W33")
def test_a_source_that_goes_back_to_an_older_version_yields_to_the_other_one(shared) -> None:
    offer(a("Theirs", date="2024-02-01"), into=shared, source="b")
    offer(a("Newest", date="2024-03-01"), into=shared, source="a")
    stamps_of_the_past()

    result = offer(a("Older", date="2024-01-01"), into=shared, source="a")

    assert (result.action, result.disagreement) == (Action.UPDATED, decisions.Disagreement.DIFFERS)
    assert (title(), in_list("shared01")[1] > 2024) == ("Theirs", True)
    assert {claim.source for claim in Claim.objects.all()} == {"a"}
    before = looking.row_versions()
    assert offer(a("Older", date="2024-01-01"), into=shared, source="a").action is Action.UNCHANGED
    assert offer(a("Theirs", date="2024-02-01"), into=shared, source="b").action is Action.UNCHANGED
    assert looking.row_versions() == before


# --- Moves between sets -------------------------------------------------------------------------------


@pytest.mark.spec("P81")
def test_a_record_that_moves_is_deleted_in_the_old_sets_list_and_live_in_the_new_ones(shared) -> None:
    world.put(a())
    stamps_of_the_past()

    assert [result.action for result in store.move(["urn:a "], into=shared)] == [Action.UPDATED]

    held = looking.record("urn:a")
    assert (held.owner, held.set_specs, held.deleted) == (shared, ["shared01"], False)
    assert (in_list(world.OUR_SPEC)[0], in_list("shared01")[0]) == (True, False)
    assert min(year for _, year in (in_list(world.OUR_SPEC), in_list("shared01"))) > 2024
    assert Record.objects.count() == 1


def test_a_record_that_moves_back_is_live_where_it_was(shared) -> None:
    world.put(a())
    store.move(["urn:a"], into=shared)

    store.move(["urn:a"], into=world.own_set())

    assert (in_list(world.OUR_SPEC)[0], in_list("shared01")[0]) == (False, True)


def test_what_is_not_there_or_deleted_does_not_move(shared) -> None:
    world.put(a())
    world.bury("urn:a")

    assert [r.action for r in store.move(["urn:a", "urn:none"], into=shared)] == [Action.REJECTED, Action.REJECTED]
    world.put(a("Again"))
    assert [r.action for r in store.move(["urn:a"], into=world.own_set())] == [Action.UNCHANGED]
