"""Comparisons of headers: drift is found and repaired, and nothing is ever deleted because it is not listed."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from werkzeug import Response

from catalogue.models import Record
from catalogue.payloads import payload
from catalogue.writing import read_back
from harvester import schedule, tasks
from harvester.links import edit
from harvester.models import Conflict, Link, RemoteHeader, Run
from harvester.monitoring import status
from harvester.rows import damaged_records, remote_headers
from harvester.runs import comparison, lifecycle
from tests.support.provider import Provider, continued, fill, identifier, once, xml
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import iso_record

DAY = timedelta(days=1)
LIMITS = schedule.RunLimits()


def compare(link: Link, **options: bool) -> Run:
    """A comparison, worked on until it ends or has to wait."""
    link.refresh_from_db()
    run = lifecycle.open_comparison(link, trigger="test", **{"whole": True} | options)
    assert run is not None
    return go_on(run)


def drift(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in comparison.DRIFT if getattr(run, name)}


def stamped(number: int) -> str:
    """One datestamp a day."""
    return f"{at('2025-01-01T00:00:00Z') + number * DAY:%Y-%m-%dT%H:%M:%SZ}"


def fill_by_day(provider: Provider, numbers: range) -> None:
    for number in numbers:
        fill(provider, range(number, number + 1), stamp=stamped(number))


@pytest.fixture
def harvested(link: Link, provider: Provider) -> Link:
    """A link that has harvested ten records."""
    provider.page_size = 4
    fill_by_day(provider, range(10))
    assert counters(harvest(link)) == {"received": 10, "new": 10}
    link.refresh_from_db()
    provider.asked.clear()
    return link


def snapshot() -> list[tuple[str, datetime, bool]]:
    return list(Record.objects.order_by("pk").values_list("identifier", "datestamp", "deleted"))


# --- What is found, and repaired ---------------------------------------------------------------------


@pytest.mark.spec("W25")
def test_where_nothing_differs_a_comparison_asks_for_headers_alone(harvested: Link, provider: Provider) -> None:
    before = snapshot()

    run = compare(harvested)

    assert run.state == Run.State.DONE
    assert drift(run) == {}
    assert counters(run) == {"received": 10, "unchanged": 10}
    assert {arguments["verb"] for arguments in provider.asked} == {"Identify", "ListIdentifiers"}
    assert snapshot() == before


@pytest.mark.spec("W20", "W25", "W28")
def test_what_incremental_harvesting_lost_is_found_and_fetched(harvested: Link, provider: Provider) -> None:
    """Datestamps that went back: the provider stamped these before the link's `from` (W20)."""
    provider.entries[identifier(20)] = (stamped(3), iso_record(identifier(20)))  # missing here
    provider.entries[identifier(4)] = (stamped(2), iso_record(identifier(4), title="Changed"))  # stale here
    provider.entries[identifier(5)] = (stamped(1), None)  # a deletion that was lost
    assert counters(harvest(harvested)) == {}, "the incremental harvest sees nothing of it"
    before = dict(Record.objects.values_list("identifier", "datestamp"))

    run = compare(harvested)

    assert drift(run) == {"missing": 1, "stale": 2}
    assert counters(run) == {"received": 11, "new": 1, "updated": 1, "deleted": 1, "unchanged": 8}
    assert held() == {identifier(n) for n in (0, 1, 2, 3, 4, 6, 7, 8, 9, 20)}
    assert Record.objects.get(identifier=identifier(4)).description.title == "Changed"
    untouched = dict(
        Record.objects.exclude(identifier__in=[identifier(n) for n in (4, 5, 20)]).values_list(
            "identifier", "datestamp"
        )
    )
    assert untouched.items() <= before.items()
    assert drift(compare(harvested)) == {}, "it is repaired"


