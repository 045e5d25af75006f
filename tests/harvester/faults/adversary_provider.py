"""Faults of provider and clock that stand in no document, each played over several runs and comparisons."""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import count

from werkzeug import Response

from catalogue import oai
from catalogue.models import Record
from harvester import schedule
from harvester.models import Conflict, Link, Run
from harvester.runs import lifecycle
from tests.support.adversary import NOON, Play, World, text
from tests.support.misbehaving import Arguments, first_time
from tests.support.provider import fill, header, identifier, record, xml
from tests.support.world import iso_record

FAULTS: list[Play] = []
NODE = (
    f'<description><eprints xmlns="{oai.EPRINTS_NS}"><metadataPolicy><URL>{oai.promise_urn("1.2")}</URL></metadataPolicy>'
    "<dataPolicy/></eprints></description>"
)


def fault(play: Play) -> Play:
    FAULTS.append(play)
    return play


def response_date(stamp: Callable[[], str]) -> Callable[[bytes], bytes]:
    """The time of an answer is this."""
    return lambda body: re.sub(rb"(?<=<responseDate>)[^<]*", stamp().encode(), body)


# --- Clocks ------------------------------------------------------------------------------------------


@fault
def identify_comes_from_a_host_three_hours_behind(world: World) -> None:
    """Behind one address Identify and the lists are answered by hosts with other clocks: no clock is ever set back."""
    world.edit(response_date(lambda: text(world.clock.at - timedelta(hours=3))), "Identify")
    world.work()
    for number in range(10, 16):
        world.go(hours=6)
        world.write(number)
        world.work()
        assert identifier(number) in world.titles()
    assert world.comparisons <= 1


@fault
def the_lists_come_from_a_host_that_falls_three_hours_back(world: World) -> None:
    """Identify goes on by the right clock; the host of the lists, which stamps the records, is set back by three hours."""
    world.work()
    world.go(hours=6)
    world.write(10)
    world.work()
    world.edit(response_date(lambda: text(world.clock.at)), "Identify")
    world.go(minutes=10, ahead=timedelta(hours=-3))
    world.write(11)
    for _ in range(3):
        world.go(hours=6)
        world.work()
    assert identifier(11) in world.titles()
    assert "set back" in world.said


@fault
def the_response_date_stands_still(world: World) -> None:
    """Every answer has the time at which the provider was started: no list is ever earlier than the last one."""
    world.edit(response_date(lambda: text(NOON)))
    world.work()
    for number in range(10, 15):
        world.go(hours=6)
        world.write(number)
        world.work()
        assert identifier(number) in world.titles()
    assert world.comparisons <= 1


@fault
def the_response_date_is_the_first_day_of_year_one(world: World) -> None:
    """A server writes the empty value of its date type; its HTTP header has the right time."""
    world.edit(response_date(lambda: "0001-01-01T00:00:00Z"))
    world.date_header(lambda: world.clock.at)
    for number in (10, 11):
        world.work()
        world.go(hours=6)
        world.write(number)
    world.work()
    assert {run.state for run in world.runs} == {Run.State.DONE}


@fault
def the_date_header_is_of_1970(world: World) -> None:
    """The HTTP server in front has no clock; the provider's responseDate is right: an idle link fetches nothing."""
    world.date_header(lambda: NOON.replace(year=1970))
    world.work()
    world.go(days=1)
    world.work()
    sent = world.payloads
    for _ in range(4):
        world.go(hours=6)
        world.work()
    assert world.payloads == sent


@fault
def one_record_is_stamped_at_the_end_of_time(world: World) -> None:
    """It must not count as the newest record, before which nothing is listed late any more."""
    world.write(5)
    stamp, document = world.provider.entries[identifier(5)]
    world.provider.entries[identifier(5)] = ("9999-12-31T23:59:59Z", document)
    world.work()
    world.go(hours=6)
    world.work()
    world.write(6, hours=3)  # listed late, and stamped after all others
    world.go(hours=6)
    world.work()


@fault
def the_response_date_is_five_days_ahead_of_the_datestamps(world: World) -> None:
    """The web server's clock is ahead, the database's is right: `from` is later than what is written."""
    world.ahead = timedelta(days=5)
    world.go()
    world.date_header(lambda: world.clock.at + world.ahead)
    world.work()
    world.write(10, days=5)
    world.pass_days(29)
    assert "clock" in world.said
    world.write(11, days=5)
    world.pass_days(1)
    assert identifier(11) in world.titles(), "what a comparison finds tells how late the provider lists"


