"""Signing in: sessions that end, and the second factor with its tries, recovery codes and resets."""

import io
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalogue import seams
from gisc.audit.models import Act

pytestmark = pytest.mark.django_db
PASSWORD = "an operator's password"
PAGE, ASKS = "/admin/second-factor/", "/admin/second-factor/sign-in/"


@pytest.fixture
def operator() -> User:
    user = User.objects.create_user("yuki", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))
    return user


def signed_in() -> Client:
    client = Client()
    assert client.post("/admin/login/", {"username": "yuki", "password": PASSWORD}).status_code == 302
    return client


def test_who_signs_in_on_the_page_itself_gets_to_the_dashboard(operator: User) -> None:
    client = Client()
    there = client.post("/admin/login/", {"username": "yuki", "password": PASSWORD}, follow=True)
    assert (there.redirect_chain, there.status_code) == ([("/admin/", 302)], 200)


def code_of(user: User) -> str:
    """What the phone shows now. A code counts once, so the key forgets that one was used."""
    TOTPDevice.objects.filter(user=user).update(last_t=-1, throttling_failure_count=0)
    return f"{TOTP(TOTPDevice.objects.get(user=user).bin_key).token():06d}"


def set_up(client: Client, user: User) -> list[str]:
    """Set up the second factor as a person does; the recovery codes."""
    page = client.post(PAGE, {"act": "begin"}).content.decode()
    assert "<svg" in page and "<script" not in page[page.index("<svg") : page.index("</svg>")]
    done = client.post(PAGE, {"act": "confirm", "code": code_of(user)})
    codes = done.context["codes"]
    assert len(codes) == 10 and all(code in done.content.decode() for code in codes)
    return codes


# --- Sessions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ago"), [("begun", timedelta(hours=25)), ("used", timedelta(minutes=121))])
def test_a_session_ends_by_age_and_without_use(operator: User, name: str, ago: timedelta) -> None:
    client = signed_in()
    assert client.get("/admin/harvester/link/").status_code == 200
    session = client.session
    session[name] = (seams.now() - ago).isoformat()
    session.save()
    response = client.get("/admin/harvester/link/?q=a")
    assert response.status_code == 302 and response["Location"].startswith("/admin/login/?next=/admin/harvester/link/")
    assert "You were signed out" in client.get(response["Location"]).content.decode()


def test_use_keeps_a_session_and_a_session_of_the_version_before_goes_on(operator: User) -> None:
    client = signed_in()
    session = client.session
    session["used"] = (seams.now() - timedelta(minutes=60)).isoformat()
    del session["begun"]
    session.save()
    assert client.get("/admin/harvester/link/").status_code == 200
    assert client.session["used"] > (seams.now() - timedelta(minutes=1)).isoformat() and client.session["begun"]


# --- The second factor ---------------------------------------------------------------------------------


def test_without_a_second_factor_nothing_changes(operator: User) -> None:
    client = signed_in()
    assert client.get("/admin/harvester/link/").status_code == 200
    assert client.get(ASKS)["Location"] == "/admin/"


def test_once_set_up_the_password_alone_opens_nothing(operator: User) -> None:
    set_up(signed_in(), operator)
    client = signed_in()
    for path in ("/admin/", "/admin/harvester/link/", PAGE, "/admin/password_change/", "/admin/harvester/link/add/"):
        for response in (client.get(path), client.post(path, {"act": "remove", "code": "1"})):
            assert response.status_code == 302 and response["Location"].startswith(ASKS), path
    page = client.get("/admin/harvester/link/", follow=True)
    assert "six digits" in page.content.decode()
    done = client.post(ASKS, {"code": code_of(operator), "next": "/admin/harvester/link/"})
    assert done["Location"] == "/admin/harvester/link/"
    assert client.get("/admin/harvester/link/").status_code == 200


def test_a_code_counts_once(operator: User) -> None:
    set_up(signed_in(), operator)
    code = code_of(operator)
    assert signed_in().post(ASKS, {"code": code}).status_code == 302
    assert "not right" in signed_in().post(ASKS, {"code": code}).content.decode()


def test_a_recovery_code_lets_in_once(operator: User) -> None:
    first, *_ = set_up(signed_in(), operator)
    client = signed_in()
    assert client.post(ASKS, {"code": first.upper()}).status_code == 302
    assert client.get("/admin/harvester/link/").status_code == 200
    assert StaticToken.objects.count() == 9
    assert "9 recovery codes are left" in client.get(PAGE).content.decode()
    assert "not right" in signed_in().post(ASKS, {"code": first}).content.decode()


