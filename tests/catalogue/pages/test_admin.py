"""The catalogue in the admin: records to look at, sets to name, accounts; and what none of them may do."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client

from catalogue import journal, tasks
from catalogue.models import JournalOutbox, MetadataSet, Record, SetChange, SetSearch, Validation
from catalogue.pages import paging
from catalogue.provenance import Provenance
from catalogue.reading.query import search_limits
from catalogue.writing import set_changes, set_inclusion, set_searches, store
from tests.support import world
from tests.support.world import OFFENBACH, OUR_SPEC, TOULOUSE, bury, iso_record, own_set, peer_set, put

pytestmark = pytest.mark.django_db

RECORDS = "/admin/catalogue/record/"
SETS = "/admin/catalogue/metadataset/"


def page(client: Client, path: str, **arguments: str) -> str:
    response = client.get(path, arguments)
    assert response.status_code == 200, (response.status_code, response.content[:300])
    return response.content.decode()


def results(client: Client, path: str, **arguments: str) -> list[object]:
    """The rows that a list shows."""
    response = client.get(path, arguments)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


# --- Records -----------------------------------------------------------------------------------------


def test_records_are_listed_newest_first_with_title_and_owner(admin_client: Client) -> None:
    put(iso_record("a", title="First"))
    put(iso_record("b", title="Second"), into=peer_set(TOULOUSE))
    bury("a")
    shown = page(admin_client, RECORDS)
    assert "Second" in shown
    assert TOULOUSE.spec in shown
    assert [record.identifier for record in results(admin_client, RECORDS)] == list(
        Record.objects.order_by("-datestamp", "-pk").values_list("identifier", flat=True)
    )


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
def test_the_list_of_records_costs_the_same_queries_for_one_and_for_forty_and_reads_no_payload(
    admin_client: Client, django_assert_max_num_queries
) -> None:
    put(*(iso_record(f"r{n}") for n in range(40)))
    page(admin_client, RECORDS)
    admin_client.get("/admin/")  # reads the state of the node
    with django_assert_max_num_queries(12) as queries:
        page(admin_client, RECORDS)
    selected = [query["sql"] for query in queries.captured_queries if '"catalogue_record"' in query["sql"]]
    assert selected
    for column in ('"payload"', '"abstract"', '"search"', '"keywords"', '"contacts"', '"faults"'):
        assert not any(column in sql.split(" FROM ")[0] for sql in selected), column


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
@paging.LIMITS.replaced(rows=10)
def test_a_large_table_is_estimated_and_not_counted(admin_client: Client, django_assert_max_num_queries) -> None:
    put(*(iso_record(f"r{n}") for n in range(40)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalogue_record")
    admin_client.get("/admin/")  # reads the state of the node
    with django_assert_max_num_queries(12) as queries:
        response = admin_client.get(RECORDS)
    assert response.context["cl"].result_count == 40
    assert not any(
        "COUNT(*)" in query["sql"] and "catalogue_record" in query["sql"] for query in queries.captured_queries
    )


@paging.LIMITS.replaced(rows=60)
def test_what_a_filter_leaves_is_counted_no_further_than_the_cap(admin_client: Client) -> None:
    put(*(iso_record(f"r{n}") for n in range(70)))
    response = admin_client.get(RECORDS, {"deleted__exact": "0", "p": "2"})
    assert response.context["cl"].result_count == 60
    assert len(response.context["cl"].result_list) == 10


@pytest.fixture
def mixed(settings) -> None:
    """Ours: a, spelled wrong by the checks, and b, deleted. Toulouse's: c by a link, d put in here. Offenbach's e, which is in Toulouse's set too."""
    put(iso_record("a"), iso_record("b", title="Buoys"))
    bury("b")
    toulouse, offenbach = peer_set(TOULOUSE), peer_set(OFFENBACH)
    entry = store.prepare(
        iso_record("c", title="Buoys"), provenance=Provenance(base_url="http://t/oai", link="toulouse")
    )
    store.put_entries([entry], into=toulouse, source="toulouse")
    put(iso_record("d"), into=toulouse)
    entry = store.prepare(
        iso_record("e", title="Buoys"), provenance=Provenance(base_url="http://o/oai", link="offenbach")
    )
    store.put_entries([entry], into=offenbach, source="offenbach")
    store.put_entries([entry], into=toulouse, source="offenbach")
    world.restamp("a", "2020-01-02T00:00:00Z")
    record = Record.objects.get(key="a")
    Validation.objects.create(
        record=record,
        digest=record.digest,
        rules="x",
        structure="invalid",
        checked=record.datestamp,
        faults=[{"rule": "1", "text": "x"}],
    )


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"set": TOULOUSE.spec}, "edc"),
        ({"set": TOULOUSE.spec, "source": "link:toulouse"}, "c"),
        ({"set": TOULOUSE.spec, "q": "buoys"}, "ec"),
        ({"set": OFFENBACH.spec, "deleted__exact": "1"}, ""),
        ({"set": OUR_SPEC}, "ba"),
        ({"set": OUR_SPEC, "deleted__exact": "1"}, "b"),
        ({"source": "here"}, "da"),
        ({"source": "link:offenbach"}, "e"),
        ({"source": "link:gone"}, ""),
        ({"source": "here", "q": "buoys"}, ""),
        ({"checks": "invalid"}, "a"),
        ({"checks": "faults"}, "a"),
        ({"checks": "not checked"}, "edc"),
        ({"since": "1d"}, "edcb"),
        ({"since": "2020-01-02"}, "edcba"),
        ({"since": "2020-01-03", "deleted__exact": "0"}, "edc"),
        ({"since": "nonsense"}, "edcba"),
        ({"q": "buoys"}, "ec"),
        ({"q": "b"}, "b"),
    ],
)
def test_the_filters_of_the_list_agree_with_each_other_and_with_search(
    admin_client: Client, mixed: None, asked: dict[str, str], found: str
) -> None:
    if "set" in asked:
        asked = asked | {"set": str(MetadataSet.objects.get(spec=asked["set"]).pk)}
    listed = [record.identifier for record in results(admin_client, RECORDS, **asked)]
    assert sorted(listed) == sorted(found)
    records = Record.objects.in_bulk(listed, field_name="key")  # in no order
    datestamps = [records[key].datestamp for key in listed]
    assert datestamps == sorted(datestamps, reverse=True)


