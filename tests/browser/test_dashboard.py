"""The dashboard in a browser: charts and map, refreshed without losing the place, for the mouse and for keys, on a phone too."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from catalogue import seams
from catalogue.models import MetadataSet
from harvester.models import Link, LinkDay
from harvester.models.centre import Centre
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support.waiting import until
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    """A link that fails, from a centre on the map, and one whose centre has no place."""
    link = Link.objects.create(
        name="toulouse",
        base_url="http://127.0.0.1:9/oai",
        remote_set=TOULOUSE.spec,
        local_set=toulouse,
        failures=3,
        failing_since=seams.now() - timedelta(hours=26),
    )
    for name, spec, latitude, longitude in (
        ("Toulouse", TOULOUSE.spec, 43.6, 1.4),
        ("Here", settings.GISC_NAME, 35.7, 139.7),
    ):
        place = {"name": name, "latitude": latitude, "longitude": longitude}
        Centre.objects.update_or_create(set_spec=spec, defaults=place)
    nowhere = MetadataSet.objects.create(spec="WIS-GISC-NOWHERE", name="Nowhere")
    Link.objects.create(name="nowhere", base_url="http://127.0.0.1:9/no", remote_set="", local_set=nowhere)
    LinkDay.objects.create(
        link=link,
        day=seams.now().date(),
        runs=4,
        failed=1,
        new=120,
        updated=30,
        unchanged=83,
        deleted=20,
        rejected=0,
        pages=4,
        seconds=20,
    )
    return link


def test_the_dashboard_is_drawn_refreshed_and_leads_to_the_link(browser: Browser, link: Link) -> None:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    drawn = "return [...document.querySelectorAll('canvas')].filter(c => c.offsetHeight > 50).length"
    until(lambda: browser.driver.execute_script(drawn) == 3, 15, "three charts are drawn")
    assert not browser.is_cut()
    assert browser.barriers() == []

    # It is read again in place: what is open stays open, and what has the focus keeps it.
    browser.press("As a table")
    browser.driver.execute_script("document.querySelector('.gisc-arc').focus(); window.isTheSame = true")
    Link.objects.filter(pk=link.pk).update(failures=0, failing_since=None, enabled=False)
    browser.driver.execute_script(
        "document.dispatchEvent(new Event('visibilitychange'))"
    )  # as a tab that is looked at again
    state = "return document.querySelector('.gisc-arc').getAttribute('aria-label')"
    until(lambda: "failing" not in str(browser.driver.execute_script(state)), 15, "the arc has the link's new state")
    kept = "return [window.isTheSame === true, document.activeElement.matches('.gisc-arc'), !!document.querySelector('details[open] table')]"
    assert browser.driver.execute_script(kept) == [True, True, True]

    # By keys from an arc to its link; by the mouse from its centre as well.
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: f"/link/{link.pk}/change/" in browser.driver.current_url, 15, "the page of the link is open")
    browser.open("/admin/")
    browser.driver.find_element(By.CSS_SELECTOR, f".gisc-place[href$='/link/{link.pk}/change/'] circle").click()
    until(lambda: f"/link/{link.pk}/change/" in browser.driver.current_url, 15, "the page of the link is open")

    browser.widen_to(NARROW)
    browser.open("/admin/")
    until(lambda: browser.driver.execute_script(drawn) == 3, 15, "three charts are drawn")
    assert not browser.is_cut()
    assert browser.barriers() == []
    browser.widen_to(WIDE)
    assert browser.faults() == []
