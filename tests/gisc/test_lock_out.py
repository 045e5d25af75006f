"""Sign-ins are locked after too many failures, and nobody can lock out somebody else."""

import io
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client, RequestFactory

from catalogue import seams
from gisc import env
from gisc.accounts.lock_out import LIMITS, counted_address

pytestmark = pytest.mark.django_db
PASSWORD = "an operator's password"
PROXY, OFFICE, ATTACKER = "172.18.0.1", "192.0.2.7", "203.0.113.66"
IN, REFUSED, LOCKED = 302, 200, 429


@pytest.fixture(autouse=True)
def people(db: None) -> None:
    for name in ("yuki", "anna"):
        user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
        user.groups.add(Group.objects.get(name="operator"))


@pytest.fixture
def behind_proxy(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GISC_TRUSTED_PROXIES", f"{PROXY}/32")
    settings.GISC_TRUSTED_PROXIES = env.networks("GISC_TRUSTED_PROXIES")


def sign_in(name: str, client: str, password: str = PASSWORD, *, peer: str = PROXY, forwarded: str = "") -> int:
    """The status of a sign-in of a client behind the proxy, or of the peer itself where it is another one."""
    headers = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded or client}
    answer = Client().post("/admin/login/", {"username": name, "password": password}, **headers)
    return answer.status_code


def guess(name: str, client: str, times: int = 10, **more: str) -> list[int]:
    return [sign_in(name, client, "wrong", **more) for _ in range(times)]


def an_hour_later() -> None:
    for attempt in AccessAttempt.objects.all():
        attempt.attempt_time -= timedelta(minutes=61)
        attempt.save()


def test_who_guesses_at_one_address_locks_out_nobody_at_another(behind_proxy: None) -> None:
    assert guess("yuki", ATTACKER) == [REFUSED] * 9 + [LOCKED]
    assert sign_in("yuki", ATTACKER) == LOCKED, "not even with the right password"
    assert sign_in("yuki", OFFICE) == IN
    assert sign_in("anna", OFFICE) == IN
    assert sign_in("anna", ATTACKER) == IN, "another person at the same address has done nothing"


def test_a_proxy_that_nobody_has_declared_makes_no_one_lock_out_all() -> None:
    """All clients have the proxy's address then: the name that was guessed is locked, and no other."""
    assert guess("yuki", ATTACKER)[-1] == LOCKED
    assert sign_in("anna", OFFICE) == IN


def test_an_address_that_a_client_makes_up_evades_nothing(behind_proxy: None) -> None:
    """X-Forwarded-For of a peer that is no proxy is not read; behind a proxy the last address counts, which it has added."""
    outside = [sign_in("yuki", "", "wrong", peer=ATTACKER, forwarded=f"10.0.0.{n}") for n in range(10)]
    assert outside[-1] == LOCKED and sign_in("yuki", "", peer=ATTACKER, forwarded="10.0.0.99") == LOCKED
    behind = [sign_in("anna", "", "wrong", forwarded=f"10.0.0.{n}, {ATTACKER}") for n in range(10)]
    assert behind[-1] == LOCKED
    assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {ATTACKER}
    made_up = sign_in("yuki", "", peer=PROXY, forwarded=f"{ATTACKER}, {OFFICE}")
    assert made_up == IN, "and no client gets another one locked by naming its address"


def test_a_host_has_all_addresses_of_its_ipv6_network(behind_proxy: None) -> None:
    found = [sign_in("yuki", f"2001:db8:0:1::{n:x}", "wrong") for n in range(1, 11)]
    assert found[-1] == LOCKED
    assert sign_in("yuki", "2001:db8:0:1:ffff::9") == LOCKED
    assert sign_in("yuki", "2001:db8:0:2::9") == IN


def test_guesses_from_many_hosts_are_stopped_but_not_the_person_who_has_been_here(behind_proxy: None) -> None:
    assert sign_in("yuki", OFFICE) == IN
    with LIMITS.replaced(of_a_name=12):
        for host in range(1, 5):
            guess("yuki", f"203.0.113.{host}", 3)
        assert sign_in("yuki", "203.0.113.77") == LOCKED, "a new host has no try left, not even with the right password"
        assert sign_in("yuki", OFFICE) == IN, "the office where she signed in lately has its own"
        assert sign_in("anna", "203.0.113.77") == IN
        counted = sum(AccessAttempt.objects.values_list("failures_since_start", flat=True))
        guess("yuki", "203.0.113.78", 20)
        assert sum(AccessAttempt.objects.values_list("failures_since_start", flat=True)) == counted
        an_hour_later()
        assert sign_in("yuki", "203.0.113.77") == IN, "tries during the lock have not prolonged it"


def test_where_she_signed_in_long_ago_counts_no_more(behind_proxy: None) -> None:
    sign_in("yuki", OFFICE)
    AccessLog.objects.update(attempt_time=seams.now() - timedelta(days=91))
    with LIMITS.replaced(of_a_name=3):
        guess("yuki", ATTACKER, 3)
        assert sign_in("yuki", OFFICE) == LOCKED


def test_one_password_for_many_names_is_stopped_too(behind_proxy: None) -> None:
    assert sign_in("anna", ATTACKER) == IN
    with LIMITS.replaced(of_an_address=12):
        assert [sign_in(f"name{n}", ATTACKER, "wrong") for n in range(12)] == [REFUSED] * 12
        assert sign_in("yuki", ATTACKER) == LOCKED
        assert sign_in("anna", ATTACKER) == IN, "she has signed in from there before"
        assert sign_in("yuki", OFFICE) == IN


def test_an_administrator_and_the_command_line_end_a_lock(behind_proxy: None, admin_client: Client) -> None:
    guess("yuki", ATTACKER)
    rows = [str(pk) for pk in AccessAttempt.objects.values_list("pk", flat=True)]
    admin_client.post("/admin/axes/accessattempt/", {"action": "unlock", "_selected_action": rows})
    assert sign_in("yuki", ATTACKER) == IN
    guess("yuki", OFFICE)
    assert sign_in("yuki", OFFICE) == LOCKED
    call_command("axes_reset_username", "yuki", stdout=io.StringIO())
    assert sign_in("yuki", OFFICE) == IN


def test_the_answer_says_what_to_do(behind_proxy: None) -> None:
    guess("yuki", ATTACKER)
    data = {"username": "yuki", "password": PASSWORD}
    answer = Client().post("/admin/login/", data, REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=ATTACKER)
    assert "try again in an hour, or ask an administrator" in answer.content.decode()


def test_a_proxy_that_is_missing_in_the_settings_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    sign_in("yuki", OFFICE, "wrong")
    sign_in("yuki", OFFICE, "wrong", peer=ATTACKER.replace("203.0.113", "8.8.8"))
    hints = [getattr(record, "hint", "") for record in caplog.records if record.message == "sign-in failed"]
    assert len(hints) == 2
    assert hints[0].startswith(f"if {PROXY} is your proxy, write it in GISC_TRUSTED_PROXIES") and hints[1] == ""


def test_who_comes_by_a_socket_has_no_address(rf: RequestFactory) -> None:
    assert counted_address(rf.get("/", REMOTE_ADDR="")) is None
