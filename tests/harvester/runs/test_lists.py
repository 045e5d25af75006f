"""How a list is asked for and read to its end: `from`, granularity, lists that never end, and the operator's word."""

import csv
import io
from collections.abc import Callable
from itertools import count

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client

from catalogue.models import Record
from harvester import schedule
from harvester.links import edit
from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support.provider import Provider, continued, fill, identifier, record, xml
from tests.support.runs import at, counters, go_on, harvest, held
from tests.support.world import iso_record

NOW = "2026-03-01T12:00:00Z"


def again(link: Link, **options: bool) -> Run:
    link.refresh_from_db()
    return harvest(link, **options)


# --- `from` ------------------------------------------------------------------------------------------


@pytest.mark.spec("H8", "W14", "W50")
def test_of_a_provider_that_is_never_late_the_response_date_counts(link: Link, provider: Provider) -> None:
    Link.objects.update(lateness_h=0)
    fill(provider, range(3))
    again(link)
    link.refresh_from_db()
    assert link.harvested_to == at(NOW)

    assert counters(again(link)) == {}
    assert provider.lists[-1]["from"] == "2026-03-01T11:58:59Z"
    provider.now = "2026-03-01T13:00:00Z"
    again(link)
    link.refresh_from_db()
    assert link.harvested_to == at("2026-03-01T13:00:00Z"), "an empty list moves it too (H13)"


