"""Another centre that harvests a node: its own code (Sickle), and its copy a dict."""

from sickle import Sickle
from sickle.oaiexceptions import NoRecordsMatch

from catalogue.oai import USER_AGENT
from tests.support.canonical import canonical_form

OAI = "{http://www.openarchives.org/OAI/2.0/}"
SPEC = "WIS-GISC-TOKYO"


class Harvester:
    """Another centre's: its own code, its copy a dict, its next `from` of one of the two kinds that there are.

    It names itself as this software does, and so is told that a record has left its set, though it lives in another (P75).
    """

    def __init__(self, base_url: str, *, by_largest_datestamp: bool, spec: str = SPEC) -> None:
        self._client = Sickle(base_url, headers={"User-Agent": f"{USER_AGENT}/other"})
        self._spec = spec
        self._by_largest_datestamp = by_largest_datestamp
        self._next: str | None = None
        self.copy: dict[str, bytes | None] = {}  # canonical metadata; None: deleted

    def visit(self) -> int:
        """One incremental harvest; how many records it brought."""
        arguments = {"metadataPrefix": "iso19139", "set": self._spec} | ({"from": self._next} if self._next else {})
        try:
            records = self._client.ListRecords(**arguments)
        except NoRecordsMatch:
            return 0
        response_date, largest, received = records.oai_response.xml.findtext(f"{OAI}responseDate"), "", 0
        for record in records:
            received += 1
            largest = max(largest, record.header.datestamp)
            metadata = None if record.deleted else record.xml.find(f"{OAI}metadata")[0]
            self.copy[record.header.identifier] = None if metadata is None else canonical_form(metadata)
        self._next = largest if self._by_largest_datestamp else response_date
        return received
