"""Lists that are shorter than announced: what explains them, what is in doubt, and what settles the doubt (H49)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from werkzeug import Response

from catalogue import datestamps, oai, seams
from harvester.messages import RemarkCode
from harvester.models import Link, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, fill, header, identifier, record, xml
from tests.support.runs import at, go_on, harvest, held

NOON = at("2026-03-01T12:00:00Z")
MINUTE = timedelta(minutes=1)
NODE = (
    f'<description><eprints xmlns="{oai.EPRINTS_NS}"><metadataPolicy><URL>{oai.promise_urn("1.2")}</URL></metadataPolicy>'
    "<dataPolicy/></eprints></description>"
)


class CutOff:
    """A provider that lists the newest first, announces all, and ends each list after `most` entries."""

    def __init__(self, provider: Provider, most: int, *, ending: str = "no token") -> None:
        self.provider, self.most, self.ending = provider, most, ending
        provider.page_size = 1000
        provider.edits.append(self.cut)
        provider.faults.append(self.end)

    def end(self, arguments: dict[str, str]) -> Response | None:
        verb, continued = arguments["verb"], "resumptionToken" in arguments
        return xml(self.provider.envelope(f"<{verb}><resumptionToken/></{verb}>")) if continued else None

    def cut(self, arguments: dict[str, str], body: bytes) -> bytes:
        verb = arguments["verb"]
        if verb not in ("ListRecords", "ListIdentifiers"):
            return body
        tag = b"record" if verb == "ListRecords" else b"header"
        entries = re.findall(rb"<%s\b.*?</%s>" % (tag, tag), body, re.DOTALL)
        if len(entries) <= self.most:
            return body
        token = "end" if self.ending == "an empty page" else ""
        closing = f'<resumptionToken completeListSize="{len(entries)}">{token}</resumptionToken>'.encode()
        kept = b"".join(entries[::-1][: self.most])
        return self.provider.envelope(f"<{verb}>@</{verb}>").encode().replace(b"@", kept + closing)


@pytest.fixture(autouse=True)
def _lateness(link: Link) -> None:
    link.lateness_h = 72
    link.save()


@pytest.fixture
def clock(provider: Provider) -> Any:
    ours = SetClock(NOON)
    provider.now = "2026-03-01T12:00:00Z"
    with seams.replaced(clock=ours):
        yield ours


def go(provider: Provider, clock: SetClock, by: timedelta) -> None:
    clock.move(by.total_seconds())
    provider.now = datestamps.write(clock.at)


def by_minute(provider: Provider, numbers: range) -> None:
    for number in numbers:
        fill(provider, range(number, number + 1), stamp=datestamps.write(NOON - (200 - number) * MINUTE))


def work_until_quiet(clock: SetClock) -> list[Run]:
    """What the scheduler would start by now, one after the other."""
    ended: list[Run] = []
    while opened := lifecycle.open_due_runs():
        clock.move(1)
        ended += [go_on(run) for run in opened]
        assert len(ended) < 60
    return ended


@pytest.mark.spec("H49", "H25", "F35", "F36")
@pytest.mark.parametrize("ending", ["no token", "an empty page"])
@pytest.mark.parametrize("most", [30, 7])
def test_what_a_list_was_short_of_is_found_by_comparing(
    link: Link, provider: Provider, clock: SetClock, ending: str, most: int, admin_client: Client
) -> None:
    CutOff(provider, most, ending=ending)
    by_minute(provider, range(60))
    harvest(link)
    link.refresh_from_db()
    assert (link.shortfall, link.doubts) == (60 - most, []), "the next list may explain it"
    assert link.next_due == clock.at, "and is asked for at once"

    (next_list,) = lifecycle.open_due_runs()
    go_on(next_list)

    link.refresh_from_db()
    assert [doubt["code"] for doubt in link.doubts] == [RemarkCode.LIST_SHORT]
    facts = status.status_report()["links"][0]
    assert facts["doubts"][0]["code"] == "list-short" and str(60 - most) in facts["doubts"][0]["text"]
    assert 'gisc_link_doubts{code="list-short",link="toulouse"} 1' in admin_client.get("/metrics").content.decode()
    assert "in doubt" in admin_client.get("/admin/harvester/link/").content.decode()
    assert "were not listed" in admin_client.get(f"/admin/harvester/link/{link.pk}/change/").content.decode()
    assert "In doubt" in admin_client.get("/harvest/").content.decode()
    work_until_quiet(clock)

    assert held() == {identifier(number) for number in range(60)}
    link.refresh_from_db()
    assert link.doubts == [] and not link.size_is_estimate
    assert status.status_report()["links"][0]["doubts"] == []


@pytest.mark.spec("H49")
def test_records_that_change_while_a_list_is_read_explain_that_it_was_short(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    provider.page_size = 10
    by_minute(provider, range(40))
    moving = iter((31, 35, 38))

    def move(arguments: dict[str, str], body: bytes) -> bytes:
        """Announce what was there at first; at each further page a record has gone to the end of time."""
        if arguments["verb"] == "ListRecords" and (number := next(moving, None)) is not None:
            go(provider, clock, timedelta(seconds=2))
            fill(provider, range(number, number + 1), stamp=provider.now)
        return body

    provider.edits.append(move)
    frozen = provider.now
    provider.edits.append(
        lambda arguments, body: (
            body  # the list ends at the time of its first page
            if arguments["verb"] != "ListRecords"
            else re.sub(rb'completeListSize="\d+"', b'completeListSize="40"', body)
        )
    )
    original = provider._list

    def list_until_first_page(verb: str, arguments: dict[str, str], entry: Any) -> str:
        return original(verb, {"until": frozen, **arguments}, entry)

    provider._list = list_until_first_page  # type: ignore[method-assign]
    run = harvest(link)
    link.refresh_from_db()
    assert run.listed == 37 and link.shortfall == 3
    provider.edits.clear()
    provider._list = original  # type: ignore[method-assign]
    go(provider, clock, MINUTE)

    runs = work_until_quiet(clock)

    assert [run.purpose for run in runs] == [Run.Purpose.HARVEST]
    assert runs[0].explained == 3
    link.refresh_from_db()
    assert (link.doubts, link.shortfall) == ([], 0)
    assert held() == {identifier(number) for number in range(40)}


@pytest.mark.spec("H49", "F36")
def test_a_size_that_is_always_too_large_is_labelled_an_estimate(
    link: Link, provider: Provider, clock: SetClock, admin_client: Client
) -> None:
    by_minute(provider, range(7))
    provider.page_size = 5
    provider.edits.append(lambda _, body: re.sub(rb'completeListSize="\d+"', b'completeListSize="225176"', body))
    comparisons = []
    for number in range(4):
        by_minute(provider, range(10 + 10 * number, 17 + 10 * number))
        go(provider, clock, timedelta(hours=7))
        comparisons.append([run.purpose for run in work_until_quiet(clock)].count(Run.Purpose.COMPARISON))
        link.refresh_from_db()
        assert link.doubts == []
    assert link.size_is_estimate
    assert comparisons[0] and comparisons[1] and not comparisons[3], "then it is believed no more"
    admin_client.force_login(User.objects.get())  # the clock has outlived the session
    assert "completeListSize is an estimate" in admin_client.get("/admin/harvester/link/").content.decode()
    assert status.status_report()["links"][0]["size_is_estimate"] is True


@pytest.mark.spec("H49")
@pytest.mark.parametrize("changes", [True, False], ids=["its next list explains it", "it lies"])
def test_a_node_of_this_software_is_doubted_only_if_its_next_list_does_not_explain(
    link: Link, provider: Provider, clock: SetClock, changes: bool
) -> None:
    """Records that change while a list is read leave it, and come with the next one, which is asked for in its time."""
    provider.description = NODE
    cut = CutOff(provider, 30)
    by_minute(provider, range(60))

    run = harvest(link)

    link.refresh_from_db()
    assert (link.doubts, link.shortfall) == ([], 30)
    assert "announced 60 entries and listed 30" in run.message
    if changes:
        cut.most = 60
        listed = held()
        for number in range(60):
            if identifier(number) not in listed:
                fill(provider, range(number, number + 1), stamp=provider.now)
    go(provider, clock, timedelta(hours=7))
    purposes = {each.purpose for each in work_until_quiet(clock)}
    assert purposes == ({Run.Purpose.HARVEST} if changes else {Run.Purpose.HARVEST, Run.Purpose.COMPARISON})


@pytest.mark.spec("H49", "F83")
def test_a_doubt_stays_while_records_that_are_not_listed_wait_for_the_operator(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    Link.objects.update(ceiling_records=3, ceiling_percent=1)
    by_minute(provider, range(40))
    harvest(link)
    everything = dict(provider.entries)
    provider.entries = {identifier(number): everything[identifier(number)] for number in range(5)}
    go(provider, clock, timedelta(hours=1))
    link.refresh_from_db()
    harvest(link, full=True)
    work_until_quiet(clock)

    link.refresh_from_db()
    assert [doubt["code"] for doubt in link.doubts] == [RemarkCode.FEWER_THAN_STORED]
    assert len(held()) == 40
    provider.entries = everything
    go(provider, clock, timedelta(days=40))
    work_until_quiet(clock)
    link.refresh_from_db()
    assert link.doubts == []


@pytest.mark.spec("F83")
def test_a_whole_list_that_is_empty_where_many_records_are_stored_is_a_doubt(link: Link, provider: Provider) -> None:
    Link.objects.update(ceiling_records=2)
    fill(provider, range(10))
    harvest(Link.objects.get())
    provider.entries.clear()
    run = harvest(Link.objects.get(), full=True)
    assert run.state == "done" and len(held()) == 10
    assert [doubt["code"] for doubt in Link.objects.get().doubts] == [RemarkCode.FEWER_THAN_STORED]


class Reloaded:
    """A provider that freezes its list, and gives all its records anew once two pages of one are read (P106).

    `ending`: whether its last page then has the first of the changed records, or the last one of the page before.
    """

    def __init__(self, provider: Provider, clock: SetClock, ending: str) -> None:
        self.provider, self.clock, self.ending, self.pages = provider, clock, ending, 0
        provider.faults.append(self.answer)

    def answer(self, arguments: dict[str, str]) -> Response | None:
        verb, provider = arguments["verb"], self.provider
        if verb not in ("ListRecords", "ListIdentifiers") or self.pages < 0:
            return None
        self.pages += 1
        if self.pages < 3:
            return None
        self.pages = -1
        number = 2 * provider.page_size - (self.ending == "the last one again")
        stamp, document = provider.entries[identifier(number)]
        provider.now = datestamps.write(
            self.clock.at + timedelta(hours=1)
        )  # ours is not moved while an answer is waited for
        for name, (_, its_document) in provider.entries.items():
            provider.entries[name] = (provider.now, its_document)
        if self.ending == "a changed one":
            stamp = provider.now
        make = {"ListRecords": record, "ListIdentifiers": header}[verb]
        closing = f'<resumptionToken completeListSize="{len(provider.entries)}" cursor="{2 * provider.page_size}"/>'
        return xml(provider.envelope(f"<{verb}>{make(identifier(number), stamp, document)}{closing}</{verb}>"))


@pytest.mark.spec("P106", "H49", "H11", "F83", "F35")
@pytest.mark.parametrize("description", [NODE, ""], ids=["this software", "another"])
@pytest.mark.parametrize("ending", ["a changed one", "the last one again"])
@pytest.mark.parametrize("size", [1, 5])
def test_a_list_that_ends_early_because_all_has_changed_leaves_no_doubt(
    link: Link, provider: Provider, clock: SetClock, description: str, ending: str, size: int
) -> None:
    provider.description, provider.page_size = description, size
    by_minute(provider, range(60))
    Reloaded(provider, clock, ending)

    run = harvest(link)

    assert (run.state, run.warnings) == (Run.State.DONE, [])
    codes = [remark["code"] for remark in run.outcome_data["remarks"]]
    assert codes == [RemarkCode.SIZE_DIFFERS]
    link.refresh_from_db()
    assert link.doubts == [] and link.shortfall
    assert link.harvested_to is not None and link.harvested_to <= NOON
    go(provider, clock, timedelta(hours=7))
    assert [each.purpose for each in work_until_quiet(clock)][0] == Run.Purpose.HARVEST
    link.refresh_from_db()
    assert link.doubts == []
    assert held() == {identifier(number) for number in range(60)}


@pytest.mark.spec("P106", "F83")
def test_a_full_harvest_that_ends_early_because_all_has_changed_leaves_no_doubt(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    provider.description, provider.page_size = NODE, 2
    by_minute(provider, range(60))
    harvest(link)
    go(provider, clock, MINUTE)
    Reloaded(provider, clock, "a changed one")
    link.refresh_from_db()
    harvest(link, full=True)
    link.refresh_from_db()
    assert link.doubts == []


@pytest.mark.spec("P106", "W25", "H14")
def test_a_slice_that_ends_with_a_record_after_its_until_counts_no_drift_of_it(
    link: Link, provider: Provider, clock: SetClock
) -> None:
    provider.page_size = 5
    by_minute(provider, range(60))
    harvest(link)
    link.refresh_from_db()
    provider.faults.clear()
    go(provider, clock, MINUTE)
    Reloaded(provider, clock, "a changed one")
    run = lifecycle.open_comparison(link, trigger="test")
    assert run is not None and run.list_until is not None
    run = go_on(run)
    assert (run.stale, run.missing, run.listed) == (0, 0, 10)