@pytest.mark.spec("H8")
def test_within_the_lateness_an_empty_list_leaves_the_link_where_it_was(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    again(link)
    provider.entries.clear()
    provider.now = "2026-03-01T13:00:00Z"
    Link.objects.update(lateness_h=24 * 30)

    again(link)

    link.refresh_from_db()
    assert link.harvested_to == link.newest == at("2026-02-01T00:00:00Z")
    assert link.first_response == at("2026-03-01T13:00:00Z")


@pytest.mark.spec("H8")
def test_a_change_of_the_lateness_goes_by_what_the_last_list_told(link: Link, provider: Provider) -> None:
    fill(provider, range(1))
    again(link)
    link.refresh_from_db()

    link.lateness_h = 0
    assert edit.save(link, ["lateness_h"]) is False, "the whole list is not needed"
    link.refresh_from_db()
    assert link.harvested_to == at(NOW)

    link.lateness_h = 24 * 30
    edit.save(link, ["lateness_h"])
    link.refresh_from_db()
    assert link.harvested_to == at("2026-02-01T00:00:00Z")


@pytest.mark.spec("H7")
def test_seconds_that_are_refused_are_asked_for_as_days(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    again(link)
    refusal = provider.envelope('<error code="badArgument">from: days only</error>')
    provider.faults.append(lambda arguments: xml(refusal) if "T" in arguments.get("from", "") else None)

    run = again(link)

    assert run.state == Run.State.DONE
    assert [arguments["from"] for arguments in provider.asked if "from" in arguments] == [
        "2026-01-31T23:58:59Z",
        "2026-01-31",
        "2026-02-01",  # the day of the first second that is not known
    ]
    assert counters(run) == {"received": 3, "unchanged": 3}


@pytest.mark.spec("H7")
def test_days_that_are_refused_too_fail_the_run(link: Link, provider: Provider) -> None:
    fill(provider, range(1))
    again(link)
    refusal = provider.envelope('<error code="badArgument">no from at all</error>')
    provider.faults.append(lambda arguments: xml(refusal) if "from" in arguments else None)

    assert again(link).state == Run.State.FAILED
    assert len([arguments for arguments in provider.lists if "from" in arguments]) == 1, "days were refused before"


@pytest.mark.spec("H13", "H17", "S48")
def test_a_whole_list_that_is_empty_is_success_and_told_to_the_operator(link: Link, provider: Provider) -> None:
    run = again(link)

    assert run.state == Run.State.DONE
    assert "lists the set WIS-GISC-TOULOUSE, and no records in it" in run.message


@pytest.mark.spec("H25")
def test_a_list_that_is_shorter_than_announced_is_told_and_accepted(link: Link, provider: Provider) -> None:
    page = provider.envelope(
        f"<ListRecords>{record(identifier(1), NOW, iso_record(identifier(1)))}"
        '<resumptionToken completeListSize="7"/></ListRecords>'
    )
    provider.faults.append(lambda arguments: xml(page) if arguments["verb"] == "ListRecords" else None)

    run = again(link)

    assert run.state == Run.State.DONE
    assert "announced 7 entries and listed 1" in run.message


# --- Lists that never end ----------------------------------------------------------------------------

Pages = Callable[[Provider], Callable[[dict[str, str]], str]]


def _page(provider: Provider, number: int, token: str, size: str = "") -> str:
    body = record(identifier(number), "2026-02-01T00:00:00Z", iso_record(identifier(number)))
    return provider.envelope(f"<ListRecords>{body}<resumptionToken{size}>{token}</resumptionToken></ListRecords>")


def _cycle_of_tokens(provider: Provider) -> Callable[[dict[str, str]], str]:
    fresh = count()

    def answer(arguments: dict[str, str]) -> str:
        position = int(arguments.get("resumptionToken", "0"))
        return _page(provider, next(fresh), str(position % 5 + 1))  # other records, but tokens 1 2 3 4 5 1 ...

    return answer


def _first_page_for_ever(provider: Provider) -> Callable[[dict[str, str]], str]:
    fresh = count(1)
    return lambda arguments: _page(provider, 0, f"t{next(fresh)}")


def _cycle_of_pages(provider: Provider) -> Callable[[dict[str, str]], str]:
    fresh = count(1)

    def answer(arguments: dict[str, str]) -> str:
        number = next(fresh)
        return _page(provider, number % 3, f"t{number}")

    return answer


def _far_more_than_announced(provider: Provider) -> Callable[[dict[str, str]], str]:
    fresh = count(1)

    def answer(arguments: dict[str, str]) -> str:
        number = next(fresh)
        return _page(provider, number, f"t{number}", ' completeListSize="2"')

    return answer


@pytest.mark.spec("H23")
@pytest.mark.parametrize("answers", [_cycle_of_tokens, _first_page_for_ever, _cycle_of_pages, _far_more_than_announced])
@schedule.LIMITS.replaced(min_excess=6)
def test_a_list_that_goes_in_circles_fails_the_run_and_keeps_the_cursor(
    link: Link, provider: Provider, answers: Pages
) -> None:
    answer = answers(provider)
    provider.faults.append(lambda arguments: xml(answer(arguments)) if arguments["verb"] == "ListRecords" else None)

    run = again(link)

    assert run.state == Run.State.FAILED
    assert len(provider.lists) <= 20
    assert len(held()) == run.new, "what came before stays"
    link.refresh_from_db()
    assert link.harvested_to is None


@pytest.mark.spec("H23")
@schedule.LIMITS.replaced(max_pages=5)
def test_a_list_of_too_many_pages_fails_the_run(link: Link, provider: Provider) -> None:
    fill(provider, range(20))

    run = again(link)

    assert run.state == Run.State.FAILED
    assert "did not end after 5 pages" in run.message


# --- The operator's word -----------------------------------------------------------------------------


def test_a_cancelled_run_stores_no_further_page(link: Link, provider: Provider) -> None:
    fill(provider, range(29))
    run = lifecycle.open_run(link, trigger="test")

    lifecycle.work(run.pk, progress=lambda current: lifecycle.cancel(current) if current.pages == 2 else None)

    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert counters(run) == {"received": 4, "new": 4}
    assert len(provider.lists) <= 7, "pages are read ahead, but not the whole list"
    assert run.finished is not None and run.worker == ""
    link.refresh_from_db()
    assert link.harvested_to is None and link.failures == 0
    assert lifecycle.cancel(run) is False
    assert lifecycle.work(run.pk) is None

    assert counters(again(link)) == {"received": 29, "new": 25, "unchanged": 4}, "the next run makes up for it"


def test_a_run_is_cancelled_while_it_waits(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    provider.faults.append(lambda arguments: xml("", status=503) if continued(arguments) else None)
    run = harvest(link)
    assert run.not_before is not None

    call_command("link", "cancel", link.name)

    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    with pytest.raises(CommandError, match="No run of toulouse is open"):
        call_command("link", "cancel", link.name)


def test_an_operator_cancels_in_the_admin(link: Link, admin_client: Client) -> None:
    run = lifecycle.open_run(link, trigger="test")
    form = {"action": "cancel", "_selected_action": [run.pk]}

    said = admin_client.post("/admin/harvester/run/", form, follow=True).content.decode()
    assert "the run is cancelled" in said
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert "nothing to cancel" in admin_client.post("/admin/harvester/run/", form, follow=True).content.decode()

    second = lifecycle.open_run(link, trigger="test")
    admin_client.post("/admin/harvester/link/", {"action": "cancel_run", "_selected_action": [link.pk]})
    second.refresh_from_db()
    assert second.state == Run.State.CANCELLED

    button = f"/admin/harvester/link/{link.pk}/run/"
    admin_client.post(button, {"compare": "1"})
    third = Run.objects.get(state=Run.State.OPEN)
    assert third.is_comparison
    said = admin_client.post(button, {"cancel": "1"}, follow=True).content.decode()
    third.refresh_from_db()
    assert third.state == Run.State.CANCELLED and "the run is cancelled" in said


def test_who_may_only_look_cannot_cancel(link: Link, client: Client) -> None:
    run = lifecycle.open_run(link, trigger="test")
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(looker)

    client.post("/admin/harvester/run/", {"action": "cancel", "_selected_action": [run.pk]})

    run.refresh_from_db()
    assert run.state == Run.State.OPEN


def test_the_report_of_a_run_has_every_reject_with_reason_and_xml(
    link: Link, provider: Provider, admin_client: Client
) -> None:
    fill(provider, range(2))
    provider.entries["urn:x:é"] = (NOW, "<?xml version='1.0'?><dc xmlns='urn:dc'>é</dc>".encode())
    provider.entries["urn:x:none"] = (NOW, b"<?xml version='1.0'?>")

    run = again(link)

    assert (run.received, run.new, run.rejected) == (4, 2, 2)
    page = admin_client.get(f"/admin/harvester/run/{run.pk}/rejects.csv")
    rows = {row["identifier"]: row for row in csv.DictReader(io.StringIO(page.getvalue().decode()))}
    assert rows.keys() == {"urn:x:é", "urn:x:none"}
    assert rows["urn:x:é"]["xml"] == '<dc xmlns="urn:dc">é</dc>' or "é" in rows["urn:x:é"]["xml"]
    assert rows["urn:x:none"]["xml"] == ""
    assert all(row["reason"] for row in rows.values())
    assert {name: row["code"] for name, row in rows.items()} == {
        "urn:x:é": "not-iso19139",
        "urn:x:none": "record-without-metadata",
    }


@pytest.mark.parametrize("pages_before", [0, 1, 3])
def test_every_interruption_is_made_up_for_and_nothing_is_stamped_twice(
    link: Link, provider: Provider, pages_before: int
) -> None:
    """A worker that dies after any page leaves a run that another finishes (promise 2, promise 4)."""
    fill(provider, range(9))
    run = lifecycle.open_run(link, trigger="test")

    class Killed(BaseException):
        pass

    def die(current: Run) -> None:
        if current.pages > pages_before:
            raise Killed

    with pytest.raises(Killed):
        lifecycle.work(run.pk, progress=die)
    stamps = dict(Record.objects.values_list("identifier", "datestamp"))
    Run.objects.filter(pk=run.pk).update(worker="elsewhere:1", leased_until=at("2020-01-01T00:00:00Z"))

    run = go_on(run)

    assert counters(run) == {"received": 9, "new": 9}
    assert stamps.items() <= dict(Record.objects.values_list("identifier", "datestamp")).items()