@pytest.mark.spec("W26", "W9")
def test_what_is_not_listed_is_asked_for_and_goes_only_at_the_providers_word(
    harvested: Link, provider: Provider
) -> None:
    hidden = {identifier(1), identifier(2), identifier(3)}
    provider.entries[identifier(1)] = (stamped(1), None)
    del provider.entries[identifier(3)]

    def hide(arguments: dict[str, str]) -> Response | None:
        if arguments["verb"] != "ListIdentifiers":
            return None
        kept = dict(provider.entries)
        provider.entries = {key: value for key, value in kept.items() if key not in hidden}
        answer = provider._listidentifiers(arguments)
        provider.entries = kept
        return xml(answer)

    provider.faults.append(hide)

    run = compare(harvested)

    asked = {arguments["identifier"] for arguments in provider.asked_for("GetRecord")}
    assert asked == hidden
    assert drift(run) == {"extra": 2, "vanished": 1}
    assert held() == {identifier(n) for n in range(10) if n != 1}
    assert Record.objects.get(identifier=identifier(1)).deleted, "the provider said so"
    conflict = Conflict.objects.get()
    assert (conflict.identifier, conflict.kind, conflict.settled) == (identifier(3), "vanished", None)
    assert "vanished" in [kind for kind, _ in Conflict.Kind.choices]

    provider.asked.clear()
    assert drift(compare(harvested)) == {}
    assert [a["identifier"] for a in provider.asked_for("GetRecord")] == [identifier(2)], (
        "not for ever for the vanished"
    )


@pytest.mark.spec("W26")
def test_the_operator_deletes_what_has_vanished_and_a_return_settles_it(
    harvested: Link, provider: Provider, admin_client: Client
) -> None:
    gone = {number: provider.entries.pop(identifier(number)) for number in (3, 4)}
    compare(harvested)
    one = Conflict.objects.get(identifier=identifier(3))
    form = {"action": "withdraw", "confirmed": "1", "_selected_action": [one.pk]}
    assert "deleted" in admin_client.post("/admin/harvester/conflict/", form, follow=True).content.decode()
    assert Record.objects.get(identifier=identifier(3)).deleted

    provider.entries |= {identifier(number): entry for number, entry in gone.items()}
    run = compare(harvested)

    assert counters(run) == {"received": 10, "updated": 1, "unchanged": 9}
    assert identifier(3) in held()
    assert not Conflict.objects.filter(settled=None).exists()


@pytest.mark.spec("W26")
def test_above_the_ceiling_nothing_is_asked_for_without_the_operator(
    harvested: Link, provider: Provider, admin_client: Client
) -> None:
    Link.objects.update(ceiling_records=2)
    for number in range(3):
        del provider.entries[identifier(number)]

    run = compare(harvested)

    assert run.state == Run.State.DONE
    assert drift(run) == {"extra": 3, "held_back": 3}
    assert "more than the ceiling of 2" in run.message and "none deleted" in run.message
    assert provider.asked_for("GetRecord") == []
    assert len(held()) == 10

    form = {"action": "compare_beyond_ceiling", "_selected_action": [harvested.pk]}
    admin_client.post("/admin/harvester/link/", form)
    run = go_on(Run.objects.get(state=Run.State.OPEN))
    assert drift(run) == {"extra": 3, "vanished": 3}
    assert len(held()) == 10, "the provider gave no deletion, so nothing is deleted all the same"


@pytest.mark.parametrize(("records", "percent", "ceiling"), [(100, 1, 100), (2, 50, 5), (0, 0, 0)])
def test_the_larger_ceiling_counts(harvested: Link, records: int, percent: int, ceiling: int) -> None:
    harvested.ceiling_records, harvested.ceiling_percent = records, percent
    assert comparison.ceiling(harvested) == ceiling


@pytest.mark.spec("W27")
def test_a_comparison_never_moves_the_cursor(harvested: Link, provider: Provider) -> None:
    fill(provider, range(30, 33), stamp="2026-02-20T00:00:00Z")
    before = Link.objects.values("harvested_to", "first_response", "newest", "failures", "next_due").get()

    compare(harvested)

    assert Link.objects.values("harvested_to", "first_response", "newest", "failures", "next_due").get() == before


# --- Never wipe --------------------------------------------------------------------------------------

Trouble = Callable[[Provider], None]


def _empty_list(provider: Provider) -> None:
    provider.entries.clear()


def _html_page(provider: Provider) -> None:
    provider.faults.append(
        lambda a: None if a["verb"] == "Identify" else Response("<html>Log in</html>", content_type="text/html")
    )


def _unknown_set(provider: Provider) -> None:
    nothing = provider.envelope('<error code="noRecordsMatch">the set is not defined</error>')
    provider.faults.append(lambda a: xml(nothing) if a["verb"].startswith("List") else None)


