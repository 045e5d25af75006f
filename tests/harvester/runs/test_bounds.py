"""What a list is asked for with, after one that was complete: by whose clock, and without fetching twice (promise 2)."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import datestamps, oai, seams
from catalogue.datestamps import Granularity
from catalogue.models import MetadataSet, Record
from harvester import schedule
from harvester.messages import RemarkCode
from harvester.models import Link, RemoteHeader, Run
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, fill, identifier, xml
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import iso_record

NOON = at("2026-03-01T12:00:00Z")
HOUR = timedelta(hours=1)
NODE = (
    f'<description><eprints xmlns="{oai.EPRINTS_NS}"><metadataPolicy><URL>{oai.promise_urn("1.2")}</URL></metadataPolicy>'
    "<dataPolicy/></eprints></description>"
)


def text(stamp: datetime) -> str:
    return datestamps.write(stamp)


def again(link: Link, **options: bool) -> Run:
    link.refresh_from_db()
    run = harvest(link, **options)
    link.refresh_from_db()
    return run


def work_until_quiet() -> list[Run]:
    """What the scheduler would start by now, one after the other."""
    ended: list[Run] = []
    while opened := lifecycle.open_due_runs():
        ended += [go_on(run) for run in opened]
        assert len(ended) < 50
    return ended


def payloads(provider: Provider) -> int:
    """How many records were sent with their metadata so far."""
    return sum(body.count(b"<metadata>") for body in provider.sent)


class Clocks:
    """Our clock, and the provider's, which is `ahead` of ours; both go on together."""

    def __init__(self, provider: Provider, ours: SetClock) -> None:
        self.provider, self.ours, self.ahead = provider, ours, timedelta(0)

    def go_on(self, by: timedelta, ahead: timedelta | None = None) -> None:
        self.ours.move(by.total_seconds())
        self.ahead = self.ahead if ahead is None else ahead
        self.provider.now = text(self.ours.at + self.ahead)

    def write(self, *numbers: int, before: timedelta = timedelta(0)) -> None:
        """The provider stamps these records by its clock."""
        for number in numbers:
            fill(self.provider, range(number, number + 1), stamp=text(self.ours.at + self.ahead - before))


@pytest.fixture(autouse=True)
def _lateness(link: Link) -> None:
    link.lateness_h = 72
    link.save()


@pytest.fixture
def clocks(provider: Provider) -> Any:
    ours = SetClock(NOON)
    with seams.replaced(clock=ours):
        yield Clocks(provider, ours)


# --- The clock of a provider, put right ----------------------------------------------------------------


@pytest.mark.spec("H8", "H48", "W19", "W20")
@pytest.mark.parametrize("description", ["", NODE])
@pytest.mark.parametrize("hours_between", [1, 6], ids=["shows an earlier time", "shows a later time all the same"])
def test_nothing_is_missed_after_a_clock_that_was_ahead_is_put_right(
    link: Link, provider: Provider, clocks: Clocks, description: str, hours_between: int
) -> None:
    provider.description = description
    clocks.go_on(HOUR, ahead=3 * HOUR)
    clocks.write(1, 2)
    clocks.go_on(HOUR)
    again(link)
    assert again(link).state == Run.State.DONE
    clocks.go_on(HOUR / 4, ahead=timedelta(0))  # put right
    for number in (3, 4, 5):
        clocks.write(number)
        clocks.go_on(HOUR / 5)
    clocks.go_on(hours_between * HOUR)

    run = again(link)

    assert held() == {identifier(number) for number in range(1, 6)}
    assert counters(run)["new"] == 3
    assert link.harvested_to is not None and link.harvested_to <= at(provider.now)
    assert [doubt["code"] for doubt in link.doubts] == [RemarkCode.CLOCK_SET_BACK]
    assert "set back" in run.message
    assert [run.purpose for run in work_until_quiet()] == [Run.Purpose.COMPARISON]
    link.refresh_from_db()
    assert link.doubts == [], "the headers are compared once"
    clocks.go_on(HOUR)
    assert again(link).message == "" and link.doubts == []


@pytest.mark.spec("H48")
def test_a_provider_that_is_always_hours_off_is_no_fault(link: Link, provider: Provider, clocks: Clocks) -> None:
    for hours_ahead in (3, -3):
        provider.entries.clear()
        Link.objects.update(harvested_to=None, first_response=None, first_asked=None, newest=None)
        clocks.ahead = hours_ahead * HOUR
        for number in range(6):
            clocks.go_on(HOUR)
            clocks.write(number)
            clocks.go_on(HOUR)
            run = again(link)
            assert link.doubts == [] and run.stepped_back_s == 0
            assert identifier(number) in held()
            assert RemarkCode.CLOCK_SET_BACK not in str(run.outcome_data)


