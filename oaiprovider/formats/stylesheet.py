"""Check an uploaded stylesheet by reading it: XSLT 1.0 whose result depends on the record alone. Pure lxml.

This check gives the operator clear sentences. What keeps the node safe is the helper process, which can open neither
file nor socket and has limits on time and memory (`sandbox.py`).

Refused, and why: import, include, document() and DOCTYPE, because the helper cannot open other files; extension
elements, which write files; extension functions of dates and random numbers, which would change a record without a new
datestamp (P89); dyn:evaluate, which can call any function; func:, which defines new ones. Of EXSLT node sets, strings
and sets are allowed.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from catalogue.documents import xml_tree
from catalogue.reasons import ActRefused, Reason, _, gettext
from oaiprovider.reasons import InputCode

MAX_BYTES = 500_000  # chosen: the shipped one has 13,000

XSL_NS = "http://www.w3.org/1999/XSL/Transform"
_XSL = f"{{{XSL_NS}}}"
# The functions that need no prefix are those of XPath 1.0 and XSLT 1.0; libxslt reports any other.
_FUNCTION_NAMESPACES = tuple(f"http://exslt.org/{name}" for name in ("common", "strings", "sets"))
_ONE_FILE = _("xsl:{name} cannot be used; put everything into this one stylesheet")
_REFUSED_ELEMENTS = {
    "import": _ONE_FILE,
    "include": _ONE_FILE,
    "document": _("xsl:{name} cannot be used; a crosswalk makes one element and no file"),
}
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
    """The part of an uploaded crosswalk that the helper process needs. `text` is UTF-8 without an XML declaration."""

    text: bytes
    namespace: str
    schema: str

    @classmethod
    def of(cls, text: str, namespace: str, schema: str) -> "Stylesheet":
        """Make a stylesheet from a text in which `faults` found nothing."""
        return cls(text.encode(), namespace, schema)


def decode(document: bytes) -> str:
    """Decode an uploaded file by its declared encoding, and drop its XML declaration. Raises ActRefused."""
    try:
        return xml_tree.to_utf8(document).decode()
    except xml_tree.Unusable as exc:
        raise ActRefused(Reason(InputCode.STYLESHEET, {"fault": exc.reason.to_json()})) from exc


def without_declaration(text: str) -> str:
    """Drop the XML declaration of a typed text: its encoding is that of bytes."""
    return decode(codecs.BOM_UTF8 + text.encode())


def faults(text: str) -> list[str]:
    """List why this text cannot be used, as sentences with line numbers; empty if the helper may try it."""
    document = text.encode()
    if len(document) > MAX_BYTES:
        sentence = gettext("The stylesheet has {size} bytes; it may have up to {limit}.")
        return [sentence.format(size=f"{len(document):,}", limit=f"{MAX_BYTES:,}")]
    if xml_tree.has_doctype(document):
        return [
            gettext(
                "The stylesheet has a DOCTYPE, which can name other files; remove it, and write out what it defines."
            )
        ]
    try:
        root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError as exc:
        message = str(exc.msg).partition(", line ")[0]
        if not exc.lineno:
            return [gettext("Not XML: {message}.").format(message=message)]
        return [gettext("Line {line}: not well-formed XML: {message}.").format(line=exc.lineno, message=message)]
    return list(_faults(root))


def _faults(root: etree._Element) -> Iterator[str]:
    if root.tag not in (f"{_XSL}stylesheet", f"{_XSL}transform"):
        yield gettext(
            "Line {line}: the root is {name} in the namespace {namespace}; it must be xsl:stylesheet of {expected}."
        ).format(line=root.sourceline, expected=XSL_NS, **_name(root))
        return
    if root.get("version") != "1.0":
        yield gettext('Line {line}: version is {version}; only XSLT 1.0 is understood: version="1.0".').format(
            line=root.sourceline, version=repr(root.get("version"))
        )
    for element in root.iter(etree.Element):
        for fault in _faults_of(element):
            yield gettext("Line {line}: {fault}.").format(line=element.sourceline, fault=fault)


def _faults_of(element: etree._Element) -> Iterator[str]:
    name = etree.QName(element)
    is_xsl = name.namespace == XSL_NS
    if is_xsl and name.localname in _REFUSED_ELEMENTS:
        yield gettext(_REFUSED_ELEMENTS[name.localname]).format(name=name.localname)
    elif is_xsl and name.localname not in _ELEMENTS:
        yield gettext("xsl:{name} is no element of XSLT 1.0").format(name=name.localname)
    for attribute, value in _attributes(element):
        if etree.QName(attribute).localname == "extension-element-prefixes" and (is_xsl or attribute.startswith(_XSL)):
            yield gettext("extension-element-prefixes cannot be used: no extension elements are available")
        is_expression = is_xsl and attribute in _EXPRESSIONS
        for expression in [value] if is_expression else _IN_BRACES.findall(value.replace("{{", "")):
            yield from _calls(element, expression)


def _attributes(element: etree._Element) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in element.attrib.items()]


def _calls(element: etree._Element, expression: str) -> Iterator[str]:
    """Say what is wrong with the functions that an expression calls."""
    for prefix, function in _CALL.findall(_QUOTED.sub("''", expression)):
        if not prefix and function == "document":
            yield gettext("document() cannot be used: a crosswalk sees the record and nothing else")
        elif prefix and prefix not in element.nsmap:
            yield gettext("{function}() has a prefix that is not declared").format(function=f"{prefix}:{function}")
        elif prefix and element.nsmap[prefix] not in _FUNCTION_NAMESPACES:
            yield gettext("{function}() cannot be used; of extension functions there are those of {namespaces}").format(
                function=f"{prefix}:{function}", namespaces=", ".join(_FUNCTION_NAMESPACES)
            )


def _name(element: etree._Element) -> dict[str, str]:
    name = etree.QName(element)
    return {"name": name.localname, "namespace": name.namespace or gettext("(none)")}
