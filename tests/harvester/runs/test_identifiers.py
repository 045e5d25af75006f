"""What counts as identifier, by link (H38): gmd:fileIdentifier and header the same, the one, or the other."""

import pytest
from pytest_httpserver import HTTPServer

from catalogue import oai
from catalogue.models import Record
from catalogue.provenance import Provenance
from harvester.link_rules import Identifiers
from harvester.links import conflict_acts, edit, failover
from harvester.links.conflict_acts import Act
from harvester.models import Alternative, Conflict, Link, Reject, RemoteHeader, Run
from harvester.runs import comparison, lifecycle
from tests.support.provider import Provider, once, record, xml
from tests.support.runs import counters, go_on, harvest
from tests.support.world import iso_record
from tests.support.world import put as put_here

pytestmark = [pytest.mark.django_db, pytest.mark.spec("H38", "P68")]

NUMBERS = range(24)  # on one page: enough that unchanged records are looked up before they are parsed
LATER = "2026-02-02T00:00:00Z"
BRACES = "{{E15CD0B3-7E7B-4B0C-9C55-6A5C1D2B9D{:02}}}"


def encoded(number: int) -> str:
    return BRACES.format(number).replace("{", "%7B").replace("}", "%7D")


def name(number: int) -> str:
    """What the provider calls a record."""
    return f"oai:host.example.org:{number}"


def file_identifier(number: int) -> str:
    return f"urn:file:{number}"


def put(provider: Provider, number: int, file: int | None = None, *, stamp: str = LATER, title: str = "Waves") -> None:
    """Have the provider list a record under its name; `file`: that of the gmd:fileIdentifier."""
    document = iso_record(file_identifier(number if file is None else file), title=f"{title} {number}")
    provider.entries[name(number)] = (stamp, document)


def delete(provider: Provider, number: int, stamp: str = LATER) -> None:
    provider.entries[name(number)] = (stamp, None)


def compare(link: Link) -> Run:
    link.refresh_from_db()
    run = lifecycle.open_comparison(link, trigger="test", whole=True)
    assert run is not None
    return go_on(run)


def reharvest(link: Link) -> Run:
    link.refresh_from_db()
    run = lifecycle.open_total_reharvest(link, trigger="test", whole=True)
    assert run is not None
    return go_on(run)


def drift(run: Run) -> dict[str, int]:
    return {found: getattr(run, found) for found in comparison.DRIFT if getattr(run, found)}


def live() -> set[str]:
    return set(Record.objects.filter(deleted=False).values_list("key", flat=True))


def snapshot() -> list[object]:
    return list(Record.objects.order_by("pk").values_list("key", "identifier", "datestamp", "deleted"))


def rows() -> dict[str, str]:
    """What the provider calls the records that it has, by key."""
    return dict(RemoteHeader.objects.filter(deleted=False, state="held").values_list("key", "identifier"))


# --- The same, but encoded: a provider with raw braces -------------------------------------------------------


@pytest.fixture
def braces(provider: Provider, link: Link) -> Link:
    """A link that has harvested records whose identifiers, in headers too, are no URIs."""
    provider.page_size = 40
    for number in NUMBERS:
        provider.entries[BRACES.format(number)] = ("2026-02-01T00:00:00Z", iso_record(BRACES.format(number)))
    run = harvest(link)
    assert (counters(run), run.state) == ({"received": 24, "new": 24}, Run.State.DONE)
    return link


def test_raw_braces_are_encoded_here_and_stay_as_they_are_towards_the_provider(
    braces: Link, provider: Provider
) -> None:
    assert live() == {encoded(number) for number in NUMBERS}
    assert rows() == {encoded(number): BRACES.format(number) for number in NUMBERS}
    before = snapshot()
    assert counters(harvest(braces, full=True)) == {"received": 24, "unchanged": 24}
    assert drift(compare(braces)) == {}
    assert snapshot() == before


