"""A small tree of RDF, and three ways to write it: RDF/XML, Turtle and JSON-LD. No Django.

What is described is a tree: a node has properties, whose values are literals, addresses or further nodes. Each way gives the same
triples; the tests read all of them with rdflib. A node with an address that is in several others, such as a theme, is written once.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from lxml import etree

from catalogue import oai

PREFIXES: Mapping[str, str] = {
    "adms": "http://www.w3.org/ns/adms#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gsp": "http://www.opengis.net/ont/geosparql#",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "locn": "http://www.w3.org/ns/locn#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S")
_LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")
# What may be in no IRI (RFC 3987), and no text of RDF/XML may have.
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|\\^`\x7f]')
_RDF, _XML_LANG = f"{{{PREFIXES['rdf']}}}", "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Iri:
    """An address of something that is not described further."""

    address: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A text in a language, if it is known, or of a datatype, such as "xsd:date"."""

    text: str
    language: str = ""
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """Something that is described: its types, its properties in order, such as ("dct:title", Literal("…")), its address if it has one."""

    types: tuple[str, ...]
    properties: "tuple[tuple[str, Value], ...]"
    iri: str = ""


Value = Iri | Literal | Node


def iri_of(text: str) -> str:
    """Return a text as an absolute IRI, with what may be in none percent-encoded; empty if it is none."""
    text = _NOT_IN_IRI.sub(lambda found: quote(found[0]), text.strip())
    return text if _ABSOLUTE.match(text) else ""


def literal(text: str, language: str = "") -> Literal:
    """Return a text in a language; without one where the tag names none."""
    return Literal(text, language if language != "und" and _LANGUAGE.fullmatch(language) else "")


# --- RDF/XML ------------------------------------------------------------------------------------------


def to_xml(nodes: Iterable[Node], schema: str = "") -> bytes:
    """Write nodes as an `rdf:RDF` element, which declares its own namespaces, without an XML declaration.

    `schema`: what it names as the place of its schema, if anything (P65).
    """
    root: etree._Element = etree.Element(f"{_RDF}RDF", nsmap=dict(PREFIXES))
    if schema:
        root.set(f"{{{oai.XSI_NS}}}schemaLocation", f"{PREFIXES['rdf']} {schema}")
    written = set[Node]()
    for node in nodes:
        if not (node.iri and node in written):
            _add_xml(root, node, written)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=False)


def _qualified(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{PREFIXES[prefix]}}}{local}"


def _full(name: str) -> str:
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local


def _add_xml(parent: etree._Element, node: Node, written: set[Node]) -> None:
    written.add(node)
    element = etree.SubElement(parent, _qualified(node.types[0]))
    if node.iri:
        element.set(f"{_RDF}about", node.iri)
    for further in node.types[1:]:
        etree.SubElement(element, f"{_RDF}type").set(f"{_RDF}resource", _full(further))
    for name, value in node.properties:
        said = etree.SubElement(element, _qualified(name))
        match value:
            case Iri(address):
                said.set(f"{_RDF}resource", address)
            case Literal(text, language, datatype):
                said.text = text
                if language:
                    said.set(_XML_LANG, language)
                elif datatype:
                    said.set(f"{_RDF}datatype", _full(datatype))
            case Node(iri=iri) if iri and value in written:
                said.set(f"{_RDF}resource", iri)
            case Node():
                _add_xml(said, value, written)


# --- Turtle -------------------------------------------------------------------------------------------


def to_turtle(nodes: Iterable[Node]) -> bytes:
    """Write nodes as Turtle (RDF 1.1). Nodes with an address that stand within others follow them."""
    waiting = list(nodes)
    statements = []
    written = set[Node]()
    for node in waiting:  # grows meanwhile
        if node.iri and node in written:
            continue
        written.add(node)
        subject = f"<{node.iri}>" if node.iri else "[]"
        statements.append(f"{subject} {_predicates(node, waiting, 1)} .\n")
    prefixes = [f"@prefix {prefix}: <{address}> .\n" for prefix, address in PREFIXES.items()]
    return "\n".join(("".join(prefixes), *statements)).encode()


def _predicates(node: Node, waiting: list[Node], depth: int) -> str:
    said = [f"a {', '.join(node.types)}"]
    said += (f"{name} {_turtle(value, waiting, depth)}" for name, value in node.properties)
    return f" ;\n{'  ' * depth}".join(said)


def _turtle(value: Value, waiting: list[Node], depth: int) -> str:
    match value:
        case Iri(address):
            return f"<{address}>"
        case Literal(text, language, datatype):
            # The escapes of JSON are among those of Turtle.
            return json.dumps(text, ensure_ascii=False) + (
                f"@{language}" if language else f"^^{datatype}" if datatype else ""
            )
        case Node(iri=iri) if iri:
            waiting.append(value)
            return f"<{iri}>"
        case Node():
            return f"[ {_predicates(value, waiting, depth + 1)} ]"


# --- JSON-LD ------------------------------------------------------------------------------------------


def to_json_ld(nodes: Iterable[Node]) -> bytes:
    """Write nodes as JSON-LD 1.1, as they are nested."""
    written = set[Node]()
    graph = [_json(node, written) for node in nodes if not (node.iri and node in written)]
    body = {"@context": dict(PREFIXES), "@graph": graph}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _json(node: Node, written: set[Node]) -> dict[str, Any]:
    written.add(node)
    made: dict[str, Any] = {"@id": node.iri} if node.iri else {}
    made["@type"] = list(node.types)
    for name, value in node.properties:
        made.setdefault(name, []).append(_json_value(value, written))
    return made


def _json_value(value: Value, written: set[Node]) -> dict[str, Any]:
    match value:
        case Iri(address):
            return {"@id": address}
        case Literal(text, language, datatype):
            said = {"@value": text}
            if language:
                said["@language"] = language
            elif datatype:
                said["@type"] = datatype
            return said
        case Node(iri=iri) if iri and value in written:
            return {"@id": iri}
        case Node():
            return _json(value, written)


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Return nodes and all that stand within them."""
    for node in nodes:
        yield node
        yield from walk(value for _, value in node.properties if isinstance(value, Node))
