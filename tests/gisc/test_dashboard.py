"""The start page of the administration: what needs a person, figures, map, charts, links and the machine."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone
from lxml import html

from catalogue import bootstrap
from catalogue.models import MetadataSet
from gisc.dashboard import figures, world_map
from gisc.parts import parts
from harvester.models import Alternative, Centre, Link, LinkDay, Run
from tests.support import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    bootstrap.ensure_sets()
    client.force_login(User.objects.create_superuser("operator"))
    return client


@pytest.fixture
def failing(toulouse: MetadataSet) -> Link:
    """A link whose only run has failed."""
    link = Link.objects.create(
        name="toulouse", base_url="http://x.example.org/oai", remote_set=toulouse.spec, local_set=toulouse, failures=1
    )
    begun = timezone.now() - timedelta(hours=26)
    Run.objects.create(
        link=link,
        begun=begun,
        finished=begun,
        state=Run.State.FAILED,
        outcome="failed",
        outcome_data={"cause": {"code": "http-error", "facts": {"status": 502, "reason": ""}}, "pages": 0},
    )
    Link.objects.filter(pk=link.pk).update(failing_since=begun, next_due=timezone.now())
    return link


def page(client: Client, path: str = "/admin/") -> html.HtmlElement:
    answer = client.get(path)
    assert answer.status_code == 200
    return html.fromstring(answer.content.decode())


def text(element: html.HtmlElement, region: str) -> str:
    (found,) = element.xpath("//*[@id=$region]", region=region)
    return " ".join(found.text_content().split())


def test_an_empty_node_says_what_a_link_is_and_leads_to_the_first(operator: Client) -> None:
    start = page(operator)
    words = text(start, "gisc-problems")
    assert "Nothing is harvested yet" in words and "again and again" in words
    assert start.xpath("//*[@id='gisc-problems']//a[text()='Add a link']/@href") == ["/admin/harvester/link/add/"]
    assert start.xpath("//*[@id='gisc-machine']//th[text()='database']")


def without_problems(user: User) -> str:
    """What the first region says to an account where the node has no problem: that of the tests has, as it does not run."""
    context = figures.read_live(user) | {"problems": [], "numbers": {"problems": 0, "notices": 0, "muted": 0}}
    return text(
        html.fromstring(render_to_string("admin/dashboard/live.html", context | {"notices": [], "muted": []})),
        "gisc-problems",
    )


def test_all_is_well_only_where_each_centre_is_harvested(operator: Client, toulouse: MetadataSet) -> None:
    link = Link.objects.create(
        name="toulouse", base_url="http://x.example.org/oai", remote_set=toulouse.spec, local_set=toulouse
    )
    user = User.objects.get(username="operator")
    said = without_problems(user)
    assert "All is well" not in said and "0 of 1 centre harvested, 1 missing: Toulouse (no complete list yet)" in said
    Link.objects.filter(pk=link.pk).update(harvested_to=timezone.now())
    assert "All is well" in without_problems(user)
    assert "All is well" not in without_problems(User.objects.create_user("viewer", is_staff=True)), "who sees no link"


def test_what_fails_comes_first_with_what_to_do_and_the_way_there(operator: Client, failing: Link) -> None:
    start = page(operator)
    (problem,) = [
        each for each in start.xpath("//li[contains(@class, 'gisc-problem')]") if "toulouse" in each.text_content()
    ]
    words = " ".join(problem.text_content().split())
    assert "failing" in words and "HTTP 502" in words and "for 26 h, since" in words
    run = Run.objects.get()
    assert [a.get("href") for a in problem.xpath(".//a")] == [f"/admin/harvester/run/{run.pk}/change/"]


def test_a_muted_link_goes_to_the_end_and_comes_back(operator: Client, failing: Link) -> None:
    answer = operator.post(f"/admin/dashboard/mute/{failing.pk}/")
    assert answer.status_code == 302
    failing.refresh_from_db()
    assert failing.is_muted(timezone.now())
    start = page(operator)
    assert start.xpath("//details[@data-fold='muted']//strong[text()='toulouse']")
    assert operator.post(f"/admin/dashboard/mute/{failing.pk}/", {"unmute": "1"}).status_code == 302
    assert not page(operator).xpath("//details[@data-fold='muted']")
    assert operator.get(f"/admin/dashboard/mute/{failing.pk}/").status_code == 405


def test_who_may_not_see_links_sees_the_machine_and_no_link(client: Client, failing: Link) -> None:
    user = User.objects.create_user("viewer", is_staff=True)
    client.force_login(user)
    start = page(client)
    assert "toulouse" not in start.xpath("//main | //body")[0].text_content()
    assert start.xpath("//*[@id='gisc-machine']//th[text()='database']")
    assert client.get("/admin/dashboard/charts.json").json() == {}
    assert client.post(f"/admin/dashboard/mute/{failing.pk}/").status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_link"))
    client.force_login(User.objects.get(pk=user.pk))
    start = page(client)
    assert start.xpath("//li[contains(@class, 'gisc-problem')]//strong[text()='toulouse']")
    assert not start.xpath("//form[contains(@action, '/mute/')]")


@pytest.mark.parametrize("path", ["live/", "charts.json", "mute/1/"])
def test_strangers_are_sent_to_the_sign_in(client: Client, path: str) -> None:
    answer = client.get(f"/admin/dashboard/{path}")
    assert answer.status_code == 302 and "/admin/login/" in answer["Location"]


def test_the_fragment_has_every_region_that_changes(operator: Client, failing: Link) -> None:
    regions = [each.get("id") for each in page(operator, "/admin/dashboard/live/").xpath("//section")]
    assert regions == ["gisc-problems", "gisc-figures", "gisc-mesh", "gisc-links", "gisc-machine"]


def test_a_link_is_an_arc_from_its_centre_and_has_the_way_to_its_page(operator: Client, failing: Link) -> None:
    Centre.objects.update_or_create(
        set_spec="WIS-GISC-TOKYO", defaults={"name": "Tokyo", "latitude": 35.7, "longitude": 139.7}
    )
    Centre.objects.update_or_create(
        set_spec=failing.local_set.spec, defaults={"name": "Toulouse", "latitude": 43.6, "longitude": 1.4}
    )
    start = page(operator)
    (arc,) = start.xpath("//*[contains(@class, 'gisc-arc ')]")
    assert arc.get("href") == f"/admin/harvester/link/{failing.pk}/change/"
    assert "gisc-is-failed" in arc.get("class") and "toulouse: failing" in arc.get("aria-label")
    Link.objects.create(name="a-relay", base_url="http://y.example.org/oai", local_set=failing.local_set, enabled=False)
    (both,) = page(operator).xpath("//*[contains(@class, 'gisc-arc ')]")
    assert both.get("href") == arc.get("href") and "gisc-is-failed" in both.get("class"), "the most urgent counts"
    assert "toulouse: failing" in both.get("aria-label") and "; a-relay: off" in both.get("aria-label")
    Centre.objects.filter(set_spec=failing.local_set.spec).update(latitude=None)
    start = page(operator)
    assert not start.xpath("//*[contains(@class, 'gisc-arc ')]")
    assert "Not on the map" in text(start, "gisc-mesh")


def test_an_arc_goes_the_shorter_way_round_the_earth() -> None:
    tokyo, washington = world_map.project(35.7, 139.7), world_map.project(38.9, -77.0)
    toulouse = world_map.project(43.6, 1.4)
    assert len(world_map.paths(toulouse, tokyo)) == 1
    first, second = world_map.paths(washington, tokyo)
    ends = [[int(number) for number in re.findall(r"-?\d+", path)] for path in (first, second)]
    assert ends[0][-2] < 0  # leaves the map in the west
    assert ends[1][0] > world_map.WIDTH  # and comes in from the east


def test_charts_and_tables_have_the_sums_of_the_days(operator: Client, failing: Link) -> None:
    today = timezone.now().date()
    LinkDay.objects.all().delete()
    sums = {"runs": 2, "failed": 0, "unchanged": 7, "rejected": 1, "pages": 1, "seconds": 10}
    LinkDay.objects.create(link=failing, day=today - timedelta(days=1), new=3, updated=5, deleted=4, **sums)
    LinkDay.objects.create(link=failing, day=today - timedelta(days=30), new=9, updated=9, deleted=9, **sums)
    days = json.loads(operator.get("/admin/dashboard/charts.json").content)["days"]
    assert len(days) == 30
    assert days[-2] == {
        "day": str(today - timedelta(days=1)),
        "new": 3,
        "updated": 5,
        "deleted": 4,
        "runs": 2,
        "seconds_a_run": 5.0,
        "entries_a_second": 2.0,
    }
    assert sum(day["new"] for day in days) == 3
    rows = page(operator).xpath("//details[@data-fold='changes']//tbody/tr")
    assert len(rows) == 30
    assert [cell.text for cell in rows[1].xpath("td")][:3] == ["3", "5", "4"]


def test_changes_of_a_day_are_those_of_the_catalogue_whoever_made_them(operator: Client, failing: Link) -> None:
    LinkDay.objects.all().delete()
    sums = ("runs", "failed", "new", "updated", "unchanged", "deleted", "rejected", "pages", "seconds")
    LinkDay.objects.create(link=failing, day=timezone.now().date(), **dict.fromkeys(sums, 9))
    world.put(*(world.iso_record(f"urn:{number}") for number in range(5)))
    world.bury("urn:0")
    today = json.loads(operator.get("/admin/dashboard/charts.json").content)["days"][-1]
    assert (today["new"], today["updated"], today["deleted"], today["runs"]) == (5, 0, 1, 9)
    assert "+4 today" in operator.get("/admin/").content.decode()


def test_the_number_of_queries_does_not_grow_with_the_links(
    operator: Client, failing: Link, django_assert_max_num_queries, django_assert_num_queries
) -> None:
    operator.get("/admin/")  # the parts of the node are read now and then, and remembered
    with django_assert_max_num_queries(60) as before:
        operator.get("/admin/")
    for number in range(20):
        local = MetadataSet.objects.create(spec=f"WIS-GISC-{number}", name=str(number))
        Link.objects.create(name=f"x{number}", base_url="http://x.example.org/oai", local_set=local, failures=1)
    with django_assert_num_queries(len(before)):
        operator.get("/admin/")


def test_badges_of_the_sidebar_count_what_waits(operator: Client, failing: Link) -> None:
    badges = {
        " ".join(item.text_content().split())
        for item in page(operator).xpath("//nav//a | //*[@id='nav-sidebar-apps']//a")
    }
    assert any(words.endswith("Links 1") for words in badges), badges
    unwell = len(parts.recent().unwell)
    assert unwell and any(words.endswith(f"Dashboard {unwell}") for words in badges), badges


def test_figures_of_records_are_for_those_who_may_view_records(client: Client, failing: Link) -> None:
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_link"))
    client.force_login(user)
    assert "live records" not in text(page(client), "gisc-figures")
    user.user_permissions.add(Permission.objects.get(codename="view_record"))
    client.force_login(User.objects.get(pk=user.pk))
    assert "live records" in text(page(client), "gisc-figures")


def test_a_failing_link_with_another_provider_is_offered_to_be_switched(
    client: Client, operator: Client, failing: Link
) -> None:
    act = f"/admin/harvester/link/{failing.pk}/act/switch/"
    assert not page(operator).xpath("//a[@href=$act]", act=act), "there is none to switch to"
    Alternative.objects.create(link=failing, name="Offenbach", base_url="http://y.example.org/oai", remote_set="S")
    assert page(operator).xpath("//a[@href=$act]", act=act)
    assert operator.get(act).status_code == 200
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_link"))
    client.force_login(viewer)
    assert not page(client).xpath("//a[@href=$act]", act=act)


def test_the_table_of_the_mesh_has_all_links_and_that_of_links_their_runs(operator: Client, failing: Link) -> None:
    start = page(operator)
    assert start.xpath("//details[@data-fold='mesh']//th[normalize-space()='toulouse']")
    run = Run.objects.get()
    assert start.xpath("//*[@id='gisc-links']//a[@href=$url]", url=f"/admin/harvester/run/{run.pk}/change/")


def test_the_land_on_the_map_has_no_stripe_across_it() -> None:
    land = Path(settings.BASE_DIR, "gisc/static/gisc/coastline.svg").read_text(encoding="utf-8")
    assert len(land) < 60_000 and "Natural Earth" in land and "public domain" in land
    steps = [
        int(step) for path in re.findall(r"l([^z]*)z", land.split(' d="')[1]) for step in re.findall(r"-?\d+", path)
    ]
    assert steps and max(map(abs, steps)) < world_map.WIDTH / 4


def test_of_many_problems_and_links_the_most_urgent_are_listed_and_the_others_counted(
    operator: Client, failing: Link
) -> None:
    for number in range(30):
        Link.objects.create(
            name=f"more-{number}",
            base_url=f"http://x.example.org/{number}",
            remote_set="S",
            local_set=failing.local_set,
            failures=2,
            failing_since=timezone.now(),
        )
    start = page(operator)
    problems = start.xpath("//section[@id='gisc-problems']/ul/li")
    assert len(problems) == figures.MOST_PROBLEMS
    number = int(re.findall(r"(\d+) things need you", text(start, "gisc-problems"))[0])
    assert number >= 31 and f"{number - len(problems)} more, less urgent" in text(start, "gisc-problems")
    assert len(start.xpath("//section[@id='gisc-links']/table/tbody/tr")) == figures.MOST_LINKS
    assert "All 31 links" in text(start, "gisc-links")