def test_a_record_with_raw_braces_is_deleted_and_comes_back(braces: Link, provider: Provider) -> None:
    document = provider.entries[BRACES.format(3)][1]
    provider.entries[BRACES.format(3)] = (LATER, None)
    assert counters(harvest(braces))["deleted"] == 1
    assert live() == {encoded(number) for number in NUMBERS if number != 3}
    provider.entries[BRACES.format(3)] = ("2026-02-03T00:00:00Z", document)
    assert counters(harvest(braces))["updated"] == 1
    assert live() == {encoded(number) for number in NUMBERS}


def test_a_comparison_asks_for_raw_braces_as_the_provider_spells_them(braces: Link, provider: Provider) -> None:
    provider.entries[BRACES.format(5)] = ("2026-01-01T00:00:00Z", None)  # never listed as deleted by a harvest
    del provider.entries[BRACES.format(6)]
    provider.entries[BRACES.format(50)] = ("2026-01-01T00:00:00Z", iso_record(BRACES.format(50)))
    run = compare(braces)
    assert drift(run) == {"missing": 1, "stale": 1, "extra": 1, "vanished": 1}
    assert {each["identifier"] for each in provider.asked_for("GetRecord")} == {BRACES.format(n) for n in (5, 6, 50)}
    assert live() == {encoded(number) for number in (*NUMBERS, 50) if number != 5}
    (conflict,) = Conflict.objects.filter(settled=None)
    assert (conflict.kind, conflict.key) == (Conflict.Kind.VANISHED, encoded(6))
    assert conflict_acts.settle(Act.WITHDRAW, [conflict.pk], by="test").done == [conflict]
    assert encoded(6) not in live()


def test_a_page_with_raw_braces_that_does_not_parse_is_repaired(link: Link, provider: Provider) -> None:
    provider.entries[BRACES.format(1)] = ("2026-02-01T00:00:00Z", iso_record(BRACES.format(1)))
    provider.entries[BRACES.format(2)] = (
        "2026-02-01T00:00:00Z",
        iso_record(BRACES.format(2), title="Bread &amp; more"),
    )
    provider.edits.append(
        lambda arguments, body: body.replace(b"&amp;", b"&") if arguments["verb"] == "ListRecords" else body
    )
    run = harvest(link)
    assert counters(run) == {"received": 2, "new": 2}
    assert live() == {encoded(1), encoded(2)}


def test_what_is_listed_live_and_deleted_is_asked_for_as_it_is_spelt(braces: Link, provider: Provider) -> None:
    twice = record(BRACES.format(7), LATER, None).encode()
    provider.entries[BRACES.format(7)] = (LATER, iso_record(BRACES.format(7), title="New"))
    provider.edits.append(
        lambda arguments, body: (
            body.replace(b"</ListRecords>", twice + b"</ListRecords>") if arguments["verb"] == "ListRecords" else body
        )
    )
    assert counters(harvest(braces))["updated"] == 1
    assert provider.asked_for("GetRecord")[-1]["identifier"] == BRACES.format(7)
    assert encoded(7) in live()


def test_single_records_with_raw_braces_are_asked_for_as_they_are_spelt(link: Link, provider: Provider) -> None:
    Link.objects.update(strategy=Link.Strategy.IDENTIFIERS)
    link.refresh_from_db()
    provider.entries[BRACES.format(1)] = ("2026-02-01T00:00:00Z", iso_record(BRACES.format(1)))
    assert counters(harvest(link)) == {"received": 1, "new": 1}
    assert [each["identifier"] for each in provider.asked_for("GetRecord")] == [BRACES.format(1)]


@pytest.mark.spec("W23")
def test_a_record_with_raw_braces_is_handed_over(link: Link, provider: Provider) -> None:
    put_here(iso_record(BRACES.format(1), title="Ours"))
    provider.entries[BRACES.format(1)] = ("2026-02-01T00:00:00Z", iso_record(BRACES.format(1), title="Theirs"))
    assert counters(harvest(link)) == {"received": 1, "rejected": 1}
    conflict = Conflict.objects.get()
    assert conflict.kind == Conflict.Kind.MISPLACED
    conflict_acts.settle(Act.HAND_OVER, [conflict.pk], by="test")
    assert RemoteHeader.objects.get().state == "wanted"
    harvest(link)
    assert Record.objects.get(key=encoded(1)).description.title == "Theirs"