@paging.LIMITS.replaced(rows=30)
@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
def test_filtered_lists_have_every_record_once_over_their_pages_and_ask_no_query_a_row(
    admin_client: Client, django_assert_max_num_queries
) -> None:
    toulouse = peer_set(TOULOUSE)
    put(*(iso_record(f"r{n:03d}", title="Buoys") for n in range(70)), into=toulouse)
    put(*(iso_record(f"r{n:03d}", title="Buoys") for n in range(70)), into=peer_set(OFFENBACH))
    chosen = str(toulouse.pk)
    admin_client.get("/admin/")
    with paging.LIMITS.replaced(rows=1000), django_assert_max_num_queries(24):
        found = [r.identifier for r in results(admin_client, RECORDS, set=chosen)]
        found += [r.identifier for r in results(admin_client, RECORDS, set=chosen, p="2")]
    assert sorted(found) == [f"r{n:03d}" for n in range(70)]
    response = admin_client.get(RECORDS, {"q": "buoys"})
    assert response.context["cl"].result_count == 30
    assert "the newest 30 are listed" in response.content.decode()


@search_limits.LIMITS.replaced(exact=5, margin=5, newest=3)
def test_of_very_many_hits_the_newest_are_listed_and_the_page_says_so(admin_client: Client) -> None:
    put(*(iso_record(f"r{n:02d}", title="Buoys") for n in range(20)))
    response = admin_client.get(RECORDS, {"q": "buoys"})
    assert [record.identifier for record in response.context["cl"].result_list] == ["r19", "r18", "r17"]
    assert "More than 3 records have these words" in response.content.decode()
    put(iso_record("one", title="Radar"))
    assert "More than" not in admin_client.get(RECORDS, {"q": "radar"}).content.decode()


