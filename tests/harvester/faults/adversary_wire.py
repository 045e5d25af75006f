"""Faults of relay and network that stand in no document, each played over several runs and comparisons."""

import re
import socket
import time
import zlib
from itertools import count

from werkzeug import Response

from harvester.link_rules import Kind
from harvester.models import Link, Run
from harvester.net import client
from tests.support.adversary import NOON, OFFENBACHS, OURS, Play, World, text
from tests.support.misbehaving import Arguments, first_time, whole
from tests.support.provider import identifier, record, xml
from tests.support.world import iso_record

FAULTS: list[Play] = []


def fault(play: Play) -> Play:
    FAULTS.append(play)
    return play


# --- Relays and caches -------------------------------------------------------------------------------


@fault
def a_relay_gives_the_versions_of_two_origins_in_turns(world: World) -> None:
    """Each with its own datestamp: what it gives last is held, and nothing but this record is fetched again."""
    Link.objects.update(kind=Kind.RELAY)
    world.link.refresh_from_db()
    world.work()
    world.go(days=1)
    world.work()
    sent = world.payloads
    for turn in range(6):
        world.write(4, title=f"Version of origin {turn % 2}", hours=turn % 2)
        world.go(hours=6)
        world.work()
        assert world.titles()[identifier(4)] == f"Version of origin {turn % 2}"
    assert world.payloads <= sent + 12


@fault
def a_relay_deletes_what_is_ours_and_what_is_a_third_ones(world: World) -> None:
    """It lists records of two other sets in its own one, first as deleted and then as live with other content."""
    Link.objects.update(kind=Kind.RELAY)
    world.link.refresh_from_db()
    world.work()
    for deleted in (True, False):
        world.go(hours=6)
        for name in (OURS, OFFENBACHS):
            document = None if deleted else iso_record(name, title="Taken over")
            world.provider.entries[name] = (world.provider.now, document)
        world.work()
    assert OURS in [reject.identifier for reject in world.runs[-1].rejects.all()]
    assert {conflict.identifier for conflict in world.link.conflicts.all()} == {OURS, OFFENBACHS}
    for name in (OURS, OFFENBACHS):
        del world.provider.entries[name]


@fault
def a_cache_answers_the_same_request_for_a_day(world: World) -> None:
    """Identify and lists alike, by their URL, without telling an age."""
    world.provider.page_size = 3
    kept: dict[str, tuple[float, bytes]] = {}

    def cached(arguments: Arguments) -> Response:
        url = world.provider.requests[-1].url
        since, body = kept.get(url, (0.0, b""))
        if world.clock.at.timestamp() - since > 86400:
            body = world.provider.say(arguments)
            kept[url] = world.clock.at.timestamp(), body
        return xml(body)

    world.answer("Identify", "ListSets", "ListRecords", "ListIdentifiers", "GetRecord", by=cached)
    for number in range(10, 18):
        world.work()
        world.go(hours=6)
        world.write(number)
    world.pass_days(3)
    assert world.comparisons <= 6


@fault
def yesterdays_first_page_has_todays_token(world: World) -> None:
    """A cache between us and the provider is out of date for first pages alone."""
    world.provider.page_size = 3
    old: list[bytes] = []

    def stale(arguments: Arguments) -> bytes | None:
        page = world.provider.say(arguments)
        token = re.search(rb"<resumptionToken[^>]*>[^<]*</resumptionToken>", page)
        old.append(page)
        if len(old) < 2 or token is None:
            return page
        return re.sub(rb"<resumptionToken[^>]*>[^<]*</resumptionToken>", token.group(), old[-2])

    world.answer("ListRecords", by=stale, when=lambda a: "resumptionToken" not in a)
    world.work()
    for number in range(10, 25):
        world.write(number, minutes=25 - number)
    world.go(hours=6)
    world.work()
    world.provider.faults.clear()
    world.pass_days(30)


@fault
def a_proxy_gives_the_answer_to_another_links_request(world: World) -> None:
    """Its `request` element names another set: nothing of it is stored."""
    name = "urn:x-wmo:md:de.dwd::WRONG"
    given = record(name, text(NOON), iso_record(name)).replace("WIS-GISC-TOULOUSE", "WIS-GISC-OFFENBACH")
    body = world.provider.envelope(f"<ListRecords>{given}</ListRecords>")
    body = body.replace("<request>", '<request verb="ListRecords" metadataPrefix="iso19139" set="WIS-GISC-OFFENBACH">')
    world.work()
    world.go(hours=6)
    world.write(10)
    world.answer("ListRecords", by=lambda a: body, when=first_time(lambda a: True, 2))
    world.work()
    world.go(hours=6)
    world.work()


# --- Connections -------------------------------------------------------------------------------------


@fault
def answers_are_out_of_step_by_one_request(world: World) -> None:
    """A proxy gives to each request for a record the answer to the one before, until it is started anew."""
    Link.objects.update(strategy=Link.Strategy.IDENTIFIERS, at_once=1)
    last: list[bytes] = []

    def one_behind(arguments: Arguments) -> bytes:
        last.append(world.provider.say(arguments))
        return last[-2] if 1 < len(last) < 8 else last[-1]

    world.answer("GetRecord", by=one_behind)
    world.work()
    world.go(hours=6)
    world.work()


