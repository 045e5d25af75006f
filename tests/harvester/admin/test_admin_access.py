"""The access of a link in the admin: passwords go in, and never come out."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from werkzeug import Response

from catalogue.models import MetadataSet
from harvester.models import Link
from tests.support.link_admin import LINKS, LOOK, PLAIN, form, messages, unchanged
from tests.support.provider import Provider, fill

pytestmark = pytest.mark.django_db


@pytest.fixture
def guarded(link: Link, provider: Provider) -> Link:
    """A link whose provider wants a password, which it has."""

    def fault(_: dict[str, str]) -> Response | None:
        said = provider.requests[-1].authorization
        right = said is not None and (said.username, said.password) == ("tokyo", "s3cret")
        return None if right else Response("no", status=401)

    provider.faults.append(fault)
    fill(provider, range(1))
    link.user = "tokyo"
    link.set_password("s3cret")
    link.save()
    return link


def password(link: Link) -> str:
    return Link.objects.get(pk=link.pk).access().password


def test_a_link_is_added_with_a_password_that_no_page_shows(admin_client: Client, toulouse: MetadataSet) -> None:
    data = form(
        user="tokyo", password=" s3cret ö ", proxy="http://squid:3128", proxy_user="p", proxy_password="s3cret2"
    )
    response = admin_client.post(PLAIN, data, follow=True)
    link = Link.objects.get()
    assert (link.access().password, link.access().proxy) == (" s3cret ö ", "http://p:s3cret2@squid:3128")
    assert "s3cret" not in response.content.decode()
    page = admin_client.get(f"{LINKS}{link.pk}/change/").content.decode()
    assert "s3cret" not in page and link.sealed_password not in page
    assert page.count("one is kept, and not shown") == 2


def test_a_wrong_form_does_not_give_the_password_back(admin_client: Client, toulouse: MetadataSet) -> None:
    page = admin_client.post(PLAIN, form(name="", user="tokyo", password="s3cret")).content.decode()
    assert "This field is required" in page and "s3cret" not in page


def test_an_empty_password_keeps_the_one_there_is_and_an_empty_user_forgets_it(
    admin_client: Client, guarded: Link
) -> None:
    page = f"{LINKS}{guarded.pk}/change/"
    assert "unencrypted" in messages(admin_client.post(page, unchanged(guarded, user="tokyo"), follow=True))
    assert password(guarded) == "s3cret"
    admin_client.post(page, unchanged(guarded, user="tokyo", password="other"))
    assert password(guarded) == "other"
    admin_client.post(page, unchanged(guarded))
    assert Link.objects.get().sealed_password == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"password": "s3cret"}, "A password needs a user name"),
        ({"user": "a", "password": "s3\x07cret"}, "control characters"),
        ({"proxy_password": "s3cret"}, "A password needs a user name"),
        ({"proxy": "http://p:1", "proxy_user": "a", "proxy_password": "東京"}, "Latin"),
        ({"base_url": "https://a:s3cret@gisc.example.org/oai"}, "fields of their own"),
    ],
    ids=str,
)
def test_a_wrong_access_is_shown_and_not_saved(
    admin_client: Client, toulouse: MetadataSet, changes: dict[str, str], told: str
) -> None:
    response = admin_client.post(PLAIN, form(**changes))
    assert response.status_code == 200 and told in response.content.decode()
    assert not Link.objects.exists()


def test_a_link_that_is_turned_to_another_provider_needs_its_password_anew(admin_client: Client, guarded: Link) -> None:
    page = f"{LINKS}{guarded.pk}/change/"
    changed = unchanged(guarded, user="tokyo") | {"base_url": "https://elsewhere.example.org/oai"}
    assert "given for another provider" in admin_client.post(page, changed).content.decode()
    assert Link.objects.get().base_url == guarded.base_url
    assert admin_client.post(page, changed | {"password": "new"}).status_code == 302
    assert password(guarded) == "new"


def test_who_may_only_look_sees_no_password_field(client: Client, guarded: Link) -> None:
    user = User.objects.create_user("looker", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_link"))
    client.force_login(user)
    page = client.get(f"{LINKS}{guarded.pk}/change/")
    assert page.status_code == 200
    assert "tokyo" in page.content.decode() and guarded.sealed_password not in page.content.decode()


def test_retrieve_info_asks_with_what_stands_in_the_form(
    admin_client: Client, guarded: Link, provider: Provider
) -> None:
    data = {"base_url": provider.base_url, "prefix": "ISO19139", "user": "tokyo", "password": "s3cret"}
    page = admin_client.post(LOOK, data | {"user_agent": "Other/1"}).content.decode()
    assert "Protocol version" in page and "s3cret" not in page
    assert provider.requests[-1].headers["User-Agent"] == "Other/1"
    assert "set them in the link" in admin_client.post(LOOK, data | {"password": "wrong"}).content.decode()


def test_retrieve_info_uses_the_password_that_is_kept_but_for_its_provider_only(
    admin_client: Client, guarded: Link, provider: Provider
) -> None:
    data = {"base_url": provider.base_url, "prefix": "ISO19139", "user": "tokyo"}
    kept = f"{LOOK}?link={guarded.pk}"
    assert "Protocol version" in admin_client.post(kept, data).content.decode()
    assert "set them in the link" in admin_client.post(LOOK, data).content.decode()

    before = len(provider.requests)
    elsewhere = provider.base_url.replace("localhost", "127.0.0.1")
    page = admin_client.post(kept, data | {"base_url": elsewhere}).content.decode()
    assert "given for another provider" in page
    assert len(provider.requests) == before, "nobody was asked"
    assert password(guarded) == "s3cret"


def test_only_who_may_change_a_link_may_ask_with_its_password(client: Client, guarded: Link) -> None:
    user = User.objects.create_user("adder", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_link"))
    client.force_login(user)
    assert client.post(f"{LOOK}?link={guarded.pk}", {"base_url": guarded.base_url}).status_code == 403
