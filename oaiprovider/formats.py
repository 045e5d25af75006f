"""metadataPrefix -> schema, namespace and the function that disseminates a record in it. No queries.

A format added here is announced, listed and served, to everybody or to those whose profile asks for it (G8).
"""

from collections.abc import Callable, Container
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
FOR_EVERYBODY = (oai.ISO19139, "oai_dc")  # G9, W2


def served(further: Container[str]) -> dict[str, Format]:
    """The formats of a harvester: those for everybody, and of the others the `further` ones."""
    return {prefix: known for prefix, known in FORMATS.items() if prefix in FOR_EVERYBODY or prefix in further}
