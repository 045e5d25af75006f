"""A run against a provider on a real socket: what is stored, and where `harvested_to` stands afterwards."""

from datetime import timedelta

import pytest
from django.utils import timezone
from werkzeug import Response

from catalogue import seams, ticks
from catalogue.models import Membership, MetadataSet, Record
from harvester import schedule
from harvester.models import Canary, Link, Reject, Run
from harvester.protocol.prefetch import Turn
from harvester.rows import queue, runs
from harvester.runs import lifecycle
from tests.support.provider import Provider, continued, fill, identifier, once, record, times, xml
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import OFFENBACH, iso_record, own_set, peer_set, put


def test_a_complete_list_is_stored_and_the_link_is_complete_up_to_its_newest_record(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(5))
    provider.entries[identifier(5)] = ("2026-02-02T08:00:00Z", None)

    run = harvest(link)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 6, "new": 5, "deleted": 1}
    assert held() == {identifier(number) for number in range(5)}
    link.refresh_from_db()
    assert link.harvested_to == at("2026-02-02T08:00:00Z")
    assert [arguments.get("set") for arguments in provider.lists][0] == "WIS-GISC-TOULOUSE"


@pytest.mark.spec("H11")
def test_datestamps_in_the_providers_future_do_not_carry_the_link_along(link: Link, provider: Provider) -> None:
    fill(provider, range(1), stamp="2027-01-01T00:00:00Z")

    run = harvest(link)

    link.refresh_from_db()
    assert link.harvested_to == at(provider.now)
    assert "future" in run.message


@pytest.mark.spec("H10", "S41", "S42")
def test_the_first_pages_response_date_counts_not_the_last_ones(link: Link, provider: Provider) -> None:
    fill(provider, range(4), stamp="2026-03-01T11:59:59Z")
    provider.entries[identifier(9)] = ("2026-03-01T12:30:00Z", iso_record(identifier(9)))

    def later_on_page_two(arguments: dict[str, str]) -> None:
        provider.now = "2026-03-01T12:00:00Z" if not continued(arguments) else "2026-03-01T13:00:00Z"

    provider.faults.append(later_on_page_two)

    harvest(link)

    link.refresh_from_db()
    assert link.harvested_to == at("2026-03-01T12:00:00Z")


