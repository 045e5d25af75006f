"""Limits are passed in, or replaced by `catalogue.limits`: no test patches a constant of the product."""

import ast
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass

import pytest

from catalogue import limits, seams
from tests.support.paths import ROOT

_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*|__(?:kw)?defaults__")
_PATCHING = {"setattr", "delattr", "__setattr__", "patch", "object"}
# Also in a program that a test starts. The settings of Django are there to be changed.
_ASSIGNMENT = re.compile(r"^\s*(?!settings\.)[a-z_][\w.]*\.(_?[A-Z][A-Z0-9_]*|__(?:kw)?defaults__) = ", re.MULTILINE)


def patched_constants(source: str) -> Iterator[str]:
    """The constants of other modules that a file patches or assigns."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called not in _PATCHING:
                continue
            for argument in node.args[:2]:
                name = argument.value if isinstance(argument, ast.Constant) else getattr(argument, "attr", "")
                if isinstance(name, str) and _CONSTANT.fullmatch(name.rpartition(".")[2]):
                    yield name
    yield from _ASSIGNMENT.findall(source)


@pytest.mark.parametrize("source", [
    "monkeypatch.setattr(staging, 'BATCH', 2)", "monkeypatch.setattr('elsewhere.journal._BATCH_ROWS', 3)",
    "patched.setattr(tasks.work, '__kwdefaults__', {})",
    "mock.patch.object(sandbox, 'CPU_S', 1)", "sandbox.CPU_S = 1", "program = '''\ncontainer.FILE = 1\n'''",
])  # fmt: skip
def test_a_patched_constant_is_found(source: str) -> None:
    assert list(patched_constants(source))


@pytest.mark.parametrize("source", [
    "settings.GISC_MAX_RUNS = 1", "monkeypatch.setattr(journal, 'flush', crash)", "LIMITS = schedule.RunLimits()",
    "assert sandbox.CPU_S == 1", "monkeypatch.setenv('SECRET_KEY', 'x')",
])  # fmt: skip
def test_what_patches_no_constant_is_not_found(source: str) -> None:
    assert not list(patched_constants(source))


def test_no_test_patches_a_constant() -> None:
    files = [file for file in sorted((ROOT / "tests").rglob("*.py")) if file.name != "test_limits.py"]
    assert len(files) > 100
    found = {str(file.relative_to(ROOT)): list(patched_constants(file.read_text(encoding="utf-8"))) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


# --- How they are replaced -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableLimits:
    """Limits of a noun of this test."""

    rows: int = 10
    cells: int = 20


def test_replaced_limits_are_in_force_in_every_thread_for_the_length_of_the_block() -> None:
    replaceable = limits.Replaceable(TableLimits())
    with seams.thread_pool(1) as pool:
        with replaceable.replaced(rows=1) as shown:
            assert pool.submit(lambda: replaceable.in_force).result() == shown == TableLimits(rows=1, cells=20)
            with replaceable.replaced(cells=2):
                assert replaceable.in_force == TableLimits(1, 2)
        assert replaceable.in_force == TableLimits()


def test_limits_are_as_before_after_an_error_and_no_field_is_made_up() -> None:
    replaceable = limits.Replaceable(TableLimits())
    with pytest.raises(ZeroDivisionError), replaceable.replaced(rows=0):
        10 / replaceable.in_force.rows
    with pytest.raises(TypeError), replaceable.replaced(columns=1):
        pass
    assert replaceable.in_force == TableLimits()
    with pytest.raises(FrozenInstanceError):
        replaceable.in_force.rows = 1
