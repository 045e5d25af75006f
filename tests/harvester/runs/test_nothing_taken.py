"""A run in which nothing of what came could be stored is not done: it fails, or says so in its outcome (H33, promise 7)."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from harvester.models import Link, Run
from harvester.monitoring import status
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import at, counters, harvest, held

DUBLIN_CORE = (
    b'<?xml version="1.0"?><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>No ISO</dc:title></oai_dc:dc>'
)
STAMP = "2026-02-01T00:00:00Z"

pytestmark = [pytest.mark.django_db, pytest.mark.spec("H33")]


def seen() -> Link:
    return status.with_last_run(Link.objects.all()).get()


def state() -> tuple[str, str]:
    return status.link_state(seen())


def give_dublin_core(provider: Provider, numbers: range, stamp: str = STAMP) -> None:
    provider.entries.update({identifier(number): (stamp, DUBLIN_CORE) for number in numbers})


def run_again() -> Run:
    return harvest(Link.objects.get())


def test_a_link_that_brings_nothing_but_rejects_fails_and_asks_for_all_again(
    link: Link, provider: Provider, client: Client, admin_client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.page_size = 10
    give_dublin_core(provider, range(16))

    run = harvest(link)

    assert (run.state, run.outcome, counters(run)) == ("failed", "failed", {"received": 16, "rejected": 16})
    assert run.outcome_data["cause"] == {"code": "nothing-taken", "facts": {"rejected": 16, "reason": "not-iso19139"}}
    assert "none could be stored (mostly: no ISO 19139 record)" in run.message
    current = Link.objects.get()
    assert current.harvested_to is None and current.failures == 1
    assert current.next_due is not None and current.next_due > timezone.now() + timedelta(hours=5), (
        "not a list a minute"
    )
    assert state() == ("failed", "failed")
    assert "none could be stored" in next(status.find_todos(seen())).text
    (facts,) = client.get("/harvest/status.json").json()["links"]
    assert (facts["state"], facts["harvested_to"], facts["rejects_standing"]) == ("failed", None, 16)
    assert facts["last_run"]["outcome"] == "failed"
    figures = client.get("/metrics").content.decode()
    assert 'gisc_link_outcome{cause="nothing-taken",link="toulouse",outcome="failed"} 1.0' in figures
    assert "gisc-is-failed" in client.get("/harvest/").content.decode()
    assert "none could be stored" in admin_client.get("/admin/harvester/link/").content.decode()
    with pytest.raises(SystemExit):
        call_command("harvest", "toulouse", "--json")
    assert json.loads(capsys.readouterr().out)["outcome_data"]["cause"]["code"] == "nothing-taken"
    assert "from" not in provider.lists[-1]

    fill(provider, range(16))
    assert run_again().state == "done" and len(held()) == 16
    assert state() == ("done", "done") and list(status.find_todos(seen())) == []
    assert Link.objects.get().harvested_to == at(STAMP) and Link.objects.get().failures == 0


def test_one_bad_record_after_good_lists_is_no_failure_of_the_link_and_is_seen(
    link: Link, provider: Provider, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(provider, range(5))
    harvest(link)
    later = "2026-02-20T00:00:00Z"
    give_dublin_core(provider, range(5, 6), later)

    run = run_again()

    assert (run.state, run.outcome, counters(run)) == ("done", "nothing-taken", {"received": 1, "rejected": 1})
    assert run.outcome_data.items() >= {"rejected": 1, "reason": "not-iso19139"}.items()
    assert run.message.startswith(
        "Of what came, 1, nothing could be stored (mostly: no ISO 19139 record): see the rejects."
    )
    assert state() == ("partial", "nothing taken, 1 rejected")
    assert Link.objects.get().harvested_to == at(later) and Link.objects.get().failures == 0
    assert "nothing taken, 1 rejected" in client.get("/harvest/").content.decode()
    figures = client.get("/metrics").content.decode()
    assert 'gisc_link_outcome{cause="",link="toulouse",outcome="nothing-taken"} 1.0' in figures
    call_command("harvest", "toulouse")
    assert capsys.readouterr().out.startswith("nothing taken: 1 received")

    fill(provider, range(5, 6), later)
    assert run_again().outcome == "done" and identifier(5) in held()
    assert state() == ("done", "done")


def test_a_first_list_that_is_empty_makes_no_later_list_of_rejects_pass(link: Link, provider: Provider) -> None:
    harvest(link)
    before = Link.objects.get().harvested_to
    give_dublin_core(provider, range(3), stamp="2026-03-01T13:00:00Z")
    provider.now = "2026-03-01T14:00:00Z"
    run = run_again()
    assert run.state == "failed" and run.list_from is not None
    assert Link.objects.get().harvested_to == before


def test_a_whole_list_of_rejects_fails_though_records_of_before_are_stored(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    harvest(link)
    before = Link.objects.get().harvested_to
    give_dublin_core(provider, range(5), stamp="2026-02-20T00:00:00Z")
    run = harvest(Link.objects.get(), full=True)
    assert run.outcome_data["cause"]["code"] == "nothing-taken"
    assert Link.objects.get().harvested_to == before and len(held()) == 5


def test_deletions_that_wait_for_the_operator_do_not_make_the_link_fail(link: Link, provider: Provider) -> None:
    provider.page_size = 40
    fill(provider, range(40))
    harvest(link)
    later = "2026-02-20T00:00:00Z"
    provider.entries = {identifier(number): (later, None) for number in range(40)}
    run = run_again()
    assert (run.outcome, counters(run)) == ("nothing-taken", {"received": 40, "rejected": 40})
    assert state()[0] == "partial" and Link.objects.get().harvested_to == at(later) and len(held()) == 40


def test_a_list_of_nothing_but_deletions_is_done(link: Link, provider: Provider) -> None:
    provider.entries = {identifier(number): (STAMP, None) for number in range(5)}
    assert harvest(link).outcome == "done"
    assert state() == ("done", "done")
