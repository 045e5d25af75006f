"""The public page that says what is harvested and how it went."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db


def page(client: Client) -> str:
    response = client.get("/harvest/")
    assert response.status_code == 200
    return response.content.decode()


def test_a_node_without_links_says_where_to_add_one(client: Client) -> None:
    assert "No link is set up yet." in page(client)


def test_a_link_that_never_ran_says_so(client: Client, link: Link) -> None:
    shown = page(client)
    assert link.base_url in shown
    assert "not harvested yet" in shown
    assert "not yet" in shown


def test_a_harvest_is_shown_with_its_counters_and_how_far_the_link_is_complete(
    client: Client, link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    lifecycle.work(run.pk)
    shown = page(client)
    assert ">done<" in shown
    assert "2026-02-01 00:00:00" in shown
    assert shown.count('<td class="number">3</td>') == 2  # received and new


def test_only_the_last_run_of_a_link_is_shown_with_its_message(client: Client, link: Link) -> None:
    for day, message in ((1, "The first."), (3, "The <i>last</i>."), (2, "The second.")):
        begun = datetime(2026, 1, day, tzinfo=UTC)
        outcome = {"outcome": "as-written", "outcome_data": {"text": message}}
        Run.objects.create(link=link, state="failed", begun=begun, finished=begun, **outcome)
    shown = page(client)
    assert "The &lt;i&gt;last&lt;/i&gt;." in shown
    assert "The first." not in shown
    assert "The second." not in shown


def test_a_run_that_rejected_entries_is_not_shown_as_plain_success(client: Client, link: Link) -> None:
    Run.objects.create(link=link, state="done", begun=timezone.now(), received=7, rejected=7)
    shown = page(client)
    assert "done, 7 rejected" in shown
    assert ">done<" not in shown


def test_a_link_that_is_not_harvested_by_schedule_says_so(client: Client, link: Link) -> None:
    Link.objects.update(enabled=False)
    assert "Disabled: not harvested by schedule." in page(client)


def test_the_page_costs_the_same_queries_however_many_links_there_are(
    client: Client, link: Link, django_assert_max_num_queries
) -> None:
    for number in range(20):
        other = Link.objects.create(name=f"l{number}", base_url="http://x.example.org/oai", local_set=link.local_set)
        Run.objects.create(link=other, state="done", begun=timezone.now())
    page(client)  # reads the state of the node, which is kept for some seconds
    with django_assert_max_num_queries(5):  # the links, their runs, and three of the transaction with its limits
        assert page(client).count(TOULOUSE.spec) >= 1


def test_the_page_only_reads(client: Client, link: Link) -> None:
    assert client.post("/harvest/").status_code == 405
