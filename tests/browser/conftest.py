"""A real browser: the system's Chromium without a window, driven by Selenium. Tests that need it skip where it is absent."""

import base64
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from selenium_axe_python import Axe

from catalogue import bootstrap, seams
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from gisc.alerts import watch
from gisc.alerts.models import Recipient
from gisc.demo import troubles
from gisc.demo.troubled_centres import Server
from harvester.models import Alternative, Link, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.harvester.conftest import provider  # noqa: F401
from tests.support.runs import go_on
from tests.support.waiting import until

SLOW = "new-delhi"  # a link whose run is never over
WIDE, NARROW = 1440, 390  # pixels: a desk, and a phone
_SCRIPT_S = 180  # axe looks at each element of a page, beside other tests on a machine of two cores
_LABEL = "//*[self::label or self::button or self::a or self::summary][contains(normalize-space(), {!r})]"
_WORST = ("serious", "critical")  # of axe's four grades of impact


class Browser:
    """What a person does in the administration, in words; every wait is for something that is to be seen."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver, self.url = driver, url
        self._text_before = ""  # what was to be read when something was pressed

    def open(self, path: str) -> None:
        self._text_before = ""
        self.driver.get(f"{self.url}{path}")

    def sign_in(self, name: str, password: str) -> None:
        self.open("/admin/")
        self.write("username", name)
        self.write("password", password)
        self.field("password").send_keys(Keys.ENTER)
        self.sees("Links")

    @property
    def text(self) -> str:
        """What is to be read on the page now."""
        return str(self.driver.execute_script("return document.body ? document.body.innerText : ''"))

    def sees(self, words: str) -> None:
        """Wait until the words are on the page. After a press they have to be new: the old page may still stand there."""
        assert words not in self._text_before, (
            f"{words!r} was to be read before the press already; wait for other words"
        )
        self._text_before = ""
        until(lambda: words in self.text, 15, lambda: f"the page says {words!r}; it says {self.text!r}")

    def notes_text(self) -> None:
        """Note what is to be read before something is pressed: `sees` waits for other words then."""
        self._text_before = self.text

    def write(self, field: str, value: str) -> None:
        """Fill in a field by its name."""
        element = self.field(field)
        element.clear()
        element.send_keys(value)

    def choose(self, field: str, words: str) -> None:
        Select(self.field(field)).select_by_visible_text(words)

    def field(self, name: str) -> WebElement:
        return self.driver.find_element(By.NAME, name)

    def press(self, words: str) -> None:
        """Press the button, or follow the link, that says this, as soon as it is there."""
        exact = f"normalize-space()={words!r}"
        within = "self::button or self::a or self::summary or (self::strong and ancestor::a)"
        self.notes_text()

        def pressed() -> bool:
            try:
                found = self.driver.find_elements(By.XPATH, f"//*[{exact}][{within}]")
                shown = [element for element in found if element.is_displayed()]
                if shown:
                    self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown[0])
                    shown[0].click()
                return bool(shown)
            except (StaleElementReferenceException, ElementClickInterceptedException):
                return False  # the page is being loaded, or moves

        until(pressed, 15, f"there is {words!r} to press; the page says {self.text!r}")

    def follow_to_new_tab(self, words: str) -> None:
        """Press what opens another tab, and go there."""
        before = set(self.driver.window_handles)
        self.press(words)
        until(lambda: set(self.driver.window_handles) - before, 15, "a new tab is open")
        self.driver.switch_to.window((set(self.driver.window_handles) - before).pop())

    def act_on_all(self, action: str) -> None:
        """Tick all rows of a list, and run an action on them."""
        self.driver.find_element(By.ID, "action-toggle").click()
        self.choose("action", action)
        self.press("Run")

    def faults(self) -> list[str]:
        """What the browser complains of: scripts that fail, files that are missing."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def widen_to(self, width: int) -> None:
        """Show pages at this width, in pixels. (A window cannot be so narrow as a phone, so the device is emulated.)"""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def shoot(self, file: Path) -> None:
        """Take a picture of the whole page, however long it is."""
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        file.write_bytes(base64.b64decode(picture["data"]))

    def is_cut(self) -> bool:
        """Whether the page is wider than the window, so that a reader has to scroll sideways."""
        return bool(self.driver.execute_script("return document.documentElement.scrollWidth > window.innerWidth"))

    def opens_well(self, path: str) -> None:
        """Open a page wide and narrow: everybody can use it, and nothing is cut."""
        for width in (WIDE, NARROW):
            self.widen_to(width)
            self.open(path)
            assert self.barriers() == [], (path, width)
            assert not self.is_cut(), (path, width)
        self.widen_to(WIDE)

    def barriers(self) -> list[str]:
        """What keeps people from using the page now, by axe-core: its serious and critical rules, with the elements."""
        axe = Axe(self.driver)
        axe.inject()
        found = axe.run(options={"resultTypes": ["violations"]})  # without lists of the elements that are well
        return [
            f"{rule['id']} ({rule['impact']}): {'; '.join(str(node['target']) for node in rule['nodes'])}"
            for rule in found["violations"]
            if rule["impact"] in _WORST
        ]


