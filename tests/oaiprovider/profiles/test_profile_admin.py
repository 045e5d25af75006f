"""Profiles and containers in the admin, as an operator uses them, and what a harvester would see."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from lxml import etree

from catalogue import oai
from catalogue.models import MetadataSet
from oaiprovider import models, preview
from oaiprovider.models import IdentifyDescription, Profile
from oaiprovider.terms import ANY
from tests.support import asking, stylesheets, world

pytestmark = pytest.mark.django_db
PROFILES = "/admin/oaiprovider/profile/"
PREVIEW = f"{PROFILES}preview/"
CONTAINERS = "/admin/oaiprovider/identifydescription/"
DRIVER = "DRIVER/2.1 (harvester)"


@pytest.fixture(autouse=True)
def _any() -> None:
    models.ensure_any(using="default")


def form(**changes: object) -> dict[str, object]:
    """The fields of a profile for DRIVER that shows our own set, as the form sends them."""
    fields = {
        "name": "DRIVER",
        "match": "DRIVER",
        "networks": "192.0.2.0/24, 2001:db8::/32",
        "sets": [world.own_set().pk],
        "page_records": "5",
        "admin_emails": "a@gisc.example.org, b@gisc.example.org",
        "may_be_limited": "on",
    }
    return {name: value for name, value in (fields | changes).items() if value is not None}


def errors(response) -> dict[str, str]:
    assert response.status_code == 200, "a form that is refused is shown again"
    return {name: " ".join(sentences) for name, sentences in response.context["adminform"].form.errors.items()}


def messages(response) -> str:
    assert response.status_code == 200, response.status_code
    return " ".join(str(message) for message in response.context["messages"])


def text(response) -> str:
    """What the page says, without the markup."""
    assert response.status_code == 200
    return " ".join(" ".join(etree.HTML(response.content.decode()).itertext()).split())


@pytest.mark.spec("G16", "G1", "G17")
def test_a_profile_is_added_and_served_at_once(admin_client: Client, client: Client) -> None:
    response = admin_client.post(f"{PROFILES}add/", form(), follow=True)
    assert "DRIVER does not show WIS-CATALOGUE; never give this profile to a peer GISC." in messages(response)
    made = Profile.objects.get(name="DRIVER")
    assert (made.networks, made.everything, made.page_records) == (["192.0.2.0/24", "2001:db8::/32"], False, 5)
    assert made.admin_emails == ["a@gisc.example.org", "b@gisc.example.org"]
    answer = client.get("/oai?verb=ListSets", REMOTE_ADDR="192.0.2.7", headers={"user-agent": DRIVER})
    assert asking.read(answer).find("//o:setSpec/text()") == [world.OUR_SPEC]
    assert world.OUR_SPEC in text(admin_client.get(PROFILES))


@pytest.mark.spec("G16", "G17")
@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"match": "**"}, "match", "fits every User-Agent"),
        ({"networks": "192.0.2.9/24"}, "networks", "write 192.0.2.0/24"),
        ({"networks": "192.0.2.0/24, here"}, "networks", "here is no network"),
        ({"sets": [999_999]}, "sets", "not one of the available choices"),
        ({"sets": None}, "sets", "Choose at least one set"),
        ({"everything": "on"}, "sets", "have no effect"),
        ({"admin_emails": "a@localhost"}, "admin_emails", "no address that other centres can reach"),
        ({"formats": "marc21"}, "formats", "no crosswalk to marc21"),
        ({"page_sets": "10001"}, "page_sets", "less than or equal to 10000"),
        ({"name": ANY}, "name", "already exists"),
    ],
)
def test_what_cannot_be_served_is_refused_where_it_stands(
    admin_client: Client, changes: dict[str, object], field: str, sentence: str
) -> None:
    response = admin_client.post(f"{PROFILES}add/", form(**changes))
    assert sentence in errors(response)[field]
    assert not Profile.objects.exclude(name=ANY).exists()


@pytest.mark.spec("G3")
def test_any_stays_and_stays_for_everyone(admin_client: Client) -> None:
    one = Profile.objects.get(name=ANY)
    assert admin_client.post(f"{PROFILES}{one.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [one.pk], "post": "yes"}
    admin_client.post(PROFILES, chosen)
    sent = {"name": "Nobody", "match": "x", "networks": "192.0.2.7", "everything": "on", "may_be_limited": "on"}
    assert admin_client.post(f"{PROFILES}{one.pk}/change/", sent | {"page_records": "7"}).status_code == 302
    kept = Profile.objects.get(pk=one.pk)
    assert (kept.name, kept.match, kept.networks, kept.page_records) == (ANY, "", [], 7)


@pytest.mark.spec("G17")
def test_any_shows_our_own_set_to_the_peers(admin_client: Client) -> None:
    one = Profile.objects.get(name=ANY)
    other = world.peer_set(world.TOULOUSE)
    refused = admin_client.post(f"{PROFILES}{one.pk}/change/", {"sets": [other.pk], "may_be_limited": "on"})
    assert f"Choose {world.OUR_SPEC} too" in errors(refused)["sets"]
    sent = {"sets": [other.pk, world.own_set().pk], "may_be_limited": "on"}
    assert admin_client.post(f"{PROFILES}{one.pk}/change/", sent).status_code == 302


@pytest.mark.spec("G15")
def test_who_changes_what_is_shown_is_told_to_ask_for_a_full_harvest(admin_client: Client) -> None:
    admin_client.post(f"{PROFILES}add/", form())
    made = Profile.objects.get(name="DRIVER")
    change = f"{PROFILES}{made.pk}/change/"
    same = admin_client.post(change, form(repository_name="Tokyo"), follow=True)
    assert "full harvest" not in messages(same)
    more = form(sets=[world.own_set().pk, world.peer_set(world.TOULOUSE).pk])
    assert "Ask the operator of DRIVER's harvester for a full harvest" in messages(
        admin_client.post(change, more, follow=True)
    )
    everything = admin_client.post(change, form(sets=None, everything="on"), follow=True)
    assert "full harvest" in messages(everything)


@pytest.mark.spec("G5")
def test_a_set_that_a_profile_shows_is_not_deleted_nor_renamed(admin_client: Client) -> None:
    """Its harvester would be shown less, and a resumed list would end, without anybody having said so."""
    shown = MetadataSet.objects.create(spec="partners", name="Partners")
    one = Profile.objects.create(name="DRIVER", match="DRIVER", everything=False)
    one.sets.set([shown])
    page = f"/admin/catalogue/metadataset/{shown.pk}"
    admin_client.post(f"{page}/delete/", {"post": "yes"})
    admin_client.post(f"{page}/change/", {"spec": "others", "name": "Renamed", "kind": "peer", "public": "on"})
    shown.refresh_from_db()
    assert (shown.spec, shown.name) == ("partners", "Renamed")


# --- Preview -------------------------------------------------------------------------------------------


@pytest.fixture
def shared() -> MetadataSet:
    """A closed profile with names, pages and a hidden set of its own."""
    made = MetadataSet.objects.create(spec="partners", name="Partners & friends", public=False)
    world.put(world.iso_record("urn:a"), into=made)
    stylesheets.add(for_everybody=False)
    one = Profile.objects.create(
        name="DRIVER",
        match="DRIVER",
        networks=["192.0.2.0/24"],
        everything=False,
        page_records=5,
        repository_name="Tokyo for <DRIVER>",
        requests_per_minute=30,
    )
    one.sets.set([made])
    return made


def test_the_preview_shows_what_driver_would_see(admin_client: Client, shared: MetadataSet) -> None:
    said = text(admin_client.get(PREVIEW, {"user_agent": DRIVER, "address": "192.0.2.7"}))
    assert "DRIVER is the profile for this request." in said
    assert "<repositoryName>Tokyo for &lt;DRIVER&gt;</repositoryName>" in said
    assert "Records on a page 5" in said and "Requests per minute 30" in said
    assert "It sees 1 set; a list of everything has 1 entries, deleted ones too." in said
    assert "partners Partners & friends 1 Sets that it does not see" in said
    assert f"{world.OUR_SPEC} 0 not among the sets of the profile DRIVER" in said
    assert "It does not get: brief (only for profiles that name it among their further formats)" in said
    assert said.partition("The first records of its list of everything")[2].count("urn:a") == 1
    assert "oai_dc http://www.openarchives.org/OAI/2.0/oai_dc/" in said


def test_requests_are_answered_as_for_the_harvester_and_what_it_does_not_see_is_explained(
    admin_client: Client, shared: MetadataSet
) -> None:
    world.put(world.iso_record("urn:ours"), world.iso_record("urn:gone"))
    world.bury("urn:gone")
    asked = {"user_agent": DRIVER, "address": "192.0.2.7"}

    def ask(**request: str) -> str:
        return text(admin_client.get(PREVIEW, asked | request))

    listed = ask(verb="ListRecords", metadata_prefix="oai_dc", set="partners")
    assert "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=partners" in listed
    assert "<identifier>urn:a</identifier>" in listed
    refused = ask(verb="GetRecord", metadata_prefix="oai_dc", identifier="urn:ours")
    assert "idDoesNotExist" in refused
    assert f"in none of the sets that this harvester is shown: it is in {world.OUR_SPEC}" in refused
    assert "There is no record urn:none in the catalogue" in ask(identifier="urn:none")
    assert "This harvester sees the record urn:a." in ask(identifier="urn:a")
    assert "badArgument" in ask(verb="ListRecords", metadata_prefix="oai_dc", from_="yesterday")
    elsewhere = text(admin_client.get(PREVIEW, {"user_agent": "", "identifier": "urn:gone"}))
    assert "The record urn:gone is deleted; this harvester is told of it." in elsewhere


@pytest.mark.spec("G13")
def test_the_preview_says_why_somebody_else_does_not_see_it(admin_client: Client, shared: MetadataSet) -> None:
    elsewhere = text(admin_client.get(PREVIEW, {"user_agent": DRIVER, "address": "203.0.113.9"}))
    assert "Any is the profile for this request." in elsewhere
    assert "but 203.0.113.9 is in none of its networks" in elsewhere
    assert "Partners & friends" not in elsewhere and world.OUR_SPEC in elsewhere
    another = text(admin_client.get(PREVIEW, {"user_agent": "", "address": ""}))
    assert "The User-Agent does not contain DRIVER." in another
    assert "Enter a valid" in text(admin_client.get(PREVIEW, {"user_agent": "x", "address": "here"}))


def test_the_preview_is_what_the_wire_says(client: Client, shared: MetadataSet) -> None:
    seen = preview.preview(DRIVER, "192.0.2.7")
    headers = {"user-agent": DRIVER}
    answer = asking.read(client.get("/oai?verb=Identify", REMOTE_ADDR="192.0.2.7", headers=headers))
    (identify,) = answer.find("//o:Identify")
    assert etree.tostring(identify, method="c14n") == etree.tostring(etree.fromstring(seen.identify), method="c14n")
    assert [row[0] for row in seen.sets] == ["partners"]
    assert {one.profile.name: one.reason for one in seen.candidates} == {
        ANY: "It fits too, but DRIVER comes first.",
        "DRIVER": preview.CHOSEN,
    }


def test_the_preview_tells_what_there_is_no_more_of(shared: MetadataSet) -> None:
    Profile.objects.filter(name=ANY).update(page_sets=1)
    assert preview.preview("", "").more_sets
    Profile.objects.get(name="DRIVER").sets.clear()
    assert preview.preview(DRIVER, "192.0.2.7").sets_fault == "This repository has no sets."


def test_the_page_of_a_profile_leads_to_its_preview(admin_client: Client, shared: MetadataSet) -> None:
    pk = Profile.objects.get(name="DRIVER").pk
    page = admin_client.get(f"{PROFILES}{pk}/change/").content.decode()
    links = etree.HTML(page).xpath("//a[contains(., 'What does it see?')]/@href")
    response = admin_client.get(str(links[0]), follow=True)
    assert "DRIVER is the profile for this request." in text(response)
    assert "What would a harvester see?" in text(admin_client.get(PROFILES))


def test_who_may_not_see_profiles_sees_no_preview(client: Client, shared: MetadataSet) -> None:
    reader = User.objects.create_user("reader", password="x", is_staff=True)
    client.force_login(reader)
    asked = {"user_agent": DRIVER, "address": "192.0.2.7"}
    assert client.get(PREVIEW, asked).status_code == 403
    reader.user_permissions.add(Permission.objects.get(codename="view_profile"))
    assert client.get(PREVIEW, asked).status_code == 200
    assert client.get(f"{PROFILES}add/").status_code == 403


# --- Containers ----------------------------------------------------------------------------------------


@pytest.mark.spec("P130", "P128")
def test_a_container_is_written_in_the_admin_and_shown_by_identify(admin_client: Client, client: Client) -> None:
    branding = "http://www.openarchives.org/OAI/2.0/branding/"
    xml = (
        f'<?xml version="1.0"?><branding xmlns="{branding}" xmlns:xsi="{oai.XSI_NS}" xsi:schemaLocation="{branding} '
        'http://www.openarchives.org/OAI/2.0/branding.xsd"/>'
    )
    refused = admin_client.post(f"{CONTAINERS}add/", {"name": "icon", "xml": xml.replace("xsi:s", "s"), "shown": "on"})
    assert "does not say where its schema is" in errors(refused)["xml"]
    assert admin_client.post(f"{CONTAINERS}add/", {"name": "icon", "xml": xml, "shown": "on"}).status_code == 302
    assert IdentifyDescription.objects.get().xml.startswith("<branding")
    assert asking.get(client, verb="Identify").find("count(//o:description)") == 2, "beside our own"
    assert "branding" in text(admin_client.get(CONTAINERS))
