"""Ten small harvesters of other software, each with a habit of its own; they share nothing with ours but lxml.

Each keeps one store, by the exact text of the identifier: the digest of a live record. `visit` brings it up to date by
`/oai`; `between` is called after each page, so that a test can change the catalogue in the middle of a walk.
"""

import gzip
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from lxml import etree

FORM = "application/x-www-form-urlencoded"
OAI = "{http://www.openarchives.org/OAI/2.0/}"


class Stopped(Exception):
    """An answer that this harvester does not go on after."""


def digest(metadata: Any) -> str:
    return hashlib.sha256(etree.tostring(metadata, method="c14n", exclusive=True)).hexdigest()


@dataclass
class Habit:
    """A harvester of some sets (None: of everything), and what it remembers between its visits."""

    sets: tuple[str | None, ...] = (None,)
    between: Callable[[], None] = lambda: None
    store: dict[str, str] = field(default_factory=dict)
    asked_from: dict[str | None, str] = field(default_factory=dict)
    stops: int = 0
    verb = "ListRecords"
    agent = "Other/1.0"
    prefix = "iso19139"

    def visit(self) -> None:
        for spec in self.sets:
            try:
                first_date, newest = self.read_list(spec)
            except Stopped:
                self.stops += 1
            else:
                self.remember(spec, first_date, newest)

    def remember(self, spec: str | None, first_date: str, newest: str) -> None:
        """Where the next list of this set begins."""
        self.asked_from[spec] = first_date

    def read_list(self, spec: str | None) -> tuple[str, str]:
        """Take in a list; the time of its first page, and its largest datestamp."""
        first_date, newest = "", ""
        for page in self.pages(spec):
            first_date = first_date or page.findtext(f"{OAI}responseDate")
            for entry in page.iterfind(f"{OAI}{self.verb}/*"):
                if entry.tag != f"{OAI}resumptionToken":
                    header = entry if entry.tag == f"{OAI}header" else entry.find(f"{OAI}header")
                    newest = max(newest, header.findtext(f"{OAI}datestamp"))
                    self.take(header, entry.find(f"{OAI}metadata"))
        return first_date, newest

    def pages(self, spec: str | None) -> Iterator[Any]:
        arguments = {"verb": self.verb, "metadataPrefix": self.prefix, **({"set": spec} if spec else {})}
        if self.asked_from.get(spec):
            arguments["from"] = self.asked_from[spec]
        while True:
            page = self.ask(arguments)
            codes = [error.get("code") for error in page.iterfind(f"{OAI}error")]
            if codes and codes != ["noRecordsMatch"]:
                self.meet(codes)
            yield page
            token = page.findtext(f"{OAI}{self.verb}/{OAI}resumptionToken")
            if codes or not token:
                return
            self.between()
            arguments = {"verb": self.verb, "resumptionToken": token}

    def meet(self, codes: list[str | None]) -> None:
        """Stop at any error."""
        raise Stopped(codes)

    def ask(self, arguments: dict[str, str]) -> Any:
        response = Client(headers={"user-agent": self.agent}).get("/oai", arguments)
        if response.status_code != 200:
            raise Stopped(response.status_code)
        return etree.fromstring(response.content)

    def take(self, header: Any, metadata: Any) -> None:
        identifier = header.findtext(f"{OAI}identifier")
        if header.get("status") == "deleted":
            self.store.pop(identifier, None)
        elif metadata is not None:
            self.store[identifier] = digest(metadata[0])


class FromFirstPage(Habit):
    """Begins each list at the responseDate of the first page of the last one."""


class FromLargestDatestamp(Habit):
    """Begins each list at the largest datestamp of the last one."""

    def remember(self, spec: str | None, first_date: str, newest: str) -> None:
        self.asked_from[spec] = max(newest, self.asked_from.get(spec, ""))


class OneCursorForAll(Habit):
    """Begins all its sets at the earliest first page of its last visit."""

    def visit(self) -> None:
        first_dates = [self.read_list(spec)[0] for spec in self.sets]
        self.asked_from = dict.fromkeys(self.sets, min(first_dates))


class HeadersFirst(Habit):
    """Lists headers, and asks for each record by itself; what it cannot get it does not have."""

    verb = "ListIdentifiers"

    def take(self, header: Any, metadata: Any) -> None:
        identifier = header.findtext(f"{OAI}identifier")
        if header.get("status") == "deleted":
            self.store.pop(identifier, None)
            return
        answer = self.ask({"verb": "GetRecord", "identifier": identifier, "metadataPrefix": self.prefix})
        found = answer.find(f"{OAI}GetRecord/{OAI}record")
        if found is None:
            self.store.pop(identifier, None)
        else:
            super().take(found.find(f"{OAI}header"), found.find(f"{OAI}metadata"))


class ErrorIsTheEnd(Habit):
    """Takes any error for the end of the list, and goes on from there with the next one."""

    def meet(self, codes: list[str | None]) -> None:
        self.stops += 1


class AnewEachTime(Habit):
    """Reads everything at each visit, and has what was live in it."""

    def visit(self) -> None:
        self.store, self.asked_from = {}, {}
        super().visit()
        self.asked_from = {}


class ByDay(Habit):
    """Asks by days."""

    def remember(self, spec: str | None, first_date: str, newest: str) -> None:
        self.asked_from[spec] = first_date[:10]


class SetsFromTheEnd(Habit):
    """Reads its sets in another order each time."""

    def visit(self) -> None:
        super().visit()
        self.sets = self.sets[::-1]


class PostAndGzip(Habit):
    """Asks by POST, and takes compressed answers."""

    def ask(self, arguments: dict[str, str]) -> Any:
        headers = {"user-agent": self.agent, "accept-encoding": "gzip"}
        response = Client(headers=headers).post("/oai", urlencode(arguments), content_type=FORM)
        if response.status_code != 200:
            raise Stopped(response.status_code)
        return etree.fromstring(gzip.decompress(response.content))


class SetSpecsOfHeaders(Habit):
    """Lists everything, and keeps what the headers say is in its sets, which are `wanted`."""

    wanted: tuple[str, ...] = ()

    def take(self, header: Any, metadata: Any) -> None:
        specs = {spec.text for spec in header.iterfind(f"{OAI}setSpec")}
        if header.get("status") == "deleted" or specs & set(self.wanted):
            super().take(header, metadata)
        else:
            self.store.pop(header.findtext(f"{OAI}identifier"), None)
