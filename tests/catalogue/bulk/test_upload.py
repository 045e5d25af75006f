"""Uploads: the preview says what storing does, what is chosen is stored once, and a worker that is killed spoils nothing."""

import csv
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from catalogue import seams
from catalogue.admin import upload_words
from catalogue.bulk import ingest, preview, upload, upload_folder, upload_report
from catalogue.bulk.upload_folder import SentFile
from catalogue.documents.sources import Document
from catalogue.models import MetadataSet, Record, Upload, UploadDocument
from catalogue.reasons import ActRefused, ReasonCode
from catalogue.writing import store
from harvester.link_rules import Kind
from harvester.models import Link
from tests.support import world
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db
State = Upload.State


@pytest.fixture(autouse=True)
def upload_dir(settings, tmp_path: Path) -> Path:
    settings.GISC_UPLOAD_DIR = tmp_path / "uploads"
    return settings.GISC_UPLOAD_DIR


def sent(folder: Path, files: Mapping[str, bytes]) -> list[SentFile]:
    folder.mkdir(exist_ok=True)
    found = []
    for name, content in files.items():
        path = folder / f"incoming-{name}"
        path.write_bytes(content)
        found.append(SentFile(name, path))
    return found


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def new_upload(tmp_path: Path, files: Mapping[str, bytes], into: MetadataSet | None = None) -> Upload:
    return upload.create(sent(tmp_path, files), into=into or world.own_set(), who="hanako")


def work(made: Upload) -> Upload:
    """Work as workers do, one after the other, until nothing waits."""
    while upload.work(processes=1):
        pass
    made.refresh_from_db()
    return made


def previews(made: Upload) -> dict[str, str]:
    return dict(made.contents.values_list("identifier", "preview"))


def results(made: Upload) -> dict[str, str]:
    return dict(made.contents.values_list("identifier", "result"))


DOCUMENTS = {
    "a/same.xml": world.iso_record("urn:same"),
    "a/changed.xml": world.iso_record("urn:changed", title="Upper air"),
    "a/older.xml": world.iso_record("urn:older", metadata_date="2020-01-01"),
    "a/gone.xml": world.iso_record("urn:gone"),
    "a/new.xml": world.iso_record("urn:new"),
    "a/theirs.xml": world.iso_record("urn:theirs"),
    "a/twice-1.xml": world.iso_record("urn:twice", title="One"),
    "a/twice-2.xml": world.iso_record("urn:twice", title="Two"),
    "a/twice-3.xml": world.iso_record("urn:twice", title="Two"),
    "a/broken.xml": b"<gmd:MD_Metadata>",
}


@pytest.fixture
def catalogue(toulouse: MetadataSet) -> None:
    """Records that the documents meet."""
    world.put(*(world.iso_record(f"urn:{name}") for name in ("same", "changed", "older", "gone")))
    world.bury("urn:gone")
    world.put(world.iso_record("urn:theirs"), into=toulouse)


def test_the_preview_says_of_each_document_what_ingest_would_do_and_stores_nothing(
    catalogue: None, tmp_path: Path
) -> None:
    before = list(Record.objects.order_by("pk").values_list())
    files = {"records.zip": zipped(DOCUMENTS), "one.xml": world.iso_record("urn:new"), "cut.tar": b"\x1f\x8bcut"}
    made = work(new_upload(tmp_path, files))

    assert (made.state, made.documents) == (State.READY, 12)
    assert list(Record.objects.order_by("pk").values_list()) == before
    found = made.contents.order_by("number")
    assert [row.preview for row in found] == [
        *("unchanged", "updated", "older", "brought_back", "new", "rejected"),
        *("new", "repeated", "unchanged", "rejected", "unchanged", "rejected"),
    ]
    assert [row.source for row in found][-4:] == [
        "records.zip:a/twice-3.xml",
        "records.zip:a/broken.xml",
        "one.xml",
        "cut.tar",
    ]
    assert [row.title for row in found][1] == "Upper air"
    assert "has the identifier of records.zip:a/twice-1.xml" in upload_words.reason_text(found[7].reason)
    codes = {row.identifier or row.source: row.reason and row.reason["code"] for row in found}
    assert codes["urn:theirs"] == ReasonCode.OTHER_SET and codes["cut.tar"] == ReasonCode.CANNOT_UNPACK
    label = found.get(identifier="urn:changed")
    assert label.structure == "not checked" and label.faults, "the checks are those of the catalogue"
    (row,) = [row for row in found if row.identifier == "urn:changed"]
    place = upload_folder.Place(row.place, row.length, row.length_before)
    assert list(upload_folder.read_kept(made, [place])) == [DOCUMENTS["a/changed.xml"]]
    assert b"Surface observations" in upload_folder.read_before(made, place)
    names = {path.name for path in (upload_folder._path(made.folder)).iterdir()}
    assert names == {"documents"}, "the sent files are gone"


