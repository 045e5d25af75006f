"""Which profile a request gets. No database."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oaiprovider import terms
from oaiprovider.terms import ANY, Candidate

EVERYONE = Candidate(ANY, "", ())
DRIVER = Candidate("DRIVER", "DRIVER", ())
CLOSED = Candidate("closed", "DRIVER", ("192.0.2.0/24", "2001:db8::/32"))
NEWER = Candidate("newer", "DRIVER/3", ())
PAIR = Candidate("pair", "harvester*Exeter", ())
ALL = (EVERYONE, DRIVER, CLOSED, NEWER, PAIR)


def chosen(user_agent: str, address: str = "203.0.113.9") -> str:
    found = terms.choose_profile(ALL, user_agent, address)
    assert found is not None
    return found.name


@pytest.mark.spec("G2", "G3")
@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("DRIVER/2.1 (harvester)", "DRIVER"),
        ("the DRIVER", "DRIVER"),
        ("driver/2.1", ANY),
        ("DRIVE", ANY),
        ("DRIVER/3.0", "newer"),
        ("curl/8", ANY),
        ("", ANY),
        ("harvester/1 (GISC Exeter)", "pair"),
        ("Exeter harvester", ANY),
    ],
)
def test_the_longest_match_string_that_a_user_agent_contains_wins(user_agent: str, name: str) -> None:
    assert chosen(user_agent) == name


@pytest.mark.spec("G13")
@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("192.0.2.7", "closed"),
        ("2001:db8::7", "closed"),
        ("192.0.3.7", "DRIVER"),
        ("2001:db9::7", "DRIVER"),
        ("", "DRIVER"),
        ("unix:", "DRIVER"),
    ],
)
def test_a_profile_for_certain_networks_does_not_exist_elsewhere(address: str, name: str) -> None:
    assert chosen("DRIVER/2.1", address) == name


def test_why_a_profile_is_not_for_a_request() -> None:
    assert terms.why_not(DRIVER, "curl/8", "192.0.2.7") == "The User-Agent does not contain DRIVER."
    assert "203.0.113.9 is in none of its networks" in terms.why_not(CLOSED, "DRIVER", "203.0.113.9")
    assert terms.why_not(CLOSED, "DRIVER", "192.0.2.7") == ""


@pytest.mark.spec("G2")
@given(st.text("abc*", max_size=8), st.text("abc", max_size=12))
def test_a_star_stands_for_anything(match: str, user_agent: str) -> None:
    expected = re.search(".*".join(map(re.escape, match.split("*"))), user_agent) is not None
    assert terms.matches(match, user_agent) is expected


@given(st.permutations(ALL), st.sampled_from(["DRIVER/3", "DRIVER", "curl"]), st.sampled_from(["192.0.2.7", "::1"]))
def test_the_order_of_the_profiles_decides_nothing(order: list[Candidate], user_agent: str, address: str) -> None:
    assert terms.choose_profile(order, user_agent, address) == terms.choose_profile(ALL, user_agent, address)


@pytest.mark.spec("G16")
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("192.0.2.0/24", ""),
        ("192.0.2.7", ""),
        ("2001:db8::/32", ""),
        ("192.0.2.7/24", "write 192.0.2.0/24 for the network"),
        ("192.0.2.0/33", "Write CIDR"),
        ("gisc.example.org", "Write CIDR"),
        ("", "Write CIDR"),
    ],
)
def test_a_network_is_written_in_cidr(text: str, sentence: str) -> None:
    fault = terms.network_fault(text)
    assert sentence in fault and bool(fault) is bool(sentence)


@pytest.mark.spec("G16")
@pytest.mark.parametrize(
    ("match", "good"),
    [("DRIVER", True), ("a*b", True), ("*", False), ("", False), ("DR\nIVER", False), ("Météo", False)],
)
def test_a_match_string_is_a_part_of_a_user_agent(match: str, good: bool) -> None:
    assert (terms.match_fault(match) == "") is good
