"""Words both sides speak: namespaces, identifiers, setSpecs, Header and Entry. No Django, no I/O."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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

ISO19139 = "iso19139"  # W2: this spelling
OAI_DC = "oai_dc"  # P61
CATALOGUE_SET = "WIS-CATALOGUE"  # W1: the union of all sets

_SPEC_WORD = r"[A-Za-z0-9\-_.!~*'()]+"
SET_SPEC = re.compile(rf"{_SPEC_WORD}(?::{_SPEC_WORD})*")  # P72
PREFIX = re.compile(_SPEC_WORD)  # P60

# P68: what a URI never holds, escapes that are none, schemes, and the host part after `//`.
_NOT_IN_URI = re.compile('[\x00-\x20\x7f-\xa0"<>\\\\^{|}`\\[\\]\ud800-\udfff\ufffe\uffff]')
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")
_HOST_AND_PORT = re.compile(r"[^:]*:[0-9]{1,5}")
MAX_IDENTIFIER_BYTES = 2000  # chosen: case-folded it still fits an index row of PostgreSQL (2,704 bytes)
# What XML 1.0 cannot carry (P7).
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# How much is kept of where a record has been. A way of more steps than there are centres has gone in circles.
MAX_ORIGINS = 16  # chosen
MAX_ORIGIN_CHARS = 16_000  # chosen: all texts of the steps together
# How much is kept of what else is said beside a record (P126).
MAX_ABOUTS = 8  # chosen
MAX_ABOUT_BYTES = 16_000  # chosen: those of one record together


class Header(NamedTuple):
    """Identifier, datestamp, setSpecs and status (OAI-PMH 2.5), as they stand on the wire.

    `datestamp` is the text of the element: ours always in seconds, a remote one as received (P125).
    """

    identifier: str
    datestamp: str
    set_specs: tuple[str, ...] = ()
    deleted: bool = False


class Entry(NamedTuple):
    """A header with what follows it in a record: the metadata's root element and the abouts.

    `metadata` is UTF-8 bytes of one element without XML declaration; None for a deleted entry (P83) and
    for a ListIdentifiers entry.
    """

    header: Header
    metadata: bytes | None = None
    about: tuple[bytes, ...] = ()


class About(NamedTuple):
    """A container that came in an `about`: UTF-8 bytes of one element that stands by itself, and its namespace."""

    namespace: str
    element: bytes


def is_set_spec(text: str) -> bool:
    """Whether `text` fits the setSpec grammar (P72)."""
    return SET_SPEC.fullmatch(text) is not None


def identifier_fault(text: str) -> str | None:
    """Why `text` cannot be an OAI identifier, as the end of a sentence; None if it can be one.

    P68: one function decides, when a record is taken in and when an argument is read, so that everything
    stored can be asked for.
    """
    if not text:
        return "is empty"
    if max(len(form.encode(errors="replace")) for form in (text, identifier_key(text))) > MAX_IDENTIFIER_BYTES:
        return f"is longer than {MAX_IDENTIFIER_BYTES} bytes"
    if re.search(r"\s", text):
        return "contains white space"
    wrong = sorted(set(_NOT_IN_URI.findall(text)))
    if wrong:
        return (
            f"contains {' '.join(wrong)}"
            if all(char.isprintable() for char in wrong)
            else "contains a control character"
        )
    if _BAD_ESCAPE.search(text):
        return "contains a % that two hexadecimal digits do not follow"
    if text.count("#") > 1:
        return "contains more than one #"
    rest = text
    if ":" in re.split(r"[/?#]", text, maxsplit=1)[0]:
        scheme, rest = text.split(":", 1)
        if not _SCHEME.fullmatch(scheme):
            return f"begins with {scheme!r}, which is no URI scheme, before its first colon"
    if rest.startswith("//"):
        authority = re.split(r"[/?#]", rest[2:], maxsplit=1)[0]
        host = authority.rsplit("@", 1)[-1]
        if authority.count("@") > 1 or (":" in host and not _HOST_AND_PORT.fullmatch(host)):
            return "has a host part that is not host or host:port"
    return None


def is_identifier(text: str) -> bool:
    """Whether `text` may be an OAI identifier (P68)."""
    return identifier_fault(text) is None


def identifier_key(identifier: str) -> str:
    """The key that two spellings of one identifier share: trimmed and case-folded (design.md, data model)."""
    return identifier.strip().casefold()


def bounded_way(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The steps of a record's way, latest first, without those in the middle that are too many or too long (P123).

    The latest step, which is ours, and the first one, which names the origin (W33), stay longest.
    """
    kept = list(steps)
    while len(kept) > 1 and (len(kept) > MAX_ORIGINS or _size(kept) > MAX_ORIGIN_CHARS):
        del kept[-2 if len(kept) > 2 else -1]
    return kept


def bounded_abouts(abouts: Iterable[About]) -> tuple[tuple[About, ...], list[str]]:
    """Those that may be passed on (P126), and why others are not, each as the end of a sentence.

    OAI-PMH.xsd has them in a namespace other than its own (P48); of rights there is one package at most, the first.
    """
    kept: list[About] = []
    reasons = []
    for about in abouts:
        if about.namespace in ("", OAI_NS):
            reasons.append("because it is in no namespace of its own")
        elif about.namespace == RIGHTS_NS and any(other.namespace == RIGHTS_NS for other in kept):
            reasons.append("because it is a second package of rights")
        elif len(kept) == MAX_ABOUTS:
            reasons.append(f"because there are more than {MAX_ABOUTS}")
        elif sum(len(one.element) for one in (*kept, about)) > MAX_ABOUT_BYTES:
            reasons.append(f"because the abouts of a record may have {MAX_ABOUT_BYTES} bytes together")
        else:
            kept.append(about)
    return tuple(kept), reasons


def _size(steps: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(value) for step in steps for value in step.values() if isinstance(value, str))
