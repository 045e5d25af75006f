"""What one provider is asked in a run, one question after the other."""

from collections.abc import Mapping

from requests import Session

from catalogue import datestamps, oai
from catalogue.datestamps import Granularity
from harvester import client, parse
from harvester.errors import BrokenReply, Refused


class Conversation:
    """Questions to one provider, in turn. All methods raise HarvestError. Not for several threads at once."""

    def __init__(self, session: Session, base_url: str, prefix: str = oai.ISO19139) -> None:
        self._session, self._base_url, self._prefix = session, base_url, prefix
        self._days = False

    def identify(self) -> parse.Identity:
        """Identify."""
        return parse.identify(self._ask({"verb": "Identify"}))

    def page(self, arguments: Mapping[str, str]) -> parse.Page:
        """A page of ListRecords or ListIdentifiers. Seconds that are refused are asked for as days (H7)."""
        try:
            return self._page(arguments)
        except Refused as exc:
            if exc.codes != {"badArgument"} or "T" not in arguments.get("from", "") or self._days:
                raise
            self._days = True
            return self._page(arguments)

    def record(self, identifier: str) -> parse.ReceivedEntry:
        """GetRecord."""
        arguments = {"verb": "GetRecord", "identifier": identifier, "metadataPrefix": self._prefix}
        page = parse.page(self._ask(arguments), continued=False, verb="GetRecord")
        if len(page.entries) != 1:
            raise BrokenReply(f"GetRecord brought {len(page.entries)} records")
        return page.entries[0]

    def _page(self, arguments: Mapping[str, str]) -> parse.Page:
        said = dict(arguments)
        for bound in ("from", "until") if self._days else ():
            if bound in said:
                said[bound] = datestamps.write(datestamps.parse(said[bound])[0], Granularity.DAY)
        return parse.page(self._ask(said), continued="resumptionToken" in said, verb=said["verb"])

    def _ask(self, arguments: Mapping[str, str]) -> bytes:
        return client.get(self._session, self._base_url, arguments).body