@pytest.mark.parametrize("batch_records", [2, 500])
def test_a_preview_and_ingest_decide_alike_whatever_the_batches_are(
    catalogue: None, tmp_path: Path, batch_records: int
) -> None:
    made = new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)})
    limits = ingest.IngestLimits(batch_records=batch_records, unpooled_batches=1000)
    assert preview.check(made, world.own_set(), until=seams.monotonic() + 600, processes=1, ingest_limits=limits)
    stored: list[str] = []
    ingest.ingest(
        [Document(name, content) for name, content in DOCUMENTS.items()],
        into=world.own_set(),
        revives=True,
        limits=limits,
        note=lambda batch, outcomes: stored.extend(outcome.name for outcome in outcomes),
    )
    assert list(made.contents.order_by("number").values_list("preview", flat=True)) == stored


def test_what_is_chosen_is_stored_and_the_rest_later_or_never(catalogue: None, tmp_path: Path) -> None:
    made = work(new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)}))
    chosen = made.contents.filter(preview__in=("new", "updated", "repeated"))
    assert upload.begin_storing(made, chosen) == 4
    with pytest.raises(ActRefused):
        upload.begin_storing(made, chosen)
    made = work(made)
    assert made.state == State.READY and (made.stored, made.to_store) == (4, 4)
    assert Counter(made.contents.values_list("result", flat=True)) == {"": 6, "new": 2, "updated": 1, "repeated": 1}
    assert Record.objects.get(identifier="urn:gone").deleted
    assert Record.objects.select_related("description").get(identifier="urn:twice").description.title == "Two"

    assert upload.begin_storing(made, made.contents.all()) == 2, "what is left: brought back, and older"
    made = work(made)
    assert made.state == State.CLOSED and made.finished is not None
    assert results(made)["urn:gone"] == "brought_back" and results(made)["urn:older"] == "older"
    assert not Record.objects.get(identifier="urn:gone").deleted
    counts = upload_report.count(made)
    assert (counts.stored, counts.otherwise, counts.open) == (6, 0, Counter())
    lines = list(csv.DictReader(upload_report.lines(made)))
    assert [line["result"] for line in lines] == [
        "",
        "updated",
        "older",
        "brought_back",
        "new",
        "",
        "new",
        "repeated",
        "",
        "",
    ]
    assert lines[5]["reason_code"] == "belongs-to-other-set" and "WIS-GISC-TOULOUSE" in lines[5]["reason"]


def test_documents_with_one_identifier_are_told_of_wherever_a_worker_stops(tmp_path: Path) -> None:
    files = {"1.xml": world.iso_record("urn:a"), "2.xml": world.iso_record("urn:b")}
    files |= {"3.xml": world.iso_record("urn:a", title="Other"), "4.xml": world.iso_record("urn:b", title="Other")}
    with upload.LIMITS.replaced(slice_s=0, rows=1):
        made = work(new_upload(tmp_path, {"records.zip": zipped(files)}))
        upload.begin_storing(made, made.contents.exclude(source="records.zip:2.xml"))
        made = work(made)
    rows = list(made.contents.order_by("number").values_list("preview", "result"))
    assert rows == [("new", "new"), ("new", ""), ("repeated", "repeated"), ("repeated", "new")]
    assert [group.name for group in upload_words.groups(upload_report.count(made).preview)] == ["new", "repeated"]
    assert upload_report.count(made).otherwise == 1, "the other document was not stored after all"


def test_what_changes_between_preview_and_act_is_said(catalogue: None, tmp_path: Path) -> None:
    made = work(new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)}))
    world.put(world.iso_record("urn:changed", title="By somebody else"), world.iso_record("urn:new"))
    store.withdraw(["urn:older"])
    upload.begin_storing(made, made.contents.all())
    made = work(made)
    found = {row.identifier: row for row in made.contents.exclude(result="")}
    assert (found["urn:changed"].result, found["urn:changed"].record_changed) == ("updated", True)
    assert found["urn:new"].result == "unchanged"
    assert found["urn:older"].result == "rejected", "it was live when it was shown, so it does not come back by this"
    assert found["urn:older"].result_reason["code"] == ReasonCode.WITHDRAWN
    assert found["urn:gone"].result == "brought_back"
    otherwise = upload_report.select(made, result="otherwise").values_list("identifier", flat=True)
    assert set(otherwise) == {"urn:changed", "urn:new", "urn:older"}
    assert upload_report.count(made).otherwise == 3


