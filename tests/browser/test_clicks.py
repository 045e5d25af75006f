"""How many clicks and fields an operator's tasks take, from the start page on: no more than here, and nothing is typed twice.

`pytest -s` prints them, with the seconds of waiting for pages, which nothing here depends on.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User

from gisc.alerts.models import Recipient
from harvester.models import Conflict, Link, Run
from tests.browser.conftest import Browser, Counted
from tests.support.broker import calls
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


@contextmanager
def task(browser: Browser, name: str, *, clicks: int, fields: int = 0) -> Iterator[Counted]:
    """Begin at the start page; end with at most so many clicks and fields."""
    browser.open("/admin/")
    browser.sees("Machine")
    person = Counted(browser)
    yield person
    print(f"\n{name}: {person.clicks} clicks, {person.fields} fields, {person.waited_s:.1f} s of waiting")
    assert person.clicks <= clicks and person.fields <= fields, name


def open_link(person: Counted, name: str) -> None:
    """Go from the start page to the page of a link."""
    person.click("Links")
    person.sees("links need you")
    person.click(name)
    person.sees("Report for the provider")


def test_tasks_of_an_operator_take_few_clicks(
    browser: Browser,
    links: dict[str, Link],
) -> None:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)

    with task(browser, "see why a link fails", clicks=1) as person:
        person.sees("exeter")
        person.click_on("a.gisc-button[title^='exeter']")
        person.sees("403 Forbidden")

    with task(browser, "run now", clicks=3) as person:
        open_link(person, "toulouse")
        person.click("Run now")
        person.sees("a run was started")
    assert Run.objects.filter(link__name="toulouse", state=Run.State.OPEN).exists()

    with task(browser, "whole list", clicks=5) as person:
        open_link(person, "jeddah")
        person.click("More, which costs much")
        person.click("Run now, whole list")
        person.click("Run now, whole list")
        person.sees("a run was started (the whole list)")

    with task(browser, "confirm deletions", clicks=5) as person:
        person.click_on("a.gisc-button[title^='offenbach']")
        person.sees("DEMO0017")
        person.click_on("#action-toggle")
        person.choose("action", "withdraw")
        person.press("Run")
        person.click("Delete the record here, too")
        person.sees("7 deleted here")
    assert not Conflict.objects.filter(kind=Conflict.Kind.MASS, settled=None).exists()

    with task(browser, "send a report to the provider", clicks=3) as person:
        open_link(person, "brasilia")
        person.click("/harvest/report/")
        person.sees("Records of brasilia that were not stored")

    with task(browser, "add an alert", clicks=3, fields=2) as person:
        person.click("Recipients")
        person.click_on("a[href$='/alerts/recipient/add/']")
        person.write("name", "Bodo")
        person.write("email", "bodo@example.org")
        person.press("Save")
    until(lambda: Recipient.objects.filter(name="Bodo").exists(), 15, "Bodo is alerted")

    with task(browser, "add a user with a role", clicks=6, fields=3) as person:
        person.click("Users")
        person.click_on("a[href$='/auth/user/add/']")
        person.write("username", "carla")
        person.write("password1", "a long password of hers")
        person.write("password2", "a long password of hers")
        person.press("Save")
        person.sees("You may edit it again below.")
        person.click("operator:")
        person.press("Save")
    until(lambda: User.objects.filter(username="carla", groups__name="operator").exists(), 15, "Carla has a role")
    calls()
    assert browser.faults() == []