# --- gmd:fileIdentifier counts --------------------------------------------------------------------------------


@pytest.fixture
def named(provider: Provider, link: Link) -> Link:
    """A link whose provider calls its records otherwise, after its first harvest."""
    provider.page_size = 40
    for number in NUMBERS:
        put(provider, number, stamp="2026-02-01T00:00:00Z")
    Link.objects.update(identifiers=Identifiers.FILE)
    link.refresh_from_db()
    run = harvest(link)
    assert (counters(run), run.state) == ({"received": 24, "new": 24}, Run.State.DONE)
    return link


def test_a_provider_with_names_of_its_own_is_refused_unless_the_link_says_so(link: Link, provider: Provider) -> None:
    put(provider, 1)
    assert counters(harvest(link)) == {"received": 1, "rejected": 1}
    assert live() == set()


def test_records_are_stored_under_their_fileIdentifier_and_the_names_are_remembered(named: Link) -> None:
    assert live() == {file_identifier(number) for number in NUMBERS}
    assert rows() == {file_identifier(number): name(number) for number in NUMBERS}
    stored = Record.objects.get(key=file_identifier(1))
    assert Provenance.from_json(stored.provenance or {}).identifier == name(1)


@pytest.mark.spec("H37")
@pytest.mark.parametrize("strategy", Link.Strategy.values)
def test_a_second_harvest_a_comparison_and_a_total_reharvest_write_nothing(
    named: Link, provider: Provider, strategy: str
) -> None:
    Link.objects.update(strategy=strategy)
    named.refresh_from_db()
    before = snapshot()
    assert counters(harvest(named, full=True)) == {"received": 24, "unchanged": 24}
    assert drift(compare(named)) == {}
    run = reharvest(named)
    assert (drift(run), counters(run)) == ({}, {"received": 24, "unchanged": 24})
    assert snapshot() == before
    assert len(provider.asked_for("GetRecord")) == 0


@pytest.mark.parametrize("strategy", Link.Strategy.values)
def test_changes_and_deletions_find_their_records_by_name(named: Link, provider: Provider, strategy: str) -> None:
    Link.objects.update(strategy=strategy)
    named.refresh_from_db()
    put(provider, 1, title="Changed")
    delete(provider, 2)
    delete(provider, 99)  # a name that never came
    put(provider, 30)
    run = harvest(named)
    assert counters(run) == {"received": 4, "updated": 1, "deleted": 1, "new": 1, "unchanged": 1}
    assert live() == {file_identifier(number) for number in (*NUMBERS, 30) if number != 2}
    assert Record.objects.get(key=file_identifier(2)).deleted
    assert not Record.objects.filter(key__contains="oai:host").exists()
    assert Record.objects.filter(key__startswith=" ").count() == 0
    assert rows() == {file_identifier(number): name(number) for number in (*NUMBERS, 30) if number != 2}
    put(provider, 2, stamp="2026-02-03T00:00:00Z")
    assert counters(harvest(named))["updated"] == 1
    assert file_identifier(2) in live()


def test_a_comparison_asks_by_name(named: Link, provider: Provider) -> None:
    put(provider, 50, stamp="2026-01-01T00:00:00Z")
    delete(provider, 5, "2026-01-01T00:00:00Z")
    del provider.entries[name(6)]
    run = compare(named)
    assert drift(run) == {"missing": 1, "stale": 1, "extra": 1, "vanished": 1}
    assert {each["identifier"] for each in provider.asked_for("GetRecord")} == {name(5), name(6), name(50)}
    assert live() == {file_identifier(number) for number in (*NUMBERS, 50) if number != 5}
    assert Conflict.objects.get(settled=None).key == file_identifier(6)
    assert drift(compare(named)) == {}
    assert not RemoteHeader.objects.filter(key__startswith=" ").exists()


