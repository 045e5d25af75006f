"""Answers of OAI-PMH 1.0 and 1.1 turned into what 2.0 would say (H45, Annex E). lxml only.

What differs: the root is the verb, in a namespace of its own for each verb; the status stands on the record; a
list of identifiers is bare; errors are HTTP 400, and nothing found is an empty list; dates are days.
"""

import re

from lxml import etree

from catalogue import oai

_OAI = f"{{{oai.OAI_NS}}}"
_ROOT = re.compile(r"\{(http://www\.openarchives\.org/OAI/1\.[01]/OAI_\w+)\}\w+")
OVERLAP_DAYS = 2  # Annex E: these providers change days behind the clock


def is_legacy(root: etree._Element) -> bool:
    """Whether this is the root of an answer of protocol 1.0 or 1.1."""
    return _ROOT.fullmatch(str(root.tag)) is not None


def modern(root: etree._Element) -> etree._Element:
    """The answer as an OAI-PMH 2.0 tree."""
    match = _ROOT.fullmatch(str(root.tag))
    assert match is not None
    for element in list(root.iter(f"{{{match.group(1)}}}*")):
        element.tag = _OAI + etree.QName(element).localname
    answer = etree.Element(f"{_OAI}OAI-PMH")
    for name in ("responseDate", "requestURL"):
        told = root.find(f"{_OAI}{name}")
        if told is not None:
            answer.append(told)
    answer.append(root)
    for record in root.iterchildren(f"{_OAI}record"):
        header = record.find(f"{_OAI}header")
        if header is not None and record.get("status") == "deleted":
            header.set("status", "deleted")
    for identifier in list(root.iterchildren(f"{_OAI}identifier")):
        header = etree.SubElement(root, f"{_OAI}header", {"status": identifier.get("status", "")})
        header.append(identifier)
    token = root.find(f"{_OAI}resumptionToken")
    if token is not None:
        root.append(token)
    return answer
