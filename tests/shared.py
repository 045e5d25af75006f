"""The material beside the repository that some tests use: real records, schemas, a generator. Found by GISC_SHARED."""

import os
from pathlib import Path

import pytest

from tests.gisc.running import ROOT

SHARED = Path(os.environ.get("GISC_SHARED", ROOT.parent / "shared"))


def shared(*parts: str) -> Path:
    """A path below GISC_SHARED (default `../shared`). Skips the test, saying so, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not there; name the folder that holds it in GISC_SHARED")
    return path
