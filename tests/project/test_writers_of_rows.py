"""Who writes the rows of a harvest: `harvester/rows/` alone."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.paths import ROOT

# Each model with the files that may write it; the configuration of links is written by these besides.
WRITERS = {
    "Run": {"harvester/rows/runs.py", "harvester/rows/prune.py", "gisc/bench/year.py"},
    "Reject": {"harvester/rows/rejects.py", "gisc/bench/year.py"},
    "RemoteHeader": {"harvester/rows/remote_headers.py"},
    "Conflict": {"harvester/rows/conflicts.py"},
    "Standby": {"harvester/rows/links.py"},
    "Link": {"harvester/rows/links.py", "harvester/rows/moved_address.py"},
}
# What an operator sets, by file: the calls found there.
CONFIGURATION = {
    "harvester/admin/centres.py": {"queryset.update"},  # of centres
    "harvester/links/edit.py": {"link.save"},
    "harvester/links/new_link.py": {"link.save"},
    "harvester/links/acts.py": {
        "link.save",
        "QuietCause.objects.update_or_create",
        "QuietCause.objects.filter(link=link, reason=reason).delete",
    },
    "harvester/links/exchange.py": {"centre.save", "link.save"},
    "harvester/links/offers.py": {"other.save"},
    "harvester/management/commands/link.py": {"link.save", "link.delete", "other.save"},
    "gisc/demo/troubles.py": {"MetadataSet.objects.get_or_create", "Link.objects.create"},
    "gisc/bench/worker.py": {"Link.objects.create"},
    "gisc/bench/soak_links.py": {"Link.objects.create"},
    "gisc/bench/queue_worker.py": {"Link.objects.bulk_create", "Link.objects.update", "Link.objects.all().delete"},
    "gisc/bench/year.py": {"Link.objects.bulk_create", "MetadataSet.objects.bulk_create"},
}
_WRITING = {
    *("save", "delete", "create", "update", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "add"),
    *("asave", "adelete", "acreate", "aupdate", "abulk_create", "abulk_update", "aget_or_create", "aupdate_or_create"),
}
_SQL = re.compile(
    r"(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?|COPY|MERGE\s+INTO)\s+(?:ONLY\s+)?\"?"
    r"(harvester_(?:run|reject|remoteheader|conflict|standby|link))\b",
    re.IGNORECASE,
)
_TABLES = {f"harvester_{model.lower()}": model for model in WRITERS}


def writes(path: str, source: str) -> Iterator[str]:
    """What a file writes and may not, as it is written there."""
    tree = ast.parse(source)
    modules = _imported_modules(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for found in _SQL.finditer(node.value):
                if path not in WRITERS[_TABLES[found.group(1).lower()]]:
                    yield found.group()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITING:
            model = _model(node.func)
            if model is not None:
                is_allowed = path in WRITERS[model]
            else:  # of a row, a relation or a queryset by some name
                is_allowed = path.startswith("harvester/rows/") or not _may_be_row(node, node.func, modules)
            call = ast.unparse(node.func)
            if not is_allowed and call not in CONFIGURATION.get(path, ()):
                yield call


def _imported_modules(tree: ast.Module) -> set[str]:
    """The names by which modules are known in a file: by convention those in small letters."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {name for name in names if name.islower()}


def _model(function: ast.expr) -> str | None:
    """The model whose manager, or which itself, a chain of calls begins with."""
    while isinstance(function, ast.Attribute | ast.Call | ast.Subscript):
        function = function.func if isinstance(function, ast.Call) else function.value
    return function.id if isinstance(function, ast.Name) and function.id in WRITERS else None


def _may_be_row(call: ast.Call, function: ast.Attribute, modules: set[str]) -> bool:
    if isinstance(function.value, ast.Name) and function.value.id in modules:
        return False  # a function of a module that is called so
    if function.attr in ("update", "add", "aupdate"):  # of a set, a dictionary or a digest
        return not call.args and bool(call.keywords)
    return True


def _sources() -> Iterator[tuple[str, str]]:
    """The files that may know a row of the harvester, and all of the harvester's."""
    for app in ("catalogue", "oaiprovider", "harvester", "gisc"):
        for file in sorted((ROOT / app).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            if "migrations" in file.parts:
                continue
            if app == "harvester" or "harvester.models" in source or _SQL.search(source):
                yield str(file.relative_to(ROOT)), source


def test_rows_of_a_harvest_are_written_in_one_place() -> None:
    found = [f"{path}: {call}" for path, source in _sources() for call in writes(path, source)]
    assert not found, "write these rows by a function of harvester/rows/:\n" + "\n".join(found)


def test_each_of_these_files_writes_what_it_is_there_for() -> None:
    """Else a rule that finds nothing would seem to hold."""
    without_rules = {path: source for path, source in _sources() if path in set().union(*WRITERS.values())}
    assert without_rules.keys() == set().union(*WRITERS.values())
    for path, source in without_rules.items():
        assert list(writes("harvester/runs/elsewhere.py", source)), f"{path} writes nothing"
    for path, calls in CONFIGURATION.items():
        source = (ROOT / path).read_text(encoding="utf-8")
        assert calls <= set(writes("harvester/runs/elsewhere.py", source)), f"{path} writes less than it may"


@pytest.mark.parametrize(
    "planted",
    [
        "Run.objects.filter(pk=1).update(state='done')",
        "Run.objects.select_for_update().filter(pk=1).first().save()",
        "[Run.objects.create(link=link)]",
        "models.Run.objects.filter(pk=1).update(state='done')",
        "Reject.objects.bulk_create(rejects)",
        "RemoteHeader.objects.all().delete()",
        "remote_headers.of_provider(link).filter(key=key).update(deleted=True)",
        "Conflict.objects.get_or_create(link=link, key=key)",
        "Link.objects.filter(pk=link.pk).update(\n    harvested_to=now,\n)",
        "link.save(update_fields=['harvested_to'])",
        "link.runs.all().delete()",
        "run.rejects.add(reject, bulk=False)\nrun.save()",
        "unseen.update(**fields)",
        "cursor.execute('UPDATE harvester_run SET state = %s', ['done'])",
        "cursor.execute('''INSERT INTO\n    harvester_remoteheader (key) VALUES (%s)''', [key])",
        "cursor.execute(f'DELETE FROM harvester_link WHERE id = {link.pk}')",
        "cursor.copy_expert('COPY harvester_reject FROM STDIN', file)",
    ],
)
def test_a_write_that_is_planted_elsewhere_is_found(planted: str) -> None:
    assert list(writes("harvester/runs/finish.py", planted))
    assert list(writes("gisc/health.py", f"from harvester.models import Run\n{planted}"))


def test_a_file_of_rows_writes_its_own_models_only() -> None:
    planted = "Run.objects.filter(pk=1).update(state='done')"
    assert list(writes("harvester/rows/conflicts.py", planted))
    assert not list(writes("harvester/rows/runs.py", planted))


@pytest.mark.parametrize(
    "harmless",
    [
        "from harvester.links import edit\nedit.save(link, {'name'})",
        "session.headers.update({'User-Agent': agent})",
        "digest.update(data)",
        "seen.add(key)",
        "Run.objects.filter(pk=1).first()",
        "super().save_model(request, obj, form, change)",
        "cursor.execute('SELECT count(*) FROM harvester_run')",
        "cursor.execute('INSERT INTO harvester_hostclock (id) VALUES (1)')",
    ],
)
def test_what_writes_no_row_is_let_be(harmless: str) -> None:
    assert not list(writes("harvester/runs/finish.py", harmless))
