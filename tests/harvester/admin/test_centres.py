"""The list of centres in the administration, its CSV files, and the addresses that are offered for a link."""

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from harvester.links import exchange
from harvester.models import Alternative, Centre, Link
from tests.support.link_admin import LINKS, LOOK, form, messages
from tests.support.provider import Provider
from tests.support.world import TOULOUSE

CENTRES = "/admin/harvester/centre/"


@pytest.fixture
def centres(db: None) -> None:
    Centre.objects.all().delete()
    Centre.objects.create(
        name="Toulouse",
        country="France",
        set_spec=TOULOUSE.spec,
        base_urls=["https://second.example.org/oai", "https://me:secret@third.example.org/oai"],
        is_active=True,
    )
    Centre.objects.create(
        name="Exeter", set_spec="WIS-GISC-EXETER", base_urls=["https://exeter.example.org/oai"], is_active=True
    )
    Centre.objects.create(name="Tehran", set_spec="WIS-GISC-TEHRAN")


def file(text: str) -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("list.csv", text.encode(), content_type="text/csv")}


def test_the_list_says_which_centres_are_missing_and_leads_to_a_link(
    admin_client: Client, centres: None, link: Link, django_assert_max_num_queries
) -> None:
    page = admin_client.get(CENTRES).content.decode()
    assert "0 of 2 centres harvested, 2 missing: Exeter (no link), Toulouse (no complete list yet)." in page
    assert f'href="{LINKS}{link.pk}/change/"' in page
    add = f"{LINKS}add/?set=WIS-GISC-EXETER&amp;base_url=https%3A%2F%2Fexeter.example.org%2Foai"
    assert f'href="{add}"' in page
    assert "not to be harvested" in page and "not known" in page
    offered = admin_client.get(add.replace("&amp;", "&")).content.decode()
    assert 'value="https://exeter.example.org/oai"' in offered

    Centre.objects.bulk_create(Centre(name=f"C{number}", set_spec=f"WIS-GISC-C{number}") for number in range(40))
    with django_assert_max_num_queries(12):
        admin_client.get(CENTRES)


def test_a_centre_is_written_by_its_form(admin_client: Client, centres: None) -> None:
    fields = {
        "name": "Seoul",
        "country": "",
        "set_spec": "WIS-GISC-SEOUL",
        "contact": "",
        "latitude": "37.6",
        "longitude": "",
    }
    urls = "https://a.example.org/oai\r\nhttps://b.example.org/oai\r\n"
    answer = admin_client.post(f"{CENTRES}add/", {**fields, "base_urls": urls}, follow=True)
    assert "successfully" in messages(answer)
    seoul = Centre.objects.get(name="Seoul")
    assert seoul.base_urls == ["https://a.example.org/oai", "https://b.example.org/oai"]
    page = admin_client.get(f"{CENTRES}{seoul.pk}/change/").content.decode()
    assert "https://a.example.org/oai\nhttps://b.example.org/oai" in page
    answer = admin_client.post(f"{CENTRES}{seoul.pk}/change/", {**fields, "base_urls": "nowhere"})
    assert "nowhere is no address" in answer.content.decode()
    admin_client.post(CENTRES, {"action": "mark_active", "_selected_action": [seoul.pk]})
    seoul.refresh_from_db()
    assert seoul.is_active


@pytest.mark.parametrize(("list_of", "name"), [(CENTRES, "centres"), (LINKS, "links")])
def test_a_list_is_exported_and_imported(
    admin_client: Client, centres: None, link: Link, list_of: str, name: str
) -> None:
    page = admin_client.get(list_of).content.decode()
    assert f'href="{list_of}import/"' in page and f'href="{list_of}export/"' in page
    exported = admin_client.get(f"{list_of}export/")
    assert exported["Content-Disposition"] == f'attachment; filename="{name}.csv"'
    text = exported.content.decode()
    if list_of == CENTRES:
        Centre.objects.filter(name="Toulouse").update(base_urls=["https://second.example.org/oai"])
        text = admin_client.get(f"{list_of}export/").content.decode()
    assert "name" in admin_client.get(f"{list_of}import/").content.decode()

    answer = admin_client.post(f"{list_of}import/", file(text), follow=True)

    assert "0 added, 0 changed, " in messages(answer)
    wrong = text.splitlines()[0] + "\nx\n"
    answer = admin_client.post(f"{list_of}import/", file(wrong))
    assert "Line 2 has 1 columns instead of" in answer.content.decode()


