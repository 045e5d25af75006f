"""`manage.py demo`: run three nodes that harvest one another; show them live, or check them and end (`--check`)."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.live import Live
from rich.table import Table

from gisc.demo.mesh import HARVEST_EVERY_S, DemoNode, ListedRecord, MeshFailed, nodes, running, samples

CONVERGENCE_TIMEOUT_S = 60
_POLL_S = 1.0
_NO_ANSWER = (requests.RequestException, ValueError)


def show(folder: Path) -> None:
    """Run the mesh and show it until Ctrl-C."""
    mesh = nodes(folder)
    console = Console()
    console.print(f"Starting {', '.join(node.name for node in mesh)}; their logs are below {folder} ...")
    with running(mesh) as processes:
        for node in mesh:
            console.print(f"{node.name}  {node.url}/  {node.url}/oai?verb=Identify")
        console.print(f"Each harvests the others every {HARVEST_EVERY_S} s. Ctrl-C stops everything.")
        try:
            with Live(console=console, auto_refresh=False) as live:
                while all(process.poll() is None for process in processes.values()):
                    live.update(_table(mesh), refresh=True)
                    time.sleep(_POLL_S)
        except KeyboardInterrupt:
            console.print("Stopping ...")
            return
    raise MeshFailed(f"a node ended by itself; the logs are below {folder}")


def _table(mesh: Sequence[DemoNode]) -> Table:
    """Make a table with a row for each node and a column for each set: live records, tombstones, last change."""
    table = Table(
        "node", *(node.name for node in mesh), "WIS-CATALOGUE", "last harvests", title="live -deleted  last change"
    )
    for node in mesh:
        try:
            sets = {row["set"]: row for row in node.get_json("/stats.json")["sets"]}
            links = node.get_json("/harvest/status.json")["links"]
        except _NO_ANSWER:
            table.add_row(node.name, *["does not answer"] * (len(mesh) + 2))
            continue
        cells = []
        for spec in (*(other.name for other in mesh), "WIS-CATALOGUE"):
            row = sets.get(spec)
            cells.append(f"{row['live']} -{row['deleted']}  {(row['newest'] or '-')[11:]}" if row else "-")
        runs = [f"{link['name']} {link['last_run']['state']}" for link in links if link["last_run"]]
        table.add_row(node.name, *cells, ", ".join(runs) or "none yet")
    return table


def check(folder: Path) -> bool:
    """Run the mesh, check that the nodes converge, and print each step. Returns whether all checks passed."""
    mesh = nodes(folder)
    console = Console()
    started = time.monotonic()

    def say(text: str) -> None:
        console.print(f"{time.monotonic() - started:6.1f} s  {text}", highlight=False, soft_wrap=True)

    say(f"starting {len(mesh)} nodes; their logs are below {folder}")
    with running(mesh):
        passed = _run_checks(mesh, say)
    say("stopped; all checks passed" if passed else "stopped; THE DEMO FAILED")
    return passed


def _run_checks(mesh: Sequence[DemoNode], say: Callable[[str], None]) -> bool:
    tokyo = mesh[0]
    expected = len(list(samples(tokyo).parent.glob("WIS-GISC-*/*.xml")))
    say(f"all ready, {expected} sample records split among them; waiting until all have the same records")
    if not converge(mesh, lambda records: len(records) == expected, say):
        return False

    updated, withdrawn = sorted(
        identifier for identifier, record in tokyo.catalogue().items() if tokyo.name in record.set_specs
    )[:2]
    before = tokyo.catalogue()[updated].digest
    _update(tokyo, updated)
    tokyo.manage("withdraw", withdrawn)
    say(f"{tokyo.name} updated {updated} and withdrew {withdrawn}")
    if not converge(mesh, lambda records: records[updated].digest != before and records[withdrawn].digest is None, say):
        return False

    stamps = {node: _stamps(node.catalogue()) for node in mesh}
    say("one more round with nothing to harvest")
    if not _one_more_round(mesh, say):
        return False
    restamped = [
        f"{node.name}: {identifier} {stamps[node].get(identifier)} -> {stamp}"
        for node in mesh
        for identifier, stamp in _stamps(node.catalogue()).items()
        if stamp != stamps[node].get(identifier)
    ]
    for line in restamped:
        say(f"restamped without a change: {line}")
    if not restamped:
        say("no record was restamped")
    return not restamped


def _stamps(catalogue: dict[str, ListedRecord]) -> dict[str, str]:
    return {identifier: record.datestamp for identifier, record in catalogue.items()}


def _update(node: DemoNode, identifier: str) -> None:
    """Change the abstract of one of the node's own records."""
    folder = samples(node)
    for file in folder.glob("*.xml"):
        text = file.read_text(encoding="utf-8")
        if f">{identifier}<" in text:
            start = text.index("<gco:CharacterString>", text.index("<gmd:abstract")) + len("<gco:CharacterString>")
            changed = node.folder / "changed.xml"
            changed.write_text(f"{text[:start]}Revised edition. {text[start:]}", encoding="utf-8")
            node.manage("ingest", str(changed))
            return
    raise MeshFailed(f"no sample below {folder} is {identifier}")


