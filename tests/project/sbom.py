"""Print the bill of materials of the product, CycloneDX 1.6 as JSON, of the locked requirements: `python -m tests.project.sbom` (`make sbom`)."""

import json
import subprocess
import sys
from typing import Any

from gisc import __version__
from tests.support.paths import ROOT


def make() -> dict[str, Any]:
    """Have cyclonedx-bom describe requirements.txt, and add what it does not know: the version of the product, and what that needs."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", "requirements.txt"]
        + ["--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "--sv", "1.6"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    product = found["metadata"]["component"]
    product["version"] = __version__
    for component in found["components"]:
        component["bom-ref"] = component["purl"]
        component.pop("description", None)  # the line of the file
    references = sorted(component["purl"] for component in found["components"])
    found["dependencies"] = [
        {"ref": product["bom-ref"], "dependsOn": references},
        *({"ref": each} for each in references),
    ]
    return found


if __name__ == "__main__":
    json.dump(make(), sys.stdout, indent=1, sort_keys=True)
    print()
