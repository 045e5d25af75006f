"""F64 to F84: records."""

from django.utils import timezone

from catalogue.models import Membership, Record
from harvester.links import conflict_acts
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link, Reject, Run
from harvester.runs import lifecycle
from tests.harvester.faults.fault_cases import STAMP, Case, Outcome
from tests.harvester.faults.fault_lists import NOTHING, compared, edit, fill_ours, sub
from tests.support.misbehaving import World, first_page, first_time, later_page, listing
from tests.support.provider import identifier, record
from tests.support.world import iso_record, own_set, put

DONE, FAILED = Outcome.DONE, Outcome.FAILED
BOTH = "listed both as live and as deleted"
WITHOUT_2 = frozenset({0, 1, 3, 4})
LATER = "2026-02-01T00:00:05Z"
DC = (
    b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>No ISO</dc:title></oai_dc:dc>'
)
MARK = b"<!-- here is record 2 -->"


def metadata_2(new: bytes, *, everywhere: bool = True):
    """The metadata element of record 2 is this instead; in GetRecord too, if it is so everywhere."""

    def change(body: bytes) -> bytes:
        start = body.find(b"R002</identifier>")
        if start < 0:
            return body
        begin, end = body.index(b"<metadata>", start), body.index(b"</metadata>", start) + len(b"</metadata>")
        return body[:begin] + new.replace(MARK, body[begin + 10 : end - 11]) + body[end:]

    return edit(change, (lambda a: True) if everywhere else listing)


def header_2(old: bytes, new: bytes):
    """The header of record 2 says `new` instead of `old`."""

    def change(body: bytes) -> bytes:
        at = body.find(b"R002</identifier>")
        start = body.rfind(b"<header", 0, at)
        return body[:start] + body[start:].replace(old, new, 1) if at >= 0 else body

    return edit(change)


def deleted_2(world: World) -> None:
    world.provider.entries[identifier(2)] = (STAMP, None)


def is_tombstone(world: World) -> None:
    assert Membership.objects.get(record__identifier=identifier(2)).deleted
    assert Record.objects.get(identifier=identifier(2)).payload is None


def known_and_deleted(world: World) -> None:
    fill_ours(world)
    deleted_2(world)


def page_of(*records: str):
    """The first page holds these records, and is all there is."""

    def arrange(world: World) -> None:
        world.answer(
            listing, lambda a: world.provider.envelope(f"<ListRecords>{''.join(records)}</ListRecords>").encode()
        )

    return arrange


def live(number: int, stamp: str = STAMP, title: str = "Product") -> str:
    return record(identifier(number), stamp, iso_record(identifier(number), title=title))


def dead(number: int, stamp: str = STAMP) -> str:
    return record(identifier(number), stamp, None)


def flapping(first: str, later: str, *, lives: bool):
    """One page has the one, the next the other; GetRecord tells whether it lives."""

    def arrange(world: World) -> None:
        token = '<resumptionToken completeListSize="2">more</resumptionToken>'
        world.answer(
            first_page, lambda a: world.provider.envelope(f"<ListRecords>{first}{token}</ListRecords>").encode()
        )
        world.answer(later_page, lambda a: world.provider.envelope(f"<ListRecords>{later}</ListRecords>").encode())
        if not lives:
            deleted_2(world)

    return arrange


def newest_title(world: World) -> None:
    assert Record.objects.get(identifier=identifier(2)).description.title == "New"


def same_identifier(world: World) -> None:
    world.provider.page_size = 5
    sub(rb"<identifier>[^<]*", b"<identifier>urn:same")(world)


def other_case(world: World) -> None:
    fill_ours(world)
    world.provider.entries = {
        name.upper(): (stamp, iso_record(f" {name.upper()} ", title="Loud"))
        for name, (stamp, _) in world.provider.entries.items()
    }


def one_live_record_each(world: World) -> None:
    assert Record.objects.filter(deleted=False).count() == 5
    assert set(Record.objects.filter(deleted=True).values_list("key", flat=True)) == {identifier(n) for n in range(5)}
    assert Run.objects.get().updated == 5


def both_cases(world: World) -> None:
    fill_ours(world)
    loud = {name.upper(): (LATER, iso_record(name.upper(), title="Loud")) for name in world.provider.entries}
    world.provider.entries |= loud
    world.provider.lists_all = True
    world.provider.page_size = 3


def renamed(world: World) -> None:
    """A migration: the same records, known by other OAI identifiers."""
    fill_ours(world)
    sub(rb"<identifier>urn:x-wmo:md:", b"<identifier>oai:new.example.org:")(world)


def the_reject_names_both(world: World) -> None:
    reject = Reject.objects.get()
    assert reject.identifier == "hdl:20.500/2" and identifier(2) in reject.reason_text


AWKWARD = "urn:x-wmo:md:fr.meteofrance::a&b;c=%3Cd%3E?e#f" + "g" * 1500


