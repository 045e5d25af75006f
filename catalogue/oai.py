"""Define what provider and harvester share: namespaces, identifiers, setSpecs, Header and Entry. No Django, no I/O."""

import re
from typing import NamedTuple

from catalogue.reasons import Reason, ReasonCode

OAI_NS = "http://www.openarchives.org/OAI/2.0/"
OAI_SCHEMA = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
OAI_DC_NS = "http://www.openarchives.org/OAI/2.0/oai_dc/"
OAI_DC_SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
PROVENANCE_NS = "http://www.openarchives.org/OAI/2.0/provenance"
PROVENANCE_SCHEMA = "http://www.openarchives.org/OAI/2.0/provenance.xsd"
RIGHTS_NS = "http://www.openarchives.org/OAI/2.0/rights/"
RIGHTS_SCHEMA = "http://www.openarchives.org/OAI/2.0/rights.xsd"
XSI_NS = "http://www.w3.org/2001/XMLSchema-instance"
GMD_NS = "http://www.isotc211.org/2005/gmd"
GMI_NS = "http://www.isotc211.org/2005/gmi"
GMD_SCHEMA = "http://www.isotc211.org/2005/gmd/gmd.xsd"
EPRINTS_NS = "http://www.openarchives.org/OAI/1.1/eprints"
EPRINTS_SCHEMA = "http://www.openarchives.org/OAI/1.1/eprints.xsd"

ISO19139 = "iso19139"  # W2: this spelling
OAI_DC = "oai_dc"  # P61
CATALOGUE_SET = "WIS-CATALOGUE"  # W1: the union of all sets

_SPEC_PART = r"[A-Za-z0-9\-_.!~*'()]+"
SET_SPEC = re.compile(rf"{_SPEC_PART}(?::{_SPEC_PART})*")  # P72
PREFIX = re.compile(_SPEC_PART)  # P60

# P68: characters that no URI has, bad escapes, schemes, and the host part after `//`.
_NOT_IN_URI = re.compile('[\x00-\x20\x7f-\xa0"<>\\\\^{|}`\\[\\]\ud800-\udfff\ufffe\uffff]')
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")
_WHITE_SPACE = re.compile(r"\s")
_DELIMITER = re.compile(r"[/?#]")
_HOST_AND_PORT = re.compile(r"[^:]*:[0-9]{1,5}")
MAX_IDENTIFIER_BYTES = 2000  # chosen: case-folded it still fits an index row of PostgreSQL (2,704 bytes)
# The policy in Identify by which nodes of this software know one another, and that they keep promise 1 (P147).
SOFTWARE = "gisc-catalogue-node"
_PROMISE = re.compile(rf"urn:{SOFTWARE}:([^\s:]+):promise:1")
# What XML 1.0 cannot carry (P7).
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Header(NamedTuple):
    """Identifier, datestamp, setSpecs and status (OAI-PMH 2.5), as they are served.

    `datestamp` is the text of the element: ours always in seconds, a remote one as received (P125).
    """

    identifier: str
    datestamp: str
    set_specs: tuple[str, ...] = ()
    deleted: bool = False


class Entry(NamedTuple):
    """A header with the rest of a record: the metadata's root element and the abouts.

    `metadata` is UTF-8 bytes of one element without XML declaration; None for a deleted entry (P83) and
    for a ListIdentifiers entry.
    """

    header: Header
    metadata: bytes | None = None
    about: tuple[bytes, ...] = ()


def is_set_spec(text: str) -> bool:
    """Whether `text` is a valid setSpec (P72)."""
    return SET_SPEC.fullmatch(text) is not None


def identifier_fault(text: str) -> Reason | None:
    """Return why `text` cannot be an OAI identifier; None if it can be one (P68).

    The same function is used when a record is stored and when an argument is read, so that every stored record can be
    requested.
    """
    if not text:
        return Reason(ReasonCode.IDENTIFIER_EMPTY)
    forms = (text,) if text.isascii() else (text, identifier_key(text))  # of ASCII the key is as long
    if max(len(form.encode(errors="replace")) for form in forms) > MAX_IDENTIFIER_BYTES:
        return Reason(ReasonCode.IDENTIFIER_TOO_LONG, {"limit": MAX_IDENTIFIER_BYTES})
    if _WHITE_SPACE.search(text):
        return Reason(ReasonCode.IDENTIFIER_WHITE_SPACE)
    wrong = sorted(set(_NOT_IN_URI.findall(text)))
    if wrong and all(char.isprintable() for char in wrong):
        return Reason(ReasonCode.IDENTIFIER_CHARACTERS, {"characters": " ".join(wrong)})
    if wrong:
        return Reason(ReasonCode.IDENTIFIER_CONTROL_CHARACTER)
    if _BAD_ESCAPE.search(text):
        return Reason(ReasonCode.IDENTIFIER_ESCAPE)
    if text.count("#") > 1:
        return Reason(ReasonCode.IDENTIFIER_FRAGMENTS)
    rest = text
    if ":" in _DELIMITER.split(text, maxsplit=1)[0]:
        scheme, rest = text.split(":", 1)
        if not _SCHEME.fullmatch(scheme):
            return Reason(ReasonCode.IDENTIFIER_SCHEME, {"scheme": scheme})
    if rest.startswith("//"):
        authority = _DELIMITER.split(rest[2:], maxsplit=1)[0]
        host = authority.rsplit("@", 1)[-1]
        if authority.count("@") > 1 or (":" in host and not _HOST_AND_PORT.fullmatch(host)):
            return Reason(ReasonCode.IDENTIFIER_HOST)
    return None


def is_identifier(text: str) -> bool:
    """Whether `text` may be an OAI identifier (P68)."""
    return identifier_fault(text) is None


def identifier_key(identifier: str) -> str:
    """Return the key that two spellings of one identifier share: trimmed and case-folded (F74)."""
    return identifier.strip().casefold()


def promise_urn(version: str) -> str:
    """Return the name of promise 1, as this version of the software keeps it (P147)."""
    return f"urn:{SOFTWARE}:{version}:promise:1"


def is_promise(text: str) -> bool:
    """Whether this is the name of promise 1, in any version of the software."""
    return _PROMISE.fullmatch(text) is not None