def test_documents_are_found_by_outcome_label_result_and_words(catalogue: None, tmp_path: Path) -> None:
    made = work(new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)}))

    def found(**given: str) -> list[str]:
        return [row.source.rpartition("/")[2] for row in upload_report.select(made, **given)]

    assert found(outcome="new") == ["new.xml", "twice-1.xml"]
    assert found(words="UPPER") == found(words="urn:changed") == ["changed.xml"]
    assert found(words="twice-2") == ["twice-2.xml"]
    assert len(found(label="faults")) == 6 and found(label="valid") == []
    assert len(found(result="open")) == 6 and found(result="stored") == []
    assert len(found(outcome="of no kind")) == 10


def test_a_set_that_is_fed_by_others_takes_no_uploads_and_says_why(toulouse: MetadataSet, tmp_path: Path) -> None:
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind=MetadataSet.Kind.SHARED)
    Link.objects.create(name="co-owner", base_url="http://127.0.0.1:9/oai", local_set=shared, kind=Kind.SHARED)
    Link.objects.create(name="toulouse", base_url="http://127.0.0.1:9/oai", local_set=toulouse)
    found = {each.spec: (refusal and refusal.code, yields) for each, refusal, yields in upload.storable_sets()}
    assert found == {
        world.OUR_SPEC: (None, frozenset()),
        shared.spec: (ReasonCode.HARVESTED_FROM_CO_OWNER, frozenset()),
        toulouse.spec: (None, frozenset({"toulouse"})),
    }
    with pytest.raises(ActRefused):
        new_upload(tmp_path, {"a.xml": b"x"}, shared)
    made = new_upload(tmp_path, {"a.xml": DOCUMENTS["a/new.xml"]}, toulouse)
    Link.objects.filter(name="toulouse").update(kind=Kind.SHARED)
    MetadataSet.objects.filter(pk=toulouse.pk).update(kind=MetadataSet.Kind.SHARED)
    made = work(made)
    assert (made.state, made.fault["code"]) == (State.FAILED, ReasonCode.HARVESTED_FROM_CO_OWNER)


def test_an_upload_that_cannot_go_on_says_why_and_can_be_tried_again(db: None, tmp_path: Path) -> None:
    made = new_upload(tmp_path, {"a.xml": DOCUMENTS["a/new.xml"]})
    Upload.objects.filter(pk=made.pk).update(tries=upload.LIMITS.in_force.tries)
    made = work(made)
    assert (made.state, made.fault["code"]) == (State.FAILED, ReasonCode.UPLOAD_STALLED)
    assert upload.try_again(made) and work(made).state == State.READY
    assert not upload.try_again(made)
    shutil.rmtree(upload_folder._path(made.folder))
    upload.begin_storing(made, made.contents.all())
    made = work(made)
    assert (made.state, made.fault["code"]) == (State.FAILED, ReasonCode.UPLOAD_FILES_GONE)
    assert upload.close(made) and not Record.objects.exists()

    many = new_upload(tmp_path, {f"{name}.xml": DOCUMENTS["a/new.xml"] for name in "abc"})
    with pytest.raises(ActRefused):
        preview.check(
            many, world.own_set(), until=seams.monotonic() + 600, processes=1, limits=preview.PreviewLimits(documents=2)
        )


def test_a_person_stops_a_preview_and_a_storing(catalogue: None, tmp_path: Path) -> None:
    made = new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)})
    assert upload.stop(made) and work(made).state == State.CLOSED
    assert not made.contents.exists()
    made = work(new_upload(tmp_path, {"records.zip": zipped(DOCUMENTS)}))
    upload.begin_storing(made, made.contents.all())
    assert upload.stop(made)
    made = work(made)
    assert made.state == State.READY and not made.contents.filter(chosen=True).exists()
    assert upload.close(made) and not upload.close(made)


