"""oai-repo over a folder of records, run by the Python of its venv: `oai_repo_server.py FOLDER PORT PAGE`."""

import json
import sys
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from lxml import etree
from oai_repo import DataInterface, Identify, MetadataFormat, OAIRepository, RecordHeader, Set

FOLDER, PORT, PAGE = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
SPEC = "WIS-GISC-TOULOUSE"


def held():
    return json.loads((FOLDER / "records.json").read_text())


def stamp(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)  # noqa: UP017


class Records(DataInterface):
    """The interface that oai-repo asks for."""

    limit = PAGE

    def get_identify(self):
        return Identify(
            repository_name="oai-repo",
            base_url=f"http://127.0.0.1:{PORT}/oai",
            admin_email=["admin@example.org"],
            earliest_datestamp="2020-01-01T00:00:00Z",
            deleted_record="persistent",
            granularity="YYYY-MM-DDThh:mm:ssZ",
        )

    def is_valid_identifier(self, identifier):
        return identifier in held()

    def get_metadata_formats(self, identifier=None):
        gmd = "http://www.isotc211.org/2005/gmd"
        return [MetadataFormat("iso19139", f"{gmd}/gmd.xsd", gmd)]

    def get_record_header(self, identifier):
        record = held()[identifier]
        status = "deleted" if record["xml"] is None else None
        return RecordHeader(identifier, record["datestamp"], [SPEC], status)

    def get_record_metadata(self, identifier, metadataprefix):
        xml = held()[identifier]["xml"]
        return None if xml is None else etree.fromstring(xml)

    def get_record_abouts(self, identifier):
        return []

    def list_set_specs(self, identifier=None, cursor=0):
        return [SPEC], 1, None

    def get_set(self, setspec):
        return Set(SPEC, "Toulouse", []) if setspec == SPEC else None

    def list_identifiers(self, metadataprefix, filter_from=None, filter_until=None, filter_set=None, cursor=0):
        chosen = [
            identifier
            for identifier, record in sorted(held().items())
            if (filter_from is None or stamp(record["datestamp"]) >= filter_from)
            and (filter_until is None or stamp(record["datestamp"]) <= filter_until)
        ]
        return chosen[cursor : cursor + PAGE], len(chosen), None


repository = OAIRepository(Records())


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = bytes(repository.process(dict(parse_qsl(urlsplit(self.path).query))))
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
