"""Write an XML document as lines that can be compared and read: one tag or one element with text each. No Django, no I/O.

Prefixes are the usual ones whatever the document declares, attributes are in the order of their names, white space within texts
is one blank, comments and declarations of namespaces are left out. What is lost by this is kept as the line's `notation`.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from catalogue import oai
from catalogue.documents import xml_tree

_USUAL_PREFIXES = {
    oai.GMD_NS: "gmd",
    oai.GMI_NS: "gmi",
    "http://www.isotc211.org/2005/gco": "gco",
    "http://www.isotc211.org/2005/gmx": "gmx",
    "http://www.isotc211.org/2005/gts": "gts",
    "http://www.isotc211.org/2005/gss": "gss",
    "http://www.isotc211.org/2005/gsr": "gsr",
    "http://www.isotc211.org/2005/srv": "srv",
    "http://www.opengis.net/gml/3.2": "gml",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://purl.org/dc/elements/1.1/": "dc",
}
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


class Notation(NamedTuple):
    """How a line was written, where that does not change what it says; compared, never displayed."""

    blanks: tuple[str | None, ...] = ()
    attributes: tuple[str, ...] = ()
    prefix: str | None = None
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where an element stands: its name, and its number if it has siblings of that name."""

    parent: "Place | None"
    name: str
    number: int
    path: int  # the same for all elements whose names and ancestors' names are the same, in both documents

    def label(self) -> str:
        """Return the path of elements below the root, as `identificationInfo / citation / title`, without ISO's class names."""
        names: list[str] = []
        place: Place | None = self
        while place is not None and place.parent is not None:
            local = place.name.rpartition(":")[2]
            if not local[:1].isupper():
                names.append(f"{local} {place.number}" if place.number else local)
            place = place.parent
        return " / ".join(reversed(names)) or self.name.rpartition(":")[2]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a document. Two lines are the same if their keys are."""

    text: str
    key: int
    depth: int = 0
    place: Place | None = None
    notation: Notation = Notation()


class Document(NamedTuple):
    """A document in lines. `is_cut`: the rest of it is not there; `is_xml`: else its lines are those of the file."""

    lines: list[Line]
    is_cut: bool
    is_xml: bool
    namespaces: dict[str, str]  # by the prefix in the lines


class LineWriter:
    """Write the documents of one comparison, so that the same prefixes and keys mean the same in all of them."""

    def __init__(self, max_lines: int) -> None:
        self.max_lines = max_lines
        self._prefixes: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._keys: dict[Hashable, int] = {}

    def write(self, document: bytes) -> Document | None:
        """Return the lines of an XML document; None if it is not well-formed, or too large or complex to be parsed."""
        try:
            xml_tree.check_complexity(document)
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
            root = etree.fromstring(document, parser)
        except (etree.XMLSyntaxError, ValueError, xml_tree.Unusable):
            return None
        walk = _Walk(self)
        walk.element(root, walk.place_of(None, root, 0), 0)
        namespaces = {self._prefixes[uri]: uri for uri in root.nsmap.values() if uri in self._prefixes}
        return Document(walk.lines, walk.is_cut, True, namespaces)

    def write_text(self, document: bytes) -> Document:
        """Return the lines of a document as they stand there."""
        part = document[: xml_tree.MAX_RECORD_BYTES]
        texts = part.decode("utf-8", errors="replace").replace("\0", "\ufffd").splitlines()
        lines = [Line(text, self.key(text)) for text in map(_collapse, texts[: self.max_lines])]
        return Document(lines, len(part) < len(document) or len(lines) < len(texts), False, {})

    def key(self, of: Hashable) -> int:
        """Return the number of this content, which is new if it was not met before."""
        return self._keys.setdefault(of, len(self._keys))

    def name(self, tag: str, prefix: str | None) -> str:
        """Return the name of an element or attribute, with the prefix that its namespace has in all documents."""
        if tag in self._names:
            return self._names[tag]
        uri, _, local = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
        if uri and uri not in self._prefixes:
            wanted = _USUAL_PREFIXES.get(uri) or prefix or "ns"
            taken, chosen, number = set(self._prefixes.values()), wanted, 1
            while chosen in taken:
                number += 1
                chosen = f"{wanted}{number}"
            self._prefixes[uri] = chosen
        name = f"{self._prefixes[uri]}:{local}" if uri else local
        self._names[tag] = name
        return name


class _Walk:
    """Writes the lines of one document. It recurses, as libxml2 refuses elements that are nested more than 256 deep."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self.lines: list[Line] = []
        self.is_cut = False
        self._comments: list[str] = []

    def place_of(self, parent: Place | None, element: etree._Element, number: int) -> Place:
        name = self._writer.name(str(element.tag), element.prefix)
        return Place(parent, name, number, self._writer.key((parent.path if parent else None, name)))

    def element(self, element: etree._Element, place: Place, depth: int) -> None:
        """Write an element: in one line if it has only text, else its start, what is in it, and its end."""
        attributes = [(self._attribute(element, str(name), str(value))) for name, value in element.attrib.items()]
        start = f"{place.name}{''.join(f' {name}={quoteattr(_collapse(value))}' for name, value in sorted(attributes))}"
        order = tuple(name for name, _ in attributes)
        values = tuple(value for _, value in attributes if value != _collapse(value))
        children = list(element)
        elements = Counter(child.tag for child in children if isinstance(child.tag, str))
        if not elements and all(isinstance(child, etree._Comment) for child in children):
            self._comments += [child.text or "" for child in children]
            written = "".join([element.text or "", *(child.tail or "" for child in children)])
            text = _collapse(written)
            blanks = (written if written != text else None, element.tail, *values)
            notation = Notation(blanks, order, element.prefix, self._take_comments())
            content = f"<{start}>{escape(text)}</{place.name}>" if text else f"<{start}/>"
            self._add(content, depth, place, notation)
            return
        blanks = (element.text if not _collapse(element.text) else None, element.tail, *values)
        self._add(f"<{start}>", depth, place, Notation(blanks, order, element.prefix, self._take_comments()))
        self._text(element.text, depth + 1, place)
        numbers: Counter[str] = Counter()
        for child in children:
            if self.is_cut:
                return
            if isinstance(child, etree._Comment):
                self._comments.append(child.text or "")
            elif isinstance(child, etree._Entity):
                self._text(child.text, depth + 1, place)
            elif isinstance(child, etree._ProcessingInstruction):
                instruction = etree.tostring(child, encoding="unicode", with_tail=False)
                self._add(instruction, depth + 1, place, Notation())
            else:
                numbers[child.tag] += 1
                number = numbers[child.tag] if elements[child.tag] > 1 else 0
                self.element(child, self.place_of(place, child, number), depth + 1)
            self._text(child.tail, depth + 1, place)
        self._add(f"</{place.name}>", depth, place, Notation(comments=self._take_comments()))

    def _attribute(self, element: etree._Element, name: str, value: str) -> tuple[str, str]:
        """Return the name and value of an attribute; a type's prefix as that of its namespace."""
        prefix, colon, local = value.partition(":")
        if name == _TYPE and colon and prefix in element.nsmap:
            value = self._writer.name(f"{{{element.nsmap[prefix]}}}{local}", prefix)
        return self._writer.name(name, None), value

    def _text(self, written: str | None, depth: int, place: Place) -> None:
        text = _collapse(written)
        if text:
            self._add(escape(text), depth, place, Notation((written if written != text else None,)))

    def _take_comments(self) -> tuple[str, ...]:
        taken = tuple(self._comments)
        self._comments.clear()
        return taken

    def _add(self, text: str, depth: int, place: Place, notation: Notation) -> None:
        if len(self.lines) >= self._writer.max_lines:
            self.is_cut = True
        else:
            self.lines.append(Line(text, self._writer.key((place.path, text)), depth, place, notation))


def _collapse(text: str | None) -> str:
    """Write white space as one blank, and none at the ends."""
    return " ".join((text or "").split())
