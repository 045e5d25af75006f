"""What is stored of how a run went: a code with facts, of which its sentence is made, and a figure for alerts."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from werkzeug import Response

from harvester import schedule
from harvester.links import edit
from harvester.models import Link, Run
from harvester.runs import lifecycle, store_page
from tests.support.connections import backend, cut
from tests.support.link_admin import LINKS, RUNS
from tests.support.provider import Provider, continued, fill, identifier, once, times, xml
from tests.support.runs import go_on, harvest
from tests.support.world import iso_record


def remarks(run: Run) -> dict[str, dict[str, Any]]:
    """The remarks on a run that is done: facts by code."""
    assert run.outcome == "done", run.message
    return {remark["code"]: remark["facts"] for remark in run.outcome_data["remarks"]}


def test_a_run_that_has_just_begun_has_nothing_to_tell(link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    assert (run.outcome, run.outcome_data, run.message) == ("running", {}, "")


def test_a_page_that_fails_postpones_the_run_with_the_cause_and_the_wait(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    provider.faults.append(once(continued, lambda: Response("gone", status=502)))

    run = harvest(link)

    assert run.outcome == "postponed"
    assert run.outcome_data == {
        "cause": {"code": "http-error", "facts": {"status": 502, "reason": "BAD GATEWAY"}},
        "page": 2,
        "wait_s": 10,
        "attempt": 1,
        "max_attempts": schedule.MAX_ATTEMPTS,
    }
    assert run.message == (
        "The provider answered HTTP 502 BAD GATEWAY. Page 2 is asked for again in 10 s (1 of 10 tries has failed)."
    )
    assert go_on(run).outcome == "done"


def test_single_records_that_fail_postpone_the_run_without_a_page(link: Link, provider: Provider) -> None:
    Link.objects.update(strategy=Link.Strategy.IDENTIFIERS)
    link.refresh_from_db()
    fill(provider, range(2))
    provider.faults.append(times(2, lambda a: a["verb"] == "GetRecord", lambda: Response("busy", status=503)))

    run = harvest(link)

    assert run.outcome == "postponed" and "page" not in run.outcome_data
    assert run.message.startswith("The provider answered HTTP 503")
    assert "The records that are missing are asked for again in 300 s" in run.message


def test_a_lost_token_restarts_the_list(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    lost = provider.envelope('<error code="badResumptionToken">expired</error>')
    provider.faults.append(once(continued, lambda: xml(lost)))

    run = harvest(link)

    assert run.outcome == "list-restarted"
    assert run.outcome_data == {
        "cause": {"code": "list-broken-off", "facts": {"errors": [{"code": "badResumptionToken", "text": "expired"}]}},
        "pages": 1,
        "restart": 1,
        "max_restarts": schedule.MAX_RESTARTS,
    }


def test_a_page_that_cannot_be_had_is_replaced_by_headers(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    provider.faults.append(
        lambda a: Response("no", status=500) if a["verb"] == "ListRecords" and continued(a) else None
    )
    run = harvest(link)
    while run.outcome == "postponed":
        run = go_on(run)

    assert run.outcome == "restarted-by-headers"
    assert run.outcome_data["cause"]["code"] == "http-error" and run.outcome_data["pages"] == 1
    assert "1 page stays stored; the list is read again as headers" in run.message


def test_an_edited_link_asks_for_its_list_from_the_start(link: Link, provider: Provider) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    link.prefix = "iso"
    edit.save(link, {"prefix"})
    run.refresh_from_db()
    assert (run.outcome, run.outcome_data) == ("link-changed", {})
    assert run.message == "The link was changed; its list is asked for from the start."


def test_a_refusal_fails_the_run(link: Link, provider: Provider) -> None:
    provider.faults.append(lambda a: Response("no", status=404) if a["verb"] == "ListRecords" else None)
    run = harvest(link)
    assert run.outcome == "failed"
    cause = {"code": "http-refused", "facts": {"status": 404, "reason": "NOT FOUND"}}
    assert run.outcome_data == {"cause": cause, "pages": 0}
    assert "there is nothing at this address" in run.message


def test_a_prefix_that_is_not_on_offer_names_those_that_are(link: Link, provider: Provider) -> None:
    refused = provider.envelope('<error code="cannotDisseminateFormat">no</error>')
    provider.faults.append(lambda a: xml(refused) if a["verb"] == "ListRecords" else None)
    run = harvest(link)
    assert run.outcome_data["cause"]["facts"]["iso_prefixes"] == ["ISO19139"]
    assert "; ISO 19139 is called ISO19139 there: correct the link's prefix. No page was stored" in run.message


def test_a_run_that_the_operator_cancels_says_so(link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None and lifecycle.cancel(run)
    run.refresh_from_db()
    assert (run.outcome, run.outcome_data) == ("cancelled", {})
    assert run.message.startswith("Cancelled by the operator.")


@pytest.mark.django_db(transaction=True)
def test_a_lost_database_is_a_cause_of_our_own(link: Link, provider: Provider) -> None:
    fill(provider, range(4))
    ours = backend()
    provider.faults.append(lambda arguments: cut(ours) if continued(arguments) else None)
    run = harvest(link)
    assert (run.outcome, run.outcome_data["cause"]["code"]) == ("postponed-by-node", "database-lost")
    assert run.outcome_data["cause"]["facts"]["detail"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", ["XX001", "58030"])
def test_damaged_files_of_the_database_are_a_cause_of_our_own(link: Link, provider: Provider, state: str) -> None:
    fill(provider, range(4))
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = 'invalid page in block 7';
            END $$;
            CREATE TRIGGER damaged BEFORE INSERT ON catalogue_record FOR EACH ROW EXECUTE FUNCTION damaged()
        """)
        try:
            run = harvest(link)
        finally:
            cursor.execute("DROP FUNCTION damaged() CASCADE")
    assert (run.outcome, run.outcome_data["cause"]["code"]) == ("postponed-by-node", "database-damaged")
    assert "cannot read what it has stored (invalid page in block 7" in run.message
    assert "restore the node from a backup" in run.message


