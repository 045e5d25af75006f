"""WIS monitoring: the messages are those of version 1.1, their figures are true, and who does not answer is told as such."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from pytest_httpserver import HTTPServer

from catalogue import bootstrap, datestamps, seams
from catalogue.models import MetadataSet, Record
from catalogue.reading import lists
from gisc.wis_monitoring import measuring, messages, tasks
from gisc.wis_monitoring.addresses import SERVICES
from gisc.wis_monitoring.models import DailyFigures, ResponseTimes
from harvester.models import Centre, Link
from tests.support.sockets import serving
from tests.support.world import TOULOUSE, bury, iso_record, peer_set, put, restamp

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def node(settings: Any, httpserver: HTTPServer, db: None) -> HTTPServer:
    """A node at whose public address nothing answers but what a test puts there."""
    bootstrap.ensure_sets()
    settings.GISC_BASE_URL = httpserver.url_for("").rstrip("/")
    return httpserver


def centre(**given: object) -> Centre:
    made, _ = Centre.objects.update_or_create(set_spec=TOULOUSE.spec, defaults={"name": "Toulouse"} | given)
    return made


def link(base_url: str, **given: object) -> Link:
    usual = {"name": "toulouse", "remote_set": TOULOUSE.spec, "local_set": peer_set(TOULOUSE), "enabled": True}
    return Link.objects.create(base_url=base_url, **(usual | given))


def body(client: Client, path: str, status: int = 200) -> dict[str, Any]:
    answer = client.get(f"/monitoring/{path}")
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/json"
    return dict(answer.json())


def test_the_message_of_the_day_has_all_that_version_1_1_has(client: Client, settings: Any) -> None:
    settings.GISC_CONTACT_VOICE, settings.GISC_BACKUP_GISCS = "+81 3 0000 0000", ["WIS-GISC-SEOUL"]
    put(*(iso_record(f"urn:x:{number}") for number in range(3)))
    measuring.take_day(seams.now())
    message = body(client, "monitor.json")
    assert (message["wmo_wis_monitoring"], message["centre"]) == ("1.1", settings.GISC_NAME)
    assert message["timestamp"] == f"{seams.now():%Y-%m-%d}T00:00:00Z"
    assert set(message) == {"wmo_wis_monitoring", "centre", "timestamp", "gisc_properties", "metrics", "remarks"}
    properties = message["gisc_properties"]
    assert properties["oaipmh_url"] == f"{settings.GISC_BASE_URL}/oai"
    assert properties["contact_info"] == {"voice": "+81 3 0000 0000", "email": settings.GISC_ADMIN_EMAIL}
    assert properties["backup_giscs"] == ["WIS-GISC-SEOUL"]
    assert set(properties) == {"portal_url", "oaipmh_url", "sru_url", "monitor_url", "cache_url", "centres_url", "events_url", "backup_giscs", "rmdcn", "contact_info"}  # fmt: skip
    metrics = message["metrics"]
    assert set(metrics) == {"metadata_catalogue", "cache_24h", "services"}
    assert set(metrics["services"]) == {*SERVICES, "distribution_system"}
    assert set(metrics["cache_24h"].values()) == {None}  # this node has no such cache
    assert metrics["metadata_catalogue"] == {
        "number_of_metadata": 3,
        "number_of_changes_insert_modify": None,
        "number_of_changes_delete": None,
    }
    assert "first figures" in message["remarks"]


def test_changes_are_counted_once_from_one_day_to_the_next(client: Client) -> None:
    """What is stamped in the second of the figures is of the next day: it may not all be there yet (P39)."""
    today = seams.now()
    put(*(iso_record(f"urn:x:{number}") for number in range(6)))
    bury("urn:x:4", "urn:x:5")
    measuring.take_day(today - timedelta(days=1))
    DailyFigures.objects.update(until=datetime(2020, 1, 2, tzinfo=UTC))
    for number, stamp in enumerate(["2020-01-01T23:59:59Z", "2020-01-02T00:00:00Z", "2020-01-03T00:00:00Z"]):
        restamp(f"urn:x:{number}", stamp)
    restamp("urn:x:4", "2020-01-01T00:00:00Z")
    restamp("urn:x:5", "2020-01-03T00:00:00Z")
    while True:
        until = lists.instant()
        restamp("urn:x:3", datestamps.write(until))
        measuring.take_day(today)
        taken = DailyFigures.objects.get(day=today.date())
        if taken.until == until:
            break
        taken.delete()  # the second has ended in between
    assert body(client, "monitor.json")["metrics"]["metadata_catalogue"] == {
        "number_of_metadata": 4,
        "number_of_changes_insert_modify": 2,
        "number_of_changes_delete": 1,
    }
    measuring.take_day(today + timedelta(days=1))
    tomorrow = DailyFigures.objects.get(day=(today + timedelta(days=1)).date())
    assert tomorrow.since == until
    yesterday = f"monitor.json?day={today - timedelta(days=1):%Y-%m-%d}"
    assert body(client, yesterday)["metrics"]["metadata_catalogue"]["number_of_metadata"] == 4


def test_what_not_everybody_sees_is_in_no_figure() -> None:
    measuring.take_day(seams.now() - timedelta(days=1))
    DailyFigures.objects.update(until=datetime(2020, 1, 1, tzinfo=UTC))
    put(iso_record("urn:x:1"), iso_record("urn:x:2"))
    restamp("urn:x:1", "2020-01-02T00:00:00Z")
    restamp("urn:x:2", "2020-01-02T00:00:00Z")
    Record.objects.filter(identifier="urn:x:2").update(audience=1)
    measuring.take_day(seams.now())
    figures = DailyFigures.objects.first()
    assert figures is not None
    assert figures.changed == 1


def test_a_day_is_taken_once_and_the_next_when_it_has_begun() -> None:
    midnight = datetime(2026, 11, 23, tzinfo=UTC)
    measuring.measure(midnight)
    assert not measuring.is_due(midnight + timedelta(minutes=9))
    assert measuring.is_due(midnight + timedelta(minutes=10))
    measuring.measure(midnight + timedelta(hours=23, minutes=59))
    assert DailyFigures.objects.count() == 1
    measuring.measure(midnight + timedelta(days=1))
    assert [figures.day.day for figures in DailyFigures.objects.all()] == [24, 23]


def test_services_are_up_if_they_answer_at_the_public_address(node: HTTPServer, settings: Any) -> None:
    node.expect_request("/").respond_with_data("<html></html>", content_type="text/html")
    node.expect_request("/oai", query_string={"verb": "Identify"}).respond_with_data("<OAI-PMH/>")
    node.expect_request("/sru").respond_with_data("broken", status=500)
    measuring.take_day(seams.now())
    assert DailyFigures.objects.get().services == {"portal": True, "oaipmh": True, "sru": False}
    settings.GISC_INTERFACES_OFF = ["sru"]
    measuring.take_day(seams.now() + timedelta(days=1))
    figures = DailyFigures.objects.first()
    assert figures.services == {"portal": True, "oaipmh": True, "sru": None}
    assert messages.monitor(figures)["gisc_properties"]["sru_url"] is None


def test_centres_are_told_with_seconds_with_minus_one_or_with_nothing(client: Client, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/peer", query_string={"verb": "Identify"}).respond_with_data("<OAI-PMH/>")
    with serving(lambda connection: connection.close()) as port:
        centre(portal_url=f"http://127.0.0.1:{port}/")
        link(httpserver.url_for("/peer"))
        measuring.ask_centres(seams.now())
    message = body(client, "centres.json")
    assert message["wmo_wis_monitoring"] == "1.1"
    (found,) = message["centres"]
    assert found["centre"] == TOULOUSE.spec
    metrics = found["metrics"]
    assert metrics["oaipmh_response_time"] >= 0
    assert metrics["portal_response_time"] == -1
    assert metrics["sru_response_time"] is None
    summary = {line["service"]: line for line in body(client, "history.json")["centres"]}
    assert (summary["oaipmh"]["asked"], summary["oaipmh"]["answered"]) == (1, 1)
    assert (summary["portal"]["asked"], summary["portal"]["answered"], summary["portal"]["median_s"]) == (1, 0, None)
    assert "sru" not in summary


def test_a_centre_is_asked_only_if_an_enabled_public_link_harvests_it(httpserver: HTTPServer) -> None:
    centre(portal_url=httpserver.url_for("/portal"))
    measuring.ask_centres(seams.now())
    link(httpserver.url_for("/peer"), enabled=False)
    measuring.ask_centres(seams.now() + timedelta(minutes=10))
    Link.objects.update(enabled=True)
    MetadataSet.objects.filter(spec=TOULOUSE.spec).update(public=False)
    measuring.ask_centres(seams.now() + timedelta(minutes=20))
    assert [times.centres for times in ResponseTimes.objects.all()] == [[], [], []]
    assert httpserver.log == []


def test_before_anything_was_measured_that_is_said(client: Client) -> None:
    assert "within minutes" in body(client, "monitor.json", 404)["error"]
    assert "within minutes" in body(client, "centres.json", 404)["error"]
    assert body(client, "history.json") == {**body(client, "history.json"), "days": [], "centres": []}
    measuring.take_day(seams.now())
    body(client, "monitor.json?day=2001-01-01", 404)
    body(client, "monitor.json?day=yesterday", 400)


def test_figures_of_a_day_to_come_are_shown_to_nobody(client: Client) -> None:
    measuring.take_day(seams.now())
    DailyFigures.objects.create(day=seams.now().date() + timedelta(days=3), until=lists.instant(), live=99, services={})
    assert body(client, "monitor.json")["metrics"]["metadata_catalogue"]["number_of_metadata"] == 0
    assert len(body(client, "history.json")["days"]) == 1


def test_what_is_old_goes() -> None:
    now = seams.now()
    ResponseTimes.objects.create(at=now - timedelta(days=31), centres=[])
    DailyFigures.objects.create(day=(now - timedelta(days=1101)).date(), until=now, live=1, services={})
    measuring.measure(now)
    assert ResponseTimes.objects.count() == DailyFigures.objects.count() == 1


def test_a_tick_measures_unless_it_is_switched_off(client: Client, settings: Any, monkeypatch) -> None:
    called: list[str] = []
    monkeypatch.setattr(tasks.measure, "apply_async", lambda **_options: called.append("measure"))
    settings.GISC_INTERFACES_OFF = ["monitoring"]
    tasks.tick()
    assert called == []
    assert client.get("/monitoring/monitor.json").status_code == 404
    settings.GISC_INTERFACES_OFF = []
    tasks.tick()
    assert called == ["measure"]
    tasks.measure()
    tasks.tick()
    assert called == ["measure"]


@pytest.mark.parametrize("field", ["portal_url", "sru_url"])
def test_an_address_of_a_centre_has_no_password(field: str) -> None:
    with pytest.raises(ValidationError, match="Leave passwords out"):
        centre(**{field: "https://me:secret@centre.example.org/"}).full_clean()
    centre(**{field: "https://centre.example.org/"}).full_clean()
