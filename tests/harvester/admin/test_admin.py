"""Links, runs and rejects in the admin, as an operator uses them."""

import csv
import html
import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

from catalogue.models import MetadataSet, Record
from harvester import tasks
from harvester.links import edit
from harvester.models import Link, Reject, Run
from harvester.runs import lifecycle
from tests.support.broker import calls
from tests.support.link_admin import LINKS, LOOK, PLAIN, REJECTS, RUNS, form, messages, unchanged
from tests.support.provider import Provider, fill, xml
from tests.support.runs import ready
from tests.support.world import OFFENBACH, OUR_SPEC, TOULOUSE, iso_record, own_set, peer_set, put

pytestmark = pytest.mark.django_db

HARVESTED_TO = datetime(2026, 2, 1, tzinfo=UTC)
SENTENCE = "the record declares the encoding '<empty>', which is not known here; save it as UTF-8"


@pytest.fixture(autouse=True)
def _empty_queue():
    calls()


@pytest.fixture
def run(link: Link) -> Run:
    """A run that is done, with two rejects."""
    begun = timezone.now() - timedelta(hours=1)
    run = Run.objects.create(
        link=link, state="done", begun=begun, finished=timezone.now(), received=5, new=3, rejected=2, trigger="schedule"
    )
    Reject.objects.create(
        link=link,
        run=run,
        identifier="urn:bad",
        datestamp="2026-02-01",
        reason="unknown-encoding",
        reason_data={"encoding": "<empty>"},
        raw=b"<a><b>\xff</b></a>",
    )
    Reject.objects.create(
        link=link,
        run=run,
        identifier="",
        reason="as-written",
        reason_data={"text": "=HYPERLINK(1)"},
        raw=b"<a><b>two</b></a>",
    )
    Reject.objects.update(first_seen=begun, last_seen=begun)
    return run


# --- Adding and changing -----------------------------------------------------------------------------


def test_a_link_is_added(admin_client: Client, toulouse: MetadataSet) -> None:
    assert admin_client.post(PLAIN, form()).status_code == 302
    link = Link.objects.get()
    assert (link.base_url, link.remote_set, link.local_set, link.interval_s) == (
        TOULOUSE.base_url,
        TOULOUSE.spec,
        toulouse,
        3600,
    )


@pytest.mark.spec("W21")
@pytest.mark.parametrize("spec", [OUR_SPEC, "WIS-CATALOGUE"])
def test_a_link_into_a_set_that_could_loop_is_refused_with_the_reason(
    admin_client: Client, toulouse: MetadataSet, spec: str
) -> None:
    local = MetadataSet.objects.get(spec=spec)
    response = admin_client.post(PLAIN, form(local_set=local.pk))
    assert "a peer link stores into a set of the kind peer, so that records cannot loop" in response.content.decode()
    assert not Link.objects.exists()


@pytest.mark.spec("W21")
def test_a_link_to_everybodys_records_is_refused(admin_client: Client, toulouse: MetadataSet) -> None:
    response = admin_client.post(PLAIN, form(remote_set="WIS-CATALOGUE"))
    assert "holds everybody&#x27;s records" in response.content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "gisc-toulouse"},
        {"base_url": "ftp://gisc/oai"},
        {"schedule": "1 second"},
        {"name": "two words"},
        {"name": ""},
        {"local_set": ""},
        {"local_set": "99999999999999999999"},
        {"remote_set": "a\0b"},
    ],
    ids=str,
)
def test_a_wrong_field_is_shown_and_nothing_is_saved(
    admin_client: Client, toulouse: MetadataSet, wrong: dict[str, str]
) -> None:
    response = admin_client.post(PLAIN, form(**wrong))
    assert response.status_code == 200
    assert response.context["adminform"].form.errors
    assert not Link.objects.exists()


