"""The built-in metadata formats: prefix, schema, namespace and the function that disseminates a record. No queries.

`formats.supported` adds the formats that operators have uploaded, and when each format last changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from catalogue import oai
from catalogue.documents import dcat, dublin_core
from catalogue.documents.rdf import PREFIXES


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format that this node serves (the harvester's `Format` is one that a remote provider lists).

    `disseminate(payload, identifier)` returns the bytes of one element that declares its own namespaces (P48); None, only
    if the format is not `certain`, where the record is not available in it (P66). No record has a datestamp before
    `changed` in this format (P93). In a `withdrawn` format every record is deleted (P87).
    """

    prefix: str
    schema: str
    namespace: str
    disseminate: Callable[[bytes, str], bytes | None]
    changed: datetime | None = None
    withdrawn: bool = False
    certain: bool = True
    altered: bool = True  # compared with the stored record (P124)


DCAT_AP = "dcat_ap"


def _as_stored(payload: bytes, _identifier: str) -> bytes:
    """Return the payload unchanged, with its xsi:schemaLocation (P65)."""
    return payload


FORMATS = {
    built_in.prefix: built_in
    for built_in in (
        Format(oai.ISO19139, oai.GMD_SCHEMA, oai.GMD_NS, _as_stored, altered=False),  # P62, W2
        Format(oai.OAI_DC, oai.OAI_DC_SCHEMA, oai.OAI_DC_NS, dublin_core.to_oai_dc),  # P61
        Format(DCAT_AP, dcat.RDF_SCHEMA, PREFIXES["rdf"], dcat.to_rdf_xml),
    )
}
ALIAS = Format(oai.ISO19139.upper(), oai.GMD_SCHEMA, oai.GMD_NS, _as_stored, altered=False)
# P60: prefixes that no uploaded format may have, in upper or lower case.
RESERVED = frozenset({oai.ISO19139, oai.OAI_DC, DCAT_AP, "all"})
