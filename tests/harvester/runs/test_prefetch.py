"""The next page of a list is asked for while the last is read: early, once, and only where that is safe (H4, H19)."""

import threading
import time
from collections.abc import Iterator, Mapping

import pytest

from harvester.net.client import Reply
from harvester.protocol import answers
from harvester.protocol.prefetch import Prefetcher, Turn, token_at_end
from tests.support.provider import OAI

FIRST = {"verb": "ListRecords", "metadataPrefix": "iso19139"}


def body(token: str) -> bytes:
    return (
        f'<OAI-PMH xmlns="{OAI}"><responseDate>2026-01-01T00:00:00Z</responseDate><ListRecords>'
        f"<record><header><identifier>urn:x:1</identifier></header></record>{token}</ListRecords></OAI-PMH>"
    ).encode()


@pytest.mark.spec("H19")
@pytest.mark.parametrize(
    "token",
    [
        "<resumptionToken>abc</resumptionToken>",
        '<resumptionToken completeListSize="3" cursor="0">a/b?c=d|e</resumptionToken>\n',
        "<resumptionToken/>",
        "<resumptionToken></resumptionToken>",
        "<resumptionToken> padded </resumptionToken>",
        "<resumptionToken>a&amp;b</resumptionToken>",
        "<resumptionToken><![CDATA[abc]]></resumptionToken>",
        "<resumptionToken>d\u00e9j\u00e0</resumptionToken>",
        "<resumptionToken>a</resumptionToken><resumptionToken/>",
        "<!-- <resumptionToken>abc</resumptionToken> -->",
        "",
    ],
)
def test_what_is_seen_at_the_end_is_the_token_or_nothing(token: str) -> None:
    seen = token_at_end(body(token))

    assert seen in (None, answers.parse_page(body(token), continued=True).token)
    assert (seen is not None) == (token.startswith("<r") and seen in ("abc", "a/b?c=d|e"))


def test_the_token_by_which_pycsw_ends_its_lists_is_not_asked_for() -> None:
    assert token_at_end(body("<resumptionToken>0</resumptionToken>")) is None


class Asked:
    """A provider that gives page after page, and remembers what it was asked for and how many asked at once."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.at_once = self.most = 0
        self.came = threading.Condition()

    def __call__(self, arguments: Mapping[str, str]) -> Reply:
        with self.came:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            self.tokens.append(arguments.get("resumptionToken", arguments.get("identifier", "")))
            self.came.notify_all()
        number = len(arguments.get("resumptionToken", "")) + 1
        reply = Reply(body(f"<resumptionToken>{'x' * number}</resumptionToken>"))
        with self.came:
            self.at_once -= 1
        return reply

    def wait_for(self, token: str) -> None:
        with self.came:
            assert self.came.wait_for(lambda: token in self.tokens, timeout=30)


def continued(token: str) -> dict[str, str]:
    return {"verb": "ListRecords", "resumptionToken": token}


@pytest.fixture
def line() -> Iterator[Prefetcher]:
    with Prefetcher(Turn(time.monotonic() + 600)) as made:
        yield made


@pytest.mark.spec("H4", "H20")
def test_after_a_sound_page_the_next_but_one_is_asked_for_when_the_next_has_come(line: Prefetcher) -> None:
    asked = Asked()
    line.get(asked, FIRST)
    assert not line.is_fetching("x"), "nothing is known of the provider yet"

    line.get(asked, continued("x"))

    assert line.is_fetching("xx")
    asked.wait_for("xx")
    line.get(asked, continued("xx"))
    asked.wait_for("xxx")
    assert asked.tokens == ["", "x", "xx", "xxx"], "each page once, one ahead"
    assert asked.most == 1, "and never two requests at once"


def test_another_question_in_between_waits_its_turn_and_costs_no_page(line: Prefetcher) -> None:
    asked = Asked()
    line.get(asked, FIRST)
    line.get(asked, continued("x"))

    line.get(asked, {"verb": "GetRecord", "identifier": "urn:x:1"})
    line.get(asked, continued("xx"))

    assert asked.tokens[:4] == ["", "x", "xx", "urn:x:1"]
    assert asked.tokens.count("xx") == 1


def test_after_a_page_that_was_not_sound_nothing_is_asked_for_early(line: Prefetcher) -> None:
    asked = Asked()
    line.get(asked, FIRST)
    line.distrust()

    line.get(asked, continued("x"))

    assert not line.is_fetching("xx") and asked.tokens == ["", "x"]


def test_after_a_page_whose_token_is_not_the_one_at_its_end_nothing_is_asked_for_early(line: Prefetcher) -> None:
    asked = Asked()
    line.get(asked, FIRST)

    line.get(asked, continued("another"))

    assert not line.is_fetching("x" * 8) and asked.tokens == ["", "another"]


def test_who_has_asked_for_the_wrong_thing_once_does_not_do_so_again(line: Prefetcher) -> None:
    asked = Asked()
    line.get(asked, FIRST)
    line.get(asked, continued("x"))
    line.get(asked, {**continued("xx"), "metadataPrefix": "iso19139"})

    line.get(asked, continued("xxx"))

    assert not line.is_fetching("xxxx")


def test_when_the_time_is_over_nothing_is_asked_for_early() -> None:
    asked = Asked()
    with Prefetcher(Turn(time.monotonic())) as line:
        line.get(asked, FIRST)
        line.get(asked, continued("x"))
        assert not line.is_fetching("xx")
