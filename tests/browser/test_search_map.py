"""A box is drawn on the map of the search page, with the mouse; the fields have its sides, and the search finds what is in it."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from catalogue import bootstrap
from tests.browser.conftest import Browser
from tests.support.waiting import until
from tests.support.world import iso_record, put

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_box_that_is_drawn_is_searched_for(browser: Browser) -> None:
    bootstrap.ensure_sets()
    put(
        iso_record("a", title="Australian rain", box=(115, -35, 150, -12)),
        iso_record("b", title="Baltic ice", box=(15, 55, 28, 65)),
    )
    browser.open("/?sort=-updated&west=-180&south=-90&east=180&north=90")
    browser.sees("Drag over the map")
    drawn = browser.driver.find_element(By.CSS_SELECTOR, "[data-draw-box]")
    width, height = drawn.size["width"], drawn.size["height"]

    def to(longitude: float, latitude: float) -> tuple[int, int]:
        """From the middle of the picture, which is at 0 degrees east and 0 degrees north."""
        return round(longitude / 360 * width), round(-latitude / 180 * height)

    ActionChains(browser.driver).move_to_element_with_offset(
        drawn, *to(105, -5)
    ).click_and_hold().move_to_element_with_offset(drawn, *to(160, -45)).release().perform()
    sides = [float(browser.field(name).get_attribute("value") or "nan") for name in ("west", "south", "east", "north")]
    # A pixel of the small map is some degrees.
    assert sides == pytest.approx([105, -45, 160, -5], abs=3)
    assert "Baltic ice" in browser.text
    browser.press("Apply")
    until(lambda: "Australian rain" in (page := browser.text) and "Baltic ice" not in page, 15, lambda: browser.text)
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "[data-draw-box] rect")) == 1
    assert browser.faults() == []
