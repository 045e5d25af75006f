"""What the product is made of: the bill of materials is valid and whole, and the audit says what it could not find out."""

import json
import re

import pytest

from gisc import __version__
from tests.project import audit, sbom
from tests.project.audit import Audit
from tests.support.paths import ROOT


def test_the_bill_of_materials_is_valid_and_has_every_locked_requirement() -> None:
    pytest.importorskip("cyclonedx_py")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    bill = sbom.make()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    locked = re.findall(
        r"^([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([^ ;\\]+)",
        (ROOT / "requirements.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {(each["name"], each["version"]) for each in bill["components"]} == set(locked) and len(locked) > 40
    product = bill["metadata"]["component"]
    assert (product["name"], product["version"]) == ("gisc-catalogue-node", __version__)
    assert bill["dependencies"][0]["dependsOn"] == sorted(each["bom-ref"] for each in bill["components"])
    for each in bill["components"]:
        (source,) = each["externalReferences"]
        assert each["purl"] == f"pkg:pypi/{each['name'].lower()}@{each['version']}" and source["hashes"], each["name"]


ANSWER = {
    "dependencies": [
        {"name": "lxml", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]},
        {"name": "rich", "version": "2.0", "vulns": []},
        {"name": "own", "skip_reason": "Dependency not found on PyPI"},
    ]
}


def test_an_audit_tells_weak_packages_from_those_it_does_not_know() -> None:
    assert audit.read(ANSWER) == Audit(("lxml 1.0: PYSEC-1, mended in 1.1",), ("own",), 2)
    assert list(audit.report({"r": audit.read(ANSWER)})) == [
        "r: lxml 1.0: PYSEC-1, mended in 1.1",
        "r: 2 packages audited; not known to the service: own",
    ]


@pytest.mark.parametrize(
    ("found", "elsewhere", "in_ci"),
    [
        (Audit(("lxml",), (), 3), 1, 1),
        (Audit((), (), 3), 0, 0),
        (Audit((), ("own",), 3), 0, 2),
        (Audit(failure="no network"), 0, 2),
    ],
)
def test_what_could_not_be_audited_is_an_error_in_continuous_integration_only(
    found: Audit, elsewhere: int, in_ci: int
) -> None:
    assert (audit.status({"r": found}, is_ci=False), audit.status({"r": found}, is_ci=True)) == (elsewhere, in_ci)


@pytest.mark.parametrize("found", [Audit(failure="no network"), Audit((), ("a", "b"), 0)])
def test_an_audit_that_looked_at_nothing_never_says_that_all_is_well(found: Audit) -> None:
    (line,) = audit.report({"r": found})
    assert line.startswith("r: not audited, as the service of known weaknesses cannot be asked from here")
