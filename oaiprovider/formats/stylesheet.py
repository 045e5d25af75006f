"""What an uploaded stylesheet may hold, found by reading it: XSLT 1.0 that depends on the record alone. Pure lxml.

This check gives the operator clear sentences. It is not what keeps the node safe: that is the helper process, which
can open neither file nor socket and has limits on time and memory (`sandbox.py`).

Refused, and why: more than one file (import, include, document(), DOCTYPE) cannot be read where it runs; extension
elements write files; of the extension functions, those of dates and of chance would change a record without a new
datestamp (P89), dyn:evaluate hides others, and func: is a second language. What stays of EXSLT are node sets, strings
and sets.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from catalogue.documents import xml_tree

MAX_BYTES = 500_000  # chosen: the shipped one has 13,000

XSL_NS = "http://www.w3.org/1999/XSL/Transform"
_XSL = f"{{{XSL_NS}}}"
# The functions that need no prefix are those of XPath 1.0 and XSLT 1.0; libxslt reports any other.
_FUNCTION_NAMESPACES = tuple(f"http://exslt.org/{name}" for name in ("common", "strings", "sets"))
_ONE_FILE = "put everything into this one stylesheet"
_REFUSED_ELEMENTS = {"import": _ONE_FILE, "include": _ONE_FILE, "document": "a crosswalk makes one element and no file"}
_ELEMENTS = frozenset(
    [
        "apply-imports",
        "apply-templates",
        "attribute",
        "attribute-set",
        "call-template",
        "choose",
        "comment",
        "copy",
        "copy-of",
        "decimal-format",
        "element",
        "fallback",
        "for-each",
        "if",
        "key",
        "message",
        "namespace-alias",
        "number",
        "otherwise",
        "output",
        "param",
        "preserve-space",
        "processing-instruction",
        "sort",
        "strip-space",
        "stylesheet",
        "template",
        "text",
        "transform",
        "value-of",
        "variable",
        "when",
        "with-param",
    ]
)
_EXPRESSIONS = frozenset(("select", "test", "match", "use", "count", "from", "value"))
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_IN_BRACES = re.compile(r"""\{((?:'[^']*'|"[^"]*"|[^'"{}])*)\}""")
_CALL = re.compile(r"(?<![\w.\-:])(?:([\w.\-]+):(?!:))?([\w.\-]+)\s*\(")


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """An uploaded crosswalk as far as the helper process needs it. `text` is UTF-8 without an XML declaration."""

    text: bytes
    namespace: str
    schema: str

    @classmethod
    def of(cls, text: str, namespace: str, schema: str) -> "Stylesheet":
        """From a text which `faults` has found nothing against."""
        return cls(text.encode(), namespace, schema)


def decode(document: bytes) -> str:
    """The text of an uploaded file, in whatever encoding it says, without its XML declaration. Raises ValueError."""
    try:
        return xml_tree.to_utf8(document).decode()
    except xml_tree.Unusable as exc:
        raise ValueError(f"The stylesheet {exc}.") from exc


def undeclared(text: str) -> str:
    """A text that somebody typed, without its XML declaration, which speaks of bytes."""
    return decode(codecs.BOM_UTF8 + text.encode())


def faults(text: str) -> list[str]:
    """Sentences, most with a line number, that say why this cannot be used; none if the helper may try it."""
    document = text.encode()
    if len(document) > MAX_BYTES:
        return [f"The stylesheet has {len(document):,} bytes; it may have up to {MAX_BYTES:,}."]
    if xml_tree.has_doctype(document):
        return ["The stylesheet has a DOCTYPE, which can name other files; remove it, and write out what it defines."]
    try:
        root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError as exc:
        said = str(exc.msg).partition(", line ")[0]
        return [f"Line {exc.lineno}: not well-formed XML: {said}." if exc.lineno else f"Not XML: {said}."]
    return list(_faults(root))


def _faults(root: etree._Element) -> Iterator[str]:
    if root.tag not in (f"{_XSL}stylesheet", f"{_XSL}transform"):
        yield f"Line {root.sourceline}: the root is {_shown(root)}; it must be xsl:stylesheet of {XSL_NS}."
        return
    if root.get("version") != "1.0":
        yield f'Line {root.sourceline}: version is {root.get("version")!r}; only XSLT 1.0 is understood: version="1.0".'
    for element in root.iter(etree.Element):
        yield from (f"Line {element.sourceline}: {fault}." for fault in _faults_of(element))


def _faults_of(element: etree._Element) -> Iterator[str]:
    name = etree.QName(element)
    ours = name.namespace == XSL_NS
    if ours and name.localname in _REFUSED_ELEMENTS:
        yield f"xsl:{name.localname} cannot be used; {_REFUSED_ELEMENTS[name.localname]}"
    elif ours and name.localname not in _ELEMENTS:
        yield f"xsl:{name.localname} is no element of XSLT 1.0"
    for attribute, value in _attributes(element):
        if etree.QName(attribute).localname == "extension-element-prefixes" and (ours or attribute.startswith(_XSL)):
            yield "extension-element-prefixes cannot be used: no extension elements are available"
        whole = ours and attribute in _EXPRESSIONS
        for expression in [value] if whole else _IN_BRACES.findall(value.replace("{{", "")):
            yield from _calls(element, expression)


def _attributes(element: etree._Element) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in element.attrib.items()]


def _calls(element: etree._Element, expression: str) -> Iterator[str]:
    """What is wrong with the functions that an expression calls."""
    for prefix, function in _CALL.findall(_QUOTED.sub("''", expression)):
        if not prefix and function == "document":
            yield "document() cannot be used: a crosswalk sees the record and nothing else"
        elif prefix and prefix not in element.nsmap:
            yield f"{prefix}:{function}() has a prefix that is not declared"
        elif prefix and element.nsmap[prefix] not in _FUNCTION_NAMESPACES:
            yield (
                f"{prefix}:{function}() cannot be used; of extension functions there are those of "
                f"{', '.join(_FUNCTION_NAMESPACES)}"
            )


def _shown(element: etree._Element) -> str:
    name = etree.QName(element)
    return f"{name.localname} in the namespace {name.namespace or '(none)'}"
