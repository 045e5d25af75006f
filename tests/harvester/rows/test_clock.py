"""The clocks: a real SNTP server on a real UDP socket, and providers whose clocks are wrong (W19)."""

import logging
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from harvester.models import HostClock, Link
from harvester.rows.health import check_host_clock
from tests.support.provider import Provider, fill
from tests.support.runs import harvest

_SINCE_1900_S = 2_208_988_800
Serve = Callable[[float], str]


@pytest.fixture
def sntp() -> Iterator[Serve]:
    """Start a server whose clock is so many seconds ahead; its address."""
    sockets: list[socket.socket] = []

    def serve(ahead_s: float) -> str:
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        sockets.append(server)

        def answer() -> None:
            while True:
                try:
                    asked, peer = server.recvfrom(512)
                except OSError:
                    return  # closed at the end of the test
                if not asked:
                    return
                stamp = int((time.time() + _SINCE_1900_S + ahead_s) * 2**32)
                head = struct.pack(
                    "!BBbb11I", 0x24, 1, 6, -20, 0, 0, 0, 0, 0, *struct.unpack("!2I", asked[40:48]), 0, 0, 0, 0
                )
                server.sendto(head[:32] + struct.pack("!QQ", stamp, stamp), peer)

        threading.Thread(target=answer, daemon=True).start()
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield serve
    for server in sockets:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", server.getsockname())
        server.close()


@pytest.mark.spec("W19")
@pytest.mark.django_db
@pytest.mark.parametrize(("ahead_s", "state"), [(0.0, "ok"), (5.0, "wrong by +5.0 s"), (-3.0, "wrong by -3.0 s")])
def test_the_offset_of_this_host_is_measured_and_told(
    sntp: Serve, client: Client, settings, ahead_s: float, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings.GISC_NTP_SERVERS = [sntp(ahead_s)]

    with caplog.at_level(logging.ERROR, logger="harvester.rows.health"):
        found = check_host_clock(timezone.now())

    assert found is not None and found.offset_s == pytest.approx(ahead_s, abs=0.5)
    assert bool(caplog.records) is (state != "ok")
    health = client.get("/health/ready")
    assert health.status_code == 200 and health.json()["clock"].startswith(state)
    assert "gisc_clock_offset_seconds" in client.get("/metrics").content.decode()


@pytest.mark.django_db
def test_the_next_server_is_asked_when_one_is_silent(sntp: Serve, settings) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        settings.GISC_NTP_SERVERS = [f"127.0.0.1:{silent.getsockname()[1]}", sntp(0)]

        found = check_host_clock(timezone.now())

    assert found is not None and found.server == settings.GISC_NTP_SERVERS[1]


@pytest.mark.django_db
def test_no_answer_is_told_and_not_asked_for_at_every_tick(settings, client: Client) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        settings.GISC_NTP_SERVERS = [f"127.0.0.1:{silent.getsockname()[1]}"]
        now = timezone.now()
        assert check_host_clock(now) is not None
        assert client.get("/health/ready").json()["clock"] == "no NTP server answered"
        assert check_host_clock(now + timedelta(minutes=9)) is None
    assert "gisc_clock_offset_seconds" not in client.get("/metrics").content.decode()


@pytest.mark.django_db
def test_without_servers_nothing_is_asked(client: Client) -> None:
    assert check_host_clock(timezone.now()) is None
    assert not HostClock.objects.exists()
    assert "clock" not in client.get("/health/ready").json()


@pytest.mark.spec("W19")
@pytest.mark.parametrize(
    ("ahead_s", "told"), [(0, ""), (30, "30 s ahead of ours."), (-30, "30 s behind ours."), (600, "tell the provider")]
)
def test_a_providers_wrong_clock_is_told(
    link: Link, provider: Provider, client: Client, ahead_s: int, told: str
) -> None:
    fill(provider, range(1))
    provider.now = f"{timezone.now() + timedelta(seconds=ahead_s):%Y-%m-%dT%H:%M:%SZ}"

    run = harvest(link)

    assert ("clock" in run.message) is bool(told)
    skew_s = Link.objects.get().skew_s
    assert skew_s == pytest.approx(ahead_s, abs=4)
    assert f'gisc_link_clock_skew_seconds{{link="toulouse"}} {skew_s}' in client.get("/metrics").content.decode()
    if told.startswith("tell"):
        assert told in run.message