def test_the_pages_of_the_list_hold_every_record_once(admin_client: Client) -> None:
    put(*(iso_record(f"r{n:03d}") for n in range(120)))
    found = [record.identifier for number in "123" for record in results(admin_client, RECORDS, p=number)]
    assert sorted(found) == [f"r{n:03d}" for n in range(120)]


def test_records_are_found_by_words_and_by_identifier(admin_client: Client) -> None:
    put(iso_record("urn:a", title="Radar composite"), iso_record("urn:b", title="Buoys"))
    assert [r.identifier for r in results(admin_client, RECORDS, q="composite")] == ["urn:a"]
    assert [r.identifier for r in results(admin_client, RECORDS, q="urn:b")] == ["urn:b"]
    assert sorted(r.identifier for r in results(admin_client, RECORDS, q="urn:")) == ["urn:a", "urn:b"]
    assert results(admin_client, RECORDS, q="rn:") == []


def test_a_tombstone_is_found_by_its_identifier(admin_client: Client) -> None:
    put(iso_record("urn:a"))
    bury("urn:a")
    assert [r.deleted for r in results(admin_client, RECORDS, q="urn:a")] == [True]


@pytest.mark.parametrize("text", ["'", '"', "\0", "%", "<script>", "x" * 5000, "a & | !"])
def test_odd_words_are_answered(admin_client: Client, text: str) -> None:
    put(iso_record("urn:a"))
    response = admin_client.get(RECORDS, {"q": text}, follow=True)
    assert response.status_code == 200
    assert b"<script>alert" not in response.content


def test_a_record_shows_header_texts_memberships_provenance_and_indented_xml(admin_client: Client) -> None:
    put(iso_record("urn:a", title="Radar <composite>", keywords=("radar", "rain"), box=(1, 2, 3, 4)))
    record = Record.objects.get()
    Record.objects.update(provenance={"baseURL": "http://gisc-toulouse.example.org/oai"})
    shown = page(admin_client, f"{RECORDS}{record.pk}/change/")
    for said in (
        "urn:a",
        "Radar &lt;composite&gt;",
        "radar · rain",
        "2°N to 4°N, 1°E to 3°E",
        OUR_SPEC,
        "http://gisc-toulouse.example.org/oai",
        "&lt;gmd:fileIdentifier&gt;\n    &lt;gco:CharacterString&gt;urn:a",
    ):
        assert said in shown, said


def test_a_tombstone_has_a_page_too(admin_client: Client) -> None:
    bury("urn:gone")
    assert "urn:gone" in page(admin_client, f"{RECORDS}{Record.objects.get().pk}/change/")


