"""Archives of records made from the samples that ship: other identifiers, and other abstracts where wanted."""

import io
import re
import tarfile
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

from tests.support.paths import ROOT

_IDENTIFIER = re.compile(r"(<gmd:fileIdentifier>\s*<gco:CharacterString>)[^<]*")
_ABSTRACT = re.compile(r"(<gmd:abstract[^>]*>\s*<gco:CharacterString[^>]*>)")


def identifier(name: str) -> str:
    return f"urn:x-wmo:md:int.wmo.wis::{name}"


def make(file: Path, names: Iterable[str], *, note: str = "") -> Path:
    """A .tar with one record for each name, in this order. `note` begins the abstract."""
    samples = [sample.read_text(encoding="utf-8") for sample in sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))]
    with tarfile.open(file, "w") as archive:
        for name, sample in zip(names, cycle(samples)):
            text, found = _IDENTIFIER.subn(rf"\g<1>{identifier(name)}", sample, count=1)
            text, noted = _ABSTRACT.subn(rf"\g<1>{note}", text, count=1)
            assert (found, noted) == (1, 1)
            content = text.encode()
            member = tarfile.TarInfo(f"{name}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the files of an archive of ours into a folder."""
    if hasattr(tarfile, "data_filter"):  # since Python 3.11.4; Debian 12 has 3.11.2
        archive.extractall(folder, filter="data")
    else:
        archive.extractall(folder)
