"""Define what provider and harvester share: namespaces, identifiers, setSpecs, Header and Entry. No Django, no I/O."""

import re
import string
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
_ENCODED = re.compile(f"{_NOT_IN_URI.pattern}|{_WHITE_SPACE.pattern}")
# What nearly every identifier is: a scheme and characters that are right wherever they stand. For speed.
_PLAIN_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:(?!//)[A-Za-z0-9\-._~:@!$&'()*+,;=/?]*")
_DELIMITER = re.compile(r"[/?#]")
_HOST_AND_PORT = re.compile(r"[^:]*:[0-9]{1,5}")
# Identifiers whose case means nothing: `urn:`, and UUIDs, also in braces.
CASELESS = re.compile(
    r"urn:.*|(?:%7B)?[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}(?:%7D)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
MAX_IDENTIFIER_BYTES = 2000  # chosen: fits an index row of PostgreSQL (2,704 bytes)
# The policy in Identify by which nodes of this software know one another, and that they keep promise 1 (P147).
SOFTWARE = "gisc-catalogue-node"
# How the harvesters of this software name themselves in their User-Agent, with a version after it (H3).
USER_AGENT = "GISC-catalogue-node"
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
    """Return why `text` is no URI, so that it cannot be an OAI identifier as it is; None if it can be one (P68)."""
    if not text:
        return Reason(ReasonCode.IDENTIFIER_EMPTY)
    if len(text) > MAX_IDENTIFIER_BYTES:  # before anything that looks at each character
        return _length_fault(text)
    if _PLAIN_URI.fullmatch(text):
        return None
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
    if rest.startswith("//") and _authority_is_wrong(_DELIMITER.split(rest[2:], maxsplit=1)[0]):
        return Reason(ReasonCode.IDENTIFIER_HOST)
    return _length_fault(text)


def _length_fault(text: str) -> Reason | None:
    if len(text.encode(errors="replace")) > MAX_IDENTIFIER_BYTES:
        return Reason(ReasonCode.IDENTIFIER_TOO_LONG, {"limit": MAX_IDENTIFIER_BYTES})
    return None


def _authority_is_wrong(authority: str) -> bool:
    host = authority.rsplit("@", 1)[-1]
    return authority.count("@") > 1 or (":" in host and not _HOST_AND_PORT.fullmatch(host))


def file_identifier_fault(text: str) -> Reason | None:
    """Return why no record can have this gmd:fileIdentifier; None if one can. It need not be a URI (P68)."""
    fault = identifier_fault(text)
    if fault is None or not text or fault.code == ReasonCode.IDENTIFIER_TOO_LONG:
        return fault
    return (
        Reason(ReasonCode.IDENTIFIER_CONTROL_CHARACTER) if NOT_XML.search(text) else _length_fault(oai_identifier(text))
    )


def oai_identifier(file_identifier: str) -> str:
    """Return the OAI identifier for a gmd:fileIdentifier: the same, or, if that is no URI, percent-encoded (P68).

    The space around it is dropped. What is a URI stays as it is, so that this is its own OAI identifier.
    """
    text = file_identifier.strip()
    if not text or len(text) > MAX_IDENTIFIER_BYTES or _PLAIN_URI.fullmatch(text):  # the longer ones are never stored
        return text
    text = _BAD_ESCAPE.sub("%25", text)
    text = _ENCODED.sub(_percent_encoded, text)
    before, mark, fragment = text.partition("#")
    text = before + mark + fragment.replace("#", "%23")
    path_at = found.start() if (found := _DELIMITER.search(text)) else len(text)
    first, rest = text[:path_at], text[path_at:]
    scheme, colon, opaque = first.partition(":")
    if colon and not _SCHEME.fullmatch(scheme):
        return first.replace(":", "%3A") + rest
    if opaque or not (rest if colon else text).startswith("//"):
        return text
    authority_at = len(first) + 2
    end = found.start() if (found := _DELIMITER.search(text, authority_at)) else len(text)
    authority = text[authority_at:end]
    if _authority_is_wrong(authority):
        user, at, host = authority.rpartition("@")
        host = host if _HOST_AND_PORT.fullmatch(host) else host.replace(":", "%3A")
        authority = user.replace("@", "%40") + at + host
    return text[:authority_at] + authority + text[end:]


def folded(key: str) -> str | None:
    """Return what all spellings of an OAI identifier share, if their case means nothing, else None (F74).

    It means nothing in `urn:` and in UUIDs, also in braces, and there for ASCII letters only.
    """
    return key.translate(_LOWER) if CASELESS.fullmatch(key) else None


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode(errors="surrogatepass"))


def is_identifier(text: str) -> bool:
    """Whether `text` may be an OAI identifier (P68)."""
    return identifier_fault(text) is None


def is_own_software(user_agent: str) -> bool:
    """Whether a harvester is one of this software, in any version, by its User-Agent. It proves nothing (G13)."""
    return f"{USER_AGENT}/" in user_agent


def promise_urn(version: str) -> str:
    """Return the name of promise 1, as this version of the software keeps it (P147)."""
    return f"urn:{SOFTWARE}:{version}:promise:1"


def is_promise(text: str) -> bool:
    """Whether this is the name of promise 1, in any version of the software."""
    return _PROMISE.fullmatch(text) is not None
