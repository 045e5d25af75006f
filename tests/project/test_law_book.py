"""Every rule and promise that the repository cites by number stands in the law book, and the book has no dead rule.

A citation of a rule is a letter of the book and a number that stand by themselves, `F72` or `T3.21`, or a range of them,
`P16-P20` or `P121 to P123`. It is looked for where a person reads, and nowhere else:

- Python: comments and strings (docstrings, markers, messages, help texts), never the names in the code;
- documents, templates, stylesheets, SQL: the whole text;
- settings, Makefile, Dockerfile, shell: the comments.

What only looks like a citation is told by how it is written or where it stands, so that no list of exceptions is needed:

- a part of a word, a name or an escape: `P2D`, `R002`, `%E9`, `/E1`, `#E1`;
- a number that begins with zero: `T00:00:00Z`, the system check `catalogue.E001`, `security.W004`;
- codes behind `noqa:`, and the lists of ruff in pyproject.toml, which are no comments: `E501`, `F401`, `T10`;
- records, pictures and locked requirements, which are data (DATA), and this file, which is full of examples.
"""

import functools
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import PurePath

import pytest

from tests.support.paths import ROOT

RULES, PROMISES, THIS = "docs/rules.md", "docs/promises.md", "tests/project/test_law_book.py"
DATA = (".xml", ".svg", ".png", ".webp", ".ico", ".gz", ".zip", ".tar", ".txt", ".in")
WHOLE = (".md", ".html", ".xsl", ".css", ".js", ".sql")

RULE = r"[PTHWGSEF][1-9]\d{0,2}(?:\.[1-9]\d?)?"
CITED = re.compile(rf"(?<![\w.%:/#])({RULE})(?:(?:-| to )({RULE}))?(?!\w|\.\d)")
PROMISED = re.compile(r"\b[Pp]romises? (\d+(?:(?:, and |, | and | to )\d+)*)\b")
CODES_OF_RUFF = re.compile(r"noqa: [A-Z]+\d+(?:, [A-Z]+\d+)*")
ROW = re.compile(rf"^\| ({RULE}) \| (.+?) \|(?: (.+?) \|)?$", re.MULTILINE)
PROMISE = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
# Rows of the fault catalogue without their letter: the whole comment `# 73`, or `(34, 55)`. P14 numbers its steps so.
BARE_COMMENT = re.compile(r"# \d{1,3}(?:, \d{1,3})*(?:$|:)")
BARE = re.compile(r"(?<!P14)(?<! to) \(\d{1,3}(?:(?:, | and | to )\d{1,3})*\)|fault catalogue,? (?:rows? )?\d")


# --- What the repository says -----------------------------------------------------------------------


