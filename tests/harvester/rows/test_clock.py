"""The clocks: a real SNTP server on a real UDP socket, and providers whose clocks are wrong (W19)."""

import logging
import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from catalogue.models import MetadataSet
from harvester.models import HostClock, Link
from harvester.rows.clocks import check_host_clock
from tests.support.provider import Provider, fill
from tests.support.runs import harvest
from tests.support.sntp import SntpServer, sntp_server

ANY_NAN = pytest.approx(math.nan, nan_ok=True)


@pytest.fixture
def sntp(settings) -> Iterator[SntpServer]:
    with sntp_server() as server:
        settings.GISC_NTP_SERVERS = [server.address]
        yield server


@contextmanager
def silent() -> Iterator[str]:
    """The address of a server that does not answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{udp.getsockname()[1]}"


def figures(client: Client) -> dict[str, float]:
    lines = client.get("/metrics").content.decode().splitlines()
    found = [line.split() for line in lines if line.startswith("gisc_clock_")]
    return {name.removeprefix("gisc_clock_"): float(value) for name, value in found}


def part(client: Client) -> tuple[str, str]:
    """State and code of the clock in the health of the node."""
    found = client.get("/health/ready").json()["parts"]["clock"]
    return found["state"], found["code"]


@pytest.mark.django_db
def test_a_server_is_asked_where_services_have_no_names(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in images of containers without the file /etc/services."""
    asked = []

    def resolve(host: str, port: str | int, *_: object, **__: object) -> None:
        asked.append((host, port))
        raise socket.gaierror("Servname not supported for ai_socktype")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    settings.GISC_NTP_SERVERS = ["ntp.example.org"]
    check_host_clock(timezone.now())
    assert asked == [("ntp.example.org", 123)]


