"""A module or file that a text names is there: strings, comments, documents and configuration move with the code.

No import notices such a name: the path in a setting, what `-m` and `-A` run, what a test patches, a module in a sentence.
"""

import ast
import functools
import re
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.apps import apps

from tests.project.surface import PACKAGES
from tests.support.paths import ROOT

FOLDERS = (*PACKAGES, "tests")
# CHANGELOG.md tells of former versions, and a released migration is never edited.
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Dockerfile", "Makefile", "pyproject.toml")),
    *(ROOT / name for name in ("docker-compose.yml", "docker/migrate", ".ci/run", ".env.example", ".dockerignore")),
    *sorted((ROOT / "docs").glob("*.md")),
]
SOURCES = [
    file
    for folder in FOLDERS
    for file in sorted((ROOT / folder).rglob("*.py"))
    if file.parent.name != "migrations" and file != Path(__file__)
]
_WORDS = "|".join(FOLDERS)
DOTTED = re.compile(rf"(?<![\w./@:-])(?:{_WORDS})(?:\.[A-Za-z_]\w*)+")
PATH = re.compile(rf"(?<![\w./-])(?:{_WORDS}|docs|docker|templates)/[\w./-]*\w(?![\w*]|\.\*)")
OTHER_THINGS = {
    *("gisc.example.org", "gisc.conf", "harvester/1"),  # a host, a file, a User-Agent
    "gisc.container",  # a former name, for operators with a compose file of their own
    *("catalogue.py", "harvester/runs/elsewhere.py"),  # a row of the table of files, and a file that a test makes up
    *("harvester.seals", "oaiprovider.tokens"),  # salts: they stay, wherever the modules go that once had these names
}

Place = tuple[Path, int, str]


def texts() -> Iterator[Place]:
    """Each line of the documents and of the configuration, each comment and string of the code."""
    for file in TEXTS:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            yield file, number, line
    for file in SOURCES:
        with file.open("rb") as stream:
            for token in tokenize.tokenize(stream.readline):
                if tokenize.tok_name[token.type] in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
                    yield file, token.start[0], token.string


def names(pattern: re.Pattern[str]) -> Iterator[Place]:
    """What of the texts fits the pattern, with file and line."""
    for file, number, text in texts():
        for found in pattern.finditer(text):
            if found.group() not in OTHER_THINGS:
                yield file, number + text[: found.start()].count("\n"), found.group()


@functools.cache
def is_there(dotted: str) -> bool:
    """Whether a dotted name is that of a module, or of what one defines. Imports nothing."""
    folder, names = ROOT, dotted.split(".")
    for place, name in enumerate(names):
        if (folder / name).is_dir():
            folder /= name
        elif (folder / f"{name}.py").is_file():
            return defines(folder / f"{name}.py", names[place + 1 :])
        else:
            return defines(folder / "__init__.py", names[place:])
    return True


def defines(file: Path, names: Sequence[str]) -> bool:
    """Whether a module has a name at its top level; of a class of ours also the name within it."""
    if not names:
        return True
    if not file.is_file():
        return False
    tree: ast.AST = ast.parse(file.read_text(encoding="utf-8"))
    for name in names:
        found = next((node for node in ast.iter_child_nodes(tree) if name in defined_by(node)), None)
        if found is None:
            return isinstance(tree, ast.ClassDef) and bool(tree.bases)  # the name may be the parent's
        if not isinstance(found, ast.ClassDef):
            return True  # what a function or another module has is not looked at
        tree = found
    return True


def defined_by(node: ast.AST) -> set[str]:
    """The names that a statement defines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return set()


def is_of_django(dotted: str) -> bool:
    """Whether a dotted name is the label of a model, a permission, a system check or a migration."""
    label, _, name = dotted.partition(".")
    if re.fullmatch(r"[CEWID]\d{3}|\d{4}_\w+", name):
        return True
    try:
        apps.get_model(label, re.sub(r"^(add|change|delete|view)_", "", name))
    except (LookupError, ValueError):
        return False
    return True


def is_file(path: str) -> bool:
    """Whether a path leads somewhere, from the top, or as the name of a template, a static file or the versions of an SQL file."""
    roots = (ROOT, ROOT / "templates", *(ROOT / package / "static" for package in PACKAGES))
    return any((root / path).exists() for root in roots) or any(ROOT.glob(f"{path}.*.sql"))


def told(places: Iterator[Place]) -> str:
    return "\n".join(f"{file.relative_to(ROOT)}:{line} {name}" for file, line, name in places)


def test_every_module_that_a_text_names_is_there() -> None:
    gone = told(place for place in names(DOTTED) if not (is_there(place[2]) or is_of_django(place[2])))
    assert not gone, f"These names lead nowhere:\n{gone}"


def test_every_file_that_a_text_names_is_there() -> None:
    gone = told(place for place in names(PATH) if not is_file(place[2]))
    assert not gone, f"These paths lead nowhere:\n{gone}"


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("gisc", True),
        ("gisc.embedded", True),
        ("gisc.embedded.database", True),
        ("gisc.settings.OAI_FRIENDS", True),
        ("harvester.tasks.tick", True),
        ("harvester.tasks.tock", False),
        ("harvester.nothing", False),
        ("nothing.at.all", False),
    ],
)
def test_a_name_is_looked_for_without_an_import(name: str, there: bool) -> None:
    assert is_there(name) is there