class Counted:
    """A person who counts clicks and fields, and the seconds that are spent waiting for pages."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.clicks, self.fields, self.waited_s = browser, 0, 0, 0.0

    def click(self, words: str) -> None:
        """Click the first button, link or label that has these words."""
        self.clicks += 1
        self.browser.notes_text()

        def is_clicked() -> bool:
            try:
                elements = self.browser.driver.find_elements(By.XPATH, _LABEL.format(words))
                found = [each for each in elements if each.is_displayed()]
                if found:
                    self.browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found[0])
                    found[0].click()
                return bool(found)
            except (StaleElementReferenceException, ElementClickInterceptedException):
                return False  # the page is being loaded, or moves

        self._wait(is_clicked, f"there is {words!r} to click; the page says {self.browser.text!r}")

    def click_on(self, css: str) -> None:
        """Click what has no words of its own."""
        self.clicks += 1
        self._wait(lambda: self.browser.driver.find_elements(By.CSS_SELECTOR, css), f"there is {css} to click")
        self.browser.driver.find_element(By.CSS_SELECTOR, css).click()

    def press(self, words: str) -> None:
        """Press what says exactly this."""
        self.clicks += 1
        self.browser.press(words)

    def choose(self, field: str, value: str) -> None:
        """Choose from a menu: one click."""
        self.clicks += 1
        Select(self.browser.field(field)).select_by_value(value)

    def sees(self, words: str) -> None:
        begun = time.monotonic()
        self.browser.sees(words)
        self.waited_s += time.monotonic() - begun

    def _wait(self, condition: Callable[[], object], what: str) -> None:
        begun = time.monotonic()
        until(condition, 15, what)
        self.waited_s += time.monotonic() - begun

    def write(self, field: str, value: str) -> None:
        self.fields += 1
        self.browser.write(field, value)


@pytest.fixture(scope="session")
def chromium(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, live_server
) -> Iterator[webdriver.Chrome]:
    """One Chromium for all tests of this process: it takes seconds to start.

    It ends before the server and its database do: what it leaves open keeps a thread of the server, and its connection.
    """
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        pytest.skip("Chromium is not here; `apt-get install chromium chromium-driver` brings it")
    with start_chromium(tmp_path_factory.mktemp("chromium")) as chrome:
        yield chrome


@contextmanager
def start_chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    """Have a Chromium without a window, which keeps what it stores in this folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={WIDE},1000"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={folder}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver"))) as chrome:
        chrome.set_script_timeout(_SCRIPT_S)
        yield chrome


@pytest.fixture
def browser(chromium: webdriver.Chrome, live_server, tmp_path: Path) -> Iterator[Browser]:
    """A browser as if it were new: signed in nowhere, with one empty tab; downloads go to `tmp_path / "downloads"`."""
    *others, last = chromium.window_handles
    for handle in others:
        chromium.switch_to.window(handle)
        chromium.close()
    chromium.switch_to.window(last)
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
    chromium.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": live_server.url, "storageTypes": "all"})
    chromium.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")}
    )
    chromium.get_log("browser")  # what was complained of before is not of this test
    browser = Browser(chromium, live_server.url)
    browser.widen_to(WIDE)
    yield browser
    chromium.get("about:blank")  # some pages ask for news again and again, beside the tests that follow


@pytest.fixture
def troubled_centres() -> Iterator[Server]:
    with Server(page_s=0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def links(troubled_centres: Server) -> dict[str, Link]:
    """The links of the demonstration, each harvested twice, the one that is to differ compared as well."""
    bootstrap.ensure_sets()
    ingest.ingest(sources.documents([SAMPLES / "WIS-GISC-TOKYO"]), into=bootstrap.own_set())
    troubles.add_links(troubled_centres.server_port)
    for link in Link.objects.filter(enabled=True).exclude(name=SLOW):
        for _ in range(2):
            go_on(open_run(link))
    seoul = Link.objects.get(name="seoul")
    comparison = lifecycle.open_comparison(seoul, trigger="operator", whole=True, beyond_ceiling=False)
    assert comparison is not None
    go_on(comparison)
    open_run(Link.objects.get(name=SLOW))
    Alternative.objects.create(link=seoul, name="by tokyo", base_url=seoul.base_url, remote_set=seoul.remote_set)
    Recipient.objects.create(name="Anna", email="anna@example.org")
    for after_s in (0, 3600):  # a problem is told of when it has stood for a while
        watch.watch(seams.now() + timedelta(seconds=after_s))
    return {link.name: link for link in status.with_last_run(Link.objects.all())}


def open_run(link: Link) -> Run:
    run = lifecycle.open_run(Link.objects.get(pk=link.pk), trigger="operator", full=False)
    return run or Run.objects.get(link=link, state=Run.State.OPEN)
