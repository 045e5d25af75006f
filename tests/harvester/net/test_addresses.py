"""Where requests may go: what was judged is what is connected to, and no address leads elsewhere than it seems to.

Real servers at two addresses of this host, and a table of names in place of the resolver.
"""

import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from catalogue.models import MetadataSet
from catalogue.reasons import ActRefused
from harvester.errors import FaultCode, RefusedByProvider, Unreachable
from harvester.models import Link
from harvester.net import client, networks
from harvester.net.access import Access
from harvester.net.session import Session
from harvester.rows import moved_address

NOT_PUBLIC = [
    "64:ff9b::7f00:1",  # NAT64 of 127.0.0.1
    "64:ff9b::a9fe:a9fe",  # NAT64 of 169.254.169.254
    "64:ff9b::c0a8:101",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",  # 6to4
    "2002:a00:1::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",  # Teredo of 127.0.0.1
    "::127.0.0.1",
    "::10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "2001:db8::5efe:127.0.0.1",  # ISATAP
    "fec0::1",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "ff02::1",
    "224.0.0.1",
    "::",
    "::1",
    "0.0.0.0",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "192.168.1.1",
    "255.255.255.255",
]
PUBLIC = ["128.1.1.1", "2a00:1450:4001:81b::200e", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"]


@pytest.mark.spec("F95")
@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_counts_as_what_it_leads_to(address: str) -> None:
    assert not networks.is_public(address)
    assert not networks.is_redirect_allowed(["128.1.1.1"], [address])
    assert not networks.is_redirect_allowed([], [address])


@pytest.mark.spec("F95")
@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public_in_every_form(address: str) -> None:
    assert networks.is_redirect_allowed(["10.0.0.1"], [address])


@pytest.mark.spec("F95")
def test_a_host_without_an_address_and_one_of_special_use_are_no_targets() -> None:
    assert not networks.is_redirect_allowed(["128.1.1.1"], [])
    assert not networks.is_redirect_allowed(["169.254.1.1"], ["169.254.169.254"])
    assert networks.is_redirect_allowed(["169.254.1.1"], ["169.254.1.1"])
    assert networks.is_redirect_allowed(["10.0.0.1"], ["10.0.0.1"])
    assert not networks.is_redirect_allowed(["10.0.0.1"], ["10.0.0.2"])


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "localhost", "a.localhost."]
)
def test_an_address_is_known_in_each_way_to_write_it(host: str) -> None:
    assert networks.literal(host) in (["127.0.0.1"], ["::1"])
    assert networks.literal("gisc.example.org") == []


# --- Over real connections ----------------------------------------------------------------------------


def _own_address() -> str:
    """An address of this host that is not loopback; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this host has no address but 127.0.0.1")
        return str(probe.getsockname()[0])


class Site:
    """A web server at one address: `location` is where it redirects to, `asked` the paths."""

    def __init__(self, address: str) -> None:
        self.address, self.location = address, ""
        self.asked: list[str] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.asked.append(self.path)
                body = b"<secret/>"
                redirects = bool(site.location) and "arrived" not in self.path
                self.send_response(302 if redirects else 200)
                if redirects:
                    self.send_header("Location", site.location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]


@contextmanager
def site(address: str) -> Iterator[Site]:
    running = Site(address)
    thread = threading.Thread(target=running.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.server.shutdown()
        running.server.server_close()
        thread.join()


@pytest.fixture
def outside() -> Iterator[Site]:
    """A provider that is not on loopback."""
    with site(_own_address()) as running:
        yield running


@pytest.fixture
def inside() -> Iterator[Site]:
    """What only processes of this host should reach."""
    with site("127.0.0.1") as running:
        yield running


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Add names with the answers of their resolver: one after the other, the last one for ever."""
    table: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def answer(host: Any, port: Any, *values: Any, **options: Any) -> Any:
        if host in table:
            answers = table[host]
            host = answers.pop(0) if len(answers) > 1 else answers[0]
        return real(host, port, *values, **options)

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return lambda name, *answers: table.update({name: list(answers)})


def ask(url: str, access: Access | None = None) -> client.Reply:
    with Session(access) as session:
        return client.get(session, url, {"verb": "Identify"}, client.INTERACTIVE_LIMITS)


def refused(url: str) -> None:
    with pytest.raises(RefusedByProvider) as why:
        ask(url)
    assert why.value.code == FaultCode.REDIRECT_PRIVATE


Names = Callable[..., None]


@pytest.mark.spec("F95")
@pytest.mark.parametrize("written", ["127.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]", "127.1", "localhost", "inner.test"])
def test_a_redirect_to_this_host_is_not_followed(outside: Site, inside: Site, names: Names, written: str) -> None:
    names("inner.test", "127.0.0.1")
    outside.location = f"http://{written}:{inside.port}/oai?arrived"
    refused(f"http://{outside.address}:{outside.port}/oai")
    assert inside.asked == []


