"""A provider that has moved for good: proposed to the operator, and taken at a person's word (H27)."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue.reasons import ActRefused, Reason
from harvester.links import edit, failover
from harvester.models import Alternative, Link, Run
from harvester.net import networks
from harvester.reasons import ActCode
from harvester.rows import moved_address
from tests.support.commands import printed
from tests.support.link_admin import LINKS, messages
from tests.support.provider import Provider, fill
from tests.support.runs import at, harvest

pytestmark = pytest.mark.django_db


@pytest.fixture
def moved(link: Link, provider: Provider, httpserver: HTTPServer) -> Link:
    """A link to the provider's former address, which redirects for good."""
    fill(provider, range(3))

    def redirect(request) -> Response:
        return Response("", 301, {"Location": f"{provider.base_url}?{request.query_string.decode()}"})

    httpserver.expect_request("/old").respond_with_handler(redirect)
    link.base_url = httpserver.url_for("/old")
    link.save()
    return link


@pytest.mark.spec("H27")
def test_a_new_address_is_proposed_and_not_taken(moved: Link, provider: Provider, client: Client) -> None:
    run = harvest(moved)
    assert run.state == Run.State.DONE
    moved.refresh_from_db()
    assert (moved.moved_to, moved.base_url.endswith("/old")) == (provider.base_url, True)
    assert client.get("/harvest/status.json").json()["links"][0]["moved_to"] == provider.base_url
    assert json.loads(printed("link", "show", "toulouse", "--json"))["moved_to"] == provider.base_url


@pytest.mark.spec("H27")
def test_a_redirect_that_cannot_be_followed_proposes_its_address_too(
    link: Link, provider: Provider, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/old").respond_with_data("", 301, {"Location": provider.base_url})
    link.base_url = httpserver.url_for("/old")
    link.save()
    run = harvest(link)
    assert run.state == Run.State.FAILED and "drops the arguments" in run.message
    link.refresh_from_db()
    assert link.moved_to == provider.base_url


def test_a_proposal_goes_when_the_provider_takes_it_back_and_stays_when_it_is_silent(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(1))
    Link.objects.update(moved_to="https://gisc.example.org/new")
    provider.faults.append(lambda arguments: Response("busy", status=503))
    harvest(Link.objects.get())
    assert Link.objects.get().moved_to
    provider.faults.clear()
    Run.objects.update(state=Run.State.CANCELLED)
    harvest(Link.objects.get())
    assert Link.objects.get().moved_to == ""


def test_an_accepted_address_is_asked_from_where_the_last_list_ended(moved: Link, provider: Provider) -> None:
    harvest(moved)
    moved.refresh_from_db()
    assert "goes on from where" in moved_address.accept(moved, provider.base_url)
    accepted = Link.objects.get()
    assert (accepted.base_url, accepted.moved_to) == (provider.base_url, "")
    assert accepted.harvested_to == at("2026-02-01T00:00:00Z")
    run = harvest(accepted)
    assert run.state == Run.State.DONE and "from" in provider.lists[-1]
    assert Link.objects.get().moved_to == ""


def test_only_the_address_that_was_seen_is_accepted(moved: Link, provider: Provider) -> None:
    harvest(moved)
    for other in ("", "https://elsewhere.example.org/oai"):
        with pytest.raises(ActRefused, match="proposes") as refused:
            moved_address.accept(moved, other)
        assert refused.value.reason == Reason(ActCode.OTHER_ADDRESS, {"proposed": provider.base_url})
    assert Link.objects.get().base_url == moved.base_url


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("http://127.0.0.1/oai", "https://127.0.0.1/oai", True),
        ("http://127.0.0.1/oai", "http://127.0.0.1/new", True),
        ("https://127.0.0.1/oai", "https://127.0.0.1:8443/oai", False),
        ("https://localhost/oai", "https://127.0.0.1/oai", False),
    ],
)
def test_a_password_does_not_move_to_another_host(link: Link, before: str, after: str, kept: bool) -> None:
    link.base_url, link.moved_to, link.user = before, after, "tokyo"
    link.set_password("s3cret")
    link.save()
    told = moved_address.accept(link, after)
    assert ("enter them again" in told) is not kept
    access = Link.objects.get().access()
    assert (access.user, access.password) == (("tokyo", "s3cret") if kept else ("", ""))


@pytest.mark.spec("H27")
def test_an_address_of_a_more_private_kind_is_not_accepted(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        networks, "resolve", lambda host: ["10.0.0.1"] if host.startswith("intranet") else ["128.1.1.1"]
    )
    link.base_url, link.moved_to = "https://gisc.example.org/oai", "https://intranet.example.org/oai"
    link.save()
    with pytest.raises(ActRefused, match="not on the public network"):
        moved_address.accept(link, link.moved_to)
    assert Link.objects.get().base_url == "https://gisc.example.org/oai"


@pytest.mark.spec("W21")
def test_our_own_address_is_not_accepted(link: Link, settings) -> None:
    link.base_url, link.moved_to = "http://127.0.0.1:1/oai", f"{settings.GISC_BASE_URL}/oai"
    link.save()
    with pytest.raises(ActRefused, match="itself|our own|this node"):
        moved_address.accept(link, link.moved_to)


def test_an_alternative_that_moves_is_not_taken_for_the_links_own(moved: Link, provider: Provider) -> None:
    relay = Alternative.objects.create(link=moved, name="relay", base_url=moved.base_url, remote_set=moved.remote_set)
    failover.switch(moved, relay)
    assert harvest(Link.objects.get()).state == Run.State.DONE
    assert Link.objects.get().moved_to == ""


def test_a_base_url_that_is_edited_ends_the_proposal(link: Link) -> None:
    link.moved_to, link.base_url = "https://gisc.example.org/new", "https://gisc.example.org/other"
    edit.save(link, {"base_url"})
    assert Link.objects.get().moved_to == ""


def test_the_operator_accepts_in_the_administration(moved: Link, provider: Provider, admin_client: Client) -> None:
    harvest(moved)
    page = admin_client.get(f"{LINKS}{moved.pk}/change/").content.decode()
    assert "Accept the new address" in page and provider.base_url in page
    stale = admin_client.post(f"{LINKS}{moved.pk}/run/", {"accept_move": "https://elsewhere/"}, follow=True)
    assert "stays as it is" in messages(stale)
    done = admin_client.post(f"{LINKS}{moved.pk}/run/", {"accept_move": provider.base_url}, follow=True)
    assert f"is now {provider.base_url}" in messages(done)
    assert "Accept the new address" not in done.content.decode()


def test_the_action_of_the_list_accepts_for_each(moved: Link, provider: Provider, admin_client: Client) -> None:
    harvest(moved)
    data = {"action": "accept_move", "_selected_action": [moved.pk]}
    assert "is now" in messages(admin_client.post(LINKS, data, follow=True))
    assert "proposes no other address" in messages(admin_client.post(LINKS, data, follow=True))


def test_the_command_line_accepts(moved: Link, provider: Provider) -> None:
    with pytest.raises(CommandError, match="proposes no other address"):
        call_command("link", "accept-move", "toulouse")
    harvest(moved)
    call_command("link", "accept-move", "toulouse")
    assert Link.objects.get().base_url == provider.base_url
