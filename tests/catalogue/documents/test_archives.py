"""Archives that unpack to far more than records do: what comes before is taken, the rest is refused in one sentence."""

import gzip
import io
import subprocess
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from catalogue.documents import archives, sources
from catalogue.reasons import ReasonCode
from tests.support import bombs

GOOD = bombs.record(identifier=b"urn:x:good")
ZEROS = 300_000_000


class Zeros(io.RawIOBase):
    """A file of zeros, to be packed."""

    def __init__(self, size: int) -> None:
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        number = min(len(buffer), self.left)
        buffer[:number] = bytes(number)
        self.left -= number
        return number


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def tar_bomb(path: Path) -> Path:
    path = path / "a.tar.gz"
    with gzip.open(path, "wb", compresslevel=9) as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
        add(archive, "good.xml", GOOD)
        member = tarfile.TarInfo("zeros")  # which is not even a record by its name
        member.size = ZEROS
        archive.addfile(member, io.BufferedReader(Zeros(ZEROS)))
        add(archive, "late.xml", GOOD)
    return path


def zip_bomb(path: Path) -> Path:
    path = path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("good.xml", GOOD)
        for number in range(ZEROS // 10_000_000):
            archive.writestr(f"{number}.xml", b"<a>" + bytes(9_999_000) + b"</a>")
        archive.writestr("late.xml", GOOD)
    return path


def header_bomb(path: Path) -> Path:
    """A .tar whose long name would be read into memory."""
    path = path / "a.tar.gz"
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, ZEROS
    with gzip.open(path, "wb", compresslevel=9) as packed:
        good = tarfile.TarInfo("good.xml")
        good.size = len(GOOD)
        packed.write(good.tobuf() + GOOD + bytes(-len(GOOD) % 512) + header.tobuf())
        for _ in range(ZEROS // 1_000_000):
            packed.write(bytes(1_000_000))
    return path


def packed_tar(path: Path, *parts: bytes) -> Path:
    path = path / "a.tar.gz"
    good = tarfile.TarInfo("good.xml")
    good.size = len(GOOD)
    with gzip.open(path, "wb", compresslevel=9) as packed:
        for part in (good.tobuf(), GOOD, *parts, bytes(10240)):
            packed.write(part + bytes(-len(part) % tarfile.BLOCKSIZE))
    return path


def old_sparse_bomb(path: Path) -> Path:
    """A sparse file whose many parts stand in blocks after its header (GNU tar before 1.14): 400,000 of them took 81 s, 1.6 GB."""
    member = tarfile.TarInfo("holes.xml")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    part = b"00000000001\0" * 2  # where it begins, and how long it is
    header[386 : 386 + 4 * len(part)] = 4 * part
    header[482], header[483:495] = 1, b"00000000012\0"  # more parts follow; the size with the holes
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return packed_tar(path, bytes(header), 300 * (21 * part + b"\1" + bytes(7)))


def new_sparse_bomb(path: Path) -> Path:
    """A sparse file whose parts are lines before its content (POSIX): 10,000,000 of them, 39 kB when packed, took 87 s and 1.9 GB."""
    attributes = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n27 GNU.sparse.realsize=100\n"
    announced, member = tarfile.TarInfo("attributes"), tarfile.TarInfo("holes.xml")
    announced.type, announced.size = tarfile.XHDTYPE, len(attributes)
    lines = b"50000\n" + 100_000 * b"1\n"
    member.size = len(lines)
    return packed_tar(path, announced.tobuf(), attributes, member.tobuf(), lines)


@pytest.mark.parametrize(
    ("make", "of"),
    [
        (tar_bomb, "bytes"),
        (zip_bomb, "bytes"),
        (header_bomb, "header"),
        (old_sparse_bomb, "header"),
        (new_sparse_bomb, "header"),
    ],
    ids=["tar", "zip", "header", "old-sparse", "new-sparse"],
)
def test_an_archive_that_unpacks_to_too_much_is_left(tmp_path: Path, make, of: str) -> None:
    path = make(tmp_path)
    assert path.stat().st_size < 3_000_000
    tracemalloc.start()
    try:
        with archives.LIMITS.replaced(header_bytes=100_000):
            found = list(sources.documents([path]))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found[0].content == GOOD
    fault = found[-1].fault
    assert fault is not None
    assert (found[-1].source, fault.code, fault.facts["of"]) == (str(path), ReasonCode.ARCHIVE_OVER_LIMIT, of)
    assert str(fault).endswith("unpack it yourself, look at what is in it, and name the folder")
    assert not any(each.source.endswith("late.xml") for each in found)
    assert peak < 300_000_000


def test_headers_that_announce_each_other_without_end_end_the_archive(tmp_path: Path) -> None:
    announced = tarfile.TarInfo("././@LongLink")
    announced.type, announced.size = tarfile.GNUTYPE_LONGNAME, 5
    path = packed_tar(tmp_path, *(500 * (announced.tobuf(tarfile.GNU_FORMAT), b"b.xml")))
    good, *rest = sources.documents([path])
    assert good.content == GOOD
    assert [str(each.fault).rpartition(": ")[2] for each in rest] == ["more than 20 headers before one file"]


def test_a_sparse_file_and_long_names_are_read(tmp_path: Path) -> None:
    """As tar writes them for records that lie on a disk that packs files, and below long paths."""
    content = GOOD + bytes(1_000_000)
    file = tmp_path / f"{'b' * 150}.xml"
    with file.open("wb") as written:
        written.write(GOOD)
        written.truncate(len(content))
    for posix in ("gnu", "posix"):
        path = tmp_path / "c.tar"
        command = ["tar", "--sparse", f"--format={posix}", "-cf", str(path), "-C", str(tmp_path), file.name]
        subprocess.run(command, check=True)
        assert path.stat().st_size < 20_000
        assert [(each.source, each.content) for each in sources.documents([path])] == [(f"{path}:{file.name}", content)]


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
def test_an_archive_of_too_many_members_is_left(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    names = [f"{number}.xml" for number in range(30)]
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name in names:
                packed.writestr(name, GOOD)
    else:
        with tarfile.open(path, "w:gz" if suffix.endswith("gz") else "w") as packed:
            for name in names:
                add(packed, name, GOOD)
    with archives.LIMITS.replaced(members=20):
        if suffix == ".zip":
            with pytest.raises(sources.SourceError, match="has more than 20 members"):
                sources.check_sources([path])
            with pytest.raises(archives.OverLimit):
                list(sources.documents([path]))
        else:
            *taken, last = sources.documents([path])
            assert (len(taken), str(last.fault).partition(";")[0]) == (20, "has more than 20 members")
    assert len(list(sources.documents([path]))) == 30


def test_a_header_that_fills_the_memory_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.XHDTYPE, 10_000_000
    path.write_bytes(header.tobuf() + bytes(10_002_432))
    with pytest.raises(sources.SourceError, match="a header of more than 1,048,576 bytes"):
        sources.check_sources([path])


def test_a_stream_keeps_no_list_of_its_members(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as packed:
        for number in range(5_000):
            add(packed, f"{number}.xml", GOOD)
    tracemalloc.start()
    try:
        number = sum(1 for _ in sources.documents([path]))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert number == 5_000
    assert peak < 1_000_000
