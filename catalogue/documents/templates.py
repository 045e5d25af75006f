"""Find what a template has left in a record: placeholders that nobody filled in. lxml only, no Django."""

import re
from collections.abc import Iterator

from lxml import etree

from catalogue.documents import iso19139
from catalogue.documents.wcmp import MAX_QUOTED, Fault

RULE = "template"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
# `@@fileId@@`, `${UUID}`, `{{ identifier }}`, `DE-{uuid}`, and words such as `fileNamePlaceholder`; a UUID in braces is none.
_PLACEHOLDER = re.compile(
    rf"@@[\w.\-]+@@|\{{\{{[^{{}}]*\}}\}}|\$?\{{(?!{_UUID}\}})[A-Za-z][\w.\-]*\}}|\b\w*(?:[a-z]P|\bp)laceholder\b"
)
_FIELDS = {
    "gmd:fileIdentifier": iso19139.xpath("gmd:fileIdentifier"),
    "gmd:dateStamp": iso19139.xpath("gmd:dateStamp"),
    "the title": iso19139.xpath("gmd:identificationInfo/*/gmd:citation/*/gmd:title"),
    "the abstract": iso19139.xpath("gmd:identificationInfo/*/gmd:abstract"),
}


def check(root: etree._Element) -> Iterator[Fault]:
    """Yield a fault for each field with a placeholder."""
    for name, find in _FIELDS.items():
        for element in find(root)[:1]:
            found = _PLACEHOLDER.search("".join(map(str, element.itertext())))
            if found is not None:
                text = found.group()[:MAX_QUOTED]
                yield Fault(RULE, f"This seems to be a template: {text!r} in {name} is to be replaced by a value")