def test_an_error_of_this_node_is_a_cause_of_our_own(
    link: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(provider, range(2))

    def fail(*_: object) -> bool:
        raise ValueError("an odd page\0")

    monkeypatch.setattr(store_page, "store_page", fail)
    with pytest.raises(ValueError, match="an odd page"):
        harvest(link)
    run = Run.objects.get()
    assert run.outcome == "postponed-by-node"
    assert run.outcome_data["cause"] == {
        "code": "node-error",
        "facts": {"error": "ValueError", "detail": "an odd page\ufffd"},
    }


# --- Done -------------------------------------------------------------------------------------------


def test_a_list_without_anything_odd_is_done_without_remarks(link: Link, provider: Provider) -> None:
    provider.now = f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}"
    fill(provider, range(3))
    run = harvest(link)
    assert (run.outcome, run.outcome_data, run.message) == ("done", {"remarks": []}, "")


def far_ahead(link: Link, provider: Provider) -> None:
    provider.now = f"{timezone.now() + timedelta(seconds=600):%Y-%m-%dT%H:%M:%SZ}"


def dated_in_the_future(link: Link, provider: Provider) -> None:
    fill(provider, range(1), stamp=f"{timezone.now() + timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}")


def emptied(link: Link, provider: Provider) -> None:
    provider.entries.clear()


def without_the_set(link: Link, provider: Provider) -> None:
    Link.objects.update(remote_set="WIS-GISC-ELSEWHERE")


def announcing_more(link: Link, provider: Provider) -> None:
    provider.edits.append(lambda a, body: body.replace(b'completeListSize="3"', b'completeListSize="4"'))


def backed_up(link: Link, provider: Provider) -> None:
    Link.objects.update(kind="backup")


def silent_for_long(link: Link, provider: Provider) -> None:
    first = timezone.now() - timedelta(days=200, hours=1)
    Link.objects.update(harvested_to=first, first_response=first, newest=first)
    provider.edits.append(lambda a, body: body.replace(b">persistent<", b">transient<"))


def emptied_behind_our_back(link: Link, provider: Provider) -> None:
    Link.objects.update(ceiling_records=1)
    link.refresh_from_db()
    fill(provider, range(10))
    harvest(link)
    provider.entries = dict(list(provider.entries.items())[:3])


def listing_one_twice(link: Link, provider: Provider) -> None:
    again, other = identifier(0).encode(), identifier(2).encode()
    provider.edits.append(lambda a, body: body.replace(other, again) if continued(a) else body)


@pytest.mark.parametrize(
    ("arrange", "code", "facts", "sentence"),
    [
        (far_ahead, "clock-skew", {"is_alarm": True}, "s ahead of ours; tell the provider."),
        (dated_in_the_future, "future-datestamps", {}, "its responseDate was used instead."),
        (emptied, "list-empty", {"set": "WIS-GISC-TOULOUSE", "is_set_listed": True}, "and no records in it."),
        (
            without_the_set,
            "set-missing",
            {"set": "WIS-GISC-ELSEWHERE", "state": "unlisted"},
            "The provider does not list the set WIS-GISC-ELSEWHERE, and gives records of it.",
        ),
        (announcing_more, "size-differs", {"announced": 4, "listed": 3}, "announced 4 entries and listed 3."),
        (backed_up, "offers-wait", {"waiting": 3}, "Nothing was stored; 3 records of the co-owner wait"),
        (silent_for_long, "long-silence", {"days": 200, "deleted_record": "transient"}, "200 days ago"),
        (emptied_behind_our_back, "fewer-than-stored", {"listed": 3, "stored": 10}, "10 are stored here."),
        (listing_one_twice, "entries-repeated", {"listed": 3, "different": 2}, "than different records (2);"),
    ],
)
def test_what_an_operator_should_know_of_a_complete_list_is_a_remark(
    link: Link,
    provider: Provider,
    arrange: Callable[[Link, Provider], None],
    code: str,
    facts: dict[str, Any],
    sentence: str,
) -> None:
    provider.now = f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}"
    fill(provider, range(3))
    arrange(link, provider)
    link.refresh_from_db()

    run = harvest(link, full=code == "fewer-than-stored")

    found = remarks(run)
    assert found[code].items() >= facts.items(), found
    assert sentence in run.message