@fault
def datestamps_in_local_time_go_back_an_hour_when_summer_ends(world: World) -> None:
    """responseDate is in UTC, and the datestamps are local time that calls itself UTC."""
    world.ahead = timedelta(0)
    world.work()
    world.go(hours=6)
    world.write(10, hours=-2)
    world.work()
    world.write(11, hours=-1)  # later, and stamped earlier
    world.go(hours=6)
    world.work()
    world.pass_days(30)


@fault
def our_clock_is_a_year_ahead_for_one_run(world: World) -> None:
    """Then it is put right: the link is due by its interval, not in a year."""
    world.clock.move(365 * 86400)
    world.work()
    world.clock.move(-365 * 86400)
    world.go(days=1)
    world.write(10)
    world.go(hours=1)
    world.work()
    assert identifier(10) in world.titles()
    world.pass_days(30)
    assert world.comparisons > 0


@fault
def our_clock_jumps_a_day_between_identify_and_the_list(world: World) -> None:
    """Forth in one run, and back in the next."""
    jumps = [1, -1]

    def jump(_: Arguments) -> None:
        if jumps:
            world.clock.move(86400 * jumps.pop(0))

    world.answer("ListRecords", "ListIdentifiers", by=jump, when=first_time(lambda a: True))
    world.work()
    world.provider.faults.clear()
    world.answer("ListIdentifiers", by=jump, when=first_time(lambda a: True))
    for number in range(10, 13):
        world.go(hours=7)
        world.write(number)
        world.work()
        assert world.link.next_due is not None and world.link.next_due <= world.clock.at + timedelta(days=1)
    world.pass_days(2)


@fault
def two_workers_have_clocks_an_hour_apart(world: World) -> None:
    """They take the runs in turns: nothing is lost between them, and no run is without end."""
    for number in range(10, 16):
        world.clock.move(3600 if number % 2 else -3600)
        world.ahead = timedelta(hours=-1 if number % 2 else 0)
        world.go(hours=7)
        world.write(number)
        world.work()
        assert identifier(number) in world.titles()


@fault
def datestamps_have_a_leap_second_an_hour_24_and_the_year_one(world: World) -> None:
    """What is written in no calendar is stored all the same, and its changes too."""
    for number, stamp in enumerate(("2026-02-28T23:59:60Z", "2026-02-28T24:00:00Z", "0001-01-01T00:00:00Z"), 20):
        world.write(number)
        world.provider.entries[identifier(number)] = (stamp, world.provider.entries[identifier(number)][1])
    world.work()
    world.go(hours=6)
    world.write(20, 21, 22, title="Changed")
    world.work()
    world.pass_days(29)


# --- Providers ---------------------------------------------------------------------------------------


@fault
def two_masters_see_the_writes_of_the_other_ten_minutes_later(world: World) -> None:
    """A record becomes visible after younger ones: the comparison finds it."""
    world.write(10, minutes=1)
    world.work()
    world.write(11, minutes=8)
    world.go(hours=6)
    world.write(12)
    world.go(hours=6)
    world.work()
    assert any(run.missing for run in world.pass_days(29)) or identifier(11) in world.titles()


@fault
def the_second_page_comes_from_a_host_that_lags_behind(world: World) -> None:
    """It has an older version of what the first page had: the later one counts, on whichever page it came."""
    world.provider.page_size = 3
    world.write(0, title="Changed", minutes=10)
    old = record(identifier(0), text(NOON - timedelta(hours=5)), iso_record(identifier(0), title="Product 0"))
    fresh = record(identifier(0), *world.provider.entries[identifier(0)])
    world.edit(
        lambda body: body.replace(b"<ListRecords>", f"<ListRecords>{fresh}".encode()),
        "ListRecords",
        when=lambda a: "resumptionToken" not in a,
    )
    world.edit(
        lambda body: body.replace(fresh.encode(), old.encode()), "ListRecords", when=lambda a: "resumptionToken" in a
    )
    world.write(9, minutes=5)
    world.work()
    known = world.link.headers.get(identifier=identifier(0))
    assert text(known.datestamp) == world.provider.entries[identifier(0)][0], "the header of the version that is stored"
    world.provider.edits.clear()
    world.go(hours=6)
    world.write(12)
    world.go(hours=6)
    world.work()
    assert world.titles()[identifier(0)] == "Changed"


@fault
def complete_list_size_counts_what_is_left(world: World) -> None:
    """It shrinks from page to page: a list that is longer than its last page says is not without end."""
    world.provider.page_size = 5
    world.load(range(60))
    done = count()

    def left(body: bytes) -> bytes:
        return re.sub(rb'(?<=completeListSize=")\d+', b"%d" % (60 - 5 * next(done)), body)

    world.edit(left, "ListRecords")
    with schedule.LIMITS.replaced(min_excess=6):
        world.work()
    assert {run.state for run in world.runs} == {Run.State.DONE}


