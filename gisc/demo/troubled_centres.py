"""Centres of the demonstration, one server for all: one is well, each of the others has a trouble of its own.

`python -m gisc.demo.troubled_centres PORT`. Each centre is an OAI-PMH provider at `/NAME/oai`, with records made from the
samples. Most troubles begin with the second list, so that a node has records first.
"""

import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle, islice
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape, quoteattr

from catalogue.documents.sources import SAMPLES
from catalogue.reasons import _

HOST = "127.0.0.1"
_DAY_S = 86_400
_PAGE = 5
_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>{now}'
    "</responseDate><request>{url}</request>{body}</OAI-PMH>"
)
_IDENTIFY = (
    "<Identify><repositoryName>{title}</repositoryName><baseURL>{url}</baseURL><protocolVersion>2.0</protocolVersion>"
    "<adminEmail>{name}@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp>"
    "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
)
_FORMATS = (
    "<ListMetadataFormats><metadataFormat><metadataPrefix>iso19139</metadataPrefix>"
    "<schema>http://www.isotc211.org/2005/gmd/gmd.xsd</schema>"
    "<metadataNamespace>http://www.isotc211.org/2005/gmd</metadataNamespace></metadataFormat></ListMetadataFormats>"
)
_IDENTIFIER = re.compile(r"(<gmd:fileIdentifier>\s*<gco:CharacterString>)[^<]*(</gco:CharacterString>)")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list: a record as text, or a deletion."""

    identifier: str
    document: str | None
    stamp_s: float


@dataclass(slots=True)
class Centre:
    """A provider with one set. `lists`: how many whole lists it has begun to give. The others are its trouble, if any."""

    name: str
    trouble: str
    entries: Callable[["Centre"], list[Entry]]
    announced: int = 0  # so many entries more than are listed
    fails_after: int | None = None  # lists; then each list is refused
    retry_after_s: int = 0
    clock_ahead_s: int = 0
    page_s: float = 0
    moves: bool = False
    hides_headers: bool = False
    has_other_set: bool = False
    lists: int = 0
    began: float = field(default_factory=time.time)
    deleted: float = 0  # when it deleted its records
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def set_spec(self) -> str:
        return f"WIS-GISC-{self.name.upper()}"

    @property
    def title(self) -> str:
        return f"GISC {self.name.replace('-', ' ').title()}"

    @property
    def offered_set(self) -> str:
        return f"{self.set_spec}-2" if self.has_other_set else self.set_spec


def _documents(name: str, number: int) -> list[tuple[str, str]]:
    """Identifier and text of so many records, made from the samples."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(SAMPLES.glob("*/*.xml"))]
    made = []
    for n, text in enumerate(islice(cycle(texts), number)):
        identifier = f"urn:x-wmo:md:org.example.{name}::DEMO{n:04}"
        made.append((identifier, _IDENTIFIER.sub(rf"\g<1>{identifier}\g<2>", text.partition("?>")[2])))
    return made


def _entries(number: int) -> Callable[[Centre], list[Entry]]:
    def entries(centre: Centre) -> list[Entry]:
        first = centre.began // _DAY_S * _DAY_S - 30 * _DAY_S
        return [
            Entry(identifier, text, first + 60 * n)
            for n, (identifier, text) in enumerate(_documents(centre.name, number))
        ]

    return entries


def _with_deletions(centre: Centre) -> list[Entry]:
    """From the second list on two thirds of the records are deleted."""
    listed = _entries(18)(centre)
    if centre.lists < 2:
        return listed
    centre.deleted = centre.deleted or time.time()
    return [
        Entry(e.identifier, None if n % 3 else e.document, centre.deleted if n % 3 else e.stamp_s)
        for n, e in enumerate(listed)
    ]


def _with_gaps(centre: Centre) -> list[Entry]:
    """From the second list on most records are not listed any more, and nobody says that they are deleted."""
    return _entries(20)(centre)[: 20 if centre.lists < 2 else 6]


def _with_rejects(centre: Centre) -> list[Entry]:
    """Some records cannot be stored, for three reasons."""
    listed = _entries(14)(centre)
    for n in (2, 5, 7):
        listed[n] = Entry(listed[n].identifier, _IDENTIFIER.sub(r"\1\2", listed[n].document or ""), listed[n].stamp_s)
    listed[9] = Entry(listed[9].identifier, '<dc xmlns="http://www.example.org/">no record</dc>', listed[9].stamp_s)
    listed[11] = Entry(f"{listed[11].identifier}:other", listed[11].document, listed[11].stamp_s)
    return listed


def _with_a_record_of_ours(centre: Centre) -> list[Entry]:
    """One of the records is of the demonstration's own node."""
    own = next(iter(sorted((SAMPLES / "WIS-GISC-TOKYO").glob("*.xml")))).read_text(encoding="utf-8").partition("?>")[2]
    found = _IDENTIFIER.search(own)
    assert found is not None
    identifier = own[found.end(1) : found.start(2)]
    return [*_entries(8)(centre), Entry(identifier, own.replace("Monthly", "Yearly", 1), centre.began - _DAY_S)]


def centres(*, page_s: float = 2.0) -> dict[str, Centre]:
    """The centres by name. `page_s`: how long a page of the slow one takes."""
    listed = (
        Centre("toulouse", _("is well"), _entries(16)),
        Centre("offenbach", _("deletes two thirds of its records at once"), _with_deletions),
        Centre("exeter", _("gives one list, then refuses"), _entries(12), fails_after=1),
        Centre("melbourne", _("has no set of the name that is asked for"), _entries(9), has_other_set=True),
        Centre("brasilia", _("has records that cannot be stored"), _with_rejects),
        Centre("beijing", _("lists fewer records than it announces"), _entries(15), announced=4, hides_headers=True),
        Centre("pretoria", _("asks to wait for half an hour"), _entries(5), fails_after=0, retry_after_s=1800),
        Centre("seoul", _("no longer lists most of its records, and does not call them deleted"), _with_gaps),
        Centre("moscow", _("lists a record that is not its own"), _with_a_record_of_ours),
        Centre("washington", _("has moved for good"), _entries(6), moves=True),
        Centre("jeddah", _("has a clock that is ahead"), _entries(7), clock_ahead_s=300),
        Centre("new-delhi", _("is slow"), _entries(400), page_s=page_s),
        Centre("tehran", _("is not harvested"), _entries(4)),
    )
    return {centre.name: centre for centre in listed}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        name, _, rest = parts.path.strip("/").partition("/")
        arguments = {key: values[0] for key, values in parse_qs(parts.query).items()}
        centre = self.server.centres.get(name.removesuffix("-new"))
        if centre is None or rest != "oai":
            self._send(404, b"no such centre")
        elif centre.moves and not name.endswith("-new"):
            self._send(301, b"", Location=f"/{name}-new/oai?{parts.query}")
        else:
            self._answer(centre, arguments)

    def _answer(self, centre: Centre, arguments: dict[str, str]) -> None:
        verb = arguments.get("verb", "")
        begins_list = verb == "ListRecords" and "resumptionToken" not in arguments
        with centre.lock:
            centre.lists += begins_list
            lists = centre.lists
        if verb == "ListRecords" and centre.fails_after is not None and lists > centre.fails_after:
            if centre.retry_after_s:
                self._send(503, b"busy", **{"Retry-After": str(centre.retry_after_s)})
            else:
                self._send(403, b"<html>Forbidden</html>")
            return
        if verb == "ListIdentifiers" and centre.hides_headers:
            self._send(500, b"<html>Internal Server Error</html>")
            return
        if verb == "ListRecords":
            time.sleep(centre.page_s)
        url = f"http://{HOST}:{self.server.server_port}/{centre.name}/oai"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + centre.clock_ahead_s))
        body = _ENVELOPE.format(now=now, url=url, body=_body(centre, arguments, url))
        self._send(200, body.encode(), **{"Content-Type": "text/xml; charset=UTF-8"})

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _body(centre: Centre, arguments: dict[str, str], url: str) -> str:
    """What the answer to these arguments has between its envelope."""
    verb = arguments.get("verb", "")
    if verb == "Identify":
        return _IDENTIFY.format(title=escape(centre.title), url=escape(url), name=centre.name)
    if verb == "ListMetadataFormats":
        return _FORMATS
    if verb == "ListSets":
        spec, title = escape(centre.offered_set), escape(centre.title)
        return f"<ListSets><set><setSpec>{spec}</setSpec><setName>{title}</setName></set></ListSets>"
    if verb == "GetRecord":
        found = [entry for entry in centre.entries(centre) if entry.identifier == arguments.get("identifier")]
        return f"<GetRecord>{_record(centre, found[0])}</GetRecord>" if found else _error("idDoesNotExist")
    if verb in ("ListRecords", "ListIdentifiers"):
        return _list(centre, verb, arguments)
    return _error("badVerb")


def _list(centre: Centre, verb: str, arguments: dict[str, str]) -> str:
    """A page of a list. The token has the bounds of the list and how many entries came before."""
    start, end, before = (
        arguments["resumptionToken"].split("/")
        if "resumptionToken" in arguments
        else (arguments.get("from", ""), arguments.get("until", "9"), "0")
    )
    if not int(before) and arguments.get("set", centre.offered_set) != centre.offered_set:
        return _error("noRecordsMatch")
    listed = sorted(
        (entry for entry in centre.entries(centre) if start <= _text_of(entry.stamp_s) <= end),
        key=lambda entry: (entry.stamp_s, entry.identifier),
    )
    page = listed[int(before) : int(before) + _PAGE]
    if not page:
        return _error("noRecordsMatch")
    after = int(before) + len(page)
    token = f"{start}/{end}/{after}" if after < len(listed) else ""
    size = len(listed) + centre.announced
    write = _record if verb == "ListRecords" else _header
    entries = "".join(write(centre, entry) for entry in page)
    return f'<{verb}>{entries}<resumptionToken completeListSize="{size}">{token}</resumptionToken></{verb}>'


def _error(code: str) -> str:
    return f"<error code={quoteattr(code)}>{code}</error>"


def _record(centre: Centre, entry: Entry) -> str:
    metadata = f"<metadata>{entry.document}</metadata>" if entry.document is not None else ""
    return f"<record>{_header(centre, entry)}{metadata}</record>"


def _header(centre: Centre, entry: Entry) -> str:
    status = ' status="deleted"' if entry.document is None else ""
    return (
        f"<header{status}><identifier>{escape(entry.identifier)}</identifier><datestamp>{_text_of(entry.stamp_s)}"
        f"</datestamp><setSpec>{centre.offered_set}</setSpec></header>"
    )


def _text_of(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Server(ThreadingHTTPServer):
    """The server of all centres; `port` 0 takes a free one."""

    request_queue_size = 64
    daemon_threads = True

    def __init__(self, port: int = 0, *, page_s: float = 2.0) -> None:
        super().__init__((HOST, port), _Handler)
        self.centres = centres(page_s=page_s)

    def base_url(self, name: str) -> str:
        return f"http://{HOST}:{self.server_port}/{name}/oai"

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that went away."""


def main(arguments: Sequence[str]) -> None:
    """Serve the centres at the port that is named, until the process ends."""
    Server(int(arguments[0])).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