def test_a_provider_that_ignores_from_gives_no_reason_to_compare_everything(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    harvest(link)
    Link.objects.update(reconciles=False)
    provider.lists_all = True
    provider.entries[identifier(5)] = ("2026-02-20T00:00:00Z", iso_record(identifier(5)))
    harvest(Link.objects.get())

    run = harvest(Link.objects.get())

    assert [warning["code"] for warning in run.warnings] == ["older-than-asked"]
    assert "entries-repeated" not in remarks(run)
    assert not Link.objects.get().reconciles


# --- Compared ---------------------------------------------------------------------------------------


def compared(link: Link, **options: bool) -> Run:
    run = lifecycle.open_comparison(Link.objects.get(pk=link.pk), trigger="test", whole=True, **options)
    assert run is not None
    return go_on(run)


def test_a_comparison_says_in_numbers_what_it_found(link: Link, provider: Provider) -> None:
    Link.objects.update(ceiling_records=2)
    fill(provider, range(8))
    harvest(link)
    for number in range(3):
        del provider.entries[identifier(number)]
    nothing = {"missing": 0, "stale": 0, "not_served": 0, "extra": 3, "vanished": 0, "changed": 0}

    above = compared(link)
    assert above.outcome == "compared"
    assert above.outcome_data == {**nothing, "above_ceiling": 3, "ceiling": 2}
    assert "more than the ceiling of 2: none was asked for and none deleted." in above.message

    beyond = compared(link, beyond_ceiling=True)
    assert beyond.outcome_data == {**nothing, "vanished": 3, "above_ceiling": 0}
    assert beyond.message.endswith(
        "3 are unknown there without a deletion; they are kept, and wait among the conflicts."
    )


# --- Where it is seen -------------------------------------------------------------------------------


@pytest.fixture
def failed(link: Link, provider: Provider) -> Run:
    provider.faults.append(lambda a: Response("no", status=404) if a["verb"] == "ListRecords" else None)
    return harvest(link)


def test_monitors_and_scripts_get_the_code_beside_the_sentence(
    failed: Run, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = {"outcome": "failed", "outcome_data": failed.outcome_data, "message": failed.message}
    assert client.get("/harvest/status.json").json()["links"][0]["last_run"].items() >= expected.items()

    call_command("link", "show", "toulouse", "--json")
    assert json.loads(capsys.readouterr().out)["runs"][0].items() >= expected.items()
    with pytest.raises(SystemExit):
        call_command("harvest", "toulouse", "--json")
    assert json.loads(capsys.readouterr().out)["outcome"] == "failed"


def test_prometheus_gets_the_outcome_of_each_links_last_harvest(failed: Run, client: Client) -> None:
    def figures() -> list[str]:
        text = client.get("/metrics").content.decode()
        return [line for line in text.splitlines() if line.startswith("gisc_link_outcome{")]

    Run.objects.create(link=failed.link, begun=failed.begun - timedelta(days=1), state="done", outcome="done")
    Run.objects.create(
        link=failed.link, begun=failed.begun + timedelta(days=1), state="done", outcome="compared", purpose="comparison"
    )
    assert figures() == ['gisc_link_outcome{cause="http-refused",link="toulouse",outcome="failed"} 1.0']

    other = Link.objects.create(name="other", base_url="http://x.example.org/oai", local_set=failed.link.local_set)
    assert len(figures()) == 1, "the other was never harvested"
    lifecycle.open_run(other, trigger="test")
    assert 'gisc_link_outcome{cause="",link="other",outcome="running"} 1.0' in figures()


def test_runs_are_filtered_by_outcome_in_the_administration(failed: Run, admin_client: Client) -> None:
    Run.objects.create(link=failed.link, begun=timezone.now(), state="done", outcome="done", trigger="another")
    shown = admin_client.get(f"{RUNS}?outcome=failed").content.decode()
    assert "there is nothing at this address" in shown and "by another" not in shown
    assert "there is nothing at this address" in admin_client.get(f"{RUNS}{failed.pk}/change/").content.decode()
    assert admin_client.get(f"{RUNS}?q=toulouse").status_code == 200


def test_a_run_that_a_later_version_wrote_is_shown_all_the_same(
    link: Link, client: Client, admin_client: Client
) -> None:
    data = {"cause": {"code": "sun-spots"}, "number": 7}
    run = Run.objects.create(
        link=link,
        begun=timezone.now(),
        state="failed",
        outcome="outshone",
        outcome_data=data,
        warnings=[{"code": "glare", "facts": {"of": "sun"}, "count": 2}],
    )
    assert "outshone" in client.get("/harvest/").content.decode()
    assert "glare (of sun) (2 times)." in admin_client.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "outshone" in admin_client.get(LINKS).content.decode()
    assert 'cause="sun-spots"' in client.get("/metrics").content.decode()
