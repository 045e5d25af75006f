"""All cases of the fault table, and docs/faults.md: `python -m tests.harvester.faults.fault_page` writes its table anew."""

from collections.abc import Iterable

from tests.harvester.faults import fault_bodies, fault_lists, fault_records, fault_transport
from tests.harvester.faults.fault_cases import Case
from tests.support.paths import ROOT

if __name__ == "__main__":
    import django

    django.setup()

CASES = [*fault_bodies.CASES, *fault_lists.CASES, *fault_records.CASES, *fault_transport.CASES]
_HEAD = "| row | what the provider does | what becomes of the run | besides |\n| --- | --- | --- | --- |\n"


def table(cases: Iterable[Case]) -> str:
    """The cases as a table."""
    return _HEAD + "".join(
        f"| F{case.row} | {case.name} | {case.outcome.name.lower()} | {_besides(case)} |\n" for case in cases
    )


def _besides(case: Case) -> str:
    told = []
    if case.mended:
        told.append(f"{len(case.mended)} mended")
    if case.rejects:
        told.append(f"{len(case.rejects)} rejected")
    if case.says:
        told.append(f"says “{case.says}”")
    return "; ".join(told)


if __name__ == "__main__":
    page = ROOT / "docs" / "faults.md"
    page.write_text(page.read_text(encoding="utf-8").partition("| row |")[0] + table(CASES), encoding="utf-8")