def test_a_record_that_the_provider_cannot_give_is_a_reject_and_is_asked_for_again(
    named: Link, provider: Provider
) -> None:
    put(provider, 50, stamp="2026-01-01T00:00:00Z")
    provider.faults.append(
        once(
            lambda arguments: arguments["verb"] == "GetRecord",
            lambda: xml(provider.envelope('<error code="cannotDisseminateFormat">no</error>')),
        )
    )
    assert compare(named).rejected == 1
    assert compare(named).rejected == 0
    assert file_identifier(50) in live()


@pytest.mark.spec("P69")
@pytest.mark.parametrize("on_one_page", [True, False])
def test_two_names_for_one_record_are_a_conflict_and_the_first_stays(
    named: Link, provider: Provider, on_one_page: bool
) -> None:
    put(provider, 60, 61, title="Other")
    if not on_one_page:
        harvest(named)
    put(provider, 61, 61, title="Waves", stamp="2026-02-03T00:00:00Z")
    run = harvest(named)
    assert run.rejected == 1
    assert Record.objects.get(key=file_identifier(61)).description.title == "Other 60"
    assert rows()[file_identifier(61)] == name(60)
    conflict = Conflict.objects.get(settled=None)
    assert (conflict.kind, conflict.reason, conflict.key) == (
        *(Conflict.Kind.TAKEN, "two-names"),
        file_identifier(61),
    )
    assert Reject.objects.get(run=run).identifier == name(61)
    before = snapshot()
    harvest(named, full=True)
    assert snapshot() == before


@pytest.mark.parametrize("on_one_page", [True, False])
def test_the_second_name_takes_the_record_over_when_the_first_is_deleted(
    named: Link, provider: Provider, on_one_page: bool
) -> None:
    delete(provider, 7)
    if not on_one_page:
        assert counters(harvest(named))["deleted"] == 1
    put(provider, 70, 7, title="Renamed", stamp="2026-02-03T00:00:00Z")
    harvest(named)
    assert Record.objects.get(key=file_identifier(7)).description.title == "Renamed 70"
    assert live() == {file_identifier(number) for number in NUMBERS}
    assert rows()[file_identifier(7)] == name(70)
    delete(provider, 70, "2026-02-04T00:00:00Z")
    harvest(named)
    assert file_identifier(7) not in live()


@pytest.mark.parametrize("strategy", Link.Strategy.values)
def test_a_name_that_brings_another_record_deletes_the_one_it_had_brought(
    named: Link, provider: Provider, strategy: str
) -> None:
    Link.objects.update(strategy=strategy)
    named.refresh_from_db()
    put(provider, 8, 80)
    assert counters(harvest(named))["deleted"] == 1
    assert live() == {file_identifier(number) for number in (*NUMBERS, 80) if number != 8}
    assert rows()[file_identifier(80)] == name(8)
    assert Record.objects.get(key=file_identifier(8)).deleted
    delete(provider, 8, "2026-02-03T00:00:00Z")
    harvest(named)
    assert file_identifier(80) not in live()


def test_names_that_change_places_delete_nothing(named: Link, provider: Provider) -> None:
    put(provider, 1, 2)
    put(provider, 2, 1)
    assert counters(harvest(named)) == {"received": 24, "updated": 2, "unchanged": 22}
    assert live() == {file_identifier(number) for number in NUMBERS}
    assert (rows()[file_identifier(1)], rows()[file_identifier(2)]) == (name(2), name(1))


@pytest.mark.spec("F72")
def test_a_name_that_is_listed_live_and_deleted_is_asked_for(named: Link, provider: Provider) -> None:
    twice = record(name(9), LATER, None).encode()
    put(provider, 9, title="New")
    provider.edits.append(
        lambda arguments, body: (
            body.replace(b"</ListRecords>", twice + b"</ListRecords>") if arguments["verb"] == "ListRecords" else body
        )
    )
    assert counters(harvest(named))["updated"] == 1
    assert provider.asked_for("GetRecord")[-1]["identifier"] == name(9)


