"""The list of links and the page of a link: what they say first, what each act will do, rejects by cause, what is refreshed."""

import csv
import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from harvester.models import Alternative, Link, Reject, Run
from harvester.monitoring import status
from tests.support.link_admin import LINKS, REJECTS, messages

pytestmark = pytest.mark.django_db


def add_link(link: Link, name: str, **fields: object) -> Link:
    return Link.objects.create(
        name=name, base_url=f"http://{name}.example.org/oai", remote_set="X", local_set=link.local_set, **fields
    )


def add_run(link: Link, **fields: object) -> Run:
    begun = timezone.now() - timedelta(hours=3)
    return Run.objects.create(link=link, **{"state": "done", "begun": begun, "finished": begun, **fields})


def add_rejects(link: Link, number: int, reason: str = "not-iso19139") -> None:
    Reject.objects.bulk_create(
        Reject(
            link=link,
            identifier=f"urn:{reason}:{n}",
            reason=reason,
            reason_data={"root": "x", "namespace": ""},
            count=2,
        )
        for n in range(number)
    )


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def looked_at(link: Link) -> Link:
    return status.with_last_run(Link.objects.filter(pk=link.pk), successes=True).get()


# --- The list ---------------------------------------------------------------------------------------


def test_the_list_says_first_how_many_links_need_somebody_and_has_them_first(admin_client: Client, link: Link) -> None:
    add_run(link)
    failing = add_link(link, "zurich", failures=3)
    add_run(failing, state="failed")
    add_link(link, "athens", enabled=False)
    shown = page(admin_client, LINKS)
    assert "1 link needs you." in shown and "1 failing, 1 ok, 1 off" in " ".join(shown.split())
    listed = admin_client.get(LINKS).context["cl"].result_list
    assert [each.name for each in listed] == ["zurich", "toulouse", "athens"]
    ordered = admin_client.get(LINKS, {"o": "1"}).context["cl"].result_list
    assert [each.name for each in ordered] == ["athens", "toulouse", "zurich"]


def test_the_list_is_paged_in_the_order_of_urgency(admin_client: Client, link: Link) -> None:
    for number in range(55):
        add_link(link, f"l{number:02}", enabled=False)
    add_link(link, "zz", failures=1)
    first = admin_client.get(LINKS).context["cl"].result_list
    second = admin_client.get(LINKS, {"p": 2}).context["cl"].result_list
    assert (len(first), len(second), first[0].name) == (50, 7, "zz")
    assert not {each.pk for each in first} & {each.pk for each in second}


def test_a_list_without_links_says_what_a_link_is(admin_client: Client) -> None:
    assert "A link is the standing arrangement to harvest one set of another centre." in page(admin_client, LINKS)


def test_figures_that_are_not_known_are_said_to_be_so(admin_client: Client, link: Link) -> None:
    add_run(link)
    assert "not known" in page(admin_client, LINKS)
    Link.objects.update(live_there=1204, counted_there=timezone.now())
    shown = page(admin_client, LINKS)
    assert "1,204" in shown and "1,204 fewer here" in shown and "not known" not in shown
    assert "3 h ago" in shown and "every 6 hours" in shown


# --- What is refreshed ------------------------------------------------------------------------------


def test_what_runs_is_given_with_its_rate_and_what_is_left(admin_client: Client, link: Link) -> None:
    begun = timezone.now() - timedelta(seconds=100)
    counts = {"received": 500, "new": 500, "list_size": 2000, "listed": 500}
    add_run(link, state="open", begun=begun, finished=None, **counts)
    answer = admin_client.get(f"{LINKS}live/", {"links": f"{link.pk},x,99999"}).json()
    parts = ("state", "strip", "counts", "age", "next", "acts", "acts_apart")
    assert set(answer["parts"]) == {f"{link.pk}:{part}" for part in parts}
    assert 'name="cancel"' in answer["parts"][f"{link.pk}:acts"]
    assert "500 of 2,000 entries, 5 a second, about 5 min left" in answer["parts"][f"{link.pk}:state"]
    assert 'value="25"' in answer["parts"][f"{link.pk}:state"]
    assert answer["wait_s"] < 10
    assert f'data-gisc-part="{link.pk}:state"' in page(admin_client, LINKS)


