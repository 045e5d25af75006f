"""`make bench-load` notices what it is there to notice: answers that do not ask to wait, and lists that are not whole."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from gisc.bench import load, walkers

BEGIN = "2026-03-01T12:00:00Z"
BEFORE, AFTER = datetime(2026, 3, 1, 11, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(*identifiers: str, token: str = "") -> Response:
    records = "".join(f"<record><header><identifier>{each}</identifier></header></record>" for each in identifiers)
    token = f'<resumptionToken completeListSize="3">{token}</resumptionToken>' if token else ""
    return Response(
        f"<OAI-PMH><responseDate>{BEGIN}</responseDate><ListRecords>{records}{token}</ListRecords></OAI-PMH>"
    )


def walk(httpserver: HTTPServer, folder: Path, answers: list[Response]) -> tuple[dict[str, Any], list[str], bytes]:
    """What one harvester has met of these answers, in this order; the identifiers, and how often it has seen each."""
    left = list(answers)

    def answer(_: Request) -> Response:
        return left.pop(0)

    httpserver.expect_request("/oai").respond_with_handler(answer)
    (folder / "paths.txt").write_text("/harvest/", encoding="ascii")
    walkers.main(httpserver.port, 1, 0, folder)
    (found,) = json.loads((folder / "walks.json").read_text(encoding="utf-8"))["walks"]
    identifiers = (folder / "identifiers.txt").read_text(encoding="utf-8").splitlines()
    return found, identifiers, (folder / "seen-0").read_bytes()


def test_a_harvester_that_is_asked_to_wait_does_so_and_goes_on(httpserver: HTTPServer, tmp_path: Path) -> None:
    wait = Response("Too many requests; retry after 1 seconds.", 503, {"Retry-After": "1"})
    found, identifiers, seen = walk(httpserver, tmp_path, [page("urn:a", "urn:b", token="t"), wait, page("urn:c")])
    assert (found["is_complete"], found["waits"], found["waited_s"], found["faults"]) == (True, 1, 1.0, {})
    assert (identifiers, list(seen)) == (["urn:a", "urn:b", "urn:c"], [1, 1, 1])
    assert (found["first_date"], found["list_size"], len(found["took_s"])) == (BEGIN, 3, 2)
    assert [request.args.get("resumptionToken") for request, _ in httpserver.log] == [None, "t", "t"]


@pytest.mark.parametrize(
    "answer",
    [
        Response("Too many requests", 503),
        Response("The catalogue cannot be read at the moment; please try again later.", 503, {"Retry-After": "1"}),
        Response("Refused", 403),
        Response("bug", 500),
        Response('<OAI-PMH><error code="badResumptionToken">gone</error></OAI-PMH>'),
    ],
    ids=["no Retry-After", "database away", "refused", "bug", "token lost"],
)
def test_any_other_answer_is_a_fault(httpserver: HTTPServer, tmp_path: Path, answer: Response) -> None:
    found, _, _ = walk(httpserver, tmp_path, [page("urn:a", token="t"), answer])
    assert (found["is_complete"], found["waits"], sum(found["faults"].values())) == (False, 0, 1)


def faults(seen: list[int], stamps: dict[str, datetime]) -> list[str]:
    identifiers = ["urn:a", "urn:b", "urn:c"]
    numbers = {identifier: number for number, identifier in enumerate(identifiers)}
    return load.faults_of_list(bytes(seen), BEGIN, stamps, identifiers, numbers)


def test_a_list_with_each_record_once_is_whole_whatever_has_changed_since() -> None:
    assert faults([1, 1, 1], {"urn:a": BEFORE, "urn:b": BEFORE, "urn:c": AFTER}) == []
    assert faults([1, 1, 0], {"urn:a": BEFORE, "urn:b": BEFORE, "urn:c": AFTER, "urn:later": AFTER}) == []


def test_a_list_that_lacks_a_record_has_one_twice_or_one_that_nobody_knows_is_not_whole() -> None:
    assert faults([1, 0], {"urn:a": BEFORE, "urn:b": BEFORE, "urn:c": BEFORE}) == ["lacks 2 (urn:b, urn:c)"]
    assert faults([1, 2, 1], dict.fromkeys(["urn:a", "urn:b", "urn:c"], BEFORE)) == ["has more than once 1 (urn:b)"]
    assert faults([1, 1, 1], {"urn:a": BEFORE, "urn:b": BEFORE}) == ["has what is not in the catalogue: 1 (urn:c)"]
    assert faults([1, 0, 0], {"urn:a": BEFORE, "urn:new": BEFORE}) == ["lacks 1 (urn:new)"]
