"""The page "Add a link" without JavaScript: a form that is sent whole each time, and grows."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone
from werkzeug import Response

from catalogue.models import MetadataSet
from harvester import schedule_words
from harvester.models import Centre, Link, Run
from harvester.runs import lifecycle
from tests.support.broker import calls
from tests.support.link_admin import ADD, LINKS, messages
from tests.support.provider import Provider, fill, identifier, xml
from tests.support.world import OUR_SPEC, TOULOUSE

pytestmark = pytest.mark.django_db


@pytest.fixture
def offered(provider: Provider, db: None) -> Provider:
    fill(provider, range(3))
    return provider


def fields(page: str) -> dict[str, str]:
    """What a browser without JavaScript sends of the page's form, but for buttons and passwords."""
    form = page.split("data-gisc-grows", 1)[1].split("</form>", 1)[0]
    found = {}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        kind = attributes.get("type", "text")
        is_checked = "checked" in re.sub(r'"[^"]*"|>', "", tag).split()
        if kind in ("radio", "checkbox") and not is_checked or kind == "password":
            continue
        found[attributes["name"]] = unescape(attributes.get("value", "on" if kind == "checkbox" else ""))
    for name, body in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        found[name] = unescape(body.removeprefix("\n"))
    for tag, body in re.findall(r"<select([^>]*)>(.*?)</select>", form, re.DOTALL):
        options = re.findall(r'<option value="([^"]*)"([^>]*)>', body)
        chosen = [value for value, rest in options if "selected" in rest] or [value for value, _ in options]
        found[re.findall(r'name="([^"]+)"', tag)[0]] = unescape(chosen[0])
    return found


