"""Which harvester is asking, and on what terms it is served (G1 to G3). Values and the choice: no Django, no database.

The User-Agent names a harvester and proves nothing (G13). A profile that shows what is not for everybody therefore
also has networks: whoever comes from elsewhere under its name is served as if the profile did not exist.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalogue.reading.scopes import Scope

ANY = "Any"  # G3: serves everyone whom no other profile fits
WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class Terms:
    """What one harvester is served: a profile with every default filled in.

    `key` is what a resumption token is bound to (G12), empty for `Any`. `formats` are the prefixes of what it gets
    besides the formats that everybody gets. `requests_per_minute` None: as the node limits everybody. `in_pieces`: this
    request wants gzip, so records may be given deflated as they are kept.
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A profile as far as the choice is concerned. An empty match string fits every User-Agent."""

    name: str
    match: str
    networks: tuple[str, ...]


def choose_profile(candidates: Iterable[Candidate], user_agent: str, address: str) -> Candidate | None:
    """The profile for a request: of those that fit, the one with the longest match string (G2).

    Of two with equally long ones, the one for certain networks before the one for all, then by name.
    """
    fitting = [one for one in candidates if not misfit(one, user_agent, address)]
    return min(fitting, key=lambda one: (-length(one.match), not one.networks, one.name), default=None)


def misfit(candidate: Candidate, user_agent: str, address: str) -> str:
    """Why a profile is not for this request, as a sentence for the operator; empty where it fits."""
    if not matches(candidate.match, user_agent):
        return f"The User-Agent does not contain {candidate.match}."
    if candidate.networks and not within(candidate.networks, address):
        return f"The User-Agent fits, but {address or 'an unknown address'} is in none of its networks."
    return ""


def matches(match: str, user_agent: str) -> bool:
    """Whether a User-Agent contains the match string; `*` in it stands for anything. In linear time, whatever is sent."""
    place = 0
    for part in match.split(WILDCARD):
        found = user_agent.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def length(match: str) -> int:
    """How many characters of a User-Agent a match string settles."""
    return len(match.replace(WILDCARD, ""))


def match_fault(match: str) -> str:
    """Why this is no match string, as a sentence; empty where it is one."""
    if not match.isascii() or not match.isprintable():
        return "A User-Agent is printable ASCII; write a part of it, such as DRIVER."
    if not length(match):
        return (
            f"This fits every User-Agent; that is what the profile {ANY} is for. Write a part of one, such as DRIVER."
        )
    return ""


def network_fault(text: str) -> str:
    """Why this is no network in CIDR notation, as a sentence; empty where it is one."""
    try:
        ipaddress.ip_network(text)
    except ValueError as exc:
        try:
            meant = ipaddress.ip_network(text, strict=False)
        except ValueError:
            return f"{text} is no network: {exc}. Write CIDR, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.7."
        return f"{text} names a host and a network at once; write {meant} for the network, or the address alone."
    return ""


def within(networks: Sequence[str], address: str) -> bool:
    """Whether an address is in one of these networks. What is no address, as behind a Unix socket, is in none."""
    try:
        one = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(one in ipaddress.ip_network(network) for network in networks)
