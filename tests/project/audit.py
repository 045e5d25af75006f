"""Ask pip-audit for known weaknesses of the locked requirements: `python -m tests.project.audit` (`make audit`).

Status 1 where there is one. Where the service cannot be asked, or does not know a package, one sentence says so, and the status is 2
in continuous integration (CI is set) and 0 elsewhere: nobody can mend that at a desk without a network.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.support.paths import ROOT

FILES = ("requirements.txt", "requirements-dev.txt")


class Audit(NamedTuple):
    """What was found: weaknesses as lines, packages that were not looked at, and why nothing could be asked."""

    weak: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    asked: int = 0
    failure: str = ""


def ask(file: str) -> Audit:
    """Audit one locked file."""
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--requirement", file, "--require-hashes", "--disable-pip"]
        + ["--progress-spinner", "off", "--timeout", "10", "--format", "json"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        return read(json.loads(done.stdout))
    except ValueError:
        return Audit(failure=(done.stderr.strip().splitlines() or ["no answer"])[-1][:300])


def read(answer: Mapping[str, Any]) -> Audit:
    """Read the answer of pip-audit."""
    packages: Sequence[Mapping[str, Any]] = answer["dependencies"]
    weak = tuple(
        f"{each['name']} {each['version']}: {found['id']}, mended in {', '.join(found['fix_versions']) or 'no version yet'}"
        for each in packages
        for found in each.get("vulns", ())
    )
    unknown = tuple(each["name"] for each in packages if "skip_reason" in each)
    return Audit(weak, unknown, len(packages) - len(unknown))


def report(audits: Mapping[str, Audit]) -> Iterator[str]:
    """Say what was found, a line each."""
    for file, audit in audits.items():
        yield from (f"{file}: {line}" for line in audit.weak)
        if audit.failure or (audit.unknown and not audit.asked):
            yield f"{file}: not audited, as the service of known weaknesses cannot be asked from here ({audit.failure or 'it knows no package'})"
        elif audit.unknown:
            yield f"{file}: {audit.asked} packages audited; not known to the service: {', '.join(audit.unknown)}"
        elif not audit.weak:
            yield f"{file}: no known weakness in {audit.asked} packages"


def status(audits: Mapping[str, Audit], *, is_ci: bool) -> int:
    """Return 1 for a weakness, and in continuous integration 2 for what could not be audited."""
    if any(audit.weak for audit in audits.values()):
        return 1
    is_incomplete = any(audit.failure or audit.unknown for audit in audits.values())
    return 2 if is_incomplete and is_ci else 0


if __name__ == "__main__":
    found = {file: ask(file) for file in FILES}
    print("\n".join(report(found)))
    sys.exit(status(found, is_ci=bool(os.environ.get("CI"))))
