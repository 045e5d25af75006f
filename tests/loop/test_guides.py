"""Each command of the guides does what it says: they are run as they are printed, on one node, with a provider beside it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.support import paths
from tests.support.nodes import Node, environment, free_port
from tests.support.paths import ROOT
from tests.support.provider import Provider, fill

GUIDES = ("guide-operators", "guide-data-managers", "guide-providers", "guide-harvesters")
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NODE, _PROVIDER = "http://127.0.0.1:8000", "https://gisc-toulouse.example.org"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    running = Node(tmp_path_factory.mktemp("node"), free_port(), SAMPLES="1", GISC_BEAT_SECONDS="3600")
    try:
        yield running.ready()
    finally:
        running.close()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder as one has it after `git clone`."""
    for path in ROOT.iterdir():
        if path.name not in (".git", ".venv", "var"):
            (tmp_path / path.name).symlink_to(path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("guide", GUIDES)
def test_each_command_of_a_guide_runs(guide: str, node: Node, checkout: Path, httpserver: HTTPServer) -> None:
    provider = Provider(httpserver, formats=(("iso19139", "http://www.isotc211.org/2005/gmd"),))
    fill(provider, range(3))
    text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(text.replace(_NODE, node.url).replace(_PROVIDER, provider.base_url.removesuffix("/oai")))
    assert blocks
    python = checkout / ".venv" / "bin" / "python"
    # One shell for all blocks, as the variables of one are used in the next.
    script = "".join(
        f"{block}\n" if kind == "sh" else f"{python} - <<'end of python'\n{block}\nend of python\n"
        for kind, block in blocks
    )
    if re.search(r"\bcurl\b", script):
        paths.program("curl")
    settings = {"GISC_DATA_DIR": str(node.data_dir), "PORT": str(node.port), "GISC_RETRY_SECONDS": "1"}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script],
        cwd=checkout,
        env=environment(**settings) | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