@pytest.mark.spec("W19")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("ahead_s", "state", "found"),
    [
        (0.0, "ok", ("ok", "ok")),
        (5.0, "wrong by +5.0 s", ("degraded", "clock-wrong")),
        (-3.0, "wrong by -3.0 s", ("degraded", "clock-wrong")),
        (120.0, "wrong by +120.0 s", ("degraded", "clock-wrong")),
    ],
)
def test_the_offset_of_this_host_is_measured_and_told(
    sntp: SntpServer,
    client: Client,
    admin_client: Client,
    ahead_s: float,
    state: str,
    found: tuple[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    sntp.ahead_s = ahead_s

    with caplog.at_level(logging.ERROR, logger="harvester.rows.clocks"):
        clock = check_host_clock(timezone.now())

    assert clock is not None and clock.offset_s == pytest.approx(ahead_s, abs=0.5)
    assert bool(caplog.records) is (state != "ok")
    health = client.get("/health/ready")
    assert health.status_code == 200 and health.json()["clock"].startswith(state)
    assert part(client) == found
    assert figures(client) == {
        "offset_seconds": clock.offset_s,
        "known": 1,
        "age_seconds": pytest.approx(0, abs=60),
    }
    assert client.get("/harvest/status.json").json()["parts"]["clock"] == found[0]
    assert ("The clock of this host is wrong" in admin_client.get("/admin/").content.decode()) is (found[0] != "ok")
    assert ("The clock of this host is wrong" in admin_client.get("/admin/harvester/link/").content.decode()) is (
        found[0] != "ok"
    )


@pytest.mark.django_db
def test_how_wrong_a_clock_may_be_is_a_setting(sntp: SntpServer, client: Client, settings) -> None:
    settings.GISC_CLOCK_LIMIT_SECONDS = 10
    sntp.ahead_s = 5.0
    check_host_clock(timezone.now())
    assert part(client) == ("ok", "ok")


@pytest.mark.django_db
def test_the_next_server_is_asked_when_one_is_silent(sntp: SntpServer, settings) -> None:
    with silent() as other:
        settings.GISC_NTP_SERVERS = [other, sntp.address]

        found = check_host_clock(timezone.now())

    assert found is not None and found.server == sntp.address


@pytest.mark.django_db
def test_no_answer_is_told_and_not_asked_for_at_every_tick(settings, client: Client) -> None:
    with silent() as server:
        settings.GISC_NTP_SERVERS = [server]
        now = timezone.now()
        assert check_host_clock(now) is not None
        assert client.get("/health/ready").json()["clock"] == "no NTP server answered"
        assert check_host_clock(now + timedelta(seconds=30)) is None
    assert part(client) == ("degraded", "ntp-silent")
    assert figures(client) == {"offset_seconds": ANY_NAN, "known": 0, "age_seconds": ANY_NAN}


@pytest.mark.django_db
def test_what_was_measured_last_stays_when_the_servers_fall_silent(
    sntp: SntpServer, settings, client: Client, admin_client: Client
) -> None:
    sntp.ahead_s = 0.5
    now = timezone.now()
    measured = check_host_clock(now)
    with silent() as server:
        settings.GISC_NTP_SERVERS = [server]
        assert check_host_clock(now + timedelta(minutes=1)) is not None
    assert part(client) == ("degraded", "ntp-silent")
    assert figures(client) == {"offset_seconds": measured.offset_s, "known": 0, "age_seconds": pytest.approx(0, abs=60)}
    assert "No NTP server answers; the clock was wrong by +0.5 s" in admin_client.get("/admin/").content.decode()


@pytest.mark.django_db
def test_a_wrong_clock_stays_wrong_until_it_is_measured_again(sntp: SntpServer, settings, client: Client) -> None:
    sntp.ahead_s = -60.0
    now = timezone.now()
    check_host_clock(now)
    with silent() as server:
        settings.GISC_NTP_SERVERS = [server]
        check_host_clock(now + timedelta(minutes=1))
    assert part(client) == ("degraded", "clock-wrong")
    settings.GISC_NTP_SERVERS = [sntp.address]
    sntp.ahead_s = 0.0
    check_host_clock(now + timedelta(minutes=2))
    HostClock.objects.update(measured=timezone.now())
    assert part(client) == ("ok", "ok")


@pytest.mark.django_db
def test_a_clock_that_steps_back_is_checked_at_the_next_tick(sntp: SntpServer, client: Client) -> None:
    """While the clock was an hour ahead it was checked; since it is right again that check lies in the future."""
    sntp.ahead_s = -3600.0
    check_host_clock(timezone.now() + timedelta(hours=1))
    assert part(client) == ("degraded", "clock-wrong")
    sntp.ahead_s = 0.0
    assert check_host_clock(timezone.now()) is not None
    assert part(client) == ("ok", "ok")


@pytest.mark.django_db
def test_a_measurement_that_is_old_says_nothing(sntp: SntpServer, client: Client) -> None:
    check_host_clock(timezone.now())
    HostClock.objects.update(measured=timezone.now() - timedelta(minutes=11))
    assert part(client) == ("unknown", "clock-check-old")
    assert client.get("/health/ready").json()["clock"] == "not checked for long"
    assert figures(client)["known"] == 0


@pytest.mark.django_db
def test_without_servers_nothing_is_asked_and_nothing_is_called_ok(client: Client, admin_client: Client) -> None:
    assert check_host_clock(timezone.now()) is None
    assert not HostClock.objects.exists()
    assert "clock" not in client.get("/health/ready").json()
    assert part(client) == ("unknown", "clock-not-checked")
    assert figures(client) == {"offset_seconds": ANY_NAN, "known": 0, "age_seconds": ANY_NAN}
    assert "The clock of this host is not checked" in admin_client.get("/admin/").content.decode()


@pytest.mark.django_db
def test_without_servers_the_clocks_of_three_providers_that_agree_are_believed(
    toulouse: MetadataSet, client: Client
) -> None:
    for number in range(3):
        assert part(client) == ("unknown", "clock-not-checked")
        Link.objects.create(name=f"l{number}", base_url="http://x.example.org/oai", local_set=toulouse, skew_s=120.0)
    assert part(client) == ("degraded", "clock-differs")


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
