"""Helpers of the tests stand in one place: what files of several folders use is in tests/support/."""

import ast
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

# Programs that have tests of their own.
PROGRAMS = {
    "tests.trace",
    "tests.project.surface",
    "tests.project.file_table",
    "tests.project.found_state",
    "tests.upgrade.make_fixture",
}
ALLOWED = {
    "tests/browser/conftest.py imports tests.harvester.conftest",  # a fixture, which pytest finds by its name
    "tests/oaiprovider/test_conformance_page.py imports tests.oaiprovider.lists.test_situations",  # the page names its cases
}


@cache
def modules() -> dict[str, Path]:
    """The files of the tests, by module."""
    return {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in (ROOT / "tests").rglob("*.py")}


@cache
def imports(module: str) -> set[str]:
    """The modules of the tests that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} & modules().keys() or {str(node.module)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("tests.")}
    return found


def test_a_file_imports_helpers_from_its_own_folder_and_from_support_alone() -> None:
    assert len(modules()) > 100
    strays = {
        f"{modules()[module].relative_to(ROOT)} imports {other}"
        for module in modules()
        for other in imports(module) - PROGRAMS
        if other.rpartition(".")[0] not in ("tests.support", module.rpartition(".")[0])
        or other.rpartition(".")[2].startswith("test_")
    }
    assert strays == ALLOWED


def test_helpers_import_no_other_files_of_the_tests() -> None:
    helpers = [module for module in modules() if module.startswith("tests.support.")]
    assert len(helpers) > 20
    assert {
        helper: imports(helper)
        for helper in helpers
        if not all(o.startswith("tests.support.") for o in imports(helper))
    } == {}


def test_each_helper_says_what_it_is() -> None:
    sources = {module: file.read_text(encoding="utf-8") for module, file in modules().items() if "support" in module}
    assert [module for module, source in sources.items() if not ast.get_docstring(ast.parse(source))] == []
