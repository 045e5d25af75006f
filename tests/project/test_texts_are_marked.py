"""Each sentence that the code hands to a person is marked for translation (CONTRIBUTING.md, Translating).

Followed are the arguments of what shows them: messages of the administration, refusals, errors of settings and of the embedded
servers, system checks, titles and descriptions of pages of the administration; through names, and functions of the same module.
Commands are scanned in tests/gisc/test_texts_of_commands.py, codes and their tables in tests/gisc/test_language.py.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.pseudo_language import PACKAGES

MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
# Classes and functions whose arguments people read.
SHOWS = {
    *("message_user", "add_error", "_print_error"),
    *(
        "ActRefused",
        "ValidationError",
        "CommandError",
        "ImproperlyConfigured",
        "ServerFailed",
        "BackupFailed",
        "NotVerified",
    ),
    *("TransformFailed", "LibraryFailed", "StylesheetUnusable", "SandboxBusy", "RestoreFailed"),
    *("Error", "Warning", "Info", "Critical"),  # of django.core.checks
}
MESSAGES = {"success", "info", "warning", "error", "add_message"}  # functions of django.contrib.messages
OF_PAGES = {
    "title",
    "description",
    "label",
    "help_text",
    "verbose_name",
    "short_description",
}  # keywords and keys in admin pages
LEFT_OUT = {"migrations", "bench", "demo", "management"}
_WORD = re.compile(r"[A-Za-z]{3,}")

_VALUE = "what is written in a setting"
NOT_TRANSLATED = {
    ("catalogue/admin/quality.py", "KPI-{} {}: {}<br>"): "how WMO numbers them",
    ("catalogue/admin/records.py", "KPI-{} {}: {}<br>"): "how WMO numbers them",
    ("gisc/embedded/postgres_server.py", "server.log"): "a file",
    ("oaiprovider/models/profile.py", "oai:"): "how OAI identifiers begin",
    **{("gisc/settings.py", name): _VALUE for name in ("metrics", "harvest", "health")},
    **{("gisc/settings.py", name): _VALUE for name in ("ogcapi", "sru", "csw", "dcat", "monitoring")},
}


def unmarked(tree: ast.Module, *, of_pages: bool = False) -> Iterator[tuple[int, str]]:
    """Line and text of each literal of a module that people read and that is in no mark."""
    for scope, call in _calls(tree):
        shown: list[ast.expr] = []
        if _shows(call):
            is_field_first = _name(call.func) == "add_error"
            shown += call.args[1:] if is_field_first else call.args
            shown += [each.value for each in call.keywords if each.arg in ("hint", "message", "msg", "error")]
        if of_pages:
            shown += [each.value for each in call.keywords if each.arg in OF_PAGES]
        for each in shown:
            yield from _literals(each, scope, tree, set())
        for each in call.args if of_pages and _name(call.func).startswith("format_html") else ():
            if isinstance(each, ast.Constant) and _WORD.search(re.sub(r"<[^>]*>", "", str(each.value))):
                yield each.lineno, str(each.value)
    for node in ast.walk(tree) if of_pages else ():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in OF_PAGES:
                    yield from _literals(value, tree, tree, set())


def _calls(tree: ast.AST, scope: ast.AST | None = None) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Each call, with the function that it is in."""
    scope = scope or tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield scope, node
        yield from _calls(node, node if isinstance(node, ast.FunctionDef) else scope)


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _shows(call: ast.Call) -> bool:
    func = call.func
    of = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
    return _name(func) in SHOWS or (of == "messages" and _name(func) in MESSAGES)


def _literals(node: ast.AST, scope: ast.AST, tree: ast.Module, seen: set[int]) -> Iterator[tuple[int, str]]:
    """The literals with words that become part of the text of an expression."""
    if id(node) in seen:
        return
    seen.add(id(node))
    parts: list[ast.AST] = []
    match node:
        case ast.Constant(value=str(text)):
            if _WORD.search(text):
                yield node.lineno, text
        case ast.JoinedStr() | ast.BoolOp():
            parts += node.values
        case ast.FormattedValue() | ast.Starred():
            parts.append(node.value)
        case ast.IfExp():
            parts += [node.body, node.orelse]
        case ast.BinOp():
            parts += [node.left, node.right]
        case ast.Tuple() | ast.List():
            parts += node.elts
        case ast.Dict():
            parts += node.values
        case ast.ListComp() | ast.GeneratorExp():
            parts.append(node.elt)
        case ast.Name(id=name):
            parts += _assigned(name, scope) or _assigned(name, tree)
        case ast.Call(func=func) if _name(func) not in MARKS:
            if isinstance(func, ast.Attribute) and func.attr in ("format", "format_map", "join", "capitalize"):
                parts += [func.value, *node.args, *(each.value for each in node.keywords)]
            elif _name(func) == "str":
                parts += node.args
            else:
                for found in ast.walk(tree):
                    if isinstance(found, ast.FunctionDef) and found.name == _name(func):
                        for end in ast.walk(found):
                            if isinstance(end, ast.Return | ast.Yield) and end.value is not None:
                                yield from _literals(end.value, found, tree, seen)
    for part in parts:
        yield from _literals(part, scope, tree, seen)


