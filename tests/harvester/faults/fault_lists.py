"""F25 to F63: envelopes, tokens, dates and selective harvesting."""

import re
from itertools import count

from werkzeug import Response

from catalogue.models import Record
from harvester.models import Run
from harvester.protocol import probe
from harvester.runs import lifecycle
from tests.harvester.faults.fault_cases import BEFORE, STAMP, Case, Outcome
from tests.support.misbehaving import Arguments, World, first_page, first_time, later_page, listing
from tests.support.provider import fill, identifier, record
from tests.support.world import iso_record

DONE, RETRIED, RESTARTED, FAILED = Outcome.DONE, Outcome.RETRIED, Outcome.RESTARTED, Outcome.FAILED
NOTHING = frozenset[int]()
KEPT = BEFORE.isoformat()


def edit(change, when=listing):
    """Answers to requests for which `when` holds are changed so."""
    return lambda world: world.provider.edits.append(lambda a, body: change(body) if when(a) else body)


def sub(pattern: bytes, new: bytes, when=listing):
    return edit(lambda body: re.sub(pattern, new, body), when)


def asking(verb: str):
    return lambda arguments: arguments.get("verb") == verb


def says(*codes: str, when=listing):
    """Requests for which `when` holds are answered with these errors."""
    return lambda world: world.answer(when, lambda a: world.error(*codes))


def same_token(world: World) -> None:
    """Every page has other records, and the token of the first."""
    sub(rb"(<resumptionToken[^>]*>)[^<]+", rb"\g<1>/9/2")(world)


def new_tokens_for_ever(world: World) -> None:
    fresh = count()

    def answer(arguments: Arguments) -> bytes:
        page = world.provider.say({"verb": "ListRecords"})
        return re.sub(rb"(<resumptionToken[^>]*>)[^<]*", rb"\g<1>t%d" % next(fresh), page)

    world.answer(listing, answer)


def empty_page_in_between(world: World) -> None:
    once = first_time(later_page)

    def answer(arguments: Arguments) -> bytes:
        return world.provider.envelope(
            f"<ListRecords><resumptionToken>{arguments['resumptionToken']}</resumptionToken></ListRecords>"
        ).encode()

    # The token of the empty page is another one than it was asked with.
    world.answer(once, lambda a: answer(a).replace(b"/2<", b"/02<"))


def ends_with_error(code: str):
    """All records come; the last page has a token, which then brings an error."""

    def arrange(world: World) -> None:
        world.replace(b'completeListSize="5"></resumptionToken>', b'completeListSize="5">/9/9</resumptionToken>')
        world.answer(lambda a: a.get("resumptionToken") == "/9/9", lambda a: world.error(code))

    return arrange


def awkward_token(world: World) -> None:
    world.provider.token_dress = "a+b&c=d%2F e;\u00e9/\\?#"


def wants_prefix(world: World) -> None:
    world.answer(lambda a: later_page(a) and "metadataPrefix" not in a, lambda a: world.error("badArgument"))


def set_lost(world: World) -> None:
    sub(rb"<setSpec>[^<]*", b"<setSpec>WIS-GISC-OFFENBACH", later_page)(world)


def shuffled(world: World) -> None:
    """Record 1 changes while the list is read: it comes again, with its new stamp, and record 3 is skipped."""

    def answer(arguments: Arguments) -> bytes:
        first = record(identifier(1), "2026-02-01T00:00:01Z", iso_record(identifier(1), title="New"))
        kept = record(identifier(2), STAMP, iso_record(identifier(2), title="Product 2"))
        token = '<resumptionToken completeListSize="5">/9/4</resumptionToken>'
        return world.provider.envelope(f"<ListRecords>{kept}{first}{token}</ListRecords>").encode()

    world.answer(first_time(later_page), answer)


def compared(world: World) -> Run:
    """The comparison that is due at once, done."""
    (run,) = lifecycle.open_due_runs()
    assert run.is_comparison
    done = lifecycle.work(run.pk)
    assert done is not None and done.state == Run.State.DONE, done
    return done


def comparing_brings_the_rest(world: World) -> None:
    assert (compared(world).missing, Record.objects.filter(deleted=False).count()) == (1, 5)


