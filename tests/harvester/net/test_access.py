"""What a link is let in with: sent to its provider, and told to nobody else."""

import json
import logging
import tempfile
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, override_settings
from werkzeug import Response

from catalogue.models import MetadataSet
from harvester.errors import Unreachable
from harvester.links import failover
from harvester.models import Alternative, Link, Run
from harvester.net import access, client
from harvester.net.access import Access
from harvester.net.session import Session
from tests.support.certificates import folder, server_context
from tests.support.commands import printed
from tests.support.misbehaving import RawServer
from tests.support.provider import Provider, fill
from tests.support.runs import harvest, held
from tests.support.tunnel import Tunnel

USER, PASSWORD = "Bürger", "s3cret; ö: 東京"


def guard(provider: Provider) -> None:
    """Have the provider want the password."""

    def fault(_: dict[str, str]) -> Response | None:
        said = provider.requests[-1].authorization
        if said is not None and (said.username, said.password) == (USER, PASSWORD):
            return None
        return Response("no", status=401, headers={"WWW-Authenticate": "Basic"})

    provider.faults.append(fault)


def let_in(link: Link) -> Link:
    link.user = USER
    link.set_password(PASSWORD)
    link.save()
    return link


def pem(authority: str = "ca") -> str:
    return (folder() / f"{authority}.pem").read_text()


def shown(*arguments: str) -> str:
    return printed("link", *arguments)


# --- Passwords ---------------------------------------------------------------------------------------


def test_a_provider_that_wants_a_password_is_harvested_by_both_strategies(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    guard(provider)
    refused = harvest(link)
    assert refused.state == Run.State.FAILED and "set them in the link" in refused.message

    assert harvest(let_in(link)).state == Run.State.DONE
    link.strategy = Link.Strategy.IDENTIFIERS
    link.save()
    fill(provider, range(3, 6), "2026-02-02T00:00:00Z")
    assert harvest(link, full=True).state == Run.State.DONE
    assert len(held()) == 6


def test_the_password_is_told_nowhere(
    link: Link, provider: Provider, caplog: pytest.LogCaptureFixture, admin_client: Client
) -> None:
    caplog.set_level(logging.DEBUG)
    fill(provider, range(3))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')
    guard(provider)
    run = harvest(let_in(link))
    provider.faults.append(lambda arguments: Response("no", status=500))
    failed = harvest(link)

    told = [caplog.text, shown("show", "toulouse"), shown("show", "toulouse", "--json"), shown("list", "--json")]
    pages = [
        f"/admin/harvester/link/{link.pk}/change/",
        "/admin/harvester/link/",
        f"/admin/harvester/run/{run.pk}/change/",
        f"/admin/harvester/run/{failed.pk}/change/",
        f"/admin/harvester/run/{run.pk}/rejects.csv",
        "/harvest/",
        "/harvest/status.json",
        "/metrics",
    ]
    for page in pages:
        response = admin_client.get(page)
        assert response.status_code == 200, page
        told.append(response.getvalue().decode())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_jsonb(l)::text FROM harvester_link l UNION ALL SELECT to_jsonb(r)::text FROM harvester_run r"
        )
        told += [row for (row,) in cursor.fetchall()]
    assert run.rejected == 1, "the page of rejects has something to tell"
    assert all("s3cret" not in text for text in told)
    held_sealed = Link.objects.get().sealed_password
    assert held_sealed and all(held_sealed not in text for text in told[:-3])


def test_a_password_of_another_secret_key_fails_the_run_and_says_what_to_do(link: Link, provider: Provider) -> None:
    fill(provider, range(1))
    guard(provider)
    let_in(link)
    with override_settings(SECRET_KEY="another"):
        run = harvest(link)
        assert run.state == Run.State.FAILED
        assert "The password of toulouse cannot be read: it was stored under another SECRET_KEY" in run.message
        assert "Enter it again" in run.message and not provider.requests
        assert "stored under another SECRET_KEY; enter it again" in shown("show", "toulouse")
    assert harvest(link).state == Run.State.DONE, "with the former key it is as it was"


def test_a_password_is_not_given_to_another_provider_of_the_set(link: Link, provider: Provider) -> None:
    link.certificates = pem()
    link.post, link.user_agent, link.sender = True, "Other/1", "other@example.org"
    let_in(link)
    relay = Alternative.objects.create(link=link, name="relay", base_url=provider.base_url, remote_set=link.remote_set)
    failover.switch(link, relay)
    fill(provider, range(1))

    assert harvest(Link.objects.get()).state == Run.State.DONE
    request = provider.requests[-1]
    assert (request.authorization, request.method) == (None, "GET")
    assert (request.headers["User-Agent"], request.headers["From"]) == ("Other/1", "other@example.org")


