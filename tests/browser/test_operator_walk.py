"""An operator's day in the administration, with clicks: from a link to records, rejects and decisions."""

import csv
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from werkzeug import Response

from catalogue.models import MetadataSet, Record
from harvester import tasks
from harvester.models import Alternative, Conflict, Link, Run
from tests.browser.conftest import Browser
from tests.support.broker import calls
from tests.support.provider import Provider, fill, identifier
from tests.support.waiting import until
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


@pytest.fixture
def guarded(provider: Provider, toulouse: MetadataSet) -> Provider:
    """A provider that wants a password, with three records and a broken one."""

    def fault(_: dict[str, str]) -> Response | None:
        said = provider.requests[-1].authorization
        right = said is not None and (said.username, said.password) == ("tokyo", "s3cret")
        return None if right else Response("no", status=401)

    fill(provider, range(3))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')
    provider.faults.append(fault)
    return provider


@pytest.fixture
def operator(browser: Browser) -> Browser:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    calls()
    return browser


def take_up() -> Run:
    """Do what a worker does that was called once, until the run has come to its end."""
    assert calls() == 1
    run = Run.objects.latest("pk")
    while run.is_open and run.not_before is None:
        tasks.harvest()
        run.refresh_from_db()
    calls()
    return run


def test_from_a_link_to_its_records_and_rejects(operator: Browser, guarded: Provider, tmp_path: Path) -> None:
    let_in(guarded)
    operator.open("/admin/harvester/link/")
    operator.sees("1 new")
    operator.press("toulouse")
    operator.sees("No run yet. The first one asks for the whole list.")
    operator.press("Run now")
    operator.sees("a run was started (the whole list)")
    operator.press("Watch it")
    operator.sees("The run is open; this page is read again")
    assert take_up().state == Run.State.DONE
    operator.sees("4 received: 3 new, 0 updated, 0 unchanged, 0 deleted, 1 rejected")
    assert Record.objects.filter(deleted=False).count() == 3

    operator.press("Download as CSV")
    file = until(lambda: list((tmp_path / "downloads").glob("*.csv")), 15, "the rejects are downloaded")[0]
    with file.open(newline="", encoding="utf-8") as lines:
        (reject,) = csv.DictReader(lines)
    assert reject["identifier"] == "urn:bad" and reject["xml"].startswith("<x ")
    operator.press("Show them, with reasons")
    operator.sees("the record is not an ISO 19139 record")
    operator.open("/admin/harvester/link/")
    operator.sees("done, 1 rejected")
    operator.sees("1 record is rejected: tell the provider why.")
    assert operator.faults() == []


def test_a_run_that_waits_is_cancelled_and_says_what_to_do_meanwhile(operator: Browser, guarded: Provider) -> None:
    link = let_in(guarded)
    guarded.faults.append(lambda arguments: Response("busy", status=503))
    operator.open(f"/admin/harvester/link/{link.pk}/change/")
    assert "Cancel the open run" not in operator.text
    operator.press("Run now")
    operator.sees("a run was started")
    take_up()
    operator.open("/admin/harvester/link/")
    operator.sees("waits until")
    operator.sees("HTTP 503")
    operator.press("toulouse")
    operator.press("Cancel the open run")
    operator.sees("the run is cancelled; what it stored stays")
    assert Run.objects.get().state == Run.State.CANCELLED
    assert operator.faults() == []


def test_a_comparison_a_conflict_a_move_and_another_provider_are_decided(operator: Browser, guarded: Provider) -> None:
    link = let_in(guarded)
    operator.open(f"/admin/harvester/link/{link.pk}/change/")
    operator.press("Run now")
    operator.sees("a run was started")
    take_up()
    del guarded.entries[identifier(2)]
    operator.press("Compare everything")
    operator.sees("a comparison of all headers")
    take_up()

    operator.open("/admin/harvester/link/")
    operator.sees("1 stale; 1 not served; 1 extra, of which 1 vanished")
    operator.press("1 conflict waits for a decision.")
    operator.press(identifier(2))
    operator.sees("Whose version counts?")
    operator.press("Keep ours")
    until(lambda: Conflict.objects.filter(settled__isnull=False).exists(), 15, "the conflict is settled")

    Link.objects.update(moved_to=f"{guarded.base_url}/")
    operator.open(f"/admin/harvester/link/{link.pk}/change/")
    operator.sees("The provider says that it has moved for good")
    operator.press("Accept the new address")
    operator.sees("is now")
    assert Link.objects.get().base_url == f"{guarded.base_url}/"

    relay = Alternative.objects.create(link=link, name="Offenbach", base_url=guarded.base_url, remote_set=TOULOUSE.spec)
    operator.open("/admin/harvester/link/")
    operator.act_on_all("Turn to the next provider")
    operator.sees("turns to Offenbach")
    operator.sees("by relay Offenbach since")
    assert Link.objects.get().serving == relay
    assert operator.faults() == []


def let_in(provider: Provider) -> Link:
    link = Link(
        name="toulouse",
        base_url=provider.base_url,
        prefix="ISO19139",
        remote_set=TOULOUSE.spec,
        local_set=MetadataSet.objects.get(spec=TOULOUSE.spec),
        user="tokyo",
    )
    link.set_password("s3cret")
    link.save()
    return link
