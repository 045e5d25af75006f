"""Tokens against real servers that are stopped and started between pages, and processes that are made to hold still."""

import signal
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

from catalogue import bootstrap
from catalogue.models import DatestampClock
from catalogue.reading import lists
from oaiprovider.models import Profile
from tests.support import asking, world
from tests.support.served import Served, served
from tests.support.waiting import until

NAMES = [f"urn:{number}" for number in range(7)]
PAGES = {"GISC_BASE_URL": world.OUR_BASE_URL, "GISC_PAGE_RECORDS": "2", "GISC_PAGE_HEADERS": "2", "GISC_PAGE_SETS": "2"}


@pytest.fixture
def catalogue(transactional_db: None) -> None:
    bootstrap.ensure_sets()
    world.put(*map(world.iso_record, NAMES))
    Profile.objects.create(name="DRIVER", match="DRIVER")


def ask(server: Served, query: str, **headers: str) -> asking.Answer:
    """One request on a connection of its own."""
    return asking.read(
        requests.get(f"{server.url}/oai?{query}", headers={"Connection": "close", **headers}, timeout=30)
    )


def going_on(verb: str, token: str) -> str:
    return f"verb={verb}&resumptionToken={quote(token, safe='')}"


@pytest.mark.spec("P111", "P99", "P100", "S18", "W51")
def test_tokens_survive_a_restart_of_every_process(catalogue: None, tmp_path: Path) -> None:
    """Each page from a server that was not there when its token was given."""
    verbs = {"ListRecords": "&metadataPrefix=iso19139", "ListIdentifiers": "&metadataPrefix=oai_dc"}
    queries = {verb: f"verb={verb}{prefix}" for verb, prefix in verbs.items()}
    found: dict[str, list[str]] = {verb: [] for verb in verbs}
    seen: set[int] = set()
    for _ in range(4):
        with served(tmp_path, **PAGES) as server:
            pids = {server.process.pid, *(worker.pid for worker in server.workers)}
            assert not pids & seen
            seen |= pids
            for verb in verbs:
                page = ask(server, queries[verb])
                assert page.codes == [], page.texts
                found[verb] += page.identifiers
                queries[verb] = going_on(verb, page.token)
    assert found == dict.fromkeys(verbs, NAMES)


@pytest.mark.spec("P111", "P99", "S18")
def test_tokens_are_answered_by_any_process(catalogue: None, tmp_path: Path) -> None:
    with served(tmp_path, GISC_WEB_WORKERS="2", **PAGES) as server:
        until(lambda: len(server.workers) == 2, timeout_s=20, what="two workers")
        workers = server.workers
        answers: dict[int, asking.Answer] = {}
        for still, other in (workers, reversed(workers)):
            still.send_signal(signal.SIGSTOP)  # so it is the other one that answers
            try:
                until(lambda held=still: held.status() == "stopped", timeout_s=10, what="it holds still")
                if not answers:
                    token = ask(server, "verb=ListRecords&metadataPrefix=iso19139").token
                answers[other.pid] = ask(server, going_on("ListRecords", token))
            finally:
                still.send_signal(signal.SIGCONT)
        first, second = answers.values()
        assert first.identifiers == second.identifiers == NAMES[2:4]
        # Their last characters are the time when they expire, and the signature.
        third = [ask(server, going_on("ListRecords", answer.token)).identifiers for answer in (first, second)]
    assert third[0] == third[1] == NAMES[4:6]


@pytest.mark.spec("P105", "G12", "P97", "P102", "T3.52")
def test_a_token_is_refused_when_altered_of_another_verb_of_another_profile_or_expired(
    catalogue: None, tmp_path: Path
) -> None:
    with served(tmp_path, **PAGES) as server:
        token = ask(server, "verb=ListRecords&metadataPrefix=iso19139").token
        refused = {
            "altered": ask(server, going_on("ListRecords", token[:-1] + ("A" if token[-1] != "A" else "B"))),
            "issued for ListRecords": ask(server, going_on("ListIdentifiers", token)),
            "another harvester": ask(server, going_on("ListRecords", token), **{"User-Agent": "DRIVER/2.1"}),
        }
        assert ask(server, going_on("ListRecords", token)).identifiers == NAMES[2:4]
        DatestampClock.objects.update(stamp=lists.instant() + timedelta(hours=24))
        refused["expired"] = ask(server, going_on("ListRecords", token))
        for word, answer in refused.items():
            assert answer.codes == ["badResumptionToken"] and word in answer.texts[0]
