"""A provider that ignores `from` is said so on its link, until it behaves again (F55)."""

import json

import pytest
from django.test import Client

from harvester.models import Link, Run
from harvester.monitoring import status
from tests.support.commands import printed
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import harvest
from tests.support.world import iso_record

SENTENCE = (
    "The provider ignores `from`: its last 2 lists were mostly older than what was asked for, so that each harvest reads all of "
    "it again. Nothing is missed by that; tell the provider."
)

pytestmark = [pytest.mark.django_db, pytest.mark.spec("F55")]


@pytest.fixture
def harvested(link: Link, provider: Provider) -> Link:
    """A link that has brought five old records."""
    Link.objects.update(lateness_h=0)
    fill(provider, range(5))
    assert run_again().new == 5
    return link


def run_again() -> Run:
    return harvest(Link.objects.get())


def seen() -> Link:
    return status.with_last_run(Link.objects.all()).get()


def test_a_provider_that_ignores_from_is_told_everywhere_until_it_behaves(
    harvested: Link, provider: Provider, client: Client, admin_client: Client
) -> None:
    provider.lists_all = True
    run_again()
    assert seen().remarks == [] and status.link_state(seen()) == ("done", "done, 1 warning"), (
        "it may have been restored"
    )
    run = run_again()
    assert run.state == "done" and run.unchanged == 5

    assert [remark["code"] for remark in run.outcome_data["remarks"]].count("from-ignored") == 1
    assert status.link_state(seen()) == ("partial", "done, 1 warning, `from` ignored")
    assert [todo.text for todo in status.find_todos(seen())] == [SENTENCE]
    (facts,) = client.get("/harvest/status.json").json()["links"]
    remark = {"code": "from-ignored", "facts": {"lists": 2}, "text": SENTENCE}
    assert facts["remarks"] == [remark] and facts["state"] == "partial"
    assert json.loads(printed("link", "show", "toulouse", "--json"))["remarks"] == [remark]
    assert f"remarks: {SENTENCE}" in printed("link", "show", "toulouse")
    assert f"toulouse: {SENTENCE}" in printed("link", "list")
    for page in ("/admin/harvester/link/", f"/admin/harvester/link/{harvested.pk}/change/", "/harvest/"):
        assert SENTENCE in admin_client.get(page).content.decode(), page
    assert 'gisc_link_from_ignored{link="toulouse"} 1.0' in client.get("/metrics").content.decode()

    provider.lists_all = False
    assert run_again().received == 0
    assert status.link_state(seen()) == ("done", "done") and seen().remarks == []
    assert 'gisc_link_from_ignored{link="toulouse"} 0.0' in client.get("/metrics").content.decode()


def test_a_whole_list_says_nothing_of_from(harvested: Link, provider: Provider) -> None:
    provider.lists_all = True
    run_again(), run_again()
    harvest(Link.objects.get(), full=True)
    assert seen().from_ignored == 2


def test_one_older_record_among_new_ones_is_no_sign_of_it(harvested: Link, provider: Provider) -> None:
    for hour in (13, 14, 15):
        provider.now = f"2026-03-01T{hour}:30:00Z"
        provider.lists_all = True
        provider.entries = {identifier(0): ("2026-02-01T00:00:00Z", iso_record(identifier(0)))}
        fill(provider, range(hour, hour + 3), stamp=f"2026-03-01T{hour}:00:00Z")
        run = run_again()
        assert [warning["code"] for warning in run.warnings] == ["older-than-asked"]
    assert seen().from_ignored == 0
