"""Whose request it is: the client's address, through the proxies that are known. Pure.

`X-Forwarded-For` is written by whoever sends it. Only what a trusted proxy has added counts: the list is read
from its end, past each address that is itself trusted, to the first that is not.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
_IPV6_HOST = 64  # RFC 6177: whoever has an IPv6 address has at least all of its /64


def client(peer: str, forwarded: str, trusted: Sequence[Network]) -> IPv4Address | IPv6Address | None:
    """The address of the client behind the socket's `peer`; None when the peer has none, as a Unix socket.

    An entry that is no address ends the walk: what stands before it was not written by a trusted proxy.
    """
    nearest = _address(peer)
    for hop in reversed(forwarded.split(",")):
        if nearest is None or not any(nearest in network for network in trusted):
            break
        further = _address(hop)
        if further is None:
            break
        nearest = further
    return nearest


def key(address: IPv4Address | IPv6Address) -> str:
    """What stands for one client: the IPv4 address, or the IPv6 network of /64."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_HOST), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    text = text.strip()
    if text.startswith("["):  # RFC 7239 and many proxies: [2001:db8::1]:4711
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:  # 192.0.2.7:4711
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])  # the zone of a link-local address is this host's affair
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
