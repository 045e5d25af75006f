"""F85 to F106: transport."""

import socket
import struct
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import urlsplit

from django.conf import settings
from werkzeug import Response

from harvester.models import Run
from harvester.net import client
from tests.harvester.faults.fault_cases import Case, Outcome
from tests.harvester.faults.fault_lists import NOTHING
from tests.support.certificates import server_context
from tests.support.misbehaving import Arguments, World, first_page, first_time, later_page, listing, whole
from tests.support.provider import continued, identifier

DONE, RETRIED, FAILED = Outcome.DONE, Outcome.RETRIED, Outcome.FAILED
FIRST_PAGE = frozenset({0, 1})


def status(code: int, when=listing, body: str = "no", **headers: str):
    """Requests for which `when` holds get this status."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda world: world.answer(when, lambda a: Response(body, status=code, headers=sent))


def in_two_minutes(world: World) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)
    status(503, first_time(later_page), Retry_After=at)(world)


def redirect(code: int, to: str, when=lambda a: True):
    """Requests are redirected to another path of the same server, with their arguments."""

    def arrange(world: World) -> None:
        def answer(arguments: Arguments) -> Response:
            request = world.provider.requests[-1]
            query = request.query_string.decode()
            return Response(status=code, headers={"Location": f"{to}?{query}" if "?" not in to else to})

        server = world.provider.server
        server.expect_request("/new/oai").respond_with_handler(world.provider._answer)
        moved = lambda a: when(a) and world.provider.requests[-1].path == "/oai"  # noqa: E731
        world.answer(moved, answer)

    return arrange


def circle(world: World) -> None:
    def answer(arguments: Arguments) -> Response:
        return Response(status=302, headers={"Location": f"/oai?verb={arguments['verb']}&turn={len(arguments) % 2}"})

    world.answer(lambda a: True, answer)


def drops_the_query(world: World) -> None:
    world.answer(listing, lambda a: Response(status=301, headers={"Location": "/new/oai"}))


def no_credentials_asked(world: World) -> None:
    assert len(world.provider.lists) == 1


def cookie_for_the_token(world: World) -> None:
    def refuse(arguments: Arguments) -> bool:
        return later_page(arguments) and world.provider.requests[-1].cookies.get("session") != "s3cret"

    def answer(arguments: Arguments) -> Response:
        response = Response(world.provider.say(arguments), content_type="text/xml")
        response.set_cookie("session", "s3cret")
        return response

    world.answer(first_page, answer)
    world.answer(refuse, lambda a: world.error("badResumptionToken"))


def only_by_post(world: World) -> None:
    world.answer(lambda a: world.provider.requests[-1].method == "GET", lambda a: Response("no", status=405))


def agent_refused(world: World) -> None:
    status(403)(world)


def agent_was_clear(world: World) -> None:
    headers = world.provider.requests[-1].headers
    assert settings.GISC_NAME in headers["User-Agent"]
    assert headers["From"] == settings.GISC_ADMIN_EMAIL


def reset(world: World) -> None:
    once = first_time(later_page)

    def misbehave(connection: socket.socket, arguments: Arguments) -> bool:
        if not once(arguments):
            return False
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        return True

    world.on_raw_server(misbehave)


def breaks_off(world: World) -> None:
    once = first_time(later_page)

    def misbehave(connection: socket.socket, arguments: Arguments) -> bool:
        if not once(arguments):
            return False
        connection.sendall(whole(world.provider.say(arguments))[:-500])
        return True

    world.on_raw_server(misbehave)


MAX_DRIPS = 200


def drip(*, in_headers: bool):
    """An answer of which a byte comes now and then: no read takes long, and the whole would take for ever."""

    def arrange(world: World) -> None:
        world.until_end.enter_context(client.LIMITS.replaced(connect_s=5, read_s=5, total_s=0.4))
        once = first_time(later_page)
        world.notes["drips"] = 0

        def misbehave(connection: socket.socket, arguments: Arguments) -> bool:
            if not once(arguments):
                return False
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nX-Drip: "
            connection.sendall(head if in_headers else head + b"\r\n\r\n<OAI-PMH>")
            connection.settimeout(0.05)
            while world.notes["drips"] < MAX_DRIPS:
                connection.sendall(b"a")
                world.notes["drips"] += 1
                try:
                    if connection.recv(1) == b"":
                        break  # the client has had enough
                except TimeoutError:
                    pass  # it is still there: that was the pause
            return True

        world.on_raw_server(misbehave)

    return arrange


def it_was_left_early(world: World) -> None:
    assert 0 < world.notes["drips"] < MAX_DRIPS


def a_page_at_a_time(world: World) -> None:
    world.notes["work"] = {"for_s": 0}


def not_restarted(world: World) -> None:
    assert [("resumptionToken" in a) for a in world.provider.lists] == [False, True, True]


def tls(kind: str):
    """The provider is behind TLS with this certificate."""

    def arrange(world: World) -> None:
        world.raw.context = server_context(kind)
        world.point_to(world.raw.base_url.replace("http:", "https:"))

    return arrange


def nowhere(world: World) -> None:
    world.point_to("http://gisc-nowhere.invalid/oai")


def proxy_page(world: World) -> None:
    """Everything goes through a proxy, which answers by itself the first time."""
    parts = urlsplit(world.provider.base_url)
    world.monkeypatch.setenv("http_proxy", f"http://{parts.netloc}")
    world.monkeypatch.setenv("no_proxy", "")
    once = first_time(listing)
    world.answer(once, lambda a: Response("<html>The proxy is sorry</html>", content_type="text/html"))
    world.point_to("http://gisc-toulouse.example.org/oai")


def password_asked(world: World) -> None:
    def wrong(arguments: Arguments) -> bool:
        given = world.provider.requests[-1].authorization
        return given is None or (given.username, given.password) != ("tokyo", "s3cret")

    world.answer(wrong, lambda a: Response("who are you?", status=401))


def password_given(world: World) -> None:
    password_asked(world)
    world.point_to(world.link.base_url.replace("://", "://tokyo:s3cret@"))


def dead_address_first(world: World) -> None:
    """The host has two addresses, and nobody listens at the first."""
    real = socket.getaddrinfo

    def both(host: str, port: int, *args: int, **options: int):
        found = real(host, port, *args, **options)
        if host != "localhost":
            return found
        return [(*entry[:4], ("127.0.0.2", port)) for entry in found if entry[0] == socket.AF_INET] + found

    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.2", urlsplit(world.provider.base_url).port)) != 0
    world.monkeypatch.setattr(socket, "getaddrinfo", both)


def one_bad_record(world: World) -> None:
    status(500, lambda a: later_page(a) or (a["verb"] == "GetRecord" and a["identifier"] == identifier(3)))(world)


def gone_round(world: World) -> None:
    run = Run.objects.get()
    assert (run.strategy, run.rejected) == ("identifiers", 0)
    asked = [a["identifier"] for a in world.provider.asked_for("GetRecord")]
    assert set(asked) >= {identifier(number) for number in (2, 3, 4)}


def no_secret_is_told(world: World) -> None:
    assert all("s3cret" not in run.message for run in Run.objects.all())


CASES = [
    Case(
        85, "503 with Retry-After in seconds", status(503, first_time(later_page), Retry_After="7"), RETRIED, "in 7 s"
    ),
    Case(86, "503 with Retry-After as a date", in_two_minutes, RETRIED, "HTTP 503"),
    Case(87, "503 without Retry-After", status(503, first_time(later_page)), RETRIED, "in 300 s"),
    Case(88, "429 without Retry-After", status(429, first_time(later_page)), RETRIED, "in 60 s"),
    Case(88, "429 with Retry-After", status(429, first_time(later_page), Retry_After="9"), RETRIED, "in 9 s"),
    Case(89, "500 on one token, always", status(500, later_page), RETRIED, "HTTP 500", check=gone_round),
    Case(
        *(89, "500 on one token, always, because of one record", one_bad_record, RETRIED, "HTTP 500"),
        stored=frozenset({0, 1, 2, 4}),
        rejects=("it cannot be had",),
    ),
    Case(
        *(89, "500 on one token, always, of headers too", status(500, continued), FAILED, "HTTP 500"),
        stored=FIRST_PAGE,
    ),
    Case(90, "504 for a while", status(504, first_time(later_page, 3)), RETRIED, "HTTP 504"),
    Case(91, "403 to machines", status(403), FAILED, "let this node's requests through", stored=NOTHING),
    Case(
        *(91, "a challenge sent as 503", status(503, cf_mitigated="challenge"), FAILED, "challenge for browsers"),
        stored=NOTHING,
        check=no_credentials_asked,
    ),
    Case(92, "404", status(404), FAILED, "nothing at this address", stored=NOTHING),
    Case(92, "410", status(410), FAILED, "has gone from this address", stored=NOTHING),
    *(
        Case(93, f"{code} to another path", redirect(code, "/new/oai"), DONE, "has moved for good to")
        for code in (301, 308)
    ),
    *(Case(93, f"{code} to another path", redirect(code, "/new/oai"), DONE) for code in (302, 303, 307)),
    Case(94, "a redirect loop", circle, FAILED, "redirects", stored=NOTHING),
    Case(94, "a redirect that drops the query", drops_the_query, FAILED, "drops the arguments", stored=NOTHING),
    Case(
        94,
        "a redirect to a broken host",
        redirect(302, "http://gisc-nowhere.invalid/oai"),
        FAILED,
        "The provider redirects to http://gisc-nowhere.invalid/oai",
        stored=NOTHING,
    ),
    Case(
        95,
        "a redirect to an internal address",
        redirect(302, "http://169.254.169.254/latest"),
        FAILED,
        "was not followed",
        stored=NOTHING,
    ),
    Case(96, "a session cookie for the token", cookie_for_the_token, DONE, check=no_secret_is_told),
    Case(97, "only POST works", only_by_post, DONE),
    Case(98, "the user agent is refused", agent_refused, FAILED, "User-Agent", stored=NOTHING, check=agent_was_clear),
    Case(99, "connection reset", reset, RETRIED, "the connection was cut"),
    Case(99, "the answer breaks off", breaks_off, RETRIED, "broke off"),
    Case(
        100,
        "a slow drip of the body",
        drip(in_headers=False),
        RETRIED,
        "not complete after 0.4 s",
        check=it_was_left_early,
    ),
    Case(
        100,
        "a slow drip of the headers",
        drip(in_headers=True),
        RETRIED,
        "not complete after 0.4 s",
        check=it_was_left_early,
    ),
    Case(101, "a very slow provider", a_page_at_a_time, Outcome.RESUMED, check=not_restarted),
    *(
        Case(102, f"TLS: {kind}", tls(kind), FAILED, "cannot be trusted", stored=NOTHING)
        for kind in ("expired", "wrong name", "private authority")
    ),
    Case(103, "DNS failure", nowhere, FAILED, "No answer from http://gisc-nowhere.invalid/oai", stored=NOTHING),
    Case(104, "a proxy error page", proxy_page, RETRIED, "The proxy is sorry"),
    Case(105, "basic authentication needed", password_asked, FAILED, "user name and password", stored=NOTHING),
    Case(105, "basic authentication given", password_given, DONE, check=no_secret_is_told),
    Case(106, "one of several addresses is dead", dead_address_first, DONE),
]
