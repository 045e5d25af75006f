"""A viewer and an operator sign in, set up a second factor, and sign in again with its code; each sees its part."""

import os
from base64 import b32decode

import pytest
from django.contrib.auth.models import Group, User
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from catalogue.models import MetadataSet
from tests.browser.conftest import NARROW, WIDE, Browser

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "a person's password"


def test_two_people_set_up_a_second_factor_and_sign_in_with_it(browser: Browser, toulouse: MetadataSet) -> None:
    for role, may_add in (("viewer", False), ("operator", True)):
        user = User.objects.create_user(role, password=PASSWORD, is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        browser.sign_in(role, PASSWORD)
        key = set_up(browser)
        browser.driver.delete_all_cookies()

        browser.open("/admin/")
        browser.write("username", role)
        browser.write("password", PASSWORD)
        browser.field("password").send_keys(Keys.ENTER)
        browser.sees("six digits")
        look(browser, "sign-in")
        browser.write("code", "000000")
        browser.field("code").send_keys(Keys.ENTER)
        browser.sees("This code is not right")
        TOTPDevice.objects.update(last_t=-1, throttling_failure_count=0)  # as if time had passed
        browser.write("code", f"{TOTP(key).token():06d}")
        browser.field("code").send_keys(Keys.ENTER)
        browser.sees("Links")
        browser.open("/admin/harvester/link/add/")
        browser.sees("Ask" if may_add else "You may not see this page")
        assert [fault for fault in browser.faults() if "403" not in fault] == []
        browser.driver.delete_all_cookies()


def set_up(browser: Browser) -> bytes:
    """Set up a second factor; the key that the phone would read from the picture."""
    browser.open("/admin/second-factor/")
    browser.press("Set it up")
    browser.sees("Write the six digits")
    assert browser.driver.find_element(By.CSS_SELECTOR, "svg path").size["width"] > 150
    look(browser, "set-up")
    key = b32decode(browser.driver.find_element(By.ID, "secret").text.replace(" ", ""))
    browser.write("code", f"{TOTP(key).token():06d}")
    browser.press("Use it from now on")
    browser.sees("I have kept them")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#recovery-codes li")) == 10
    look(browser, "codes")
    return key


def look(browser: Browser, name: str) -> None:
    """The page is whole at both widths, and nobody is kept from using it. With SCREENSHOTS, keep pictures there."""
    for width in (NARROW, WIDE):
        browser.widen_to(width)
        assert not browser.is_cut()
        if folder := os.environ.get("SCREENSHOTS"):
            browser.driver.save_screenshot(f"{folder}/second-factor-{name}-{width}.png")
    assert browser.barriers() == []
