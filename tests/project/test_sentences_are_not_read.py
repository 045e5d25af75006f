"""No code of the apps decides anything by a sentence: it goes by codes and facts, and sentences are for people."""

import ast
from collections.abc import Iterator

import pytest

from tests.project.file_table import product_files
from tests.support.paths import ROOT

SEARCHING = {
    *("startswith", "endswith", "find", "index", "rfind", "count", "partition", "rpartition"),
    *("match", "search", "fullmatch", "findall", "finditer"),
}
ERRORS = {"exc", "error", "fault", "refusal"}
SENTENCES = {"message", "reason_text", "settlement_text"}
OF_LIBRARIES = (
    "oaiprovider/formats/sandbox_child.py",  # messages of libxslt, of which it shows the first lines
    "catalogue/outage.py",  # of the server that refuses a connection, for which the driver gives no SQLSTATE
    "catalogue/discovery/ogcapi/cql.py",  # of the parser of CQL2, of which it shows the place of the error
)


def is_sentence(node: ast.expr) -> bool:
    """Whether this is a sentence: a message, what a `describe_` function returns, or an error as text."""
    if isinstance(node, ast.Attribute | ast.Name):
        return (node.attr if isinstance(node, ast.Attribute) else node.id) in SENTENCES
    if isinstance(node, ast.Call):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        of_error = name == "str" and isinstance(node.args[0] if node.args else None, ast.Name)
        if of_error:
            return node.args[0].id in ERRORS
        return str(name).startswith("describe_") or (str(name) in ("lower", "upper") and _receiver_is_sentence(node))
    return False


def _receiver_is_sentence(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and is_sentence(call.func.value)


def readings(source: str) -> Iterator[str]:
    """Where a source compares or searches a sentence, or asks whether there is one."""
    for node in ast.walk(ast.parse(source)):
        read: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            read = [node.left, *node.comparators]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            read = [node.operand]
        elif isinstance(node, ast.BoolOp):
            read = [value for value in node.values if not isinstance(value, ast.Call)]  # "…, or nothing", to display
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHING:
            read = [node.func.value, *node.args]
        elif isinstance(node, ast.NamedExpr):
            read = [node.value]
        if any(map(is_sentence, read)):
            yield ast.unparse(node)


def test_no_sentence_is_compared_or_searched() -> None:
    files = [file for file in product_files() if not file.startswith("gisc/") and file not in OF_LIBRARIES]
    found = [f"{file}: {reading}" for file in files for reading in readings((ROOT / file).read_text(encoding="utf-8"))]
    assert not found, "go by the code and its facts:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "planted",
    [
        "if not run.message: pass",
        "doubtful = run.list_from is None or run.message",
        "if 'badVerb' in str(exc): pass",
        "if run.message != message: pass",
        "waits = run.message.startswith('Page')",
        "is_ours = 'belongs to' in conflict.reason_text",
        "waits = 'asked for again' in run.message.lower()",
        "found = re.search('HTTP [0-9]+', run.message)",
        "found = PATTERN.search(str(error))",
        "if remark := health.describe_skew(skew): pass",
        "is_missing = finish.describe_remote_set(link).endswith('.')",
    ],
)
def test_a_reading_that_is_planted_is_found(planted: str) -> None:
    assert list(readings(planted))


@pytest.mark.parametrize(
    "harmless",
    [
        "print(run.message)",
        "if run.message: print(run.message)",
        "name = failover.describe_relay(link) or 'its own'",
        "if run.outcome != OutcomeCode.RUNNING: pass",
        "found = PATTERN.search(_cause(exc))",  # of http.client, which has no code for it
    ],
)
def test_what_is_only_displayed_is_not_found(harmless: str) -> None:
    assert not list(readings(harmless))