@pytest.mark.spec("H48")
def test_our_own_clock_that_jumps_loses_nothing(link: Link, provider: Provider, clocks: Clocks) -> None:
    clocks.write(0)
    for number, jump in enumerate((5, -5, 29, -29, 1), 1):
        clocks.go_on(HOUR)
        again(link)
        clocks.write(number)
        clocks.ours.move(jump * 3600)
        clocks.ahead -= jump * HOUR  # theirs goes on as before
        clocks.go_on(HOUR / 60)
        again(link)
        assert identifier(number) in held()


@pytest.mark.spec("H48")
@given(
    latency_s=st.integers(0, 500),
    ahead_s=st.integers(-100_000, 100_000),
    step_s=st.integers(-200_000, 200_000),
    between_s=st.integers(0, 100_000),
)
def test_by_our_clock_no_list_begins_after_the_last_one(
    latency_s: int, ahead_s: int, step_s: int, between_s: int
) -> None:
    """Whatever the answers took, and however the provider's clock was set in between."""
    seconds = timedelta(seconds=1)
    asked = NOON
    first_response = asked + (latency_s + ahead_s) * seconds
    now = asked + (2 * latency_s + between_s) * seconds
    theirs = now - latency_s * seconds + (ahead_s + step_s) * seconds
    begin, stepped = schedule.by_our_clock(first_response, asked, theirs, now, 60)
    last_list = first_response + step_s * seconds  # the moment of the last list, by the clock as it goes now
    assert begin < max(last_list, first_response - 60 * seconds)
    assert begin < last_list or step_s >= -61, "a small step is within the overlap"
    if step_s >= 0:
        assert stepped == 0 or latency_s * 2 > 1200
    if -step_s > between_s + 1700:
        assert stepped > 0


# --- How late a provider lists its records -------------------------------------------------------------


@pytest.mark.spec("H8")
@given(
    first_response=st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)),
    newest=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)),
    lateness_h=st.integers(0, schedule.MAX_LATENESS_H),
    is_promised=st.booleans(),
)
def test_a_link_is_complete_up_to_what_cannot_come_late(
    first_response: datetime, newest: datetime | None, lateness_h: int, is_promised: bool
) -> None:
    link = Link(first_response=first_response, newest=newest, lateness_h=lateness_h, is_promised=is_promised)
    link.update_harvested_to()
    complete = link.harvested_to
    if is_promised:
        assert complete == first_response
        return
    assert first_response - lateness_h * HOUR <= complete <= first_response
    if newest is not None:
        assert complete >= min(newest, first_response)
        assert complete == newest or complete in (first_response, first_response - lateness_h * HOUR)


@pytest.mark.spec("H8", "W14")
def test_from_a_node_of_this_software_the_response_date_alone_counts(
    link: Link, provider: Provider, clocks: Clocks
) -> None:
    clocks.write(1)
    clocks.go_on(6 * HOUR)
    again(link)
    assert link.harvested_to == NOON, "72 hours are not over: its largest datestamp"

    provider.description = NODE
    again(link)
    assert link.harvested_to == at(provider.now)
    provider.description = NODE.replace("promise:1", "promise:2")
    again(link)
    assert link.harvested_to == NOON, "what it said in an earlier run does not count"
    clocks.go_on(100 * HOUR)
    again(link)
    assert link.harvested_to == clocks.ours.at - 72 * HOUR


@pytest.mark.spec("H8", "H50")
@pytest.mark.parametrize("before_newest", [timedelta(seconds=20), -2 * HOUR], ids=["within the window", "after it"])
def test_what_came_late_is_found_and_doubles_the_lateness(
    link: Link, provider: Provider, clocks: Clocks, before_newest: timedelta
) -> None:
    clocks.write(1, 2)
    clocks.go_on(5 * HOUR)
    again(link)
    fill(provider, range(3, 4), stamp=text(NOON - before_newest))
    clocks.go_on(HOUR)

    run = again(link)

    assert held() == {identifier(number) for number in (1, 2, 3)}
    assert run.came_late == 1 and "144 h" in run.message
    assert link.lateness_h == 144
    clocks.go_on(HOUR)
    assert again(link).came_late == 0 and link.lateness_h == 144
    Link.objects.update(lateness_h=schedule.MAX_LATENESS_H - 1)
    fill(provider, range(4, 5), stamp=text(clocks.ours.at - HOUR / 2))
    clocks.go_on(HOUR)
    again(link)
    assert link.lateness_h == schedule.MAX_LATENESS_H, "it does not grow for ever"