def awkward_identifier(world: World) -> None:
    """It is read from the list without trouble; its metadata are missing there, so that it is asked for by itself."""
    world.provider.entries = {AWKWARD: (STAMP, iso_record(AWKWARD))}
    edit(lambda body: body.replace(b"<metadata>", b"<!--").replace(b"</metadata>", b"-->"))(world)


def awkward_identifier_is_held(world: World) -> None:
    assert Record.objects.get().identifier == AWKWARD
    assert world.provider.asked[-1]["identifier"] == AWKWARD


def without_date_stamp(world: World) -> None:
    for old in (b"<gmd:dateStamp><gco:Date>2024-03-01</gco:Date></gmd:dateStamp>",):
        world.replace(old, b'<gmd:dateStamp gco:nilReason="missing"/>')


def invalid(world: World) -> None:
    world.replace(b"<gmd:contact>", b"<gmd:noSuchThing/><gmd:contact>")


def get_record_differs(world: World) -> None:
    world.replace(b"Product", b"Something else", verbs=("GetRecord",))


def titles_of_the_list(world: World) -> None:
    titles = Record.objects.values_list("description__title", flat=True)
    assert all(title.startswith("Product") for title in titles)
    assert not [a for a in world.provider.asked if a["verb"] == "GetRecord"]


def gone_meanwhile(world: World) -> None:
    metadata_2(b"")(world)
    world.answer(lambda a: a["verb"] == "GetRecord", lambda a: world.error("idDoesNotExist"))


def deleted_meanwhile(world: World) -> None:
    fill_ours(world)
    metadata_2(b"", everywhere=False)(world)
    once = first_time(lambda a: a["verb"] == "GetRecord")
    world.answer(once, lambda a: world.provider.envelope(f"<GetRecord>{dead(2)}</GetRecord>").encode())


def harvested_before(world: World) -> None:
    """All five were harvested by this link; the next list is asked for whole."""
    lifecycle.work(lifecycle.open_run(world.link, trigger="test").pk)
    world.link.refresh_from_db()
    world.provider.asked.clear()
    world.notes["full"] = True


def no_deletions_told(world: World) -> None:
    sub(rb"persistent", b"no", lambda a: a["verb"] == "Identify")(world)
    harvested_before(world)
    del world.provider.entries[identifier(2)]


def comparing_asks_and_an_operator_decides(world: World) -> None:
    """A comparison is due by tomorrow; the whole within a week."""
    assert world.link.effective_cycle_days == 7
    Link.objects.update(next_slice=timezone.now())
    run = compared(world)
    assert (run.extra, run.vanished) == (1, 1)
    assert [a["identifier"] for a in world.provider.asked_for("GetRecord")] == [identifier(2)]
    conflict = Conflict.objects.get()
    assert conflict.kind == "vanished" and not Record.objects.filter(deleted=True).exists()
    conflict_acts.settle(Act.WITHDRAW, [conflict.pk], by="me")
    assert Record.objects.get(deleted=True).identifier == identifier(2)


def almost_empty(world: World) -> None:
    world.link.ceiling_records = 1
    world.link.save()
    harvested_before(world)
    world.provider.entries = {identifier(0): world.provider.entries[identifier(0)]}


def comparing_holds_it_back(world: World) -> None:
    run = compared(world)
    assert (run.held_back, run.vanished) == (4, 0) and "beyond the ceiling" in run.message
    assert world.provider.asked_for("GetRecord") == []
    assert Record.objects.filter(deleted=False).count() == 5


def ours_come_back(world: World) -> None:
    put(iso_record(identifier(2), title="Ours"), into=own_set())


def ours_stays(world: World) -> None:
    assert Record.objects.get(identifier=identifier(2)).description.title == "Ours"


def asked_which(world: World) -> None:
    assert [a["identifier"] for a in world.provider.asked_for("GetRecord")] == [identifier(2)]


def not_asked(world: World) -> None:
    assert world.provider.asked_for("GetRecord") == []


def migrated_with_deletions(world: World) -> None:
    """A migration that tells the old identifiers to be deleted, and the new ones in the same page."""
    fill_ours(world)
    new = {name.replace("urn:x-wmo:md:", "oai:new.example.org:"): it for name, it in world.provider.entries.items()}
    world.provider.entries = dict.fromkeys(world.provider.entries, (LATER, None)) | new
    world.provider.page_size = 4


def deletions_wait(world: World) -> None:
    waiting = Conflict.objects.filter(settled=None)
    assert set(waiting.values_list("kind", flat=True)) == {"renamed"} and waiting.count() == 5
    assert len(conflict_acts.settle(Act.WITHDRAW, [waiting[0].pk], by="me").done) == 1
    assert Record.objects.filter(deleted=False).count() == 4


QUIET = frozenset(identifier(number) for number in range(5))
LOUD = frozenset(name.upper() for name in QUIET)

