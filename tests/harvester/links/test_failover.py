"""A link turns to a relay when its provider cannot be had, and back, and nothing is lost on the way (W31, W32, W37)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue.models import Membership, Record
from catalogue.reading import lists
from harvester import tasks
from harvester.links import failover
from harvester.models import Alternative, Conflict, Link, Run, Standby
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, go_on, harvest, held, ready
from tests.support.waiting import until
from tests.support.world import OUR_SPEC, TOULOUSE, iso_record

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
    while opened := lifecycle.open_due_runs():
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

    assert failover.switch(harvested, failover.next_alternative(harvested))
    done = work_off()

    assert provider.asked == []
    assert "from" not in relay.asked_for("ListRecords")[0], "no cursor is carried over"
    assert [(run.purpose, run.extra, run.vanished) for run in done] == [("harvest", 0, 0), ("comparison", 1, 1)]
    assert counters(done[0]) == {"received": 4, "unchanged": 4}
    assert snapshot() == before
    link = Link.objects.get()
    assert f"{link.harvested_to:%Y-%m-%d}" == "2026-01-15", "the relay's clock"
    assert (
        status.status_report()["links"][0]["provider"]
        == f"by relay Offenbach since {link.serving_since:%Y-%m-%d %H:%M}"
    )


@pytest.mark.spec("W13", "W31", "W32", "W37")
def test_turning_back_goes_on_from_the_link_s_own_place_and_comparing_brings_what_that_leaves_out(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    place = harvested.harvested_to
    Membership.objects.update(datestamp=F("datestamp") - timedelta(hours=1))  # not in the second of the switch
    failover.switch(harvested, failover.next_alternative(harvested))
    work_off()
    fill(provider, range(7, 8), stamp="2026-01-01T00:00:00Z")  # older than any cursor
    provider.asked.clear()

    turned = failover.switch(Link.objects.get(), None)
    assert turned is not None and turned.harvested_to == place
    done = work_off()

    assert provider.asked_for("ListIdentifiers")[0]["from"] == "2026-01-31T23:58:59Z", (
        "its own cursor, less the overlap"
    )
    assert provider.asked_for("ListRecords")[0]["from"] == "2026-02-01T00:00:01Z", "which is known as it stands"
    assert counters(done[0]) == {"received": 1, "unchanged": 1}, "what the relay lacked is in doubt, and nothing else"
    assert (counters(done[1]), done[1].missing) == ({"received": 6, "new": 1, "unchanged": 5}, 1)
    assert held() == {identifier(number) for number in (0, 1, 2, 3, 4, 7)}
    assert not Conflict.objects.filter(settled=None).exists(), "what the relay lacked is there again"
    assert failover.switch(Link.objects.get(), None) is None
    assert status.status_report()["links"][0]["provider"] == "its own"


@pytest.mark.spec("H15", "W31")
@pytest.mark.parametrize("why", ["never harvested", "deletions forgotten", "too much has changed"])
def test_where_its_place_is_not_safe_a_provider_that_comes_back_is_asked_for_everything(
    link: Link, provider: Provider, relay: Provider, why: str
) -> None:
    Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
    fill(provider, range(6))
    if why == "deletions forgotten":  # it keeps them for 90 days, and its last answer is of March
        provider.edits.append(lambda a, body: body.replace(b"persistent", b"transient"))
    if why != "never harvested":
        work_off()
    link.refresh_from_db()
    failover.switch(link, link.alternatives.get())
    relay.entries[identifier(3)] = ("2026-01-16T00:00:00Z", None)
    work_off()
    before = snapshot()
    provider.asked.clear()

    failover.switch(Link.objects.get(), None, **{"max_doubtful": 0} if why == "too much has changed" else {})
    done = work_off()

    assert "from" not in provider.asked_for("ListRecords")[0]
    assert [run.purpose for run in done] == ["harvest", "comparison"]
    assert held() == {identifier(number) for number in range(6)}, "the relay alone had deleted 3"
    del before[identifier(3)]
    assert {name: stamp for name, stamp in snapshot().items() if name in before} == before


@pytest.fixture
def mortal() -> Iterator[Provider]:
    """A provider whose server can be stopped, and started again at the same address."""
    server = HTTPServer(host="127.0.0.1")
    server.start()
    yield Provider(server)
    if server.is_running():
        server.stop()


def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ticks do at once what they would queue."""
    monkeypatch.setattr(tasks, "_call_if_ready", lambda: [lifecycle.work(run_id) for run_id in ready()])
    monkeypatch.setattr(tasks.probe, "delay", failover.probe)


def tick(times: int = 1) -> None:
    for _ in range(times):
        Run.objects.update(not_before=None, queued=None)
        tasks.tick()


