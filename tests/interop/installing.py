"""OAI-PMH servers that others have written, installed from the package index into a venv of their own."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

_INSTALL_S = 300


@functools.cache
def python_with(*requirements: str) -> Path:
    """The Python of a venv that has these. Skips the test where the index cannot be reached or has none that fits."""
    folder = Path(tempfile.mkdtemp(prefix="gisc-interop-"))
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GISC_")}
    try:
        done = subprocess.run(
            [*command, *requirements], capture_output=True, text=True, timeout=_INSTALL_S, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{' '.join(requirements)} did not install within {_INSTALL_S} s")
    if done.returncode:
        pytest.skip(f"{' '.join(requirements)} cannot be installed: {done.stderr.strip().splitlines()[-1][:200]}")
    return python