CASES = [
    Case(64, "metadata missing in the list alone", metadata_2(b"", everywhere=False), DONE),
    Case(
        64,
        "metadata missing",
        metadata_2(b""),
        DONE,
        stored=WITHOUT_2,
        rejects=("no metadata and is not deleted",),
    ),
    Case(65, "metadata empty", metadata_2(b"<metadata> </metadata>"), DONE, stored=WITHOUT_2, rejects=("no metadata",)),
    Case(66, "two roots in metadata", metadata_2(b"<metadata>" + DC + MARK + b"</metadata>"), DONE),
    Case(
        67,
        "another format than asked for",
        metadata_2(b"<metadata>" + DC + b"</metadata>"),
        DONE,
        stored=WITHOUT_2,
        rejects=("not an ISO 19139 record",),
    ),
    Case(
        68,
        "a deleted header without identifier",
        page_of(live(0), f"<record><header status='deleted'><datestamp>{STAMP}</datestamp></header></record>"),
        DONE,
        stored=frozenset({0}),
        rejects=("no identifier",),
    ),
    Case(69, "a deleted header", known_and_deleted, DONE, stored=WITHOUT_2, check=is_tombstone),
    Case(
        70,
        "a deleted record that still has metadata",
        header_2(b"<header>", b'<header status="deleted">'),
        DONE,
        stored=WITHOUT_2,
        check=is_tombstone,
    ),
    Case(71, "a deletion of a record never seen", deleted_2, DONE, stored=WITHOUT_2, check=is_tombstone),
    Case(
        *(72, "a tombstone beside the living record", page_of(live(2), dead(2)), DONE, BOTH),
        stored=frozenset({2}),
        check=asked_which,
    ),
    Case(
        *(72, "a tombstone before a later record", page_of(live(2, LATER), dead(2)), DONE, BOTH),
        stored=frozenset({2}),
        cursor=STAMP,
        check=asked_which,
    ),
    Case(
        *(72, "a tombstone on a page after the living record", flapping(live(2), dead(2), lives=True), DONE, BOTH),
        stored=frozenset({2}),
        check=asked_which,
    ),
    Case(
        *(72, "the living record on a page after its tombstone", flapping(dead(2, LATER), live(2), lives=False), DONE),
        says=BOTH,
        stored=NOTHING,
        cursor=LATER,
        check=asked_which,
    ),
    Case(
        *(
            72,
            "a tombstone after the living record, rightly",
            flapping(live(0) + live(2), dead(2, LATER), lives=False),
            DONE,
        ),
        stored=frozenset({0}),
        cursor=LATER,
        check=not_asked,
    ),
    Case(
        *(73, "an identifier twice in a page", page_of(live(2, LATER, "New"), live(2, STAMP, "Old")), DONE),
        stored=frozenset({2}),
        cursor=LATER,
        check=newest_title,
    ),
    Case(
        73,
        "the same identifier on all rows",
        same_identifier,
        FAILED,
        "All 5 records of a page have the identifier",
        stored=NOTHING,
    ),
    Case(74, "identifiers differ in case and blanks", other_case, DONE, stored=LOUD, check=one_live_record_each),
    Case(74, "identifiers that differ in case are both live", both_cases, DONE, stored=LOUD | QUIET, cursor=LATER),
    Case(75, "identifiers changed in a migration", renamed, DONE, rejects=("calls it otherwise now",) * 5),
    Case(
        *(75, "identifiers changed in a migration, and the old ones deleted", migrated_with_deletions, DONE),
        rejects=("calls it otherwise now",) * 5 + ("kept until you decide",) * 5,
        cursor=LATER,
        check=deletions_wait,
    ),
    Case(
        76,
        "the OAI identifier is not the fileIdentifier",
        sub(rb"<identifier>[^<]*R002<", b"<identifier>hdl:20.500/2<"),
        DONE,
        stored=WITHOUT_2,
        rejects=("hdl:20.500/2",),
        check=the_reject_names_both,
    ),
    Case(
        77,
        "an awkward identifier",
        awkward_identifier,
        DONE,
        stored=frozenset({AWKWARD}),
        check=awkward_identifier_is_held,
    ),
    Case(78, "no dateStamp in the record", without_date_stamp, DONE),
    Case(79, "a record that is not valid", invalid, DONE),
    Case(80, "GetRecord and ListRecords differ", get_record_differs, DONE, check=titles_of_the_list),
    Case(
        81,
        "deleted between list and GetRecord, without a trace",
        gone_meanwhile,
        DONE,
        stored=WITHOUT_2,
        rejects=("idDoesNotExist",),
    ),
    Case(81, "deleted between list and GetRecord", deleted_meanwhile, DONE, stored=WITHOUT_2, check=is_tombstone),
    Case(82, "deletions are not told", no_deletions_told, DONE, check=comparing_asks_and_an_operator_decides),
    Case(
        *(83, "an almost empty catalogue after a re-install", almost_empty, DONE, "lists 1 entry, and 5 are stored"),
        check=comparing_holds_it_back,
    ),
    Case(84, "our own record comes back", ours_come_back, DONE, rejects=("belongs to the set",), check=ours_stays),
]
