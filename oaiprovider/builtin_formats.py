"""metadataPrefix -> schema, namespace and the function that disseminates a record in it. No queries.

Here are the formats that are built in; `supported` adds what operators have uploaded, and when each last changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from catalogue import oai
from oaiprovider import oai_dc


@dataclass(frozen=True, slots=True)
class Format:
    """`disseminate(payload, identifier)` gives the bytes of one element that declares its own namespaces (P48).

    It may give None only where the format is not `certain`: the record is not available in it (P66). No record has a
    datestamp before `changed` in this format (P93). In one that is `withdrawn` every record is deleted (P87).
    """

    prefix: str
    schema: str
    namespace: str
    disseminate: Callable[[bytes, str], bytes | None]
    changed: datetime | None = None
    withdrawn: bool = False
    certain: bool = True
    altered: bool = True  # against the record as it is stored (P124)


def _as_stored(payload: bytes, _identifier: str) -> bytes:
    """The payload is stored as it goes out. Its xsi:schemaLocation stays as it is (P65)."""
    return payload


FORMATS = {
    known.prefix: known
    for known in (
        Format(oai.ISO19139, oai.GMD_SCHEMA, oai.GMD_NS, _as_stored, altered=False),  # P62, W2
        Format(oai.OAI_DC, oai.OAI_DC_SCHEMA, oai.OAI_DC_NS, oai_dc.to_oai_dc),  # P61
    )
}
ALIAS = Format(oai.ISO19139.upper(), oai.GMD_SCHEMA, oai.GMD_NS, _as_stored, altered=False)
# P60: what no uploaded format may be called, in any spelling.
RESERVED = frozenset({oai.ISO19139, oai.OAI_DC, "all"})
