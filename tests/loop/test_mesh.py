"""A mesh of four nodes under constant writes ends equal and silent, whatever the clocks and a relay do meanwhile.

The four are processes of `tests/loop/mesh_node.py`. `MESH_SEED=7` draws other writes and other steps of the clocks;
`MESH_ROUNDS=40` makes it longer.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
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
BACKUPS = {link_name(SHARED, name) for name in CO_OWNERS}  # run by hand

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
        _survey(world, states)
        assert {name: state["doubts"] for name, state in states.items()} == {name: [] for name in NODES}
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
        _survey(world, states)
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
        scheduled = {link for state in states.values() for link in state["comparing"]} - BACKUPS
        if all_ran and not scheduled and not any(run["stored"] for ran in fresh.values() for run in ran):
            return
    raise AssertionError([run for ran in fresh.values() for run in ran])


# --- What came of it --------------------------------------------------------------------------------


@dataclass
class Survey:
    """What differs between the nodes in the end: counted by what names it, and what nothing names."""

    world: Mesh
    states: dict[str, State]
    named: Counter[str] = field(default_factory=Counter)
    unnamed: list[tuple[str, ...]] = field(default_factory=list)

    def compare_all(self) -> None:
        """Compare each set at each node with that of its owners, and with what the node serves."""
        held = {name: _versions(state) for name, state in self.states.items()}
        for owner in NODES:
            spec = spec_of(owner)
            assert held[owner][spec] == self.world.ledger.expected(owner, spec), owner
            for name in NODES:  # one owner decides: nothing may differ
                assert _live(held[name][spec]) == _live(held[owner][spec]), (name, spec)
        shared = {name: held[name][SHARED] for name in NODES}
        for owner, other in (CO_OWNERS, CO_OWNERS[::-1]):
            assert shared[owner] == self.world.ledger.expected(owner, SHARED), owner
            # To other nodes a record is there while one of its owners has it (W45).
            there = _live(shared[other]) | _live(shared[owner])
            for name in NODES:
                self._compare(name, owner, there=shared[owner] if name in CO_OWNERS else there, here=shared[name])
        for name in NODES:
            node = self.world.nodes[name]
            listed = {spec: {i: doc for i, (_, doc) in node.served(spec).items()} for spec in held[name]}
            served = {
                spec: {i: doc and mesh.digest_of(doc) for i, doc in docs.items()} for spec, docs in listed.items()
            }
            assert served == held[name], name

    def _compare(self, name: str, owner: str, *, there: mesh.Versions, here: mesh.Versions) -> None:
        """Find what names each difference in the shared set: a conflict, a claim, a reject or a doubt of the node.

        Of two co-owners the one whose version is older by both dates is offered the other's; else both are told (W43).
        """
        names = _names_by_identifier(self.states[name], owner)
        if {name, owner} == set(CO_OWNERS):
            for identifier, others in _names_by_identifier(self.states[owner], name).items():
                names.setdefault(identifier, others)
        for identifier in there.keys() | here.keys():
            if there.get(identifier) == here.get(identifier):
                continue
            by = names.get(identifier) or names.get("")
            if by is None:
                self.unnamed.append((name, owner, identifier, str(there.get(identifier)), str(here.get(identifier))))
            else:
                self.named[f"{name}: {by}"] += 1


def _versions(state: State) -> dict[str, mesh.Versions]:
    return {spec: {i: digest for i, (digest, _) in rows.items()} for spec, rows in state["sets"].items()}


def _live(versions: mesh.Versions) -> mesh.Versions:
    return {identifier: digest for identifier, digest in versions.items() if digest is not None}


def _names_by_identifier(state: State, provider: str) -> dict[str, str]:
    """What a node says of the records of the shared set at a provider; by an empty identifier what it doubts as a whole."""
    said = [
        *((link, "", f"doubt {code}") for link, code in state["doubts"]),
        *((link, identifier, f"reject {reason}") for link, identifier, reason in state["rejects"]),
        *((link, identifier, "claim") for link, identifier in state["claims"]),
        *((link, identifier, f"conflict {kind} {reason}") for link, identifier, kind, reason in state["conflicts"]),
    ]
    return {identifier: by for link, identifier, by in said if link == link_name(SHARED, provider)}


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


def _survey(world: Mesh, states: dict[str, State]) -> None:
    """Print what was done and what differs; fail for a difference that nothing names."""
    survey = Survey(world, states)
    survey.compare_all()
    runs = Counter((run["purpose"], run["state"]) for state in states.values() for run in state["runs"])
    sent = {name: state["sent"] for name, state in states.items()}
    print(f"seed {SEED}: {world.ledger.done} writes, runs {dict(runs)}, payloads sent {sent}")
    print(f"differences that are named: {dict(survey.named)}")
    assert survey.unnamed == [], "\n".join(map(str, sorted(survey.unnamed)))