@pytest.mark.spec("W31", "W32", "W33", "W37")
def test_a_link_outlives_its_provider_and_returns_to_it_with_all_that_happened_at_either(
    link: Link, mortal: Provider, relay: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch)
    Link.objects.update(base_url=mortal.base_url, switch_after_h=6, return_after_h=2)
    Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
    fill(mortal, range(7), stamp="2026-01-10T00:00:00Z")
    fill(mortal, range(7, 8))
    fill(relay, range(1, 8), stamp="2026-01-15T00:00:00Z")
    tick(3)
    assert len(held()) == 8
    untouched = {name: stamp for name, stamp in snapshot().items() if name in map(identifier, (0, 6, 7))}
    # What is stamped in the second in which a link turns away may have changed afterwards, and would be asked for.
    newest = Record.objects.latest("datestamp").datestamp
    until(lambda: lists.instant() > newest, timeout_s=10, what="the second of the last change is over")

    # The provider dies; after six hours of that the relay takes over.
    mortal.server.stop()
    Link.objects.update(next_due=timezone.now())
    tick(12)
    assert Run.objects.order_by("-pk")[0].state == Run.State.FAILED
    Link.objects.update(failing_since=timezone.now() - 7 * HOUR)
    tick(3)
    link.refresh_from_db()
    assert failover.describe_relay(link).startswith("by relay Offenbach since")
    assert failover.describe_return(link).startswith("its own provider cannot serve it")

    # Things happen at the relay, which has them of a provider that only it can reach, or errs.
    def put_at(where: Provider, number: int, date: str, title: str, stamp: str) -> None:
        where.entries[identifier(number)] = (stamp, iso_record(identifier(number), title=title, metadata_date=date))

    put_at(relay, 1, "2026-02-20", "Changed", "2026-02-20T00:00:00Z")
    relay.entries[identifier(2)] = ("2026-02-20T00:00:00Z", None)
    relay.entries[identifier(4)] = ("2026-02-20T00:00:00Z", None)  # by mistake
    fill(relay, range(8, 9), stamp="2026-02-20T00:00:00Z")
    Link.objects.update(next_due=timezone.now())
    tick(2)
    assert held() == {identifier(number) for number in (0, 1, 3, 5, 6, 7, 8)}, "0 is not at the relay, and stays"

    # The provider is back, with the same changes and some more.
    put_at(mortal, 1, "2026-02-20", "Changed", "2026-02-15T00:00:00Z")
    mortal.entries[identifier(2)] = ("2026-02-15T00:00:00Z", None)
    put_at(mortal, 3, "2026-02-21", "Changed there", "2026-02-21T00:00:00Z")
    fill(mortal, range(8, 10), stamp="2026-02-21T00:00:00Z")
    mortal.asked.clear()
    mortal.server.start()
    Standby.objects.update(next_probe=None)
    tick()
    link.refresh_from_db()
    assert link.serving is not None and "has answered since" in failover.describe_return(link)
    assert mortal.asked == [{"verb": "Identify"}, {"verb": "ListSets"}]
    Standby.objects.filter(alternative=None).update(answers_since=timezone.now() - 3 * HOUR)
    tick(4)

    link = Link.objects.get()
    assert failover.describe_relay(link) == failover.describe_return(link) == "", "it is served by its own provider"
    assert "from" in mortal.asked_for("ListRecords")[0]
    asked = {arguments["identifier"] for arguments in mortal.asked_for("GetRecord")}
    assert asked == {identifier(0), identifier(4)}, "what the relay had otherwise, and the provider did not list again"
    titles = dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))
    assert titles == {identifier(number): f"Product {number}" for number in (0, 4, 5, 6, 7, 8, 9)} | {
        identifier(1): "Changed",
        identifier(3): "Changed there",
    }
    assert {name: stamp for name, stamp in snapshot().items() if name in untouched} == untouched
    comparison = Run.objects.filter(purpose=Run.Purpose.COMPARISON).order_by("-pk")[0]
    assert (comparison.state, comparison.missing, comparison.extra) == (Run.State.DONE, 0, 0)
    assert not link.reconciles and not Conflict.objects.filter(settled=None).exists()


