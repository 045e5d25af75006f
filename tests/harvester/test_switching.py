"""A link turns to a relay when its provider cannot be had, and back, and nothing is lost on the way (W31, W32, W37)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue.models import Record
from harvester import runs, status, switching, tasks
from harvester.models import Alternative, Conflict, Link, Run
from tests.harvester.conftest import fill, identifier
from tests.harvester.provider import Provider
from tests.harvester.working import counters, go_on, harvest, held
from tests.world import OUR_SPEC, TOULOUSE, iso_record

HOUR = timedelta(hours=1)


@pytest.fixture
def relay() -> Iterator[Provider]:
    """Another GISC that holds the set, with datestamps of its own, and not quite all of it."""
    with HTTPServer(host="127.0.0.1") as server:
        relay = Provider(server)
        fill(relay, range(1, 5), stamp="2026-01-15T00:00:00Z")
        yield relay


@pytest.fixture
def harvested(link: Link, provider: Provider, relay: Provider) -> Link:
    """A link with an alternative that has harvested its own provider."""
    Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
    fill(provider, range(5))
    harvest(link)
    return Link.objects.get()


def work_off() -> list[Run]:
    """All that is due, done."""
    done = []
    while opened := runs.open_due_runs():
        done += [go_on(run) for run in opened]
    return done


def snapshot() -> dict[str, object]:
    return {record.identifier: (record.datestamp, record.deleted) for record in Record.objects.all()}


@pytest.mark.spec("W31", "W32", "W37")
def test_the_relay_is_asked_for_all_and_compared_and_nothing_is_deleted_or_stamped_anew(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    before = snapshot()
    provider.asked.clear()

    assert switching.switch(harvested, switching.next_alternative(harvested))
    done = work_off()

    assert provider.asked == []
    assert "from" not in relay.asked_for("ListRecords")[0], "no cursor is carried over"
    assert [(run.purpose, run.extra, run.vanished) for run in done] == [("harvest", 0, 0), ("comparison", 1, 1)]
    assert counters(done[0]) == {"received": 4, "unchanged": 4}
    assert snapshot() == before
    link = Link.objects.get()
    assert f"{link.harvested_to:%Y-%m-%d}" == "2026-01-15", "the relay's clock"
    assert status.status()["links"][0]["provider"] == f"by relay Offenbach since {link.serving_since:%Y-%m-%d %H:%M}"


@pytest.mark.spec("W31", "W37")
def test_turning_back_asks_for_all_again_and_brings_what_the_relay_did_not_have(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    switching.switch(harvested, switching.next_alternative(harvested))
    work_off()
    fill(provider, range(7, 8), stamp="2026-01-01T00:00:00Z")  # older than any cursor
    provider.asked.clear()

    assert switching.switch(Link.objects.get(), None)
    done = work_off()

    assert "from" not in provider.asked_for("ListRecords")[0]
    assert counters(done[0]) == {"received": 6, "new": 1, "unchanged": 5}
    assert held() == {identifier(number) for number in (0, 1, 2, 3, 4, 7)}
    assert not Conflict.objects.filter(settled=None).exists(), "what the relay lacked is there again"
    assert switching.switch(Link.objects.get(), None) is False
    assert status.status()["links"][0]["provider"] == "its own"


@pytest.mark.spec("W37")
def test_a_provider_that_fails_for_long_enough_is_replaced_by_itself(
    harvested: Link, provider: Provider, relay: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.harvest, "delay", lambda run_id: None)
    monkeypatch.setattr(tasks, "queue_validation", lambda: None)
    Link.objects.update(switch_after_h=6)
    provider.faults.append(lambda _: Response("", status=403))
    assert harvest(harvested).state == Run.State.FAILED

    Link.objects.update(failing_since=timezone.now() - 5 * HOUR)
    tasks.tick()
    assert Link.objects.get().serving is None, "not yet"

    Link.objects.update(failing_since=timezone.now() - 7 * HOUR)
    tasks.tick()
    link = Link.objects.get()
    assert link.serving is not None and link.failing_since is None and link.failures == 0
    work = Run.objects.get(state=Run.State.OPEN)
    assert go_on(work).state == Run.State.DONE
    assert relay.asked_for("ListRecords")


def test_a_success_in_between_begins_the_time_anew(harvested: Link, provider: Provider) -> None:
    provider.faults.append(lambda _: Response("", status=403))
    harvest(harvested)
    assert Link.objects.get().failing_since is not None
    provider.faults.clear()

    harvest(Link.objects.get())

    assert Link.objects.get().failing_since is None


@pytest.mark.parametrize(("hours", "failing_h"), [(0, 1000), (6, 5)], ids=["by hand only", "not long enough"])
def test_no_link_turns_without_cause(harvested: Link, hours: int, failing_h: int) -> None:
    Link.objects.update(switch_after_h=hours, failing_since=timezone.now() - failing_h * HOUR)
    assert switching.switch_failing(timezone.now()) == []


def test_the_alternatives_are_turned_to_in_their_order_and_then_the_first_again(harvested: Link) -> None:
    first = harvested.alternatives.get()
    second = Alternative.objects.create(
        link=harvested, position=2, name="Exeter", base_url="http://x.example.org/oai", remote_set=TOULOUSE.spec
    )
    order = []
    for _ in range(3):
        link = Link.objects.get()
        following = switching.next_alternative(link)
        order.append(following)
        switching.switch(link, following)
    assert order == [first, second, first]


def test_a_run_that_is_open_goes_on_with_the_other_provider_from_the_start(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    fill(provider, range(10, 20))
    run = runs.open_run(harvested, trigger="test", full=True)
    other = harvested.alternatives.get()

    runs.work(run.pk, progress=lambda now: switching.switch(harvested, other) if now.pages == 2 else None)
    run = go_on(run)

    assert run.state == Run.State.DONE
    assert run.listed == 4 and relay.asked_for("ListRecords")


@pytest.mark.spec("W21")
@pytest.mark.parametrize("remote_set", [OUR_SPEC, "WIS-CATALOGUE", ""])
def test_an_alternative_that_could_loop_is_refused(harvested: Link, remote_set: str) -> None:
    other = Alternative(
        link=harvested, position=3, name="X", base_url="http://x.example.org/oai", remote_set=remote_set
    )
    with pytest.raises(ValidationError, match="W21|blank"):
        other.full_clean()


def test_an_operator_turns_a_link_and_back(harvested: Link, admin_client: Client) -> None:
    def act(action: str) -> str:
        form = {"action": action, "_selected_action": [harvested.pk]}
        return admin_client.post("/admin/harvester/link/", form, follow=True).content.decode()

    said = act("switch")
    assert "turns to Offenbach" in said and "by relay Offenbach since" in said
    assert "has no other provider" in act("switch"), "Offenbach is the only one"
    page = admin_client.get(f"/admin/harvester/link/{harvested.pk}/change/").content.decode()
    assert "by relay Offenbach since" in page
    assert "turns to its own provider" in act("switch_back")
    assert "served by its own provider already" in act("switch_back")


def test_the_command_turns_a_link_and_back(harvested: Link, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("link", "switch", "toulouse")
    assert "turns to Offenbach" in capsys.readouterr().out
    call_command("link", "switch", "toulouse", "--back")
    with pytest.raises(CommandError, match="served by its own provider already"):
        call_command("link", "switch", "toulouse", "--back")
    Alternative.objects.all().delete()
    with pytest.raises(CommandError, match="no other provider"):
        call_command("link", "switch", "toulouse")


@pytest.mark.spec("W31", "W33")
def test_an_older_version_of_the_relay_never_replaces_a_newer_one(
    link: Link, provider: Provider, relay: Provider
) -> None:
    def put_at(where: Provider, number: int, date: str, title: str) -> None:
        document = iso_record(identifier(number), title=title, metadata_date=date)
        where.entries[identifier(number)] = ("2026-02-01T00:00:00Z", document)

    relay.entries.clear()
    for number in range(4):
        put_at(provider, number, "2026-01-10", "Own")
    provider.entries[identifier(4)] = ("2026-02-01T00:00:00Z", None)
    put_at(relay, 0, "2026-01-09", "Relay")  # older there
    put_at(relay, 1, "2026-01-11", "Relay")  # newer there
    put_at(relay, 2, "2026-01-10", "Own")  # the same
    relay.entries[identifier(3)] = ("2026-02-01T00:00:00Z", None)  # deleted there, as its provider said
    put_at(relay, 4, "2026-01-09", "Relay")  # the relay has not heard of the deletion
    Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
    harvest(link)

    switching.switch(link, link.alternatives.get())
    run = work_off()[0]

    titles = dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))
    assert titles == {identifier(0): "Own", identifier(1): "Relay", identifier(2): "Own"}
    assert counters(run) == {"received": 5, "updated": 1, "unchanged": 1, "deleted": 1, "rejected": 2}
    assert all("W31" in reject.reason for reject in run.rejects.all())
