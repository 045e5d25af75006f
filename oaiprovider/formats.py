"""metadataPrefix -> schema, namespace and the function that disseminates a record in it. No queries.

A format added here is announced, listed and served; nothing else names one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from catalogue import oai
from oaiprovider import crosswalk


@dataclass(frozen=True, slots=True)
class Format:
    """`disseminate(payload, identifier)` gives the bytes of one element that declares its own namespaces (P48)."""

    prefix: str
    schema: str
    namespace: str
    disseminate: Callable[[bytes, str], bytes]


def _as_stored(payload: bytes, _identifier: str) -> bytes:
    """design.md, reading path: the payload is stored as it goes out. Its xsi:schemaLocation stays as it is (P65)."""
    return payload


FORMATS = {
    known.prefix: known
    for known in (
        Format(oai.ISO19139, oai.GMD_SCHEMA, oai.GMD_NS, _as_stored),  # P62, W2
        Format("oai_dc", oai.OAI_DC_SCHEMA, oai.OAI_DC_NS, crosswalk.to_oai_dc),  # P61
    )
}
