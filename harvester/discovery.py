"""Ask a provider what it is and what it offers, storing nothing ("retrieve info", H1)."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from catalogue import oai
from harvester import client, parse
from harvester.errors import BrokenReply, HarvestError

MAX_SET_PAGES = 100  # chosen


@dataclass(frozen=True, slots=True)
class Offer:
    """What a provider says of itself. `skew_s`: its clock minus ours, in seconds; `sets_fault`: why `sets` is empty."""

    identity: parse.Identity
    formats: list[parse.Format]
    sets: list[parse.RemoteSet]
    sets_fault: str
    skew_s: float

    def faults(self, prefix: str, remote_set: str) -> list[str]:
        """Why a link with this prefix and set would not work: sentences (H2, H17, fault catalogue 48)."""
        found = []
        offered = [item.prefix for item in self.formats]
        if prefix not in offered:
            alike = [f.prefix for f in self.formats if f.namespace in (oai.GMD_NS, oai.GMI_NS)]
            hint = f"; ISO 19139 is called {', '.join(alike)} there" if alike else ""
            found.append(f"The provider does not offer the prefix {prefix!r}; it offers {', '.join(offered)}{hint}.")
        specs = [item.spec for item in self.sets]
        if remote_set and not self.sets_fault and remote_set not in specs:
            found.append(f"The provider does not list the set {remote_set!r}; it lists {', '.join(specs) or 'none'}.")
        if remote_set and self.sets_fault:
            found.append(f"The provider does not list its sets: {self.sets_fault}")
        return found


def look(base_url: str) -> Offer:
    """Identify, ListMetadataFormats and ListSets of a provider. Raises HarvestError."""
    with client.new_session() as session:
        fetch = partial(client.get, session, base_url, limits=client.INTERACTIVE_LIMITS)
        identity = parse.identify(fetch({"verb": "Identify"}).body)
        skew_s = (identity.response_date - datetime.now(UTC)).total_seconds()
        formats = parse.formats(fetch({"verb": "ListMetadataFormats"}).body)
        sets: list[parse.RemoteSet] = []
        fault = ""
        try:
            arguments = {"verb": "ListSets"}
            for _ in range(MAX_SET_PAGES):
                some, token = parse.sets(fetch(arguments).body)
                sets += some
                if token is None:
                    break
                arguments = {"verb": "ListSets", "resumptionToken": token}
            else:
                raise BrokenReply(f"ListSets did not end after {MAX_SET_PAGES} pages")
        except HarvestError as exc:
            fault = str(exc)
    return Offer(identity, formats, sets, fault, skew_s)
