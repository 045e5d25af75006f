"""XML that costs far more than its size: shapes of records and of answers, made to a size, the same each time."""

import itertools
import random
from collections.abc import Callable

from catalogue import oai

SIZE = 10_000_000
Shape = Callable[[int], bytes]  # of about so many bytes
GOOD = "urn:x:good"


def of(unit: str, size: int) -> bytes:
    """The unit again and again; a `%` in it is the number of the copy."""
    if "%" not in unit:
        return unit.encode() * (size // len(unit.encode()))
    pieces, length = [], 0
    for number in itertools.count():
        pieces.append(unit.replace("%", str(number)).encode())
        length += len(pieces[-1])
        if length >= size:
            return b"".join(pieces)
    raise AssertionError


def record(inner: bytes = b"", *, attributes: bytes = b"", identifier: bytes = b"urn:x:bomb") -> bytes:
    """A record of ISO 19139 with something in it."""
    return (
        b'<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"'
        b' xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink"' + attributes + b">"
        b"<gmd:fileIdentifier><gco:CharacterString>" + identifier + b"</gco:CharacterString></gmd:fileIdentifier>"
        + inner + b"</gmd:MD_Metadata>"
    )  # fmt: skip


def abstract(text: bytes) -> bytes:
    return record(
        b"<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:abstract><gco:CharacterString>" + text
        + b"</gco:CharacterString></gmd:abstract></gmd:MD_DataIdentification></gmd:identificationInfo>"
    )  # fmt: skip


def thesaurus(texts: bytes) -> bytes:
    return record(
        b"<gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:thesaurusName><gmd:CI_Citation><gmd:title>WMO" + texts
        + b"</gmd:title></gmd:CI_Citation></gmd:thesaurusName></gmd:MD_Keywords></gmd:descriptiveKeywords>"
    )  # fmt: skip


def nested(start: bytes, end: bytes, inner: bytes, depth: int = 100) -> bytes:
    return record(start * depth + inner + end * depth)


def declarations(prefixes: int, levels: int) -> bytes:
    """Elements in one another, each with namespaces and an attribute of each, and many elements within them all."""
    starts = (
        b"".join(b' xmlns:p%d="u:%d" p%d:a=""' % (number, level, number) for number in range(prefixes))
        for level in range(levels)
    )
    return record(b"".join(b"<a" + each + b">" for each in starts) + b"<b/>" * 90_000 + b"</a>" * levels)


def utf16(text: bytes) -> bytes:
    return ('\ufeff<?xml version="1.0" encoding="utf-16"?>' + text.decode()).encode("utf-16-le")


def encoded(name: str, text: bytes) -> bytes:
    return b'<?xml version="1.0" encoding="%b"?>' % name.encode() + abstract(text)


_EXTENT = b"<gmd:EX_TemporalExtent><gmd:extent>", b"</gmd:extent></gmd:EX_TemporalExtent>"
_KEYWORD = b"<gmd:MD_Keywords><gmd:keyword>", b"</gmd:keyword></gmd:MD_Keywords>"
_TITLE = (
    b"<gmd:MD_Keywords><gmd:thesaurusName><gmd:c><gmd:title>",
    b"</gmd:title></gmd:c></gmd:thesaurusName></gmd:MD_Keywords>",
)
_BOX = (
    b"<gmd:EX_GeographicBoundingBox><gmd:westBoundLongitude>",
    b"</gmd:westBoundLongitude></gmd:EX_GeographicBoundingBox>",
)

RECORDS: dict[str, Shape] = {
    "attributes, 448 kB": lambda _: record(attributes=of(' a%=""', 448_000)),
    "attributes of the root": lambda size: record(attributes=of(' a%=""', size)),
    "namespaces of the root": lambda size: record(attributes=of(' xmlns:p%="u:%"', size)),
    "namespaces and attributes of the root": lambda size: record(attributes=of(' xmlns:p%="u:%" p%:a=""', size)),
    "attributes of an element": lambda size: record(b"<x" + of(' a%=""', size) + b"/>"),
    "wide elements": lambda size: record((b"<x" + of(' a%=""', 1900) + b"/>") * (size // 1900)),
    "elements with namespaces": lambda size: record((b"<x" + of(' xmlns:p%="u:%"', 4000) + b"/>") * (size // 4000)),
    "empty elements": lambda size: record(of("<a/>", size)),
    "elements with an attribute": lambda size: record(of('<a b="c"/>', size)),
    "as many elements as may be": lambda _: record(b"<a/>" * 99_000),
    "a relative namespace": lambda _: record(b'<a xmlns="rel">' + b'<a b="c"/>' * 90_000 + b"</a>"),
    "different names": lambda size: record(of("<a%/>", size // 10)),
    "a long name": lambda size: record(b"<" + b"a" * size + b"/>"),
    "long names": lambda size: record((b"<" + b"a" * 49_000 + b"/>") * (size // 49_000)),
    "long names of attributes": lambda size: record(
        (b"<a" + b"".join(b" " + b"n" * 3_800 + b'%d=""' % number for number in range(200)) + b"/>") * (size // 760_000)
    ),
    "depth": lambda size: record(of("<a>", size)),
    "depth and width": lambda _: nested(b"<a>", b"</a>", b"<b/>" * 90_000, 240),
    "namespaces in depth": lambda _: declarations(1, 240),
    "namespaces in depth and width": lambda _: declarations(110, 200),
    "one prefix declared again and again": lambda size: record(of('<a xmlns:p="1"><b xmlns:p="2"/></a>', size // 5)),
    "text": lambda size: abstract(of("word ", size)),
    "text that is not ASCII": lambda size: abstract(of("äöü ", size)),
    "references in text": lambda size: abstract(of("&lt;", size)),
    "references to characters": lambda size: abstract(of("&#65;", size)),
    "ends of lines": lambda size: abstract(of("\r\n", size)),
    "references in an attribute": lambda size: record(b'<x a="' + of("&lt;", size) + b'"/>'),
    "ends of lines in an attribute": lambda size: record(b'<x a="' + of("\n", size) + b'"/>'),
    "blanks in a tag": lambda size: record(b"<x" + b" " * size + b"/>"),
    "comments": lambda size: record(of("<!---->", size)),
    "a comment": lambda size: record(b"<!--" + b"x" * size + b"-->"),
    "comments in a text": lambda _: record(b"a<!---->" * 90_000),
    "instructions": lambda size: record(of("<?a?>", size)),
    "an instruction": lambda size: record(b"<?a " + b"x" * size + b"?>"),
    "CDATA sections": lambda size: record(of("<![CDATA[a]]>", size)),
    "a CDATA section": lambda size: abstract(b"<![CDATA[" + of("a&b ", size) + b"]]>"),
    "what looks like tags in a CDATA section": lambda _: b"<x><![CDATA[" + b"<" * 90_000 + b"]]></x>",
    "blanks": lambda size: record(b" " * size),
    "blanks between elements": lambda _: record((b"<a/>" + b" " * 190) * 49_000),
    "blanks before": lambda size: b" " * size + record(),
    "blanks alone": lambda size: b" " * size,
    "comments before": lambda size: of("<!-- -->", size) + record(),
    "blanks after": lambda size: record() + b" " * size,
    "comments after": lambda size: record() + of("<!---->", size),
    "something after many elements": lambda _: record(b"<a/>" * 90_000) + b"<?x?>",
    "a long identifier": lambda size: record(identifier=of("a b", size)),
    "an identifier of percent signs": lambda size: record(identifier=of("%%", 2000 * 10).replace(b"0", b"%")[:size]),
    "nested extents": lambda _: nested(*_EXTENT, b"<gml:beginPosition>2001</gml:beginPosition>" * 45_000),
    "nested keywords": lambda _: nested(*_KEYWORD, b"WMO" + b"<a>t</a>" * 45_000),
    "nested titles of thesauri": lambda _: nested(*_TITLE, b"WMO" + b"<a>t</a>" * 45_000, 60),
    "nested boxes": lambda _: nested(*_BOX, b"<a>t</a>" * 45_000),
    "digits of a box": lambda size: nested(*_BOX, b"9" * size, 1),
    "texts of a thesaurus": lambda _: thesaurus(b"<a>t</a>" * 45_000),
    "addresses in a thesaurus": lambda _: thesaurus(b'<a xlink:href="t"/>t' * 45_000),
    "entities": lambda _: b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">]>' + record(b"&b;"),
    "Latin 1": lambda size: encoded("iso-8859-1", b"\xe4" * size),
    "UTF-16": lambda size: utf16(abstract(b"a" * (size // 2))),
    "UTF-7": lambda size: encoded("utf-7", of("+AGE-", size)),
    "GB 18030": lambda size: encoded("gb18030", b"\x81\x30\x81\x30" * (size // 4)),
    "a long encoding": lambda size: encoded("a" * size, b""),
    "encodings": lambda size: b"<?xml " + of(' encoding=""', size // 10) + record(),
}


def entry(metadata: bytes, identifier: bytes = b"urn:x:bomb", *, about: bytes = b"") -> bytes:
    """An entry of a list."""
    return (
        b"<record><header><identifier>" + identifier + b"</identifier><datestamp>2024-01-01T00:00:00Z</datestamp>"
        b"</header><metadata>" + metadata + b"</metadata>" + about + b"</record>"
    )  # fmt: skip


def answer(
    inner: bytes, verb: str = "ListRecords", *, attributes: bytes = b"", request: bytes = b"<request/>"
) -> bytes:
    """An answer of OAI-PMH."""
    name = verb.encode()
    return (
        b'<?xml version="1.0"?><OAI-PMH xmlns="%b"' % oai.OAI_NS.encode() + attributes
        + b"><responseDate>2024-01-01T00:00:00Z</responseDate>" + request + b"<%b>" % name + inner + b"</%b></OAI-PMH>" % name
    )  # fmt: skip


def entries(number: int, inner: bytes = b"") -> bytes:
    named = (b"urn:x:%d" % each for each in range(number))
    return b"".join(entry(record(inner, identifier=name), name) for name in named)


def broken(content: bytes) -> bytes:
    """A page with a record that is not well-formed."""
    return answer(b"<record>" + content + b"</record>")


_HEADER = "<header><identifier>urn:x:%</identifier><datestamp>2024-01-01T00:00:00Z</datestamp></header>"
_LONG_HEADER = _HEADER.replace("urn:x:", "a b" * 1300)

PAGES: dict[str, Shape] = {
    "small records": lambda _: answer(entries(7900)),
    "records": lambda _: answer(entries(7900, b"<gmd:x>" + b"w " * 400 + b"</gmd:x>")),
    "empty records": lambda size: answer(of("<record/>", size)),
    "records of any kind": lambda size: answer(of("<record><metadata><a/></metadata></record>", size)),
    "namespaces around records": lambda _: answer(entries(7900), attributes=of(' xmlns:p%="u:%"', 3000)),
    "as many namespaces around as may be": lambda _: answer(entries(7900), attributes=of(' xmlns:p%="u:%"', 700)),
    "prefixes in a text": lambda size: answer(entry(abstract(of("xp1:xp2:", size))), attributes=of(' xmlns:p%="u:%"', 700)),
    "namespaces of each record": lambda size: answer(
        (b"<record" + of(' xmlns:p%="u:%"', 3900) + b"><metadata><a/></metadata></record>") * (size // 4000)
    ),
    "attributes around records": lambda size: answer(entry(record()), attributes=of(' a%=""', size)),
    "a large attribute around records": lambda size: answer(
        (entry(record()) + b"<record>&</record>") * 4000, attributes=b' a="' + b"x" * (size // 10) + b'"'
    ),
    "blanks before, 24 MB": lambda _: b" " * 24_000_000 + answer(entry(record())),
    "blanks alone, 24 MB": lambda _: b" " * 24_000_000,
    "comments before": lambda size: of("<!---->\n", size) + answer(entry(record())),
    "blanks after": lambda size: answer(entry(record())) + b"\n" * size,
    "blanks between records": lambda size: answer(entry(record()) + b" " * size + entry(record())),
    "a long token": lambda size: answer(entry(record()) + b"<resumptionToken>" + b"a" * size + b"</resumptionToken>"),
    "tokens": lambda size: answer(entry(record()) + of("<resumptionToken/>", size)),
    "a long completeListSize": lambda _: answer(
        entry(record()) + b'<resumptionToken completeListSize="' + b"9" * 9_000 + b'">a</resumptionToken>'
    ),
    "errors": lambda size: answer(b"", request=of('<error code="x"/>', size)),
    "blanks in identifiers": lambda size: answer(
        (b"<record><header><identifier>x" + b" " * (size // 100) + b"y</identifier></header></record>") * 100
    ),
    "nested provenance": lambda size: answer(
        entry(
            record(),
            about=b'<about><provenance xmlns="%b">' % oai.PROVENANCE_NS.encode()
            + b"<originDescription>" * 230 + b"<baseURL>" + b"x" * size + b"</baseURL>"
            + b"</originDescription>" * 230 + b"</provenance></about>",
        )
    ),
    "abouts of a record": lambda _: answer(entry(record(), about=b'<about><a xmlns="u"/></about>' * 90_000)),
    "abouts of each record": lambda _: answer(entry(record(), about=b'<about><a xmlns="u"/></about>' * 9) * 7900),
    "elements in an about": lambda size: answer(entry(record(), about=b"<about>" + of('<a xmlns="u"/>', size) + b"</about>")),
    "elements beside the record": lambda size: answer(entry(of("<a/>", size // 2))),
    "elements named metadata": lambda size: answer(entry(of("<metadata/>", size))),
    "a record named metadata": lambda size: answer(entry(b'<metadata xmlns="u">' + of("<a/>", size // 3) + b"</metadata>")),
    "a record of 100 MB": lambda size: beside_a_good_record(abstract(of("word ", 10 * size))),
    "broken, beside good ones": lambda _: answer(entries(3990) + b"<record>&</record>"),
    "broken records": lambda size: answer(of("<record>&</record>", size)),
    "broken: headers": lambda size: broken(b"&" + of("<header>", size)),
    "broken: identifiers": lambda size: broken(of("<identifier ", size)),
    "broken: verbs": lambda size: b"<OAI-PMH>" + of("<ListRecords ", size) + b"</OAI-PMH>",
    "broken: ampersands": lambda size: broken(of("&", size)),
    "broken: references": lambda size: broken(b"&" + of("&#1;", size)),
    "broken: bytes": lambda size: broken(b"a\xff" * (size // 2)),
    "broken: controls": lambda size: broken(b"a\x01" * (size // 2)),
    "broken: comments": lambda size: broken(of("<!--", size)),
    "broken: CDATA sections": lambda size: broken(of("<![CDATA[", size)),
    "broken: instructions": lambda size: broken(of("<?", size)),
    "broken: tags": lambda size: broken(of("<", size)),
    "broken: attributes": lambda size: broken(b'<a b="' + of(" c=", size)),
    "broken: an identifier": lambda size: broken(b"<identifier>" + of("&amp;", size) + b"</identifier>"),
    "encodings": lambda size: b"<?xml " + of(' encoding=""', size // 10) + answer(b""),
    "Windows-1252": lambda size: b'<?xml version="1.0" encoding="windows-1252"?>' + answer(entry(abstract(b"\x80" * size))),
    "empty headers": lambda size: answer(of("<header/>", size), "ListIdentifiers"),
    "headers": lambda size: answer(of(_HEADER, size), "ListIdentifiers"),
    "headers with long identifiers": lambda size: answer(of(_LONG_HEADER, size), "ListIdentifiers"),
    "sets of a header": lambda size: answer(
        b"<header><identifier>a</identifier>" + of("<setSpec/>", size) + b"</header>", "ListIdentifiers"
    ),
    "sets": lambda size: answer(of("<set/>", size), "ListSets"),
    "named sets": lambda size: answer(of("<set><setSpec>a%</setSpec><setName>b</setName></set>", size // 3), "ListSets"),
    "friends": lambda size: answer(
        b'<description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/">'
        + of("<baseURL>http://a%/</baseURL>", size) + b"</friends></description>", "Identify",
    ),
}  # fmt: skip


def beside_a_good_record(bomb: bytes) -> bytes:
    """A page with a bomb and a good record after it."""
    return answer(entry(bomb) + entry(record(identifier=GOOD.encode()), GOOD.encode()))


_PIECES = (
    "<a/>", '<a b="c">', "</a>", "<p:a xmlns:p='u%'>", "</p:a>", ' x%="1"', " ", "\n\t", "&amp;", "&#65;", "&", "%", "word ",
    "<!--", "-->", "<![CDATA[", "]]>", "<?a ", "?>", "<gmd:MD_Keywords>", "<gmd:keyword>", "<record>", "</record>", "<about>",
    "<metadata>", "<header>", "<identifier>", "</identifier>", "\u00e4", "<", ">", '"', "'", "=", "xmlns=", "urn:",
)  # fmt: skip


def mixture(seed: int, size: int) -> bytes:
    """Pieces of XML in an order that the seed decides: a few pieces, many times, at several depths."""
    choice = random.Random(seed)
    text = b""
    while len(text) < size:
        unit = "".join(choice.choices(_PIECES, k=choice.randint(1, 4)))
        text += of(unit, choice.choice((100, 10_000, 300_000, size // 3)))
    return text[:size]