def _no_set_hierarchy(provider: Provider) -> None:
    nothing = provider.envelope('<error code="noSetHierarchy">no sets</error>')
    provider.faults.append(lambda a: xml(nothing) if a["verb"].startswith("List") else None)


def _half_gone(provider: Provider) -> None:
    for number in range(5):
        del provider.entries[identifier(number)]


def _list_without_entries(provider: Provider) -> None:
    provider.faults.append(
        lambda a: xml(provider.envelope(f"<{a['verb']}/>")) if a["verb"].startswith("List") else None
    )


def _cut_in_the_middle(provider: Provider) -> None:
    lost = provider.envelope('<error code="badResumptionToken">lost</error>')
    provider.faults.append(lambda a: xml(lost) if continued(a) else None)


TROUBLES = [
    _empty_list,
    _html_page,
    _unknown_set,
    _no_set_hierarchy,
    _half_gone,
    _list_without_entries,
    _cut_in_the_middle,
]
MODES: dict[str, Callable[[Link], Run | None]] = {
    "incremental": lambda link: lifecycle.open_run(link, trigger="test"),
    "whole list": lambda link: lifecycle.open_run(link, trigger="test", full=True),
    "whole comparison": lambda link: lifecycle.open_comparison(link, trigger="test", whole=True),
    "slice": lambda link: lifecycle.open_comparison(link, trigger="test"),
    "total re-harvest": lambda link: lifecycle.open_total_reharvest(link, trigger="test", whole=True),
    "slice of a total re-harvest": lambda link: lifecycle.open_total_reharvest(link, trigger="test"),
    "beyond the ceiling": lambda link: lifecycle.open_comparison(link, trigger="test", whole=True, beyond_ceiling=True),
}


@pytest.mark.spec("W10", "W26", "W31")
@pytest.mark.parametrize("ceiling", [0, 100], ids=["above the ceiling", "below it"])
@pytest.mark.parametrize("strategy", Link.Strategy.values)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("trouble", TROUBLES)
def test_nothing_is_deleted_because_it_is_not_there(
    harvested: Link, provider: Provider, trouble: Trouble, mode: str, strategy: str, ceiling: int
) -> None:
    Link.objects.update(ceiling_records=ceiling, ceiling_percent=0, strategy=strategy)
    harvested.refresh_from_db()
    before = snapshot()
    trouble(provider)

    run = MODES[mode](harvested)
    assert run is not None
    while run.is_open:
        run = go_on(run)

    assert snapshot() == before
    assert run.deleted == 0


# --- Slices ------------------------------------------------------------------------------------------


@pytest.fixture
def small_slices() -> Iterator[None]:
    with schedule.LIMITS.replaced(min_slice=4, max_slice=4):
        yield


@pytest.mark.spec("W24")
def test_the_slices_of_a_cycle_cover_the_whole_once(harvested: Link, provider: Provider, small_slices: None) -> None:
    Link.objects.update(next_slice=timezone.now())
    seen: list[str] = []
    windows: list[tuple[datetime | None, datetime | None]] = []
    while Link.objects.get().cycle_ended is None:
        assert len(windows) < 10
        Link.objects.update(next_slice=timezone.now())
        (run,) = [run for run in lifecycle.open_due_runs() if run.is_comparison]
        before = set(RemoteHeader.objects.filter(seen_in__isnull=False).values_list("key", flat=True))
        run = go_on(run)
        windows.append((run.list_from, run.list_until))
        seen += RemoteHeader.objects.filter(seen_in=run.pk).values_list("identifier", flat=True)
        assert before.isdisjoint(RemoteHeader.objects.filter(seen_in=run.pk).values_list("key", flat=True))

    assert sorted(seen) == [identifier(number) for number in range(10)]
    assert [(begin and f"{begin:%m-%d}", f"{end:%m-%d}") for begin, end in windows] == [
        (None, "01-04"),
        ("01-04", "01-08"),
        ("01-08", "02-28"),
    ]
    assert provider.asked_for("ListIdentifiers")[0]["until"] == stamped(3)
    link = Link.objects.get()
    assert link.compared_to is None
    assert link.next_slice > timezone.now() + 27 * DAY, "the next cycle begins when this one's days are over"