def test_the_form_that_adds_a_link_takes_what_retrieve_info_hands_it(
    admin_client: Client, toulouse: MetadataSet
) -> None:
    given = {"name": "t", "base_url": TOULOUSE.base_url, "remote_set": TOULOUSE.spec, "local_set": toulouse.pk}
    page = admin_client.get(PLAIN, given).content.decode()
    assert f'value="{TOULOUSE.base_url}"' in page
    assert f'value="{TOULOUSE.spec}"' in page


def test_saving_a_link_leaves_what_a_worker_wrote_meanwhile(admin_client: Client, link: Link) -> None:
    stale = Link.objects.get()
    Link.objects.update(harvested_to=HARVESTED_TO, failures=3)
    stale.enabled = False
    edit.save(stale, ["enabled"])
    link.refresh_from_db()
    assert (link.enabled, link.harvested_to, link.failures) == (False, HARVESTED_TO, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "http://other.example.org/oai"},
        {"prefix": "gmd"},
        {"remote_set": "shared01"},
        {"identifiers": "file"},
    ],
    ids=str,
)
def test_a_link_that_harvests_something_else_asks_for_the_whole_list_next(
    admin_client: Client, link: Link, change: dict[str, str]
) -> None:
    Link.objects.update(harvested_to=HARVESTED_TO)
    response = admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link) | change, follow=True)
    assert "asks for the whole list" in messages(response)
    link.refresh_from_db()
    assert link.harvested_to is None


def test_a_link_that_is_renamed_goes_on_where_it_was(admin_client: Client, link: Link) -> None:
    Link.objects.update(harvested_to=HARVESTED_TO)
    admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link, name="meteo-france"), follow=True)
    link.refresh_from_db()
    assert (link.name, link.harvested_to) == ("meteo-france", HARVESTED_TO)


def test_a_page_under_way_when_the_link_changes_is_dropped_and_the_list_begins_anew(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(5))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None

    def change_the_link(stored: Run) -> None:
        if stored.pages == 1 and not stored.restarts:
            moved = Link.objects.get()
            moved.remote_set = "shared01"
            edit.save(moved, ["remote_set"])

    lifecycle.work(run.pk, progress=change_the_link)
    run.refresh_from_db()
    assert (run.state, run.token, run.pages, run.restarts) == (Run.State.OPEN, "", 0, 1)
    assert Link.objects.get().harvested_to is None

    lifecycle.work(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE
    assert [asked.get("set") for asked in provider.lists if "set" in asked] == [TOULOUSE.spec, "shared01"]


def test_a_new_interval_counts_from_the_start_of_the_last_run(admin_client: Client, run: Run) -> None:
    link = run.link
    admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link) | {"schedule": "10 minutes"}, follow=True)
    link.refresh_from_db()
    assert link.next_due == run.begun + timedelta(seconds=600)


# --- The list of links -------------------------------------------------------------------------------


def test_the_list_shows_each_links_last_run_and_its_message(admin_client: Client, link: Link, run: Run) -> None:
    Run.objects.create(
        link=link,
        state="failed",
        begun=timezone.now(),
        finished=timezone.now(),
        outcome="as-written",
        outcome_data={"text": "The provider answered HTTP 404 <b>Not Found</b>."},
    )
    page = admin_client.get(LINKS).content.decode()
    assert "failed" in page
    assert "The provider answered HTTP 404 &lt;b&gt;Not Found&lt;/b&gt;." in page
    assert f"{TOULOUSE.spec} → " not in page, "a set of the same name is named once"


