"""Rejects: one row a link, identifier and cause, however often a provider gives the record; and when they are over."""

import csv
import io

import pytest
from django.test import Client

from harvester.models import Link, Reject, Run
from harvester.monitoring import status
from harvester.rows import rejects
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, harvest
from tests.support.sql import run as sql
from tests.support.world import iso_record

pytestmark = pytest.mark.django_db

REJECTS = "/admin/harvester/reject/"
STAMP = "2026-02-01T00:00:00Z"
BAD = b"<?xml version='1.0'?><dc xmlns='urn:dc'>x</dc>"


def standing() -> dict[str, str]:
    """The codes of the rejects that stand, by identifier."""
    return dict(Reject.objects.standing().values_list("identifier", "reason"))


@pytest.mark.spec("H33")
def test_a_bad_record_that_comes_with_every_run_is_one_row(link: Link, provider: Provider) -> None:
    provider.lists_all = True
    provider.page_size = 20
    bad = {f"urn:bad:{number}": f"<?xml version='1.0'?><x>{'y' * 40_000}{number}</x>".encode() for number in range(10)}
    provider.entries |= {name: (STAMP, document) for name, document in bad.items()}
    runs = [harvest(link) for _ in range(3)]
    sizes = sql("SELECT sum(pg_column_size(raw)) FROM harvester_reject")

    runs += [harvest(link) for _ in range(3)]

    assert Reject.objects.count() == 10
    assert sql("SELECT sum(pg_column_size(raw)) FROM harvester_reject") == sizes
    assert [counters(run) for run in runs] == [{"received": 10, "rejected": 10}] * 6, "each run keeps its own count"
    for reject in Reject.objects.all():
        assert (reject.count, reject.count_in_run, reject.run) == (6, 1, runs[-1])
        assert runs[0].begun <= reject.first_seen <= runs[0].finished
        assert runs[-1].begun <= reject.last_seen <= runs[-1].finished


def test_the_latest_xml_is_kept_and_another_cause_is_another_row(link: Link, provider: Provider) -> None:
    provider.lists_all = True
    for document in (BAD, BAD.replace(b">x<", b">second<"), b"<?xml version='1.0'?>"):
        provider.entries["urn:bad"] = (STAMP, document)
        harvest(link)
    by_cause = {reject.reason: reject for reject in Reject.objects.all()}
    assert by_cause.keys() == {"not-iso19139", "record-without-metadata"}
    assert bytes(by_cause["not-iso19139"].raw) == b"<dc xmlns='urn:dc'>second</dc>"
    assert standing() == {"urn:bad": "record-without-metadata"}, "the cause that it had before is over"


def test_a_reject_is_over_when_the_record_is_stored_and_stands_again_when_it_is_bad_again(
    link: Link, provider: Provider
) -> None:
    provider.lists_all = True
    provider.entries["urn:a"] = (STAMP, BAD)
    provider.entries["urn:b"] = (STAMP, BAD)
    harvest(link)
    assert standing().keys() == {"urn:a", "urn:b"}

    provider.entries["urn:a"] = (STAMP, iso_record("urn:a"))
    provider.entries["urn:b"] = (STAMP, None)
    run = harvest(link)
    assert standing() == {}
    assert {reject.settled for reject in Reject.objects.all()} == {run.finished}

    provider.entries["urn:a"] = (STAMP, BAD)
    harvest(link)
    assert standing().keys() == {"urn:a"}
    assert Reject.objects.get(identifier="urn:a").count == 2

    provider.entries["urn:a"] = (STAMP, iso_record("urn:a"))
    harvest(link)
    assert standing() == {}, "also where the stored record is not written again, as it is the same"


