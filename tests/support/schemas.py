"""The published schemas, read offline from the folder that GISC_SHARED names (by default `../shared`).

If the folder is missing, `require` skips the calling test with a reason, and `envelope_faults` finds nothing.
"""

import functools
from pathlib import Path

import pytest
from lxml import etree

from tests.support.paths import SHARED

SCHEMAS = SHARED / "schemas"

_CATALOG = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_CONTAINERS = ("http://www.openarchives.org/OAI/2.0/provenance", "http://www.openarchives.org/OAI/2.0/rights/")


class _Offline(etree.Resolver):
    """Maps the schemas' public addresses to local files, as catalog.xml says; an unknown address is an error."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        catalog = etree.parse(folder / "catalog.xml").getroot()
        self.files = {item.get("name"): folder / item.get("uri", "") for item in catalog.iter(f"{_CATALOG}uri")}
        self.folders = {
            item.get("uriStartString", ""): f"{folder}/{item.get('rewritePrefix')}"
            for item in catalog.iter(f"{_CATALOG}rewriteURI")
        }

    def resolve(self, url, pubid, context):  # type: ignore[override]  # lxml-stubs knows two of the arguments
        if not url or not url.startswith(("http://", "https://")):
            return None
        path = self.files.get(url)
        if path is None:
            start = max((start for start in self.folders if url.startswith(start)), key=len, default=None)
            if start is None:
                raise FileNotFoundError(f"{url} is not in catalog.xml")
            path = Path(self.folders[start] + url.removeprefix(start))
        return self.resolve_string(path.read_bytes(), context, base_url=url)


@functools.cache
def load(name: str) -> etree.XMLSchema:
    """Load the schema whose main file in the folder is `name`."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Offline(SCHEMAS))
    # The manifest's schema includes that of rights, and libxml2 takes one schema for a namespace.
    entry = (SCHEMAS / name).read_bytes().replace(b"/2.0/rights.xsd", b"/2.0/rightsManifest.xsd")
    return etree.XMLSchema(etree.fromstring(entry, parser, base_url=str(SCHEMAS / name)))


def available() -> bool:
    return (SCHEMAS / "catalog.xml").is_file()


def require() -> None:
    """Skip the calling test where there are no schemas."""
    if not available():
        pytest.skip(f"no schemas in {SCHEMAS}: set GISC_SHARED to the folder that holds schemas/")


def envelope_faults(document: bytes) -> list[str]:
    """Validate a response against OAI-PMH.xsd, with each ISO payload replaced by an empty oai_dc element (P46).

    Containers in abouts with an unknown schema, which come from others, are replaced, too.
    """
    if not available():
        return []
    root = etree.fromstring(document)
    for parent in root.iter(f"{_OAI}metadata", f"{_OAI}about"):
        for child in parent.iterchildren("*"):
            if etree.QName(child).namespace not in (_OAI_DC, *_CONTAINERS):
                parent.replace(child, etree.Element(f"{{{_OAI_DC}}}dc"))
    schema = load("oai-pmh.xsd")
    return [] if schema.validate(root) else [str(entry) for entry in schema.error_log]
