"""Ask a provider what it is and what it offers, and store nothing ("retrieve info", H1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext

from catalogue import oai, seams, validation
from catalogue.documents import iso19139, xml_tree
from harvester import messages
from harvester.errors import BrokenReply, FaultCode, HarvestError
from harvester.header import is_unknown
from harvester.link_rules import Identifiers
from harvester.models import Link
from harvester.net import client
from harvester.net.client import Access
from harvester.net.session import Session
from harvester.protocol import answers, names
from harvester.protocol.conversation import Conversation

MAX_SET_PAGES = 100  # chosen
MAX_SAMPLES = 20  # chosen: records whose identifiers are looked at


@dataclass(frozen=True, slots=True)
class Sample:
    """A record of the provider: the first one that is live, or why there is none (`fault`).

    `identifiers`: what a link to this provider should count as identifier, by the first records; empty if they do not say.
    `structure`: whether it is valid by its XML schema (`Validation.Structure`); `check_faults`: what the checks found.
    """

    identifier: str = ""
    datestamp: str = ""
    title: str = ""
    fault: str = ""
    identifiers: str = ""
    structure: str = ""
    check_faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountLimits:
    """How long an operator waits for the sizes of sets: for so many sets, and so many seconds in all."""

    sets: int = 40  # chosen
    total_s: float = 8  # chosen


@dataclass(frozen=True, slots=True)
class Offer:
    """What a provider is and what it offers.

    `sets_fault`: why `sets` is empty or incomplete. `skew_s`: its clock minus ours, in seconds. `moved_to`: the base
    URL that a permanent redirect names. `warnings`: how the provider deviates from the protocol. `is_compressed`: it
    compresses its answers. `sizes`: how many records are in a set, deleted ones included, where they were counted; "": in
    all sets.
    """

    identity: answers.Identity
    formats: list[answers.Format]
    sets: list[answers.RemoteSet]
    sets_fault: str
    skew_s: float
    sample: Sample = field(default_factory=Sample)
    moved_to: str = ""
    warnings: tuple[str, ...] = ()
    is_compressed: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def iso_prefix(self) -> str:
        """The provider's prefix of ISO 19139, found by its namespace (F48, W2); or ""."""
        prefixes = answers.iso_prefixes(self.formats)
        return oai.ISO19139 if oai.ISO19139 in prefixes else next(iter(prefixes), "")

    def faults(self, prefix: str, remote_set: str, identifiers: str = Identifiers.HEADER) -> list[str]:
        """Return why a link with this prefix, set and kind of identifiers would not work, as sentences (H2, H17, H38, F48)."""
        return [sentence for _, sentence in self.faults_by_field(prefix, remote_set, identifiers)]

    def faults_by_field(
        self, prefix: str, remote_set: str, identifiers: str = Identifiers.HEADER
    ) -> list[tuple[str, str]]:
        """Return the same, each with the field of a link that it is about."""
        found = []
        offered = [item.prefix for item in self.formats]
        if prefix not in offered:
            prefixes = answers.iso_prefixes(self.formats)
            text = (
                gettext(
                    "The provider does not offer the prefix {prefix!r}; it offers {offered}; ISO 19139 is called {iso} there."
                )
                if prefixes
                else gettext("The provider does not offer the prefix {prefix!r}; it offers {offered}.")
            )
            found.append(("prefix", text.format(prefix=prefix, offered=", ".join(offered), iso=", ".join(prefixes))))
        if fault := answers.find_prefix_fault(self.formats, prefix):
            found.append(("prefix", messages.as_sentence(str(fault))))
        specs = [item.spec for item in self.sets]
        if remote_set and not self.sets_fault and remote_set not in specs:
            text = gettext("The provider does not list the set {remote_set!r}; it lists {listed}.")
            listed = ", ".join(specs) or gettext("none")
            found.append(("remote_set", text.format(remote_set=remote_set, listed=listed)))
        if remote_set and self.sets_fault:
            text = gettext("The provider does not list its sets: {reason}")
            found.append(("remote_set", text.format(reason=self.sets_fault)))
        if identifiers == Identifiers.SAME and self.sample.identifiers not in ("", Identifiers.SAME):
            text = gettext(
                "Its headers have other identifiers than gmd:fileIdentifier, so that records would be rejected: choose "
                "“{choice}” for the identifiers of the link."
            )
            found.append(("identifiers", text.format(choice=self.sample.identifiers)))
        elif identifiers == Identifiers.FILE and self.sample.identifiers == Identifiers.HEADER:
            text = gettext(
                "Some of its records have no gmd:fileIdentifier of their own: choose “header” for the identifiers of the link."
            )
            found.append(("identifiers", text))
        return found


def retrieve_info(base_url: str, *, remote_set: str = "", access: Access | None = None) -> Offer:
    """Ask for Identify, formats, sets and a sample record. Raises HarvestError if the first two fail."""
    with Session(access) as session:
        provider = Conversation(session, base_url, limits=client.INTERACTIVE_LIMITS)
        identity = provider.identify()
        skew_s = (identity.response_date - seams.now()).total_seconds()
        formats = provider.formats()
        sets, fault, _ = _list_sets(provider)
        offer = Offer(identity, formats, sets, fault, skew_s)
        sample = _sample(provider, offer.iso_prefix, remote_set, is_promised=identity.is_promised)
    return replace(
        offer,
        sample=sample,
        moved_to=provider.moved_to,
        warnings=provider.warnings + _identify_warnings(identity, base_url),
        is_compressed=provider.is_compressed,
    )


