"""Cookies of a provider: kept for its run across tasks and workers, told to nobody, gone when the run ends."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client, override_settings
from werkzeug import Response

from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.support.provider import Provider, continued, fill, xml
from tests.support.runs import held

SESSION = "s3ss10n"


@pytest.fixture
def strict(provider: Provider) -> Provider:
    """A provider whose tokens, and single records, are good in the session only that it opened with the first page."""

    def fault(arguments: dict[str, str]) -> Response | None:
        if continued(arguments) or arguments["verb"] == "GetRecord":
            if provider.requests[-1].cookies.get("session") == SESSION:
                return None
            return xml(provider.envelope('<error code="badResumptionToken">another session</error>'))
        answer = xml(provider.say(arguments))
        if arguments["verb"].startswith("List"):
            answer.set_cookie("session", SESSION, httponly=True)
        return answer

    fill(provider, range(6))
    provider.faults.append(fault)
    return provider


def begin(link: Link) -> Run:
    """A run whose first page is stored by a task that then ends."""
    run = lifecycle.open_run(link, trigger="test", full=True)
    assert run is not None
    return slice_of(run)


def slice_of(run: Run) -> Run:
    """What a task does of it: a page, or all the single records."""
    after = lifecycle.work(run.pk, for_s=60 if run.phase == Run.Phase.FETCHING else 0)
    assert after is not None
    return after


def test_a_session_goes_on_from_task_to_task(link: Link, strict: Provider) -> None:
    run = begin(link)
    assert (run.state, run.pages) == (Run.State.OPEN, 1)
    while run.is_open:
        run = slice_of(run)
    assert (run.state, run.restarts, run.sealed_cookies) == (Run.State.DONE, 0, "")
    assert len(held()) == 6


def test_a_session_goes_on_where_single_records_are_asked_for(link: Link, strict: Provider) -> None:
    link.strategy = Link.Strategy.IDENTIFIERS
    link.save()
    run = begin(link)
    while run.is_open:
        run = slice_of(run)
    assert (run.state, run.restarts, run.rejected, run.sealed_cookies) == (Run.State.DONE, 0, 0, "")
    assert len(held()) == 6


def test_cookies_are_told_nowhere(link: Link, strict: Provider, admin_client: Client, caplog) -> None:
    run = begin(link)
    told = [caplog.text]
    for page in (f"/admin/harvester/run/{run.pk}/change/", "/harvest/status.json"):
        told.append(admin_client.get(page).content.decode())
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(r)::text FROM harvester_run r")
        told.append(cursor.fetchone()[0])
    assert run.sealed_cookies and dict(run.cookies[0])["value"] == SESSION
    assert all(SESSION not in text for text in told)
    assert all(run.sealed_cookies not in text for text in told[:-1])


@pytest.mark.parametrize(
    "end", [lifecycle.cancel, lambda run: lifecycle.start_over(run.link)], ids=["cancelled", "restarted"]
)
def test_cookies_go_with_what_they_were_for(link: Link, strict: Provider, end) -> None:
    run = begin(link)
    end(run)
    run.refresh_from_db()
    assert run.sealed_cookies == ""


def test_a_run_that_fails_forgets_its_cookies(link: Link, strict: Provider) -> None:
    run = begin(link)
    strict.faults.insert(0, lambda arguments: Response("no", status=403))
    run = slice_of(run)
    assert (run.state, run.sealed_cookies) == (Run.State.FAILED, "")


def test_the_database_keeps_no_cookies_of_a_run_that_has_ended(link: Link, strict: Provider) -> None:
    run = begin(link)
    with pytest.raises(IntegrityError, match="has_no_cookies"), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(state=Run.State.DONE)


def test_cookies_of_another_secret_key_cost_a_restart_and_no_more(link: Link, strict: Provider) -> None:
    run = begin(link)
    with override_settings(SECRET_KEY="another"):
        run = slice_of(run)
        assert (run.state, run.restarts) == (Run.State.OPEN, 1)
        while run.is_open:
            run = slice_of(run)
    assert run.state == Run.State.DONE and len(held()) == 6


def test_a_cookie_goes_to_the_host_that_set_it_only(link: Link, strict: Provider) -> None:
    run = begin(link)
    seen: list[dict[str, str]] = []
    there = strict.server.url_for("/there").replace("localhost", "127.0.0.1")

    def note(request) -> Response:
        seen.append(dict(request.cookies))
        return xml(strict.say(dict(request.args.items())))

    strict.server.expect_request("/there").respond_with_handler(note)
    strict.faults.insert(
        0, lambda a: Response("", 302, {"Location": f"{there}?{strict.requests[-1].query_string.decode()}"})
    )
    slice_of(run)
    assert seen == [{}]
    assert strict.requests[-1].cookies.get("session") == SESSION
