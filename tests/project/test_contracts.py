"""The direction of imports, and that the contracts in pyproject.toml would notice a wrong one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.nodes import environment
from tests.support.paths import ROOT


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment(PYTHONPATH=str(folder)),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the product code, to plant a wrong import in."""
    for name in ("gisc", "catalogue", "oaiprovider", "harvester"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=lambda _, names: [name for name in names if name == "samples"]
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_import_contracts_are_kept() -> None:
    answer = lint_imports(ROOT)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("catalogue/oai.py", "import harvester.errors"),
        ("catalogue/oai.py", "import oaiprovider.protocol.errors"),
        ("harvester/errors.py", "import oaiprovider.protocol.errors"),
        ("oaiprovider/protocol/errors.py", "import harvester.errors"),
        ("catalogue/oai.py", "import gisc.env"),
        ("harvester/errors.py", "from gisc import settings"),
        ("catalogue/reading/lists.py", "import catalogue.writing.store"),
        ("catalogue/writing/store.py", "import catalogue.bulk.ingest"),
        ("catalogue/documents/xml_tree.py", "import catalogue.models"),
        ("oaiprovider/protocol/render.py", "import oaiprovider.verbs"),
        ("harvester/net/client.py", "import harvester.protocol.answers"),
        ("harvester/rows/runs.py", "import harvester.runs.lifecycle"),
        ("harvester/guards/mass_deletion.py", "import harvester.runs.finish"),
        ("gisc/node/node.py", "import gisc.bench.catalogue"),
    ],
)
def test_an_import_in_the_wrong_direction_is_noticed(copy: Path, module: str, statement: str) -> None:
    with (copy / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")
    answer = lint_imports(copy)
    assert answer.returncode == 1
    assert "BROKEN" in answer.stdout