@pytest.mark.parametrize(
    ("elsewhere", "allowed"),
    [
        ("https://gisc.example.org/other", True),
        ("http://gisc.example.org/oai", False),
        ("https://gisc.example.org:8443/oai", False),
        ("https://elsewhere.example.org/oai", False),
    ],
)
def test_a_password_stays_with_the_provider_that_it_was_given_for(link: Link, elsewhere: str, allowed: bool) -> None:
    link.base_url = "https://gisc.example.org/oai"
    let_in(link)
    link.base_url = elsewhere
    if allowed:
        link.full_clean()
        return
    with pytest.raises(ValidationError, match="given for another provider"):
        link.full_clean()
    link.set_password("another")
    link.full_clean()


# --- Certificates, proxies and the rest --------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "authority", "name"), [("good", "ca", "authority"), ("below", "intermediate", "provider")]
)
def test_an_authority_pasted_into_the_link_is_trusted_and_leaves_no_file(
    link: Link, provider: Provider, server: str, authority: str, name: str
) -> None:
    fill(provider, range(3))
    with RawServer(provider, context=server_context(server)).serving() as raw:
        link.base_url = raw.base_url
        link.save()
        refused = harvest(link)
        assert refused.state == Run.State.FAILED and "put that authority's certificate into the link" in refused.message
        link.certificates = pem(authority)
        link.full_clean()
        link.save()
        assert harvest(link).state == Run.State.DONE
    assert not list(Path(tempfile.gettempdir()).glob("gisc-ca-*")), "the files of the sessions are gone"
    assert f"{name} until" in shown("show", "toulouse")


