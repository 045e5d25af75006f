"""What a node says and stores, seen from outside where that is possible: the same before and after an upgrade."""

import hashlib
import json
from typing import Any

from django.test import Client
from lxml import etree

from catalogue import datestamps, seams
from catalogue.models import Claim, JournalOutbox, Purged, Record, Validation
from catalogue.payloads import payload
from catalogue.reading.query import search
from harvester.models import Conflict, Link, Reject, RemoteHeader, Run
from tests.support import asking
from tests.support.clock import SetClock
from tests.support.commands import printed

AGENTS = ("", "DRIVER/2.1")
FORMATS = ("iso19139", "brief")
WORDS = ("observations", "Böen", "climatology")


def observe() -> dict[str, Any]:
    """All of it, as JSON has it."""
    seen = {
        "sets": {agent: _sets(agent) for agent in AGENTS},
        "lists": {
            f"{agent} {prefix} {spec}": _list(agent, prefix, spec)
            for agent in AGENTS
            for prefix in FORMATS
            for spec in ("", *_sets(agent))
        },
        "stats": _command("catalogue", "stats")["sets"],
        "profiles": _command("profile", "list"),
        "found": {words: sorted(record.identifier for record in search.records(words)) for words in WORDS},
        "links": _links(),
        "passwords": {link.name: link.access().password for link in Link.objects.all()},
        "open runs": {
            run.link.name: [run.token, run.pages, list(run.cookies)] for run in Run.objects.filter(state=Run.State.OPEN)
        },
        "rejects": sorted(
            [it.link.name, it.identifier, it.reason_text, it.file_key, _digest(it.raw)] for it in Reject.objects.all()
        ),
        "remote headers": sorted(
            [it.link.name, str(it.alternative or ""), it.identifier, _written(it.datestamp), it.deleted, it.state]
            for it in RemoteHeader.objects.all()
        ),
        "conflicts": sorted(
            [it.link.name, it.identifier, it.kind, it.reason_text, it.settled is None] for it in Conflict.objects.all()
        ),
        "claims": sorted(
            [it.record.identifier, it.set.spec, it.source, _digest(payload.unpack(bytes(it.payload)))]
            for it in Claim.objects.all()
        ),
        "owners": sorted([it.identifier, it.owner.spec] for it in Record.objects.all()),
        "labels": sorted([it.record.identifier, it.structure] for it in Validation.objects.all()),
        "outbox": sorted([it.event, it.identifier] for it in JournalOutbox.objects.all()),
        "purged": sorted(it.hash for it in Purged.objects.all()),
    }
    return dict(json.loads(json.dumps(seen)))


def _sets(agent: str) -> list[str]:
    answer = asking.get(Client(headers={"user-agent": agent}), verb="ListSets")
    return [element.text for element in answer.find("//o:setSpec")]


def _list(agent: str, prefix: str, spec: str) -> list[list[object]]:
    """Each entry of a whole list: its header, and the digest of its metadata."""
    arguments = {"verb": "ListRecords", "metadataPrefix": prefix} | ({"set": spec} if spec else {})
    pages = asking.walk(Client(headers={"user-agent": agent}), **arguments)
    bodies = [
        [_digest(etree.tostring(child, with_tail=False)) for child in record.find("o:metadata", asking.NS)]
        if record.find("o:metadata", asking.NS) is not None
        else []
        for page in pages
        for record in page.find("//o:record")
    ]
    headers = asking.headers_of(pages)
    return [
        [header.identifier, header.datestamp, list(header.sets), header.deleted, *body]
        for header, body in zip(headers, bodies, strict=True)
    ]


def _links() -> dict[str, Any]:
    """What is said of the links at the time of the last run: at any later one they are overdue."""
    with seams.replaced(clock=SetClock(Run.objects.latest("begun").begun)):
        return {link["name"]: _link(link["name"]) for link in _command("link", "list")}


def _link(name: str) -> dict[str, Any]:
    """What `link show` says, without the sentences that are made when it is asked."""
    facts = _command("link", "show", name)
    return {key: value for key, value in facts.items() if key not in ("provider", "way_back", "set", "access")}


def _command(*arguments: str) -> Any:
    return json.loads(printed(*arguments, "--json"))


def _digest(content: Any) -> str:
    return "" if content is None else hashlib.sha256(bytes(content)).hexdigest()[:16]


def _written(stamp: Any) -> str:
    return "" if stamp is None else datestamps.write(stamp)