def test_a_run_that_is_done_with_rejects_is_no_plain_success(admin_client: Client, run: Run) -> None:
    assert "done, 2 rejected" in admin_client.get(LINKS).content.decode()
    assert "done, 2 rejected" in admin_client.get(RUNS).content.decode()


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
@pytest.mark.parametrize("path", [LINKS, RUNS, REJECTS])
def test_a_list_costs_the_same_queries_for_one_link_and_for_twenty(
    admin_client: Client, run: Run, django_assert_max_num_queries, path: str
) -> None:
    for number in range(20):
        other = Link.objects.create(
            name=f"l{number}", base_url="http://x.example.org/oai", local_set=run.link.local_set
        )
        another = Run.objects.create(link=other, state="done", begun=timezone.now())
        Reject.objects.create(link=other, run=another, identifier="urn:x", reason="no", raw=b"<x/>")
    admin_client.get(path)
    admin_client.get("/admin/")  # reads the state of the node
    with django_assert_max_num_queries(14):
        assert admin_client.get(path).status_code == 200


# --- Run now -----------------------------------------------------------------------------------------


def test_run_now_opens_a_run_queues_it_and_says_so(admin_client: Client, link: Link) -> None:
    response = admin_client.post(f"{LINKS}{link.pk}/run/", follow=True)
    run = Run.objects.get()
    assert (run.link, run.trigger, run.is_open) == (link, "operator", True)
    assert calls() == 1
    assert "a run was started (the whole list)" in messages(response)


def test_run_now_asks_for_changes_only_and_the_other_button_for_the_whole_list(
    admin_client: Client, link: Link
) -> None:
    Link.objects.update(harvested_to=HARVESTED_TO)
    assert "(changes only)" in messages(admin_client.post(f"{LINKS}{link.pk}/run/", follow=True))
    Run.objects.all().delete()
    whole = admin_client.post(f"{LINKS}{link.pk}/run/", {"full": "1"}, follow=True)
    assert "(the whole list)" in messages(whole)
    assert Run.objects.get().list_from is None


def test_the_actions_of_the_list_start_a_run_of_every_chosen_link(admin_client: Client, link: Link) -> None:
    Link.objects.update(harvested_to=HARVESTED_TO)
    other = Link.objects.create(name="other", base_url="http://x.example.org/oai", local_set=link.local_set)
    chosen = {"action": "run_now_whole", "_selected_action": [str(link.pk), str(other.pk)]}
    response = admin_client.post(LINKS, chosen, follow=True)
    assert messages(response).count("a run was started") == 2
    assert {run.link for run in Run.objects.all()} == {link, other}
    assert not Run.objects.exclude(list_from=None).exists()
    assert calls() == Run.objects.count()


def test_run_now_while_a_run_is_open_starts_none_and_says_so(admin_client: Client, link: Link) -> None:
    lifecycle.open_run(link, trigger="schedule")
    response = admin_client.post(f"{LINKS}{link.pk}/run/", follow=True)
    assert "a run is open already" in messages(response)
    assert Run.objects.count() == 1
    assert calls() == 0


def test_run_now_without_a_broker_leaves_an_open_run_for_the_scheduler_and_says_so(
    admin_client: Client, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr(tasks.harvest, "delay", unreachable)
    response = admin_client.post(f"{LINKS}{link.pk}/run/", follow=True)
    said = messages(response)
    assert "the broker cannot be reached (Connection refused)" in said
    assert "Nothing is lost" in said
    run = Run.objects.get()
    assert ready() == [run.pk]


def test_run_now_of_a_link_that_is_gone_is_not_found(admin_client: Client) -> None:
    assert admin_client.post(f"{LINKS}12345/run/").status_code == 404


@pytest.mark.parametrize("path", ["run/"])
def test_what_changes_something_is_not_done_by_get(admin_client: Client, link: Link, path: str) -> None:
    assert admin_client.get(f"{LINKS}{link.pk}/{path}").status_code == 405
    assert not Run.objects.exists()


def test_a_form_of_another_site_starts_nothing(admin_user: User, link: Link) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)
    assert client.post(f"{LINKS}{link.pk}/run/").status_code == 403
    assert not Run.objects.exists()