def send(client: Client, page: str, act: str = "ask", **changes: str) -> str:
    """Send the form of a page with changes, and return the page that follows."""
    response = client.post(ADD, fields(page) | changes | {"act": act}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def grown(client: Client, base_url: str, **changes: str) -> str:
    return send(client, client.get(ADD).content.decode(), base_url=base_url, **changes)


def text(page: str) -> str:
    """What is to be read on the page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.split("data-gisc-grows", 1)[-1])).split())


# --- From the address to the first run ---------------------------------------------------------------


def test_a_link_is_added_by_its_address_and_two_buttons(admin_client: Client, offered: Provider) -> None:
    new = admin_client.get(ADD).content.decode()
    assert "Save and harvest now" not in new, "each answer unlocks the next"
    page = send(admin_client, new, base_url=offered.base_url)
    read = text(page)
    for said in (
        "Repository Test",
        "OAI-PMH 2.0",
        "to the second",
        "reported, and kept for ever",
        "behind ours",
        "ISO19139 (ISO 19139)",
        "“Product 0”",
        "must be the same",
        "into our set WIS-GISC-TOULOUSE (new)",
        "3 records",
        "every 6 hours",
    ):
        assert said in read, said
    sent = fields(page)
    assert (sent["pick"], sent["prefix"]) == (f"set:{TOULOUSE.spec}", "ISO19139"), "what alone can be is picked"
    assert not Link.objects.exists()

    calls()
    begun = send(admin_client, page, "harvest")
    link, run = Link.objects.get(), Run.objects.get()
    assert (link.name, link.base_url, link.prefix, link.remote_set, link.kind, link.identifiers, link.interval_s) == (
        *("toulouse", offered.base_url, "ISO19139", TOULOUSE.spec, "peer", "same", 21600),
    )
    assert (link.local_set.spec, link.local_set.name, link.local_set.kind) == (TOULOUSE.spec, "T", "peer")
    assert (run.link, run.trigger, run.state, calls()) == (link, "operator", "open", 1)
    assert "The link toulouse is saved" in begun
    assert (
        f'data-gisc-live="{LINKS}progress/{run.pk}/"' in begun
        and f'href="/admin/harvester/run/{run.pk}/change/"' in begun
    )


def test_save_alone_waits_for_the_schedule(admin_client: Client, offered: Provider) -> None:
    page = grown(admin_client, offered.base_url)
    assert "The link toulouse is saved." in messages(
        admin_client.post(
            ADD,
            fields(page)
            | {"act": "save", "every": "other", "other_times": "weekly on mon 02:00", "windows": "01:00-05:00"},
            follow=True,
        )
    )
    link = Link.objects.get()
    assert link.enabled and link.next_due is not None and link.next_due > timezone.now() and not Run.objects.exists()
    assert schedule_words.write(link.schedule) == "weekly on Monday at 02:00 UTC, between 01:00 and 05:00 UTC"
    MetadataSet.objects.create(spec="shared01", name="s", kind="shared")
    more = fields(page) | {"act": "save", "every": "by hand", "pick": "typed", "typed_set": "shared01", "name": "joint"}
    offered.edits.append(
        lambda arguments, body: body.replace(b">WIS-GISC-TOULOUSE</setSpec><", b">shared01</setSpec><")
    )
    admin_client.post(ADD, more)
    joint = Link.objects.get(name="joint")
    assert (joint.enabled, joint.kind, joint.local_set.spec) == (False, "shared", "shared01")


def test_nothing_typed_is_lost_whatever_fails(admin_client: Client, offered: Provider) -> None:
    page = grown(admin_client, offered.base_url)
    typed = {
        "name": "mine",
        "every": "every hour",
        "typed_set": "X",
        "pick": "typed",
        "new_spec": "WIS-GISC-X",
        "new_name": "Ex",
        "new_kind": "shared",
        "overlap_s": "77",
        "user_agent": "Other/1",
        "certificates": "nonsense",
    }
    page = send(admin_client, page, "harvest", **typed)
    assert fields(page).items() >= typed.items(), "a wrong access"
    page = send(admin_client, page, "harvest", certificates="", base_url="http://127.0.0.1:9/oai")
    typed["certificates"] = ""
    assert fields(page).items() >= typed.items(), "nobody answers"
    page = send(admin_client, page, "ask", base_url=offered.base_url)
    assert fields(page).items() >= typed.items()
    page = send(admin_client, page, "save")
    assert "does not list the set 'X'" in text(page) and fields(page).items() >= typed.items()
    send(admin_client, page, "save", pick=f"set:{TOULOUSE.spec}")
    link = Link.objects.get()
    assert (link.name, link.interval_s, link.overlap_s, link.user_agent) == ("mine", 3600, 77, "Other/1")
    assert (link.local_set.spec, link.local_set.name, link.kind) == ("WIS-GISC-X", "Ex", "shared")


def test_the_address_of_the_page_may_give_what_is_known(admin_client: Client, offered: Provider) -> None:
    page = admin_client.get(ADD, {"base_url": offered.base_url, "set": TOULOUSE.spec, "user": "u"}).content.decode()
    assert fields(page).items() >= {"base_url": offered.base_url, "pick": f"set:{TOULOUSE.spec}", "user": "u"}.items()
    assert not offered.asked, "an address alone makes this node ask nobody"


def test_a_centre_of_the_list_is_picked_with_its_address_and_its_set(admin_client: Client, offered: Provider) -> None:
    assert "pick a centre" not in admin_client.get(ADD).content.decode(), "no address is known"
    Centre.objects.update_or_create(
        set_spec=TOULOUSE.spec,
        defaults={"name": "Toulouse", "base_urls": [offered.base_url, "https://b.example.org/oai"]},
    )
    two_sets = b"<set><setSpec>other</setSpec></set></ListSets>"
    offered.edits.append(lambda arguments, body: body.replace(b"</ListSets>", two_sets))
    new = admin_client.get(ADD).content.decode()
    assert f"Toulouse: {offered.base_url}" in new and "Toulouse: https://b.example.org/oai" in new
    page = send(admin_client, new, base_url="", centre=offered.base_url)
    assert fields(page).items() >= {"base_url": offered.base_url, "pick": f"set:{TOULOUSE.spec}"}.items()


def test_the_next_times_follow_what_is_typed(admin_client: Client) -> None:
    def ask(**typed: str) -> dict[str, str]:
        answer: dict[str, str] = admin_client.get(f"{LINKS}next-times/", typed).json()
        return answer

    daily = ask(every="other", other_times="daily at 03:15")
    assert daily["fault"] == "" and [time[11:] for time in daily["next"].split(", ")] == ["03:15 UTC"] * 3
    assert ask(every="daily at 03:15 UTC") == daily
    assert len(ask(every="every hour", windows="02:00-03:00")["next"].split(", ")) == 3
    soon = ask(every="other", other_times="soon")
    assert soon["next"] == "" and "soon" in soon["fault"]
    assert "at night" in ask(every="every hour", windows="at night")["fault"]
    assert ask(every="by hand") == {"next": "", "fault": ""}


def test_another_schedule_that_is_not_picked_is_not_dropped_without_a_word(
    admin_client: Client, offered: Provider
) -> None:
    page = grown(admin_client, offered.base_url)
    assert "Pick “at other times” above" in refused(
        admin_client, page, every="every hour", other_times="daily at 02:00"
    )


# --- What cannot work is said before -----------------------------------------------------------------


def refused(client: Client, page: str, **changes: str) -> str:
    read = text(send(client, page, "harvest", **changes))
    assert not Link.objects.exists() and not MetadataSet.objects.filter(spec="NONE").exists()
    assert "Something has to be changed" in read
    return read


def test_a_set_and_a_prefix_that_are_not_there_are_refused(admin_client: Client, offered: Provider) -> None:
    page = grown(admin_client, offered.base_url)
    assert "does not list the set 'NONE'; it lists WIS-GISC-TOULOUSE" in refused(
        admin_client, page, pick="typed", typed_set="NONE"
    )
    assert "ISO 19139 is called ISO19139 there" in refused(admin_client, page, prefix="iso19139")
    offered.formats = (("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc/"), *offered.formats)
    assert "only ISO 19139 can be stored" in refused(admin_client, page, prefix="oai_dc")
    assert "Pick what is to be harvested" in refused(admin_client, page, pick="")
    assert "soon" in refused(admin_client, page, every="other", other_times="soon")
    assert "20:00" in refused(admin_client, page, windows="at night")


def test_a_loop_is_refused_under_any_address(admin_client: Client, offered: Provider, settings) -> None:
    page = grown(admin_client, offered.base_url)
    settings.GISC_BASE_URL = offered.base_url.removesuffix("/oai")
    read = text(grown(admin_client, f"{offered.base_url}/"))
    assert "This is the address of this node itself" in read and "Save and harvest now" not in read

    settings.GISC_BASE_URL = "http://elsewhere.example.org"
    offered.edits.append(lambda arguments, body: body.replace(b"elsewhere.example.org<", b"elsewhere.example.org/oai<"))
    assert "This address leads to this node itself" in refused(admin_client, page)

    offered.edits[:] = [lambda a, body: body.replace(b"WIS-GISC-TOULOUSE", OUR_SPEC.encode())]
    page = grown(admin_client, offered.base_url)
    assert "It is our own set." in text(page) and "pick" not in fields(page)
    assert "our own set; only a recovery" in refused(admin_client, page, pick=f"set:{OUR_SPEC}")
    assert "ours too" in refused(admin_client, page, pick="everything")
    offered.edits[:] = [lambda a, body: body.replace(b"WIS-GISC-TOULOUSE", b"WIS-CATALOGUE")]
    assert "everybody's records" in text(grown(admin_client, offered.base_url))


def test_a_second_link_for_the_same_is_refused(admin_client: Client, offered: Provider, link: Link) -> None:
    page = grown(admin_client, offered.base_url)
    assert "The link toulouse harvests it from there already." in text(page)
    read = text(send(admin_client, page, "harvest", pick=f"set:{TOULOUSE.spec}"))
    assert "The link toulouse harvests this from there already" in read
    assert Link.objects.count() == 1


WRONG_ADDRESSES = {
    "wrong port": (
        lambda provider: "http://127.0.0.1:9/oai",
        "connection refused",
        "Is the port right?",
    ),
    "unknown host": (lambda provider: "http://nowhere.invalid/oai", "no such host", "typing error"),
    "web page": (lambda provider: provider.base_url, "not OAI-PMH", "There is a web page at this address"),
    "no page": (lambda provider: provider.server.url_for("/nothing"), "answered HTTP 5", ""),
    "no TLS": (lambda provider: provider.base_url.replace("http:", "https:"), "does not speak https", "Try http://"),
    "no address": (lambda provider: "gisc.example.org/oai", "Write the whole address", ""),
    "nothing": (lambda provider: "", "Write the address", ""),
    "odd": (lambda provider: "http://[/oai", "", ""),
}


@pytest.mark.parametrize("case", WRONG_ADDRESSES)
def test_an_address_where_no_provider_is_is_said_in_words(admin_client: Client, offered: Provider, case: str) -> None:
    address, said, hint = WRONG_ADDRESSES[case]
    if case == "web page":
        page = Response("<html><body>Welcome</body></html>", content_type="text/html")
        offered.faults.append(lambda arguments: page)
    read = text(grown(admin_client, address(offered)))
    assert said in read and hint in read and "Errno" not in read
    assert "Save and harvest now" not in read


def test_a_provider_without_sets_is_harvested_as_a_whole_or_by_a_set_that_is_typed(
    admin_client: Client, offered: Provider
) -> None:
    no_sets = offered.envelope('<error code="noSetHierarchy">none</error>')
    offered.faults.append(lambda arguments: xml(no_sets) if arguments["verb"] == "ListSets" else None)
    page = grown(admin_client, offered.base_url)
    assert fields(page)["pick"] == "typed" and f"into our own set {OUR_SPEC}" in text(page)
    send(admin_client, page, "save", pick="everything", name="all")
    link = Link.objects.get()
    assert (link.remote_set, link.kind, link.local_set.spec) == ("", "centre", OUR_SPEC)


def test_sizes_that_cannot_be_had_are_not_said(admin_client: Client, offered: Provider) -> None:
    offered.faults.append(lambda a: Response("", status=500) if a["verb"] == "ListIdentifiers" else None)
    assert "size not said" in text(grown(admin_client, offered.base_url))


def test_identifiers_are_those_that_the_first_records_need(admin_client: Client, offered: Provider) -> None:
    offered.edits.append(lambda a, body: re.sub(rb"<identifier>urn", b"<identifier>oai:x:urn", body))
    send(admin_client, grown(admin_client, offered.base_url), "save")
    assert Link.objects.get().identifiers == "file"


# --- Access ------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(offered: Provider) -> Provider:
    def fault(_: dict[str, str]) -> Response | None:
        said = offered.requests[-1].authorization
        right = said is not None and (said.username, said.password) == ("tokyo", "s3cret")
        return None if right else Response("no", status=401)

    offered.faults.append(fault)
    return offered


def test_a_password_is_asked_for_where_it_is_wanted_kept_while_the_page_grows_and_never_shown(
    admin_client: Client, guarded: Provider
) -> None:
    page = grown(admin_client, guarded.base_url)
    assert "The provider wants a user name and a password" in text(page)
    page = send(admin_client, page, user="tokyo", password="s3cret")
    assert "Repository Test" in text(page) and "one is kept, and not shown" in text(page) and "s3cret" not in page
    elsewhere = guarded.base_url.replace("localhost", "127.0.0.1")
    assert "wants a user name and a password" in text(send(admin_client, page, base_url=elsewhere)), (
        "not to another host"
    )
    page = send(admin_client, page, "save")
    link = Link.objects.get()
    assert (link.user, link.access().password) == ("tokyo", "s3cret")
    assert "unencrypted" in page and "s3cret" not in page and link.sealed_password not in page
    assert not admin_client.session["add_link"]


def test_two_pages_keep_their_passwords_apart(admin_client: Client, guarded: Provider) -> None:
    one = send(
        admin_client, admin_client.get(ADD).content.decode(), base_url=guarded.base_url, user="tokyo", password="s3cret"
    )
    two = grown(admin_client, guarded.base_url, user="tokyo")
    assert "wants a user name" in text(two)
    send(admin_client, one, "save")
    assert Link.objects.get().access().password == "s3cret"


# --- Who may ----------------------------------------------------------------------------------------


@pytest.fixture
def run(link: Link) -> Run:
    found = lifecycle.open_run(link, trigger="operator")
    assert found is not None
    return found


def member(client: Client, *codenames: str) -> Client:
    user = User.objects.create_user("keiko", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(user)
    return client


def test_who_may_only_look_gets_no_page_and_makes_nobody_ask(client: Client, offered: Provider, run: Run) -> None:
    viewer = member(client, "view_link", "change_link")
    assert viewer.get(ADD).status_code == 403
    assert viewer.post(ADD, {"base_url": offered.base_url, "act": "harvest"}).status_code == 403
    assert viewer.get(f"{ADD}plain/").status_code == 403
    assert not offered.asked
    assert viewer.get(f"{LINKS}progress/{run.pk}/").status_code == 200


def test_who_may_not_make_a_set_harvests_into_one_that_is_there(client: Client, offered: Provider) -> None:
    adder = member(client, "add_link", "view_link")
    page = grown(adder, offered.base_url)
    page = send(adder, page, "save")
    assert "You may not make a set" in text(page)
    assert not Link.objects.exists() and not MetadataSet.objects.filter(spec=TOULOUSE.spec).exists()
    MetadataSet.objects.create(spec=TOULOUSE.spec, name="T")
    page = grown(adder, offered.base_url)
    assert "(new)" not in text(page)
    adder.post(ADD, fields(page) | {"act": "harvest"})
    run = Run.objects.get()
    assert adder.get(ADD, {"run": run.pk}).status_code == 200


def test_the_progress_of_a_run_is_for_those_who_may_see_links(client: Client, run: Run) -> None:
    stranger = member(client, "add_link")
    assert stranger.get(f"{LINKS}progress/{run.pk}/").status_code == 403
    assert stranger.get(ADD, {"run": run.pk}).status_code == 403
    for wrong in ("x", "99999999999999999999999", "0"):
        assert stranger.get(ADD, {"run": wrong}).status_code == 404


def test_a_form_of_another_site_adds_nothing(admin_user: User, offered: Provider) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)
    assert client.post(ADD, {"base_url": offered.base_url}).status_code == 403
    assert not offered.asked


# --- Progress ----------------------------------------------------------------------------------------


def test_progress_says_how_far_a_run_is_and_shows_the_first_rejects(
    admin_client: Client, offered: Provider, run: Run
) -> None:
    Link.objects.update(prefix="ISO19139")
    offered.entries["urn:bad"] = ("2026-02-02T00:00:00Z", b'<?xml version="1.0"?><x/>')
    url = f"{LINKS}progress/{run.pk}/"
    page = admin_client.get(url).content.decode()
    assert "waiting" in page and "Waits for a worker" in page and "data-gisc-ended" not in page
    Run.objects.filter(pk=run.pk).update(listed=1, list_size=4)
    assert "1 of 4" in admin_client.get(url).content.decode()
    Run.objects.filter(pk=run.pk).update(listed=0, list_size=None)
    assert (lifecycle.work(run.pk) or run).state == Run.State.DONE
    page = admin_client.get(url).content.decode()
    assert "data-gisc-ended" in page and "done, 1 rejected" in page and "3 new" in page
    assert "urn:bad" in page and "not an ISO 19139 record" in page and identifier(0) not in page