def test_the_tries_are_limited_by_the_key_and_by_the_lock_of_sign_ins(operator: User) -> None:
    set_up(signed_in(), operator)
    client = signed_in()
    client.post(ASKS, {"code": "000000"})
    right = f"{TOTP(TOTPDevice.objects.get().bin_key).token():06d}"
    TOTPDevice.objects.update(last_t=-1)
    assert client.post(ASKS, {"code": right}).status_code == 200, "too soon after a wrong one"
    for _ in range(9):
        client.post(ASKS, {"code": "000000"})
    assert AccessAttempt.objects.get().failures_since_start >= 10
    assert client.post(ASKS, {"code": code_of(operator)}).status_code in (200, 403, 429), "locked for an hour"
    assert client.get("/admin/harvester/link/").status_code == 302


def test_the_second_factor_leads_to_no_other_host(operator: User) -> None:
    set_up(signed_in(), operator)
    for there in ("https://evil.example.org/admin/", "//evil.example.org/admin/", "/"):
        assert signed_in().post(ASKS, {"code": code_of(operator), "next": there})["Location"] == "/admin/"


def test_it_is_renewed_and_removed_with_a_code(operator: User) -> None:
    client = signed_in()
    old = set_up(client, operator)
    assert "not right" in client.post(PAGE, {"act": "remove", "code": "zzzz"}).content.decode()
    new = client.post(PAGE, {"act": "renew", "code": code_of(operator)}).context["codes"]
    assert len(new) == 10 and not set(new) & set(old)
    assert client.post(PAGE, {"act": "remove", "code": code_of(operator)}).status_code == 302
    assert not TOTPDevice.objects.exists() and not StaticToken.objects.exists()
    assert signed_in().get("/admin/harvester/link/").status_code == 200
    assert [act.act for act in Act.objects.all()] == [
        "second factor removed",
        "new recovery codes made",
        "second factor set up",
    ]


def test_a_role_may_demand_it(operator: User, settings: object) -> None:
    settings.GISC_SECOND_FACTOR_ROLES = ["operator"]
    client = signed_in()
    response = client.get("/admin/harvester/link/", follow=True)
    assert response.redirect_chain == [(PAGE, 302)] and "Your role needs a second factor" in response.content.decode()
    set_up(client, operator)
    assert client.get("/admin/harvester/link/").status_code == 200
    client.post(PAGE, {"act": "remove", "code": code_of(operator)})
    assert TOTPDevice.objects.exists()
    settings.GISC_SECOND_FACTOR_ROLES = ["superuser"]
    assert Client().post("/admin/login/", {"username": "yuki", "password": PASSWORD}).status_code == 302


def test_an_administrator_resets_it_but_not_that_of_a_superuser(operator: User, admin_user: User) -> None:
    set_up(signed_in(), operator)
    TOTPDevice.objects.create(user=admin_user, confirmed=True)
    administrator = User.objects.create_user("boss", is_staff=True)
    administrator.groups.add(Group.objects.get(name="administrator"))
    client = Client()
    client.force_login(administrator)
    chosen = {"action": "reset_second_factor", "_selected_action": [str(operator.pk), str(admin_user.pk)]}
    said = client.post("/admin/auth/user/", chosen, follow=True).content.decode()
    assert "1 accounts have no second factor any more" in said and "only a superuser may change it: admin" in said
    assert [device.user for device in TOTPDevice.objects.all()] == [admin_user]
    assert signed_in().get("/admin/harvester/link/").status_code == 200


def test_the_command_lets_in_whoever_is_locked_out(operator: User) -> None:
    set_up(signed_in(), operator)
    said = io.StringIO()
    call_command("second_factor", "list", "--json", stdout=said)
    call_command("second_factor", "reset", "yuki", stdout=said)
    assert said.getvalue().split("\n")[:2] == ['{"yuki": true}', "yuki: the second factor is removed"]
    assert signed_in().get("/admin/harvester/link/").status_code == 200
    with pytest.raises(CommandError):
        call_command("second_factor", "reset", "nobody")


def test_a_key_that_was_never_confirmed_asks_for_nothing_and_goes(operator: User) -> None:
    from gisc import upkeep

    signed_in().post(PAGE, {"act": "begin"})
    assert signed_in().get("/admin/harvester/link/").status_code == 200
    TOTPDevice.objects.update(created_at=seams.now() - timedelta(days=2))
    upkeep.clean_up()
    assert not TOTPDevice.objects.exists()


def test_keys_are_shown_to_nobody(admin_client: Client) -> None:
    assert admin_client.get("/admin/otp_totp/totpdevice/").status_code == 404


# --- Passwords -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["short", "password1234", "91827364554637", "yuki-operator"])
def test_a_weak_password_is_refused(admin_client: Client, password: str) -> None:
    data = {"username": "yuki-operator", "password1": password, "password2": password, "usable_password": "true"}
    assert admin_client.post("/admin/auth/user/add/", data).status_code == 200
    assert not User.objects.filter(username="yuki-operator").exists()