@pytest.mark.spec("H5")
def test_nothing_but_the_base_url_is_asked_for(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    assert {request.path for request, _ in provider.server.log} == {"/oai"}, "no robots.txt either"


@pytest.mark.spec("H8", "H9", "H14", "H50")
def test_the_next_run_asks_for_headers_from_a_little_before_and_for_no_record_twice(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    harvest(link)
    stamps = dict(Record.objects.values_list("identifier", "datestamp"))
    link.refresh_from_db()

    run = harvest(link)

    headers = provider.asked_for("ListIdentifiers")[-1]
    assert headers["from"] == "2026-01-31T23:58:59Z"  # a second and the overlap of 60 s before
    assert headers["until"] == "2026-02-01T00:00:00Z"
    assert provider.lists[-1]["from"] == "2026-02-01T00:00:01Z" and "until" not in provider.lists[-1]
    assert counters(run) == {}
    assert dict(Record.objects.values_list("identifier", "datestamp")) == stamps


@pytest.mark.spec("H7", "H9", "S50")
def test_a_day_repository_is_asked_with_days(link: Link, provider: Provider) -> None:
    provider.granularity = "YYYY-MM-DD"
    fill(provider, range(1), stamp="2026-02-03")
    harvest(link)
    link.refresh_from_db()
    assert link.harvested_to == at("2026-02-03T00:00:00Z")

    harvest(link)

    assert provider.asked_for("ListIdentifiers")[-1]["from"] == "2026-02-03"
    assert provider.lists[-1]["from"] == "2026-02-04"


@pytest.mark.spec("H13")
def test_nothing_new_is_success_and_leaves_harvested_to(link: Link, provider: Provider) -> None:
    fill(provider, range(1))
    harvest(link)
    link.refresh_from_db()
    before = link.harvested_to
    provider.entries.clear()

    run = harvest(link)

    assert run.state == Run.State.DONE
    assert counters(run) == {}
    link.refresh_from_db()
    assert link.harvested_to == before
    assert held() == {identifier(0)}, "an empty list deletes nothing"


@pytest.mark.spec("W10", "S47", "S53")
def test_what_a_full_list_leaves_out_is_not_deleted(link: Link, provider: Provider) -> None:
    fill(provider, range(6))
    harvest(link)
    link.refresh_from_db()
    for number in range(3):
        del provider.entries[identifier(number)]

    run = harvest(link, full=True)

    assert "from" not in provider.lists[-2]
    assert run.state == Run.State.DONE
    assert held() == {identifier(number) for number in range(6)}


@pytest.mark.spec("H34", "H44")
def test_a_deleted_header_deletes_and_may_be_taken_back(link: Link, provider: Provider) -> None:
    fill(provider, range(2), stamp="2026-01-01T00:00:00Z")
    fill(provider, range(1))
    harvest(link)
    provider.entries[identifier(0)] = ("2026-02-05T00:00:00Z", None)
    link.refresh_from_db()
    assert counters(harvest(link)) == {"received": 1, "deleted": 1}
    assert Membership.objects.get(record__identifier=identifier(0)).deleted

    fill(provider, range(1), stamp="2026-02-06T00:00:00Z")
    link.refresh_from_db()
    assert counters(harvest(link)) == {"received": 1, "updated": 1}
    assert held() == {identifier(0), identifier(1)}


@pytest.mark.spec("H12", "H21", "H24", "S45")
def test_a_failing_page_keeps_what_came_before_and_is_asked_for_again(link: Link, provider: Provider) -> None:
    fill(provider, range(5))
    provider.faults.append(once(continued, lambda: Response("gone", status=502)))

    run = harvest(link)

    assert run.state == Run.State.OPEN
    assert counters(run) == {"received": 2, "new": 2}
    assert run.not_before is not None
    assert "HTTP 502" in run.message and "Page 2 is asked for again in 10 s" in run.message
    link.refresh_from_db()
    assert link.harvested_to is None

    run = go_on(run)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 5, "new": 5}
    assert [continued(arguments) for arguments in provider.lists].count(False) == 1, "the list was not restarted"


BROKEN = {
    "cut short": lambda provider: xml(provider.envelope("<ListRecords>" + record("urn:x", "2026-01-01", None))[:-60]),
    "an HTML page": lambda provider: Response("<html><body>Please log in</body></html>", content_type="text/html"),
    "an empty body": lambda provider: xml(""),
    "another verb": lambda provider: xml(provider.envelope("<ListIdentifiers/>")),
    "an unknown error": lambda provider: xml(provider.envelope('<error code="InternalException">oops</error>')),
    "a DOCTYPE": lambda provider: xml('<!DOCTYPE OAI-PMH [<!ENTITY a "b">]>' + provider.envelope("").split("?>")[1]),
    "not the declared encoding": lambda provider: xml(provider.envelope("<x>é</x>").encode("latin-1")),
    "no answer to gzip": lambda provider: xml(b"not gzip at all", **{"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_first_page_is_asked_for_again_and_never_half_read(link: Link, provider: Provider, what: str) -> None:
    fill(provider, range(3))
    provider.faults.append(once(lambda arguments: arguments["verb"] == "ListRecords", lambda: BROKEN[what](provider)))

    run = harvest(link)

    assert run.state == Run.State.OPEN
    assert run.message
    assert counters(run) == {}
    assert not Record.objects.exists()
    assert go_on(run).state == Run.State.DONE
    assert len(held()) == 3


@pytest.mark.spec("H26")
@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("99999", 3600), (None, 300), ("soon", 300)])
def test_a_busy_provider_is_given_the_time_it_asks_for(
    link: Link, provider: Provider, header: str | None, seconds: int
) -> None:
    headers = {"Retry-After": header} if header else {}
    provider.faults.append(times(1, lambda _: True, lambda: Response("busy", status=503, headers=headers)))
    before = timezone.now()

    run = harvest(link)

    assert run.not_before is not None
    assert timedelta(0) <= run.not_before - before - timedelta(seconds=seconds) < timedelta(seconds=30)
    assert lifecycle.work(run.pk) is None, "nobody asks before the wait is over"


@pytest.mark.spec("H22", "W30")
def test_a_lost_token_restarts_the_list_from_the_same_from_and_keeps_what_is_stored(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(5))
    lost = provider.envelope('<error code="badResumptionToken">expired</error>')
    provider.faults.append(once(continued, lambda: xml(lost)))

    run = harvest(link)

    assert run.state == Run.State.OPEN
    assert run.restarts == 1
    assert "2 pages" not in run.message and "1 page stays stored" in run.message
    run = go_on(run)
    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 7, "new": 5, "unchanged": 2}


def test_a_token_that_is_lost_again_and_again_fails_the_run_and_keeps_the_cursor(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(5))
    lost = provider.envelope('<error code="badResumptionToken">expired</error>')
    provider.faults.append(times(3, continued, lambda: xml(lost)))

    run = go_on(go_on(harvest(link)))

    assert run.state == Run.State.FAILED
    assert "badResumptionToken" in run.message
    link.refresh_from_db()
    assert link.harvested_to is None
    assert link.failures == 1
    assert len(held()) == 2


@pytest.mark.spec("H23")
def test_a_provider_that_gives_the_same_token_for_ever_does_not_hold_us_for_ever(
    link: Link, provider: Provider
) -> None:
    same = provider.envelope(
        f"<ListRecords>{record(identifier(1), '2026-02-01T00:00:00Z', None)}<resumptionToken>x/1</resumptionToken>"
        "</ListRecords>"
    )
    provider.faults.append(lambda arguments: xml(same) if arguments["verb"] == "ListRecords" else None)

    run = harvest(link)
    while run.state == Run.State.OPEN:
        run = go_on(run)

    assert run.state == Run.State.FAILED
    assert len(provider.lists) < 30


@pytest.mark.spec("H2", "H28")
@pytest.mark.parametrize(
    "answer",
    [
        lambda provider: xml(provider.envelope('<error code="cannotDisseminateFormat">no</error>')),
        lambda provider: xml(provider.envelope('<error code="badArgument">no</error>')),
        lambda provider: Response("no", status=403),
        lambda provider: Response("no", status=404),
    ],
)
def test_a_refusal_stops_the_run_at_once_and_says_why(link: Link, provider: Provider, answer) -> None:
    provider.faults.append(lambda arguments: answer(provider) if arguments["verb"] == "ListRecords" else None)

    run = harvest(link)

    assert run.state == Run.State.FAILED
    assert "no" in run.message or "HTTP 40" in run.message
    assert len(provider.lists) == 1
    link.refresh_from_db()
    assert link.failures == 1
    assert link.next_due is not None


def test_a_provider_that_is_not_there_is_tried_again(link: Link) -> None:
    link.base_url = "http://127.0.0.1:9/oai"
    link.save()

    run = harvest(link)

    assert run.state == Run.State.OPEN
    assert "No answer from http://127.0.0.1:9/oai" in run.message


@pytest.mark.spec("H33", "H38")
def test_one_bad_record_costs_one_record(link: Link, provider: Provider) -> None:
    fill(provider, range(4))
    provider.page_size = 10
    provider.entries[identifier(7)] = ("2026-02-01T00:00:00Z", iso_record("urn:x-wmo:md:another::NAME"))
    provider.entries["urn:x:not iso"] = ("2026-02-01T00:00:00Z", b"<?xml version='1.0'?><dc xmlns='urn:dc'>x</dc>")
    provider.entries["urn:x:none"] = ("2026-02-01T00:00:00Z", b"<?xml version='1.0'?>")

    run = harvest(link)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 7, "new": 4, "rejected": 3}
    reasons = {reject.identifier: reject.reason_text for reject in Reject.objects.filter(run=run)}
    assert "urn:x-wmo:md:another::NAME" in reasons[identifier(7)]
    assert "not an ISO 19139 record" in reasons["urn:x:not iso"]
    assert "no metadata" in reasons["urn:x:none"]
    assert bytes(Reject.objects.get(identifier=identifier(7)).raw).startswith(b"<gmd:MD_Metadata")
    link.refresh_from_db()
    assert link.harvested_to is not None, "a reject does not hold up the link"


