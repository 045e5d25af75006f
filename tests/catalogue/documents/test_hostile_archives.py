"""Archives that somebody made to do harm: names, links, devices, nested ones, damage. Nothing leaves the archive, nothing raises.

Seeded: each number is one archive. ARCHIVES=5000 tries more.
"""

import io
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from catalogue.documents import archives, sources, xml_tree
from tests.support import bombs

ARCHIVES = int(os.environ.get("ARCHIVES", "160"))
GOOD = bombs.record(identifier=b"urn:x:good")
SECRET = b"what stands in a file of this host"
UNPACKED, MEMBERS = 300_000, 60
NAMES = [
    *("good.xml", "a/b/c.xml", "../../../escaped.xml", "/escaped.xml", "..\\..\\escaped.xml", "C:\\escaped.xml"),
    *("a/../../escaped.xml", "~/escaped.xml", "-rf.xml", "con.xml", "x" * 300 + ".xml", "a\nb.xml", "a\x1b[2J.xml"),
    *(
        "\u202elmx.exe.xml",
        "é.xml",
        ".hidden.xml",
        "a.XML",
        "nested.zip",
        "nested.xml.zip",
        "",
        ".xml",
        "//x.xml",
        "a b.xml",
    ),
    *(
        "$(touch escaped).xml",
        "`touch escaped`.xml",
        "%2e%2e%2fescaped.xml",
        "a;b|c&d.xml",
        "/".join("d" * 90) + "/x.xml",
    ),
]
_LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, b"V")


def content(chance: random.Random, secret: Path) -> bytes:
    """What a member has in it."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as nested:
        nested.writestr("good.xml", GOOD)
    xxe = b'<!DOCTYPE a [<!ENTITY e SYSTEM "%s">]><a>&e;</a>' % secret.as_uri().encode()
    return chance.choice((GOOD, GOOD, b"", b"<a", inner.getvalue(), xxe, bytes(60_000), chance.randbytes(500)))


def make_zip(chance: random.Random, path: Path, secret: Path) -> None:
    packing = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(path, "w", packing) as archive:
        for _ in range(chance.choice((0, 3, 5, 9, 12, 70))):
            member = zipfile.ZipInfo(chance.choice(NAMES) or "x", (1980, 1, 1, 0, 0, 0))
            member.compress_type = packing
            if chance.random() < 0.2:  # a symbolic link of Unix, whose content is where it leads
                member.external_attr = 0o120777 << 16
                archive.writestr(member, str(secret))
            else:
                archive.writestr(member, content(chance, secret))


def make_tar(chance: random.Random, path: Path, secret: Path) -> None:
    with tarfile.open(path, chance.choice(("w", "w:gz", "w:bz2", "w:xz")), format=chance.choice((0, 1, 2))) as archive:
        for _ in range(chance.choice((0, 3, 5, 9, 12, 70))):
            member = tarfile.TarInfo(chance.choice(NAMES))
            body = content(chance, secret)
            if chance.random() < 0.3:
                member.type, member.linkname, body = chance.choice(_LINKS), str(secret), b""
            member.size = len(body)
            try:
                archive.addfile(member, io.BytesIO(body))
            except ValueError:  # a name that this format of tar cannot hold
                continue


def damage(chance: random.Random, path: Path) -> None:
    """Change, cut or repeat bytes, above all where headers and lists of members are."""
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 4, 30))):
        place = chance.randrange(len(data)) if chance.random() < 0.5 else max(0, len(data) - chance.randrange(1, 200))
        act = chance.randrange(4)
        if act == 0:
            data[place] = chance.randrange(256)
        elif act == 1:
            data[place : place + 4] = b"\xff\xff\xff\xff"
        elif act == 2:
            data[place : place + 1] = bytes(chance.randrange(20))
        elif len(data) > 100 and place > 50:
            del data[place:]
    path.write_bytes(bytes(data))


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_nothing_that_an_archive_may_be_gets_out_of_it_or_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, work = tmp_path / "secret.xml", tmp_path / "work"
    secret.write_bytes(SECRET)
    work.mkdir()
    monkeypatch.chdir(work)
    sentences: list[str] = []
    outcomes = {"refused": 0, "documents": 0, "faults": 0, "good": 0}
    for seed in range(ARCHIVES):
        chance = random.Random(seed)
        is_zip = chance.random() < 0.5
        path = work / ("a.zip" if is_zip else "a.tar.gz")
        (make_zip if is_zip else make_tar)(chance, path, secret)
        if chance.random() < 0.5:
            damage(chance, path)
        with archives.LIMITS.replaced(members=MEMBERS, unpacked_bytes=UNPACKED, ratio=2):
            try:
                sources.check_sources([path])
            except sources.SourceError as exc:
                sentences.append(str(exc))
                outcomes["refused"] += 1
                path.unlink()
                continue
            try:
                found = list(sources.documents([path]))
            except Exception as exc:
                raise AssertionError(f"archive {seed} ({path.name}): {type(exc).__name__}: {exc}") from exc
        read = [each for each in found if each.fault is None]
        assert len(found) <= MEMBERS + 1, seed
        assert sum(len(each.content) for each in read) <= max(UNPACKED, 2 * path.stat().st_size), seed
        assert all(len(each.content) <= xml_tree.MAX_RECORD_BYTES for each in read), seed
        assert all(each.source.startswith(str(path)) for each in found), seed
        assert not any(SECRET in each.content for each in read), f"archive {seed}: a link was followed"
        outcomes["documents"] += len(read)
        outcomes["faults"] += len(found) - len(read)
        outcomes["good"] += any(each.content == GOOD for each in read)
        path.unlink()
    assert not any("\n" in sentence for sentence in sentences)
    assert everything(tmp_path) == {"secret.xml", "work"}, "something was written outside of the archive"
    assert min(outcomes.values()) > ARCHIVES // 20, outcomes