@fault
def one_request_in_five_seconds_is_answered(world: World) -> None:
    """What comes sooner gets 503 with Retry-After: a run begins with several requests, and comes through."""
    world.provider.page_size = 2
    allowed = [world.clock.at.timestamp()]

    def limited(arguments: Arguments) -> Response | None:
        now = world.clock.at.timestamp()
        if now < allowed[0]:
            return xml("", status=503, **{"Retry-After": str(int(allowed[0] - now) + 1)})
        allowed[0] = now + 5
        return None

    world.answer("Identify", "ListSets", "ListRecords", "ListIdentifiers", "GetRecord", by=limited)
    world.work()
    world.go(hours=6)
    world.write(10)
    world.work()
    assert {run.state for run in world.runs} == {Run.State.DONE}


@fault
def every_answer_sets_another_cookie(world: World) -> None:
    """They are not all sent back: after a hundred pages the request is no longer than after ten."""
    world.provider.page_size = 1
    world.load(range(60))
    fresh = count()
    sizes = []

    def baked(arguments: Arguments) -> Response:
        sizes.append(len(world.provider.requests[-1].headers.get("Cookie", "")))
        response = xml(world.provider.say(arguments))
        response.set_cookie(f"visit{next(fresh)}", "x" * 1000)
        return response

    world.answer("ListRecords", by=baked)
    world.work()
    assert max(sizes) < 32_000


@fault
def a_page_is_a_hundred_thousand_gzip_members(world: World) -> None:
    """Each of one blank: they are read in the time that their bytes take, or refused."""
    blanks = zlib.compressobj(1, wbits=31)
    member = blanks.compress(b" ") + blanks.flush()

    def packed(arguments: Arguments) -> Response:
        page = zlib.compressobj(1, wbits=31)
        body = page.compress(world.provider.say(arguments)) + page.flush() + member * 100_000
        return xml(body, **{"Content-Encoding": "gzip"})

    def plain_if_asked(arguments: Arguments) -> Response | None:
        return None if "gzip" not in world.provider.requests[-1].headers["Accept-Encoding"] else packed(arguments)

    world.answer("ListRecords", by=plain_if_asked)
    begun = time.process_time()
    world.work()
    assert time.process_time() - begun < 2


@fault
def a_page_comes_in_chunks_of_one_byte(world: World) -> None:
    """Each with its own head."""

    def chunked(connection: socket.socket, arguments: Arguments) -> bool:
        if arguments["verb"] != "ListRecords":
            return False
        body = world.provider.say(arguments)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"".join(b"1;x=y\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n")
        return True

    world.on_raw_server(chunked)
    world.work()


@fault
def interim_answers_without_end(world: World) -> None:
    """`100 Continue` for ever, and never an answer: the request ends at its limit, and the run waits."""

    def interim(connection: socket.socket, arguments: Arguments) -> bool:
        if arguments["verb"] != "ListRecords" or connection_count[0] == 0:
            return False
        connection_count[0] -= 1
        connection.settimeout(1)
        for _ in range(100_000):
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 50)
        return True

    connection_count = [1]
    world.on_raw_server(interim)
    with client.LIMITS.replaced(connect_s=2, read_s=2, total_s=0.4):
        begun = time.monotonic()
        world.clock.monotonic = time.monotonic  # type: ignore[method-assign]
        world.work()
        assert time.monotonic() - begun < 5
    assert connection_count == [0]


@fault
def one_record_of_the_first_page_kills_the_connection(world: World) -> None:
    """Lists with it break off after the header, for ever; the others are harvested, and it is named."""
    world.write(2, title="Poison")

    def dies(connection: socket.socket, arguments: Arguments) -> bool:
        body = world.provider.say(arguments)
        if b"Poison" not in body:
            return False
        connection.sendall(whole(body)[: len(whole(body)) - len(body)])
        return True

    world.on_raw_server(dies)
    world.work()
    world.go(days=1)
    world.work()
    assert identifier(2) in [reject.identifier for run in world.runs for reject in run.rejects.all()]
    del world.provider.entries[identifier(2)]


@fault
def the_token_has_a_million_characters(world: World) -> None:
    """Each page of a list ends with a megabyte that is to be sent back."""
    world.provider.page_size = 2
    world.provider.token_dress = "x" * 1_000_000
    world.work()
    assert {run.state for run in world.runs} == {Run.State.DONE}


@fault
def retry_after_is_beyond_all_measure(world: World) -> None:
    """Ten billion seconds, a negative number, the year 9999: no run waits for more than an hour."""
    values = ["10000000000", "-5", "Fri, 31 Dec 9999 23:59:59 GMT", "1e9", "٣"]
    world.answer(
        "ListRecords",
        by=lambda a: (
            xml("", status=503, **{"Retry-After": values.pop().encode("utf-8").decode("latin-1")}) if values else None
        ),
    )
    begun = world.clock.at
    world.work()
    assert (world.clock.at - begun).total_seconds() < 5 * 3700
