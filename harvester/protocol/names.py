"""Key the records of a provider that names them otherwise than by gmd:fileIdentifier. No network, no database.

A link may take the identifiers of headers for names that only this provider uses (`Identifiers.FILE`). Then the key of a
live entry is the OAI identifier of its gmd:fileIdentifier. A deletion, or a header by itself, has the name alone: its key is
the name after a blank, which no OAI identifier begins with, until the link's table says what the name means.
"""

from catalogue import oai
from catalogue.documents import iso19139, xml_tree
from harvester.header import unknown_key
from harvester.protocol.answers import ReceivedEntry


def identify(entry: ReceivedEntry) -> ReceivedEntry:
    """Return the entry with the key of its gmd:fileIdentifier; with that of an unknown name if it has none that is usable."""
    header = entry.header
    if not header.identifier:
        return entry
    file_identifier = "" if header.deleted or entry.fault else _file_identifier(entry)
    key = oai.oai_identifier(file_identifier) if file_identifier else unknown_key(header.identifier)
    return entry._replace(header=header._replace(key=key), file_identifier=file_identifier)


def _file_identifier(entry: ReceivedEntry) -> str:
    if entry.stored is not None:
        return entry.stored.identifier
    if entry.metadata is None or len(entry.metadata) > xml_tree.MAX_RECORD_BYTES:
        return ""
    try:
        return iso19139.identifier_of(xml_tree.parse(entry.metadata) if entry.root is None else entry.root)
    except xml_tree.Unusable:
        return ""