@pytest.mark.spec("W37")
def test_the_own_provider_is_asked_now_and_then_and_must_answer_without_a_break(
    harvested: Link, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch)
    monkeypatch.setattr(tasks, "_call_if_ready", lambda: None)
    failover.switch(harvested, harvested.alternatives.get())
    Link.objects.update(return_after_h=2)
    provider.asked.clear()

    def ask_again(*, later: timedelta = timedelta(0)) -> Standby:
        Standby.objects.update(next_probe=None)
        Standby.objects.filter(probed__isnull=False).update(probed=timezone.now() - later)
        tick()
        return Standby.objects.get(alternative=None)

    tick(2)
    assert provider.asked == [{"verb": "Identify"}, {"verb": "ListSets"}], "every ten minutes, not at every tick"
    first = Standby.objects.get(alternative=None).answers_since
    assert first is not None and ask_again().answers_since == first
    provider.faults.append(lambda _: Response("", status=503))
    broken = ask_again()
    assert broken.answers_since is None and "503" in broken.fault
    assert "503" in failover.describe_return(Link.objects.get())
    provider.faults.clear()
    again = ask_again()
    assert again.fault == "" and again.answers_since is not None and again.answers_since > first
    assert ask_again(later=HOUR).answers_since > again.answers_since, "nobody knows what was in that hour"
    assert Link.objects.get().serving is not None


@pytest.mark.spec("W37")
@pytest.mark.parametrize(("hours", "returns"), [(0, False), (2, True), (4, False)])
def test_a_link_returns_after_the_time_that_it_sets_or_only_by_hand(harvested: Link, hours: int, returns: bool) -> None:
    failover.switch(harvested, harvested.alternatives.get())
    now = timezone.now()
    Link.objects.update(return_after_h=hours)
    Standby.objects.update(answers_since=now - 3 * HOUR, probed=now)

    assert bool(failover.return_answering(now)) is returns
    assert (Link.objects.get().serving is None) is returns
    assert failover.return_answering(now) == []


def test_what_was_heard_long_ago_turns_no_link_back(harvested: Link) -> None:
    failover.switch(harvested, harvested.alternatives.get())
    now = timezone.now()
    Link.objects.update(return_after_h=2)
    Standby.objects.update(answers_since=now - 3 * HOUR, probed=now - HOUR)
    assert failover.return_answering(now) == []


@pytest.mark.spec("W37")
def test_an_alternative_that_fails_is_left_for_the_own_provider_if_that_answers(harvested: Link) -> None:
    failover.switch(harvested, harvested.alternatives.get())
    now = timezone.now()
    Link.objects.update(switch_after_h=6, failing_since=now - 7 * HOUR)
    assert failover.switch_failing(now) == [], "there is no other, and its own does not answer"
    Standby.objects.update(answers_since=now, probed=now)

    assert [link.name for link in failover.switch_failing(now)] == ["toulouse"]
    assert Link.objects.get().serving is None


@pytest.mark.spec("W32")
def test_an_alternative_that_becomes_another_provider_has_no_place(
    harvested: Link, relay: Provider, admin_client: Client
) -> None:
    failover.switch(harvested, harvested.alternatives.get())
    work_off()
    assert Link.objects.get().harvested_to is not None
    other = harvested.alternatives.get()
    page = admin_client.get(f"/admin/harvester/link/{harvested.pk}/change/")
    fields = page.context["adminform"].form.initial
    form = {name: value for name, value in fields.items() if value is not None}
    form |= {"alternatives-TOTAL_FORMS": 1, "alternatives-INITIAL_FORMS": 1, "alternatives-0-id": other.pk}
    form |= {"alternatives-0-link": harvested.pk, "alternatives-0-position": 1, "alternatives-0-name": "Offenbach"}
    form |= {"alternatives-0-prefix": "ISO19139", "alternatives-0-remote_set": TOULOUSE.spec}
    url = f"/admin/harvester/link/{harvested.pk}/change/"

    refused = admin_client.post(url, form | {"alternatives-0-base_url": relay.base_url, "alternatives-0-DELETE": "on"})
    assert refused.status_code == 200 and Link.objects.get().serving == other, "it serves: turn the link first"
    saved = admin_client.post(url, form | {"alternatives-0-base_url": relay.base_url})

    assert saved.status_code == 302
    link = Link.objects.get()
    assert (link.serving, link.harvested_to, link.reconciles) == (other, None, True)
    relay.asked.clear()
    work_off()
    assert relay.asked_for("ListRecords")[0]["metadataPrefix"] == "ISO19139"
    assert "from" not in relay.asked_for("ListRecords")[0]


def test_a_link_that_another_provider_serves_can_be_removed(harvested: Link) -> None:
    failover.switch(harvested, harvested.alternatives.get())
    work_off()
    call_command("link", "remove", "toulouse")
    assert not Link.objects.exists() and not Alternative.objects.exists() and not Standby.objects.exists()