@pytest.mark.spec("W23")
def test_what_a_peer_offers_never_touches_our_own_records(link: Link, provider: Provider) -> None:
    ours = iso_record(identifier(0), title="Ours")
    put(ours, into=own_set())
    before = Record.objects.values("identifier", "datestamp", "digest", "owner__spec").get()
    provider.entries[identifier(0)] = ("2026-02-01T00:00:00Z", iso_record(identifier(0), title="Theirs"))
    provider.entries[identifier(1)] = ("2026-02-01T00:00:00Z", None)
    put(iso_record(identifier(1)), into=own_set())

    run = harvest(link)

    assert counters(run) == {"received": 2, "rejected": 2}
    assert (
        Record.objects.values("identifier", "datestamp", "digest", "owner__spec").get(identifier=identifier(0))
        == before
    )
    assert not Record.objects.get(identifier=identifier(1)).deleted
    assert all(own_set().spec in reject.reason_text for reject in run.rejects.all())


@pytest.mark.spec("P122", "P123", "P125")
def test_provenance_tells_the_way_a_record_came(link: Link, provider: Provider) -> None:
    about = (
        '<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">'
        '<originDescription harvestDate="2026-01-05T00:00:00Z" altered="false"><baseURL>http://first.example.org</baseURL>'
        "<identifier>urn:x:1</identifier><datestamp>2026-01-04</datestamp>"
        "<metadataNamespace>http://www.isotc211.org/2005/gmd</metadataNamespace></originDescription></provenance></about>"
    )
    with_about = record(identifier(0), "2026-02-01T00:00:00Z", iso_record(identifier(0))).replace(
        "</record>", f"{about}</record>"
    )
    page = provider.envelope(f"<ListRecords>{with_about}</ListRecords>")
    provider.faults.append(lambda arguments: xml(page) if arguments["verb"] == "ListRecords" else None)

    harvest(link)

    provenance = Record.objects.get().provenance
    assert provenance["baseURL"] == link.base_url
    assert provenance["datestamp"] == "2026-02-01T00:00:00Z"
    assert provenance["harvestDate"] == provider.now
    assert provenance["origin"]["baseURL"] == "http://first.example.org"
    assert provenance["origin"]["datestamp"] == "2026-01-04"


