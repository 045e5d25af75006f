"""SECURITY.md names code and tests that are there, for each attacker."""

import re

from tests.support.paths import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ATTACKERS = ("A hostile peer", "A hostile harvester", "A hostile record", "A stolen dump", "The operator's mistake")


def test_each_attacker_has_what_is_tried_what_stands_against_it_and_what_remains() -> None:
    sections = TEXT.partition("## Threat model")[2].split("\n### ")[1:]
    assert [section.startswith(attacker) for section, attacker in zip(sections, ATTACKERS, strict=True)] == [True] * 5
    for section in sections:
        rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
        assert len(rows) >= 4 and "\nRemains: " in section
        for row in rows:
            *_, code_and_test = row.strip("| ").split(" | ")
            assert "`tests/" in code_and_test or "docs/deployment.md" in code_and_test, row


def test_every_path_that_it_names_is_there() -> None:
    named = {path for path in re.findall(r"`([A-Za-z_./]+/[A-Za-z_./]*)`", TEXT) if not path.startswith("/")}
    assert len(named) > 60
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