@pytest.mark.spec("W24", "W25")
def test_a_slice_looks_at_its_own_window_only(harvested: Link, provider: Provider, small_slices: None) -> None:
    for number in (1, 8):
        del provider.entries[identifier(number)]

    run = go_on(lifecycle.open_comparison(harvested, trigger="test"))

    assert drift(run) == {"extra": 1, "vanished": 1}
    assert [arguments["identifier"] for arguments in provider.asked_for("GetRecord")] == [identifier(1)]


def test_a_slice_goes_on_after_an_interruption(harvested: Link, provider: Provider) -> None:
    provider.entries[identifier(20)] = (stamped(3), iso_record(identifier(20)))
    provider.faults.append(once(continued, lambda: Response("", status=500)))
    run = compare(harvested)
    assert run.state == Run.State.OPEN

    run = go_on(run)

    assert run.state == Run.State.DONE
    assert drift(run) == {"missing": 1}


def test_a_comparison_that_fails_leaves_the_harvest_alone_and_is_tried_again(
    harvested: Link, provider: Provider
) -> None:
    provider.faults.append(lambda a: Response("", status=403) if a["verb"] == "ListIdentifiers" else None)
    due = harvested.next_due

    assert compare(harvested).state == Run.State.FAILED

    harvested.refresh_from_db()
    assert (harvested.failures, harvested.next_due) == (0, due)
    assert harvested.next_slice is not None and harvested.next_slice < timezone.now() + DAY


@pytest.mark.parametrize("how", ["cancelled", "refused"])
@schedule.LIMITS.replaced(fetch_batch=1)
def test_a_comparison_that_ends_early_leaves_no_suspicion_behind(harvested: Link, provider: Provider, how: str) -> None:
    gone = [provider.entries.pop(identifier(number)) for number in (1, 2, 3)]
    run = lifecycle.open_comparison(harvested, trigger="test", whole=True)
    if how == "refused":
        second = iter(range(100))
        provider.faults.append(
            lambda a: Response("", status=403) if a["verb"] == "GetRecord" and next(second) == 1 else None
        )
    lifecycle.work(
        run.pk, progress=lambda now: lifecycle.cancel(now) if how == "cancelled" and now.fetched == 1 else None
    )
    run.refresh_from_db()
    assert run.state == (Run.State.CANCELLED if how == "cancelled" else Run.State.FAILED)
    provider.faults.clear()
    provider.asked.clear()

    assert harvest(harvested).state == Run.State.DONE
    assert provider.asked_for("GetRecord") == [], "a harvest asks for nothing that is not listed"
    assert drift(compare(harvested)) == {"extra": 2, "vanished": 2}
    assert len(gone) == 3 and len(held()) == 10


def test_by_days_neighbouring_slices_share_no_day(link: Link, provider: Provider, small_slices: None) -> None:
    provider.granularity = "YYYY-MM-DD"
    for number in range(10):
        provider.entries[identifier(number)] = (stamped(number)[:10], iso_record(identifier(number)))
    harvest(link)
    link.refresh_from_db()
    first = go_on(lifecycle.open_comparison(link, trigger="test"))
    link.refresh_from_db()
    go_on(lifecycle.open_comparison(link, trigger="test"))

    asked = [a for a in provider.asked_for("ListIdentifiers") if "resumptionToken" not in a]
    assert [(a.get("from"), a.get("until")) for a in asked] == [
        (None, "2025-01-04"),
        ("2025-01-05", "2025-01-08"),
    ]
    assert drift(first) == {}


@pytest.mark.spec("W24")
@pytest.mark.parametrize(
    ("number", "cycle_days", "size"), [(0, 28, 1000), (28_000, 28, 1000), (140_000, 7, 20_000), (140_000, 28, 5000)]
)
def test_a_slice_is_a_share_of_the_link(number: int, cycle_days: int, size: int) -> None:
    assert schedule.slice_size(number, cycle_days, LIMITS) == size