def test_there_is_one_open_run_per_link(link: Link) -> None:
    assert lifecycle.open_run(link, trigger="test") is not None
    assert lifecycle.open_run(link, trigger="test") is None


def test_a_run_that_another_worker_holds_is_left_alone(link: Link, provider: Provider) -> None:
    run = lifecycle.open_run(link, trigger="test")
    Run.objects.filter(pk=run.pk).update(worker="elsewhere:1", leased_until=timezone.now() + timedelta(seconds=60))

    assert lifecycle.work(run.pk) is None
    assert not provider.asked


@pytest.mark.parametrize(
    ("worker", "lease_s"), [("elsewhere:1", -1), ("{host}:999999999", 60)], ids=["lease run out", "worker is dead"]
)
def test_a_run_whose_worker_died_is_taken_over_where_it_stood(
    link: Link, provider: Provider, worker: str, lease_s: int
) -> None:
    fill(provider, range(4))
    provider.faults.append(once(continued, lambda: Response("", status=500)))
    run = harvest(link)
    assert run.pages == 1
    dead = worker.format(host=runs.this_worker().rpartition(":")[0])
    Run.objects.filter(pk=run.pk).update(worker=dead, leased_until=timezone.now() + timedelta(seconds=lease_s))

    run = go_on(run)

    assert run.state == Run.State.DONE
    assert counters(run) == {"received": 4, "new": 4}


def test_a_page_that_comes_twice_is_stored_once(link: Link, provider: Provider) -> None:
    fill(provider, range(4))
    run = lifecycle.open_run(link, trigger="test")

    def while_the_second_page_is_fetched(arguments: dict[str, str]) -> None:
        # Another worker has stored this page meanwhile: its place has moved on.
        if continued(arguments):
            moved.append(arguments)

    moved: list[dict[str, str]] = []
    provider.faults.append(while_the_second_page_is_fetched)

    def move_on(current: Run) -> None:
        Run.objects.filter(pk=current.pk).update(pages=current.pages + 1)
        Run.objects.filter(pk=current.pk).update(pages=current.pages + 1)

    lifecycle.work(run.pk, progress=move_on)

    run.refresh_from_db()
    assert counters(run) == {"received": 2, "new": 2}, "the page of a moved place is not stored"
    assert moved


