"""Lists whose pages a cache in front may give to others: what is shared, what never is, and that nothing is missed."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from catalogue import oai, seams
from catalogue.models import JournalPosition
from catalogue.writing import store
from oaiprovider.models import Profile
from oaiprovider.protocol import tokens
from tests.support import asking, harvesting, world
from tests.support.clock import SetClock
from tests.support.harvesting import Harvester

pytestmark = pytest.mark.django_db(transaction=True)
LIST = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
FRESH = "public, max-age=600"
START = datetime(2031, 5, 1, 12, 0, 30, tzinfo=UTC)
OWN = f"{oai.USER_AGENT}/0"


@pytest.fixture(autouse=True)
def _shared(settings) -> None:
    settings.GISC_SHARED_CACHE = True
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 2


@pytest.fixture
def clock() -> Iterator[Callable[[datetime], None]]:
    """Set the clocks of the database and of the node."""
    own = SetClock(START)

    def turn_both(to: datetime) -> None:
        own.at = to
        turn(to)

    with harvesting.fake_clock(START) as turn, seams.replaced(clock=own):
        yield turn_both


def fill(number: int = 7) -> None:
    world.put(*(world.iso_record(f"urn:{each}") for each in range(number)))


def follow(client: Client, page: asking.Answer, verb: str = "ListRecords", **headers: str) -> Any:
    return client.get("/oai", {"verb": verb, "resumptionToken": page.token}, headers=headers)


# --- What is shared ---------------------------------------------------------------------------------------


@pytest.mark.spec("P39", "P99", "P101", "P116")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
def test_equal_lists_of_a_minute_have_equal_tokens_to_their_end(client: Client, clock, verb: str) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    one = asking.walk(client, verb=verb, metadataPrefix="iso19139")
    clock(START + timedelta(minutes=1, seconds=25))
    two = asking.walk(client, verb=verb, metadataPrefix="iso19139")
    assert [page.token for page in one] == [page.token for page in two] and one[0].token
    assert [page.headers for page in one] == [page.headers for page in two]
    assert one[0].date == two[0].date == "2031-05-01T12:00:59Z", "the end of the list, which is no later"
    clock(START + timedelta(minutes=2))
    assert asking.get(client, verb=verb, metadataPrefix="iso19139").token != one[0].token


@pytest.mark.spec("P116")
def test_pages_that_continue_a_list_may_be_kept_and_nothing_else(client: Client, clock) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    page = asking.get(client, **LIST)
    assert page.response["Cache-Control"] == "no-cache"
    seen = 0
    while page.token:
        response = follow(client, page)
        page = asking.read(response)
        assert (response["Cache-Control"], response["Vary"]) == (FRESH, "Accept-Encoding")
        seen += 1
    assert seen == 3, "the last one too"
    for arguments in (
        {"verb": "Identify"},
        {"verb": "ListSets"},
        LIST,
        {"verb": "ListRecords", "resumptionToken": "x"},
    ):
        response = client.get("/oai", arguments)
        assert response["Cache-Control"] == "no-cache" and "User-Agent" in response["Vary"], arguments


@pytest.mark.spec("P116")
def test_other_ways_to_ask_for_such_a_page_are_not_kept(client: Client, clock) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    page = asking.get(client, **LIST)
    arguments = {"verb": "ListRecords", "resumptionToken": page.token}
    assert client.post("/oai", arguments)["Cache-Control"] == "no-cache"
    assert client.head("/oai", arguments)["Cache-Control"] == "no-cache"
    styled = client.get("/oai", arguments, headers={"accept": "application/xhtml+xml"})
    assert b"xml-stylesheet" in styled.content and styled["Cache-Control"] == "no-cache"
    assert client.get("/oai/browse", arguments)["Cache-Control"] == "no-cache"
    assert client.get("/oai", arguments)["Cache-Control"] == FRESH


def test_nothing_is_kept_where_the_setting_is_off(client: Client, clock, settings) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    shared = asking.get(client, **LIST)
    settings.GISC_SHARED_CACHE = False
    first = asking.get(client, **LIST)
    assert first.date > shared.date
    for page in (first, shared):
        response = follow(client, page)
        assert asking.read(response).codes == [] and response["Cache-Control"] == "no-cache"


# --- What is not shared -----------------------------------------------------------------------------------


@pytest.mark.spec("G12", "P116")
def test_pages_of_a_profile_are_never_kept_and_their_tokens_are_its_own(client: Client, clock) -> None:
    fill()
    profile = Profile.objects.create(name="Driver", match="DRIVER", everything=True)
    clock(START + timedelta(minutes=1))
    everybody = asking.get(client, **LIST)
    own = asking.read(client.get("/oai", LIST, headers={"user-agent": "DRIVER"}))
    assert own.token != everybody.token and own.date > everybody.date
    response = follow(client, own, **{"user-agent": "DRIVER"})
    assert asking.read(response).codes == [] and response["Cache-Control"] == "no-cache"
    for page, agent in ((own, "other"), (everybody, "DRIVER")):
        refused = follow(client, page, **{"user-agent": agent})
        assert asking.read(refused).codes == ["badResumptionToken"] and refused["Cache-Control"] == "no-cache"
    profile.delete()


@pytest.mark.spec("P75", "P116")
def test_tokens_of_this_software_and_of_others_differ_as_their_lists_do(client: Client, clock) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    other = asking.get(client, **LIST)
    ours = asking.read(client.get("/oai", LIST, headers={"user-agent": OWN}))
    assert ours.token != other.token
    assert follow(client, ours, **{"user-agent": OWN})["Cache-Control"] == FRESH
    assert follow(client, other, **{"user-agent": OWN})["Cache-Control"] == "no-cache"  # refused


@pytest.mark.spec("P39", "P101")
def test_lists_with_until_or_a_late_from_or_of_one_page_go_up_to_the_present(client: Client, clock) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    for arguments in (
        {"until": "2031-05-01T12:01:00Z"},
        {"from": "2031-05-01T12:01:00Z"},
        {"from": "2031-05-01T12:00:59Z"},
    ):
        page = asking.read(client.get("/oai", LIST | arguments))
        assert page.date >= "2031-05-01T12:01:30Z", arguments
        if page.token:
            assert follow(client, page)["Cache-Control"] == "no-cache", arguments
    world.put(world.iso_record("urn:alone"), into=world.peer_set(world.TOULOUSE))
    whole = asking.get(client, **LIST, set=world.TOULOUSE.spec)
    assert (whole.identifiers, whole.token_element) == (["urn:alone"], None)


@pytest.mark.spec("P92", "S5")
def test_where_the_clock_was_set_back_lists_go_up_to_the_mark(client: Client, clock) -> None:
    """The mark stands, and so would the end of a shared list, before which nothing new would ever be."""
    fill()
    clock(START + timedelta(minutes=1))
    assert asking.get(client, **LIST).date.endswith(":59Z")
    clock(START - timedelta(hours=1))
    page = asking.get(client, **LIST)
    assert page.date >= "2031-05-01T12:01:30Z"
    assert follow(client, page)["Cache-Control"] == "no-cache"


# --- Tokens -----------------------------------------------------------------------------------------------


@pytest.mark.spec("P102", "P105")
def test_a_shared_token_lives_no_less_than_a_day_and_ends(client: Client, clock) -> None:
    fill()
    clock(START + timedelta(minutes=1))
    page = asking.get(client, **LIST)
    state = tokens.decode(page.token, verb="ListRecords", profile="", at=START + timedelta(minutes=1))
    expires = state.expires
    assert page.token_element.get("expirationDate") == expires.strftime("%Y-%m-%dT%H:%M:%SZ")
    clock(expires - timedelta(seconds=9))
    later = follow(client, page)
    assert asking.read(later).codes == []
    moved_on = tokens.decode(asking.read(later).token, verb="ListRecords", profile="", at=expires)
    assert moved_on.expires - expires >= timedelta(hours=18)
    assert moved_on.expires - (expires - timedelta(seconds=9)) >= timedelta(hours=24)
    clock(expires)
    ended = follow(client, page)
    assert asking.read(ended).codes == ["badResumptionToken"] and ended["Cache-Control"] == "no-cache"


@pytest.mark.spec("P105", "W34")
def test_a_restore_ends_shared_tokens_too(client: Client, clock) -> None:
    fill()
    JournalPosition.objects.create(pk=1, epoch=7, number=1)
    clock(START + timedelta(minutes=1))
    page = asking.get(client, **LIST)
    assert follow(client, page)["Cache-Control"] == FRESH
    JournalPosition.objects.update(epoch=8)
    refused = follow(client, page)
    assert asking.read(refused).codes == ["badResumptionToken"] and refused["Cache-Control"] == "no-cache"


# --- Nothing is missed ------------------------------------------------------------------------------------


class CachingHarvester(Harvester):
    """A harvester behind a cache that keeps each page that may be kept for ever, which all of them share."""

    pages_kept: dict[str, bytes]

    def _ask(self, arguments: dict[str, str]) -> Any:
        token = arguments.get("resumptionToken", "")
        if token in self.pages_kept:
            return etree.fromstring(self.pages_kept[token])
        response = Client(headers={"user-agent": OWN}).get("/oai", arguments)
        assert response.status_code == 200
        if response["Cache-Control"] == FRESH:
            self.pages_kept[token] = response.content
        return etree.fromstring(response.content)


@pytest.mark.spec("P39", "P101", "P146", "W14")
@pytest.mark.parametrize("follows", ["responseDate", "largest datestamp"])
def test_what_changes_behind_pages_of_the_cache_is_in_the_next_list(clock, follows: str) -> None:
    """The first harvester fills the cache; then records change, and a second one of the same minute gets the old pages."""
    fill(9)
    clock(START + timedelta(minutes=1))
    kept: dict[str, bytes] = {}
    one, two = CachingHarvester(follows), CachingHarvester(follows)
    one.pages_kept = two.pages_kept = kept
    one.visit()
    assert len(kept) == 4 and one.lacks() == set()
    world.put(world.iso_record("urn:5", title="Changed"), world.iso_record("urn:new"))
    store.withdraw(["urn:8"])
    two.visit()
    assert {"urn:5", "urn:new", "urn:8"} >= two.lacks() >= {"urn:5", "urn:8"}, "pages came from the cache"
    clock(START + timedelta(minutes=3))
    for harvester in (one, two):
        harvester.visit()
        assert harvester.lacks() == set()


@pytest.mark.spec("P39", "P91", "P101", "P146", "W14")
def test_every_copy_equals_the_catalogue_in_the_end_though_pages_are_kept_for_ever(
    clock, settings, monkeypatch
) -> None:
    """Eight writers, and four harvesters behind one cache, while the clock goes on by a quarter of a second with each look."""
    settings.GISC_PAGE_RECORDS = 4
    # More than a page from the first visit on: the harvesters may be done before the writers have written as much.
    fill(9)
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(CachingHarvester, "pages_kept", kept, raising=False)
    monkeypatch.setattr(harvesting, "Harvester", CachingHarvester)
    clock(START + timedelta(minutes=1))
    with seams.replaced(clock=SetClock(START + timedelta(days=1))):  # never behind the mark
        meeting = harvesting.meet(21, rounds=6)
        assert kept, "pages were kept"
        clock(START + timedelta(days=1))
        for harvester in meeting.harvesters:
            harvester.visit()
    lacking = {str(harvester): harvester.lacks() for harvester in meeting.harvesters}
    assert lacking == {str(harvester): set() for harvester in meeting.harvesters}