@pytest.mark.spec("F95")
def test_a_name_that_changes_between_judging_and_connecting_leads_to_what_was_judged(
    outside: Site, inside: Site, names: Names
) -> None:
    """The provider's resolver says its own address first, and 127.0.0.1 from then on."""
    names("rebind.test", outside.address, "127.0.0.1")
    outside.location = f"http://rebind.test:{inside.port}/oai?arrived"
    with pytest.raises((RefusedByProvider, Unreachable)):
        ask(f"http://{outside.address}:{outside.port}/oai")
    assert inside.asked == []


@pytest.mark.spec("F95")
def test_the_providers_own_name_may_not_turn_inwards_in_a_redirect(outside: Site, inside: Site, names: Names) -> None:
    names("provider.test", outside.address, "127.0.0.1")
    outside.location = f"http://provider.test:{inside.port}/oai?arrived"
    refused(f"http://provider.test:{outside.port}/oai")
    assert inside.asked == []


@pytest.mark.spec("F95")
def test_a_name_with_one_private_address_among_others_is_refused(outside: Site, inside: Site, names: Names) -> None:
    names("inner.test", "127.0.0.1")
    outside.location = f"http://inner.test:{inside.port}/oai?arrived"
    refused(f"http://{outside.address}:{outside.port}/oai")


def test_an_open_connection_is_judged_again_before_a_redirect_uses_it(outside: Site, inside: Site) -> None:
    """The operator's link to a server on this host left it open; another link of the session is redirected there."""
    outside.location = f"http://127.0.0.1:{inside.port}/oai?arrived"
    with Session() as session:
        arguments = {"verb": "Identify"}
        client.get(session, f"http://127.0.0.1:{inside.port}/oai", arguments, client.INTERACTIVE_LIMITS)
        with pytest.raises(RefusedByProvider):
            client.get(session, f"http://{outside.address}:{outside.port}/oai", arguments, client.INTERACTIVE_LIMITS)
    assert inside.asked == ["/oai?verb=Identify"]


def test_a_base_url_that_an_operator_typed_may_be_private_and_redirect_to_itself_only(
    inside: Site, names: Names
) -> None:
    names("ours.test", "127.0.0.1")
    inside.location = f"http://127.0.0.1:{inside.port}/oai?arrived"
    assert ask(f"http://ours.test:{inside.port}/oai").body == b"<secret/>"

    inside.location = f"http://127.0.0.2:{inside.port}/oai?arrived"
    with pytest.raises(RefusedByProvider) as why:
        ask(f"http://ours.test:{inside.port}/oai")
    assert why.value.code == FaultCode.REDIRECT_PRIVATE


def test_a_redirect_to_a_name_without_an_address_gives_no_answer(outside: Site) -> None:
    outside.location = "http://nowhere.invalid/oai?arrived"
    with pytest.raises(Unreachable) as why:
        ask(f"http://{outside.address}:{outside.port}/oai")
    assert why.value.code == FaultCode.REDIRECT_NO_ANSWER


@pytest.mark.spec("F95")
@pytest.mark.parametrize("written", ["127.0.0.1", "2130706433", "localhost", "[::127.0.0.1]", "169.254.169.254"])
def test_behind_a_proxy_addresses_that_are_written_out_are_judged(outside: Site, written: str) -> None:
    """The server at `outside` serves as the proxy, too: it is asked with the whole URL."""
    outside.location = f"http://{written}/oai?arrived"
    with pytest.raises(RefusedByProvider) as why:
        ask("http://provider.test/oai", Access(proxy=f"http://{outside.address}:{outside.port}"))
    assert why.value.code == FaultCode.REDIRECT_PRIVATE
    assert len(outside.asked) == 1


def test_behind_a_proxy_names_are_left_to_the_proxy(outside: Site) -> None:
    outside.location = "http://elsewhere.test/oai?arrived"
    reply = ask("http://provider.test/oai", Access(proxy=f"http://{outside.address}:{outside.port}"))
    assert reply.body == b"<secret/>"


@pytest.mark.spec("H27")
@pytest.mark.parametrize(
    "there", ["http://inner.test/oai", "http://nowhere.invalid/oai", "http://[64:ff9b::7f00:1]/oai"]
)
def test_a_moved_address_that_is_private_or_nowhere_is_not_accepted(
    toulouse: MetadataSet, names: Names, there: str
) -> None:
    names("inner.test", "127.0.0.1")
    names("provider.test", "128.1.1.1")
    link = Link.objects.create(
        name="t", base_url="http://provider.test/oai", remote_set=toulouse.spec, local_set=toulouse, moved_to=there
    )
    with pytest.raises(ActRefused, match="has no address, or one that is not on the public network"):
        moved_address.accept(link, there)
