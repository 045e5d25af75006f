"""What `make drill-alarms` expects is what the document says, and of alarms that there are. The drill itself takes two hours."""

import re

from tests.loop import alarm_drills
from tests.support import prometheus
from tests.support.paths import ROOT

DOCUMENT = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ALARMS = re.findall(r"^      - alert: (\w+)$", prometheus.RULES.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_document_says_what_the_drill_expects() -> None:
    """Which alarm is told of for each part that is broken, what follows from it, and what the node tells by itself."""
    _, _, section = DOCUMENT.partition("### What each failure sets off")
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def names(cell: str) -> list[str]:
        return re.findall(r"`(\w+)`", cell)

    written = {how: (names(alarm), names(follows), names(own)) for how, alarm, follows, own in rows[2:]}
    expected = {how: ([case.alarm], list(case.follows), list(case.own)) for how, case in alarm_drills.CASES.items()}
    assert written == expected
    assert {alarm for case in alarm_drills.CASES.values() for alarm in (case.alarm, *case.follows)} <= set(ALARMS)