@fault
def a_half_filled_replica_takes_over_in_the_middle_of_a_list(world: World) -> None:
    """The first page announces sixty records; the next one, from the replica, thirty, of which the list has no more."""
    world.provider.page_size = 20
    world.load(range(60))
    everything = dict(world.provider.entries)

    def fail_over(arguments: Arguments) -> Response:
        half = dict(list(everything.items())[::2])
        world.provider.entries = half
        answer = xml(world.provider.say(arguments))
        world.provider.entries = everything
        return answer

    world.answer("ListRecords", by=fail_over, when=first_time(lambda a: "resumptionToken" in a, 5))
    world.work()
    world.go(hours=6)
    world.work()


@fault
def a_datestamp_alternates_between_two_values(world: World) -> None:
    """Two hosts restamped the same record at other times: each idle run costs one record at most."""
    world.work()
    world.go(days=1)
    world.work()
    sent, document = world.payloads, world.provider.entries[identifier(4)][1]
    ours = Record.objects.get(identifier=identifier(4)).datestamp
    for turn in range(6):
        world.provider.entries[identifier(4)] = (text(NOON - timedelta(hours=4, seconds=turn % 2)), document)
        world.go(hours=6)
        world.work()
    assert world.payloads <= sent + 6
    assert Record.objects.get(identifier=identifier(4)).datestamp == ours


@fault
def the_granularity_changes_from_run_to_run(world: World) -> None:
    """Seconds, days, seconds: records of the same day are missed by neither."""
    exact = {}
    for number in range(10, 16):
        world.work()
        world.go(hours=6)
        world.write(number)
        exact[identifier(number)] = world.provider.entries[identifier(number)][0]
        length = 10 if number % 2 else 20
        world.provider.granularity = "YYYY-MM-DD" if number % 2 else "YYYY-MM-DDThh:mm:ssZ"
        for name, (_, document) in list(world.provider.entries.items()):
            exact.setdefault(name, world.provider.entries[name][0])
            world.provider.entries[name] = (exact[name][:length], document)
    world.go(hours=6)
    world.work()
    assert len(world.titles()) == 11, "before any comparison"


@fault
def deletions_are_kept_for_ever_and_then_not_at_all(world: World) -> None:
    """Identify changes from persistent to no: what vanishes from now on is asked for within the week."""
    world.work()
    world.edit(lambda body: body.replace(b"persistent", b"no"), "Identify")
    world.pass_days(1)
    gone = world.provider.entries.pop(identifier(0))
    world.pass_days(8)
    assert Conflict.objects.filter(kind=Conflict.Kind.VANISHED, identifier=identifier(0)).exists()
    world.provider.entries[identifier(0)] = gone


@fault
def each_verb_says_something_else_of_a_record(world: World) -> None:
    """Live in ListRecords, deleted in ListIdentifiers, unknown to GetRecord: what is stored of it is said to be in doubt."""
    name, (stamp, document) = identifier(4), world.provider.entries[identifier(4)]
    live = header(name, stamp, document).encode()
    world.edit(lambda body: body.replace(live, header(name, stamp, None).encode()), "ListIdentifiers")
    unknown = world.provider.envelope('<error code="idDoesNotExist">unknown</error>')
    world.answer("GetRecord", by=lambda a: unknown if a["identifier"] == name else None)
    world.work()
    for _ in range(4):
        world.go(hours=6)
        world.work()
    assert sum(run.new + run.updated + run.deleted for run in world.runs) <= 5 + 2
    assert "live-and-deleted" in world.said
    world.pass_days(30)
    if name not in world.titles():
        del world.provider.entries[name]


@fault
def only_days_are_known_and_from_is_exclusive(world: World) -> None:
    """What is written later on the day of the last harvest is not lost."""
    world.provider.granularity = "YYYY-MM-DD"

    def by_day() -> None:
        for name, (stamp, document) in list(world.provider.entries.items()):
            world.provider.entries[name] = (stamp[:10], document)

    original = world.provider._list

    def exclusive(verb: str, arguments: Arguments, entry: Callable[..., str]) -> str:
        if "from" in arguments:
            arguments = {**arguments, "from": arguments["from"] + "~"}
        return original(verb, arguments, entry)

    world.provider._list = exclusive  # type: ignore[method-assign]
    by_day()
    world.work()
    world.go(hours=6)
    world.write(10)
    by_day()
    world.pass_days(31)