def test_what_rests_is_asked_for_less_often_and_strangers_get_nothing(
    admin_client: Client, client: Client, link: Link, django_assert_max_num_queries
) -> None:
    for number in range(20):
        add_run(add_link(link, f"l{number}"))
    ids = ",".join(str(pk) for pk in Link.objects.values_list("pk", flat=True))
    with django_assert_max_num_queries(11):
        assert admin_client.get(f"{LINKS}live/", {"links": ids}).json()["wait_s"] >= 10
    assert client.get(f"{LINKS}live/", {"links": ids}).status_code == 302
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(f"{LINKS}live/", {"links": ids}).status_code == 403


# --- Acts -------------------------------------------------------------------------------------------


def test_every_act_says_what_it_will_do_and_what_costs_much_is_confirmed_with_counts(
    admin_client: Client, link: Link
) -> None:
    Alternative.objects.create(link=link, name="Offenbach", base_url="http://o.example.org/oai", remote_set="X")
    Link.objects.update(harvested_to=timezone.now(), live_there=1204, counted_there=timezone.now())
    add_run(link, purpose="comparison", held_back=7)
    shown = page(admin_client, f"{LINKS}{link.pk}/change/")
    assert "Asks the provider now for what has changed since" in shown
    for act, says in {
        "full": "about 1,204",
        "reharvest": "about 1,204",
        "beyond": "7 records that it no longer lists",
        "switch": "asks Offenbach from now on",
        "disable": "No run begins by schedule",
        "reset": "Nothing is deleted",
    }.items():
        address = f"{LINKS}{link.pk}/act/{act}/"
        assert f'href="{address}"' in shown, act
        confirmation = page(admin_client, address)
        assert says in confirmation and f'name="{act}"' in confirmation, act
        assert "0 records are in" in confirmation
    assert not Run.objects.filter(state="open").exists(), "to look changes nothing"


def test_of_a_number_that_is_not_known_nothing_is_said(admin_client: Client, link: Link) -> None:
    shown = page(admin_client, f"{LINKS}{link.pk}/change/")
    assert "Asks for all headers and fetches what differs." in shown and "about 0" not in shown


def test_acts_are_done_by_the_buttons(admin_client: Client, link: Link) -> None:
    address = f"{LINKS}{link.pk}/run/"
    Link.objects.update(harvested_to=timezone.now())
    assert "by hand only" in messages(admin_client.post(address, {"disable": "1"}, follow=True))
    assert not Link.objects.get().enabled
    assert "by its schedule" in messages(admin_client.post(address, {"enable": "1"}, follow=True))
    assert Link.objects.get().enabled
    said = messages(admin_client.post(address, {"reset": "1", "to": "2026-01-01"}, follow=True))
    assert "since 2026-01-01. Nothing is deleted." in said
    assert "is not reset" in messages(admin_client.post(address, {"reset": "1", "to": "soon"}, follow=True))
    assert "the whole list again" in messages(admin_client.post(address, {"reset": "1", "to": ""}, follow=True))
    assert Link.objects.get().harvested_to is None
    admin_client.post(address, {"beyond": "1"})
    assert Run.objects.get().beyond_ceiling


def test_a_link_in_need_is_muted_and_told_again(admin_client: Client, link: Link) -> None:
    add_run(link, state="failed")
    Link.objects.update(failures=1)
    assert 'name="mute"' in page(admin_client, f"{LINKS}{link.pk}/change/")
    assert "Nobody is alerted" in messages(admin_client.post(f"{LINKS}{link.pk}/run/", {"mute": "1"}, follow=True))
    assert Link.objects.get().is_muted(timezone.now() + timedelta(hours=23))
    assert 'name="unmute"' in page(admin_client, f"{LINKS}{link.pk}/change/")
    admin_client.post(f"{LINKS}{link.pk}/run/", {"unmute": "1"})
    assert not Link.objects.get().is_muted(timezone.now())


def test_what_cannot_be_done_now_is_not_offered(admin_client: Client, link: Link) -> None:
    Run.objects.create(link=link, begun=timezone.now())
    shown = page(admin_client, f"{LINKS}{link.pk}/change/")
    assert "Cancel the open run" in shown and 'name="compare"' not in shown
    assert "cannot be done" in messages(admin_client.get(f"{LINKS}{link.pk}/act/full/", follow=True))


def test_who_may_only_look_sees_the_page_and_does_nothing(client: Client, link: Link) -> None:
    add_rejects(link, 1)
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_link"))
    client.force_login(user)
    shown = page(client, f"{LINKS}{link.pk}/change/")
    assert "Rejects, by cause" in shown and "Quiet up to" not in shown and "New address" not in shown
    assert client.get(f"{LINKS}{link.pk}/act/reset/").status_code == 403
    for path in ("quiet", "renew-report", "run"):
        assert client.post(f"{LINKS}{link.pk}/{path}/", {"reason": "x", "up_to": "1"}).status_code == 403, path
    assert client.get(f"{LINKS}{link.pk}/rejects.csv").status_code == 403


