"""Files, folders and archives taken in: every document is accounted for, and a bad path stores nothing."""

import io
import json
import os
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.bulk import ingest
from catalogue.documents import sources, xml_tree
from catalogue.documents.sources import Document
from catalogue.models import MetadataSet, Record
from tests.support import world
from tests.support.commands import command

pytestmark = pytest.mark.django_db

GOOD = {f"{name}.xml": world.iso_record(f"urn:{name}") for name in "abc"}
BAD = {"broken.xml": b"<gmd:MD_Metadata>", "empty.xml": b"", "page.xml": b"<html/>"}
NOT_RECORDS = {"notes.txt": b"x", ".hidden.xml": b"<a/>", "c.xml.bak": b"x", "thumbs.db": b"\x00", "xml": b"x"}


def folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path


def zipped(path: Path, files: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, files: Mapping[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # any of its modes
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def take(*paths: Path) -> ingest.IngestReport:
    sources.check_sources(paths)
    report = ingest.ingest(sources.documents(paths), into=world.own_set())
    assert report.offered == sum(report.counts.values())
    assert report.counts["rejected"] == len(report.rejects)
    assert all(reject.reason and reject.source for reject in report.rejects)
    return report


def stored() -> set[str]:
    return set(Record.objects.values_list("identifier", flat=True))


# --- What is taken --------------------------------------------------------------------------------------


MAKERS = {
    "folder": lambda path, files: folder(path / "folder", files),
    "zip": lambda path, files: zipped(path / "a.zip", files),
    "ZIP, not compressed": lambda path, files: zipped(path / "A.ZIP", files, zipfile.ZIP_STORED),
    "zip with LZMA": lambda path, files: zipped(path / "a.zip", files, zipfile.ZIP_LZMA),
    "tar": lambda path, files: tarred(path / "a.tar", files),
    "tar.gz": lambda path, files: tarred(path / "a.tar.gz", files, "w:gz"),
    "tgz": lambda path, files: tarred(path / "a.tgz", files, "w:gz"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_each_record_of_an_answer_is_taken_and_named_by_its_place(kind: str, tmp_path: Path) -> None:
    records = b"".join(GOOD[name].partition(b"?>")[2] for name in ("a.xml", "b.xml"))
    files = {"answers.xml": b"<r:metadata xmlns:r='http://www.openarchives.org/OAI/2.0/'>" + records + b"</r:metadata>"}
    path = MAKERS[kind](tmp_path, files)
    assert [each.source[-14:] for each in sources.documents([path])] == ["answers.xml[1]", "answers.xml[2]"]
    assert take(path).counts == {"new": 2}
    assert stored() == {"urn:a", "urn:b"}


@pytest.mark.parametrize("kind", MAKERS)
def test_the_xml_files_of_a_folder_or_an_archive_are_taken_and_nothing_else(kind: str, tmp_path: Path) -> None:
    path = MAKERS[kind](tmp_path, {**GOOD, "deep/er/D.XML": world.iso_record("urn:d"), **BAD, **NOT_RECORDS})
    report = take(path)
    assert stored() == {"urn:a", "urn:b", "urn:c", "urn:d"}
    assert report.as_dict() | {"rejects": None} == {
        **dict.fromkeys(("updated", "repeated", "brought_back", "older", "unchanged", "claimed"), 0),
        "offered": 7,
        "new": 4,
        "rejected": 3,
        "rejects": None,
        "claims": [],
        "remarks": [],
    }
    assert {reject.source.rsplit("/", 1)[-1].rsplit(":", 1)[-1] for reject in report.rejects} == set(BAD)
    assert take(path).as_dict()["unchanged"] == 4


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    folder(tmp_path, {"record": GOOD["a.xml"], "b.txt": GOOD["b.xml"], "c.xml": GOOD["c.xml"]})
    assert take(tmp_path / "record", tmp_path / "b.txt", tmp_path / "c.xml").counts["new"] == 3


def test_several_paths_are_one_report_and_a_path_named_twice_is_unchanged_the_second_time(tmp_path: Path) -> None:
    here = folder(tmp_path / "x", GOOD)
    archive = zipped(tmp_path / "y.zip", {"d.xml": world.iso_record("urn:d")})
    report = take(here, archive, here)
    counts = {"offered": 7, "new": 4, "unchanged": 3}
    none = dict.fromkeys(("updated", "repeated", "brought_back", "older", "claimed", "rejected"), 0)
    assert report.as_dict() == {**counts, **none, "rejects": [], "claims": [], "remarks": []}


def test_folders_behind_links_are_taken_once_and_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    here = folder(tmp_path / "x", {"a.xml": GOOD["a.xml"]})
    elsewhere = folder(tmp_path / "y", {"b.xml": GOOD["b.xml"], "c.xml": GOOD["c.xml"]})
    for name, target in {"one": elsewhere, "two": elsewhere, "circle": here, "nothing": tmp_path / "away"}.items():
        (here / name).symlink_to(target)
    report = take(here)
    assert (report.counts, stored()) == ({"new": 3, "rejected": 1}, {"urn:a", "urn:b", "urn:c"})
    assert [(each.source, each.reason.code) for each in report.rejects] == [(str(here / "nothing"), "unreadable-file")]


def test_an_empty_folder_and_an_empty_archive_are_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = take(tmp_path / "empty", zipped(tmp_path / "e.zip", {}), tarred(tmp_path / "e.tar", {}))
    assert (report.offered, report.rejects) == (0, [])


def test_a_folder_called_like_a_record_is_gone_into_not_read(tmp_path: Path) -> None:
    folder(tmp_path / "x" / "records.xml", {"a.xml": GOOD["a.xml"]})
    assert take(tmp_path / "x").counts["new"] == 1
    assert take(tmp_path / "x" / "records.xml").counts["unchanged"] == 1


def test_a_dangling_link_in_a_folder_is_a_reject(tmp_path: Path) -> None:
    here = folder(tmp_path / "x", {"a.xml": GOOD["a.xml"]})
    (here / "gone.xml").symlink_to(tmp_path / "no-such-file")
    (here / "round.xml").symlink_to(here / "round.xml")
    report = take(here)
    assert report.counts["new"] == 1
    assert {(Path(r.source).name, str(r.reason).split(":")[0]) for r in report.rejects} == {
        ("gone.xml", "cannot be read"),
        ("round.xml", "cannot be read"),
    }


def test_members_of_archives_that_are_no_files_are_passed_over(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, kind in (("d.xml", tarfile.DIRTYPE), ("l.xml", tarfile.SYMTYPE), ("f.xml", tarfile.FIFOTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.mkdir("folder.xml")
    assert take(tmp_path / "a.tar", tmp_path / "a.zip").offered == 0


def test_names_that_lead_out_of_the_archive_write_nothing_anywhere(tmp_path: Path) -> None:
    files = {"../../escape.xml": GOOD["a.xml"], "/tmp/escape.xml": GOOD["b.xml"]}
    assert take(zipped(tmp_path / "a.zip", files), tarred(tmp_path / "a.tar", files)).counts["new"] == 2
    assert not list(tmp_path.rglob("escape.xml"))
    assert not (tmp_path.parent / "escape.xml").exists()


def test_more_documents_than_one_batch_are_committed_batch_by_batch(tmp_path: Path) -> None:
    files = {f"{n:02}.xml": b"broken" if n % 5 == 4 else world.iso_record(f"urn:{n}") for n in range(23)}
    moved: list[int] = []
    paths = [folder(tmp_path / "x", files)]
    limits = ingest.IngestLimits(batch_records=4)
    report = ingest.ingest(sources.documents(paths), into=world.own_set(), advance=moved.append, limits=limits)
    assert (report.offered, report.counts["new"], len(report.rejects)) == (23, 19, 4)
    assert sum(moved) == sources.estimate(paths) == 23
    assert max(moved) == 4


# --- Too large, damaged, unreadable ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", MAKERS)
def test_a_document_over_the_limit_is_a_reject_and_is_not_read(kind: str, tmp_path: Path) -> None:
    huge = b"<a>" + b" " * xml_tree.MAX_RECORD_BYTES
    path = MAKERS[kind](tmp_path, {"huge.xml": huge, "a.xml": GOOD["a.xml"]})
    assert {document.content for document in sources.documents([path])} == {b"", GOOD["a.xml"]}
    report = take(path)
    assert report.counts == {"new": 1, "rejected": 1}
    assert "a record may have up to" in str(report.rejects[0].reason)


def test_a_zip_that_lies_about_a_size_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"bomb.xml": b" " * 50_000_000})
    honest, lie = (50_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(honest, lie))
    (document,) = sources.documents([path])
    assert len(document.content) <= 1000
    assert document.fault.code == "cannot-unpack"


def test_an_encrypted_member_costs_itself_only(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.xml": GOOD["a.xml"], "b.xml": GOOD["b.xml"]})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the first member's flag, in the directory
    content[6] |= 1
    path.write_bytes(content)
    report = take(path)
    assert report.counts == {"new": 1, "rejected": 1}
    assert "encrypted" in str(report.rejects[0].reason)


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_an_archive_cut_short_gives_what_is_whole_and_tells_the_rest(kind: str, tmp_path: Path) -> None:
    files = {f"{n}.xml": world.iso_record(f"urn:{n}", abstract=os.urandom(3000).hex()) for n in range(5)}
    path = MAKERS[kind](tmp_path, files)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    report = take(path)
    assert 0 < report.counts["new"] < 5
    assert "cut short or damaged" in str(report.rejects[-1].reason)


ARCHIVES = {
    "zip": (".zip", lambda path, files: zipped(path, files)),
    "stored": (".zip", lambda path, files: zipped(path, files, zipfile.ZIP_STORED)),
    "bzip2": (".zip", lambda path, files: zipped(path, files, zipfile.ZIP_BZIP2)),
    "lzma": (".zip", lambda path, files: zipped(path, files, zipfile.ZIP_LZMA)),
    "tar": (".tar", lambda path, files: tarred(path, files)),
    "tar.gz": (".tar.gz", lambda path, files: tarred(path, files, "w:gz")),
    "tar.xz": (".tar", lambda path, files: tarred(path, files, "w:xz")),
}


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(ARCHIVES)),
    cut=st.floats(0, 1) | st.just(1.0),
    spots=st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=40)), max_size=4),
)
def test_a_damaged_archive_is_told_and_never_an_error(
    tmp_path: Path, kind: str, cut: float, spots: list[tuple[float, bytes]]
) -> None:
    ending, make = ARCHIVES[kind]
    content = bytearray(make(tmp_path / f"whole{ending}", GOOD).read_bytes())
    for spot, junk in spots:
        place = int(spot * len(content))
        content[place : place + len(junk)] = junk
    path = tmp_path / f"damaged{ending}"
    path.write_bytes(content[: int(cut * len(content))])
    try:
        sources.check_sources([path])
    except sources.SourceError as exc:
        assert str(path) in str(exc)  # noqa: PT017  (either is right)
    else:
        sources.estimate([path])
        for document in sources.documents([path]):
            assert document.fault or document.source


def no_such(path: Path) -> Path:
    return path / "no-such.xml"


def dangling(path: Path) -> Path:
    (path / "link.xml").symlink_to(path / "gone")
    return path / "link.xml"


def not_a_zip(path: Path) -> Path:
    (path / "a.zip").write_bytes(b"not a zip")
    return path / "a.zip"


def empty_tar(path: Path) -> Path:
    (path / "a.tar.gz").write_bytes(b"")
    return path / "a.tar.gz"


def below_a_file(path: Path) -> Path:
    (path / "file").write_bytes(b"")
    return path / "file" / "a.xml"


@pytest.mark.parametrize("make", [no_such, dangling, not_a_zip, empty_tar, below_a_file])
def test_a_bad_path_is_told_and_nothing_is_stored(make, tmp_path: Path) -> None:
    good = folder(tmp_path / "good", GOOD)
    bad = make(tmp_path)
    with pytest.raises(CommandError) as caught:
        call_command("ingest", str(good), str(bad))
    assert str(bad) in str(caught.value)
    assert str(caught.value).endswith("Nothing was stored.")
    assert stored() == set()


# --- The command ----------------------------------------------------------------------------------------


def test_ingest_prints_counts_and_ends_with_0_when_all_is_stored(tmp_path: Path) -> None:
    assert command("ingest", folder(tmp_path / "x", GOOD)) == (
        0,
        "3 offered: 3 new, 0 updated, 0 unchanged, 0 rejected\n",
        "",
    )


def test_ingest_names_each_reject_and_ends_with_1(tmp_path: Path) -> None:
    status, out, err = command("ingest", folder(tmp_path / "x", {**GOOD, **BAD}))
    assert status == 1
    assert out == "6 offered: 3 new, 0 updated, 0 unchanged, 3 rejected\n"
    assert len(err.splitlines()) == 3
    assert f"rejected: {tmp_path}/x/empty.xml is empty\n" in err


def test_ingest_prints_json_for_scripts(tmp_path: Path) -> None:
    status, out, err = command("ingest", folder(tmp_path / "x", {**GOOD, "empty.xml": b""}), "--json")
    assert (status, err) == (1, "")
    assert json.loads(out) == {
        "offered": 4,
        "new": 3,
        "updated": 0,
        "brought_back": 0,
        "older": 0,
        "repeated": 0,
        "unchanged": 0,
        "claimed": 0,
        "rejected": 1,
        "rejects": [
            {
                "source": f"{tmp_path}/x/empty.xml",
                "identifier": "",
                "reason": "is empty",
                "code": "empty",
                "facts": {},
            }
        ],
        "claims": [],
        "remarks": [],
    }


def test_ingest_stores_in_the_set_that_is_named(tmp_path: Path) -> None:
    world.peer_set(world.TOULOUSE)
    command("ingest", folder(tmp_path / "x", GOOD), "--set", world.TOULOUSE.spec)
    assert set(Record.objects.values_list("owner__spec", flat=True)) == {world.TOULOUSE.spec}


@pytest.mark.parametrize("spec", ["no-such", "WIS-CATALOGUE", "virtual", ""])
def test_ingest_refuses_a_set_that_cannot_hold_records(spec: str, tmp_path: Path) -> None:
    MetadataSet.objects.create(spec="virtual", name="V", kind=MetadataSet.Kind.VIRTUAL)
    with pytest.raises(CommandError, match=f"no set '{spec}' to store in; there are: WIS-GISC-TOKYO. Nothing"):
        command("ingest", folder(tmp_path / "x", GOOD), "--set", spec)


def test_ingest_names_a_record_that_another_set_holds(tmp_path: Path) -> None:
    world.put(GOOD["a.xml"], into=world.peer_set(world.TOULOUSE))
    status, out, _ = command(
        "ingest", folder(tmp_path / "x", {"a.xml": world.iso_record("urn:a", title="Two")}), "--json"
    )
    (reject,) = json.loads(out)["rejects"]
    assert (status, reject["identifier"]) == (1, "urn:a")
    assert "belongs to the set WIS-GISC-TOULOUSE" in reject["reason"]
    assert reject["code"] == "belongs-to-other-set"
    assert reject["facts"] == {"owner": "WIS-GISC-TOULOUSE", "set": "WIS-GISC-TOKYO", "act": "change"}


def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    """Opening a named pipe would wait for whoever writes into it."""
    source = folder(tmp_path / "x", GOOD)
    os.mkfifo(source / "pipe.xml")
    status, _, err = command("ingest", source)
    assert status == 1
    assert f"rejected: {source / 'pipe.xml'} is no regular file" in err
    assert len(stored()) == len(GOOD)


# --- What a person may not have meant ----------------------------------------------------------------------


@pytest.mark.spec("P86", "S33")
def test_an_archive_does_not_bring_back_what_was_withdrawn_since(tmp_path: Path) -> None:
    archive = tarred(tmp_path / "a.tar", GOOD)
    take(archive)
    world.bury("urn:a")
    report = take(archive)
    assert report.counts == {"unchanged": 2, "rejected": 1}
    assert [(reject.identifier, reject.reason.code) for reject in report.rejects] == [("urn:a", "withdrawn")]
    assert Record.objects.get(identifier="urn:a").deleted


@pytest.mark.spec("P86")
def test_what_is_brought_back_on_purpose_is_counted_and_named(tmp_path: Path) -> None:
    archive = tarred(tmp_path / "a.tar", GOOD)
    take(archive)
    world.bury("urn:a")
    status, _, errors = command("ingest", archive)
    assert (status, "--revive" in errors) == (1, True)
    status, printed, errors = command("ingest", "--revive", archive)
    assert (status, "1 brought back, 2 unchanged" in printed) == (0, True)
    assert "urn:a is brought back; it had been deleted on " in errors
    assert not Record.objects.get(identifier="urn:a").deleted


def test_a_version_older_than_what_it_replaces_is_counted_and_named(tmp_path: Path) -> None:
    def dated(day: str) -> Path:
        document = world.iso_record("urn:a", title=day, metadata_date=day)
        return folder(tmp_path / day, {"a.xml": document}) / "a.xml"

    take(dated("2024-02-02"))
    assert take(dated("2024-03-03")).counts == {"updated": 1}
    report = take(dated("2024-02-02"))
    assert report.counts == {"older": 1}
    (remark,) = report.remarks
    assert (remark.identifier, remark.reason.code) == ("urn:a", "older-than-stored")
    assert report.as_dict()["remarks"][0]["facts"] == {"offered": "2024-02-02", "stored": "2024-03-03"}
    assert take(dated("2024-02-02")).counts == {"unchanged": 1}


@pytest.mark.parametrize("limits", [{"batch_records": 1}, {"batch_records": 500}, {"sources_remembered": 0}], ids=str)
def test_of_two_documents_with_one_identifier_the_second_is_counted_and_named(
    tmp_path: Path, transactional_db: None, limits: dict[str, int]
) -> None:
    """A form that was copied, and its identifier left as it was: only one of the records is in the catalogue afterwards."""

    def load(**titles: str) -> ingest.IngestReport:
        documents = [
            Document(source, world.iso_record(f"urn:{source[0]}", title=title)) for source, title in titles.items()
        ]
        return ingest.ingest(documents, into=world.own_set(), limits=ingest.IngestLimits(**limits))

    report = load(a1="One", b="Other", a2="Two", a3="Two", c="Third", a4="One")
    assert report.counts == {"new": 3, "repeated": 2, "unchanged": 1}
    assert [(remark.source, remark.identifier, remark.reason.code) for remark in report.remarks] == [
        ("a2", "urn:a", "instead-of-other-document"),
        ("a4", "urn:a", "instead-of-other-document"),
    ]
    named = "an earlier document" if limits == {"sources_remembered": 0} else "a1"
    assert f"has the identifier of {named}, and takes its place" in str(report.remarks[0].reason)
    assert load(a1="One", a2="Two").counts == {"unchanged": 1, "repeated": 1}, "the first is as it is stored"
    assert load(a1="One", b="Changed").counts == {"updated": 2}, "an earlier load is another matter"


def test_the_command_names_documents_that_take_the_place_of_others(tmp_path: Path) -> None:
    files = {"1.xml": world.iso_record("urn:a", title="One"), "2.xml": world.iso_record("urn:a", title="Two")}
    status, printed, errors = command("ingest", folder(tmp_path / "x", files))
    assert (status, "2 offered: 1 new, 0 updated, 1 instead of another document, 0 unchanged" in printed) == (0, True)
    assert "2.xml urn:a has the identifier of " in errors and "1.xml, and takes its place" in errors


@pytest.mark.spec("P86")
def test_in_a_bulk_load_over_two_connections_too(tmp_path: Path, transactional_db: None) -> None:
    files = {f"{number}.xml": world.iso_record(f"urn:{number}") for number in range(12)}
    paths = [folder(tmp_path / "many", files)]
    limits = ingest.IngestLimits(batch_records=2)

    def load(**options: bool) -> ingest.IngestReport:
        return ingest.ingest(sources.documents(paths), into=world.own_set(), limits=limits, **options)

    load()
    world.bury("urn:1", "urn:11")
    assert load().counts == {"unchanged": 10, "rejected": 2}
    assert load(revives=True).counts == {"unchanged": 10, "brought_back": 2}
