"""The former states of a record: kept where the next one is written, bounded, and put back as an ordinary change."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client

from catalogue import acting, bootstrap, oai, seams
from catalogue.documents import xml_tree
from catalogue.models import MetadataSet, Record, RecordVersion
from catalogue.payloads import dictionaries, payload
from catalogue.provenance import Provenance
from catalogue.reading import record_history
from catalogue.reading.record_history import Change, State
from catalogue.reasons import ActRefused, ReasonCode
from catalogue.writing import clock, record_content, record_versions, store
from catalogue.writing.decisions import Action
from tests.support import asking, looking, world
from tests.support.threads import TIMEOUT_S, threads, waiting_for_the_clock
from tests.support.waiting import until
from tests.support.world import OUR_SPEC, TOULOUSE, bury, iso_record, peer_set, put

pytestmark = pytest.mark.django_db
PAST = "2024-01-01T00:00:00Z"


def record(key: str = "urn:a") -> Record:
    return Record.objects.select_related("owner").get(key=key)


def states(key: str = "urn:a") -> list[State]:
    return record_history.states(record(key))


def a(title: str) -> bytes:
    return iso_record("urn:a", title=title)


def content(number: int) -> bytes | None:
    return record_history.element_of(record(), states(), number)


def harvest(title: str | None, *, into: MetadataSet, link: str = "toulouse") -> None:
    entry = (
        store.prepare_deletion("urn:a") if title is None else store.prepare(a(title), provenance=Provenance(link=link))
    )
    store.put_entries([entry], into=into, source=link)


@pytest.fixture
def shared() -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared 01", kind=MetadataSet.Kind.SHARED, fed_here=True)


def test_each_change_leaves_the_state_before_it_with_who_made_it_and_why(shared: MetadataSet) -> None:
    put(a("One"))
    put(a("Two"))
    with acting.acting(who="keiko", reason="joint task"):
        store.move(["urn:a"], into=shared)
    with acting.acting(who="yuki", reason="wrong station"):
        store.withdraw(["urn:a"])
    put(a("Three"), into=shared)
    found = states()
    assert [
        (each.number, each.change, each.owner, each.deleted, each.who, each.act, each.reason) for each in found
    ] == [
        (5, Change.RETURNED, "shared01", False, "", "", ""),
        (4, Change.DELETED, "shared01", True, "yuki", "withdraw", "wrong station"),
        (3, Change.MOVED, "shared01", False, "keiko", "move", "joint task"),
        (2, Change.CHANGED, OUR_SPEC, False, "", "", ""),
        (1, Change.FIRST, OUR_SPEC, False, "", "", ""),
    ]
    assert [content(number) and b"Two" in content(number) for number in (1, 2, 3, 4)] == [False, True, True, None]
    assert not RecordVersion.objects.get(number=2).payload, "what only moved has its content once"


def test_a_harvested_record_tells_the_link_of_each_change_and_new_records_leave_nothing() -> None:
    toulouse = peer_set(TOULOUSE)
    harvest("One", into=toulouse)
    harvest("One", into=toulouse)
    assert not RecordVersion.objects.exists()
    harvest("Two", into=toulouse)
    harvest(None, into=toulouse)
    assert [(each.change, each.by, each.link) for each in states()] == [
        (Change.DELETED, "toulouse", ""),
        (Change.CHANGED, "toulouse", "toulouse"),
        (Change.FIRST, "", "toulouse"),
    ]


def test_a_claim_that_takes_over_leaves_the_owner_s_version(shared: MetadataSet) -> None:
    harvest("Ours", into=shared, link="")
    harvest("Theirs", into=shared, link="offenbach")
    before = record().digest
    store.withdraw(["urn:a"])
    assert not record().deleted and states()[1].digest == bytes(before)


def test_so_many_versions_stay_as_the_setting_says_and_not_for_longer(settings) -> None:
    settings.GISC_RECORD_VERSIONS = 3
    for number in range(6):
        put(a(f"Title {number}"))
    assert [each.number for each in states()] == [6, 5, 4, 3]
    old = RecordVersion.objects.filter(number__lt=5)
    old.update(ended=seams.now() - timedelta(days=settings.GISC_RECORD_VERSION_DAYS, seconds=1))
    assert record_versions.purge_versions(batch=1) == 1 and record_versions.purge_versions() == 1
    assert [each.number for each in states()] == [6, 5]
    settings.GISC_RECORD_VERSIONS = 0
    put(a("Last"))
    assert record_versions.purge_versions() == 1
    assert [each.change for each in states()] == [Change.FIRST]


def test_a_page_of_changed_records_keeps_them_by_one_statement_and_new_ones_need_none() -> None:
    statements: list[str] = []

    def noted(execute, sql, params, many, context):
        statements.extend(["x"] * ("catalogue_recordversion" in str(sql)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(noted):
        for title, most in (("One", 0), ("Two", 1), ("Two", 1)):
            put(*(iso_record(f"urn:{n}", title=title) for n in range(30)))
            assert len(statements) == most, title
    assert RecordVersion.objects.count() == 30


def test_the_dictionary_of_a_version_stays_and_versions_are_packed_anew() -> None:
    put(a("One"))
    put(a("Two"))
    bury("urn:a")
    assert dictionaries.repack().damaged == []
    with pytest.raises(Exception, match="dictionaries are not changed"):
        connection.cursor().execute("DELETE FROM catalogue_dictionary")


def test_a_purged_tombstone_takes_its_versions_along(settings) -> None:
    put(a("One"))
    bury("urn:a")
    Record.objects.all().delete()
    assert not RecordVersion.objects.exists()


# --- Putting a version back, and replacing by a document ------------------------------------------------


def test_restoring_stores_the_old_content_anew_with_a_new_datestamp() -> None:
    for title in ("One", "Two"):
        put(a(title))
    old = bytes(RecordVersion.objects.get().payload)
    world.restamp("urn:a", PAST)
    with acting.acting(who="keiko", reason="typing error"):
        result = record_content.restore(record(), 1)
    assert result.action is Action.UPDATED
    now = record()
    assert payload.unpack(now.payload) == payload.unpack(old) and now.datestamp.year >= 2025
    newest = states()[0]
    assert (newest.act, newest.who, newest.reason, newest.number) == ("restore", "keiko", "typing error", 3)
    assert record_content.restore(record(), 3).action is Action.UNCHANGED


# What was done before, what is done, and what harvesters then see of the record: with a new datestamp in a set or in none,
# deleted or live. `old`, `new`: the sets; None: nothing new there.
HARVESTED = [
    ("replaced", lambda: record_content.replace("urn:a", a("New")), {OUR_SPEC: False, None: False}),
    ("restored", lambda: record_content.restore(record(), 1), {OUR_SPEC: False, None: False}),
    ("withdrawn", lambda: store.withdraw(["urn:a"]), {OUR_SPEC: True, None: True}),
    (
        "withdrawn and restored",
        lambda: (store.withdraw(["urn:a"]), record_content.restore(record(), 1)),
        {OUR_SPEC: False, None: False},
    ),
    (
        "moved",
        lambda: store.move(["urn:a"], into=MetadataSet.objects.get(spec="shared01")),
        {OUR_SPEC: True, "shared01": False, None: False},
    ),
    (
        "moved and restored",
        lambda: (
            store.move(["urn:a"], into=MetadataSet.objects.get(spec="shared01")),
            record_content.restore(record(), 1),
        ),
        {OUR_SPEC: True, "shared01": False, None: False},
    ),
    ("looked at", lambda: (store.withdraw(["urn:a"], dry_run=True), record_content.plan("urn:a", a("New"))), {}),
]


@pytest.mark.parametrize(("act", "seen"), [case[1:] for case in HARVESTED], ids=[case[0] for case in HARVESTED])
def test_harvesters_see_each_act_as_an_ordinary_change(shared: MetadataSet, act, seen) -> None:
    put(a("One"))
    put(a("Two"), iso_record("urn:other"))
    for identifier in ("urn:a", "urn:other"):
        world.restamp(identifier, PAST)
    RecordVersion.objects.update(datestamp=PAST)
    act()
    client = Client(headers={"user-agent": f"{oai.USER_AGENT}/1"})  # a node like this one is told what left a set
    told = {}
    for spec in (OUR_SPEC, "shared01", None):
        asked = {"set": spec} if spec else {}
        answer = asking.get(
            client, verb="ListIdentifiers", metadataPrefix="iso19139", from_="2025-01-01T00:00:00Z", **asked
        )
        for header in answer.headers:
            if header.identifier == "urn:a":
                told[spec] = header.deleted
    assert told == seen


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (iso_record("urn:b"), ReasonCode.OTHER_RECORD),
        (b"<x/>", ReasonCode.NOT_ISO_19139),
        (b"", ReasonCode.EMPTY),
    ],
)
def test_a_document_that_is_not_of_this_record_is_refused(document: bytes, code: ReasonCode) -> None:
    put(a("One"))
    with pytest.raises((ActRefused, xml_tree.Unusable)) as refused:
        record_content.replace("urn:a", document)
    assert refused.value.reason.code is code
    assert not RecordVersion.objects.exists()


def test_what_others_own_is_not_replaced_and_the_reason_names_the_link(settings, shared: MetadataSet) -> None:
    harvest("One", into=peer_set(TOULOUSE))
    before = record()
    assert (reason := record_content.refusal("urn:a")) is not None and reason.code is ReasonCode.LINK_DECIDES
    for act in (lambda: record_content.replace("urn:a", a("Two")), lambda: record_content.plan("urn:a", a("Two"))):
        with pytest.raises(ActRefused, match="link toulouse"):
            act()
    assert [r.reason.code for r in store.withdraw(["urn:a"], dry_run=True)] == [ReasonCode.OTHER_SET]
    assert [r.reason.code for r in store.plan_move(["urn:a"], into=shared)] == [ReasonCode.FROM_LINK]
    assert record().digest == before.digest and record_content.refusal("urn:none").code is ReasonCode.NOT_IN_CATALOGUE


def test_what_is_planned_is_what_is_done(shared: MetadataSet) -> None:
    harvest("Theirs", into=peer_set(TOULOUSE))
    put(*(iso_record(key) for key in ("urn:b", "urn:c", "urn:d")))
    bury("urn:c")
    put(iso_record("urn:e"), into=shared)
    everything = ["urn:a", "urn:b", "urn:c", "urn:d", "urn:e", "urn:none", "two words"]
    rows = looking.row_versions()
    planned, moving = store.withdraw(everything, dry_run=True), store.plan_move(everything[:6], into=shared)
    assert looking.row_versions() == rows
    assert moving == store.move(everything[:6], into=shared)
    planned = store.withdraw(everything, dry_run=True)
    assert [str(result.action) for result in planned] == [
        "rejected",
        "deleted",
        "unchanged",
        "deleted",
        "deleted",
        "rejected",
        "rejected",
    ]
    assert planned == store.withdraw(everything)


# --- Two writers ---------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_what_a_harvest_changed_meanwhile_is_not_overwritten_by_a_person_who_saw_the_version_before() -> None:
    bootstrap.ensure_sets()
    put(a("One"))
    seen = bytes(record().digest)
    put(a("Two"))
    with pytest.raises(ActRefused, match="look again"):
        record_content.replace("urn:a", a("Three"), seen=seen)
    assert b"Two" in payload.unpack(record().payload)


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_time_leave_a_history_without_a_gap_or_a_double() -> None:
    """Each waits for the clock's lock with its page staged; the versions are those that really followed each other."""
    bootstrap.ensure_sets()
    put(a("Title 0"))
    with threads(4) as running:
        with transaction.atomic():
            clock.take_stamp()
            writers = [running.start(put, a(f"Title {n}")) for n in (1, 2)]
            writers.append(running.start(record_content.replace, "urn:a", a("Title 3")))
            writers.append(running.start(store.withdraw, ["urn:a"]))
            until(lambda: waiting_for_the_clock() == 4, TIMEOUT_S, "all writers wait")
        for writer in writers:
            writer.result(TIMEOUT_S)
    known = states()
    assert [each.number for each in known] == list(range(len(known), 0, -1)) and len(known) == 5
    digests = [each.digest for each in known]
    assert len(set(digests)) == 5, "no state was kept twice, and none is missing"
    began = [each.began or seams.now() for each in known[:-1]]
    assert began == sorted(began, reverse=True)
    assert known[0].began == record().datestamp


