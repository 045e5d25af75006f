"""The public page that says what is harvested and how it went."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from catalogue import seams
from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, fill
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db


def page(client: Client, path: str = "/harvest/") -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_a_node_without_links_says_where_to_add_one(client: Client) -> None:
    assert "No link is set up yet." in page(client)


def test_a_link_that_never_ran_says_so(client: Client, link: Link) -> None:
    shown = page(client)
    assert link.local_set.spec in shown
    assert ">new<" in shown and "not yet" in shown


def test_a_harvest_is_shown_with_its_age_and_its_records_and_its_counters_in_the_log(
    client: Client, link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    lifecycle.work(run.pk)
    run.refresh_from_db()
    assert run.finished is not None
    with seams.replaced(clock=SetClock(run.finished)):
        shown = page(client)
    assert "This catalogue is in step with all centres" in shown and "1 of 1 centre harvested." in shown
    assert ">ok<" in shown and "0 s ago" in shown and 'class="number">3</td>' in shown
    log = page(client, f"/harvest/{link.name}/")
    assert "2026-02-01 00:00:00" in log
    assert log.count('class="number">3</td>') == 2  # received and new


def test_a_centre_that_was_never_complete_here_is_not_in_step(client: Client, link: Link, provider: Provider) -> None:
    assert "0 of 1 source is in step" in page(client), "it never ran"
    fill(provider, range(3))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    assert "0 of 1 source is in step" in page(client), "its first run is not over"
    lifecycle.work(run.pk)
    run.refresh_from_db()
    assert run.finished is not None
    with seams.replaced(clock=SetClock(run.finished)):
        assert "in step with all centres" in page(client)
        other = Link.objects.create(name="other", base_url="http://x.example.org/oai", local_set=link.local_set)
        assert "1 of 2 sources are in step" in page(client)
        Run.objects.create(link=other, state="cancelled", begun=run.finished, finished=run.finished)
        assert "1 of 2 sources are in step" in page(client), "its first run was cancelled"
        Link.objects.filter(pk=other.pk).update(enabled=False)
        assert "in step with all centres" in page(client), "what is off is not collected from"
        Link.objects.update(enabled=False)
        assert "collects from no centre at the moment" in page(client)


def test_the_messages_of_runs_are_in_the_log_the_newest_first(client: Client, link: Link) -> None:
    for day, message in ((1, "The first."), (3, "The <i>last</i>."), (2, "The second.")):
        begun = datetime(2026, 1, day, tzinfo=UTC)
        outcome = {"outcome": "as-written", "outcome_data": {"text": message}}
        Run.objects.create(link=link, state="failed", begun=begun, finished=begun, **outcome)
    log = page(client, f"/harvest/{link.name}/")
    places = [log.index(words) for words in ("The &lt;i&gt;last&lt;/i&gt;.", "The second.", "The first.")]
    assert places == sorted(places)


def test_a_run_that_rejected_entries_is_not_shown_as_plain_success(client: Client, link: Link) -> None:
    Run.objects.create(link=link, state="done", begun=timezone.now(), received=7, rejected=7)
    shown = page(client)
    assert "done, 7 rejected" in shown
    assert ">done<" not in shown


def test_a_link_that_is_not_harvested_by_schedule_says_so(client: Client, link: Link) -> None:
    Link.objects.update(enabled=False)
    assert ">off<" in page(client) and "by hand only" in page(client)
    assert "Not harvested by schedule." in page(client, f"/harvest/{link.name}/")


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
def test_the_page_costs_the_same_queries_however_many_links_there_are(
    client: Client, link: Link, django_assert_max_num_queries
) -> None:
    for number in range(20):
        other = Link.objects.create(name=f"l{number}", base_url="http://x.example.org/oai", local_set=link.local_set)
        Run.objects.create(link=other, state="done", begun=timezone.now())
    page(client)  # reads the state of the node
    # The links, their last runs and successes, their strips, the sizes of sets, two of the centres, and three of the transaction
    # with its limits.
    with django_assert_max_num_queries(10):
        assert page(client).count(TOULOUSE.spec) >= 1


def test_the_page_only_reads(client: Client, link: Link) -> None:
    assert client.post("/harvest/").status_code == 405
