"""Lists that are shorter than announced: what explains them, what is in doubt, and what settles the doubt (H49)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from werkzeug import Response

from catalogue import datestamps, oai, seams
from harvester.messages import RemarkCode
from harvester.models import Link, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.provider import Provider, fill, identifier, xml
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
    assert "completeListSize is an estimate" in admin_client.get("/admin/harvester/link/").content.decode()
    assert status.status_report()["links"][0]["size_is_estimate"] is True


@pytest.mark.spec("H49")
def test_a_node_of_this_software_is_not_doubted(link: Link, provider: Provider, clock: SetClock) -> None:
    provider.description = NODE
    CutOff(provider, 30)
    by_minute(provider, range(60))

    run = harvest(link)

    link.refresh_from_db()
    assert (link.doubts, link.shortfall) == ([], 0)
    assert "announced 60 entries and listed 30" in run.message


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
