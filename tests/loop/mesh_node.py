"""The program of one node of the mesh: a WSGI server, a writer and a scheduler in one process, without Celery and Redis.

It reads commands from stdin and answers on stdout, each a line of JSON; `{"do": "round", ...}` calls `Node.round` with the
other members. Both clocks of the node, that of `catalogue.seams` and that of its database, are off by what `clock` says.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import F  # noqa: E402

from catalogue import bootstrap, seams  # noqa: E402
from catalogue.bulk import ingest  # noqa: E402
from catalogue.documents.sources import Document  # noqa: E402
from catalogue.models import Claim, Membership, MetadataSet  # noqa: E402
from catalogue.writing import set_inclusion, store  # noqa: E402
from gisc import wsgi  # noqa: E402
from harvester.links import failover  # noqa: E402
from harvester.models import Alternative, Conflict, Link, Reject, Run  # noqa: E402
from harvester.runs import lifecycle  # noqa: E402
from tests.loop.mesh_records import OBSERVER, document  # noqa: E402

Written = dict[str, Any]
WEB_THREADS = 4


@dataclass
class SteppingClock:
    """The host's clock, off by so many seconds."""

    offset_s: float = 0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.offset_s)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Server(WSGIServer):
    """Answers a few requests at a time, in threads that keep their connections to the database."""

    request_queue_size = 64

    def __init__(self, port: int, application: Callable[..., Iterable[bytes]]) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.set_app(application)
        self._threads = ThreadPoolExecutor(WEB_THREADS)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._threads.submit(self._answer, request, client_address)

    def _answer(self, request: Any, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except Exception:  # as socketserver does: the connection is closed, and the log says why
            self.handle_error(request, client_address)
        finally:
            self.shutdown_request(request)


class Handler(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write no line for each request."""


@dataclass
class Node:
    """What the commands call."""

    clock_of_process: SteppingClock
    sent: Counter[str] = field(default_factory=Counter)  # records with their metadata, by verb

    def application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Serve a request, and count the payloads of the answer. The test itself does not count."""
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        date = ("Date", format_datetime(self.clock_of_process.now(), usegmt=True))  # as the host's clock has it
        body = b"".join(wsgi.application(environ, lambda status, headers: start_response(status, [*headers, date])))
        if environ.get("HTTP_USER_AGENT") != OBSERVER:
            for verb in (b"ListRecords", b"GetRecord"):
                if b"<%b>" % verb in body:
                    self.sent[verb.decode()] += body.count(b"<metadata>")
        return [body]

    # --- What an administrator does -----------------------------------------------------------------

    def prepare(self, peers: list[str], shared: str) -> None:
        """Create the sets of a new node."""
        bootstrap.ensure_sets()
        for spec in peers:
            set_inclusion.ensure_set(spec)
        set_inclusion.ensure_set(shared, kind=MetadataSet.Kind.SHARED)

    def link(self, name: str, kind: str, base_url: str, remote_set: str, **fields: Any) -> None:
        """Add a link, as the form and the command do: the rules of links hold."""
        into = MetadataSet.objects.get(spec=remote_set)
        added = Link(name=name, kind=kind, base_url=base_url, remote_set=remote_set, local_set=into, **fields)
        added.full_clean()
        added.save()

    def alternative(self, link: str, name: str, base_url: str, remote_set: str) -> None:
        added = Alternative(
            link=Link.objects.get(name=link), position=1, name=name, base_url=base_url, remote_set=remote_set
        )
        added.full_clean()
        added.save()

    def switch(self, link: str, alternative: str | None) -> None:
        """Let another provider serve a link; None: its own."""
        found = Link.objects.get(name=link)
        assert failover.switch(found, found.alternatives.filter(name=alternative).first()) is not None

    def clock(self, offset_s: float) -> None:
        self.clock_of_process.offset_s = offset_s
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                f"$$ SELECT clock_timestamp() + interval '{offset_s} seconds' $$"
            )

    # --- What happens by itself ---------------------------------------------------------------------

    def round(self, writes: list[Written], by_hand: list[str]) -> list[str]:
        """Write, and work on all runs that are due meanwhile. Links of `by_hand` are run once more, as by an operator.

        Returns what became of each of `writes`.
        """
        with ThreadPoolExecutor(1) as writer:
            writing = writer.submit(_write_all, writes)
            _harvest(by_hand)
            return writing.result()

    # --- What a test sees ---------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All there is: records by set, disagreements, doubts, runs, payloads sent."""
        links = Link.objects.select_related("local_set")
        open_conflicts = Conflict.objects.filter(settled=None).select_related("link")
        return {
            "sets": _records_by_set(),
            "conflicts": [[c.link.name, c.identifier, c.kind, c.reason] for c in open_conflicts],
            "claims": [
                [claim.source, claim.record.identifier]
                for claim in Claim.objects.exclude(digest=F("record__digest")).select_related("record")
            ],
            "rejects": sorted({(r.link.name, r.identifier, r.reason) for r in Reject.objects.select_related("link")}),
            "doubts": [[link.name, doubt["code"]] for link in links for doubt in link.doubts],
            "comparing": [link.name for link in links if link.reconciles],
            "runs": [
                {
                    "link": run.link.name,
                    "purpose": run.purpose,
                    "state": run.state,
                    "outcome": run.outcome,
                    "remarks": [remark["code"] for remark in run.outcome_data.get("remarks", ())],
                    "message": run.message,
                    "stored": run.new + run.updated + run.deleted,
                }
                for run in Run.objects.select_related("link").order_by("pk")
            ],
            "sent": dict(self.sent),
        }


def _write_all(writes: list[Written]) -> list[str]:
    try:
        return [_write(**each) for each in writes]
    finally:
        connection.close()


def _write(into: str, identifier: str, edition: int | None) -> str:
    """Upload an edition of a record, or withdraw it; what became of it."""
    if edition is None:
        return store.withdraw([identifier])[0].action
    found = MetadataSet.objects.get(spec=into)
    report = ingest.ingest([Document(identifier, document(identifier, edition))], into=found, revives=True)
    return next(iter(+report.counts))


def _harvest(by_hand: list[str]) -> None:
    """Do what the scheduler, a worker and an operator do, until nothing is due."""
    for name in by_hand:
        lifecycle.open_run(Link.objects.get(name=name), trigger="operator")
    while True:
        lifecycle.open_due_runs()
        for link in Link.objects.filter(name__in=by_hand, reconciles=True):
            lifecycle.open_comparison(link, trigger="operator", whole=True)  # once its run is over
        waiting = Run.objects.filter(state=Run.State.OPEN, not_before=None).order_by("pk")
        if not waiting:
            return
        for waits in waiting:
            run: Run | None = waits
            while run is not None and run.is_open and run.not_before is None:
                run = lifecycle.work(run.pk)


def _records_by_set() -> dict[str, dict[str, list[str | None]]]:
    """By setSpec and identifier: the digest of the canonical XML, None for a deleted record, and the datestamp."""
    found: dict[str, dict[str, list[str | None]]] = {}
    rows = Membership.objects.values_list("set__spec", "record__identifier", "deleted", "record__digest", "datestamp")
    for spec, identifier, deleted, digest, stamp in rows:
        found.setdefault(spec, {})[identifier] = [None if deleted else bytes(digest).hex(), stamp.isoformat()]
    return found


def main() -> None:
    node = Node(SteppingClock())
    with (
        seams.replaced(clock=node.clock_of_process),
        Server(settings.PORT, node.application) as server,
        ThreadPoolExecutor(1) as serving,
    ):
        serving.submit(server.serve_forever, 0.05)
        try:
            for line in sys.stdin:
                command = json.loads(line)
                answer = getattr(node, command.pop("do"))(**command)
                print(json.dumps(answer), flush=True)
        finally:
            server.shutdown()


if __name__ == "__main__":
    main()
