"""A language that nobody speaks, for tests: all texts of the product that can be translated, each between two marks or in other
letters, so that what is still in Latin letters is no text that can be.

The texts are those that xgettext finds in code and templates (`makemessages`), found here without it.
"""

import ast
import functools
import re
import shutil
import string
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from django.utils.translation import template

from tests.support.paths import ROOT

PACKAGES = ("gisc", "catalogue", "oaiprovider", "harvester")
LANGUAGE = "qq"
BEGIN, END = "⟦", "⟧"
_ONE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
_MANY = {"ngettext", "ngettext_lazy"}
_IN_TEMPLATE = re.compile(
    r"""\b(n?gettext)\((u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")(?:,\s*(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*"))?"""
)


@functools.cache
def texts() -> tuple[tuple[str, str], ...]:
    """All texts that can be translated, each with its plural form or ""."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield from _marked_by(node.func.id, node.args, file)
    for file in sorted((ROOT / "templates").rglob("*.html")):
        for name, one, many in _IN_TEMPLATE.findall(template.templatize(file.read_text(encoding="utf-8"))):
            yield ast.literal_eval(one), ast.literal_eval(many) if name == "ngettext" else ""


def _marked_by(name: str, arguments: list[ast.expr], file: Path) -> Iterator[tuple[str, str]]:
    if name not in _ONE | _MANY:
        return
    found = [each.value for each in arguments[:2] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if name in _MANY:
        assert len(found) == 2, f"{file}: both forms are literals"
        yield found[0], found[1]
    elif found:
        yield found[0], ""


def marked(text: str) -> str:
    """The text in the pseudo-language. It begins and ends with a line break where the text does, as gettext wants."""
    core = text.strip("\n")
    return text.replace(core, f"{BEGIN}{core}{END}") if core else text


def in_other_letters(text: str) -> str:
    """The text in letters that no ordinary word has; the places for facts stay as they are."""
    return "".join(part if _PLACE.fullmatch(part) else part.translate(_LETTERS) for part in _PLACE.split(text))


_PLACE = re.compile(r"(\{[^{}]*\}|%\([a-z_]+\)[sd]|%[sd])")
_LETTERS = {ord(letter): ord(letter) + 0xFEE0 for letter in string.ascii_letters}  # the full-width forms of Unicode


def english_words(text: str) -> list[str]:
    """The words of a text in Latin letters: neither in the pseudo-language nor a path, an option, a code or the like."""
    parts = (part.strip(".,:;()[]{}'\"“”‘’?!|") for part in text.split())
    return [part for part in parts if re.fullmatch(r"[A-Za-z]?[a-z]+('[a-z]+)?", part) and len(part) > 1]


def make_checkout(folder: Path) -> Path:
    """Add the language, in other letters, to a checkout in a folder of its own, as CONTRIBUTING.md says; return the folder.

    A command that is run there reads its settings and texts as in any country. The packages are those of this checkout; `gisc`,
    which finds out where it is, is a copy.
    """
    shutil.copytree(ROOT / "gisc", folder / "gisc")
    shutil.copy(ROOT / "manage.py", folder)
    for name in ("catalogue", "oaiprovider", "harvester", "templates", "tests"):
        (folder / name).symlink_to(ROOT / name)
    write_catalogue(folder / "locale", in_other_letters)
    write_formats(folder / "gisc" / "formats")
    return folder


def write_formats(folder: Path) -> None:
    """Write the dates of the language into a folder of formats: those of all languages."""
    dates = folder / LANGUAGE
    dates.mkdir(parents=True)
    (dates / "__init__.py").touch()
    (dates / "formats.py").write_text("from gisc.formats.en.formats import *\n", encoding="utf-8")


def write_catalogue(folder: Path, write: Callable[[str], str] = marked) -> None:
    """Write all texts in the pseudo-language, as gettext's .mo file, into a folder of LOCALE_PATHS."""
    entries = {b"": b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"}
    for one, many in texts():
        key, value = (f"{one}\0{many}", f"{write(one)}\0{write(many)}") if many else (one, write(one))
        entries[key.encode()] = value.encode()
    keys = sorted(entries)
    strings, tables = b"", []
    start = 28 + 16 * len(keys)
    for part in [*keys, *(entries[key] for key in keys)]:
        tables.append(struct.pack("<II", len(part), start + len(strings)))
        strings += part + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, start)
    file = folder / LANGUAGE / "LC_MESSAGES" / "django.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(header + b"".join(tables) + strings)
