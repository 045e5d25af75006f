# ruff: noqa: E402
"""pyoai's own server over a folder of records, run by the Python of its venv: `pyoai_server.py FOLDER PORT PAGE`."""

import json
import sys
import types
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

# pyoai 2.5.0 reads its tokens with cgi.parse_qs, which Python 3.8 took away, as 3.13 took cgi.
sys.modules["cgi"] = types.ModuleType("cgi")
sys.modules["cgi"].parse_qs = parse_qs

from lxml import etree
from oaipmh.common import Header, Identify, Metadata
from oaipmh.error import IdDoesNotExistError, NoRecordsMatchError
from oaipmh.metadata import MetadataRegistry
from oaipmh.server import BatchingServer

FOLDER, PORT, PAGE = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
GMD = ("iso19139", "http://www.isotc211.org/2005/gmd/gmd.xsd", "http://www.isotc211.org/2005/gmd")


def stamp(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


class Records:
    """The interface that pyoai asks for."""

    def identify(self):
        return Identify(
            repositoryName="pyoai",
            baseURL=f"http://127.0.0.1:{PORT}/oai",
            protocolVersion="2.0",
            adminEmails=["admin@example.org"],
            earliestDatestamp=datetime(2020, 1, 1),
            deletedRecord="persistent",
            granularity="YYYY-MM-DDThh:mm:ssZ",
            compression=["identity"],
        )

    def listMetadataFormats(self, identifier=None):
        return [GMD]

    def listSets(self, cursor=0, batch_size=10):
        return [("WIS-GISC-TOULOUSE", "Toulouse", "")][cursor:]

    def listRecords(self, metadataPrefix, set=None, from_=None, until=None, cursor=0, batch_size=10):  # noqa: A002, N803
        chosen = [
            one(identifier, record)
            for identifier, record in sorted(held().items())
            if (from_ is None or stamp(record["datestamp"]) >= from_)
            and (until is None or stamp(record["datestamp"]) <= until)
        ]
        if not chosen:
            raise NoRecordsMatchError("nothing")
        return chosen[cursor : cursor + batch_size]

    def listIdentifiers(self, **asked):
        return [header for header, _, _ in self.listRecords(**asked)]

    def getRecord(self, metadataPrefix, identifier):  # noqa: N803
        record = held().get(identifier)
        if record is None:
            raise IdDoesNotExistError(identifier)
        return one(identifier, record)


def held():
    return json.loads((FOLDER / "records.json").read_text())


def one(identifier, record):
    header = Header(None, identifier, stamp(record["datestamp"]), ["WIS-GISC-TOULOUSE"], record["xml"] is None)
    return header, Metadata(None, {"xml": record["xml"]}), None


registry = MetadataRegistry()
registry.registerWriter("iso19139", lambda element, said: element.append(etree.fromstring(said.getField("xml"))))
server = BatchingServer(Records(), registry, resumption_batch_size=PAGE)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = server.handleRequest(dict(parse_qsl(urlsplit(self.path).query)))
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