@pytest.mark.spec("W37")
def test_a_provider_that_fails_for_long_enough_is_replaced_by_itself(
    harvested: Link, provider: Provider, relay: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert failover.switch_failing(timezone.now()) == []


def test_the_alternatives_are_turned_to_in_their_order_and_then_the_first_again(harvested: Link) -> None:
    first = harvested.alternatives.get()
    second = Alternative.objects.create(
        link=harvested, position=2, name="Exeter", base_url="http://x.example.org/oai", remote_set=TOULOUSE.spec
    )
    order = []
    for _ in range(3):
        link = Link.objects.get()
        following = failover.next_alternative(link)
        order.append(following)
        failover.switch(link, following)
    assert order == [first, second, first]


def test_a_run_that_is_open_goes_on_with_the_other_provider_from_the_start(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    fill(provider, range(10, 20))
    run = lifecycle.open_run(harvested, trigger="test", full=True)
    other = harvested.alternatives.get()

    lifecycle.work(run.pk, progress=lambda now: failover.switch(harvested, other) if now.pages == 2 else None)
    run = go_on(run)

    assert run.state == Run.State.DONE
    assert run.listed == 4 and relay.asked_for("ListRecords")


@pytest.mark.spec("W21")
@pytest.mark.parametrize("remote_set", [OUR_SPEC, "WIS-CATALOGUE", ""])
def test_an_alternative_that_could_loop_is_refused(harvested: Link, remote_set: str) -> None:
    other = Alternative(
        link=harvested, position=3, name="X", base_url="http://x.example.org/oai", remote_set=remote_set
    )
    with pytest.raises(ValidationError, match="our own set|everybody's records|blank"):
        other.full_clean()


def test_an_operator_turns_a_link_and_back(harvested: Link, admin_client: Client) -> None:
    def act(action: str) -> str:
        form = {"action": action, "_selected_action": [harvested.pk]}
        return admin_client.post("/admin/harvester/link/", form, follow=True).content.decode()

    said = act("switch")
    assert "turns to Offenbach" in said and "by relay Offenbach since" in said
    assert "has no other provider" in act("switch"), "Offenbach is the only one"
    page = admin_client.get(f"/admin/harvester/link/{harvested.pk}/change/").content.decode()
    assert "by relay Offenbach since" in page and "its own provider has not been asked yet" in page
    assert "by relay Offenbach since" in admin_client.get("/harvest/").content.decode()
    assert 'gisc_link_by_relay{link="toulouse"} 1.0' in admin_client.get("/metrics").content.decode()
    assert "turns to its own provider" in act("switch_back")
    assert "served by its own provider already" in act("switch_back")


def test_the_command_turns_a_link_and_back(harvested: Link, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("link", "switch", "toulouse")
    assert "turns to Offenbach: the whole list is asked for" in capsys.readouterr().out
    call_command("link", "show", "toulouse")
    shown = capsys.readouterr().out
    assert "provider: by relay Offenbach since" in shown and "way_back: its own provider" in shown
    call_command("link", "switch", "toulouse", "--back")
    with pytest.raises(CommandError, match="served by its own provider already"):
        call_command("link", "switch", "toulouse", "--back")
    Alternative.objects.all().delete()
    with pytest.raises(CommandError, match="no other provider"):
        call_command("link", "switch", "toulouse")


@pytest.mark.spec("W37")
def test_alternatives_are_added_from_the_command_line(
    link: Link, provider: Provider, relay: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("link", "alternative", "toulouse", "Offenbach", relay.base_url, switch_after=6, return_after=2)
    assert "toulouse can turn to Offenbach" in capsys.readouterr().out
    call_command("link", "alternative", "toulouse", "Exeter", "http://x.example.org/oai", "--set", "gisc:toulouse")
    with pytest.raises(CommandError, match="was not added.*everybody's records"):
        call_command("link", "alternative", "toulouse", "Moscow", "http://m.example.org/oai", "--set", "WIS-CATALOGUE")
    with pytest.raises(CommandError, match="was not added"):
        call_command("link", "alternative", "toulouse", "Moscow", relay.base_url, switch_after=-1)

    link.refresh_from_db()
    assert (link.switch_after_h, link.return_after_h) == (6, 2)
    places = [(other.position, other.name, other.remote_set) for other in link.alternatives.all()]
    assert places == [(1, "Offenbach", TOULOUSE.spec), (2, "Exeter", "gisc:toulouse")]
    fill(provider, range(5))
    harvest(link)
    call_command("link", "switch", "toulouse")
    assert go_on(lifecycle.open_due_runs()[0]).state == Run.State.DONE
    capsys.readouterr()
    call_command("link", "show", "toulouse")
    assert f"Offenbach {relay.base_url} {TOULOUSE.spec}" in capsys.readouterr().out


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

    failover.switch(link, link.alternatives.get())
    run = work_off()[0]

    titles = dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))
    assert titles == {identifier(0): "Own", identifier(1): "Relay", identifier(2): "Own"}
    assert counters(run) == {"received": 5, "updated": 1, "unchanged": 1, "deleted": 1, "rejected": 2}
    assert all("W31" in reject.reason_text for reject in run.rejects.all())