# --- Nothing twice --------------------------------------------------------------------------------------


@pytest.mark.spec("H50", "H8")
@pytest.mark.parametrize("strategy", Link.Strategy.values)
@pytest.mark.parametrize("description", ["", NODE])
@pytest.mark.parametrize("wait", [timedelta(seconds=5), 6 * HOUR, 100 * HOUR])
def test_an_idle_link_fetches_no_record_again_and_a_page_of_headers_at_most(
    link: Link, provider: Provider, clocks: Clocks, strategy: str, description: str, wait: timedelta
) -> None:
    """Whatever was loaded in one second: 30 records, 10 to a page."""
    Link.objects.update(strategy=strategy)
    provider.description, provider.page_size = description, 10
    clocks.write(*range(30))
    clocks.go_on(wait)
    again(link)
    assert len(held()) == 30
    sent = payloads(provider)

    for _ in range(5):
        provider.asked.clear()
        clocks.go_on(HOUR)
        run = again(link)
        assert counters(run) == {} and run.message == ""
        assert len(provider.asked_for("ListIdentifiers")) <= (1 if strategy == Link.Strategy.RECORDS else 2)
        assert payloads(provider) == sent
    clocks.write(30)
    clocks.go_on(HOUR)
    assert counters(again(link)) == {"received": 1, "new": 1}
    assert payloads(provider) == sent + 1


@pytest.mark.spec("H50")
def test_what_changed_again_in_the_second_of_the_list_is_fetched_again(
    link: Link, provider: Provider, clocks: Clocks
) -> None:
    clocks.write(1)
    again(link)  # its responseDate is the record's datestamp
    provider.entries[identifier(1)] = (text(NOON), iso_record(identifier(1), title="Changed in the same second"))
    clocks.go_on(HOUR)

    assert counters(again(link)) == {"received": 1, "updated": 1}
    clocks.go_on(HOUR)
    provider.asked.clear()
    assert counters(again(link)) == {}


@pytest.mark.spec("H50")
def test_a_day_repository_is_asked_for_a_day_again_while_that_day_may_change(
    link: Link, provider: Provider, clocks: Clocks
) -> None:
    provider.granularity = Granularity.DAY
    fill(provider, range(3), stamp="2026-03-01")
    again(link)
    fill(provider, range(3, 4), stamp="2026-03-01")  # later on that day
    provider.entries[identifier(0)] = ("2026-03-01", iso_record(identifier(0), title="Changed on that day"))
    clocks.go_on(6 * HOUR)
    assert counters(again(link)) == {"received": 4, "new": 1, "updated": 1, "unchanged": 2}
    for _ in range(2):
        clocks.go_on(24 * HOUR)
        again(link)
    sent = payloads(provider)
    clocks.go_on(24 * HOUR)
    assert counters(again(link)) == {}
    assert payloads(provider) == sent


@pytest.mark.spec("H9", "H50")
def test_a_provider_that_takes_from_for_exclusive_loses_nothing(link: Link, provider: Provider, clocks: Clocks) -> None:
    original = provider._list

    def list_after(verb: str, arguments: dict[str, str], entry: Any) -> str:
        start = {"from": f"{arguments['from']}!"} if "from" in arguments else {}
        return original(verb, {**arguments, **start}, entry)

    provider._list = list_after  # type: ignore[method-assign]
    for number in range(6):
        clocks.write(number)
        clocks.go_on(timedelta(seconds=1))
        again(link)
        clocks.write(number + 10)  # in the second of the list, after it
        clocks.go_on(timedelta(seconds=number))
    clocks.go_on(HOUR)
    again(link)
    assert held() == {identifier(number + more) for number in range(6) for more in (0, 10)}


@pytest.mark.spec("H7", "H50")
def test_a_provider_that_changes_its_granularity_loses_nothing(link: Link, provider: Provider, clocks: Clocks) -> None:
    """Days become the first second of the day, and seconds are cut to days."""
    provider.granularity = Granularity.DAY
    fill(provider, range(2), stamp="2026-03-01")
    again(link)
    provider.granularity = Granularity.SECOND
    fill(provider, range(3), stamp="2026-03-01T00:00:00Z")  # the third on that day, after the list
    clocks.go_on(HOUR)
    again(link)
    assert len(held()) == 3
    provider.granularity = Granularity.DAY
    fill(provider, range(4), stamp="2026-03-01")
    clocks.go_on(HOUR)
    again(link)
    assert len(held()) == 4