# --- Rejects by cause -------------------------------------------------------------------------------


def test_rejects_are_grouped_by_cause_with_counts_and_an_example(admin_client: Client, link: Link) -> None:
    add_rejects(link, 12)
    add_rejects(link, 1, "ill-formed")
    Reject.objects.filter(identifier="urn:not-iso19139:0").update(settled=timezone.now())
    groups = admin_client.get(f"{LINKS}{link.pk}/change/").context["reject_groups"]
    assert [(group.code, group.number, group.times) for group in groups] == [
        ("not-iso19139", 11, 22),
        ("ill-formed", 1, 2),
    ]
    shown = page(admin_client, f"{LINKS}{link.pk}/change/")
    assert "11 records" in shown and "urn:not-iso19139:11" in shown
    of_group = admin_client.get(f"{REJECTS}?link__id__exact={link.pk}&reason=ill-formed&state=stands")
    assert len(of_group.context["cl"].result_list) == 1
    lines = admin_client.get(f"{LINKS}{link.pk}/rejects.csv", {"reason": "not-iso19139"}).getvalue().decode()
    assert len(list(csv.reader(io.StringIO(lines)))) == 12


def test_a_quiet_cause_is_nothing_to_do_until_there_are_more(admin_client: Client, link: Link) -> None:
    add_run(link, received=3, rejected=3)
    add_rejects(link, 3)

    def told() -> list[str]:
        return [todo.text for todo in status.find_todos(looked_at(link))]

    assert told() == ["3 records are rejected: tell the provider why."]
    address = f"{LINKS}{link.pk}/quiet/"
    assert "quiet up to 3" in messages(
        admin_client.post(address, {"reason": "not-iso19139", "up_to": "3"}, follow=True)
    )
    assert told() == [] and status.link_state(looked_at(link))[0] == "done"
    assert status.count_rejects_standing(looked_at(link)) == 3, "they are counted all the same"
    add_rejects(link, 1, "ill-formed")
    assert told() == ["1 record is rejected: tell the provider why."], "another cause"
    assert status.link_state(looked_at(link))[0] == "partial"
    Reject.objects.filter(reason="ill-formed").delete()
    Reject.objects.create(link=link, identifier="urn:more", reason="not-iso19139")
    assert told() == ["4 records are rejected: tell the provider why."], "more than before"
    assert "told again" in messages(admin_client.post(address, {"reason": "not-iso19139", "up_to": ""}, follow=True))
    assert not link.quiet_causes.exists()
    for wrong in ("-1", "many", "9" * 30):
        said = messages(admin_client.post(address, {"reason": "not-iso19139", "up_to": wrong}, follow=True))
        assert "Write a number" in said and not link.quiet_causes.exists()


def test_the_line_of_the_xml_that_is_wrong_is_marked_where_it_is_known(admin_client: Client, link: Link) -> None:
    facts = {"error": "mismatched tag", "line": 2}
    broken = Reject.objects.create(
        link=link, identifier="a", reason="ill-formed", reason_data=facts, raw=b"<a>\n<b>\n</a>"
    )
    shown = page(admin_client, f"{REJECTS}{broken.pk}/change/")
    assert '<span class="gisc-line gisc-line-marked">2  &lt;b&gt;<strong> ← here</strong>' in shown
    assert shown.count("gisc-line-marked") == 1 and "3  &lt;/a&gt;" in shown
    Reject.objects.update(reason_data=facts | {"line": 99})
    assert "gisc-line-marked" not in page(admin_client, f"{REJECTS}{broken.pk}/change/")


def test_the_address_of_the_report_is_on_the_page_and_is_renewed(
    admin_client: Client, client: Client, link: Link
) -> None:
    before = Link.objects.get().report_key
    assert f"/harvest/report/{before}/" in page(admin_client, f"{LINKS}{link.pk}/change/")
    admin_client.post(f"{LINKS}{link.pk}/renew-report/")
    after = Link.objects.get().report_key
    assert after != before
    assert Client().get(f"/harvest/report/{before}/").status_code == 404
    assert Client().get(f"/harvest/report/{after}/").status_code == 200


@pytest.mark.parametrize("path", ["quiet", "renew-report"])
def test_what_is_stored_is_not_stored_by_get(admin_client: Client, link: Link, path: str) -> None:
    assert admin_client.get(f"{LINKS}{link.pk}/{path}/").status_code == 405
