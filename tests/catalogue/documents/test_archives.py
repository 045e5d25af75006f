"""Archives that unpack to far more than records do: what comes before is taken, the rest is refused in one sentence."""

import gzip
import io
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


@pytest.mark.parametrize(
    ("make", "of"), [(tar_bomb, "bytes"), (zip_bomb, "bytes"), (header_bomb, "header")], ids=["tar", "zip", "header"]
)
def test_an_archive_that_unpacks_to_too_much_is_left(tmp_path: Path, make, of: str) -> None:
    path = make(tmp_path)
    assert path.stat().st_size < 3_000_000
    tracemalloc.start()
    try:
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
