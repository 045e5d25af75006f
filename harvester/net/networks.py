"""Tell where addresses lead: to the public network, or to a network that a provider must not send this node into (F95).

An address that only wraps another one (IPv4 in IPv6 in all its forms) counts as what it leads to. Names are resolved here
and nowhere else, once for each connection: what was judged is what is connected to (`harvester/net/session.py`).
"""

import ipaddress
import socket
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from harvester.errors import FaultCode, RefusedByProvider

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
_NAT64_OF_A_SITE = ipaddress.IPv6Network("64:ff9b:1::/48")  # RFC 8215: where it leads, the site decides
_ISATAP = (0x00005EFE, 0x02005EFE)  # RFC 5214: the third quarter of the address
_METADATA = (ipaddress.IPv4Address("168.63.129.16"),)  # of clouds: public by its number, and not by where it leads


def lookup(host: str, port: int | None = None) -> list[str]:
    """Return the IP addresses of a host, in the order in which they should be tried. Raises OSError and UnicodeError."""
    found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolve(host: str) -> list[str]:
    """Return the IP addresses of a host; none if its name cannot be resolved."""
    try:
        return lookup(host)
    except (OSError, UnicodeError):
        return []


def literal(host: str) -> list[str]:
    """Return the address that a host is written as, in any form, or the loopback address for `localhost`; none for a name."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        return [str(ipaddress.ip_address(host.partition("%")[0]))]
    except ValueError:
        pass
    try:
        return [socket.inet_ntoa(socket.inet_aton(host))]  # 127.1, 2130706433, 0x7f000001
    except (OSError, UnicodeError):
        return []


def is_redirect_allowed(provider: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a provider with these IP addresses may redirect to a host with those of the target (SSRF: F95).

    To public addresses always; to others only if they are the provider's own, which an operator has named. To a host without
    an address never.
    """
    return bool(target) and all(address in provider or is_public(address) for address in target)


def is_public(text: str) -> bool:
    """Whether an address leads to the public network."""
    address = _innermost(ipaddress.ip_address(text.partition("%")[0]))
    if address.is_multicast or address in _METADATA:
        return False
    if isinstance(address, ipaddress.IPv6Address) and (address.is_site_local or address in _NAT64_OF_A_SITE):
        return False
    return address.is_global


def _innermost(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address leads to, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.ipv4_mapped or address in _NAT64 or (number >> 32 & 0xFFFFFFFF) in _ISATAP:
        return last
    if 1 < number < 2**32:  # IPv4-compatible, long out of use; :: and ::1 are addresses of their own
        return last
    if address.teredo:
        return address.teredo[1]
    return address.sixtofour or address


# --- The way of one request --------------------------------------------------------------------------


@dataclass(slots=True)
class Route:
    """Where a request and its redirects may go.

    `provider`: the IP address to which the request to the base URL went; an operator has named it. Empty behind a proxy.
    """

    provider: str = ""
    is_redirected: bool = False

    def lookup(self, host: str, port: int | None) -> list[str]:
        """Return the IP addresses of a host that the request may go to. Raises as `lookup` and `check` do."""
        found = lookup(host, port)
        self.check(host.rstrip("."), found)
        return found

    def check(self, host: str, target: Sequence[str]) -> None:
        """Raise RefusedByProvider if a redirect may not lead to a host with these IP addresses."""
        if self.is_redirected and not is_redirect_allowed([self.provider] if self.provider else [], target):
            raise RefusedByProvider(FaultCode.REDIRECT_PRIVATE, {"host": host})

    def check_by_name(self, base_host: str, host: str) -> None:
        """Do the same behind a proxy, which resolves names itself: addresses written out are judged, names are not."""
        written = literal(host)
        if self.is_redirected and written and not is_redirect_allowed(literal(base_host), written):
            raise RefusedByProvider(FaultCode.REDIRECT_PRIVATE, {"host": host})


# Of the request that this thread sends.
route: ContextVar[Route] = ContextVar("route")
