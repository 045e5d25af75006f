"""Protocol code does no I/O: what must be free of Django is."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.parametrize(
    "module",
    [
        "oaiprovider.protocol.errors",
        "oaiprovider.protocol.arguments",
        "oaiprovider.protocol.render",
        "oaiprovider.protocol.identify_descriptions",
        "oaiprovider.builtin_formats",
        "oaiprovider.terms",
        "catalogue.documents.dublin_core",
    ],
)
def test_a_pure_module_does_not_bring_in_django(module: str) -> None:
    program = f"import sys, {module}; raise SystemExit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