@pytest.mark.spec("H32", "H33")
def test_of_a_page_that_does_not_parse_the_names_mean_the_same(named: Link, provider: Provider) -> None:
    put(provider, 1, title="Bread &amp; more")
    delete(provider, 2)
    provider.entries[name(3)] = (LATER, iso_record(file_identifier(3)).replace(b"Surface", b"<gmd:broken>Surface"))
    put(provider, 4, title="In the end")
    provider.edits.append(
        lambda arguments, body: body.replace(b"&amp;", b"&") if arguments["verb"] == "ListRecords" else body
    )
    run = harvest(named)
    assert (run.updated, run.deleted, run.rejected) == (2, 1, 1)
    assert live() == {file_identifier(number) for number in NUMBERS if number != 2}
    provider.edits.clear()
    put(provider, 3, title="Mended", stamp="2026-02-03T00:00:00Z")
    harvest(named)
    assert Record.objects.get(key=file_identifier(3)).description.title == "Mended 3"
    assert rows()[file_identifier(3)] == name(3)
    assert not RemoteHeader.objects.filter(key__startswith=" ").exists()


@pytest.mark.spec("W31", "W32")
def test_each_provider_of_a_link_has_its_own_names(named: Link, provider: Provider) -> None:
    with HTTPServer(host="127.0.0.1") as server:
        relay = Provider(server, page_size=40)
        for number in NUMBERS:
            relay.entries[file_identifier(number)] = provider.entries[name(number)]
        to = Alternative.objects.create(
            link=named, name="relay", base_url=relay.base_url, prefix=named.prefix, remote_set=named.remote_set
        )
        before = snapshot()
        turned = failover.switch(named, to)
        assert turned is not None
        assert counters(harvest(turned)) == {"received": 24, "unchanged": 24}
        assert drift(compare(turned)) == {}
        assert snapshot() == before
        relay.entries[file_identifier(5)] = (LATER, None)
        harvest(turned)
        assert live() == {file_identifier(number) for number in NUMBERS if number != 5}
    delete(provider, 5)
    delete(provider, 6)
    back = failover.switch(turned, None)
    assert back is not None
    harvest(back)
    assert drift(compare(back)) == {}
    assert live() == {file_identifier(number) for number in NUMBERS if number not in (5, 6)}
    assert Conflict.objects.filter(settled=None).count() == 0


def test_too_many_names_that_bring_other_records_wait_for_the_operator(named: Link, provider: Provider) -> None:
    for number in NUMBERS:
        put(provider, number, number + 100)
    run = harvest(named)
    assert run.new == 24
    assert run.deleted == 0
    assert Conflict.objects.filter(settled=None, kind=Conflict.Kind.MASS).count() == 24
    assert len(live()) == 48


# --- The header counts -----------------------------------------------------------------------------------------


@pytest.fixture
def by_header(provider: Provider, link: Link) -> Link:
    provider.page_size = 40
    for number in NUMBERS:
        put(provider, number, stamp="2026-02-01T00:00:00Z")
    provider.entries["{x}"] = ("2026-02-01T00:00:00Z", iso_record("urn:x"))
    Link.objects.update(identifiers=Identifiers.HEADER)
    link.refresh_from_db()
    assert counters(harvest(link)) == {"received": 25, "new": 25}
    return link


def test_records_are_called_as_their_headers_say_and_the_documents_are_as_they_came(by_header: Link) -> None:
    assert live() == {*(name(number) for number in NUMBERS), "%7Bx%7D"}
    stored = Record.objects.get(key=name(1))
    assert stored.identifier == name(1)
    assert Provenance.from_json(stored.provenance or {}).identifier == name(1)
    before = snapshot()
    assert counters(harvest(by_header, full=True)) == {"received": 25, "unchanged": 25}
    assert drift(compare(by_header)) == {}
    assert drift(reharvest(by_header)) == {}
    assert snapshot() == before