def test_due_links_are_opened_once_and_again_when_their_time_has_come(link: Link) -> None:
    assert [run.link_id for run in lifecycle.open_due_runs()] == [link.pk]
    assert lifecycle.open_due_runs() == []
    Run.objects.all().delete()
    assert lifecycle.open_due_runs() == [], "not due before its interval is over"
    Link.objects.update(next_due=timezone.now() - timedelta(seconds=1))
    assert len(lifecycle.open_due_runs()) == 1


def test_a_disabled_link_is_not_due(link: Link) -> None:
    Link.objects.update(enabled=False)

    assert lifecycle.open_due_runs() == []


def test_a_link_into_our_own_set_is_refused(link: Link, toulouse: MetadataSet) -> None:
    link.local_set = own_set()
    with pytest.raises(Exception, match="so that records cannot loop"):
        link.full_clean()
    link.local_set = toulouse
    link.remote_set = "WIS-CATALOGUE"
    with pytest.raises(Exception, match="everybody's records"):
        link.full_clean()


@pytest.mark.spec("S46", "H36")
def test_a_provider_that_came_back_from_a_backup_is_believed_though_its_datestamps_are_older(
    link: Link, provider: Provider
) -> None:
    provider.entries[identifier(1)] = ("2026-02-02T00:00:00Z", iso_record(identifier(1), title="Later"))
    harvest(link)
    provider.entries[identifier(1)] = ("2026-01-15T00:00:00Z", iso_record(identifier(1), title="Restored"))

    run = harvest(link, full=True)

    assert counters(run) == {"received": 1, "updated": 1}
    assert Record.objects.get().description.title == "Restored"


@pytest.mark.spec("W28", "W30")
@pytest.mark.parametrize("before", [False, True])
def test_a_page_that_cannot_be_had_is_gone_round_without_asking_again_for_what_is_sure(
    link: Link, provider: Provider, before: bool
) -> None:
    """In a link's first run what its list has brought is sure; an earlier run may have noted what changed since."""
    fill(provider, range(6))
    provider.faults.append(
        lambda a: (
            Response("", status=500) if a.get("resumptionToken") == "/9/4" and a["verb"] == "ListRecords" else None
        )
    )
    if before:
        lifecycle.cancel(lifecycle.open_run(link, trigger="test"))
    run = lifecycle.open_run(link, trigger="test")
    for _ in range(schedule.MAX_ATTEMPTS + 1):
        run = go_on(run)

    assert (run.state, run.strategy, run.restarts) == (Run.State.DONE, "identifiers", 1)
    asked = {arguments["identifier"] for arguments in provider.asked_for("GetRecord")}
    assert asked == {identifier(number) for number in (range(6) if before else (4, 5))}
    assert held() == {identifier(number) for number in range(6)}
    assert Link.objects.get().harvested_to == at("2026-02-01T00:00:00Z")
    assert Link.objects.get().strategy == "records", "the next run asks for whole records again"


@pytest.mark.spec("P75", "W12")
def test_a_deletion_in_a_set_is_kept_for_its_harvesters_though_the_record_lives_here_in_another(
    link: Link, provider: Provider
) -> None:
    put(iso_record(identifier(0)), into=peer_set(OFFENBACH))
    fill(provider, range(1, 5))
    provider.entries[identifier(0)] = ("2026-02-02T08:00:00Z", None)

    run = harvest(link)

    assert counters(run) == {"received": 5, "new": 4, "deleted": 1}
    rows = Membership.objects.filter(record__identifier=identifier(0)).values_list("set__spec", "deleted", "departed")
    assert set(rows) == {(OFFENBACH.spec, False, False), (link.local_set.spec, True, True)}
    assert counters(harvest(link, full=True)) == {"received": 5, "unchanged": 5}


def test_a_run_of_three_pages_of_unchanged_records_asks_the_database_69_times(
    link: Link, provider: Provider, django_assert_max_num_queries
) -> None:
    ticks.begin(Canary)
    fill(provider, range(5))
    for _ in range(2):
        harvest(link)
    run = lifecycle.open_run(link, trigger="test", full=True)

    with django_assert_max_num_queries(64):  # and five to open it
        claimed = queue.claim(run.pk)
        lifecycle.work_on(claimed, Turn(seams.monotonic() + 60))

    run.refresh_from_db()
    assert counters(run) == {"received": 5, "unchanged": 5} and run.pages == 3
