"""`manage.py demo`: run three nodes that harvest one another; show them live, or check them and end (`--check`)."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import requests
from django.utils.translation import gettext
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
    console = Console(markup=False, emoji=False, soft_wrap=True)
    text = gettext("Starting {nodes}; their logs are below {folder} ...")
    console.print(text.format(nodes=", ".join(node.name for node in mesh), folder=folder))
    with running(mesh) as processes:
        for node in mesh:
            console.print(f"{node.name}  {node.url}/  {node.url}/oai?verb=Identify")
        text = gettext("Each harvests the others every {seconds} s. Ctrl-C stops everything.")
        console.print(text.format(seconds=HARVEST_EVERY_S))
        try:
            with Live(console=console, auto_refresh=False) as live:
                while all(process.poll() is None for process in processes.values()):
                    live.update(_table(mesh), refresh=True)
                    time.sleep(_POLL_S)
        except KeyboardInterrupt:
            console.print(gettext("Stopping ..."))
            return
    raise MeshFailed(gettext("a node ended by itself; the logs are below {folder}").format(folder=folder))


def _table(mesh: Sequence[DemoNode]) -> Table:
    """Make a table with a row for each node and a column for each set: live records, tombstones, last change."""
    table = Table(
        gettext("node"),
        *(node.name for node in mesh),
        "WIS-CATALOGUE",
        gettext("last harvests"),
        title=gettext("live -deleted  last change"),
    )
    for node in mesh:
        try:
            sets = {row["set"]: row for row in node.get_json("/stats.json")["sets"]}
            links = node.get_json("/harvest/status.json")["links"]
        except _NO_ANSWER:
            table.add_row(node.name, *[gettext("does not answer")] * (len(mesh) + 2))
            continue
        cells = []
        for spec in (*(other.name for other in mesh), "WIS-CATALOGUE"):
            row = sets.get(spec)
            cells.append(f"{row['live']} -{row['deleted']}  {(row['newest'] or '-')[11:]}" if row else "-")
        runs = [f"{link['name']} {link['last_run']['state']}" for link in links if link["last_run"]]
        table.add_row(node.name, *cells, ", ".join(runs) or gettext("none yet"))
    return table


def check(folder: Path) -> bool:
    """Run the mesh, check that the nodes converge, and print each step. Returns whether all checks passed."""
    mesh = nodes(folder)
    console = Console(markup=False, emoji=False, soft_wrap=True)
    started = time.monotonic()

    def say(text: str) -> None:
        console.print(f"{time.monotonic() - started:6.1f} s  {text}", highlight=False)

    say(gettext("starting {number} nodes; their logs are below {folder}").format(number=len(mesh), folder=folder))
    with running(mesh):
        passed = _run_checks(mesh, say)
    say(gettext("stopped; all checks passed") if passed else gettext("stopped; THE DEMO FAILED"))
    return passed


def _run_checks(mesh: Sequence[DemoNode], say: Callable[[str], None]) -> bool:
    tokyo = mesh[0]
    expected = len(list(samples(tokyo).parent.glob("WIS-GISC-*/*.xml")))
    text = gettext("all ready, {number} sample records split among them; waiting until all have the same records")
    say(text.format(number=expected))
    if not converge(mesh, lambda records: len(records) == expected, say):
        return False

    updated, withdrawn = sorted(
        identifier for identifier, record in tokyo.catalogue().items() if tokyo.name in record.set_specs
    )[:2]
    before = tokyo.catalogue()[updated].digest
    _update(tokyo, updated)
    tokyo.manage("withdraw", withdrawn)
    text = gettext("{node} updated {updated} and withdrew {withdrawn}")
    say(text.format(node=tokyo.name, updated=updated, withdrawn=withdrawn))
    if not converge(mesh, lambda records: records[updated].digest != before and records[withdrawn].digest is None, say):
        return False

    stamps = {node: _stamps(node.catalogue()) for node in mesh}
    say(gettext("one more round with nothing to harvest"))
    if not _one_more_round(mesh, say):
        return False
    restamped = [
        f"{node.name}: {identifier} {stamps[node].get(identifier)} -> {stamp}"
        for node in mesh
        for identifier, stamp in _stamps(node.catalogue()).items()
        if stamp != stamps[node].get(identifier)
    ]
    for line in restamped:
        say(gettext("restamped without a change: {line}").format(line=line))
    if not restamped:
        say(gettext("no record was restamped"))
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
    raise MeshFailed(gettext("no sample below {folder} is {identifier}").format(folder=folder, identifier=identifier))


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
            text = gettext("identical at all {nodes} nodes: {live} live, {deleted} deleted")
            say(text.format(nodes=len(mesh), live=live, deleted=len(first) - live))
            return True
        if time.monotonic() > deadline:
            say(gettext("not identical after {seconds} s").format(seconds=CONVERGENCE_TIMEOUT_S))
            for line in differences or [gettext("all nodes have the same records, but not the expected ones")]:
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
        return gettext("does not have it")
    content = gettext("deleted") if record.digest is None else record.digest.hex()[:12]
    return gettext("{content} in {sets}").format(content=content, sets="+".join(sorted(record.set_specs)))


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
            text = gettext("{links} links harvested once more: {received} entries received, {changed} changed anything")
            say(text.format(links=len(now), received=received, changed=changed))
            return True
        if time.monotonic() > deadline:
            text = gettext("no further complete run after {seconds} s: {links}")
            say(text.format(seconds=CONVERGENCE_TIMEOUT_S, links=", ".join(waiting)))
            return False
        time.sleep(_POLL_S)


def _last_runs(mesh: Sequence[DemoNode]) -> dict[str, Any]:
    """Return the last run of every link of every node, by a name for messages."""
    return {
        gettext("{node} from {link}").format(node=node.name, link=link["name"]): link["last_run"]
        or {"id": 0, "state": "none"}
        for node in mesh
        for link in node.get_json("/harvest/status.json")["links"]
    }
