"""Write the table of files of docs/ARCHITECTURE.md: `python -m tests.project.file_table`.

Each row is a file of the product and the first sentence of its docstring, so that the two cannot differ.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "ARCHITECTURE.md"
BEGIN, END = "<!-- table of files -->", "<!-- end of the table of files -->"
APPS = ("catalogue", "oaiprovider", "harvester", "gisc")
_FIRST_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)


def product_files() -> list[str]:
    """The Python files of the product that git knows, without migrations, in order."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *(f"{app}/*.py" for app in APPS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return sorted(file for file in set(listed) if "/migrations/" not in file and (ROOT / file).exists())


def docstring_of(file: str) -> str:
    """The docstring of a file; empty if it has none."""
    return ast.get_docstring(ast.parse((ROOT / file).read_text(encoding="utf-8"))) or ""


def first_sentence(file: str) -> str:
    """The first sentence of a file's docstring, on one line; empty if it has none."""
    docstring = docstring_of(file)
    found = _FIRST_SENTENCE.match(docstring)
    return " ".join((found.group(1) if found else docstring).split()).replace("|", "\\|")


def tables() -> Iterator[str]:
    """A heading and a table for each package, in the order of APPS."""
    packages: dict[str, list[str]] = {}
    for file in product_files():
        packages.setdefault(str(PurePosixPath(file).parent), []).append(file)
    for package in sorted(packages, key=lambda name: (APPS.index(name.split("/")[0]), name)):
        rows = [file for file in packages[package] if not file.endswith("__init__.py")]
        summary = " ".join(docstring_of(f"{package}/__init__.py").split("\n\n")[0].split())
        if not rows and not summary:
            continue
        yield f"#### `{package}/`\n"
        if summary:
            yield f"{summary}\n"
        if rows:
            yield "\n".join(
                ["| file | what it is |", "| --- | --- |"]
                + [f"| `{PurePosixPath(file).name}` | {first_sentence(file)} |" for file in rows]
            )
            yield ""


def page() -> str:
    """The page with its table as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n" + "\n".join(tables()) + f"\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