def test_records_cannot_be_added_changed_or_deleted_by_hand(admin_client: Client) -> None:
    put(iso_record("urn:a"))
    record = Record.objects.get()
    assert admin_client.get(f"{RECORDS}add/").status_code == 403
    assert admin_client.post(f"{RECORDS}{record.pk}/change/", {"identifier": "b"}).status_code == 403
    assert admin_client.post(f"{RECORDS}{record.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "delete_selected" not in page(admin_client, RECORDS)
    assert Record.objects.get().identifier == "urn:a"


# --- Sets --------------------------------------------------------------------------------------------


def test_sets_are_listed_with_their_live_records(admin_client: Client) -> None:
    put(iso_record("a"), iso_record("b"))
    bury("b")
    put(iso_record("c"), into=peer_set(TOULOUSE))
    response = admin_client.get(SETS)
    cells = response.content.decode().split('class="field-live')[1:]
    live = [cell.split(">", 1)[1].split("<")[0].strip() for cell in cells]
    assert [item.spec for item in response.context["cl"].result_list] == ["WIS-CATALOGUE", OUR_SPEC, TOULOUSE.spec]
    assert live == ["2", "1", "1"]


def test_a_peer_set_can_be_added_and_a_second_own_set_cannot(admin_client: Client) -> None:
    form = {"spec": TOULOUSE.spec, "name": TOULOUSE.name, "description": "", "kind": "peer", "public": "on"}
    assert admin_client.post(f"{SETS}add/", form).status_code == 302
    assert MetadataSet.objects.get(spec=TOULOUSE.spec).kind == MetadataSet.Kind.PEER
    assert admin_client.post(f"{SETS}add/", form | {"spec": "OTHER", "kind": "own"}).status_code == 200
    assert not MetadataSet.objects.filter(spec="OTHER").exists()


def test_what_is_no_setspec_is_refused_with_the_reason(admin_client: Client) -> None:
    form = {"spec": "two words", "name": "x", "description": "", "kind": "peer", "public": "on"}
    response = admin_client.post(f"{SETS}add/", form)
    assert "is not a setSpec" in response.content.decode()


def test_spec_and_kind_are_fixed_once_records_are_in_the_set_and_the_name_is_not(admin_client: Client) -> None:
    toulouse = peer_set(TOULOUSE)
    put(iso_record("a"), into=toulouse)
    form = {"spec": "OTHER", "name": "New name", "description": "", "kind": "shared", "public": "on"}
    assert admin_client.post(f"{SETS}{toulouse.pk}/change/", form).status_code == 302
    toulouse.refresh_from_db()
    assert (toulouse.spec, toulouse.kind, toulouse.name) == (TOULOUSE.spec, MetadataSet.Kind.PEER, "New name")


def test_an_empty_set_may_change_its_spec_and_be_deleted(admin_client: Client) -> None:
    toulouse = peer_set(TOULOUSE)
    form = {"spec": "OTHER", "name": "x", "description": "", "kind": "shared", "public": "on"}
    assert admin_client.post(f"{SETS}{toulouse.pk}/change/", form).status_code == 302
    toulouse.refresh_from_db()
    assert (toulouse.spec, toulouse.kind) == ("OTHER", MetadataSet.Kind.SHARED)
    assert admin_client.post(f"{SETS}{toulouse.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not MetadataSet.objects.filter(pk=toulouse.pk).exists()


def test_the_own_set_and_the_catalogue_set_keep_spec_and_kind_and_cannot_be_deleted(admin_client: Client) -> None:
    for given in MetadataSet.objects.filter(kind__in=("own", "catalogue")):
        form = {"spec": "OTHER", "name": given.name, "description": "", "kind": "peer", "public": "on"}
        admin_client.post(f"{SETS}{given.pk}/change/", form)
        assert admin_client.post(f"{SETS}{given.pk}/delete/", {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": str(given.pk), "post": "yes"}
        admin_client.post(SETS, chosen)
        after = MetadataSet.objects.get(pk=given.pk)
        assert (after.spec, after.kind) == (given.spec, given.kind)


def test_a_set_with_records_is_not_deleted_and_the_page_says_why(admin_client: Client) -> None:
    toulouse = peer_set(TOULOUSE)
    put(iso_record("a"), into=toulouse)
    shown = page(admin_client, f"{SETS}{toulouse.pk}/delete/")
    assert "cannot be deleted now" in shown and "it has 1 live and 0 deleted records" in shown
    admin_client.post(f"{SETS}{toulouse.pk}/delete/", {"post": "yes"})
    assert MetadataSet.objects.filter(pk=toulouse.pk).exists()


def test_a_virtual_set_is_made_of_others_with_what_harvesters_will_see_said_first(admin_client: Client) -> None:
    put(iso_record("a"), iso_record("b"))
    form = {"spec": "DRIVER", "name": "For <DRIVER>", "description": "", "kind": "virtual", "public": "on"}
    assert admin_client.get(f"{SETS}add/").context["adminform"].form["kind"].value() == "virtual", (
        "what one adds by hand"
    )
    made = admin_client.post(f"{SETS}add/", form, follow=True)
    assert "Now choose what it is made of." in made.content.decode()
    union = MetadataSet.objects.get(spec="DRIVER")
    asked = {"act": "include", "spec": OUR_SPEC}
    members = f"{SETS}{union.pk}/members/"
    assert "2 records come new in lists of DRIVER" in page(admin_client, members, **asked)
    assert not SetChange.objects.exists(), "nothing is done by looking"
    assert "nothing was changed" in admin_client.post(members, {"spec": "NOPE"}, follow=True).content.decode()
    refused = admin_client.post(f"{SETS}{peer_set(TOULOUSE).pk}/members/", asked, follow=True).content.decode()
    assert "is not a virtual set" in refused
    done = admin_client.post(members, asked, follow=True).content.decode()
    assert f"Done: {OUR_SPEC} included in DRIVER." in done and "2 records gone through, done" in done
    leaves = page(admin_client, members, act="exclude", spec=OUR_SPEC)
    assert "2 records leave" in leaves and "It is public" not in leaves
    listed = f"{SETS}{union.pk}/progress/"
    with set_changes.LIMITS.replaced(batch=1):
        begun = admin_client.post(members, asked | {"act": "exclude"}, follow=True).content.decode()
        assert "Begun: " in begun and "0 of 2 records" in page(admin_client, listed)
        tasks.write_set_changes()
    assert "data-gisc-ended" in page(admin_client, listed)
    assert "cannot be deleted now" in page(admin_client, f"{SETS}{union.pk}/delete/")


def test_a_virtual_set_is_defined_by_a_search_with_what_it_finds_said_first(admin_client: Client) -> None:
    put(iso_record("a", title="Sea <ice>"), iso_record("b", title="Sea"), iso_record("c", title="Soil"))
    sea = set_inclusion.ensure_set("SEA", kind=MetadataSet.Kind.VIRTUAL)
    of_set, search = f"{SETS}{sea.pk}/change/", f"{SETS}{sea.pk}/search/"
    assert "Define by this search" in page(admin_client, of_set)
    asked = {"address": "http://testserver/?q=sea&sort=id"}
    foreseen = page(admin_client, search, **asked)
    assert "2 records come new in lists of SEA" in foreseen and "Sea &lt;ice&gt;" in foreseen
    assert not SetSearch.objects.exists(), "nothing is done by looking"
    refused = page(admin_client, search, address="q=sea&place=Tokyo", filter="title LIKE")
    assert "no argument “place”" in refused and "no CQL2 text" in refused and "Define the set by it" not in refused
    assert "q=sea&amp;place=Tokyo" in refused, "nothing typed is lost"
    posted = admin_client.post(search, {"address": "place=Tokyo"})
    assert "no argument “place”" in posted.content.decode() and not SetSearch.objects.exists()

    done = admin_client.post(search, asked, follow=True).content.decode()
    assert "Done: the records of SEA follow." in done
    assert '<a class="text-link" href="/?q=sea">q=sea</a>' in done and "3 records gone through, done" in done
    assert "That is so already" in page(admin_client, search, address="q=sea")
    assert (
        "is defined by a search"
        in admin_client.post(
            f"{SETS}{sea.pk}/members/", {"act": "include", "spec": OUR_SPEC}, follow=True
        ).content.decode()
    )
    assert "2 records leave" in page(admin_client, search, none="1")
    with set_changes.LIMITS.replaced(batch=1), set_searches.LIMITS.replaced(batch=1):
        begun = admin_client.post(search, {"none": "1"}, follow=True).content.decode()
        assert "Begun: " in begun and "0 of 3 records" in begun
        tasks.write_set_changes()
    assert "the search taken away" in page(admin_client, f"{SETS}{sea.pk}/progress/")
    assert not SetSearch.objects.exists()
    assert "so no search can define it" in page(admin_client, f"{SETS}{own_set().pk}/search/", address="sea")


# --- The journal -------------------------------------------------------------------------------------


def test_the_journal_says_what_is_on_disk_and_what_waits(admin_client: Client, settings, tmp_path) -> None:
    address = "/admin/catalogue/journaloutbox/"
    assert address in page(admin_client, "/admin/")
    assert "Nothing was deleted here yet" in page(admin_client, address)
    put(iso_record("urn:a"))
    bury("urn:a")
    journal.flush()
    shown = page(admin_client, address)
    assert "All events are on disk" in shown and "deletions-" in shown and "urn:a" in shown
    JournalOutbox.objects.create(event="deleted", identifier="urn:b", datestamp="2026-01-01T00:00:00Z", set_specs=["S"])
    shown = page(admin_client, address)
    assert "1 event waits" in shown and "urn:<wbr>b" in shown
    (settings.GISC_JOURNAL_DIR / "writer").unlink()
    (settings.GISC_JOURNAL_DIR / "writer").mkdir()
    assert "cannot be read" in page(admin_client, address)
    assert admin_client.get(f"{address}add/").status_code == 403


# --- Accounts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/admin/",
        RECORDS,
        SETS,
        f"{SETS}add/",
        "/admin/auth/user/",
        "/admin/auth/user/add/",
        "/admin/auth/group/",
        "/admin/auth/group/add/",
        "/admin/axes/accessattempt/",
        "/admin/axes/accesslog/",
        "/admin/axes/accessfailurelog/",
        "/admin/password_change/",
    ],
)
def test_every_page_opens_and_fetches_nothing_from_elsewhere(admin_client: Client, path: str) -> None:
    shown = page(admin_client, path)
    for attribute in ('src="', '<link href="', 'rel="stylesheet" href="'):
        for address in (part.split('"')[0] for part in shown.split(attribute)[1:]):
            assert address.startswith("/"), address


def test_an_account_can_be_changed(admin_client: Client) -> None:
    user = User.objects.create_user("keiko", password="a long password 1")
    assert "keiko" in page(admin_client, f"/admin/auth/user/{user.pk}/change/")


@pytest.mark.parametrize("path", [RECORDS, SETS, "/admin/"])
def test_a_stranger_is_sent_to_the_login(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_an_account_sees_in_the_sidebar_what_it_may_see(client: Client) -> None:
    user = User.objects.create_user("keiko", password="a long password 1", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_record"))
    client.force_login(user)
    shown = page(client, "/admin/")
    assert RECORDS in shown
    assert SETS not in shown
    assert client.get(SETS).status_code == 403


def test_every_list_of_ours_uses_the_paginator_that_does_not_count() -> None:
    ours = [model for model in admin.site._registry if model._meta.app_label in ("catalogue", "harvester")]
    assert len(ours) == 13
    for model in ours:
        assert admin.site._registry[model].paginator is paging.EstimatedPaginator
        assert not admin.site._registry[model].show_full_result_count


def test_a_coloured_column_is_a_word_on_the_page_of_one_row(admin_client: Client, toulouse: MetadataSet) -> None:
    world.put(world.iso_record("urn:a"))
    page = admin_client.get(f"/admin/catalogue/record/{Record.objects.get().pk}/change/").content.decode()
    assert "(&#x27;" not in page and "not checked" in page


def test_an_empty_list_says_what_would_be_in_it_and_a_filter_that_finds_nothing_says_so(admin_client: Client) -> None:
    assert "No record yet. Records come by links" in admin_client.get("/admin/catalogue/record/").content.decode()
    found = admin_client.get("/admin/catalogue/record/?deleted__exact=1").content.decode()
    assert "Nothing here fits the search and the filters." in found and "No record yet" not in found


def test_what_a_row_is_called_keeps_its_letters_in_the_heading(admin_client: Client, toulouse: MetadataSet) -> None:
    world.put(world.iso_record("urn:a"))
    page = admin_client.get(f"/admin/catalogue/record/{Record.objects.get().pk}/change/").content.decode()
    assert "urn:a" in page and "Urn:a" not in page