def test_what_is_older_than_the_retention_goes_with_its_files(
    db: None, tmp_path: Path, upload_dir: Path, settings
) -> None:
    settings.GISC_UPLOAD_RETENTION_DAYS = 30
    old, recent = (work(new_upload(tmp_path, {"a.xml": DOCUMENTS["a/new.xml"]})) for _ in range(2))
    Upload.objects.filter(pk=old.pk).update(created=seams.now() - timedelta(days=31))
    stray = upload_dir / "incoming-cut-off"
    stray.write_bytes(b"x")
    fresh = upload_dir / "incoming-now"
    fresh.write_bytes(b"x")
    yesterday = seams.now().timestamp() - 2 * 86_400
    os.utime(stray, (yesterday, yesterday))
    upload.remove_old()
    assert list(Upload.objects.all()) == [recent]
    assert {path.name for path in upload_dir.iterdir()} == {str(recent.folder), "incoming-now"}
    assert set(UploadDocument.objects.values_list("upload_id", flat=True)) == {recent.pk}


def test_a_disk_without_room_takes_nothing(db: None, tmp_path: Path, settings) -> None:
    settings.GISC_DISK_LOW_MB = 10**9
    with pytest.raises(ActRefused):
        new_upload(tmp_path, {"a.xml": b"x"})
    assert not Upload.objects.exists()


# --- Killed -------------------------------------------------------------------------------------------

NUMBER = 1800
# Works as the worker's task does, with the database and the folder of the test.
WORKER = """
import sys, django
from pathlib import Path
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.GISC_UPLOAD_DIR = Path(sys.argv[2])
from catalogue import locks
from catalogue.bulk import upload
more = True
while more:
    with locks.session_lock(locks.UPLOADS) as taken:
        more = upload.work(processes=1)
"""


def start_worker(upload_dir: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(connection.settings_dict["NAME"]), str(upload_dir)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "gisc.settings"},
        stderr=subprocess.PIPE,
    )


def killed_at(upload_dir: Path, numbers: Iterable[int], count) -> Iterator[int]:
    """Start a worker, and kill -9 it as soon as so many are done; for each number. Yields how many were done then."""
    for number in numbers:
        process = start_worker(upload_dir)
        while (done := count()) < number:
            assert process.poll() is None, process.stderr.read().decode()
        process.kill()
        process.wait()
        yield done


@pytest.mark.django_db(transaction=True)
def test_kill_9_in_the_middle_of_checking_and_of_storing_loses_and_doubles_nothing(
    toulouse: MetadataSet, tmp_path: Path, upload_dir: Path
) -> None:
    files = {f"{number}.xml": world.iso_record(f"urn:{number:05}") for number in range(NUMBER)}
    made = new_upload(tmp_path, {"records.zip": zipped(files)})
    rows = UploadDocument.objects.filter(upload=made)
    done = list(killed_at(upload_dir, (501,), rows.count))
    assert all(0 < number < NUMBER for number in done), "the kills fell into the middle"
    process = start_worker(upload_dir)
    assert process.wait(120) == 0, process.stderr.read().decode()
    made.refresh_from_db()
    assert (made.state, made.documents, rows.count()) == (State.READY, NUMBER, NUMBER)
    assert list(rows.order_by("number").values_list("number", flat=True)) == list(range(1, NUMBER + 1))

    assert upload.begin_storing(made, rows) == NUMBER
    done = list(killed_at(upload_dir, (1, 501), Record.objects.count))
    assert all(0 < number < NUMBER for number in done), "the kills fell into the middle"
    process = start_worker(upload_dir)
    assert process.wait(120) == 0, process.stderr.read().decode()
    made.refresh_from_db()
    assert (made.state, made.stored) == (State.CLOSED, NUMBER)
    assert Counter(rows.values_list("result", flat=True)) == {"new": NUMBER}, "each was stored once, and reported so"
    stored = set(Record.objects.filter(deleted=False).values_list("identifier", flat=True))
    assert stored == {f"urn:{number:05}" for number in range(NUMBER)}
    assert Record.objects.count() == NUMBER


def test_names_of_members_that_are_no_text_are_shown_with_their_bytes(tmp_path: Path) -> None:
    """Such as those of a tar from a machine that writes Latin-1."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", encoding="latin-1", format=tarfile.GNU_FORMAT) as archive:
        content = world.iso_record("urn:a")
        member = tarfile.TarInfo("m\u00e9t\u00e9o.xml")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    made = work(new_upload(tmp_path, {"records.tar": packed.getvalue()}))
    assert made.state == State.READY
    assert [row.source for row in made.contents.all()] == ["records.tar:m\\xe9t\\xe9o.xml"]
