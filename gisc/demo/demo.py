"""`manage.py demo`: a mesh of three nodes that harvest one another, shown live, or checked and ended (`--check`)."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.live import Live
from rich.table import Table

from gisc.demo.mesh import HARVEST_EVERY_S, Held, MeshFailed, Node, nodes, running, samples

CONVERGENCE_TIMEOUT_S = 60
_POLL_S = 1.0
_ASKING_FAILED = (requests.RequestException, ValueError)


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


def _table(mesh: Sequence[Node]) -> Table:
    """Rows nodes, columns sets: live records, tombstones, last change."""
    table = Table(
        "node", *(node.name for node in mesh), "WIS-CATALOGUE", "last harvests", title="live -deleted  last change"
    )
    for node in mesh:
        try:
            sets = {row["set"]: row for row in node.ask("/stats.json")["sets"]}
            links = node.ask("/harvest/status.json")["links"]
        except _ASKING_FAILED:
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
    """Run the mesh until it has proved itself, or not: whether it did. What went on is printed."""
    mesh = nodes(folder)
    console = Console()
    began = time.monotonic()

    def say(text: str) -> None:
        console.print(f"{time.monotonic() - began:6.1f} s  {text}", highlight=False, soft_wrap=True)

    say(f"starting {len(mesh)} nodes; their logs are below {folder}")
    with running(mesh):
        passed = _prove(mesh, say)
    say("stopped; the demo held" if passed else "stopped; THE DEMO FAILED")
    return passed


def _prove(mesh: Sequence[Node], say: Callable[[str], None]) -> bool:
    tokyo = mesh[0]
    expected = len(list(samples(tokyo).parent.glob("WIS-GISC-*/*.xml")))
    say(f"all ready, {expected} sample records split among them; waiting until all hold the same")
    if not _converge(mesh, lambda held: len(held) == expected, say):
        return False

    updated, withdrawn = sorted(i for i, held in tokyo.catalogue().items() if tokyo.name in held.set_specs)[:2]
    before = tokyo.catalogue()[updated].digest
    _update(tokyo, updated)
    tokyo.manage("withdraw", withdrawn)
    say(f"{tokyo.name} updated {updated} and withdrew {withdrawn}")
    if not _converge(mesh, lambda held: held[updated].digest != before and held[withdrawn].digest is None, say):
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


def _stamps(catalogue: dict[str, Held]) -> dict[str, str]:
    return {identifier: held.datestamp for identifier, held in catalogue.items()}


def _update(node: Node, identifier: str) -> None:
    """Offer the node its own record again with other words in the abstract."""
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


def _converge(mesh: Sequence[Node], as_wanted: Callable[[dict[str, Held]], bool], say: Callable[[str], None]) -> bool:
    """Wait until every node holds the same, and what is wanted; tell the differences if it does not come to that."""
    deadline = time.monotonic() + CONVERGENCE_TIMEOUT_S
    while True:
        held = {node: node.catalogue() for node in mesh}
        differences = _differences(held)
        if not differences and as_wanted(held[mesh[0]]):
            live = sum(one.digest is not None for one in held[mesh[0]].values())
            say(f"identical at all {len(mesh)} nodes: {live} live, {len(held[mesh[0]]) - live} deleted")
            return True
        if time.monotonic() > deadline:
            say(f"not identical after {CONVERGENCE_TIMEOUT_S} s")
            for line in differences or ["all nodes agree, but not on what was to be reached"]:
                say(line)
            return False
        time.sleep(_POLL_S)


def _differences(held: dict[Node, dict[str, Held]]) -> list[str]:
    """One line for each record that is not the same at all nodes; datestamps are each node's own and do not count."""
    lines = []
    for identifier in sorted({identifier for records in held.values() for identifier in records}):
        states = {node: _state(records.get(identifier)) for node, records in held.items()}
        if len(set(states.values())) > 1:
            lines.append(f"{identifier}: " + ", ".join(f"{node.name} {state}" for node, state in states.items()))
    return lines


def _state(held: Held | None) -> str:
    if held is None:
        return "does not have it"
    content = "deleted" if held.digest is None else held.digest.hex()[:12]
    return f"{content} in {'+'.join(sorted(held.set_specs))}"


def _one_more_round(mesh: Sequence[Node], say: Callable[[str], None]) -> bool:
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


def _last_runs(mesh: Sequence[Node]) -> dict[str, Any]:
    """The last run of every link of every node, by a name to show."""
    return {
        f"{node.name} from {link['name']}": link["last_run"] or {"id": 0, "state": "none"}
        for node in mesh
        for link in node.ask("/harvest/status.json")["links"]
    }