# --- Commands ------------------------------------------------------------------------------------------


def test_the_command_tells_the_history_compares_and_restores(capsys, tmp_path) -> None:
    put(a("One"))
    put(a("Two"))
    store.withdraw(["urn:a"])
    call_command("record", "restore", "urn:a", "2", reason="still needed")
    file = tmp_path / "three.xml"
    file.write_bytes(a("Three"))
    call_command("record", "replace", "urn:a", str(file), as_json=True)
    capsys.readouterr()
    call_command("record", "history", "urn:a")
    told = capsys.readouterr().out
    for words in (
        "Replaced by hand",
        "Brought back with the content of a former version",
        "still needed",
        "Withdrawn",
        "Stored for the first time",
    ):
        assert words in told, told
    call_command("record", "difference", "urn:a", "1")
    told = capsys.readouterr().out
    assert "-" in told and "One" in told and "Three" in told
    call_command("record", "show", "urn:a", "--version", "1")
    assert "One" in capsys.readouterr().out
    call_command("record", "history", "urn:a", as_json=True)
    assert '"act": "restore"' in capsys.readouterr().out
    for wrong in (
        ["show", "urn:none"],
        ["restore", "urn:a", "3"],
        ["replace", "urn:a", str(tmp_path / "none.xml")],
        ["difference", "urn:a", "77"],
    ):
        with pytest.raises(CommandError, match="no record|no version|cannot be read"):
            call_command("record", *wrong)
