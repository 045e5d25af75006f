"""A format that changes gives its records a new datestamp, in that format alone (P93), and no harvester misses one.

The harvester of these tests does as W14 says: it asks from the first responseDate of its last list, or from the largest
datestamp it has seen, and starts again where its token is lost.
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue import bootstrap, datestamps
from catalogue.documents import dublin_core
from catalogue.models import DatestampClock
from catalogue.reading import lists
from oaiprovider.formats import versions
from oaiprovider.models import Crosswalk, Generation
from tests.support import asking, harvesting, world
from tests.support.stylesheets import PREFIX, add, brief, change
from tests.support.threads import waiting_for_the_clock
from tests.support.waiting import until

pytestmark = pytest.mark.django_db
PAST = "2025-03-01T00:00:00Z"
START = datetime(2031, 5, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> Iterator[Callable[[datetime], None]]:
    with harvesting.fake_clock(START) as turn:
        yield turn


def stamps(client: Client, prefix: str = PREFIX, **arguments: str) -> dict[str, str]:
    found = asking.walk(client, verb="ListIdentifiers", metadataPrefix=prefix, **arguments)
    return {header.identifier: header.datestamp for header in asking.headers_of(found)}


def written(crosswalk: Crosswalk) -> str:
    assert crosswalk.changed is not None
    return datestamps.write(crosswalk.changed)


@pytest.mark.spec("P93", "P89", "P141", "S9")
def test_a_changed_crosswalk_moves_its_records_and_no_others(client: Client) -> None:
    crosswalk = add()
    for name in ("a", "b"):
        world.put(world.iso_record(f"urn:{name}"))
    world.restamp("urn:a", PAST)
    first = written(crosswalk)
    assert stamps(client)["urn:a"] == first
    assert stamps(client, "iso19139")["urn:a"] == stamps(client, "oai_dc")["urn:a"] == PAST
    DatestampClock.objects.update(stamp=datestamps.parse("2031-01-01T00:00:00Z")[0])
    crosswalk = change(crosswalk, stylesheet=brief("second"))
    second = written(crosswalk)
    assert second == "2031-01-01T00:00:00Z" > first
    assert stamps(client) == {"urn:a": second, "urn:b": second}
    assert stamps(client, from_=second, until=second) == {"urn:a": second, "urn:b": second}
    assert asking.get(client, verb="ListRecords", metadataPrefix=PREFIX, until="2030-12-31").codes == ["noRecordsMatch"]
    one = asking.get(client, verb="GetRecord", metadataPrefix=PREFIX, identifier="urn:a")
    assert one.headers[0].datestamp == second
    assert stamps(client, "iso19139")["urn:a"] == PAST
    world.put(world.iso_record("urn:b", title="new"))
    assert stamps(client)["urn:a"] == second


@pytest.mark.spec("P93", "P90", "S10")
@pytest.mark.parametrize(
    ("changes", "moves"),
    [
        ({}, False),
        ({"stylesheet": brief()}, False),
        ({"stylesheet": brief("second")}, True),
        ({"namespace": "urn:x"}, True),
        ({"schema": "http://example.org/other.xsd"}, True),
        ({"enabled": False}, True),
        ({"changed": datetime(2040, 1, 1, tzinfo=UTC)}, False),
    ],
)
def test_only_what_harvesters_receive_moves_the_records(clock, changes: dict, moves: bool) -> None:
    before = add().changed
    clock(START + SECOND)
    Crosswalk.objects.update(**changes, prefix=PREFIX)  # by no code of ours: the database itself gives the stamp (S8)
    assert (Crosswalk.objects.get().changed == before) is not moves
    assert lists.instant() <= START + SECOND  # the mark of the clock is where the present is


@pytest.mark.spec("P93", "P87", "P88")
def test_tombstones_move_with_the_format_and_keep_their_place(client: Client, settings) -> None:
    settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_RECORDS = 1
    for name in ("a", "b", "c"):
        world.put(world.iso_record(f"urn:{name}"))
    world.bury("urn:b")
    for number, name in enumerate(("b", "a", "c")):
        world.restamp(f"urn:{name}", f"2025-03-0{number + 1}T00:00:00Z")
    crosswalk = add()
    found = asking.headers_of(asking.walk(client, verb="ListRecords", metadataPrefix=PREFIX, set=world.OUR_SPEC))
    assert [(header.identifier, header.deleted) for header in found] == [
        ("urn:b", True),
        ("urn:a", False),
        ("urn:c", False),
    ]
    assert {header.datestamp for header in found} == {written(crosswalk)}
    gone = asking.get(client, verb="GetRecord", metadataPrefix=PREFIX, identifier="urn:b")
    assert gone.headers == [found[0]]


@pytest.mark.spec("P101", "P105", "P106", "P93")
def test_a_list_whose_format_changes_later_ends_with_one_of_its_records(client: Client, settings, clock) -> None:
    settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_RECORDS = 2
    crosswalk = add()
    world.put(*(world.iso_record(f"urn:{number}") for number in range(5)))
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix=PREFIX)
    other = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    clock(START + timedelta(hours=1))
    change(crosswalk, stylesheet=brief("second"))
    for _ in range(2):  # consistently
        last = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token)
        assert (last.identifiers, last.token) == (["urn:2"], "")
        assert last.headers[0].datestamp == written(crosswalk)
    assert asking.get(client, verb="ListIdentifiers", resumptionToken=other.token).codes == []
    again = stamps(client, from_=first.date)
    assert len(again) == 5


@pytest.mark.spec("P101", "P93", "P146")
def test_a_list_whose_format_changes_within_its_last_second_goes_on(client: Client, settings, clock) -> None:
    settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_RECORDS = 2
    world.put(*(world.iso_record(f"urn:{number}") for number in range(5)))
    clock(START + SECOND)
    crosswalk = add()
    clock(START + SECOND)
    first = asking.get(client, verb="ListIdentifiers", metadataPrefix=PREFIX)
    clock(START + SECOND)
    change(crosswalk, stylesheet=brief("second"))
    rest = asking.get(client, verb="ListIdentifiers", resumptionToken=first.token)
    assert rest.identifiers == ["urn:2", "urn:3"]
    assert {header.datestamp for header in rest.headers} == {first.date}
    assert len(stamps(client, from_=first.date)) == 5  # the first two come again as they are now


# --- Whatever happens --------------------------------------------------------------------------------


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["put", "bury", "change", "switch", "product", "page", "page", "list"]),
        st.integers(0, 4),
        st.integers(0, 1),  # how many seconds go by
    ),
    min_size=3,
    max_size=14,
)


class Harvester:
    """A copy of the list in one format, kept up to date page by page."""

    def __init__(self, client: Client, prefix: str, follows: str, in_set: bool) -> None:
        self.client, self.follows = client, follows
        self.arguments = {"verb": "ListRecords", "metadataPrefix": prefix} | ({"set": world.OUR_SPEC} if in_set else {})
        self.held: dict[str, bytes] = {}
        self.cursor = ""
        self.token = self.first = self.newest = ""

    def page(self) -> None:
        """Ask for one page, the first one of a new list where there is no token."""
        if self.token:
            answer = asking.get(self.client, verb="ListRecords", resumptionToken=self.token)
            if answer.codes:
                assert answer.codes == ["badResumptionToken"]
                self.token = ""  # H22: again, from the same `from`
                return
        else:
            bound = {"from_": self.cursor} if self.cursor else {}
            answer = asking.get(self.client, **self.arguments, **bound)
            if "cannotDisseminateFormat" in answer.codes:
                return
            self.first, self.newest = answer.date, ""
        for record in answer.find("//o:record"):
            header = record[0]
            stamp = header.findtext("{*}datestamp")
            assert stamp <= answer.date  # P94
            self.newest = max(self.newest, stamp)
            gone = header.get("status") == "deleted"
            self.held[header.findtext("{*}identifier")] = b"" if gone else _element(record)
        self.token = answer.token
        if not self.token:
            seen = self.newest if self.follows == "largest datestamp" else self.first
            self.cursor = max(self.cursor, seen)

    def finish(self) -> None:
        """Go on to the end, and once more from there."""
        for _ in range(2):
            self.page()
            while self.token:
                self.page()


def _element(record) -> bytes:
    from lxml import etree

    return etree.tostring(record.find("{*}metadata")[0], method="c14n", exclusive=True)


@pytest.mark.spec("P93", "P101", "P146", "P143", "P87")
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    events=EVENTS,
    prefix=st.sampled_from([PREFIX, "oai_dc"]),
    follows=st.sampled_from(["responseDate", "largest datestamp"]),
    size=st.integers(1, 3),
    in_set=st.booleans(),
)
def test_the_pages_and_the_next_harvest_are_the_truth_across_changes_of_the_format(
    client: Client, settings, clock, events, prefix, follows, size, in_set
) -> None:
    settings.GISC_PAGE_RECORDS = size
    with forgotten(clock), pytest.MonkeyPatch.context() as patched:
        made = add()
        versions.record_version()
        world.put(*(world.iso_record(f"urn:{number}") for number in range(4)))
        harvester = Harvester(client, prefix, follows, in_set)
        now = START
        for step, (what, which, seconds) in enumerate(events):
            now += seconds * SECOND
            clock(now)
            if what == "put":
                world.put(world.iso_record(f"urn:{which}", title=f"changed {step}"))
            elif what == "bury":
                world.bury(f"urn:{which}")
            elif what == "change":
                made = change(made, stylesheet=brief(f"{step}"))
            elif what == "switch":
                made = change(made, enabled=not made.enabled)
            elif what == "product":
                new_version(patched, step)
            elif what == "page":
                harvester.page()
            else:
                harvester.finish()
        made = change(made, enabled=True)
        harvester.finish()
        settings.GISC_PAGE_RECORDS = 1000
        truth = Harvester(client, prefix, follows, in_set)
        truth.finish()
        assert harvester.held == truth.held


def new_version(patched: pytest.MonkeyPatch, step: int) -> None:
    """The product is upgraded: its stylesheet says something else of the same records."""
    original = ORIGINAL

    def to_oai_dc(payload: bytes, identifier: str) -> bytes:
        return original(payload, identifier).replace(
            b"</oai_dc:dc>", f"<dc:format>v{step}</dc:format></oai_dc:dc>".encode()
        )

    from oaiprovider import builtin_formats

    old = builtin_formats.FORMATS["oai_dc"]
    patched.setitem(builtin_formats.FORMATS, "oai_dc", type(old)(old.prefix, old.schema, old.namespace, to_oai_dc))
    Generation.objects.update(digest="of the version before")
    versions.record_version()


ORIGINAL = dublin_core.to_oai_dc


@contextlib.contextmanager
def forgotten(clock: Callable[[datetime], None]) -> Iterator[None]:
    """Undo what one example writes."""
    clock(START)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# --- Under the lock ----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("P91", "P93", "P146", "S1")
def test_a_list_waits_for_a_crosswalk_that_is_being_changed(client: Client) -> None:
    bootstrap.ensure_sets()
    made = add()
    world.put(world.iso_record("urn:a"))

    def ask() -> asking.Answer:
        try:
            return asking.get(Client(), verb="ListRecords", metadataPrefix=PREFIX)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            changed = change(made, stylesheet=brief("second"))
            answer = pool.submit(ask)
            until(waiting_for_the_clock, 30, "the list waits for the lock")
            assert not answer.done()
        listed = answer.result(30)
    assert b'edition="second"' in listed.content
    assert [header.datestamp for header in listed.headers] == [written(changed)]
    assert listed.date >= written(changed)


# --- A new version of the product --------------------------------------------------------------------


@pytest.mark.spec("P93")
@pytest.mark.parametrize("prefix", ["oai_dc", "dcat_ap"])
def test_a_new_version_of_the_shipped_crosswalk_moves_the_records_of_its_format(
    client: Client, clock, prefix: str
) -> None:
    versions.record_version()
    assert set(Generation.objects.values_list("changed", flat=True)) == {None}, "an installed node has told nothing yet"
    world.put(world.iso_record("urn:a"))
    clock(START + SECOND)
    versions.record_version()
    assert set(Generation.objects.values_list("changed", flat=True)) == {None}
    Generation.objects.filter(pk=prefix).update(digest="of the version before")
    versions.record_version()
    assert dict(Generation.objects.exclude(changed=None).values_list("pk", "changed")) == {prefix: START + SECOND}
    for each in ("iso19139", "oai_dc", "dcat_ap"):
        moved = "2031-05-01T00:00:01Z" if each == prefix else "2031-05-01T00:00:00Z"
        assert stamps(client, each) == {"urn:a": moved}


@pytest.mark.spec("P93")
def test_the_digest_is_that_of_the_instructions_and_not_of_the_comments(tmp_path) -> None:
    shipped = dublin_core._STYLESHEET.read_text(encoding="utf-8")
    before = dublin_core.source()
    file = tmp_path / "a.xsl"
    file.write_text(shipped.replace("</xsl:stylesheet>", "<!-- a word --></xsl:stylesheet>"), encoding="utf-8")
    assert dublin_core.source(file) == before
    file.write_text(shipped.replace("dataset</dc:type>", "data set</dc:type>"), encoding="utf-8")
    assert dublin_core.source(file) != before


@pytest.mark.spec("P93")
def test_each_migration_compares_what_the_formats_are_made_with() -> None:
    from django.core.management import call_command

    Generation.objects.update_or_create(prefix="oai_dc", defaults={"digest": "of an earlier version"})
    call_command("migrate", verbosity=0)
    noted = Generation.objects.get(pk="oai_dc")
    assert noted.digest != "of an earlier version"
    assert noted.changed is not None
