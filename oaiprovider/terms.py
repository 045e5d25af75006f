"""Choose the profile of a harvester by its User-Agent and address, and define the terms it gives (G1 to G3).

No Django, no database. A User-Agent proves nothing (G13), so a profile that shows more than everybody may see also
names networks: a client with its User-Agent from another network is served as if the profile did not exist.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalogue.reading.scopes import Scope

ANY = "Any"  # G3: the profile of every harvester that no other profile fits
WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which one harvester is served: a profile with every default filled in.

    `key`: resumption tokens are bound to it (G12); empty for `Any`. `formats`: the prefixes of its formats that are not
    for everybody. `requests_per_minute`: None for the node's limit. `in_pieces`: the answer will be gzip, so records
    may be taken from the record cache, compressed already. `shared`: the first page begins a list whose pages a cache may share. `epoch`: that of the database, in which resumption tokens are
    good (W34); None before the first event of its journal.
    """

    key: str
    name: str
    scope: Scope
    repository_name: str
    admin_emails: tuple[str, ...]
    page_records: int
    page_headers: int
    page_sets: int
    formats: frozenset[str] = frozenset()
    requests_per_minute: int | None = None
    may_be_limited: bool = True
    in_pieces: bool = False
    shared: bool = False
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """The part of a profile that the choice depends on. An empty match string fits every User-Agent."""

    name: str
    match: str
    networks: tuple[str, ...]


def choose_profile(candidates: Iterable[Candidate], user_agent: str, address: str) -> Candidate | None:
    """Choose the profile of a request: of those that fit, the one with the longest match string (G2).

    Of equally long ones, a profile with networks comes before one without, then by name.
    """
    fitting = [
        candidate
        for candidate in candidates
        if matches(candidate.match, user_agent) and _is_from_its_networks(candidate, address)
    ]
    return min(
        fitting,
        key=lambda candidate: (-match_length(candidate.match), not candidate.networks, candidate.name),
        default=None,
    )


def why_not(candidate: Candidate, user_agent: str, address: str) -> str:
    """Return why a profile does not fit this request, as a sentence for the operator; empty if it fits."""
    from django.utils.translation import gettext  # here: what chooses terms knows nothing of Django

    if not matches(candidate.match, user_agent):
        return gettext("The User-Agent does not contain {match}.").format(match=candidate.match)
    if not _is_from_its_networks(candidate, address):
        return gettext("The User-Agent fits, but {address} is in none of its networks.").format(
            address=address or gettext("an unknown address")
        )
    return ""


def _is_from_its_networks(candidate: Candidate, address: str) -> bool:
    return not candidate.networks or is_within(candidate.networks, address)


def matches(match: str, user_agent: str) -> bool:
    """Whether a User-Agent contains the match string, in which `*` stands for any text. Takes linear time."""
    position = 0
    for part in match.split(WILDCARD):
        found = user_agent.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return True


def match_length(match: str) -> int:
    """Count the characters of a match string without its wildcards."""
    return len(match.replace(WILDCARD, ""))


def match_fault(match: str) -> str:
    """Return why this is no match string, as a sentence; empty if it is one."""
    from django.utils.translation import gettext

    if not match.isascii() or not match.isprintable():
        return gettext("A User-Agent is printable ASCII; write a part of it, such as DRIVER.")
    if not match_length(match):
        return gettext(
            "This fits every User-Agent; that is what the profile {name} is for. Write a part of one, such as DRIVER."
        ).format(name=ANY)
    return ""


def network_fault(text: str) -> str:
    """Return why this is no network in CIDR notation, as a sentence; empty if it is one."""
    from django.utils.translation import gettext

    try:
        ipaddress.ip_network(text)
    except ValueError as exc:
        try:
            network = ipaddress.ip_network(text, strict=False)
        except ValueError:
            return gettext(
                "{text} is no network: {reason}. Write CIDR, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.7."
            ).format(text=text, reason=exc)
        return gettext(
            "{text} has an address and a netmask that do not fit; write {network} for the network, or the address alone."
        ).format(text=text, network=network)
    return ""


def is_within(networks: Sequence[str], address: str) -> bool:
    """Whether an address is in one of these networks; False if it is no address, as with a Unix socket."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(network) for network in networks)
