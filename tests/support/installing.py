"""OAI-PMH software that others have written, installed from the package index into a venv of its own."""

import functools
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gisc import file_locks
from tests.support.paths import ROOT

_INSTALL_S = 300
_PKG_RESOURCES = "setuptools<81"  # which some import, and which each venv of Python 3.11 has
# Kept for the next run, and shared by the worker processes of this one.
_FOLDER = ROOT / ".interop"


@functools.cache
def python_with(*requirements: str) -> Path:
    """The Python of a venv that has these. Skips the test where the index cannot be reached or has none that fits."""
    key = hashlib.sha256("\n".join([sys.executable, sys.version, *requirements]).encode()).hexdigest()[:16]
    _FOLDER.mkdir(exist_ok=True)
    with file_locks.exclusive_lock(_FOLDER / f"{key}.lock"):
        folder = _FOLDER / key
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _install(folder, requirements)
            (folder / "complete").touch()
    return folder / "bin" / "python"


def _install(folder: Path, requirements: tuple[str, ...]) -> None:
    """Fill a venv with our own pip: one with a pip of its own, and with all modules compiled, takes four times as long."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    options = ["--no-compile", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    command = [*pip, "install", *options, _PKG_RESOURCES]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GISC_")}
    try:
        done = subprocess.run(
            [*command, *requirements], capture_output=True, text=True, timeout=_INSTALL_S, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{' '.join(requirements)} did not install within {_INSTALL_S} s")
    if done.returncode:
        pytest.skip(f"{' '.join(requirements)} cannot be installed: {done.stderr.strip().splitlines()[-1][:200]}")
