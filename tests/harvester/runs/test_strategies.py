"""ListRecords, and ListIdentifiers with GetRecord: two ways to the same catalogue (W18)."""

import threading
from collections.abc import Iterator

import pytest
from django.core.exceptions import ValidationError
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue.models import Membership, MetadataSet, Record
from harvester import schedule
from harvester.models import Link, RemoteHeader, Run
from harvester.models.link_schedule import MAX_AT_ONCE
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier, once, times, xml
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import OFFENBACH, TOULOUSE, iso_record

pytestmark = pytest.mark.spec("W18")


@pytest.fixture
def by_records(link: Link) -> Link:
    return link


@pytest.fixture
def by_identifiers(link: Link, provider: Provider) -> Link:
    """The same arrangement, the other way, into a set of its own."""
    into = MetadataSet.objects.create(spec=OFFENBACH.spec, name=OFFENBACH.name)
    return Link.objects.create(
        name="toulouse-2",
        base_url=provider.base_url,
        remote_set=TOULOUSE.spec,
        local_set=into,
        strategy=Link.Strategy.IDENTIFIERS,
        lateness_h=schedule.MAX_LATENESS_H,
    )


def harvest_alone(link: Link) -> tuple[Run, dict[str, object]]:
    """A run of this link, and what it left in the catalogue, which holds nothing else."""
    link.refresh_from_db()
    run = harvest(link)
    rows = Record.objects.order_by("key").values_list("identifier", "deleted", "digest", "metadata_date")
    headers = RemoteHeader.objects.filter(link=link).order_by("key")
    link.refresh_from_db()
    return run, {
        "records": [(i, gone, digest and bytes(digest), date) for i, gone, digest, date in rows],
        "headers": list(headers.values_list("key", "identifier", "datestamp", "deleted", "state")),
        "counters": counters(run),
        "harvested_to": link.harvested_to,
        "rejects": sorted(run.rejects.values_list("identifier", flat=True)),
    }


def wipe() -> None:
    Membership.objects.all().delete()
    Record.objects.all().delete()


@pytest.mark.spec("W18", "H40")
def test_both_strategies_leave_the_same_catalogue_in_every_round(
    by_records: Link, by_identifiers: Link, provider: Provider
) -> None:
    fill(provider, range(30))
    provider.entries[identifier(40)] = ("2026-02-02T00:00:00Z", None)
    provider.entries["urn:x:bad"] = ("2026-02-02T00:00:00Z", b"<?xml version='1.0'?><dc xmlns='urn:dc'>x</dc>")
    first = [harvest_alone(by_records)[1]]
    wipe()
    first.append(harvest_alone(by_identifiers)[1])
    assert first[0] == first[1]
    assert first[0]["counters"] == {"received": 32, "new": 30, "deleted": 1, "rejected": 1}

    # The next round, with changes. Each strategy finds in the catalogue what it left there.
    changes = {
        identifier(3): ("2026-02-03T00:00:00Z", iso_record(identifier(3), title="Changed")),
        identifier(4): ("2026-02-03T00:00:00Z", None),
        identifier(40): ("2026-02-03T00:00:00Z", iso_record(identifier(40), title="Back again")),
        identifier(41): ("2026-02-03T00:00:00Z", None),
    }
    before = dict(provider.entries)
    provider.entries |= changes
    second = [harvest_alone(by_identifiers)[1]]
    wipe()
    provider.entries = before
    Link.objects.filter(pk=by_records.pk).update(harvested_to=None)
    harvest_alone(by_records)
    provider.entries = before | changes
    second.append(harvest_alone(by_records)[1])
    assert second[0] == second[1]
    assert second[0]["counters"] == {"received": 5, "updated": 2, "deleted": 2, "rejected": 1}


@pytest.mark.spec("W50")
def test_only_what_is_new_or_changed_is_asked_for(by_identifiers: Link, provider: Provider) -> None:
    fill(provider, range(7))
    run, _ = harvest_alone(by_identifiers)
    assert counters(run) == {"received": 7, "new": 7}
    assert run.fetched == len(provider.asked_for("GetRecord")) == 7
    provider.entries[identifier(2)] = ("2026-02-04T00:00:00Z", iso_record(identifier(2), title="Changed"))
    provider.entries[identifier(3)] = ("2026-02-04T00:00:00Z", None)
    provider.asked.clear()

    run, _ = harvest_alone(by_identifiers)

    assert counters(run) == {"received": 2, "updated": 1, "deleted": 1}
    assert [arguments["identifier"] for arguments in provider.asked_for("GetRecord")] == [identifier(2)]
    assert provider.asked_for("ListRecords") == []


def test_a_record_that_changes_within_the_granule_of_its_listing_is_asked_for_again(
    by_identifiers: Link, provider: Provider
) -> None:
    provider.granularity = "YYYY-MM-DD"
    fill(provider, range(2), stamp="2026-03-01")
    harvest_alone(by_identifiers)
    provider.entries[identifier(1)] = ("2026-03-01", iso_record(identifier(1), title="Changed on the same day"))

    run, _ = harvest_alone(by_identifiers)

    assert counters(run) == {"received": 2, "updated": 1, "unchanged": 1}