@functools.cache
def contents() -> dict[str, str]:
    """The text files of the repository. Skips the test where git is not to be had."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip(f"git does not tell which files belong to the repository: {listed.stderr.strip()}")
    names = [name for name in listed.stdout.split("\0") if name and not name.endswith((*DATA, THIS))]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).is_file()}


@functools.cache
def texts() -> dict[str, str]:
    """What a person reads in each of these files."""
    return {name: text_of(name, content) for name, content in contents().items()}


def text_of(name: str, content: str) -> str:
    """The part of a file in which citations are looked for, on one line."""
    if PurePath(name).suffix == ".py":
        content = "\n".join(token.string.lstrip("#: ").strip("\"'") for token in tokens(content))
    elif not name.endswith(WHOLE):
        content = "\n".join(line.partition("#")[2] for line in content.splitlines())
    return " ".join(CODES_OF_RUFF.sub("", content).split())


def tokens(content: str) -> Iterator[tokenize.TokenInfo]:
    """The comments and strings of Python code."""
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT or token.type in STRINGS:
            yield token


def rules_cited(text: str) -> set[str]:
    """The rules that a text cites: of a range both ends, and what the book has between them."""
    found = set()
    for first, last in CITED.findall(text):
        found |= {first, last or first}
        if last and "." not in first + last:
            found |= {f"{first[0]}{number}" for number in range(int(first[1:]), int(last[1:]))} & set(rules())
    return found


def promises_cited(text: str) -> set[str]:
    return {number for cited in PROMISED.findall(text) for number in re.findall(r"\d+", cited)}


# --- What the book says -----------------------------------------------------------------------------


def rules() -> dict[str, str]:
    return {rule: text for rule, text, _ in rows()}


@functools.cache
def rows() -> list[tuple[str, str, str]]:
    """The rules in the order of the book: number, what it says, source (which rows of F have not)."""
    return ROW.findall((ROOT / RULES).read_text(encoding="utf-8"))


@functools.cache
def promises() -> dict[str, str]:
    """The promises by their numbers, each with its text."""
    parts = PROMISE.split((ROOT / PROMISES).read_text(encoding="utf-8"))
    return dict(zip(parts[1::3], parts[3::3], strict=True))


# --- The two together -------------------------------------------------------------------------------


def test_every_rule_that_is_cited_stands_in_the_book() -> None:
    unknown = {name: sorted(rules_cited(text) - set(rules())) for name, text in texts().items()}
    assert {name: cited for name, cited in unknown.items() if cited} == {}


def test_every_rule_of_the_book_is_cited_somewhere_else() -> None:
    cited = {rule for name, text in texts().items() if name != RULES for rule in rules_cited(text)}
    assert [rule for rule in rules() if rule not in cited] == []


def test_every_promise_that_is_cited_stands_among_the_promises() -> None:
    unknown = {name: sorted(promises_cited(text) - set(promises())) for name, text in texts().items()}
    assert {name: cited for name, cited in unknown.items() if cited} == {}


def test_the_book_has_each_rule_once_in_order_with_a_sentence_and_a_source() -> None:
    numbers = [rule for rule, _, _ in rows()]
    for letter in "PTHWGSEF":
        ours = [tuple(map(int, rule[1:].split("."))) for rule in numbers if rule[0] == letter]
        assert ours == sorted(set(ours)), f"{letter} is not in order"
        assert ours
    assert [rule for rule, text, _ in rows() if not re.match(r"[A-Z0-9b-z].*\.$", text)] == []
    assert [rule for rule, _, source in rows() if not source and rule[0] != "F"] == []


def test_each_of_the_ten_promises_names_tests_that_exist() -> None:
    assert list(promises()) == [str(number) for number in range(1, 11)]
    for number, text in promises().items():
        named = re.findall(r"`(tests/[\w/]+\.py)`", text)
        assert named, f"promise {number} names no tests"
        assert [name for name in named if not (ROOT / name).is_file()] == []


def test_no_fault_is_cited_by_a_bare_number() -> None:
    found = [
        f"{name}:{token.start[0]}: {token.string.strip()[:100]}"
        for name, content in contents().items()
        if name.startswith(("harvester/", "tests/harvester/")) and name.endswith(".py")
        for token in tokens(content)
        if is_bare(token)
    ]
    assert found == []


def is_bare(token: tokenize.TokenInfo) -> bool:
    """Whether a comment or a docstring names a row of the fault catalogue without its letter."""
    if token.type == tokenize.COMMENT:
        return bool(BARE_COMMENT.match(token.string) or BARE.search(token.string))
    return token.string.startswith('"""') and bool(BARE.search(token.string))


# --- That a wrong number would be seen --------------------------------------------------------------

UNKNOWN = "".join(("P", "999"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.py", f"x = 1  # {UNKNOWN}: why\n"),
        ("a.py", f'def f():\n    """Do it ({UNKNOWN}, P1)."""\n'),
        ("a.py", f'def f():\n    """Do it (P112-{UNKNOWN})."""\n'),
        ("a.py", f'@pytest.mark.spec("P1", "{UNKNOWN}")\ndef f(): pass\n'),
        ("a.py", f'raise Refused(f"{{name}} is refused ({UNKNOWN}).")\n'),
        ("a.md", f"| {UNKNOWN} | does | it |\n"),
        ("a.html", f"<p>See {UNKNOWN}.</p>"),
        ("Makefile", f"run:  # {UNKNOWN}\n"),
        ("a.sql", f"-- {UNKNOWN}\nSELECT 1;\n"),
    ],
)
def test_a_citation_of_no_rule_is_seen(name: str, content: str) -> None:
    assert rules_cited(text_of(name, content)) - set(rules()) == {UNKNOWN}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.py", f"{UNKNOWN} = {UNKNOWN}D = 1\n"),
        ("a.py", "import x  # noqa: E402, F401\n"),
        ("a.py", 'x = "2026-03-01T00:00:00Z", "catalogue.E001", "R002", "a%C3%E9", "http://h/E1", "T999x", "-P2D"\n'),
        ("pyproject.toml", 'select = ["E501", "T10", "W605"]\n'),
        ("Makefile", f"{UNKNOWN} := 1\n"),
    ],
)
def test_what_only_looks_like_a_citation_is_none(name: str, content: str) -> None:
    assert rules_cited(text_of(name, content)) == set()


def test_a_range_is_all_that_lies_in_it() -> None:
    assert rules_cited("(P112-P114, G1 to G3)") == {"P112", "P113", "P114", "G1", "G2", "G3"}
    assert rules_cited("P117 to P121") == {"P117", "P120", "P121"}, "118 and 119 were never given"


def test_promises_are_found_however_many_stand_together() -> None:
    assert promises_cited("promises 1, 3 and 9; Promise 7. promise 2, P91") == {"1", "2", "3", "7", "9"}


@pytest.mark.parametrize("content", ["x = 1  # 73\n", "# 35: the order\n", '"""Settled (72, 73)."""\n'])
def test_a_bare_number_is_seen(content: str) -> None:
    assert any(map(is_bare, tokens(content)))
