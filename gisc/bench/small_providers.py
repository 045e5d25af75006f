"""The providers of `gisc.bench.queue`, `gisc.bench.soak` and `gisc.bench.load`: `python -m gisc.bench.small_providers PORT SECONDS`.

Each path is a provider with one record, deleted. Under `/slow` a list is answered after so many seconds; under `/failing`
each list fails; under `/live` there are records, of which one changes every two seconds, and one that cannot be stored; under
`/growing` there is a new record every four seconds, and two seconds later another one changes.
"""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_ENVELOPE = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>{now}</responseDate>
<request verb="{verb}">http://127.0.0.1/oai</request>{body}</OAI-PMH>"""
_IDENTIFY = """<Identify><repositoryName>bench</repositoryName><baseURL>http://127.0.0.1/oai</baseURL>
<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>
<earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"""
_DELETED = """<{verb}><record><header status="deleted"><identifier>urn:x-bench:{name}</identifier>
<datestamp>2026-01-01T00:00:00Z</datestamp></header></record></{verb}>"""

_LIVE = """<record><header><identifier>{identifier}</identifier><datestamp>{stamp}</datestamp></header><metadata>
<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
<gmd:fileIdentifier><gco:CharacterString>{identifier}</gco:CharacterString></gmd:fileIdentifier>
<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title>
<gco:CharacterString>As of {stamp}</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation><gmd:abstract>
<gco:CharacterString>{text}</gco:CharacterString></gmd:abstract></gmd:MD_DataIdentification></gmd:identificationInfo>
</gmd:MD_Metadata></metadata></record>"""
_BAD = """<record><header><identifier>urn:x-bench:{name}:bad</identifier><datestamp>{stamp}</datestamp></header>
<metadata><other xmlns="http://www.example.org/">no record</other></metadata></record>"""
_LIVE_RECORDS, _CHANGE_S = 20, 2


def _text_of(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _live(name: str, arguments: dict[str, str]) -> str:
    """The list, or the record, of a provider whose records change in turn; each is deleted at every fourth change."""
    last = int(time.time()) // _CHANGE_S
    entries = [_BAD.format(name=name, stamp=_text_of(last * _CHANGE_S))]
    for change in range(last - _LIVE_RECORDS + 1, last + 1):
        number, stamp = change % _LIVE_RECORDS, _text_of(change * _CHANGE_S)
        identifier = f"urn:x-bench:{name}:{number:02}"
        if change // _LIVE_RECORDS % 4 == 3:
            header = f"<identifier>{identifier}</identifier><datestamp>{stamp}</datestamp>"
            entries.append(f'<record><header status="deleted">{header}</header></record>')
        else:
            entries.append(_LIVE.format(identifier=identifier, stamp=stamp, text=f"Change {change}. " * 300))
    list_from, wanted = arguments.get("from", ""), arguments.get("identifier", "")
    return "".join(
        entry
        for entry in entries
        if list_from <= entry.partition("<datestamp>")[2][:20] and f"<identifier>{wanted}" in entry
    )


_CHANGES_AFTER = 41  # changes after a record was new; odd, so that it falls between two new ones
_BEGAN = int(time.time()) // _CHANGE_S


def _growing(name: str, arguments: dict[str, str]) -> str:
    """The list, or the record, of a provider that gets new records and changes old ones, and deletes none."""
    last = int(time.time()) // _CHANGE_S
    entries = []
    for new in range(_BEGAN - _LIVE_RECORDS, last + 1):
        if new % 2 == 0:
            change = new + _CHANGES_AFTER if new + _CHANGES_AFTER <= last else new
            stamp, identifier = _text_of(change * _CHANGE_S), f"urn:x-bench:{name}:{new}"
            if arguments.get("from", "") <= stamp and arguments.get("identifier", identifier) == identifier:
                text = f"Change {change}. " * 300
                entries.append(_LIVE.format(identifier=identifier, stamp=stamp, text=text))
    return "".join(entries)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    slow_s = 0.0

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        arguments = {name: values[0] for name, values in parse_qs(parts.query).items()}
        verb, name = arguments.get("verb", ""), parts.path.strip("/")
        if verb.startswith("List") and parts.path.startswith("/slow"):
            time.sleep(self.slow_s)
        fails = verb.startswith("List") and name.startswith("failing")
        if verb == "Identify":
            body = _IDENTIFY
        elif name.startswith(("live", "growing")):
            entries = (_live if name.startswith("live") else _growing)(name, arguments)
            body = f"<{verb}>{entries}</{verb}>" if entries else '<error code="noRecordsMatch">none</error>'
        else:
            body = _DELETED.format(verb=verb, name=name)
        answer = _ENVELOPE.format(now=_text_of(time.time()), verb=verb, body=body).encode()
        self.send_response(500 if fails else 200)
        self.send_header("Content-Type", "text/xml; charset=UTF-8")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that were killed."""


if __name__ == "__main__":
    _Handler.slow_s = float(sys.argv[2])
    _Server(("127.0.0.1", int(sys.argv[1])), _Handler).serve_forever()