def test_where_the_header_counts_a_changed_fileIdentifier_is_an_update(by_header: Link, provider: Provider) -> None:
    put(provider, 1, 100)
    delete(provider, 2)
    provider.entries["{x}"] = (LATER, None)
    put(provider, 3, 4)  # two headers with one fileIdentifier are two records
    assert counters(harvest(by_header)) == {"received": 25, "updated": 2, "deleted": 2, "unchanged": 21}
    assert live() == {name(number) for number in NUMBERS if number != 2}


PROMISE = (
    f'<description><eprints xmlns="{oai.EPRINTS_NS}"><metadataPolicy><URL>{oai.promise_urn("1.2")}</URL></metadataPolicy>'
    "</eprints></description>"
)


@pytest.mark.spec("P122")
@pytest.mark.parametrize("of_this_software", [True, False])
@pytest.mark.parametrize("origin", ["urn:header", "urn:another", ""])
def test_only_a_node_of_this_software_may_say_that_the_header_counted_at_the_origin(
    link: Link, provider: Provider, of_this_software: bool, origin: str
) -> None:
    provider.description = PROMISE if of_this_software else ""
    provider.entries["urn:header"] = ("2026-02-01T00:00:00Z", iso_record("urn:file"))
    step = (
        '<originDescription harvestDate="2026-01-05T00:00:00Z" altered="false"><baseURL>http://{}.example.org</baseURL>'
        "<identifier>{}</identifier><datestamp>2026-01-01</datestamp>"
        "<metadataNamespace>http://www.isotc211.org/2005/gmd</metadataNamespace>{}</originDescription>"
    )
    steps = step.format("relay", "urn:header", step.format("first", origin, "")) if origin else ""
    about = (
        f'<about><provenance xmlns="{oai.PROVENANCE_NS}">{steps}</provenance></about></record>'
        if steps
        else "</record>"
    )
    provider.edits.append(lambda _, body: body.replace(b"</record>", about.encode()))
    is_taken = of_this_software and origin == "urn:header"
    assert harvest(link).new == is_taken
    assert live() == ({"urn:header"} if is_taken else set())
    assert harvest(link, full=True).unchanged == is_taken


# --- Changing what counts -----------------------------------------------------------------------------------------


def change(link: Link, identifiers: Identifiers) -> Link:
    link.refresh_from_db()
    link.identifiers = identifiers
    assert edit.save(link, {"identifiers"}) is True
    return link


def test_a_link_that_refused_everything_takes_it_after_the_edit(link: Link, provider: Provider) -> None:
    put(provider, 1)
    delete(provider, 2)
    harvest(link)
    RemoteHeader.objects.create(link=link, key="urn:old", identifier="urn:old")  # of an earlier version
    change(link, Identifiers.FILE)
    assert set(RemoteHeader.objects.values_list("key", flat=True)) == {"urn:old"}
    RemoteHeader.objects.all().delete()
    assert counters(harvest(link)) == {"received": 2, "new": 1, "unchanged": 1}
    assert drift(compare(link)) == {}
    assert live() == {file_identifier(1)}


def test_what_was_stored_under_other_identifiers_waits_for_the_operator_after_an_edit(
    named: Link, provider: Provider
) -> None:
    change(named, Identifiers.HEADER)
    assert counters(harvest(named))["new"] == 24
    assert Conflict.objects.filter(settled=None, kind=Conflict.Kind.MASS).count() == 24
    assert live() == {*(name(number) for number in NUMBERS), *(file_identifier(number) for number in NUMBERS)}


@pytest.mark.spec("F74", "P69")
def test_a_name_whose_fileIdentifier_changes_its_spelling_keeps_its_record(named: Link, provider: Provider) -> None:
    provider.entries[name(1)] = (LATER, iso_record("URN:FILE:1", title="Spelt anew"))
    run = harvest(named)
    assert run.rejected == 0
    assert live() == {"URN:FILE:1", *(file_identifier(number) for number in NUMBERS if number != 1)}
    assert rows()["URN:FILE:1"] == name(1)
    delete(provider, 1, "2026-02-03T00:00:00Z")
    harvest(named)
    assert live() == {file_identifier(number) for number in NUMBERS if number != 1}
