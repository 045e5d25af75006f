"""Flow control: the decisions on a real Redis, then what a client sees of them."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network

import pytest
import redis
from django.conf import settings as configured
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue import seams
from oaiprovider import flow_control, views
from oaiprovider.flow_control import Verdict
from tests.support import asking, world
from tests.support.clock import SetClock
from tests.support.nodes import free_port
from tests.support.threads import TIMEOUT_S, threads
from tests.support.waiting import until

NOW = 1_800_000_000.0
STRANGER = "198.51.100.7"


def forget_clients(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        for key in client.scan_iter("gisc:*:flow:*"):
            client.delete(key)


@pytest.fixture(autouse=True)
def _flow() -> Iterator[None]:
    redis_url = configured.GISC_REDIS_URL  # a test may set another one
    forget_clients(redis_url)
    yield
    forget_clients(redis_url)


@pytest.fixture
def clock() -> Iterator[SetClock]:
    set_clock = SetClock(NOW)
    with seams.replaced(clock=set_clock):
        yield set_clock


def ask(at: float, *, rate: int | None = 10, busy: bool = False, client: str = STRANGER) -> flow_control.FlowDecision:
    return flow_control.decide(client, at=at, requests_per_minute=rate, busy=busy)


# --- Decisions --------------------------------------------------------------------------------------


@pytest.mark.spec("P112")
def test_as_many_as_the_limit_are_served_at_once_and_then_steadily() -> None:
    assert [ask(NOW).verdict for _ in range(10)] == [Verdict.SERVE] * 10
    assert ask(NOW) == flow_control.FlowDecision(Verdict.WAIT, 15)
    assert {ask(NOW + 100 + 6 * n).verdict for n in range(100)} == {Verdict.SERVE}, "one every six seconds"


@pytest.mark.spec("P112")
@pytest.mark.parametrize(("rate", "wait_s"), [(1, 60), (2, 30), (4, 15), (10, 15), (6000, 15)])
def test_the_time_to_wait_is_long_enough_for_a_request(rate: int, wait_s: int) -> None:
    for _ in range(rate):
        ask(NOW, rate=rate)
    assert ask(NOW, rate=rate) == flow_control.FlowDecision(Verdict.WAIT, wait_s)
    assert ask(NOW + wait_s, rate=rate).verdict is Verdict.SERVE


@pytest.mark.spec("P112")
def test_clients_do_not_pay_for_one_another() -> None:
    for _ in range(20):
        ask(NOW)
    assert ask(NOW).verdict is Verdict.WAIT
    assert ask(NOW, client="203.0.113.9").verdict is Verdict.SERVE


@pytest.mark.spec("P112")
def test_a_busy_node_has_a_client_wait_once_and_then_serves_it() -> None:
    told = ask(NOW, rate=None, busy=True)
    assert told == flow_control.FlowDecision(Verdict.WAIT, flow_control.BUSY_WAIT_S)
    assert ask(NOW + told.wait_s, rate=None, busy=True).verdict is Verdict.SERVE
    assert ask(NOW + told.wait_s + 1, rate=None, busy=True).verdict is Verdict.WAIT


@pytest.mark.spec("P112")
def test_who_comes_too_early_is_told_what_remains() -> None:
    for _ in range(11):
        ask(NOW)
    assert ask(NOW + 5) == flow_control.FlowDecision(Verdict.WAIT, 10)
    assert ask(NOW + 14.5) == flow_control.FlowDecision(Verdict.WAIT, 1)
    assert ask(NOW + 15).verdict is Verdict.SERVE


@pytest.mark.spec("P113")
def test_who_goes_on_ignoring_it_is_refused_until_half_of_the_count_has_decayed() -> None:
    for _ in range(11):
        ask(NOW)
    early = [ask(NOW + 3 + n / 100) for n in range(100)]
    assert [decision.verdict for decision in early[: flow_control.ALLOWED_OFFENCES]] == [
        Verdict.WAIT
    ] * flow_control.ALLOWED_OFFENCES
    assert {decision.verdict for decision in early[flow_control.ALLOWED_OFFENCES :]} == {Verdict.REFUSE}
    assert ask(NOW + 60).verdict is Verdict.REFUSE, "the wait is over, the count is not"
    last = ask(NOW + 61)
    assert 0 < last.wait_s <= flow_control.HALF_LIFE_S
    assert ask(NOW + 61 + last.wait_s).verdict is Verdict.SERVE


@pytest.mark.spec("P113")
def test_what_was_on_its_way_over_other_connections_is_no_offence() -> None:
    for _ in range(11):
        ask(NOW)
    assert {ask(NOW + 1).verdict for _ in range(200)} == {Verdict.WAIT}
    assert ask(NOW + 15).verdict is Verdict.SERVE


@pytest.mark.spec("P112", "P113")
@hypothesis_settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rate=st.one_of(st.none(), st.integers(1, 300)),
    steps=st.lists(st.tuples(st.floats(0, 3), st.booleans()), min_size=1, max_size=80),
)
def test_who_waits_as_told_is_never_told_twice_and_never_refused(rate, steps) -> None:
    """Whatever the limit, the pace and the state of the node."""
    forget_clients(configured.GISC_REDIS_URL)
    at, waiting = NOW, False
    for pause_s, busy in steps:
        decision = ask(at, rate=rate, busy=busy)
        assert decision.verdict is not Verdict.REFUSE
        if waiting:
            assert decision.verdict is Verdict.SERVE
        waiting = decision.verdict is Verdict.WAIT
        if waiting:
            assert 1 <= decision.wait_s <= 600
        at += decision.wait_s if waiting else pause_s


@pytest.mark.spec("P112")
def test_without_redis_everyone_is_served_and_one_line_tells_it(settings, caplog) -> None:
    settings.GISC_REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    flow_control.reset()
    with caplog.at_level(logging.INFO, logger="oaiprovider"):
        assert {ask(NOW, rate=1).verdict for _ in range(50)} == {Verdict.SERVE}
    assert [record.message for record in caplog.records] == ["no flow control: Redis does not answer"]


# --- What a client sees -----------------------------------------------------------------------------


@pytest.fixture
def harvester(client: Client, settings) -> Callable[..., object]:
    """Ask `/oai` from an address of the outside, behind a proxy on this host that is trusted."""
    settings.GISC_TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    settings.GISC_REQUESTS_PER_MINUTE = 2

    def get(query: str, address: str = STRANGER, method: str = "GET", **headers: str) -> object:
        return client.generic(method, "/oai", QUERY_STRING=query, headers={"x-forwarded-for": address} | headers)

    return get


@pytest.mark.django_db
@pytest.mark.spec("P112", "P9", "P113", "E23")
def test_a_client_that_is_too_fast_gets_503_with_retry_after_and_no_document(harvester) -> None:
    assert [harvester("verb=Identify").status_code for _ in range(2)] == [200, 200]
    told = harvester("verb=Identify", **{"accept-encoding": "gzip"})
    assert told.status_code == 503
    assert told["Retry-After"] == "30"
    assert told["Content-Type"].startswith("text/plain")
    assert told.content == b"Too many requests; retry after 30 seconds. No resumptionToken is lost.\n"
    assert harvester("verb=Identify", "203.0.113.9").status_code == 200, "another client"
    assert harvester("verb=Identify", method="HEAD").status_code == 503


@pytest.mark.django_db
@pytest.mark.spec("P112")
def test_no_list_is_lost_by_waiting(harvester, settings, clock) -> None:
    """A harvester that obeys reads the whole list, page by page, and is stopped on the way."""
    settings.GISC_PAGE_HEADERS = 1
    names = [f"urn:{letter}" for letter in "abcdefgh"]
    world.put(*map(world.iso_record, names))
    query, found, waits, in_a_row = "verb=ListIdentifiers&metadataPrefix=iso19139", [], 0, 0
    while query:
        response = harvester(query)
        if response.status_code == 503:
            waits, in_a_row = waits + 1, in_a_row + 1
            assert in_a_row == 1
            clock.move(int(response["Retry-After"]))
            continue
        in_a_row = 0
        page = asking.read(response)
        found += page.identifiers
        query = page.token and f"verb=ListIdentifiers&resumptionToken={page.token}"
    assert found == names
    assert waits > 0


@pytest.mark.django_db
@pytest.mark.spec("P113", "P9")
def test_a_client_that_ignores_it_gets_403_with_the_reason_and_never_429(harvester, clock) -> None:
    statuses = []
    for _ in range(60):
        clock.move(0.4)
        statuses.append((response := harvester("verb=Identify")).status_code)
    assert sorted(set(statuses)) == [200, 403, 503]
    assert statuses == sorted(statuses, key=[200, 503, 403].index)
    assert b"Send no request for" in response.content
    assert "Retry-After" not in response


@pytest.mark.django_db
@pytest.mark.spec("P112", "P117")
def test_a_busy_node_has_clients_wait_and_counts_an_answer_until_it_is_sent(harvester, settings) -> None:
    settings.GISC_REQUESTS_PER_MINUTE, settings.GISC_REQUESTS_AT_ONCE = None, 1
    before = flow_control.in_progress.number
    assert before == 0
    assert harvester("verb=Identify").status_code == 200
    assert flow_control.in_progress.number == 0
    flow_control.in_progress.enter()  # an answer on its way to a slow client
    try:
        told = harvester("verb=Identify")
        assert (told.status_code, told["Retry-After"]) == (503, str(flow_control.BUSY_WAIT_S))
    finally:
        flow_control.in_progress.leave()
    assert harvester("verb=Identify", "203.0.113.9").status_code == 200


@pytest.mark.spec("P112")
def test_one_request_too_many_waits_a_moment_for_another_one_to_end() -> None:
    """A client asks on before the thread that sent it the last byte has said so; that is no crowd."""
    progress = flow_control.in_progress
    assert not progress.enter(1)
    with threads(1) as pool:
        next_one = pool.start(progress.enter, 1, TIMEOUT_S)
        until(lambda: progress.number == 2, TIMEOUT_S, "the next request has come")
        assert progress.enter(1), "a third one does not occupy another thread"
        progress.leave()
        progress.leave()
        assert not next_one.result(TIMEOUT_S)
    assert progress.enter(1), "nothing has ended"
    progress.leave()
    progress.leave()
    assert progress.number == 0


@pytest.mark.django_db
@pytest.mark.spec("P117")
def test_a_request_that_fails_is_no_longer_in_progress(client: Client, monkeypatch) -> None:
    monkeypatch.setattr(views, "answer", lambda *_: 1 / 0)
    client.raise_request_exception = False
    assert client.get("/oai?verb=Identify").status_code == 500
    assert flow_control.in_progress.number == 0


@pytest.mark.django_db
@pytest.mark.spec("P112")
def test_requests_from_this_host_are_not_counted(client: Client, settings) -> None:
    settings.GISC_REQUESTS_PER_MINUTE = 1
    assert {client.get("/oai?verb=Identify").status_code for _ in range(20)} == {200}
    assert {client.get("/oai?verb=Identify", REMOTE_ADDR="::1").status_code for _ in range(5)} == {200}


@pytest.mark.django_db
@pytest.mark.spec("P112")
def test_nobody_gets_a_new_bucket_by_writing_x_forwarded_for(client: Client, settings) -> None:
    settings.GISC_REQUESTS_PER_MINUTE = 1
    settings.GISC_TRUSTED_PROXIES = []
    statuses = [
        client.get("/oai", REMOTE_ADDR=STRANGER, headers={"x-forwarded-for": f"203.0.113.{n}"}).status_code
        for n in range(3)
    ]
    assert statuses == [200, 503, 503]


@pytest.mark.django_db
@pytest.mark.spec("P114", "P1", "E24")
def test_a_mirror_is_shown_instead_of_a_wait_with_the_whole_query(harvester, settings) -> None:
    settings.GISC_MIRROR_URL = "https://mirror.gisc.example.org"
    query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=urn%3Aa%26b%2541"
    assert [harvester(query).status_code for _ in range(2)] == [200, 200]
    away = harvester(query)
    assert away.status_code == 302
    assert away["Location"] == f"https://mirror.gisc.example.org/oai?{query}"
    assert harvester("", method="POST").status_code == 503, "a redirect would lose the body"


@pytest.mark.django_db
@pytest.mark.spec("P114")
def test_a_mirror_with_the_settings_of_its_node_sends_nobody_to_itself(harvester, settings) -> None:
    settings.GISC_MIRROR_URL = "https://Mirror.gisc.example.org"
    statuses = [harvester("verb=Identify", host="mirror.gisc.example.org").status_code for _ in range(3)]
    assert statuses == [200, 200, 503]


def test_few_answers_are_made_at_a_time() -> None:
    """The others begin when one of them is done, in whatever order."""
    now, most, together = 0, 0, threading.Barrier(8)
    lock, never = threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal now, most
        together.wait()
        for _ in range(10):
            with flow_control.slot():
                with lock:
                    now += 1
                    most = max(most, now)
                never.wait(0.001)  # the others have their chance to come in
                with lock:
                    now -= 1

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work) for _ in range(8)]:
            done.result(60)
    assert 1 <= most <= 2


def test_who_waits_for_something_slow_does_not_wait_long() -> None:
    """Two answers that take for ever stop no other one; and when they are done, there is no turn too many."""
    with flow_control.slot(), flow_control.slot():
        for _ in range(3):
            with flow_control.slot():
                pass
    test_few_answers_are_made_at_a_time()
