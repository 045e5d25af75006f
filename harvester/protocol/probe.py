"""Ask a provider what it is and what it offers, storing nothing ("retrieve info", H1)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from catalogue import oai
from catalogue.documents import iso19139, xml_tree
from harvester.errors import BrokenReply, HarvestError
from harvester.models import Link
from harvester.net import client
from harvester.net.client import Access
from harvester.protocol import answers
from harvester.protocol.conversation import Conversation

MAX_SET_PAGES = 100  # chosen


@dataclass(frozen=True, slots=True)
class Sample:
    """A record of the provider: the first one that is live, or why there is none (`fault`)."""

    identifier: str = ""
    datestamp: str = ""
    title: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a provider says of itself. `skew_s`: its clock minus ours, in seconds; `sets_fault`: why `sets` is empty.

    `moved_to`: the base URL that a permanent redirect names. `warnings`: how it deviates from the protocol.
    """

    identity: answers.Identity
    formats: list[answers.Format]
    sets: list[answers.RemoteSet]
    sets_fault: str
    skew_s: float
    sample: Sample = field(default_factory=Sample)
    moved_to: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def iso_prefix(self) -> str:
        """The prefix under which ISO 19139 is offered, however it is spelled: by its namespace (F48, W2); or ""."""
        alike = answers.iso_prefixes(self.formats)
        return oai.ISO19139 if oai.ISO19139 in alike else next(iter(alike), "")

    def faults(self, prefix: str, remote_set: str) -> list[str]:
        """Why a link with this prefix and set would not work: sentences (H2, H17, F48)."""
        found = []
        offered = [item.prefix for item in self.formats]
        if prefix not in offered:
            alike = answers.iso_prefixes(self.formats)
            hint = f"; ISO 19139 is called {', '.join(alike)} there" if alike else ""
            found.append(f"The provider does not offer the prefix {prefix!r}; it offers {', '.join(offered)}{hint}.")
        specs = [item.spec for item in self.sets]
        if remote_set and not self.sets_fault and remote_set not in specs:
            found.append(f"The provider does not list the set {remote_set!r}; it lists {', '.join(specs) or 'none'}.")
        if remote_set and self.sets_fault:
            found.append(f"The provider does not list its sets: {self.sets_fault}")
        return found


def retrieve_info(base_url: str, *, remote_set: str = "", access: Access | None = None) -> Offer:
    """Identify, formats, sets and a sample record of a provider. Raises HarvestError if it does not tell what it is."""
    with client.new_session(access) as session:
        provider = Conversation(session, base_url, limits=client.INTERACTIVE_LIMITS)
        identity = provider.identify()
        skew_s = (identity.response_date - datetime.now(UTC)).total_seconds()
        formats = provider.formats()
        sets, fault = _sets(provider)
        offer = Offer(identity, formats, sets, fault, skew_s)
        sample = _sample(provider, offer.iso_prefix, remote_set)
    warnings = provider.warnings + _doubts(identity, base_url)
    return Offer(identity, formats, sets, fault, skew_s, sample, provider.moved_to, warnings)


def set_state(provider: Conversation, remote_set: str) -> Link.SetState:
    """Whether the provider lists a set: all pages are read, as an unknown set and an empty one answer alike (H17)."""
    sets, fault, codes = _all_sets(provider)
    if remote_set in {item.spec for item in sets}:
        return Link.SetState.LISTED
    if "noSetHierarchy" in codes:  # H18
        return Link.SetState.NO_SETS
    return Link.SetState.NOT_TOLD if fault else Link.SetState.MISSING


def _sets(provider: Conversation) -> tuple[list[answers.RemoteSet], str]:
    """The sets on offer; or none, and why."""
    sets, fault, _ = _all_sets(provider)
    return sets, fault


def _all_sets(provider: Conversation) -> tuple[list[answers.RemoteSet], str, frozenset[str]]:
    """The sets of all pages; why there are no more, and the codes of that error."""
    sets: list[answers.RemoteSet] = []
    token = None
    try:
        for _ in range(MAX_SET_PAGES):
            some, token = provider.sets(token)
            sets += some
            if token is None:
                return sets, "", frozenset()
        raise BrokenReply(f"ListSets did not end after {MAX_SET_PAGES} pages")
    except HarvestError as exc:
        return sets, str(exc), exc.codes


def _sample(provider: Conversation, prefix: str, remote_set: str) -> Sample:
    """The first live record of the first page, read as a harvest would read it."""
    if not prefix:
        return Sample(fault="ISO 19139 is not on offer")
    arguments = {"verb": "ListRecords", "metadataPrefix": prefix} | ({"set": remote_set} if remote_set else {})
    try:
        page = provider.page(arguments)
    except HarvestError as exc:
        return Sample(fault=str(exc))
    for received in page.entries:
        header = received.entry.header
        if header.deleted:
            continue
        if received.fault or received.entry.metadata is None:
            return Sample(header.identifier, header.datestamp, fault=received.fault or "it has no metadata")
        try:
            said = iso19139.read(received.entry.metadata)
        except xml_tree.Unusable as exc:
            return Sample(header.identifier, header.datestamp, fault=f"the record {exc}")
        differs = oai.identifier_key(said.identifier) != oai.identifier_key(header.identifier)  # W3
        fault = f"its gmd:fileIdentifier is {said.identifier!r}, not the identifier of its header" if differs else ""
        return Sample(header.identifier, header.datestamp, said.title, fault)
    return Sample(fault="the first page has no live record" if page.entries else "there is no record")


def _doubts(identity: answers.Identity, base_url: str) -> tuple[str, ...]:
    """What Identify says that an operator should know (F49, F82)."""
    found = []
    if identity.base_url and identity.base_url.rstrip("/") != base_url.rstrip("/"):
        found.append(f"The provider gives its base URL as {identity.base_url}.")
    if identity.protocol_version.startswith("1."):
        found.append(f"The provider speaks OAI-PMH {identity.protocol_version}: days only, no sets in headers.")
    return tuple(found)
