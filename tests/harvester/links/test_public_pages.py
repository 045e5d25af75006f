"""The public page of a link with its log, the feeds, the JSON, and the report that a provider is sent."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from lxml import etree

from harvester.models import Link, Reject, Run
from tests.support.provider import Provider, fill
from tests.support.runs import harvest
from tests.support.sql import run as sql

pytestmark = pytest.mark.django_db
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
ATOM = "{http://www.w3.org/2005/Atom}"


def add_runs(link: Link, number: int, **fields: object) -> None:
    Run.objects.bulk_create(
        Run(
            link=link,
            begun=FIRST + timedelta(minutes=n),
            finished=FIRST + timedelta(minutes=n),
            **{"state": "done", **fields},
        )
        for n in range(number)
    )


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def logged(client: Client, path: str) -> list[int]:
    return [run.pk for run, _ in client.get(path).context["log"]]


def test_a_link_has_a_page_with_its_figures_and_its_log(client: Client, link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    shown = page(client, f"/harvest/{link.name}/")
    assert "Complete up to" in shown and "2026-02-01 00:00:00" in shown and "harvest" in shown
    assert logged(client, f"/harvest/{link.name}/") == [Run.objects.get().pk]
    assert client.get("/harvest/nobody/").status_code == 404
    assert client.post(f"/harvest/{link.name}/").status_code == 405


def test_the_log_is_walked_to_its_end_and_each_run_is_on_one_page(client: Client, link: Link) -> None:
    add_runs(link, 60)
    Run.objects.filter(begun__lt=FIRST + timedelta(minutes=30)).update(begun=FIRST)  # many of one instant
    found, path = [], f"/harvest/{link.name}/"
    while path:
        answer = client.get(path)
        found += [run.pk for run, _ in answer.context["log"]]
        older = answer.context["older"]
        path = f"/harvest/{link.name}/?before={older}" if older else ""
    assert found == list(Run.objects.order_by("-begun", "-pk").values_list("pk", flat=True))


@pytest.mark.parametrize("before", ["x", "1-", "-1", "1-2-3", "9" * 30 + "-1", "1-" + "9" * 30])
def test_a_place_that_is_none_is_not_found(client: Client, link: Link, before: str) -> None:
    assert client.get(f"/harvest/{link.name}/", {"before": before}).status_code == 404


def test_a_run_is_found_in_the_log_however_old(client: Client, link: Link) -> None:
    add_runs(link, 60)
    old = Run.objects.order_by("begun")[3]
    answer = client.get(f"/harvest/run/{old.pk}/")
    assert answer.status_code == 302 and answer["Location"].endswith(f"#run-{old.pk}")
    assert logged(client, answer["Location"])[0] == old.pk
    assert client.get("/harvest/run/999999999999999999999/").status_code == 404


def test_a_page_of_the_log_reads_as_much_at_its_end_as_at_its_beginning(client: Client, link: Link) -> None:
    add_runs(link, 3000)
    for purpose in ("comparison", "content"):
        Run.objects.create(link=link, begun=FIRST, finished=FIRST, state="done", purpose=purpose)
    sql("ANALYZE")
    counted = (
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'harvester_run'"
    )
    old = Run.objects.order_by("begun")[100]
    for path in (f"/harvest/{link.name}/", client.get(f"/harvest/run/{old.pk}/")["Location"], "/harvest/runs.atom"):
        before = sql(counted)[0][0]
        assert client.get(path).status_code == 200
        assert sql(counted)[0][0] - before < 400, path


def branding(of_icon: str) -> str:
    icon = f"<collectionIcon><url>http://evil.example.org/i.png</url>{of_icon}</collectionIcon>"
    namespace = "http://www.openarchives.org/OAI/2.0/branding/"
    return f'<description><branding xmlns="{namespace}">{icon}</branding></description>'


def test_a_brand_is_text_and_one_safe_link(client: Client, link: Link, provider: Provider) -> None:
    provider.description = branding(
        "<link>https://meteo.example.org/wis</link><title>Météo &lt;script&gt;alert(1)&lt;/script&gt;</title>"
    )
    harvest(link)
    assert Link.objects.get().brand == {
        "title": "Météo <script>alert(1)</script>",
        "link": "https://meteo.example.org/wis",
    }
    for path in ("/harvest/", f"/harvest/{link.name}/"):
        shown = page(client, path)
        assert "Météo &lt;script&gt;" in shown and "<script>alert" not in shown and "i.png" not in shown
    assert 'href="https://meteo.example.org/wis"' in page(client, f"/harvest/{link.name}/")


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "http://x.example.org/", "https://a@b.example.org/", "https://x y/"]
)
def test_another_link_of_a_brand_is_left_out(link: Link, provider: Provider, address: str) -> None:
    provider.description = branding(f"<link>{address}</link>")
    harvest(link)
    assert Link.objects.get().brand == {}


def test_feeds_have_the_runs_that_ended(client: Client, link: Link) -> None:
    add_runs(link, 3, new=2, received=2)
    Run.objects.create(link=link, begun=FIRST + timedelta(hours=1), state="failed", finished=FIRST + timedelta(hours=1))
    Run.objects.create(link=link, begun=FIRST + timedelta(hours=2))
    for path in ("/harvest/runs.atom", f"/harvest/{link.name}/runs.atom"):
        answer = client.get(path)
        assert answer["Content-Type"].startswith("application/atom+xml")
        feed = etree.fromstring(answer.content)
        titles = [entry.findtext(f"{ATOM}title") for entry in feed.iterfind(f"{ATOM}entry")]
        assert titles == ["toulouse: harvest: failed", *["toulouse: harvest: done, 2 new"] * 3]
        assert len({entry.findtext(f"{ATOM}id") for entry in feed.iterfind(f"{ATOM}entry")}) == 4
    assert client.get("/harvest/nobody/runs.atom").status_code == 404


def test_a_link_is_given_as_json_as_in_the_report_of_all(client: Client, link: Link) -> None:
    add_runs(link, 30)
    alone = client.get(f"/harvest/{link.name}/link.json").json()
    (of_all,) = client.get("/harvest/status.json").json()["links"]
    assert len(alone.pop("runs")) == 25 and alone == of_all


# --- The report for the provider --------------------------------------------------------------------


def reject(link: Link, identifier: str, **fields: object) -> None:
    Reject.objects.create(
        link=link,
        identifier=identifier,
        **{"reason": "not-iso19139", "reason_data": {"root": "x", "namespace": ""}, **fields},
    )


def test_the_report_has_causes_examples_the_rule_and_how_to_check(client: Client, link: Link) -> None:
    Link.objects.update(base_url="https://meteo.example.org/oai", user="tokyo", sealed_password="sealed")
    for number in range(7):
        reject(link, f"urn:<b>:{number}", raw=b"<x/>")
    reject(link, "urn:over", settled=FIRST)
    address = f"/harvest/report/{link.report_key}/"
    answer = client.get(address)
    shown = answer.content.decode()
    assert "7 records" in shown and "urn:&lt;b&gt;:6" in shown and "urn:over" not in shown
    assert "Metadata of WIS are ISO 19139" in shown and "GetRecord" in shown
    assert "https://meteo.example.org/oai?verb=GetRecord" in shown
    assert "noindex" in answer["X-Robots-Tag"] and '<meta name="robots" content="noindex' in shown
    assert "tokyo" not in shown and "sealed" not in shown
    (cause,) = client.get(f"{address}report.json").json()["causes"]
    assert (cause["code"], cause["records"], len(cause["examples"])) == ("not-iso19139", 7, 5)
    lines = list(csv.reader(io.StringIO(client.get(f"{address}rejects.csv").content.decode())))
    assert len(lines) == 8 and lines[1][3] == "<x/>"


@pytest.mark.parametrize(
    "base_url",
    [
        "http://10.1.2.3/oai",
        "http://localhost/oai",
        "http://oai.internal/x",
        "https://me:s3cret@meteo.example.org/oai",
        "http://[fd00::1]/oai",
    ],
)
def test_the_report_has_no_internal_address_and_no_password(client: Client, link: Link, base_url: str) -> None:
    Link.objects.update(base_url=base_url)
    reject(link, "urn:1")
    for path in ("", "report.json", "rejects.csv"):
        text = client.get(f"/harvest/report/{link.report_key}/{path}").content.decode()
        assert base_url not in text and "s3cret" not in text and "10.1.2.3" not in text
    assert "BASE-URL?verb=GetRecord" in page(client, f"/harvest/report/{link.report_key}/")


def test_a_report_without_rejects_says_so_and_one_that_is_not_there_is_not_found(client: Client, link: Link) -> None:
    assert "Nothing is to be mended" in page(client, f"/harvest/report/{link.report_key}/")
    assert client.get("/harvest/report/00000000-0000-4000-8000-000000000000/").status_code == 404
