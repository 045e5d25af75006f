"""What the drills start by hand, outside of pytest, needs nothing that pytest sets."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

SCRIPT = """
import sys
from pathlib import Path
from tests.support.nodes import Node, free_port
node = Node(Path(sys.argv[1]), free_port())
try:
    print(node.ready().output())
finally:
    node.stop()
"""


def test_a_drill_starts_a_node_without_the_servers_of_the_tests(tmp_path: Path) -> None:
    of_pytest = ("TESTS_", "PYTEST_", "GISC_", "DATABASE_URL", "REDIS_URL")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(of_pytest)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "var")],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert "database migrated" in done.stdout
