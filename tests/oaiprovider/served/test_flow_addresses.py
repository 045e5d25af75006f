"""Whose request it is: pure."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oaiprovider import flow_control

TRUSTED = [ip_network("10.0.0.0/8"), ip_network("::1")]


@pytest.mark.spec("P112")
@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("::1", "2001:db8::1", "2001:db8::1"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.300, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3", "10.0.0.3"),
        ("", "198.51.100.7", None),
    ],
)
def test_the_client_is_the_first_from_the_end_that_is_not_trusted(peer: str, forwarded: str, client) -> None:
    assert flow_control.client_address(peer, forwarded, TRUSTED) == (client and ip_address(client))


@given(st.text(), st.text())
def test_no_header_is_an_error(peer: str, forwarded: str) -> None:
    flow_control.client_address(peer, forwarded, TRUSTED)


def test_a_client_of_ipv6_is_its_network() -> None:
    keys = {flow_control.address_key(ip_address(text)) for text in ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2")}
    assert keys == {"2001:db8:0:1::/64"}
    assert flow_control.address_key(ip_address("192.0.2.1")) == "192.0.2.1"