def test_only_who_may_add_and_change_may_import(client: Client, centres: None, link: Link) -> None:
    user = User.objects.create_user("viewer", password="x", is_staff=True)
    client.force_login(user)
    for list_of in (CENTRES, LINKS):
        assert client.get(f"{list_of}export/").status_code == 403
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_centre", "view_link", "add_link"]))
    before = exchange.export_centres() + exchange.export_links()
    for list_of in (CENTRES, LINKS):
        assert client.get(f"{list_of}export/").status_code == 200
        assert client.get(f"{list_of}import/").status_code == 403
        assert client.post(f"{list_of}import/", file("name\nx\n")).status_code == 403
        page = client.get(list_of).content.decode()
        assert f'href="{list_of}export/"' in page and f'href="{list_of}import/"' not in page
    assert client.post(f"{LINKS}{link.pk}/alternative/", {"base_url": "https://x.example.org/oai"}).status_code == 403
    assert "Use as alternative" not in client.get(f"{LINKS}{link.pk}/change/").content.decode()
    assert exchange.export_centres() + exchange.export_links() == before
    assert not link.alternatives.exists()


def test_an_address_of_the_centre_becomes_an_alternative_with_one_click(
    admin_client: Client, centres: None, link: Link
) -> None:
    address = f"{LINKS}{link.pk}/change/"
    page = admin_client.get(address).content.decode()
    assert "https://second.example.org/oai" in page and "third.example.org" not in page

    offered = {"base_url": "https://second.example.org/oai", "name": "Toulouse"}
    answer = admin_client.post(f"{LINKS}{link.pk}/alternative/", offered, follow=True)

    assert "toulouse can turn to Toulouse: https://second.example.org/oai." in messages(answer)
    other = link.alternatives.get()
    assert (other.base_url, other.prefix, other.remote_set, other.position) == (
        "https://second.example.org/oai",
        link.prefix,
        link.remote_set,
        1,
    )
    assert "Use as alternative" not in admin_client.get(address).content.decode()
    answer = admin_client.post(f"{LINKS}{link.pk}/alternative/", {"base_url": "nowhere", "name": "x"}, follow=True)
    assert "The alternative was not added." in messages(answer)
    assert admin_client.get(f"{LINKS}{link.pk}/alternative/").status_code == 405


def test_a_relay_of_another_link_is_offered(admin_client: Client, centres: None, link: Link) -> None:
    other = Link.objects.create(
        name="other", base_url="https://o.example.org/oai", local_set=link.local_set, enabled=False
    )
    Alternative.objects.create(link=other, name="relay", base_url="https://relay.example.org/oai", remote_set="x")
    page = admin_client.get(f"{LINKS}{link.pk}/change/").content.decode()
    assert "https://relay.example.org/oai, an alternative of another link" in page
    page = admin_client.get(f"{LINKS}{other.pk}/change/").content.decode()
    assert "an alternative of another link" not in page


def test_friends_that_the_provider_names_are_offered(
    admin_client: Client, centres: None, link: Link, provider: Provider
) -> None:
    provider.description = (
        '<description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/">'
        "<baseURL>https://exeter.example.org/oai</baseURL><baseURL>https://relay.example.org/oai</baseURL>"
        f"<baseURL>{link.base_url}</baseURL><baseURL>javascript:alert(1)</baseURL></friends></description>"
    )
    page = admin_client.post(f"{LOOK}?link={link.pk}", form(base_url=link.base_url)).content.decode()
    assert "https://exeter.example.org/oai (Exeter), a friend that the provider names" in page
    assert f"{LINKS}add/?base_url=https%3A%2F%2Fexeter.example.org%2Foai&amp;set=WIS-GISC-EXETER" in page
    assert 'name="base_url" value="https://relay.example.org/oai"' in page
    assert 'href="javascript' not in page and 'value="javascript' not in page
