"""A small OAI-PMH provider on a real socket, written apart from ours, that misbehaves when a test tells it to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.support.world import iso_record

OAI = "http://www.openarchives.org/OAI/2.0/"

# Looks at the arguments of a request, before it is answered; what it returns is sent instead.
Fault = Callable[[dict[str, str]], Response | None]
# Changes the body of an answer to these arguments, before it is sent.
Edit = Callable[[dict[str, str], bytes], bytes]


@dataclass
class Provider:
    """Entries by identifier: a datestamp and the record's document, None for a deleted one."""

    server: HTTPServer
    page_size: int = 2
    granularity: str = "YYYY-MM-DDThh:mm:ssZ"
    now: str = "2026-03-01T12:00:00Z"
    entries: dict[str, tuple[str, bytes | None]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    token_dress: str = ""  # stands before every token
    lists_all: bool = False  # whatever `from` says
    description: str = ""  # within Identify
    formats: tuple[tuple[str, str], ...] = (("ISO19139", "http://www.isotc211.org/2005/gmd"),)

    def __post_init__(self) -> None:
        self.server.expect_request("/oai").respond_with_handler(self._answer)

    @property
    def base_url(self) -> str:
        return self.server.url_for("/oai")

    @property
    def lists(self) -> list[dict[str, str]]:
        """The ListRecords requests so far."""
        return self.asked_for("ListRecords")

    def asked_for(self, verb: str) -> list[dict[str, str]]:
        """The requests with this verb so far."""
        return [arguments for arguments in self.asked if arguments["verb"] == verb]

    def _answer(self, request: Request) -> Response:
        arguments = dict((request.form or request.args).items())
        self.requests.append(request)
        self.asked.append(arguments)
        for fault in self.faults:
            instead = fault(arguments)
            if instead is not None:
                return instead
        return xml(self.say(arguments))

    def say(self, arguments: dict[str, str]) -> bytes:
        """The body of the answer to these arguments, with the edits."""
        body: bytes = getattr(self, f"_{arguments['verb'].lower()}")(arguments).encode()
        for edit in self.edits:
            body = edit(arguments, body)
        self.sent.append(body)
        return body

    def _identify(self, _: dict[str, str]) -> str:
        return self.envelope(
            "<Identify><repositoryName>Test</repositoryName><baseURL>http://elsewhere.example.org</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
            "<earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            f"<granularity>{self.granularity}</granularity>{self.description}</Identify>"
        )

    def _listmetadataformats(self, _: dict[str, str]) -> str:
        offered = "".join(
            f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><schema>x</schema>"
            f"<metadataNamespace>{namespace}</metadataNamespace></metadataFormat>"
            for prefix, namespace in self.formats
        )
        return self.envelope(f"<ListMetadataFormats>{offered}</ListMetadataFormats>")

    def _listsets(self, _: dict[str, str]) -> str:
        return self.envelope("<ListSets><set><setSpec>WIS-GISC-TOULOUSE</setSpec><setName>T</setName></set></ListSets>")

    def _listrecords(self, arguments: dict[str, str]) -> str:
        return self._list("ListRecords", arguments, record)

    def _listidentifiers(self, arguments: dict[str, str]) -> str:
        return self._list("ListIdentifiers", arguments, header)

    def _list(self, verb: str, arguments: dict[str, str], entry: Callable[[str, str, bytes | None], str]) -> str:
        if "resumptionToken" in arguments:
            start, end, position = arguments["resumptionToken"].removeprefix(self.token_dress).rsplit("/", 2)
        else:
            start, end, position = arguments.get("from", ""), arguments.get("until", "9"), "0"
        until = end if len(end) == 20 else f"{end}~"  # a day runs to its end
        chosen = ((stamp, i, doc) for i, (stamp, doc) in self.entries.items())
        listed = sorted(entry for entry in chosen if self.lists_all or start <= entry[0] <= until)
        page = listed[int(position) : int(position) + self.page_size]
        if not page:
            return self.envelope('<error code="noRecordsMatch">nothing</error>')
        after = int(position) + len(page)
        token = escape(f"{self.token_dress}{start}/{end}/{after}") if after < len(listed) else ""
        closing = f'<resumptionToken completeListSize="{len(listed)}">{token}</resumptionToken>'
        body = "".join(entry(identifier, stamp, document) for stamp, identifier, document in page)
        return self.envelope(f"<{verb}>{body}{closing if token or position != '0' else ''}</{verb}>")

    def _getrecord(self, arguments: dict[str, str]) -> str:
        if arguments["identifier"] not in self.entries:
            return self.envelope('<error code="idDoesNotExist">unknown</error>')
        stamp, document = self.entries[arguments["identifier"]]
        return self.envelope(f"<GetRecord>{record(arguments['identifier'], stamp, document)}</GetRecord>")

    def envelope(self, content: str) -> str:
        """An answer with this content."""
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="{OAI}"><responseDate>{self.now}</responseDate>'
            f"<request>{self.base_url}</request>{content}</OAI-PMH>"
        )


def record(identifier: str, stamp: str, document: bytes | None) -> str:
    """A record element; deleted when there is no document."""
    payload = document.decode().split("?>", 1)[1] if document is not None else ""
    metadata = f"<metadata>{payload}</metadata>" if document is not None else ""
    return f"<record>{header(identifier, stamp, document)}{metadata}</record>"


def header(identifier: str, stamp: str, document: bytes | None) -> str:
    """A header element; deleted when there is no document."""
    status = ' status="deleted"' if document is None else ""
    return (
        f"<header{status}><identifier>{escape(identifier)}</identifier><datestamp>{stamp}</datestamp>"
        f"<setSpec>WIS-GISC-TOULOUSE</setSpec></header>"
    )


def xml(body: str | bytes, status: int = 200, **headers: str) -> Response:
    """An HTTP answer."""
    return Response(body, status=status, headers=headers, content_type="text/xml; charset=UTF-8")


def once(condition: Callable[[dict[str, str]], bool], answer: Callable[[], Response]) -> Fault:
    """A fault that strikes the first request for which the condition holds."""
    return times(1, condition, answer)


def times(number: int, condition: Callable[[dict[str, str]], bool], answer: Callable[[], Response]) -> Fault:
    """A fault that strikes the first `number` requests for which the condition holds."""
    left = number

    def fault(arguments: dict[str, str]) -> Response | None:
        nonlocal left
        if left and condition(arguments):
            left -= 1
            return answer()
        return None

    return fault


def continued(arguments: dict[str, str]) -> bool:
    """Whether a request asks for a further page."""
    return "resumptionToken" in arguments


def identifier(number: int) -> str:
    return f"urn:x-wmo:md:fr.meteofrance::R{number:03d}"


def fill(provider: Provider, numbers: range, stamp: str = "2026-02-01T00:00:00Z") -> None:
    """Give the provider live records with these numbers."""
    for number in numbers:
        provider.entries[identifier(number)] = (stamp, iso_record(identifier(number), title=f"Product {number}"))
