"""docs/ARCHITECTURE.md leads where it says: its table of files is that of the repository, its answers name what exists."""

import ast
import re

import pytest

from tests.project import file_table
from tests.support.paths import ROOT

TEXT = file_table.PAGE.read_text(encoding="utf-8")
ANSWERS = sorted(set(re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+\.py):(\w+)`", TEXT)))
QUESTIONS = re.findall(r"^\| (Where [^|]+\?) \| (.+) \|$", TEXT, flags=re.MULTILINE)


def test_the_table_of_files_is_that_of_the_repository() -> None:
    assert file_table.page() == TEXT, "write it anew: .venv/bin/python -m tests.project.file_table"


@pytest.mark.parametrize("file", file_table.product_files())
def test_a_file_or_its_package_says_what_it_is(file: str) -> None:
    """A package that holds only others, or commands, and the configuration of an app need no sentence."""
    is_wiring = file.endswith(
        ("/apps.py", "management/__init__.py", "commands/__init__.py", "templatetags/__init__.py")
    )
    assert is_wiring or file_table.first_sentence(file)


@pytest.mark.parametrize(("file", "function"), ANSWERS)
def test_a_function_that_the_page_names_is_there(file: str, function: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_the_first_screen_answers_twelve_questions() -> None:
    before = TEXT.split("## ")[0]
    assert len(QUESTIONS) == 12
    assert all(
        question in before and re.search(r"`[\w/]+\.(?:py:\w+|\d{4}\.sql)`", answer) for question, answer in QUESTIONS
    )