@pytest.fixture
def threaded() -> Iterator[Provider]:
    """A provider that answers several requests at once."""
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        yield Provider(server)


@pytest.mark.parametrize("at_once", [1, 4, 6])
def test_requests_for_records_are_parallel_and_bounded(by_identifiers: Link, threaded: Provider, at_once: int) -> None:
    """As many requests as the link says are in the air at once, which a barrier of that size finds out; and no more."""
    provider = threaded
    Link.objects.filter(pk=by_identifiers.pk).update(base_url=provider.base_url, at_once=at_once)
    fill(provider, range(12))
    together = threading.Barrier(at_once, timeout=60)
    lock, now, most = threading.Lock(), 0, 0

    def meet(arguments: dict[str, str]) -> Response | None:
        nonlocal now, most
        if arguments["verb"] != "GetRecord":
            return None
        with lock:
            now += 1
            most = max(most, now)
        together.wait()
        with lock:
            now -= 1
        return None

    provider.faults.append(meet)

    run, _ = harvest_alone(by_identifiers)

    assert counters(run) == {"received": 12, "new": 12}
    assert most == at_once


@pytest.mark.parametrize("at_once", [0, MAX_AT_ONCE + 1])
def test_a_link_asks_with_few_requests_at_once(link: Link, at_once: int) -> None:
    link.at_once = at_once
    with pytest.raises(ValidationError) as raised:
        link.full_clean()
    assert set(raised.value.message_dict) == {"at_once"}


@pytest.mark.spec("H20", "H21")
def test_a_provider_that_is_busy_in_between_loses_nothing(by_identifiers: Link, provider: Provider) -> None:
    fill(provider, range(30))
    fifth = iter(range(100))
    provider.faults.append(
        once(lambda arguments: arguments["verb"] == "GetRecord" and next(fifth) == 5, lambda: Response("", status=503))
    )

    run, _ = harvest_alone(by_identifiers)

    assert run.state == Run.State.OPEN
    assert run.phase == Run.Phase.FETCHING
    assert "HTTP 503" in run.message and "asked for again" in run.message
    assert 0 < len(held()) < 30
    by_identifiers.refresh_from_db()
    assert by_identifiers.harvested_to is None
    lists = len(provider.asked_for("ListIdentifiers"))

    run = go_on(run)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 30, "new": 30}
    assert len(provider.asked_for("ListIdentifiers")) == lists, "the list is not read again"


@pytest.mark.spec("H33")
def test_what_is_listed_and_then_cannot_be_had_is_a_reject_and_asked_for_next_time(
    by_identifiers: Link, provider: Provider
) -> None:
    provider.page_size = 3
    fill(provider, range(3))
    unknown = provider.envelope('<error code="idDoesNotExist">gone</error>')
    provider.faults.append(times(1, lambda arguments: arguments["verb"] == "GetRecord", lambda: xml(unknown)))

    run, facts = harvest_alone(by_identifiers)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 3, "new": 2, "rejected": 1}
    reject = run.rejects.get()
    errors = [{"code": "idDoesNotExist", "text": "gone"}]
    assert (reject.reason, reject.reason_data) == ("request-refused", {"errors": errors})
    assert reject.reason_text.startswith("the provider listed it, but the provider refused the request: idDoesNotExist")

    assert counters(harvest_alone(by_identifiers)[0]) == {"received": 1, "new": 1}


def test_an_answer_about_another_record_is_asked_for_again_and_then_a_reject(
    by_identifiers: Link, provider: Provider
) -> None:
    fill(provider, range(2))
    other = provider._getrecord({"identifier": identifier(1)})
    provider.faults.append(lambda a: xml(other) if a.get("identifier") == identifier(0) else None)

    run, _ = harvest_alone(by_identifiers)
    while run.is_open:  # it is asked for again, as a proxy may be out of step
        assert "other-record" in str(run.outcome_data)
        run = go_on(run)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 2, "new": 1, "rejected": 1}


def test_a_refusal_that_is_not_about_a_record_fails_the_run(by_identifiers: Link, provider: Provider) -> None:
    fill(provider, range(2))
    provider.faults.append(lambda a: Response("", status=403) if a["verb"] == "GetRecord" else None)

    run, _ = harvest_alone(by_identifiers)

    assert run.state == Run.State.FAILED
    assert "HTTP 403" in run.message


@schedule.LIMITS.replaced(fetch_batch=4)
def test_a_run_that_is_cancelled_while_it_fetches_stores_no_further_batch(
    by_identifiers: Link, provider: Provider
) -> None:
    fill(provider, range(20))
    run = lifecycle.open_run(by_identifiers, trigger="test")

    lifecycle.work(run.pk, progress=lambda current: lifecycle.cancel(current) if current.fetched == 8 else None)

    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert counters(run) == {"received": 8, "new": 8}
    assert counters(harvest_alone(by_identifiers)[0]) == {"received": 20, "new": 12, "unchanged": 8}
    assert held() == {identifier(number) for number in range(20)}
    assert at("2026-02-01T00:00:00Z") == Link.objects.get(pk=by_identifiers.pk).harvested_to