def test_a_reject_stands_while_the_provider_does_not_list_it_again(link: Link, provider: Provider) -> None:
    Link.objects.update(lateness_h=1)
    link.refresh_from_db()
    provider.entries["urn:bad"] = (STAMP, BAD)
    harvest(link)
    del provider.entries["urn:bad"]  # without a word
    provider.entries[identifier(1)] = ("2026-03-01T11:59:00Z", iso_record(identifier(1)))
    run = harvest(link)
    assert counters(run) == {"received": 1, "new": 1}
    assert standing().keys() == {"urn:bad"}
    (shown,) = status.with_last_run(Link.objects.all())
    assert [todo.text for todo in status.find_todos(shown)] == ["1 record is rejected: tell the provider why."]
    assert status.status_report()["links"][0]["rejects_standing"] == 1
    assert 'gisc_link_rejects{link="toulouse",reason="not-iso19139"} 1.0' in Client().get("/metrics").content.decode()


def test_entries_without_identifier_are_one_row_and_over_when_a_whole_list_has_none(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(2))
    nameless = "<record><header><identifier/><datestamp>2026-02-01T00:00:00Z</datestamp></header></record>"
    close = b"</ListRecords>"
    provider.edits.append(lambda _, body: body.replace(close, (nameless * 3).encode() + close))
    run = harvest(link)
    assert counters(run) == {"received": 5, "new": 2, "rejected": 3}
    reject = Reject.objects.get()
    assert (reject.identifier, reject.count, reject.count_in_run) == ("", 3, 3)
    assert rejects.count_nameless(run) == 3

    provider.edits.clear()
    link.refresh_from_db()
    harvest(link)
    assert standing() == {"": reject.reason}, "a list of changes does not say so"
    harvest(link, full=True)
    assert standing() == {}


def test_a_comparison_settles_rejects_too(link: Link, provider: Provider) -> None:
    provider.entries["urn:bad"] = (STAMP, BAD)
    harvest(link)
    provider.entries["urn:bad"] = (STAMP, iso_record("urn:bad"))
    comparison = lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True)
    lifecycle.work(comparison.pk)
    assert standing() == {}


def test_rejects_of_two_links_are_two_rows(link: Link, provider: Provider) -> None:
    provider.entries["urn:bad"] = (STAMP, BAD)
    other = Link.objects.create(name="other", base_url=provider.base_url, local_set=link.local_set)
    harvest(link)
    harvest(other)
    assert sorted(Reject.objects.values_list("link__name", "count")) == [("other", 1), ("toulouse", 1)]


def test_an_operator_sees_what_stands_and_what_is_over(link: Link, provider: Provider, admin_client: Client) -> None:
    provider.lists_all = True
    provider.entries |= {"urn:a": (STAMP, BAD), "urn:b": (STAMP, BAD)}
    first = harvest(link)
    provider.entries["urn:a"] = (STAMP, iso_record("urn:a"))
    second = harvest(link)
    for state, expected in (("stands", ["urn:b"]), ("over", ["urn:a"])):
        page = admin_client.get(REJECTS, {"state": state})
        assert [reject.identifier for reject in page.context["cl"].result_list] == expected
    for run, seen in ((first, {"urn:a", "urn:b"}), (second, {"urn:b"})):
        file = admin_client.get(f"/admin/harvester/run/{run.pk}/rejects.csv").getvalue().decode()
        assert {row["identifier"] for row in csv.DictReader(io.StringIO(file))} == seen
        assert run.rejected == len(seen)


def test_a_reject_outlives_the_run_that_saw_it(link: Link, provider: Provider, admin_client: Client) -> None:
    provider.entries["urn:bad"] = (STAMP, BAD)
    harvest(link)
    Run.objects.all().delete()
    reject = Reject.objects.get()
    assert (reject.run, reject.link) == (None, link)
    assert admin_client.get(f"{REJECTS}{reject.pk}/change/").status_code == 200


def test_rows_of_the_version_before_are_folded_into_those_of_their_link(link: Link, provider: Provider) -> None:
    provider.entries["urn:bad"] = (STAMP, BAD)
    run = harvest(link)
    for reason in ("not-iso19139", "not-iso19139", "empty"):
        sql(
            "INSERT INTO harvester_reject (run_id, identifier, datestamp, reason, file_key) VALUES (%s, 'urn:bad', '', %s, '')",
            run.pk,
            reason,
        )
    rejects.fold()
    counts = sorted(Reject.objects.values_list("link__name", "reason", "count"))
    assert counts == [("toulouse", "empty", 1), ("toulouse", "not-iso19139", 3)]
