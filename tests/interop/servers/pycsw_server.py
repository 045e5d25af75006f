"""pycsw's OAI-PMH mode over a folder of records, run by the Python of its venv: `pycsw_server.py FOLDER PORT PAGE`.

pycsw answers OAI-PMH where the query has mode=oaipmh; a rewrite rule, here this program, makes that a base URL.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from pycsw.core import admin, config, repository
from pycsw.server import Csw

FOLDER, PORT, PAGE = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
DATABASE = f"sqlite:///{FOLDER}/pycsw.db"
NAMED = [
    "name",
    "position",
    "address",
    "city",
    "stateorprovince",
    "postalcode",
    "country",
    "phone",
    "fax",
    "url",
    "hours",
    "instructions",
    "role",
]
SETTINGS = {
    "server": {
        "home": str(FOLDER),
        "url": f"http://127.0.0.1:{PORT}/oai",
        "mimetype": "application/xml; charset=UTF-8",
        "encoding": "UTF-8",
        "language": "en-US",
        "maxrecords": PAGE,
        "profiles": "apiso",
    },
    "manager": {"transactions": "false", "allowed_ips": "127.0.0.1"},
    "metadata:main": {
        "identification_title": "pycsw",
        "identification_abstract": "x",
        "identification_keywords": "x",
        "identification_keywords_type": "theme",
        "identification_fees": "None",
        "identification_accessconstraints": "None",
        "provider_name": "x",
        "provider_url": "http://provider.example.org/",
        **{f"contact_{name}": "x" for name in NAMED},
        "contact_email": "admin@example.org",
    },
    "metadata:inspire": {"enabled": "false"},
    "repository": {"database": DATABASE, "table": "records"},
}


loaded = ""


def load():
    """Build the database anew when the records have changed."""
    global loaded
    text = (FOLDER / "records.json").read_text()
    if text == loaded:
        return
    loaded = text
    (FOLDER / "pycsw.db").unlink(missing_ok=True)
    repository.Repository._engines = {}
    admin.setup_db(DATABASE, "records", str(FOLDER))
    folder = FOLDER / "xml"
    folder.mkdir(exist_ok=True)
    for number, record in enumerate(json.loads(text).values()):
        (folder / f"{number:03d}.xml").write_text(record["xml"])
    admin.load_records(config.StaticContext(), DATABASE, "records", str(folder))


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        load()  # one request at a time comes, as a harvester sends them
        environ = {
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": "mode=oaipmh&" + urlsplit(self.path).query,
            "SCRIPT_NAME": "/oai",
            "PATH_INFO": "/oai",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": str(PORT),
            "wsgi.url_scheme": "http",
            "REQUEST_URI": "/oai",
            "local.app_root": str(FOLDER),
        }
        csw = Csw(SETTINGS, environ, version="2.0.2")
        _, body = csw.dispatch_wsgi()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