def test_slices_follow_one_another_faster_where_a_slice_a_day_would_not_do() -> None:
    now = at("2026-01-01T00:00:00Z")
    soon = schedule.next_slice_due(now, now, 28, in_slice=20_000, left=1_100_000, headers=1_120_000)
    assert soon - now == DAY / 2
    assert schedule.next_slice_due(now, now, 28, in_slice=1000, left=9000, headers=10_000) - now == DAY


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=200), st.integers(0, 20), st.sampled_from([7, 28]))
def test_a_cycle_ends_within_its_days_however_large_its_slices(sizes: list[int], late: int, days: int) -> None:
    """Also where the node was off for some days; then at no more than twice the usual pace."""
    begun = now = at("2026-01-01T00:00:00Z")
    now += late * DAY
    for number, size in enumerate(sizes[:-1]):
        before, left = now, sum(sizes[number + 1 :])
        now = schedule.next_slice_due(now, begun, days, in_slice=size, left=left, headers=sum(sizes))
        assert days * DAY * size / sum(sizes) / 2 - timedelta(seconds=1) <= now - before <= DAY or now - before == DAY
    assert now - begun <= max(days * DAY, late * DAY + days * DAY / 2) + timedelta(seconds=1)


# --- After a silence ---------------------------------------------------------------------------------


@pytest.mark.spec("H15")
@pytest.mark.parametrize(
    ("policy", "days", "told"),
    [("transient", 91, True), ("transient", 89, False), ("persistent", 1000, False), ("no", 2, True), ("", 91, True)],
)
def test_after_a_silence_longer_than_deletions_are_kept_everything_is_compared(
    harvested: Link, provider: Provider, policy: str, days: int, told: bool, small_slices: None
) -> None:
    identify = provider._identify({}).replace(">persistent<", f">{policy}<")
    later = at(provider.now) + days * DAY
    provider.now = f"{later:%Y-%m-%dT%H:%M:%SZ}"
    identify = identify.replace("2026-03-01T12:00:00Z", provider.now)
    provider.faults.append(lambda a: xml(identify) if a["verb"] == "Identify" else None)
    del provider.entries[identifier(2)]

    run = harvest(harvested)

    assert ("longer than the provider keeps deletions" in run.message) is told
    harvested.refresh_from_db()
    assert harvested.reconciles is told
    slices_done = 0
    while opened := [run for run in lifecycle.open_due_runs() if run.is_comparison]:
        go_on(opened[0])
        slices_done += 1
    assert slices_done == (3 if told else 0), "one after the other, without waiting for tomorrow"
    assert Conflict.objects.filter(kind="vanished").count() == (1 if told else 0)
    assert not Link.objects.get().reconciles


@pytest.mark.spec("W31", "W32")
def test_a_link_that_turns_to_another_provider_asks_for_all_and_compares_and_deletes_nothing(
    harvested: Link, provider: Provider
) -> None:
    """The other provider has its own datestamps, and lacks some records."""
    for number in range(10):
        provider.entries[identifier(number)] = (f"2026-02-1{number}T00:00:00Z", provider.entries[identifier(number)][1])
    for number in (1, 2):
        del provider.entries[identifier(number)]
    before = snapshot()
    harvested.base_url = provider.base_url.replace("localhost", "127.0.0.1")
    edit.save(harvested, ["base_url"])
    harvested.refresh_from_db()
    assert harvested.harvested_to is None, "no cursor is carried over"

    run = harvest(harvested)
    assert "from" not in provider.asked_for("ListRecords")[0]
    assert counters(run) == {"received": 8, "unchanged": 8}
    (comparison,) = [run for run in lifecycle.open_due_runs() if run.is_comparison]
    comparison = go_on(comparison)

    assert drift(comparison) == {"extra": 2, "vanished": 2}
    assert snapshot() == before


# --- What operators see ------------------------------------------------------------------------------


def test_drift_is_told_with_its_history(harvested: Link, provider: Provider, admin_client: Client) -> None:
    provider.entries[identifier(20)] = (stamped(3), iso_record(identifier(20)))
    compare(harvested)
    provider.entries[identifier(21)] = (stamped(3), iso_record(identifier(21)))
    provider.entries[identifier(22)] = (stamped(3), iso_record(identifier(22)))
    compare(harvested)

    assert status.status_report()["links"][0]["drift"]["missing"] == 2, "of the last cycle"
    history = Run.objects.filter(purpose="comparison").order_by("pk").values_list("missing", flat=True)
    assert list(history) == [1, 2]
    page = admin_client.get(f"/admin/harvester/link/{harvested.pk}/change/").content.decode()
    assert "2 missing, 0 stale, 0 extra" in page
    assert "2 missing" in admin_client.get("/admin/harvester/link/").content.decode()
    assert 'gisc_link_drift{kind="missing",link="toulouse"} 2.0' in admin_client.get("/metrics").content.decode()


