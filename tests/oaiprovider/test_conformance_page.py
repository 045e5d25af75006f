"""docs/conformance.md is a claim; here it is held against the tests."""

import ast
import functools
import re

import pytest

from tests.oaiprovider.lists import test_situations
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "conformance.md"
ROW = re.compile(r"^\| (?P<rule>[A-Z]\d+) \| (?P<state>[a-z ]+) \| (?P<text>.*?) \| (?P<tests>.*?) \|$", re.MULTILINE)
STATES = {"does", "not yet", "chose", "not ours"}
# T3.31 and T3.38 are about repositories of another kind: without deletions, with days.
SITUATIONS = {f"T3.{number}" for number in range(1, 57)} - {"T3.31", "T3.38"}


def rows() -> list[dict[str, str]]:
    return [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


@functools.cache  # every test file is read
def proving() -> dict[str, set[str]]:
    """Every test's name, and the rules of its marker."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.setdefault(node.name, set()).update(
                    argument.value
                    for decorator in node.decorator_list
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.spec"
                    for argument in decorator.args
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                )
    return found


def test_every_provider_rule_has_one_row() -> None:
    rules = [row["rule"] for row in rows()]
    reserved = {118, 119, *range(131, 140)}
    expected = {f"P{number}" for number in range(1, 147) if number not in reserved} | {f"S{n}" for n in range(1, 41)}
    expected |= {f"G{number}" for number in range(1, 18)} | {f"S{n}" for n in range(41, 54)}
    expected |= {f"E{number}" for number in range(1, 31)}
    assert sorted(expected - set(rules)) == []
    assert len(rules) == len(set(rules))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["rule"])
def test_a_row_names_tests_that_exist(row: dict[str, str]) -> None:
    named = re.findall(r"`(test_\w+)`", row["tests"])
    known = proving()
    assert row["state"] in STATES
    assert [name for name in named if name not in known] == []
    if row["state"] == "does":
        assert any(row["rule"] in known[name] for name in named), "what is done names a test whose marker says so"


def test_every_situation_of_table_t3_has_a_test() -> None:
    """Those that one request shows are cases of one table; the others have tests of their own."""
    marked = {rule for rules in proving().values() for rule in rules}
    table = {case.row for case in test_situations.CASES}
    assert SITUATIONS - table - marked == set()
    assert len(SITUATIONS - table) < 8


def test_every_provider_rule_that_a_test_claims_to_prove_has_a_row() -> None:
    claimed = {rule for rules in proving().values() for rule in rules if re.fullmatch(r"[PGSE]\d+", rule)}
    assert claimed - {row["rule"] for row in rows()} == set()
