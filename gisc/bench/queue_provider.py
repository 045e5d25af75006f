"""The provider of `gisc.bench.queue`: `python -m gisc.bench.queue_provider PORT SECONDS`.

Each path is a provider with one record. Under `/slow` a list is answered after so many seconds.
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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    slow_s = 0.0

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        verb = parse_qs(parts.query).get("verb", [""])[0]
        if verb.startswith("List") and parts.path.startswith("/slow"):
            time.sleep(self.slow_s)
        body = _IDENTIFY if verb == "Identify" else _DELETED.format(verb=verb, name=parts.path.strip("/"))
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        answer = _ENVELOPE.format(now=now, verb=verb, body=body).encode()
        self.send_response(200)
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
