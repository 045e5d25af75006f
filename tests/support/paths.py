"""Where things are: the repository, programs of the host, and the material of some tests (GISC_SHARED): real records, schemas."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GISC_SHARED", ROOT.parent / "shared"))


def shared(*parts: str) -> Path:
    """A path below GISC_SHARED (default `../shared`). Skips the test, saying so, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not there; name the folder that holds it in GISC_SHARED")
    return path


def program(name: str) -> str:
    """Return the path of a program; the test is skipped where it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found