def converge(
    mesh: Sequence[DemoNode], is_reached: Callable[[dict[str, ListedRecord]], bool], say: Callable[[str], None]
) -> bool:
    """Wait until all nodes have the same records and `is_reached` is true; print the differences after a timeout."""
    deadline = time.monotonic() + CONVERGENCE_TIMEOUT_S
    while True:
        catalogues = {node: node.catalogue() for node in mesh}
        first = catalogues[mesh[0]]
        differences = _differences(catalogues)
        if not differences and is_reached(first):
            live = sum(record.digest is not None for record in first.values())
            say(f"identical at all {len(mesh)} nodes: {live} live, {len(first) - live} deleted")
            return True
        if time.monotonic() > deadline:
            say(f"not identical after {CONVERGENCE_TIMEOUT_S} s")
            for line in differences or ["all nodes have the same records, but not the expected ones"]:
                say(line)
            return False
        time.sleep(_POLL_S)


def _differences(catalogues: dict[DemoNode, dict[str, ListedRecord]]) -> list[str]:
    """Describe each record that is not the same at all nodes; datestamps are not compared, each node has its own."""
    lines = []
    for identifier in sorted({identifier for records in catalogues.values() for identifier in records}):
        states = {node: _state(records.get(identifier)) for node, records in catalogues.items()}
        if len(set(states.values())) > 1:
            lines.append(f"{identifier}: " + ", ".join(f"{node.name} {state}" for node, state in states.items()))
    return lines


def _state(record: ListedRecord | None) -> str:
    if record is None:
        return "does not have it"
    content = "deleted" if record.digest is None else record.digest.hex()[:12]
    return f"{content} in {'+'.join(sorted(record.set_specs))}"


def _one_more_round(mesh: Sequence[DemoNode], say: Callable[[str], None]) -> bool:
    """Wait until every link has ended a run that was opened after now."""
    before = _last_runs(mesh)
    deadline = time.monotonic() + CONVERGENCE_TIMEOUT_S
    while True:
        now = _last_runs(mesh)
        waiting = [link for link, run in now.items() if run["id"] <= before[link]["id"] or run["state"] != "done"]
        if not waiting:
            received = sum(run["received"] for run in now.values())
            changed = sum(run["new"] + run["updated"] + run["deleted"] for run in now.values())
            say(f"{len(now)} links harvested once more: {received} entries received, {changed} changed anything")
            return True
        if time.monotonic() > deadline:
            say(f"no further complete run after {CONVERGENCE_TIMEOUT_S} s: {', '.join(waiting)}")
            return False
        time.sleep(_POLL_S)


def _last_runs(mesh: Sequence[DemoNode]) -> dict[str, Any]:
    """Return the last run of every link of every node, by a name for messages."""
    return {
        f"{node.name} from {link['name']}": link["last_run"] or {"id": 0, "state": "none"}
        for node in mesh
        for link in node.get_json("/harvest/status.json")["links"]
    }
