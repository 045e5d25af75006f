"""Total re-harvests: content that changed under the same datestamp is found, slice by slice, within its cycle (W24)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from werkzeug import Response

from catalogue import seams
from catalogue.models import Record
from harvester import schedule
from harvester.links import edit, failover
from harvester.models import Alternative, Conflict, Link, RemoteHeader, Run
from harvester.monitoring import status
from harvester.runs import comparison, lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, continued, fill, identifier, once
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import iso_record

DAY = timedelta(days=1)
NEVER = at("2080-01-01T00:00:00Z")
MANY_S, MANY_DAYS = 2_000_000_000, 32_000  # by which something may be due never

pytestmark = [pytest.mark.django_db, pytest.mark.spec("W24")]


@pytest.fixture(autouse=True)
def small_slices() -> Iterator[None]:
    with schedule.LIMITS.replaced(min_slice=4, max_slice=4, max_content_slice=4):
        yield


@pytest.fixture
def clock() -> Iterator[SetClock]:
    clock = SetClock(at("2026-03-01T12:00:00Z"))
    with seams.replaced(clock=clock):
        yield clock


def stamped(number: int) -> str:
    """One datestamp a day."""
    return f"{at('2025-01-01T00:00:00Z') + number * DAY:%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def harvested(clock: SetClock, link: Link, provider: Provider) -> Link:
    """A link that has harvested ten records, and is not due for a harvest again."""
    provider.page_size = 2
    for number in range(10):
        fill(provider, range(number, number + 1), stamp=stamped(number))
    return harvested_link(link, provider)


def harvested_link(link: Link, provider: Provider) -> Link:
    assert harvest(link).state == Run.State.DONE
    Link.objects.update(next_due=NEVER, interval_s=MANY_S, next_slice=NEVER, cycle_days=MANY_DAYS)
    provider.asked.clear()
    return Link.objects.get()


def change(provider: Provider, *numbers: int, title: str = "Changed") -> None:
    """Change the content of records, and leave their datestamps."""
    for number in numbers:
        stamp, _ = provider.entries[identifier(number)]
        provider.entries[identifier(number)] = (stamp, iso_record(identifier(number), title=title))


def title(number: int) -> str:
    return Record.objects.get(identifier=identifier(number)).description.title


def whole(link: Link) -> Run:
    run = lifecycle.open_total_reharvest(Link.objects.get(pk=link.pk), trigger="test", whole=True)
    assert run is not None
    return go_on(run)


def one_slice() -> Run:
    run = lifecycle.open_total_reharvest(Link.objects.get(), trigger="test")
    assert run is not None
    return go_on(run)


def cycle(clock: SetClock) -> list[Run]:
    """The slices of one cycle, as the scheduler opens them."""
    done: list[Run] = []
    ended = Link.objects.get().content_ended
    Link.objects.update(next_due=NEVER, interval_s=MANY_S, next_slice=NEVER, cycle_days=MANY_DAYS)
    while Link.objects.get().content_ended == ended:
        assert len(done) < 50
        opened = lifecycle.open_due_runs()
        if not opened:
            clock.at = Link.objects.get().next_content or NEVER
            continue
        done += [go_on(run) for run in opened]
        assert done[-1].state == Run.State.DONE, done[-1].message
    return done


def asked_windows(provider: Provider) -> list[tuple[str | None, str | None]]:
    lists = [arguments for arguments in provider.lists if "resumptionToken" not in arguments]
    return [(arguments.get("from"), arguments.get("until")) for arguments in lists]


def drift(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in comparison.DRIFT if getattr(run, name)}


# --- What is found -----------------------------------------------------------------------------------


def test_content_that_changed_under_its_datestamp_is_found_by_a_cycle_and_counted_once(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    change(provider, 1, 8)
    kept = dict(Record.objects.exclude(identifier__in=[identifier(1), identifier(8)]).values_list("pk", "datestamp"))
    position = Link.objects.values("harvested_to", "first_response", "newest", "failures", "next_due").get()
    for _ in range(3):
        compared = go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True))
        assert (drift(compared), title(1)) == ({}, "Product 1"), "headers say that nothing has changed"

    runs = cycle(clock)

    assert [run.purpose for run in runs] == ["content"] * 3
    assert [drift(run) for run in runs] == [{"changed": 1}, {}, {"changed": 1}]
    assert [counters(run) for run in runs] == [
        {"received": 4, "updated": 1, "unchanged": 3},
        {"received": 4, "unchanged": 4},
        {"received": 2, "updated": 1, "unchanged": 1},
    ]
    assert (title(1), title(8)) == ("Changed", "Changed")
    untouched = Record.objects.exclude(identifier__in=[identifier(1), identifier(8)])
    assert dict(untouched.values_list("pk", "datestamp")) == kept
    assert Link.objects.values("harvested_to", "first_response", "newest", "failures", "next_due").get() == position
    assert status.drift_of(status.find(harvested))["changed"] == 2
    assert "1 changed under the same datestamp, 0 missing" in runs[0].message

    assert [drift(run) for run in cycle(clock)] == [{}, {}, {}], "it is repaired"
    assert status.drift_of(status.find(harvested))["changed"] == 0


def test_what_headers_tell_is_found_too_and_counted_as_by_a_comparison(harvested: Link, provider: Provider) -> None:
    provider.entries[identifier(20)] = (stamped(3), iso_record(identifier(20)))  # missing here
    provider.entries[identifier(4)] = (stamped(2), iso_record(identifier(4), title="Changed"))  # stale here
    gone = provider.entries.pop(identifier(5))

    run = whole(harvested)

    assert drift(run) == {"missing": 1, "stale": 1, "extra": 1, "vanished": 1}
    assert counters(run) == {"received": 10, "new": 1, "updated": 1, "unchanged": 8}
    assert identifier(5) in held() and gone, "nothing goes because it is not listed"
    assert Conflict.objects.get().kind == "vanished"


def test_a_record_that_its_provider_has_mended_in_silence_is_stored(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    stamp, good = provider.entries[identifier(1)]
    provider.entries[identifier(1)] = (stamp, b"<?xml version='1.0'?><broken xmlns='urn:x'/>")
    harvested_link(link, provider)
    assert identifier(1) not in held()
    provider.entries[identifier(1)] = (stamp, good)

    assert drift(whole(link)) == {"changed": 1}
    assert identifier(1) in held()


def test_deletions_in_a_window_wait_for_the_operator_like_any_others(harvested: Link, provider: Provider) -> None:
    """They have old datestamps, so that no incremental list told them."""
    for number in (0, 1, 2, 3, 4, 5):
        provider.entries[identifier(number)] = (stamped(number), None)

    runs = [one_slice() for _ in range(3)]

    assert [(run.deleted, run.rejected) for run in runs] == [(4, 0), (0, 2), (0, 0)], "four are few, six are not"
    assert Conflict.objects.filter(kind="mass", settled=None).count() == 2
    assert len(held()) == 6


# --- The slices cover everything ---------------------------------------------------------------------


def test_the_slices_follow_by_datestamp_from_the_first_to_what_is_not_known_yet(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    fill(provider, range(20, 21), stamp="2024-01-01T00:00:00Z")  # before all that are known
    fill(provider, range(21, 22), stamp="2026-02-28T00:00:00Z")  # after them

    runs = cycle(clock)

    assert asked_windows(provider) == [
        (None, stamped(3)),
        ("2025-01-04T00:00:01Z", stamped(7)),
        ("2025-01-08T00:00:01Z", None),
    ]
    assert [run.missing for run in runs] == [1, 0, 1]
    assert len(held()) == 12
    link = Link.objects.get()
    assert link.content_to is None
    assert link.content_ended == runs[-1].finished
    assert link.next_content == link.content_begun + 28 * DAY, "the next cycle begins when this one's days are over"


def test_a_cycle_ends_within_its_days_and_has_a_slice_a_day_at_least(
    clock: SetClock, link: Link, provider: Provider
) -> None:
    for number in range(100):
        fill(provider, range(number, number + 1), stamp=stamped(number))
    harvested_link(link, provider)
    Link.objects.update(content_days=7)
    begun = clock.at + DAY

    runs = cycle(clock)

    assert len(runs) == 25
    assert runs[0].begun == begun
    assert runs[-1].begun <= begun + 7 * DAY
    pauses = [later.begun - run.begun for run, later in zip(runs, runs[1:], strict=False)]
    assert max(pauses) <= 7 * DAY / 25 + timedelta(seconds=1)


def test_a_second_is_never_cut_and_one_with_more_than_a_slice_is_a_slice_by_itself(
    clock: SetClock, link: Link, provider: Provider
) -> None:
    many = "2025-06-01T00:00:00Z"
    for number in (0, 1, 12, 13, 14):
        fill(provider, range(number, number + 1), stamp=f"2025-0{5 if number < 2 else 7}-{number + 1:02}T00:00:00Z")
    fill(provider, range(2, 12), stamp=many)
    harvested_link(link, provider)
    change(provider, *range(15))

    runs = cycle(clock)

    assert asked_windows(provider) == [
        (None, "2025-05-02T00:00:00Z"),
        ("2025-05-02T00:00:01Z", many),
        ("2025-06-01T00:00:01Z", None),
    ]
    assert [run.changed for run in runs] == [2, 10, 3]


def test_a_catalogue_that_was_loaded_in_one_second_is_one_slice(
    clock: SetClock, link: Link, provider: Provider
) -> None:
    fill(provider, range(12))
    harvested_link(link, provider)
    change(provider, 3)

    (run,) = cycle(clock)

    assert asked_windows(provider) == [(None, None)]
    assert (run.received, run.changed) == (12, 1)


def test_by_days_no_day_is_cut_and_neighbouring_slices_share_none(
    clock: SetClock, link: Link, provider: Provider
) -> None:
    provider.granularity = "YYYY-MM-DD"
    for number in range(10):
        provider.entries[identifier(number)] = (stamped(number // 2)[:10], iso_record(identifier(number)))
    harvested_link(link, provider)
    change(provider, *range(10))

    runs = cycle(clock)

    assert asked_windows(provider) == [(None, "2025-01-02"), ("2025-01-03", "2025-01-04"), ("2025-01-05", None)]
    assert [run.changed for run in runs] == [4, 4, 2]


def test_what_is_listed_in_no_window_is_asked_for_by_itself(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    """One record has no datestamp that can be read, another is left out of all lists but for headers."""
    provider.entries[identifier(30)] = ("2025", iso_record(identifier(30)))
    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True))
    assert RemoteHeader.objects.get(identifier=identifier(30)).datestamp is None
    change(provider, 30, 6)
    all_of_them = dict(provider.entries)
    hidden = {identifier(30), identifier(6)}

    def hide(arguments: dict[str, str]) -> None:
        provider.entries = dict(all_of_them)
        if arguments["verb"] == "ListRecords":
            provider.entries = {name: entry for name, entry in all_of_them.items() if name not in hidden}

    provider.faults.append(hide)

    runs = cycle(clock)

    assert sum(run.changed for run in runs) == 2
    assert {arguments["identifier"] for arguments in provider.asked_for("GetRecord")} == hidden
    assert (title(30), title(6)) == ("Changed", "Changed")
    assert sum(run.extra for run in runs) == 0


def test_a_provider_that_ignores_the_window_is_asked_once_in_a_cycle(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    provider.lists_all = True
    change(provider, 9)

    (run,) = cycle(clock)

    assert (run.received, run.changed) == (10, 1)


# --- Interruptions -----------------------------------------------------------------------------------


def test_a_slice_goes_on_where_it_was_interrupted(harvested: Link, provider: Provider) -> None:
    change(provider, 0, 3)
    provider.faults.append(once(continued, lambda: Response("", status=500)))
    run = one_slice()
    assert (run.state, run.pages, run.changed) == (Run.State.OPEN, 1, 1)

    run = go_on(run)

    assert (run.state, run.changed, run.restarts) == (Run.State.DONE, 2, 0)
    assert asked_windows(provider) == [(None, stamped(3))], "asked for once"


def test_where_pages_of_records_cannot_be_had_each_record_is_asked_for(harvested: Link, provider: Provider) -> None:
    """Its headers prove nothing, as content is what it is about (F89)."""
    change(provider, 1, 3)
    provider.entries[identifier(2)] = (stamped(1), iso_record(identifier(2), title="Changed"))  # stale
    provider.faults.append(lambda a: Response("", status=500) if a["verb"] == "ListRecords" and continued(a) else None)
    run = one_slice()
    while run.is_open:
        run = go_on(run)

    assert (run.state, run.strategy) == (Run.State.DONE, "identifiers")
    assert {arguments["identifier"] for arguments in provider.asked_for("GetRecord")} == {
        identifier(number) for number in range(4)
    }
    assert drift(run) == {"changed": 2, "stale": 1}
    assert [title(number) for number in range(4)] == ["Product 0", "Changed", "Changed", "Changed"]


def test_one_that_fails_leaves_the_harvest_alone_and_is_tried_again(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    provider.faults.append(lambda a: Response("", status=403) if a["verb"] == "ListRecords" else None)

    assert one_slice().state == Run.State.FAILED

    link = Link.objects.get()
    assert (link.failures, link.content_to) == (0, None)
    assert link.next_content == clock.at + comparison.RETRY_AFTER
    provider.faults.clear()
    assert sum(run.received for run in cycle(clock)) == 10


@schedule.LIMITS.replaced(fetch_batch=1)
def test_one_that_is_cancelled_leaves_no_requests_behind_and_comes_again_as_planned(
    clock: SetClock, harvested: Link, provider: Provider
) -> None:
    """A person began it, and pages of records cannot be had."""
    lifecycle.open_due_runs()
    provider.faults.append(lambda a: Response("", status=500) if a["verb"] == "ListRecords" and continued(a) else None)
    run = lifecycle.open_total_reharvest(Link.objects.get(), trigger="test", whole=True)
    while run.fetched == 0:
        Run.objects.update(not_before=None)
        lifecycle.work(run.pk, progress=lambda now: lifecycle.cancel(now) if now.fetched == 1 else None)
        run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert Link.objects.get().next_content == clock.at + DAY
    provider.faults.clear()
    provider.asked.clear()

    assert harvest(Link.objects.get()).state == Run.State.DONE
    assert provider.asked_for("GetRecord") == []


# --- When it is due ----------------------------------------------------------------------------------


def due() -> list[str]:
    return [run.purpose for run in lifecycle.open_due_runs()]


def test_a_link_is_harvested_anew_from_the_day_after_its_first_list_on(clock: SetClock, harvested: Link) -> None:
    assert Link.objects.get().content_days == Link.ContentCycle.MONTHLY
    assert due() == []
    clock.at += DAY - timedelta(seconds=1)
    assert due() == []
    clock.at += timedelta(seconds=1)
    assert due() == ["content"]
    assert due() == [], "it is open"


@pytest.mark.parametrize(
    "state",
    [{"content_days": 0}, {"enabled": False}, {"harvested_to": None}],
    ids=["off", "disabled", "never harvested"],
)
def test_off_means_off(clock: SetClock, harvested: Link, state: dict[str, object]) -> None:
    due()
    Link.objects.update(**state)
    clock.at += 100 * DAY
    Link.objects.update(next_due=NEVER, interval_s=MANY_S)
    assert due() == []


def test_a_link_that_is_due_for_a_harvest_at_each_beat_has_its_slices_all_the_same(
    clock: SetClock, harvested: Link
) -> None:
    due()
    Link.objects.update(next_due=clock.at, interval_s=5)
    clock.at += DAY
    found = []
    for _ in range(200):
        for run in lifecycle.open_due_runs():
            found.append(run.purpose)
            go_on(run)
        clock.move(30)
    assert found.count("content") == 1, "the first of the cycle, an hour late"
    assert found.count("harvest") == 199


def test_another_provider_is_asked_from_the_beginning(harvested: Link, provider: Provider) -> None:
    one_slice()
    assert Link.objects.get().content_to == at(stamped(3))
    other = Alternative.objects.create(
        link=harvested, position=1, name="relay", base_url=provider.base_url, prefix="ISO19139", remote_set="x"
    )
    failover.switch(harvested, other)
    assert Link.objects.values_list("content_to", "next_content").get() == (None, None)

    link = Link.objects.get()
    Link.objects.update(content_to=at(stamped(3)), next_content=at(stamped(4)))
    link.remote_set = "another"
    edit.save(link, ["remote_set"])
    assert Link.objects.values_list("content_to", "next_content").get() == (None, None)


# --- What operators see, and start -------------------------------------------------------------------


def test_an_operator_starts_one_and_reads_what_it_found(
    clock: SetClock, harvested: Link, provider: Provider, admin_client: Client
) -> None:
    change(provider, 1, 2)
    page = f"/admin/harvester/link/{harvested.pk}/"
    assert "total re-harvest" in admin_client.post(f"{page}run/", {"reharvest": "1"}, follow=True).content.decode()
    run = go_on(Run.objects.get(state=Run.State.OPEN))
    assert (run.purpose, run.list_from, run.list_until, run.changed) == ("content", None, None, 2)

    listed = admin_client.get("/admin/harvester/link/").content.decode()
    assert "2 records had changed without a new datestamp: tell the provider." in listed
    assert "2 changed" in listed
    shown = admin_client.get(f"{page}change/").content.decode()
    assert "2 changed" in shown and "2026-03-01 12:00 UTC, total re-harvest: " in shown
    assert (
        "2 changed under the same datestamp"
        in admin_client.get(f"/admin/harvester/run/{run.pk}/change/").content.decode()
    )
    facts = status.status_report()["links"][0]
    assert (facts["drift"]["changed"], facts["last_reharvest"]["changed"]) == (2, 2)
    assert (facts["total_reharvest"], facts["reharvested"]) == ("monthly", "2026-03-01T12:00:00Z")
    assert 'gisc_link_drift{kind="changed",link="toulouse"} 2.0' in admin_client.get("/metrics").content.decode()
    history = admin_client.post("/admin/harvester/run/", {"action": "download_report", "_selected_action": run.pk})
    assert '""changed"": 2' in b"".join(history.streaming_content).decode()

    form = {"action": "reharvest", "_selected_action": [harvested.pk]}
    admin_client.post("/admin/harvester/link/", form)
    assert Run.objects.get(state=Run.State.OPEN).purpose == "content"


def test_the_command_compares_all_content(
    harvested: Link, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    change(provider, 1)
    call_command("harvest", "toulouse", "--content", "--json")
    assert '"changed": 1' in capsys.readouterr().out
    call_command("link", "show", "toulouse")
    shown = capsys.readouterr().out
    assert "changed=1" in shown and "total_reharvest: monthly" in shown

    with pytest.raises(CommandError, match="Choose one of"):
        call_command("harvest", "toulouse", "--content", "--full")
    lifecycle.open_total_reharvest(harvested, trigger="test")
    with pytest.raises(CommandError, match="A total re-harvest of this link is open"):
        call_command("harvest", "toulouse", "--reconcile")
