"""docs/ogcapi.md has each conformance class that is declared, and tests that there are."""

import re

from catalogue.discovery.ogcapi.documents import CONFORMANCE
from tests.support.paths import ROOT

HERE = ROOT / "tests" / "catalogue" / "ogcapi"
ROWS = re.findall(
    r"^\| ([\w.-]+/1\.0/conf/[\w-]+) \| (.+) \|$", (ROOT / "docs" / "ogcapi.md").read_text(), re.MULTILINE
)


def test_the_table_has_the_classes_that_are_declared() -> None:
    assert [f"http://www.opengis.net/spec/{name}" for name, _tests in ROWS] == list(CONFORMANCE)


def test_each_class_is_shown_by_tests_that_there_are() -> None:
    there = set(re.findall(r"^def (test_\w+)", "".join(file.read_text() for file in HERE.glob("*.py")), re.MULTILINE))
    for name, text in ROWS:
        tests = re.findall(r"`(\w+)`", text)
        assert tests, name
        assert set(tests) <= there, name