def beside_records(code: str, when=first_page):
    return edit(
        lambda body: body.replace(b"<ListRecords>", b'<error code="%s">x</error><ListRecords>' % code.encode()), when
    )


def post_only_reads(world: World) -> None:
    """A proxy eats the query of every GET."""
    world.answer(lambda a: world.provider.requests[-1].method == "GET", lambda a: world.error("badVerb"))


def set_is_gone(world: World) -> None:
    fill_ours(world)
    world.answer(listing, lambda a: world.error("noRecordsMatch"))
    world.replace(b"<setSpec>WIS-GISC-TOULOUSE", b"<setSpec>OTHER", verbs=("ListSets",))


def fill_ours(world: World) -> None:
    """The records are held already."""
    from tests.support.world import put

    put(*(iso_record(identifier(number), title=f"Product {number}") for number in range(5)), into=world.link.local_set)


def the_missing_set_is_shown(world: World) -> None:
    offer = probe.retrieve_info(world.link.base_url)
    assert "does not list the set" in " ".join(offer.faults("ISO19139", "WIS-GISC-TOULOUSE"))


def sets_fault_is_shown(world: World) -> None:
    assert "noSetHierarchy" in probe.retrieve_info(world.link.base_url).sets_fault


def blank_formats(world: World) -> None:
    world.provider.formats = (("\n iso19139 \n", " http://www.isotc211.org/2005/gmd\n"),)


def prefix_is_found(world: World) -> None:
    assert probe.retrieve_info(world.link.base_url).iso_prefix == "iso19139"


def other_base_url_is_shown(world: World) -> None:
    assert "http://elsewhere.example.org" in " ".join(probe.retrieve_info(world.link.base_url).warnings)


def asked_by_days(world: World) -> None:
    assert [a["from"] for a in world.provider.lists if "from" in a][-1] in ("2026-01-14", "2026-01-15")


def only(granularity_chars: int):
    """`from` in another form than this many characters is refused."""
    return lambda world: world.answer(
        lambda a: listing(a) and len(a.get("from", "x" * granularity_chars)) != granularity_chars,
        lambda a: world.error("badArgument"),
    )


def says_days_means_seconds(world: World) -> None:
    world.provider.granularity = "YYYY-MM-DD"
    only(20)(world)


def day_repository(world: World) -> None:
    world.provider.granularity = "YYYY-MM-DD"
    only(10)(world)


def early_from_refused(world: World) -> None:
    world.link.harvested_to = None
    world.link.save()
    world.answer(lambda a: a.get("from", "9") < "2026-01", lambda a: Response("early", status=422))


def nothing_asked_before_the_archive(world: World) -> None:
    assert "from" not in world.provider.lists[0]


def from_ignored(world: World) -> None:
    world.provider.lists_all = True
    fill(world.provider, range(5), "2020-01-01T00:00:00Z")


def a_stray(world: World) -> None:
    world.provider.lists_all = True
    fill(world.provider, range(1), "2025-12-31T00:00:00Z")


def restamped(stamp: str, numbers=range(5)):
    return lambda world: fill(world.provider, numbers, stamp)


def stamps_read(pattern: bytes, new: bytes):
    """The datestamps stand so in the headers."""
    return sub(rb"<datestamp>" + pattern, b"<datestamp>" + new)


def published_late(world: World) -> None:
    """Record 2 appears with a stamp of long ago; a whole list, which finds it, is what an operator can ask for."""
    fill(world.provider, range(2, 3), "2025-06-01T00:00:00Z")
    world.notes["full"] = True


def earliest_is(text: bytes):
    return sub(rb"(?<=<earliestDatestamp>)[^<]*", text, asking("Identify"))


def mass_touch(world: World) -> None:
    fill_ours(world)
    world.notes["stamps"] = dict(Record.objects.values_list("identifier", "datestamp"))


def no_stamp_of_ours_moved(world: World) -> None:
    assert dict(Record.objects.values_list("identifier", "datestamp")) == world.notes["stamps"]
    assert Run.objects.get().unchanged == 5