@fault
def list_identifiers_ignores_the_set(world: World) -> None:
    """Headers of other sets, which ListRecords never gave, are not this link's records."""
    foreign = "".join(
        header(f"urn:x-wmo:md:de.dwd::F{n}", text(NOON - timedelta(hours=4)), b"").replace("TOULOUSE", "OFFENBACH")
        for n in range(9)
    )
    world.edit(
        lambda body: body.replace(b"<ListIdentifiers>", b"<ListIdentifiers>" + foreign.encode()), "ListIdentifiers"
    )

    def get(arguments: Arguments) -> str | None:
        name = arguments["identifier"]
        if "::F" not in name:
            return None
        given = record(name, text(NOON - timedelta(hours=4)), iso_record(name)).replace("TOULOUSE", "OFFENBACH")
        return world.provider.envelope(f"<GetRecord>{given}</GetRecord>")

    world.answer("GetRecord", by=get)
    world.work()
    for _ in range(3):
        world.go(hours=6)
        world.work()
    world.pass_days(30)
    assert world.comparisons


@fault
def only_the_changes_of_three_days_are_listed(world: World) -> None:
    """Whatever `from` says, and we are away for five days: changes are found, and nothing is deleted."""
    world.work()
    recent = lambda stamp: stamp >= text(world.clock.at - timedelta(days=3))  # noqa: E731
    original = world.provider._list

    def feed(verb: str, arguments: Arguments, entry: Callable[..., str]) -> str:
        kept, world.provider.entries = (
            world.provider.entries,
            {name: value for name, value in world.provider.entries.items() if recent(value[0])},
        )
        try:
            return original(verb, arguments, entry)
        finally:
            world.provider.entries = kept

    world.provider._list = feed  # type: ignore[method-assign]
    world.write(1, title="Changed while we were away")
    world.go(days=5)
    world.work()
    world.pass_days(30)


@fault
def the_provider_is_restored_from_an_old_backup(world: World) -> None:
    """Datestamps go back, a deletion is undone, a record is forgotten: the comparison finds all of it."""
    world.write(2, title="As in the backup", days=2)
    backup = dict(world.provider.entries)
    world.work()
    world.go(days=1)
    world.bury(3)
    world.write(2, title="Changed")
    world.write(10)
    world.pass_days(1)
    assert world.titles() == world.provided()
    world.provider.entries = dict(backup)
    world.pass_days(30)
    forgotten = Conflict.objects.get(identifier=identifier(10))
    assert (forgotten.kind, forgotten.settled) == (Conflict.Kind.VANISHED, None)
    world.write(10)


@fault
def a_false_node_of_this_software_cuts_its_lists_off(world: World) -> None:
    """It claims promise 1, announces sixty records, the newest first, and lists thirty, in every list."""
    world.provider.description = NODE
    world.provider.page_size = 1000
    world.load(range(60))

    def cut(body: bytes) -> bytes:
        tag = b"record" if b"<record>" in body else b"header"
        entries = re.findall(rb"<%s\b.*?</%s>" % (tag, tag), body, re.DOTALL)
        if len(entries) <= 30:
            return body
        closing = b'<resumptionToken completeListSize="%d"/>' % len(entries)
        return re.sub(
            rb"(<List\w+>).*(</List)",
            lambda m: m[1] + b"".join(entries[::-1][:30]) + closing + m[2],
            body,
            flags=re.DOTALL,
        )

    world.edit(cut, "ListRecords", "ListIdentifiers")
    world.work()
    world.pass_days(30)


@fault
def get_record_stamps_every_answer_with_the_moment(world: World) -> None:
    """The datestamps of the list count: a comparison does not fetch everything for ever."""
    Link.objects.update(strategy=Link.Strategy.IDENTIFIERS)
    world.edit(lambda body: re.sub(rb"(?<=<datestamp>)[^<]*", world.provider.now.encode(), body), "GetRecord")
    world.work()
    world.pass_days(30)
    fetched = len(world.provider.asked_for("GetRecord"))
    assert fetched <= 10
    world.pass_days(60)
    assert len(world.provider.asked_for("GetRecord")) == fetched


@fault
def the_whole_second_page_contradicts_the_first(world: World) -> None:
    """Thirty tombstones, with the datestamps of the thirty living records before them: all of them live."""
    world.provider.entries.clear()
    world.write(*range(30), hours=1)
    stones = "".join(header(name, stamp, None) for name, (stamp, _) in world.provider.entries.items())
    tombstones = re.sub(r"(<header.*?</header>)", r"<record>\1</record>", stones)
    page = world.provider.envelope(f"<ListRecords>{tombstones}<resumptionToken/></ListRecords>")
    world.edit(
        lambda body: body.replace(b"</ListRecords>", b"<resumptionToken>more</resumptionToken></ListRecords>"),
        "ListRecords",
    )
    world.answer("ListRecords", by=lambda a: page, when=lambda a: "resumptionToken" in a)
    world.work()


