"""A place in a list and back. No database."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.reading.lists import ListPosition
from oaiprovider.protocol import tokens
from oaiprovider.protocol.errors import BadResumptionToken, Refused, ReplicaLags
from oaiprovider.protocol.tokens import Token

AT = datetime(2025, 3, 4, 9, 0, 3, tzinfo=UTC)
TOKEN = Token(
    verb="ListRecords",
    prefix="iso19139",
    set_spec="WIS-GISC-TOKYO",
    start=datetime(2025, 3, 1, tzinfo=UTC),
    end=datetime(2025, 3, 4, 9, 0, 4, tzinfo=UTC),
    position=ListPosition(datetime(2025, 3, 2, 11, 15, tzinfo=UTC), 42),
    delivered=100,
    size=175,
    issued=AT,
)
INSTANTS = st.datetimes(timezones=st.just(UTC)).map(lambda stamp: stamp.replace(microsecond=0))
TOKENS = st.builds(
    Token,
    verb=st.sampled_from(["ListRecords", "ListIdentifiers", "ListSets"]),
    prefix=st.sampled_from(["iso19139", "oai_dc", ""]),
    set_spec=st.from_regex(r"[A-Za-z0-9\-_.!~*'()]{0,200}", fullmatch=True),
    start=st.none() | INSTANTS,
    end=INSTANTS,
    position=st.builds(ListPosition, INSTANTS, st.integers(1, 2**63 - 1)),
    delivered=st.integers(0, 10**9),
    size=st.integers(1, 10**9),
    issued=st.just(AT),
    profile=st.just("") | st.integers(1, 2**63 - 1).map(str),
)
OF_EPOCH = replace(TOKEN, set_tombstones=False, epoch=1741078803000)


def reason(
    text: str, *, verb: str = "ListRecords", profile: str = "", at: datetime = AT, epoch: int | None = None
) -> str:
    with pytest.raises(Refused) as refused:
        tokens.decode(text, verb=verb, profile=profile, at=at, epoch=epoch)
    (fault,) = refused.value.faults
    assert isinstance(fault, BadResumptionToken)
    return fault.text


@pytest.mark.spec("P99")
@given(TOKENS)
def test_a_token_carries_the_whole_state_of_its_list(token: Token) -> None:
    assert tokens.decode(tokens.encode(token), verb=token.verb, profile=token.profile, at=AT) == token


@pytest.mark.spec("P98")
@given(TOKENS)
def test_a_token_is_url_safe_and_short(token: Token) -> None:
    text = tokens.encode(token)
    assert re.fullmatch(r"[A-Za-z0-9_.~-]+", text)
    assert len(text) < 1000


@pytest.mark.spec("P97", "P105")
def test_a_token_of_another_verb_is_refused_and_the_text_says_so() -> None:
    assert "issued for ListRecords" in reason(tokens.encode(TOKEN), verb="ListIdentifiers")


@pytest.mark.spec("P105")
def test_an_empty_token_is_refused_and_the_text_says_so() -> None:
    assert "empty" in reason("")


@pytest.mark.spec("P102", "P105")
def test_a_token_lives_24_hours_and_the_text_says_when_it_is_over() -> None:
    text = tokens.encode(TOKEN)
    assert tokens.decode(text, verb="ListRecords", profile="", at=AT + timedelta(hours=24, seconds=-1)) == TOKEN
    assert "expired" in reason(text, at=AT + timedelta(hours=24))


@pytest.mark.spec("P105", "W34")
def test_a_token_of_before_a_restore_is_refused_whatever_the_clock_says_and_the_text_says_so() -> None:
    text = tokens.encode(OF_EPOCH)
    for at in (AT, AT - timedelta(days=1)):
        assert "restored after the token was issued" in reason(text, at=at, epoch=OF_EPOCH.epoch + 1)


@pytest.mark.spec("P99", "S2")
def test_a_token_goes_on_in_its_epoch_and_at_a_replica_that_has_not_received_that_waits() -> None:
    text = tokens.encode(OF_EPOCH)
    assert tokens.decode(text, verb="ListRecords", profile="", at=AT, epoch=OF_EPOCH.epoch) == OF_EPOCH
    with pytest.raises(ReplicaLags):
        tokens.decode(text, verb="ListRecords", profile="", at=AT - timedelta(seconds=1), epoch=OF_EPOCH.epoch - 1)


@pytest.mark.spec("P111", "S18")
def test_a_token_that_names_no_epoch_is_that_of_a_version_before_and_goes_on() -> None:
    token = replace(TOKEN, set_tombstones=False)
    assert tokens.decode(tokens.encode(token), verb="ListRecords", profile="", at=AT, epoch=1) == token


@pytest.mark.spec("P105")
def test_a_token_of_another_repository_is_refused(settings) -> None:
    text = tokens.encode(TOKEN)
    settings.GISC_BASE_URL = "http://gisc-toulouse.example.org"
    assert "not issued by this repository" in reason(text)


@pytest.mark.spec("P105")
def test_a_token_signed_with_another_key_is_refused(settings) -> None:
    text = tokens.encode(TOKEN)
    settings.SECRET_KEY = "the key of somebody else"
    assert "not issued by this repository" in reason(text)


@pytest.mark.spec("P105")
@pytest.mark.parametrize("position", range(0, 200, 7))
def test_a_token_that_was_altered_is_refused(position: int) -> None:
    text = tokens.encode(TOKEN)
    position %= len(text)
    other = "A" if text[position] != "A" else "B"
    reason(text[:position] + other + text[position + 1 :])


@pytest.mark.spec("P105")
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.from_regex(r"[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*", fullmatch=True))
def test_whatever_is_sent_as_a_token_is_refused_never_a_crash(text: str) -> None:
    assert reason(text)


@pytest.mark.spec("P111", "S18")
def test_a_token_given_before_a_deployment_is_good_after_it(settings) -> None:
    """The text was made once and for all: by another process, on another day, by the first version of the code."""
    settings.SECRET_KEY = "the key that the processes share"
    settings.GISC_BASE_URL = "http://gisc-tokyo.example.org"
    text = "WyJpc28xOTEzOSIsIldJUy1HSVNDLVRPS1lPIiwxNzQwNzg3MjAwLDE3NDEwNzg4MDQsMTc0MDkxNDEwMCw0MiwxMDAsMTc1LDE3NDEwNzg4MDNd.avjKfIy9a5O9olWc3B6oWHtx1zng4PmXMt1gZB8z9o0"
    assert tokens.decode(text, verb="ListRecords", profile="", at=AT) == TOKEN
