"""A link whose provider, clocks, relay or network do what no document foresees, with its schedule played through."""

import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime

from werkzeug import Response

from catalogue import datestamps
from catalogue.models import Record
from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support.clock import SetClock
from tests.support.misbehaving import Arguments, Misbehaviour, RawServer, whole
from tests.support.provider import Provider, identifier, xml
from tests.support.runs import at
from tests.support.world import iso_record

OURS, OFFENBACHS = "urn:x-wmo:md:jp.jma::OURS", "urn:x-wmo:md:de.dwd::THEIRS"
NOON = at("2026-03-01T12:00:00Z")
MAX_STEPS = 40  # of runs that follow one another at one moment: more is work without end

Change = Callable[[bytes], bytes]


def text(stamp: datetime) -> str:
    return datestamps.write(stamp)


@dataclass
class World:
    """A link of six hours' interval; `ahead`: the provider's clock less ours. Time goes on by `go` and by waits alone."""

    link: Link
    provider: Provider
    raw: RawServer
    clock: SetClock
    ahead: timedelta = timedelta(0)
    runs: list[Run] = field(default_factory=list)

    # --- What the provider has --------------------------------------------------------------------------

    def write(self, *numbers: int, title: str = "", **before: float) -> None:
        """The provider stores these records, stamped by its clock, or so long `before`."""
        stamp = text(self.clock.at + self.ahead - timedelta(**before))
        for number in numbers:
            document = iso_record(identifier(number), title=title or f"Product {number}")
            self.provider.entries[identifier(number)] = (stamp, document)

    def load(self, numbers: range) -> None:
        """The provider has stored these records before, a minute apart."""
        for number in numbers:
            self.write(number, minutes=300 - number)

    def bury(self, number: int) -> None:
        """The provider deletes a record."""
        self.provider.entries[identifier(number)] = (text(self.clock.at + self.ahead), None)

    # --- How it misbehaves ------------------------------------------------------------------------------

    def edit(self, change: Change, *verbs: str, when: Callable[[Arguments], bool] = lambda a: True) -> None:
        """Answers to these verbs, or to all, are changed so."""
        self.provider.edits.append(
            lambda a, body: change(body) if (not verbs or a["verb"] in verbs) and when(a) else body
        )

    def answer(
        self,
        *verbs: str,
        by: Callable[[Arguments], Response | bytes | str | None],
        when: Callable[[Arguments], bool] = lambda a: True,
    ) -> None:
        """Requests with these verbs are answered so; None: as ever."""

        def instead(arguments: Arguments) -> Response | None:
            if arguments["verb"] not in verbs or not when(arguments):
                return None
            said = by(arguments)
            return said if said is None or isinstance(said, Response) else xml(said)

        self.provider.faults.append(instead)

    def on_raw_server(self, misbehave: Misbehaviour) -> None:
        """Point the link to the server that can misbehave below HTTP."""
        self.raw.misbehaviours.append(misbehave)
        self.link.base_url = self.raw.base_url
        self.link.save()

    def date_header(self, stamp: Callable[[], datetime]) -> None:
        """The HTTP server gives this time in `Date`."""

        def dated(connection: socket.socket, arguments: Arguments) -> bool:
            body = self.provider.say(arguments)
            connection.sendall(whole(body, f"Date: {format_datetime(stamp(), usegmt=True)}"))
            return True

        self.on_raw_server(dated)

    # --- Time -------------------------------------------------------------------------------------------

    def go(self, ahead: timedelta | None = None, **by: float) -> None:
        """Both clocks go on; `ahead`: the provider's is set."""
        self.ahead = self.ahead if ahead is None else ahead
        self.clock.move(timedelta(**by).total_seconds())
        self.provider.now = text(self.clock.at + self.ahead)

    def work(self) -> list[Run]:
        """Do what the scheduler would start by now, waits included; the runs that ended."""
        before = len(self.runs)
        for _ in range(MAX_STEPS):
            lifecycle.open_due_runs()
            run = Run.objects.filter(state=Run.State.OPEN).order_by("pk").first()
            if run is None:
                self.link.refresh_from_db()
                return self.runs[before:]
            wait = run.not_before - self.clock.at if run.not_before else timedelta(0)
            self.go(seconds=max(wait.total_seconds(), 0) + 1)
            after = lifecycle.work(run.pk)
            if after is not None and not after.is_open:
                self.runs.append(after)
        raise AssertionError("the runs do not end")

    def pass_days(self, days: int) -> list[Run]:
        """Harvest every few days, and compare when that is due."""
        before = len(self.runs)
        step = max(days // 4, 1)
        for _ in range(0, days, step):
            self.go(days=step)
            self.work()
        return self.runs[before:]

    # --- What came of it --------------------------------------------------------------------------------

    @property
    def comparisons(self) -> int:
        return sum(run.is_comparison for run in self.runs)

    @property
    def payloads(self) -> int:
        """How many records were sent with their metadata."""
        return sum(body.count(b"<metadata>") for body in self.provider.sent)

    @property
    def said(self) -> str:
        """All that the runs told the operator, and the link's doubts."""
        told = [part for run in self.runs for part in (run.message, str(run.warnings), str(run.outcome_data))]
        told += [reject.reason_text for run in self.runs for reject in run.rejects.all()]
        return " ".join([*told, str(self.link.doubts), *(c.reason_text for c in self.link.conflicts.all())])

    def titles(self) -> dict[str, str]:
        """The titles of what is held in the link's set."""
        live = Record.objects.filter(deleted=False, owner=self.link.local_set)
        return dict(live.values_list("identifier", "description__title"))

    def provided(self) -> dict[str, str]:
        """The titles of what the provider has."""
        return {
            name: found.group(1)
            for name, (_, document) in self.provider.entries.items()
            if document and (found := re.search(r"gmd:title><gco:CharacterString>([^<]*)", document.decode()))
        }


Play = Callable[[World], None]