def count_sets(
    offer: Offer, base_url: str, *, access: Access | None = None, limits: CountLimits | None = None
) -> Offer:
    """Return an offer with the sizes of its sets: as the first page of their headers says, or has if it is the only one."""
    limits = limits or CountLimits()
    sizes: dict[str, int] = {}
    end = seams.monotonic() + limits.total_s
    specs = ["", *(item.spec for item in offer.sets)][: limits.sets] if offer.iso_prefix else []
    with Session(access) as session:
        for spec in specs:
            left_s = end - seams.monotonic()
            if left_s <= 0:
                break
            provider = Conversation(session, base_url, limits=client.Limits(left_s, left_s, left_s))
            size = _size_of(provider, offer.iso_prefix, spec)
            if size is not None:
                sizes[spec] = size
    return replace(offer, sizes=sizes)


def _size_of(provider: Conversation, prefix: str, spec: str) -> int | None:
    try:
        page = provider.headers({"metadataPrefix": prefix} | ({"set": spec} if spec else {}))
    except HarvestError:
        return None
    return len(page.entries) if page.list_size is None and page.token is None else page.list_size


def set_state(provider: Conversation, remote_set: str) -> Link.SetState:
    """Find out whether the provider lists a set (H17). Needed because an unknown set and an empty one answer alike."""
    sets, fault, codes = _list_sets(provider)
    if remote_set in {item.spec for item in sets}:
        return Link.SetState.LISTED
    if "noSetHierarchy" in codes:  # H18
        return Link.SetState.NO_SETS
    return Link.SetState.UNKNOWN if fault else Link.SetState.MISSING


def _list_sets(provider: Conversation) -> tuple[list[answers.RemoteSet], str, frozenset[str]]:
    """Return the sets of all pages; and, if an error ended the list, its text and its OAI-PMH codes."""
    sets: list[answers.RemoteSet] = []
    token = None
    try:
        for _ in range(MAX_SET_PAGES):
            page, token = provider.sets(token)
            sets += page
            if token is None:
                return sets, "", frozenset()
        raise BrokenReply(FaultCode.SETS_ENDLESS, {"pages": MAX_SET_PAGES})
    except HarvestError as exc:
        return sets, str(exc), exc.codes


def _sample(provider: Conversation, prefix: str, remote_set: str, *, is_promised: bool) -> Sample:
    """Return the first live record of the first page, checked as a harvest would check it."""
    if not prefix:
        return Sample(fault=gettext("ISO 19139 is not on offer"))
    arguments = {"verb": "ListRecords", "metadataPrefix": prefix} | ({"set": remote_set} if remote_set else {})
    try:
        page = provider.page(arguments)
    except HarvestError as exc:
        return Sample(fault=str(exc))
    identifiers = _suggest([received for received in page.entries if not received.header.deleted], is_promised)
    for received in page.entries:
        header = received.header
        if header.deleted:
            continue
        if received.fault or received.metadata is None:
            return Sample(
                header.identifier, header.datestamp, fault=str(received.fault or gettext("it has no metadata"))
            )
        try:
            document = iso19139.read(received.metadata)
        except xml_tree.Unusable as exc:
            fault = gettext("the record {reason}").format(reason=exc)
            return Sample(header.identifier, header.datestamp, fault=fault, identifiers=identifiers)
        checked = validation.check_document(received.metadata)
        differs = oai.oai_identifier(document.identifier) != header.key  # W3
        text = gettext("its gmd:fileIdentifier is {identifier!r}, not the identifier of its header")
        fault = text.format(identifier=document.identifier) if differs else ""
        return Sample(
            header.identifier,
            header.datestamp,
            document.title,
            fault,
            identifiers,
            checked.structure.value,
            tuple(found.text for found in checked.faults),
        )
    return Sample(fault=gettext("the first page has no live record") if page.entries else gettext("there is no record"))


def _suggest(entries: list[answers.ReceivedEntry], is_promised: bool) -> str:
    """Return what a link should count as identifier, by the first records; empty if there are none (H38)."""
    samples = [(entry.header.key, names.identify(entry).header.key) for entry in entries[:MAX_SAMPLES]]
    if not samples:
        return ""
    if is_promised or all(header == file for header, file in samples):
        return Identifiers.SAME
    files = {file for _, file in samples}
    is_usable = len(files) == len(samples) and not any(map(is_unknown, files))
    return Identifiers.FILE if is_usable else Identifiers.HEADER


def _identify_warnings(identity: answers.Identity, base_url: str) -> tuple[str, ...]:
    """Return what in the answer to Identify an operator should know (F49, F82)."""
    found = []
    if identity.base_url and identity.base_url.rstrip("/") != base_url.rstrip("/"):
        found.append(gettext("The provider gives its base URL as {url}.").format(url=identity.base_url))
    if identity.protocol_version.startswith("1."):
        text = gettext("The provider speaks OAI-PMH {version}: days only, no sets in headers.")
        found.append(text.format(version=identity.protocol_version))
    return tuple(found)