def identify_is_broken(world: World) -> None:
    world.answer(asking("Identify"), lambda a: Response("oops", status=500))


def not_ahead_of_the_clock(world: World) -> None:
    assert world.link.harvested_to <= Run.objects.get().finished


def future_answers(world: World) -> None:
    world.provider.now = "2126-03-01T12:00:00Z"


CASES = [
    Case(25, "the same token for ever", same_token, FAILED, "given before", stored=frozenset({0, 1})),
    Case(26, "new tokens for ever", new_tokens_for_ever, FAILED, "a page that came before", stored=frozenset({0, 1})),
    Case(27, "a token that leads to an empty page", empty_page_in_between, DONE, "had no records"),
    Case(
        27, "a token that leads to noRecordsMatch", ends_with_error("noRecordsMatch"), DONE, "instead of an empty token"
    ),
    Case(
        28,
        "an empty token element with attributes",
        sub(rb"(?<=completeListSize=.5.)></resumptionToken>", b' cursor="4"/>'),
        DONE,
    ),
    Case(
        29,
        "two token elements",
        sub(rb"<resumptionToken", b"<resumptionToken/><resumptionToken"),
        DONE,
        "several resumptionToken elements",
    ),
    Case(
        30, "a token that expires", says("badResumptionToken", when=first_time(later_page)), RESTARTED, "started again"
    ),
    Case(
        *(30, "tokens that always expire", says("badResumptionToken", when=later_page), FAILED, "badResumptionToken"),
        stored=frozenset({0, 1}),
    ),
    Case(
        31, "badResumptionToken as end mark", ends_with_error("badResumptionToken"), DONE, "instead of an empty token"
    ),
    Case(32, "a token of special characters", awkward_token, DONE),
    Case(
        32,
        "a token with blanks around it",
        sub(rb"(<resumptionToken[^>]*>)([^<]+)<", rb"\1\n  \2\n<"),
        DONE,
        check=lambda world: None,
    ),
    Case(33, "a token that wants the metadataPrefix", wants_prefix, DONE, "wants the metadataPrefix"),
    Case(34, "the set is lost after page one", set_lost, DONE, "names other sets than WIS-GISC-TOULOUSE (3 times)"),
    Case(
        *(35, "the order changes between pages", shuffled, DONE, "than different records (4)"),
        stored=frozenset({0, 1, 2, 4}),
        cursor="2026-02-01T00:00:01Z",
        check=comparing_brings_the_rest,
    ),
    Case(
        36, "a wrong completeListSize", sub(rb"(?<=Size=.)5", b"225176"), DONE, "announced 225176 entries and listed 5"
    ),
    Case(37, "completeListSize changes during the run", sub(rb"(?<=Size=.)5", b"4", later_page), DONE),
    Case(38, "an empty cursor", sub(rb"<resumptionToken", b'<resumptionToken cursor=""'), DONE),
    Case(38, "sizes that are no numbers", sub(rb"(?<=Size=.)5", b"many"), DONE),
    Case(39, "noRecordsMatch beside records", beside_records("noRecordsMatch"), DONE, "the records count"),
    Case(
        *(39, "another error beside records", beside_records("badArgument"), FAILED, "badArgument"),
        stored=frozenset({0, 1}),
    ),
    Case(
        *(39, "another error beside records of a later page", beside_records("badArgument", later_page), FAILED),
        says="badArgument",
        stored=frozenset({0, 1, 2, 3}),
    ),
    Case(40, "several errors", says("badArgument", "noSetHierarchy"), FAILED, "noSetHierarchy it is", stored=NOTHING),
    Case(41, "an unknown error code, once", says("InternalException", when=first_time(listing)), RETRIED, "Internal"),
    Case(41, "an unknown error code, always", says("InternalException"), FAILED, "InternalException", stored=NOTHING),
    Case(
        41,
        "an error without code",
        sub(rb"(?s)<ListRecords>.*</ListRecords>", b"<error>no</error>"),
        FAILED,
        "(no code)",
        stored=NOTHING,
    ),
    Case(42, "badVerb for a correct request", post_only_reads, DONE, "asked by POST"),
    Case(42, "badArgument for a correct request", says("badArgument"), FAILED, "badArgument", stored=NOTHING),
    Case(43, "noRecordsMatch on an incremental run", says("noRecordsMatch"), DONE, stored=NOTHING, cursor=KEPT),
    Case(
        *(44, "an unknown set answers noRecordsMatch", set_is_gone, FAILED, "does not list the set"),
        cursor=KEPT,
        check=the_missing_set_is_shown,
    ),
    Case(
        *(45, "an empty ListRecords", sub(rb"(?s)<ListRecords>.*</ListRecords>", b"<ListRecords/>"), DONE),
        stored=NOTHING,
        cursor=KEPT,
    ),
    Case(
        46,
        "ListSets is not supported",
        says("noSetHierarchy", when=asking("ListSets")),
        DONE,
        "does not list the set WIS-GISC-TOULOUSE, and gives records of it",
        check=sets_fault_is_shown,
    ),
    Case(47, "stray blanks in ListMetadataFormats", blank_formats, DONE, check=prefix_is_found),
    Case(
        48,
        "the prefix is spelled differently",
        says("cannotDisseminateFormat"),
        FAILED,
        "ISO 19139 is called ISO19139 there",
        stored=NOTHING,
    ),
    Case(49, "the base URL is another host", lambda world: None, DONE, check=other_base_url_is_shown),
    Case(50, "Identify fails", identify_is_broken, DONE, "day granularity is assumed", check=asked_by_days),
    Case(
        50,
        "Identify is incomplete",
        sub(rb"(?s)<Identify>.*</Identify>", b"<Identify/>", asking("Identify")),
        DONE,
        check=asked_by_days,
    ),
    Case(51, "no responseDate", sub(rb"<responseDate>[^<]*</responseDate>", b""), DONE),
    Case(51, "a local responseDate", sub(rb"(?<=<responseDate>)[^<]*", b"2026-03-01T05:00:00-07:00"), DONE),
    Case(51, "a responseDate in the future", future_answers, DONE, check=not_ahead_of_the_clock),
    Case(52, "day granularity only", day_repository, DONE, check=asked_by_days),
    Case(53, "seconds announced but only days work", only(10), DONE, "refuses them in `from`", check=asked_by_days),
    Case(53, "days announced but only seconds work", says_days_means_seconds, DONE, "refuses them in `from`"),
    Case(54, "an early from is refused", early_from_refused, DONE, check=nothing_asked_before_the_archive),
    Case(
        *(
            55,
            "from is ignored",
            from_ignored,
            DONE,
            "older than what was asked for; the provider may ignore `from` (5",
        ),
        cursor="2025-02-28T12:00:00Z",
    ),
    Case(56, "a record outside the window", a_stray, DONE, "older than what was asked for"),
    Case(57, "datestamps with milliseconds", stamps_read(rb"([^<]*)Z", rb"\1.123Z"), DONE),
    Case(58, "datestamps with an offset", stamps_read(rb"[^<]*", b"2026-02-01T02:00:00+02:00"), DONE),
    Case(58, "datestamps without a zone", stamps_read(rb"([^<]*)Z", rb"\1"), DONE),
    Case(
        *(59, "datestamps in the future", restamped("2126-01-01T00:00:00Z"), DONE, "own future"),
        cursor="2026-03-01T12:00:00Z",
    ),
    Case(60, "a datestamp is empty", stamps_read(rb"[^<]*(?=</datestamp>.*R001)", b""), DONE),
    Case(
        *(
            60,
            "no record has a datestamp",
            stamps_read(rb"[^<]*", b""),
            DONE,
            "no datestamp that can be read (5 times)",
        ),
        cursor=KEPT,
    ),
    Case(61, "a datestamp older than the publication", published_late, DONE),
    Case(62, "earliestDatestamp is now", earliest_is(b"2026-03-01T12:00:00Z"), DONE),
    Case(62, "earliestDatestamp is the epoch", earliest_is(b"1970-01-01T00:00:00Z"), DONE),
    Case(63, "all stamps change at once", mass_touch, DONE, check=no_stamp_of_ours_moved),
]