def test_who_may_only_look_gets_no_buttons_and_starts_nothing(client: Client, link: Link) -> None:
    user = User.objects.create_user("keiko", password="a long password 1", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_link"))
    client.force_login(user)
    page = client.get(f"{LINKS}{link.pk}/change/").content.decode()
    assert "Run now" not in page
    assert "Retrieve info" not in page.split("<form", 1)[-1].split("“")[0]
    assert client.post(f"{LINKS}{link.pk}/run/").status_code == 403
    assert client.post(LOOK, {"base_url": link.base_url, "prefix": "x"}).status_code == 403
    client.post(LINKS, {"action": "run_now", "_selected_action": str(link.pk)})
    assert not Run.objects.exists()


# --- Retrieve info -----------------------------------------------------------------------------------


def look(client: Client, base_url: str, prefix: str = "ISO19139", remote_set: str = TOULOUSE.spec) -> str:
    response = client.post(LOOK, {"base_url": base_url, "prefix": prefix, "remote_set": remote_set})
    assert response.status_code == 200
    return response.content.decode()


def test_retrieve_info_shows_what_the_provider_is_and_offers(
    admin_client: Client, toulouse: MetadataSet, provider: Provider
) -> None:
    page = look(admin_client, provider.base_url)
    for said in (
        "YYYY-MM-DDThh:mm:ssZ",
        "persistent: every deletion is reported",
        "2020-01-01T00:00:00Z",
        "http://www.isotc211.org/2005/gmd",
        f"A link with the prefix ISO19139 and the set {TOULOUSE.spec} will work.",
        "Add a link",
    ):
        assert said in page, said
    assert not Link.objects.exists()


def test_retrieve_info_says_what_is_wrong_with_prefix_and_set(
    admin_client: Client, toulouse: MetadataSet, provider: Provider
) -> None:
    page = look(admin_client, provider.base_url, prefix="iso19139", remote_set="NONE")
    assert "does not offer the prefix &#x27;iso19139&#x27;" in page
    assert "ISO 19139 is called ISO19139 there" in page
    assert "does not list the set &#x27;NONE&#x27;" in page
    assert "will work" not in page


def test_retrieve_info_warns_of_a_clock_that_is_wrong(
    admin_client: Client, toulouse: MetadataSet, provider: Provider
) -> None:
    provider.now = "2001-01-01T00:00:00Z"
    assert "behind ours" in look(admin_client, provider.base_url)


def test_retrieve_info_leads_to_the_page_that_adds_a_link(admin_client: Client, db: None, provider: Provider) -> None:
    data = {"base_url": provider.base_url, "prefix": "ISO19139", "remote_set": "", "user_agent": "Other/1"}
    page = admin_client.post(LOOK, data).content.decode()
    address = next(part.split('"')[0] for part in page.split('href="') if part.startswith(f"{LINKS}add/"))
    filled = admin_client.get(address.replace("&amp;", "&")).content.decode()
    for given in (provider.base_url, f"set:{TOULOUSE.spec}", "Other/1"):
        assert f'value="{given}"' in filled


FAULTS = {
    "nobody there": lambda provider: "http://127.0.0.1:9/oai",
    "no such page": lambda provider: provider.server.url_for("/nothing"),
    "not XML": lambda provider: provider.base_url,
    "no such host": lambda provider: "http://nowhere.invalid/oai",
    "no URL": lambda provider: "nonsense",
    "odd host": lambda provider: "http://a..b/oai",
    "other scheme": lambda provider: "file:///etc/passwd",
    "odd port": lambda provider: "http://127.0.0.1:99999/oai",
    "NUL": lambda provider: "http://127.0.0.1/\0",
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_provider_that_cannot_be_asked_is_said_in_a_sentence(
    admin_client: Client, toulouse: MetadataSet, provider: Provider, case: str
) -> None:
    provider.faults.append(lambda arguments: xml("<html>Welcome"))
    page = look(admin_client, FAULTS[case](provider))
    assert "gave no answer that a link could use" in page or 'class="errors' in page
    assert "will work" not in page


def test_retrieve_info_without_a_form_shows_one(admin_client: Client) -> None:
    assert "Base URL" in admin_client.get(LOOK).content.decode()


def test_the_pages_of_a_link_have_the_buttons(admin_client: Client, link: Link, run: Run) -> None:
    added = admin_client.get(PLAIN).content.decode()
    assert "formaction" not in added and "Run now" not in added
    page = admin_client.get(f"{LINKS}{link.pk}/change/").content.decode()
    assert f'formaction="{LOOK}?link={link.pk}"' in page
    assert f'action="{LINKS}{link.pk}/run/"' in page
    assert f'href="{RUNS}{run.pk}/change/"' in page


# --- Deleting ----------------------------------------------------------------------------------------


def test_deleting_a_link_takes_its_runs_and_rejects_and_leaves_the_records(
    admin_client: Client, link: Link, run: Run
) -> None:
    put(iso_record("urn:a"), into=link.local_set)
    page = admin_client.get(f"{LINKS}{link.pk}/delete/").content.decode()
    assert "The records that were harvested stay in their sets" in page
    assert "Rejects: 2" in page
    assert admin_client.post(f"{LINKS}{link.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Link.objects.exists()
    assert not Run.objects.exists()
    assert not Reject.objects.exists()
    assert Record.objects.filter(deleted=False).count() == 1


def test_deleting_chosen_links_says_the_same(admin_client: Client, link: Link, run: Run) -> None:
    chosen = {"action": "delete_selected", "_selected_action": str(link.pk)}
    page = admin_client.post(LINKS, chosen).content.decode()
    assert "The records that were harvested stay in their sets" in page
    admin_client.post(LINKS, chosen | {"post": "yes"})
    assert not Link.objects.exists()


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
def test_a_link_with_many_rejects_is_shown_for_deletion_without_reading_them(
    admin_client: Client, run: Run, django_assert_max_num_queries
) -> None:
    rejects = (Reject(link=run.link, run=run, identifier=f"urn:{n}", reason="no") for n in range(500))
    Reject.objects.bulk_create(rejects)
    admin_client.get("/admin/")  # reads the state of the node
    with django_assert_max_num_queries(11):  # one is of the second factor, one of the badges in the sidebar
        page = admin_client.get(f"{LINKS}{run.link_id}/delete/").content.decode()
    assert "Rejects: 502" in page
    assert "urn:499" not in page


def test_a_set_into_which_a_link_stores_keeps_its_kind(admin_client: Client, link: Link) -> None:
    address = f"/admin/catalogue/metadataset/{link.local_set_id}/change/"
    fields = {"spec": "OTHER", "name": "x", "description": "", "kind": "virtual", "public": "on"}
    assert admin_client.post(address, fields).status_code == 302
    link.local_set.refresh_from_db()
    assert (link.local_set.spec, link.local_set.kind) == (TOULOUSE.spec, MetadataSet.Kind.PEER)


# --- Runs and rejects --------------------------------------------------------------------------------


def test_a_run_shows_counters_that_add_up_and_its_rejects(admin_client: Client, run: Run) -> None:
    page = admin_client.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "5 received: 3 new, 0 updated, 0 unchanged, 0 deleted, 2 rejected" in page
    assert f'href="{RUNS}{run.pk}/rejects.csv"' in page
    listed = admin_client.get(html.unescape(re.search(rf'href="({REJECTS}[^"]*)"', page)[1]))
    assert len(listed.context["cl"].result_list) == 2


def test_runs_are_filtered_by_state_and_link(admin_client: Client, run: Run) -> None:
    offenbach = Link.objects.create(name="offenbach", base_url=OFFENBACH.base_url, local_set=peer_set(OFFENBACH))
    failed = Run.objects.create(link=offenbach, state="failed", begun=timezone.now())
    for query, expected in (
        ({}, [failed, run]),
        ({"state__exact": "failed"}, [failed]),
        ({"link__id__exact": run.link_id}, [run]),
        ({"q": "offen"}, [failed]),
    ):
        assert list(admin_client.get(RUNS, query).context["cl"].result_list) == expected


def test_the_rejects_of_a_run_are_downloaded_as_csv(admin_client: Client, run: Run) -> None:
    response = admin_client.get(f"{RUNS}{run.pk}/rejects.csv")
    assert response.streaming
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert f"rejects-{run.link.name}-" in response["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(response.getvalue().decode())))
    assert rows[0] == [
        *("identifier", "datestamp", "reason", "xml", "code", "first_seen", "last_seen", "count", "settled")
    ]
    begun = f"{run.begun:%Y-%m-%dT%H:%M:%SZ}"
    expected = ["urn:bad", "2026-02-01", SENTENCE, "<a><b>\ufffd</b></a>", "unknown-encoding", begun, begun, "1", ""]
    assert rows[1] == expected


def test_no_cell_of_the_csv_is_a_formula(admin_client: Client, run: Run) -> None:
    response = admin_client.get(f"{RUNS}{run.pk}/rejects.csv")
    assert list(csv.reader(io.StringIO(response.getvalue().decode())))[2][2] == "'=HYPERLINK(1)"


def test_chosen_rejects_and_the_rejects_of_chosen_runs_are_downloaded(admin_client: Client, run: Run) -> None:
    one = Reject.objects.get(identifier="urn:bad")
    chosen = admin_client.post(REJECTS, {"action": "download", "_selected_action": str(one.pk)})
    assert chosen.getvalue().decode().count("\r\n") == 2
    all_of_run = admin_client.post(RUNS, {"action": "download_rejects", "_selected_action": str(run.pk)})
    assert all_of_run.getvalue().decode().count("\r\n") == 3


def test_rejects_are_searched_by_identifier_and_reason(admin_client: Client, run: Run) -> None:
    for words in ("urn:bad", "empty", "unknown-enc"):
        found = admin_client.get(REJECTS, {"q": words}).context["cl"].result_list
        assert [reject.identifier for reject in found] == ["urn:bad"]


def test_rejects_are_filtered_by_the_code_of_their_reason(admin_client: Client, run: Run) -> None:
    page = admin_client.get(REJECTS, {"reason": "unknown-encoding"})
    assert [reject.identifier for reject in page.context["cl"].result_list] == ["urn:bad"]
    assert "?reason=as-written" in page.content.decode()


def test_a_reject_shows_what_was_received_as_text_whatever_its_bytes(admin_client: Client, run: Run) -> None:
    broken, whole = Reject.objects.order_by("-identifier")
    page = admin_client.get(f"{REJECTS}{broken.pk}/change/").content.decode()
    assert "&lt;a&gt;&lt;b&gt;\ufffd&lt;/b&gt;&lt;/a&gt;" in page
    assert "the encoding &#x27;&lt;empty&gt;&#x27;" in page and "unknown-encoding" in page
    assert "  &lt;b&gt;two&lt;/b&gt;" in admin_client.get(f"{REJECTS}{whole.pk}/change/").content.decode()


@pytest.mark.parametrize("path", [RUNS, REJECTS])
def test_runs_and_rejects_cannot_be_edited_by_hand(admin_client: Client, run: Run, path: str) -> None:
    pk = run.pk if path == RUNS else Reject.objects.order_by("pk")[0].pk
    assert admin_client.get(f"{path}add/").status_code == 403
    assert admin_client.post(f"{path}{pk}/change/", {"state": "open", "reason": "x"}).status_code == 403
    assert admin_client.post(f"{path}{pk}/delete/", {"post": "yes"}).status_code == 403
    run.refresh_from_db()
    assert run.state == Run.State.DONE
    assert own_set().spec == OUR_SPEC
