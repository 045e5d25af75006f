"""A mesh of four nodes under constant writes ends equal and silent, whatever the clocks and a relay do meanwhile.

The four are processes of `tests/loop/mesh_node.py`. `MESH_SEED=7` draws other writes and other steps of the clocks;
`MESH_ROUNDS=40` makes it longer.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.loop import mesh
from tests.loop.mesh import CO_OWNERS, NODES, SHARED, Mesh, link_name, spec_of
from tests.loop.mesh_records import document
from tests.support.provider import Provider

SEED = os.environ.get("MESH_SEED", "1")
ROUNDS = int(os.environ.get("MESH_ROUNDS", "10"))  # with clocks that step; half as many without
WRITES = 6  # by each node in a round
ROUND_S = 30  # of the time of the mesh
MAX_STEP_H = 9
MAX_IDLE_ROUNDS = 12
DOUBTS = {"long-silence", "list-short", "fewer-than-stored", "entries-repeated"}  # beside clock-set-back
RELAYED = link_name(spec_of("TOULOUSE"), "TOULOUSE")  # at Melbourne; the relay serves it for a while

State = dict[str, Any]


@pytest.fixture(scope="module")
def template() -> Iterator[str]:
    with mesh.template() as name:
        yield name


@pytest.fixture
def provider(httpserver: HTTPServer) -> Provider:
    return Provider(httpserver, page_size=50)


@pytest.mark.spec("H8", "H9", "H12", "H48", "W16", "W21", "W31", "W33", "W42", "W43")
def test_a_mesh_whose_clocks_step_by_hours_ends_equal_and_silent(
    template: str, provider: Provider, tmp_path: Path
) -> None:
    chance = random.Random(f"{SEED} clocks")
    with mesh.running(template, provider, tmp_path, SEED) as world:
        for number in range(ROUNDS):
            if number:
                world.skews |= _steps(chance)
            world.pass_time(ROUND_S)
            _relay_in_round(world, number)
            world.round(WRITES, by_hand=number % 3 == 2)
        world.skews.clear()
        _fall_silent(world)
        states = world.states()
        named = _differences(world, states)
        _report(world, states, named)
        remarks = Counter(remark for run in _harvests(states) for remark in run["remarks"])
        assert remarks["clock-set-back"], "the steps of the clocks went unnoticed"
        assert not DOUBTS & remarks.keys(), remarks
        assert _compared_without_cause(states) == []


@pytest.mark.spec("H49", "W50")
def test_a_mesh_under_constant_writes_makes_no_comparison(template: str, provider: Provider, tmp_path: Path) -> None:
    with mesh.running(template, provider, tmp_path, f"{SEED} plain") as world:
        for number in range(ROUNDS // 2 + 1):
            world.pass_time(ROUND_S)
            world.round(WRITES, by_hand=number % 3 == 2)
        _fall_silent(world)
        states = world.states()
        _report(world, states, _differences(world, states))
        remarks = Counter(remark for run in _harvests(states) for remark in run["remarks"])
        assert not (DOUBTS | {"clock-set-back", "came-late"}) & remarks.keys(), remarks
        assert {name: [r for r in s["runs"] if r["purpose"] == "comparison"] for name, s in states.items()} == {
            name: [] for name in NODES
        }


# --- What happens -----------------------------------------------------------------------------------


def _steps(chance: random.Random) -> dict[str, float]:
    """One or two clocks step, forth or back, or are put right."""
    stepping = chance.sample(NODES, chance.choice((1, 1, 2)))
    return {name: chance.choice((0, 1, 1)) * chance.uniform(-MAX_STEP_H, MAX_STEP_H) * 3600 for name in stepping}


def _relay_in_round(world: Mesh, number: int) -> None:
    """Melbourne is turned to the relay and back; meanwhile the relay passes on an old copy with a later gmd:dateStamp."""
    begin = ROUNDS // 3
    if number == begin:
        world.nodes["MELBOURNE"].call("switch", link=RELAYED, alternative="relay")
    elif number == begin + 1:
        own = world.ledger.written["TOULOUSE", spec_of("TOULOUSE")]
        identifier, edition = next((i, e) for i, e in own.items() if e is not None)
        assert edition is not None
        world.ledger.fixed.add(identifier)  # no later write of its owner puts it right
        world.relay.lie(identifier, document(identifier, 0, metadata_date=mesh.LIE_IN_FUTURE))
    elif number == begin + 3:
        lie = mesh.digest_of(document(world.relay.lying_about, 0, metadata_date=mesh.LIE_IN_FUTURE))
        for name in ("OFFENBACH", "MELBOURNE"):
            held = _versions(world.nodes[name].call("state"))
            assert held[spec_of("TOULOUSE")][world.relay.lying_about] == lie, name
        world.nodes["MELBOURNE"].call("switch", link=RELAYED, alternative=None)
    elif number == begin + 4:
        world.relay.tell_truth()


def _fall_silent(world: Mesh) -> None:
    """Let the nodes harvest with right clocks until nothing happens, then until all stamps are past, and look twice."""
    _harvest_until_silent(world)
    # A clock that was ahead keeps its datestamps there until its time comes.
    world.pass_time((MAX_STEP_H + 1) * 3600)
    world.round(by_hand=True)
    _harvest_until_silent(world)
    before = world.states()
    for _ in range(2):
        world.pass_time(ROUND_S)
        world.round(by_hand=True)
    after = world.states()
    assert {name: s["sets"] for name, s in after.items()} == {name: s["sets"] for name, s in before.items()}
    assert {name: s["sent"] for name, s in after.items()} == {name: s["sent"] for name, s in before.items()}
    assert all(len(after[name]["runs"]) > len(before[name]["runs"]) for name in NODES)


def _harvest_until_silent(world: Mesh) -> None:
    runs = {name: len(state["runs"]) for name, state in world.states().items()}
    for _ in range(MAX_IDLE_ROUNDS):
        world.pass_time(ROUND_S)
        world.round()
        states = world.states()
        fresh = {name: state["runs"][runs[name] :] for name, state in states.items()}
        runs = {name: len(state["runs"]) for name, state in states.items()}
        links = {name: {run["link"] for run in ran if run["state"] == "done"} for name, ran in fresh.items()}
        all_ran = all(len(links[name]) == (3 if name in CO_OWNERS else 5) for name in NODES)
        in_doubt = {link for name in NODES if name not in CO_OWNERS for link in states[name]["comparing"]}
        if all_ran and not in_doubt and not any(run["stored"] for ran in fresh.values() for run in ran):
            return
    raise AssertionError([run for ran in fresh.values() for run in ran])


# --- What came of it --------------------------------------------------------------------------------


def _differences(world: Mesh, states: dict[str, State]) -> Counter[str]:
    """How many differences are left, by what names them. Fails for one that nothing names."""
    held = {name: _versions(state) for name, state in states.items()}
    named: Counter[str] = Counter()
    unnamed: list[tuple[str, ...]] = []
    for owner in NODES:
        spec = spec_of(owner)
        assert held[owner][spec] == world.ledger.expected(owner, spec), owner
        for name in NODES:
            unnamed += _compare(held[owner][spec], held[name][spec], (name, spec, owner), states, named)
    for name, owner in ((name, owner) for name in NODES for owner in CO_OWNERS):
        other = held[CO_OWNERS[owner == CO_OWNERS[0]]][SHARED]
        # To other nodes a record is there while one of its owners has it (W45).
        lives = {i: digest for i, digest in other.items() if digest and name not in CO_OWNERS}
        there = lives | {i: digest for i, digest in held[owner][SHARED].items() if digest}
        unnamed += _compare(there, held[name][SHARED], (name, SHARED, owner), states, named)
    for name in NODES:
        served = {
            spec: {
                i: None if doc is None else mesh.digest_of(doc)
                for i, (_, doc) in world.nodes[name].served(spec).items()
            }
            for spec in held[name]
        }
        assert served == held[name], name
    assert unnamed == [], "\n".join(map(str, sorted(unnamed)))
    return named


def _versions(state: State) -> dict[str, mesh.Versions]:
    return {spec: {i: digest for i, (digest, _) in rows.items()} for spec, rows in state["sets"].items()}


def _compare(
    owners: mesh.Versions,
    ours: mesh.Versions,
    where: tuple[str, str, str],
    states: dict[str, State],
    named: Counter[str],
) -> list[tuple[str, ...]]:
    """Count the differences that the node names, by a conflict, a claim, a reject or a doubt, and return the others.

    Of two co-owners the one whose version is older is offered the other's (W43).
    """
    name, spec, owner = where
    by_identifier = _names_by_identifier(states[name], spec, owner)
    if {name, owner} == set(CO_OWNERS):
        for identifier, names in _names_by_identifier(states[owner], spec, name).items():
            by_identifier.setdefault(identifier, []).extend(names)
    unnamed: list[tuple[str, ...]] = []
    for identifier in owners.keys() | ours.keys():
        if owners.get(identifier) == ours.get(identifier):
            continue
        names = by_identifier.get(identifier, by_identifier.get("", []))
        if names:
            named[f"{name}: {names[0]}"] += 1
        else:
            unnamed.append((*where, identifier, str(owners.get(identifier)), str(ours.get(identifier))))
    return unnamed


def _names_by_identifier(state: State, spec: str, provider: str) -> dict[str, list[str]]:
    """What a node says of the records of a set at a provider; by an empty identifier what it doubts as a whole."""
    links = {link_name(spec, provider), link_name(spec, "relay")}
    names: dict[str, list[str]] = {}
    for link, identifier, kind, reason in state["conflicts"]:
        if link in links:
            names.setdefault(identifier, []).append(f"conflict {kind} {reason}")
    for link, identifier in state["claims"]:
        if link in links:
            names.setdefault(identifier, []).append("claim")
    for link, identifier, reason in state["rejects"]:
        if link in links:
            names.setdefault(identifier, []).append(f"reject {reason}")
    for link, code in state["doubts"]:
        if link in links:
            names.setdefault("", []).append(f"doubt {code}")
    return names


def _harvests(states: dict[str, State]) -> list[dict[str, Any]]:
    return [run for state in states.values() for run in state["runs"] if run["purpose"] == "harvest"]


def _compared_without_cause(states: dict[str, State]) -> list[tuple[str, str]]:
    """Links that made a comparison, and whose provider's clock was never found set back, nor were they switched."""
    found = []
    for name, state in states.items():
        set_back = {run["link"] for run in state["runs"] if "clock-set-back" in run["remarks"]}
        compared = {run["link"] for run in state["runs"] if run["purpose"] == "comparison"}
        switched = {RELAYED} if name == "MELBOURNE" else set()
        found += [(name, link) for link in compared - set_back - switched]
    return found


def _report(world: Mesh, states: dict[str, State], named: Counter[str]) -> None:
    runs = Counter((run["purpose"], run["state"]) for state in states.values() for run in state["runs"])
    sent = {name: state["sent"] for name, state in states.items()}
    print(
        f"seed {SEED}: {world.ledger.done} writes, runs {dict(runs)}, payloads {sent}; named differences: {dict(named)}"
    )
