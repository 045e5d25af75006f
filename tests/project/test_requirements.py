"""The locked requirements: exact, with hashes, and good with any index."""

import re

import pytest

from tests.support.locked import requirements
from tests.support.paths import ROOT

FILES = ("requirements.txt", "requirements-dev.txt")


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_is_exact_and_has_hashes(file: str) -> None:
    lines = requirements(file)
    assert lines
    for line in lines:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^ ]+ ", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("file", FILES)
def test_no_index_and_no_address_is_named(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert "--extra-index" not in text
    assert "--find-links" not in text


@pytest.mark.parametrize("part", ["", "-dev"])
def test_everything_that_is_asked_for_is_locked(part: str) -> None:
    def names(text: str) -> set[str]:
        found = re.findall(r"^([A-Za-z][A-Za-z0-9._-]*)", text, flags=re.MULTILINE)
        return {re.sub(r"[-_.]+", "-", name).lower() for name in found}

    wanted = (ROOT / f"requirements{part}.in").read_text(encoding="utf-8")
    assert names(wanted) <= names((ROOT / f"requirements{part}.txt").read_text(encoding="utf-8"))
