"""Read the locked requirements."""

from tests.support.paths import ROOT


def requirements(file: str) -> list[str]:
    """The requirements of a locked file, each on one line and without comments."""
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