def test_the_command_compares_everything(
    harvested: Link, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.entries[identifier(20)] = (stamped(3), iso_record(identifier(20)))
    call_command("harvest", "toulouse", "--reconcile", "--json")
    assert '"missing": 1' in capsys.readouterr().out

    with pytest.raises(CommandError, match="goes with --reconcile"):
        call_command("harvest", "toulouse", "--beyond-ceiling")
    lifecycle.open_run(harvested, trigger="test")
    with pytest.raises(CommandError, match="A harvest of this link is open"):
        call_command("harvest", "toulouse", "--reconcile")


def test_a_link_that_has_never_harvested_is_not_compared_by_schedule(link: Link) -> None:
    Link.objects.update(next_slice=timezone.now() - DAY, next_due=timezone.now() + timedelta(hours=1))
    assert lifecycle.open_due_runs() == []
    assert not remote_headers.any_to_request(link)


@pytest.mark.spec("H33", "W28")
def test_a_record_that_could_not_be_stored_is_asked_for_again_by_comparing(link: Link, provider: Provider) -> None:
    """Its provider has mended it without a new datestamp, so that no incremental list tells of it."""
    fill(provider, range(3))
    stamp, good = provider.entries[identifier(1)]
    provider.entries[identifier(1)] = (stamp, b"<?xml version='1.0'?><broken xmlns='urn:x'/>")
    run = lifecycle.open_run(link, trigger="test")
    assert lifecycle.work(run.pk).rejected == 1
    fill(provider, range(3, 5), stamp="2026-02-02T00:00:00Z")
    lifecycle.work(lifecycle.open_run(Link.objects.get(), trigger="test").pk)
    assert identifier(1) not in held()
    provider.entries[identifier(1)] = (stamp, good)
    provider.asked.clear()

    compared = lifecycle.work(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True).pk)

    assert compared.state == Run.State.DONE and identifier(1) in held()
    assert identifier(1) in {arguments["identifier"] for arguments in provider.asked_for("GetRecord")}


# --- Stored records that are damaged ---------------------------------------------------------------------


def test_a_record_that_is_damaged_here_is_asked_for_again_in_the_next_run(harvested: Link, provider: Provider) -> None:
    """Its provider has not changed it, so that no list has it."""
    name = identifier(3)
    whole = bytes(Record.objects.get(identifier=name).payload)
    Record.objects.filter(identifier=name).update(payload=whole[:-30])
    read_back.read_all_back()
    tasks.tick()
    run = harvest(harvested)
    assert [asked["identifier"] for asked in provider.asked_for("GetRecord")] == [name]
    assert counters(run)["updated"] == 1
    assert payload.unpack(Record.objects.get(identifier=name).payload) == payload.unpack(whole)
    read_back.read_all_back()
    assert not read_back.damaged().exists()


def test_where_much_is_damaged_a_provider_is_not_asked_for_all_of_it_at_once(
    harvested: Link, provider: Provider
) -> None:
    Record.objects.update(payload=b"damaged")
    read_back.read_all_back()
    with damaged_records.LIMITS.replaced(at_once=4):
        for _ in range(2):
            damaged_records.request_damaged()
        harvest(harvested)
        assert len(provider.asked_for("GetRecord")) == 4
        read_back.read_all_back()
        assert read_back.damaged().count() == 6
        for _ in range(2):
            damaged_records.request_damaged()
            harvest(harvested)
            read_back.read_all_back()
    assert not read_back.damaged().exists() and len(provider.asked_for("GetRecord")) == 10


def test_a_provider_that_does_not_give_it_is_asked_once(harvested: Link, provider: Provider) -> None:
    name = identifier(3)
    Record.objects.filter(identifier=name).update(payload=b"damaged")
    del provider.entries[name]
    read_back.read_all_back()
    for _ in range(3):
        damaged_records.request_damaged()
        harvest(harvested)
    assert len(provider.asked_for("GetRecord")) == 1
    assert [row.record.identifier for row in read_back.damaged()] == [name], "it stays named, and live"
