"""The worked examples about harvesting: E27, E28, E29. Real sockets, two providers."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue import datestamps
from catalogue.models import Record
from harvester.models import Link, Run
from harvester.protocol import probe
from tests.support import asking, world
from tests.support.provider import Provider, continued, times, xml
from tests.support.runs import at, go_on, harvest

MONDAY = "2026-03-02"


@pytest.fixture
def other() -> Iterator[Provider]:
    """A second provider on a socket of its own."""
    with HTTPServer(port=0) as server:
        yield Provider(server)


@pytest.fixture
def other_link(other: Provider, db: None) -> Link:
    into = world.peer_set(world.OFFENBACH)
    return Link.objects.create(name="offenbach", base_url=other.base_url, remote_set=into.spec, local_set=into)


def offer(provider: Provider, identifier: str, stamp: str, *, now: str) -> None:
    provider.entries[identifier] = (stamp, world.iso_record(identifier))
    provider.now = now


@pytest.mark.spec("E27", "W13", "S44", "H10")
def test_each_link_has_a_cursor_of_its_own(link: Link, provider: Provider, other_link: Link, other: Provider) -> None:
    """With a common one W would be asked from 01:00, and its record of 00:00 never come."""
    offer(provider, "urn:x", f"{MONDAY}T01:00:00Z", now=f"{MONDAY}T02:00:00Z")
    offer(other, "urn:w", f"{MONDAY}T00:00:00Z", now=f"{MONDAY}T03:00:00Z")
    harvest(link)
    harvest(other_link)
    assert "from" not in other.lists[0]
    assert set(Record.objects.values_list("identifier", flat=True)) == {"urn:x", "urn:w"}
    link.refresh_from_db()
    other_link.refresh_from_db()
    assert (link.newest, other_link.newest) == (at(f"{MONDAY}T01:00:00Z"), at(f"{MONDAY}T00:00:00Z"))


@pytest.mark.spec("E28", "W15", "W16", "H39", "P95")
def test_a_harvester_of_ours_gets_what_we_harvested_later_though_it_is_older(
    client: Client, link: Link, provider: Provider, other_link: Link, other: Provider
) -> None:
    """If datestamps were copied, the second hop would ask from 01:00 and miss the record of 00:00."""
    offer(provider, "urn:x", f"{MONDAY}T01:00:00Z", now=f"{MONDAY}T02:00:00Z")
    harvest(link)
    first = asking.get(client, verb="ListRecords", metadataPrefix="iso19139")
    [x] = first.headers
    offer(other, "urn:w", f"{MONDAY}T00:00:00Z", now=f"{MONDAY}T03:00:00Z")
    harvest(other_link)
    # H8: the earlier of the first responseDate and the largest datestamp, less a granule.
    cursor = min(datestamps.parse(first.date)[0], datestamps.parse(x.datestamp)[0]) - timedelta(seconds=1)
    second = asking.get(client, verb="ListRecords", metadataPrefix="iso19139", from_=datestamps.write(cursor))
    [w] = [header for header in second.headers if header.identifier == "urn:w"]
    assert w.datestamp >= x.datestamp
    assert second.find(
        "//o:record[o:header/o:identifier='urn:w']//*[local-name()='originDescription']/*[3]/text()"
    ) == [f"{MONDAY}T00:00:00Z"]


@pytest.mark.spec("E29", "H1", "H7", "H8", "H12", "H21", "H26", "H37", "W30", "S41", "S43")
def test_a_session_goes_as_in_the_example(link: Link, provider: Provider) -> None:
    day = "2026-03-01T"
    provider.now = f"{day}10:00:00Z"
    for number in range(6):
        offer(
            provider,
            f"urn:{number}",
            f"{day}09:58:1{number}Z" if number < 4 else f"{day}08:00:0{number}Z",
            now=provider.now,
        )

    # Step 1: what does it offer?
    seen = probe.retrieve_info(link.base_url, remote_set=link.remote_set)
    assert seen.identity.granularity is datestamps.Granularity.SECOND
    assert link.remote_set in [offered.spec for offered in seen.sets]
    provider.asked.clear()

    # Steps 2 and 3: page 1, then the connection is lost. Nothing is complete.
    provider.faults.append(times(1, continued, lambda: xml("")))
    run = harvest(link)
    assert (run.state, run.received) == (Run.State.OPEN, 2)
    assert cursor(link) is None
    token = run.token

    # Steps 4 and 5: the same token again, page 2; then 503 with a wait of 20 s.
    busy = times(
        1,
        lambda asked: asked.get("resumptionToken") not in (None, token),
        lambda: Response("", 503, {"Retry-After": "20"}),
    )
    provider.faults.append(busy)
    provider.now = f"{day}10:02:00Z"
    before = timezone.now()
    run = go_on(run)
    assert (run.state, run.received) == (Run.State.OPEN, 4)
    assert run.not_before is not None and run.not_before >= before + timedelta(seconds=20)
    assert cursor(link) is None

    # Step 6: the last page. F is of the first page, M the greatest datestamp.
    run = go_on(run)
    assert (run.state, run.received, run.new) == (Run.State.DONE, 6, 6)
    tokens = [asked["resumptionToken"] for asked in provider.lists if continued(asked)]
    assert tokens.count(token) == 2 and "from" not in provider.lists[0]
    link.refresh_from_db()
    assert (link.first_response, link.newest) == (at(f"{day}10:00:00Z"), at(f"{day}09:58:13Z"))

    # Step 7: the next run asks for headers from M less a granule and the overlap, and nothing changes here.
    stamps = list(Record.objects.order_by("pk").values_list("identifier", "datestamp"))
    provider.now = f"{day}10:30:00Z"
    provider.asked.clear()
    run = harvest(link)
    assert provider.asked_for("ListIdentifiers")[0]["from"] == f"{day}09:57:12Z"
    assert provider.lists[0]["from"] == f"{day}09:58:14Z"
    assert run.received == 0
    assert list(Record.objects.order_by("pk").values_list("identifier", "datestamp")) == stamps
    link.refresh_from_db()
    assert (link.first_response, link.newest) == (at(f"{day}10:30:00Z"), at(f"{day}09:58:13Z"))


def cursor(link: Link) -> object:
    link.refresh_from_db()
    return link.harvested_to
