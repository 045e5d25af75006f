"""Texts for people are plain: no number of a rule or an error, no word that only the developers use.

Every string of the product that has a space in it is taken for a text: sentences, help, labels, options of commands.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.project.surface import PACKAGES
from tests.support.paths import ROOT

# P35, F72, W21; the numbers of system checks (gisc.W001) are looked up, and are not in sentences.
RULE = re.compile(r"(?<![\w./-])[PHWGSTF]\d{1,3}(?![\w-])")
ERROR_NUMBER = re.compile(r"\berrno\b|\[Errno", re.IGNORECASE)
# What the glossary calls otherwise, and what nobody but a developer knows.
PRIVATE = re.compile(r"\b(ledger|canary|advisory lock|denormalised)\b|_ssl\.c")
SQL_COMMENT = re.compile(r"--.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
TEMPLATE_COMMENT = re.compile(r"\{#.*?#\}|<!--.*?-->", re.DOTALL)
CODE_FOR_DEVELOPERS = ("bench", "migrations", "sql")
NOT_FOR_PEOPLE = {"catalogue/locks.py", "catalogue/reasons.py:_ERROR_NUMBERS"}  # the register of locks; a pattern


def documentation(tree: ast.AST) -> set[int]:
    """The docstrings of a module, by the identity of their nodes."""
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


@functools.cache
def texts_of_code() -> tuple[tuple[str, str], ...]:
    return tuple(_texts_of_code())


def _texts_of_code() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            if set(CODE_FOR_DEVELOPERS) & set(file.parts) or name in NOT_FOR_PEOPLE:
                continue
            tree = ast.parse(file.read_text(encoding="utf-8"))
            left_out = documentation(tree) | patterns(tree, name)
            for node in ast.walk(tree):
                is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out
                if is_text and " " in node.value.strip():
                    yield f"{name}:{node.lineno}", SQL_COMMENT.sub("", node.value)


def patterns(tree: ast.Module, name: str) -> set[int]:
    """The strings of the names that are not for people."""
    return {
        id(inner)
        for node in tree.body
        if isinstance(node, ast.Assign) and f"{name}:{ast.unparse(node.targets[0])}" in NOT_FOR_PEOPLE
        for inner in ast.walk(node)
    }


def texts_of_templates() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "templates").rglob("*.html")):
        text = TEMPLATE_COMMENT.sub("", file.read_text(encoding="utf-8"))
        yield str(file.relative_to(ROOT)), text


def found(pattern: re.Pattern[str], texts: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{place} {one.group()}" for place, text in texts for one in [pattern.search(text)] if one]


def test_no_text_of_the_code_has_the_number_of_a_rule_or_an_error_or_a_private_word() -> None:
    faults = [found(pattern, texts_of_code()) for pattern in (RULE, ERROR_NUMBER, PRIVATE)]
    assert faults == [[], [], []], "put the number into a comment, and write what it means"


def test_no_page_has_the_number_of_a_rule_or_an_error_or_a_private_word() -> None:
    assert [found(pattern, texts_of_templates()) for pattern in (RULE, ERROR_NUMBER, PRIVATE)] == [[], [], []]


def test_the_patterns_find_what_they_are_for() -> None:
    assert all(RULE.search(text) for text in ("as last looked (H17)", "W42 to W44", "of the rule P1."))
    assert not any(RULE.search(text) for text in ("gisc.W001", "HTTP 404", "ISO 19139", "F-35", "a/H1", "UTF-8"))
    assert ERROR_NUMBER.search("[Errno 111] Connection refused")


def test_the_texts_are_found(tmp_path: Path) -> None:
    all_texts = dict(texts_of_code())
    assert any("connection refused" in text for text in all_texts.values())
    assert any(place.startswith("harvester/models/") for place in all_texts)
    assert any(place.startswith("catalogue/management/commands/") for place in all_texts)
