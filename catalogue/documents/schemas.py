"""Validate records against the published XML schemas, from a folder with an XML catalogue. lxml only.

The folder has `catalog.xml`, which maps the schemas' public addresses to its files by `uri` and `rewriteURI` entries,
and one file to start from for each set. Nothing is ever fetched: an address that is not in the catalogue is an error.
"""

import enum
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from catalogue.reasons import describe_error

CATALOG = "catalog.xml"
MAX_FAULTS = 10  # chosen: after ten sentences a data manager has to look at the whole record
MAX_TEXT = 400  # characters of one sentence
_CATALOG_NS = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"


class SchemaSet(enum.StrEnum):
    """The two sets of ISO 19139; they bind gml to different namespaces, so a record fits one of them at most."""

    ISO_2007 = "iso19139-20070417"
    ISO_2006 = "iso19139-20060504"


class UnusableSchemas(Exception):
    """The folder of schemas cannot be used; the text says why."""


_OLD_GML = re.compile(rb"""=\s*["']http://www\.opengis\.net/gml["']""")
_NEW_GML = b"http://www.opengis.net/gml/3.2"


def choose_set(element: bytes) -> SchemaSet:
    """Choose the set for a record: 2006-05-04 if it names the GML namespace of that set and not the one of 2007."""
    return SchemaSet.ISO_2006 if _OLD_GML.search(element) and _NEW_GML not in element else SchemaSet.ISO_2007


class _CatalogResolver(etree.Resolver):
    """Resolves public addresses to files of the folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.files: dict[str, Path] = {}
        self.rewrites: list[tuple[str, str]] = []
        for entry in etree.parse(folder / CATALOG).getroot():
            if entry.tag == f"{_CATALOG_NS}uri":
                self.files[entry.get("name", "")] = folder / entry.get("uri", "")
            elif entry.tag == f"{_CATALOG_NS}rewriteURI":
                self.rewrites.append((entry.get("uriStartString", ""), f"{folder}/{entry.get('rewritePrefix', '')}"))
        self.rewrites.sort(key=lambda rewrite: -len(rewrite[0]))

    def resolve(self, url: str, _public_id: str, context: Any) -> Any:  # type: ignore[override]  # lxml-stubs knows two arguments
        if not url or "://" not in url:
            return None  # a file of the folder, named relatively
        path = self.files.get(url)
        if path is None:
            start, folder = next((rewrite for rewrite in self.rewrites if url.startswith(rewrite[0])), ("", ""))
            if not start:
                raise FileNotFoundError(f"{url} is not in {CATALOG}")
            path = Path(folder + url.removeprefix(start))
        # The public address stays the base, so that relative includes are resolved here too.
        return self.resolve_string(path.read_bytes(), context, base_url=url)


@cache
def load(folder: Path, chosen: SchemaSet) -> etree.XMLSchema:
    """Compile the schemas of a set: about a second, once in a process. Raises UnusableSchemas."""
    parser = etree.XMLParser(no_network=True)
    try:
        parser.resolvers.add(_CatalogResolver(folder))
        return etree.XMLSchema(etree.parse(folder / f"{chosen}.xsd", parser))
    except (OSError, etree.LxmlError) as exc:
        raise UnusableSchemas(f"the schemas {chosen} in {folder} cannot be used: {describe_error(exc)}") from exc


@cache
def load_from_address(folder: Path, address: str) -> etree.XMLSchema:
    """Compile the schema that the folder has for a public address, once in a process. Raises UnusableSchemas."""
    parser = etree.XMLParser(no_network=True)
    try:
        parser.resolvers.add(_CatalogResolver(folder))
        return etree.XMLSchema(etree.parse(address, parser))
    except (OSError, etree.LxmlError) as exc:
        raise UnusableSchemas(
            f"the schema {address} is not in {folder}, or cannot be used: {describe_error(exc)}"
        ) from exc


def faults(schema: etree.XMLSchema, root: etree._Element) -> list[str]:
    """Validate a record. Returns the faults, at most MAX_FAULTS sentences; none if it is valid."""
    if schema.validate(root):
        return []
    entries: list[Any] = list(schema.error_log)  # type: ignore[call-overload]  # lxml-stubs has no __iter__
    found = [f"line {entry.line}: {_readable(entry.message)}" for entry in entries[:MAX_FAULTS]]
    if len(entries) > MAX_FAULTS:
        found.append(f"and {len(entries) - MAX_FAULTS} faults more")
    return found


def _readable(message: str) -> str:
    """Return a message of libxml2 without the namespaces in braces."""
    text = " ".join(re.sub(r"\{[^}]*\}", "", message).split())
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


@cache
def fingerprint(folder: Path) -> str:
    """Return twelve digits that change when a file of the folder does; computed once in a process."""
    digest = hashlib.sha256()
    for path in sorted((folder / CATALOG, *folder.rglob("*.xsd"))):
        digest.update(f"{path.relative_to(folder)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
