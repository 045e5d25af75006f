"""After a restore from a backup, records are given new datestamps, so that harvesters take them again (W34)."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management.base import CommandError

from catalogue.models import DatestampClock, Membership, MetadataSet, Record, SetInclusion
from catalogue.reading import lists
from catalogue.reading.lists import Window
from catalogue.writing import clock, restamp, store
from tests.support import looking, world
from tests.support.commands import printed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("W34")]

OLD, LATER = "2024-03-01T00:00:00Z", "2024-06-01T00:00:00Z"
SINCE = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture
def began() -> datetime:
    """Records of our own and of a peer, live and deleted, stamped on two days of the past."""
    DatestampClock.objects.update(earliest=datetime(2024, 1, 1, tzinfo=UTC))
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:old"), world.iso_record("urn:later"))
    world.bury("urn:old:gone", "urn:later:gone")
    world.put(world.iso_record("urn:theirs"), into=toulouse)
    for record in Record.objects.all():
        world.restamp(record.identifier, OLD if "old" in record.identifier else LATER)
    began = lists.instant()
    return began


def taken_again(spec: str | None, start: datetime) -> set[str]:
    """What an incremental harvest from `start` gets."""
    return {entry.identifier for entry in looking.walk(Window(spec, start, looking.FAR), 2)}


def test_live_records_and_tombstones_of_the_set_stamped_since_then_are_taken_again(began: datetime) -> None:
    done = restamp.restamp(world.own_set(), SINCE)
    assert (done.records, done.deleted) == (2, 1)
    assert taken_again(None, began) == taken_again(world.OUR_SPEC, began) == {"urn:later", "urn:later:gone"}
    assert looking.listed(world.OUR_SPEC)["urn:later:gone"].deleted
    assert taken_again("WIS-GISC-TOULOUSE", began) == set()
    assert looking.record("urn:old").datestamp == datetime.fromisoformat(OLD)


def test_what_is_stamped_at_that_very_instant_counts(began: datetime) -> None:
    assert restamp.restamp(world.own_set(), datetime.fromisoformat(LATER)).records == 2
    assert restamp.restamp(world.own_set(), lists.instant() + timedelta(seconds=1)).records == 0


def test_the_catalogue_set_is_every_record(began: datetime) -> None:
    catalogue = MetadataSet.objects.get(kind=MetadataSet.Kind.CATALOGUE)
    assert restamp.restamp(catalogue, datetime(1970, 1, 1, tzinfo=UTC)).records == 5
    assert len(taken_again(None, began)) == len(
        taken_again("WIS-GISC-TOULOUSE", began) | taken_again(world.OUR_SPEC, began)
    )


def test_content_and_journal_are_not_touched(began: datetime, journal_dir) -> None:
    before = {r.identifier: (bytes(r.payload or b""), r.set_specs, r.deleted) for r in Record.objects.all()}
    told = {file: file.read_bytes() for file in journal_dir.iterdir()}
    restamp.restamp(world.own_set(), SINCE)
    assert {r.identifier: (bytes(r.payload or b""), r.set_specs, r.deleted) for r in Record.objects.all()} == before
    assert {file: file.read_bytes() for file in journal_dir.iterdir()} == told


def test_all_lists_that_show_the_record_show_it_again_and_a_set_it_left_long_ago_does_not(began: datetime) -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    union = MetadataSet.objects.create(spec="union", kind=MetadataSet.Kind.VIRTUAL)
    SetInclusion.objects.create(parent=union, child=offenbach)
    store.move(["urn:theirs"], into=offenbach)
    Membership.objects.filter(set=toulouse).update(datestamp=datetime.fromisoformat(OLD))
    Membership.objects.exclude(set=toulouse).update(datestamp=datetime.fromisoformat(LATER))
    Record.objects.update(datestamp=datetime.fromisoformat(LATER))
    assert restamp.restamp(offenbach, SINCE).records == 1
    for spec in (None, offenbach.spec, "union"):
        assert taken_again(spec, began) == {"urn:theirs"}
    assert taken_again(toulouse.spec, began) == set()


def test_a_membership_that_ended_since_then_is_told_again(began: datetime) -> None:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    store.move(["urn:theirs"], into=offenbach)
    Membership.objects.update(datestamp=datetime.fromisoformat(LATER))
    assert restamp.restamp(toulouse, SINCE).records == 1
    assert looking.listed(toulouse.spec)["urn:theirs"].deleted
    assert taken_again(toulouse.spec, began) == {"urn:theirs"}


def test_many_records_are_done_in_batches_and_keep_their_order(began: datetime) -> None:
    for day in range(9):
        world.put(world.iso_record(f"urn:{day}"))
        world.restamp(f"urn:{day}", f"2024-07-{20 - day}T00:00:00Z")
    advanced: list[int] = []
    assert restamp.restamp(world.own_set(), SINCE, batch=2, advance=advanced.append).records == 11
    assert advanced == [2, 2, 2, 2, 2, 1]
    stamps = [looking.record(f"urn:{day}").datestamp for day in range(9)]
    assert stamps == sorted(stamps, reverse=True)


# --- The high-water mark --------------------------------------------------------------------------------


@pytest.mark.spec("P92")
def test_after_a_restore_of_an_old_clock_nothing_is_given_that_harvesters_have_passed() -> None:
    world.put(world.iso_record("urn:a"))
    seen = (datetime.now(UTC) + timedelta(hours=2)).replace(microsecond=0)  # the clock was ahead before the accident
    DatestampClock.objects.update(stamp=datetime(2024, 1, 1, tzinfo=UTC))
    restamp.restamp(world.own_set(), SINCE, mark=seen)
    assert taken_again(None, seen) == {"urn:a"}
    world.put(world.iso_record("urn:b"))
    assert taken_again(None, seen) == {"urn:a", "urn:b"}


@pytest.mark.spec("P92")
def test_the_mark_is_raised_to_the_present_and_never_lowered() -> None:
    DatestampClock.objects.update(stamp=datetime(2024, 1, 1, tzinfo=UTC))
    before = datetime.now(UTC).replace(microsecond=0)
    clock.raise_mark(datetime(2024, 2, 1, tzinfo=UTC))
    mark = DatestampClock.objects.get().stamp
    assert before <= mark <= datetime.now(UTC)
    clock.raise_mark(mark + timedelta(hours=1, microseconds=5))
    clock.raise_mark(mark)
    assert DatestampClock.objects.get().stamp == mark + timedelta(hours=1)


# --- The command ----------------------------------------------------------------------------------------


def command(*arguments: str) -> str:
    return printed("catalogue", "restamp", *arguments)


def test_a_dry_run_counts_and_writes_nothing(began: datetime) -> None:
    before = looking.row_versions()
    ahead = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    report = json.loads(
        command("--set", world.OUR_SPEC, "--since", "2024-05-01", "--clock", ahead, "--dry-run", "--json")
    )
    assert report == {"records": 2, "deleted": 1, "mark": ahead, "dry_run": True}
    assert looking.row_versions() == before
    assert "would have a new datestamp" in command("--set", world.OUR_SPEC, "--since", "2024-05-01", "--dry-run")


def test_the_command_says_what_it_did(began: datetime) -> None:
    said = command("--set", world.OUR_SPEC, "--since", "2024-05-01T00:00:00Z")
    assert said.startswith(f"2 records of {world.OUR_SPEC}, 1 of them deleted, have a new datestamp; ")
    assert len(taken_again(None, began)) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--set", "WIS-GISC-NOWHERE", "--since", "2024-05-01"), "There is no set 'WIS-GISC-NOWHERE'; there are: "),
        (("--set", world.OUR_SPEC, "--since", "yesterday"), "'yesterday' is neither YYYY-MM-DD nor"),
        (("--set", world.OUR_SPEC, "--since", "2024-05-01", "--clock", "2204-05-01"), "more than a year ahead"),
    ],
)
def test_a_mistake_is_told_and_changes_nothing(arguments: tuple[str, ...], sentence: str) -> None:
    before = looking.row_versions()
    with pytest.raises(CommandError, match=sentence):
        command(*arguments)
    assert looking.row_versions() == before