@pytest.mark.spec("H50", "F55")
@pytest.mark.parametrize("ignores", ["ListIdentifiers", "until", "from and until"])
def test_a_provider_that_knows_no_such_window_is_harvested_all_the_same(
    link: Link, provider: Provider, clocks: Clocks, ignores: str
) -> None:
    provider.page_size = 5
    clocks.write(*range(12))
    clocks.go_on(HOUR)
    again(link)
    refusal = provider.envelope('<error code="badArgument">no</error>')
    if ignores == "from and until":
        provider.lists_all = True
    else:
        word = "until" if ignores == "until" else "verb"
        provider.faults.append(
            lambda asked: (
                xml(refusal) if asked.get(word) not in (None, "Identify", "ListRecords", "GetRecord") else None
            )
        )
    for number in range(12, 15):
        clocks.write(number)
        provider.entries[identifier(1)] = (provider.now, iso_record(identifier(1), title=f"Version {number}"))
        provider.entries[identifier(2)] = (provider.now, None if number % 2 else iso_record(identifier(2)))
        clocks.go_on(HOUR)
        run = again(link)
        assert run.state == Run.State.DONE
        assert identifier(number) in held()
        assert (identifier(2) in held()) == (number % 2 == 0)
        assert Record.objects.get(identifier=identifier(1)).description.title == f"Version {number}"


@pytest.mark.spec("H50", "W31")
def test_deletions_that_came_late_are_deletions(link: Link, provider: Provider, clocks: Clocks) -> None:
    clocks.write(*range(3))
    clocks.go_on(HOUR)
    again(link)
    provider.entries[identifier(1)] = (text(NOON - timedelta(seconds=10)), None)
    clocks.go_on(HOUR)

    run = again(link)

    assert held() == {identifier(0), identifier(2)}
    assert run.removed == 1, "it counts for the guard against mass deletion"


@pytest.mark.spec("H50", "H20")
def test_late_records_are_still_asked_for_after_a_worker_has_died(
    link: Link, provider: Provider, clocks: Clocks
) -> None:
    provider.page_size = 10
    clocks.write(*range(3))
    clocks.go_on(HOUR)
    again(link)
    fill(provider, range(7, 9), stamp=text(NOON - timedelta(seconds=10)))
    clocks.go_on(HOUR)
    failing = [True]
    refusal = xml("", status=503)
    provider.faults.append(lambda asked: refusal if failing and asked["verb"] == "ListRecords" else None)
    run = again(link)
    assert run.state == Run.State.OPEN
    assert RemoteHeader.objects.filter(state=RemoteHeader.State.WANTED).count() == 2
    failing.clear()

    run = go_on(run)

    assert run.state == Run.State.DONE and run.came_late == 2
    assert len(held()) == 5


@pytest.mark.spec("H50", "W50", "F63")
@pytest.mark.parametrize(("sizes", "number_of_links"), [(True, 10), (False, 2)])
def test_ten_idle_runs_of_ten_links_fetch_nothing_of_what_was_stamped_in_one_second(
    link: Link, provider: Provider, clocks: Clocks, sizes: bool, number_of_links: int
) -> None:
    """Loaded in one second, and later stamped anew in another one, without a change of content."""
    if not sizes:
        provider.edits.append(lambda _, body: re.sub(rb' completeListSize="\d+"', b"", body))
    provider.page_size = 50
    links = [link]
    for number in range(number_of_links - 1):
        local = MetadataSet.objects.create(spec=f"WIS-GISC-{number}", name=str(number))
        fields = {"remote_set": link.remote_set, "local_set": local, "base_url": link.base_url}
        links.append(Link.objects.create(name=f"link-{number}", strategy=Link.Strategy.values[number % 2], **fields))
    clocks.write(*range(120))
    for idle_runs in (1, 10):
        clocks.go_on(HOUR)
        for each in links:
            again(each)
        clocks.go_on(HOUR)
        for each in links if not sizes else ():  # without sizes all headers are read once more
            again(each)
        sent = payloads(provider)
        for _ in range(idle_runs):
            clocks.go_on(6 * HOUR)
            for each in links:
                provider.asked.clear()
                assert counters(again(each)) == {}
                assert len(provider.asked_for("ListIdentifiers")) <= 2
        assert payloads(provider) == sent
        for name, (_, document) in list(provider.entries.items()):
            provider.entries[name] = (text(clocks.ours.at), document)
    assert payloads(provider) == sent <= 2 * number_of_links * 120, "stamped anew, each was fetched once more"