def _assigned(name: str, scope: ast.AST) -> list[ast.AST]:
    """What a name is assigned in a function, or at the top of a module."""
    nodes = ast.iter_child_nodes(scope) if isinstance(scope, ast.Module) else ast.walk(scope)
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)
    ]


@pytest.mark.parametrize("source", [
    "self.message_user(request, f'{link} is idle')", "messages.error(request, 'Nothing is stored')", "raise CommandError('away')",
    "Error('is wrong', id='x')", "Error(gettext('is wrong'), hint='write')", "raise ServerFailed(f'{a} ' + 'is away')",
    "raise ActRefused(gettext('{why}').format(why=why or 'nothing'))", "form.add_error('name', 'is taken')",
    "def act():\n words = 'It runs'\n self.message_user(request, words % {})", "_NO = 'Not now'\nraise ValidationError(_NO)",
    "def _queue(run):\n return f'{run} waits', 1\nself.message_user(request, *_queue(run))",
    "fields = {'description': 'What it wants'}", "format_html('<b>Watch it</b>')", "@admin.display(description='state')\ndef state(self): pass",
])  # fmt: skip
def test_a_text_that_is_not_marked_is_found(source: str) -> None:
    assert list(unmarked(ast.parse(source), of_pages=True))


@pytest.mark.parametrize("source", [
    "self.message_user(request, gettext('{link} is idle').format(link=link), messages.ERROR)", "raise ActRefused(Reason(code, facts))",
    "Error(gettext('is wrong'), hint=gettext('write'), id='catalogue.E001')", "logger.error('no answer', extra={'path': path})",
    "form.add_error('name', str(exc))", "raise ImproperlyConfigured(ngettext('one', 'many', number).format(x=', '.join(names)))",
    "_NO = gettext_noop('Not now')\nraise ValidationError(gettext(_NO))", "raise ValueError('for programmers')",
    "format_html('<a class=\"link\" href=\"{}\">{}</a>', url, gettext('Watch it'))",
])  # fmt: skip
def test_what_is_marked_or_not_for_people_is_not_found(source: str) -> None:
    assert not list(unmarked(ast.parse(source), of_pages=True))


_HANDED_ON = re.compile(
    r'{%\s*(?:include|component)\s[^%]*?\s\w+="([^"]*\s[^"]*|[A-Z][a-z]+)"'
)  # words that a template gives to another


@pytest.mark.parametrize(("source", "found"), [
    ('{% include "a.html" with message="The runs go." %}', ["The runs go."]), ('{% component "a.html" with table=sets title="Sets" %}', ["Sets"]),
    ('{% include "snippets/state.html" with state=row.state brief=1 only %}', []), ('{% translate "Sets" as title %}{% include "a.html" with title=title %}', []),
    ('{% component "unfold/components/button.html" with submit=1 variant="danger" %}{% translate "Go" %}{% endcomponent %}', []),
])  # fmt: skip
def test_words_that_a_template_gives_to_another_are_found(source: str, found: list[str]) -> None:
    assert _HANDED_ON.findall(source) == found


def test_no_template_gives_unmarked_words_to_another() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert templates
    found = [
        f"{file.name}: {text}" for file in templates for text in _HANDED_ON.findall(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def files() -> list[Path]:
    return [
        file
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        if not LEFT_OUT & set(file.relative_to(ROOT).parts)
    ]


def is_of_pages(file: Path) -> bool:
    return "admin" in (*file.relative_to(ROOT).parts[:-1], file.stem) or "accounts" in file.parts


def found_in(file: Path) -> set[tuple[str, str, int]]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {(str(file.relative_to(ROOT)), text, line) for line, text in unmarked(tree, of_pages=is_of_pages(file))}


def test_each_sentence_that_people_read_is_marked() -> None:
    found = {each for file in files() for each in found_in(file)}
    faults = sorted(f"{file}:{line} {text!r}" for file, text, line in found if (file, text) not in NOT_TRANSLATED)
    assert not faults, "\n".join(faults)
    left = NOT_TRANSLATED.keys() - {(file, text) for file, text, _line in found}
    assert not left, f"no longer there: {left}"
