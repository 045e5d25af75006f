"""pyoai's client walks a list: BASE_URL [FROM]. One line of JSON for each record: identifier, datestamp, XML or null."""

import json
import sys
from datetime import datetime

from lxml import etree
from oaipmh.client import Client
from oaipmh.metadata import MetadataRegistry

registry = MetadataRegistry()
registry.registerReader("iso19139", lambda element: etree.tostring(element[0], with_tail=False).decode())
client = Client(sys.argv[1], registry)
client.updateGranularity()
window = {"from_": datetime.strptime(sys.argv[2], "%Y-%m-%dT%H:%M:%SZ")} if len(sys.argv) > 2 else {}
for header, xml, _about in client.listRecords(metadataPrefix="iso19139", **window):
    print(
        json.dumps(
            [header.identifier(), f"{header.datestamp():%Y-%m-%dT%H:%M:%SZ}", None if header.isDeleted() else xml]
        )
    )