@fault
def a_list_begins_anew_for_ever_with_new_tokens_and_datestamps(world: World) -> None:
    """Three records, stamped at the moment they are asked for, and no size: the run ends, and says why."""
    fresh = count(1)

    def page(arguments: Arguments) -> str:
        number = next(fresh)
        name = identifier(number % 3)
        given = record(name, text(NOON + timedelta(seconds=number)), iso_record(name, title=f"Product {number % 3}"))
        verb = arguments["verb"]
        return world.provider.envelope(f"<{verb}>{given}<resumptionToken>t{number}</resumptionToken></{verb}>")

    world.answer("ListRecords", by=page)
    with schedule.LIMITS.replaced(min_excess=20, max_pages=10_000):
        run = lifecycle.open_run(world.link, trigger="test")
        assert run is not None
        lifecycle.work(run.pk, progress=lambda run: lifecycle.cancel(run) if run.pages > 90 else None)
        run.refresh_from_db()
    assert run.state == Run.State.FAILED, run.pages
    assert len(world.provider.asked) < 100
    for number in (3, 4):
        del world.provider.entries[identifier(number)]


@fault
def get_record_always_gives_the_same_record(world: World) -> None:
    """The list lacks the metadata of record 2; what comes for it is another record, and record 2 is named."""
    document = world.provider.entries[identifier(2)][1]
    assert document is not None
    payload = document.decode().split("?>", 1)[1]
    world.edit(lambda body: body.replace(f"<metadata>{payload}</metadata>".encode(), b""), "ListRecords")
    other = record(identifier(0), *world.provider.entries[identifier(0)])
    world.answer("GetRecord", by=lambda a: world.provider.envelope(f"<GetRecord>{other}</GetRecord>"))
    world.work()
    assert identifier(2) in [reject.identifier for run in world.runs for reject in run.rejects.all()]
    del world.provider.entries[identifier(2)]


@fault
def one_record_comes_late_as_another_one_leaves_the_second(world: World) -> None:
    """Sixty records of one second, and their number is the same as before; the late one is on the second page."""
    world.provider.page_size = 20
    world.provider.entries.clear()
    world.write(*range(60), hours=1)
    world.work()
    stamp = world.provider.entries[identifier(0)][0]
    world.go(hours=6)
    fill(world.provider, range(99, 100), stamp)
    world.write(0, title="Changed")
    world.go(hours=1)
    world.work()
    world.go(hours=6)
    world.work()


@fault
def list_identifiers_knows_days_and_list_records_seconds(world: World) -> None:
    """Sixty records of one second: an idle link does not fetch them again and again."""
    world.provider.page_size = 20
    world.provider.entries.clear()
    world.write(*range(60), hours=1)
    world.edit(lambda body: re.sub(rb"T\d\d:\d\d:\d\dZ</datestamp>", b"</datestamp>", body), "ListIdentifiers")
    world.work()
    for _ in range(2):
        world.go(hours=6)
        world.work()
    sent = world.payloads
    for _ in range(4):
        world.go(hours=6)
        world.work()
    assert world.payloads <= sent + 60


@fault
def an_abstract_quotes_a_deletion_on_a_page_that_is_broken(world: World) -> None:
    """In CDATA, which is text; another record of the page has a bare ampersand, so that records are read one by one."""
    quoted = f"<record>{header(identifier(1), '2026-03-01T11:59:59Z', None)}</record>".encode()
    world.work()
    world.go(hours=6)
    world.write(10, 11)
    world.edit(
        lambda body: body.replace(b"Product 10", b"Product 10<![CDATA[" + quoted + b"]]>").replace(
            b"Product 11", b"Product & 11"
        )
    )
    world.work()
    assert identifier(1) in world.titles()
    world.provider.edits.clear()
    world.write(10, 11)
    world.go(hours=6)
    world.work()


@fault
def a_deletion_is_written_with_a_capital_letter(world: World) -> None:
    """`status="Deleted"`: it is understood, or the reject names it."""
    world.edit(lambda body: body.replace(b'status="deleted"', b'status="Deleted"'))
    world.work()
    world.go(hours=6)
    world.bury(2)
    world.work()
    if identifier(2) in world.titles():
        assert identifier(2) in [reject.identifier for run in world.runs for reject in run.rejects.all()]
        fill(world.provider, range(2, 3))