def test_a_proxy_with_a_password_is_used(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    link.base_url = "http://gisc-toulouse.example.org/oai"
    link.proxy, link.proxy_user = provider.base_url.removesuffix("/oai"), "gisc"
    link.set_proxy_password("s3cret/@:")
    link.full_clean()
    link.save()

    assert harvest(link).state == Run.State.DONE
    request = provider.requests[-1]
    assert request.host == "gisc-toulouse.example.org"
    assert request.headers["Proxy-Authorization"] == "Basic Z2lzYzpzM2NyZXQvQDo="
    assert request.authorization is None


def test_a_tunnel_through_a_proxy_is_made_with_its_password(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    with RawServer(provider, context=server_context("good")).serving() as raw, Tunnel().serving() as tunnel:
        link.base_url, link.certificates = raw.base_url, pem()
        link.proxy = tunnel.url
        link.save()
        refused = harvest(link)
        assert refused.state == Run.State.FAILED and "the proxy asks for a user name and password" in refused.message
        link.proxy_user = tunnel.user
        link.set_proxy_password(tunnel.password)
        link.full_clean()
        link.save()
        assert harvest(link).state == Run.State.DONE
    assert tunnel.asked
    assert all("Proxy-Authorization" not in head for head in raw.heads), "it is for the proxy alone"


def test_a_proxy_that_is_not_there_is_named_as_the_reason() -> None:
    with (
        Session(Access(proxy="http://u:s3cret@127.0.0.1:9")) as session,
        pytest.raises(Unreachable, match="through the proxy") as raised,
    ):
        client.get(session, "https://gisc.example.org/oai", {"verb": "Identify"})
    assert "s3cret" not in str(raised.value)


def test_post_user_agent_and_from_are_the_links(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    link.post, link.user_agent, link.sender = True, "Other/1", "other@example.org"
    link.full_clean()
    link.save()
    harvest(link)
    assert {request.method for request in provider.requests} == {"POST"}
    assert provider.requests[-1].headers["User-Agent"] == "Other/1"
    assert provider.requests[-1].headers["From"] == "other@example.org"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"base_url": "https://tokyo:s3cret@gisc.example.org/oai"}, "Leave user name and password out of the address"),
        ({"user": "a:b"}, "no colon"),
        ({"user": "a\nb"}, "no control characters"),
        ({"certificates": "relative.pem"}, "absolute path"),
        ({"certificates": "/nowhere/ca.pem"}, "No such file"),
        ({"certificates": "/etc/hostname"}, "holds no certificates"),
        ({"certificates": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"}, "no certificates in PEM"),
        ({"certificates": "-----BEGIN PRIVATE KEY-----\nAAAA"}, "private key"),
        ({"proxy": "squid:3128"}, "http://host:port"),
        ({"proxy": "socks5://squid:3128"}, "http://host:port"),
        ({"proxy": "http://squid:99999"}, "http://host:port"),
        ({"proxy": "http://u:s3cret@squid:3128"}, "fields of their own"),
        ({"proxy_user": "gisc"}, "Name the proxy too"),
        ({"proxy": "http://squid:3128", "proxy_user": "東京"}, "Latin"),
        ({"user_agent": "Gießen/1"}, "ASCII"),
        ({"user_agent": "a\r\nX-Other: b"}, "one line"),
        ({"sender": "nobody"}, "email"),
    ],
    ids=str,
)
def test_what_cannot_be_sent_is_refused_with_the_reason(link: Link, changes: dict[str, str], told: str) -> None:
    for name, value in changes.items():
        setattr(link, name, value)
    with pytest.raises(ValidationError) as raised:
        link.full_clean()
    assert told in str(raised.value) and "s3cret" not in str(raised.value)
    assert set(raised.value.message_dict) == {list(changes)[-1]}


def test_a_proxys_name_may_be_one_of_the_local_network(link: Link) -> None:
    link.proxy = "http://squid:3128"
    link.full_clean()


def test_names_and_ends_of_certificates_are_told() -> None:
    assert access.describe_certificates(pem()).startswith("authority until ")
    assert access.describe_certificates("-----BEGIN CERTIFICATE-----\n!") == "cannot be read"
    assert access.describe_certificates("/etc/ca.pem") == "/etc/ca.pem"


# --- The command line --------------------------------------------------------------------------------


def test_a_link_is_added_with_what_it_is_let_in_with(
    toulouse: MetadataSet, provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(provider, range(2))
    guard(provider)
    (tmp_path / "password").write_text(f"{PASSWORD}\n", encoding="utf-8")
    arguments = ["--set", toulouse.spec, "--user", USER, "--password-file", str(tmp_path / "password")]
    call_command("link", "add", "toulouse", provider.base_url, *arguments, "--prefix", "ISO19139")
    link = Link.objects.get()
    assert harvest(link).state == Run.State.DONE

    facts = json.loads(shown("show", "toulouse", "--json"))["access"]
    assert (facts["user"], facts["password"]) == (USER, "kept")
    assert "s3cret" not in shown("show", "toulouse") + capsys.readouterr().out
    assert json.loads(shown("check", "toulouse", "--json"))["repository_name"] == "Test"


def test_the_access_of_a_link_is_changed_and_taken_away(link: Link, tmp_path: Path) -> None:
    certificates, password = tmp_path / "ca.pem", tmp_path / "password"
    certificates.write_text(pem())
    password.write_text("s3cret")
    call_command("link", "access", "toulouse", "--certificates", str(certificates), "--post", "--user", "tokyo")
    call_command("link", "access", "toulouse", "--password-file", str(password))
    link.refresh_from_db()
    assert (link.access().user, link.access().password, link.access().post) == ("tokyo", "s3cret", True)
    certificates.unlink()
    assert link.access().certificates == pem(), "the file is not needed any more"

    call_command("link", "access", "toulouse", "--user", "", "--no-post", "--certificates", "")
    link.refresh_from_db()
    assert link.access() == Access()
    assert link.sealed_password == ""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "Say what to change"),
        (["--password-file", "/nowhere"], "No such file"),
        (["--user", "x", "--password-file", "/dev/null"], "no password in its first line"),
        (["--password-file", "{password}"], "needs a user name"),
        (["--proxy", "squid"], "http://host:port"),
    ],
    ids=str,
)
def test_a_wrong_option_changes_nothing(link: Link, tmp_path: Path, options: list[str], told: str) -> None:
    (tmp_path / "password").write_text("s3cret")
    with pytest.raises(CommandError, match=told) as raised:
        call_command("link", "access", "toulouse", *(each.format(password=tmp_path / "password") for each in options))
    assert "s3cret" not in str(raised.value)
    assert Link.objects.get().access() == Access()


def test_an_alternative_keeps_no_password_in_its_address(link: Link) -> None:
    alternative = Alternative(link=link, name="relay", base_url="https://u:s3cret@gisc.example.org/oai", remote_set="s")
    with pytest.raises(ValidationError, match="shown to everybody") as raised:
        alternative.full_clean()
    assert "s3cret" not in str(raised.value)
