"""How each link stands, at one glance: its state, and what waits for a person."""

from datetime import timedelta

import pytest
from django.test import Client, override_settings
from django.utils import timezone
from werkzeug import Response

from catalogue import seams
from harvester.admin.runs import OUTCOME_COLOURS
from harvester.link_rules import Kind
from harvester.models import Conflict, Link, Run
from harvester.monitoring import overview, status
from harvester.rows import links, queue, runs
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import harvest

pytestmark = pytest.mark.django_db


def seen(link: Link) -> Link:
    return status.with_last_run(Link.objects.filter(pk=link.pk), successes=True).get()


def todos(link: Link) -> list[tuple[str, str]]:
    return [(todo.page, todo.text) for todo in status.find_todos(seen(link))]


def state(link: Link) -> tuple[str, str]:
    return status.link_state(seen(link))


def test_a_link_on_which_all_is_well_asks_for_nothing(link: Link, provider: Provider) -> None:
    assert (state(link), todos(link)) == (("never", "not harvested yet"), [])
    fill(provider, range(3))
    harvest(link)
    assert (state(link), todos(link)) == (("done", "done"), [])
    success = status.last_success(seen(link))
    assert success is not None and success.finished is not None


def test_a_run_that_goes_on_and_one_that_waits_are_told_apart(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    run = lifecycle.open_run(link, trigger="test")
    lifecycle.work(run.pk, for_s=0)
    assert todos(link) == []
    key, words = state(link)
    assert key == "waiting" and words.startswith("waits for its turn since ") and words.endswith(", 2 received")
    assert queue.claim(run.pk) is not None
    assert state(link) == ("open", "runs, 2 received")
    runs.mark_asking(run.pk)
    assert state(link)[1].startswith("waits for the provider's answer since ")
    runs.release_run(run.pk)
    provider.faults.append(lambda arguments: Response("busy", status=503))
    lifecycle.work(run.pk)
    key, words = state(link)
    assert key == "waiting" and words.startswith("waits until ")
    ((place, text),) = todos(link)
    assert place == status.RUN and "HTTP 503" in text and "asked for again" in text


def test_a_link_that_fails_says_how_often_and_why_and_when_it_last_succeeded(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    before = status.last_success(seen(link))
    provider.faults.append(lambda arguments: Response("no", status=403))
    harvest(link)
    assert state(link) == ("failed", "failed")
    harvest(link)
    assert state(link) == ("failed", "failed 2 times")
    assert "let this node's requests through" in todos(link)[0][1]
    assert status.last_success(seen(link)) == before


def test_what_waits_for_a_person_is_told_with_its_place(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')
    harvest(link)
    del provider.entries[identifier(0)], provider.entries[identifier(1)]
    Link.objects.update(ceiling_records=1, ceiling_percent=0)
    lifecycle.work(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True).pk)
    now = timezone.now()
    Conflict.objects.create(link=link, key="a", identifier="a", kind="differs", first_seen=now, last_seen=now)
    Conflict.objects.create(
        link=link, key="b", identifier="b", kind="differs", first_seen=now, last_seen=now, settled=now
    )
    link.refresh_from_db()
    link.moved_to, link.enabled, link.user = "https://new.example.org/oai", False, "tokyo"
    link.set_password("s3cret")
    link.save()
    with override_settings(SECRET_KEY="another"):
        told = todos(link)
    assert [place for place, _ in told] == ["link", "link", "link", "conflicts", "rejects", "link"]
    words = [
        "enter it again",
        "https://new.example.org/oai",
        "2 records are no longer",
        "1 conflict waits",
        "1 record is rejected",
    ]
    assert all(part in text for part, (_, text) in zip([*words, "enable it"], told, strict=True))
    assert status.drift_of(seen(link))["held_back"] == 2


@pytest.mark.parametrize(
    ("found", "number", "words"),
    [
        ({}, 0, ""),
        ({"missing": 2, "stale": 0}, 2, "2 missing"),
        ({"vanished": 14, "extra": 14}, 14, "14 extra, of which 14 vanished"),
        ({"held_back": 3, "extra": 5, "vanished": 1, "missing": 2}, 7, "2 missing; 5 extra, of which 1 vanished, 3 held back"),
        ({"vanished": 1}, 1, "1 vanished"),
        ({"changed": 1, "not_served": 4, "stale": 1}, 6, "1 stale; 4 not served; 1 changed"),
    ],
)  # fmt: skip
def test_a_record_that_is_counted_in_two_ways_differs_once(found: dict[str, int], number: int, words: str) -> None:
    assert (status.count_differing(found), status.describe_drift(found)) == (number, words)


def test_what_the_provider_has_is_counted_again_once_a_comparison_has_found_another_number(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    harvest(link)
    now = seams.now()
    assert links.count_there(now) == link
    assert (seen(link).live_there, links.count_there(now)) == (3, None)
    del provider.entries[identifier(0)], provider.entries[identifier(1)]
    Link.objects.update(ceiling_records=10)
    lifecycle.work(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True).pk)
    (shown,) = overview.read([seen(link)], str)
    assert (shown.differ, shown.found) == (2, "2 extra, of which 2 vanished")
    assert links.count_there(now) == link
    (shown,) = overview.read([seen(link)], str)
    assert (shown.there, shown.difference) == (1, "2 more here")


def test_a_run_that_has_received_nothing_yet_says_what_it_waits_for_and_not_how_far_it_is(
    link: Link, provider: Provider
) -> None:
    provider.faults.append(lambda arguments: Response("busy", status=503, headers={"Retry-After": "1800"}))
    run = lifecycle.open_run(link, trigger="test")
    lifecycle.work(run.pk)
    (shown,) = overview.read([seen(link)], str)
    assert shown.progress is None and shown.state.reason.startswith("waits until ")


def test_a_link_that_runs_by_hand_only_is_not_nagged_about(link: Link) -> None:
    Link.objects.update(enabled=False)
    assert state(link) == ("disabled", "disabled")
    assert [text for _, text in todos(link)] == ["Not harvested by schedule: enable it, or run it by hand."]
    Link.objects.update(kind=Kind.RECOVERY)
    assert todos(link) == []


def test_what_is_green_has_nothing_to_do(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    Link.objects.update(enabled=False)
    assert state(link) == ("partial", "done, 1 thing to do") and len(todos(link)) == 1
    Link.objects.update(moved_to="https://new.example.org/oai")
    assert state(link) == ("partial", "done, 2 things to do") and len(todos(link)) == 2


def test_a_link_that_is_due_and_not_begun_is_overdue(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    due = timezone.now() - timedelta(hours=2)
    Link.objects.update(next_due=due)
    assert state(link) == ("overdue", f"done; overdue since {due:%Y-%m-%d %H:%M}")
    ((page, text),) = todos(link)
    assert page == status.LINK and "see whether the scheduler and a worker run" in text
    comparison = lifecycle.open_comparison(link, trigger="test", whole=True)
    assert comparison is not None and state(link) == ("done", "done"), "the harvest waits for the end of the comparison"
    lifecycle.cancel(comparison)
    Link.objects.update(enabled=False)
    assert state(link)[0] == "partial"


def test_a_comparison_that_fails_again_and_again_is_told(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    provider.faults.append(lambda a: Response("no", status=403) if a["verb"] == "ListIdentifiers" else None)
    run = lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True)
    lifecycle.work(run.pk)
    assert state(link) == ("partial", "done, 1 thing to do")
    ((page, text),) = todos(link)
    assert page == status.LINK and text.startswith("The comparison fails. The provider answered HTTP 403")
    provider.faults.clear()
    lifecycle.work(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True).pk)
    assert (state(link), todos(link)) == (("done", "done"), [])


def test_every_state_has_its_colour(link: Link) -> None:
    keys = {
        status.RUNNING,
        status.WAITING,
        status.NEVER,
        status.DISABLED,
        status.PARTIAL,
        status.OVERDUE,
        *Run.State.values,
    }
    assert keys <= set(OUTCOME_COLOURS)


def test_drift_is_that_of_the_present_cycle(link: Link) -> None:
    begun = timezone.now()
    Link.objects.update(cycle_begun=begun)
    for number, age in ((5, timedelta(days=1)), (2, timedelta()), (1, timedelta())):
        Run.objects.create(link=link, purpose="comparison", state="done", begun=begun - age, missing=number)
    assert status.drift_of(seen(link))["missing"] == 3


def test_the_next_run_of_a_link_is_told_in_the_list(link: Link, admin_client: Client) -> None:
    page = "/admin/harvester/link/"
    assert "at once" in admin_client.get(page).content.decode()
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    assert "runs now" in admin_client.get(page).content.decode()
    Run.objects.update(not_before=timezone.now() + timedelta(minutes=8, seconds=30))
    assert "goes on in 8 min" in admin_client.get(page).content.decode()
    assert "waits until" in admin_client.get("/admin/harvester/run/").content.decode()
    for path in (f"/harvest/{link.name}/", f"/admin/harvester/link/{link.pk}/change/"):
        shown = admin_client.get(path).content.decode()
        assert "waits until" in shown and ">running<" not in shown and "runs now" not in shown, path
    Run.objects.update(not_before=timezone.now() + timedelta(days=2))
    assert f"waits until {Run.objects.get().not_before:%Y-%m-%d %H:%M}" in admin_client.get(page).content.decode()
    lifecycle.cancel(run)
    assert f"{Link.objects.get().next_due:%Y-%m-%d %H:%M}" in admin_client.get(page).content.decode()
    Link.objects.update(enabled=False)
    assert "by hand only" in admin_client.get(page).content.decode()
