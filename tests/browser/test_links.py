"""The pages of links with clicks: what runs is watched, what costs much is confirmed, rejects are opened and told; on a phone too."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from catalogue.models import MetadataSet
from harvester.models import Link, Run
from harvester.runs import lifecycle
from tests.browser.conftest import Browser
from tests.support.broker import calls
from tests.support.provider import Provider, fill
from tests.support.runs import harvest
from tests.support.waiting import until
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


@pytest.fixture
def link(toulouse: MetadataSet, provider: Provider) -> Link:
    fill(provider, range(3))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')
    link = Link.objects.create(
        name="toulouse", base_url=provider.base_url, prefix="ISO19139", remote_set=TOULOUSE.spec, local_set=toulouse
    )
    harvest(link)
    link.refresh_from_db()
    return link


@pytest.fixture
def operator(browser: Browser) -> Browser:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    calls()
    return browser


def test_a_link_is_watched_reset_and_its_rejects_are_told(operator: Browser, link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    operator.open("/admin/harvester/link/")
    operator.sees("1 waiting")
    operator.driver.execute_script("window.isSameDocument = true; window.scrollTo(0, 40)")
    Run.objects.filter(pk=run.pk).update(received=500, new=500, list_size=2000, listed=500)
    operator.sees("500 of 2,000 entries")
    lifecycle.cancel(run)
    until(lambda: "500 of 2,000" not in operator.text, 15, "the end of the run is seen")
    assert operator.driver.execute_script("return window.isSameDocument"), "the page was not loaded again"

    operator.press("1 record is rejected: tell the provider why.")
    operator.sees("Rejects, by cause")
    operator.press("Show these records")
    operator.press("urn:bad")
    operator.sees("Metadata as received")
    assert "the record is not an ISO 19139 record" in operator.text
    operator.open(f"/admin/harvester/link/{link.pk}/change/")
    operator.write("up_to", "20")
    operator.press("Set")
    operator.sees("Rejects of this cause are quiet up to 20.")
    assert "tell the provider why" not in operator.text

    # What costs much is apart; by keyboard only.
    operator.press("More, which costs much or is not easily undone")
    operator.driver.find_element(By.LINK_TEXT, "Reset").send_keys(Keys.ENTER)
    operator.sees("Reset: toulouse?")
    operator.field("to").send_keys("2026-01-01")
    operator.driver.find_element(By.NAME, "reset").send_keys(Keys.ENTER)
    operator.sees("asks for all that has changed since 2026-01-01. Nothing is deleted.")
    assert Link.objects.get().harvested_to == datetime(2026, 1, 1, tzinfo=UTC)

    for path in ("", f"{link.pk}/change/", f"{link.pk}/act/full/"):
        operator.opens_well(f"/admin/harvester/link/{path}")
    assert operator.faults() == []


def test_everybody_sees_how_harvests_went_and_the_provider_what_to_mend(browser: Browser, link: Link) -> None:
    browser.open("/harvest/")
    browser.sees("0 of 1 source is in step")
    browser.driver.find_element(By.LINK_TEXT, "toulouse").send_keys(Keys.ENTER)
    browser.sees("Log")
    browser.sees("done, 1 rejected")
    report = f"/harvest/report/{link.report_key}/"
    browser.open(report)
    browser.sees("1 record came and was not stored")
    browser.sees("Metadata of WIS are ISO 19139")
    for path in ("/harvest/", f"/harvest/{link.name}/", report):
        browser.opens_well(path)
    assert browser.faults() == []


def test_keys_open_links_and_records_and_the_head_of_a_list_stays_in_sight(operator: Browser, link: Link) -> None:
    Link.objects.bulk_create(
        Link(name=f"centre-{n}", base_url=f"https://{n}.example/oai", local_set=link.local_set) for n in range(30)
    )
    body = operator.driver.find_element(By.TAG_NAME, "body")
    body.send_keys("gr")
    until(lambda: operator.driver.current_url.endswith("/admin/catalogue/record/"), 15, "the records are open")
    search = operator.driver.find_element(By.ID, "searchbar")
    search.send_keys("gl")
    assert search.get_attribute("value") == "gl" and operator.driver.current_url.endswith("/record/"), "it is typed"
    operator.driver.execute_script("arguments[0].blur()", search)
    operator.driver.find_element(By.TAG_NAME, "body").send_keys("gl")
    operator.sees("centre-29")
    operator.driver.execute_script("window.scrollTo(0, 1500)")
    head = "return document.querySelector('#result_list thead th').getBoundingClientRect().top"
    until(lambda: operator.driver.execute_script("return window.scrollY") > 500, 15, "the page is scrolled")
    assert operator.driver.execute_script(head) >= 0
    assert not operator.faults()
