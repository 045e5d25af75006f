"""The page "Add a link" in a browser: by clicks to a second node that runs, and by the keyboard alone past all refusals."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from werkzeug import Response

from catalogue.models import MetadataSet, Record
from harvester import tasks
from harvester.models import Link, Run
from tests.browser.conftest import NARROW, WIDE, Browser, Counted
from tests.support.broker import calls
from tests.support.nodes import Node, free_port, manage
from tests.support.provider import Provider, fill
from tests.support.waiting import until
from tests.support.world import TOULOUSE, iso_record

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"
RECORDS = 30
MOST_CLICKS, MOST_FIELDS = 6, 3


@pytest.fixture
def operator(browser: Browser) -> Browser:
    User.objects.create_superuser("operator", password=PASSWORD)
    MetadataSet.objects.get_or_create(spec="WIS-GISC-TOKYO", kind="own", defaults={"name": "Tokyo"})
    browser.sign_in("operator", PASSWORD)
    calls()
    return browser


@pytest.fixture
def second_node(tmp_path: Path) -> Iterator[Node]:
    """Toulouse, as another process with its own database: records of its own, and one that cannot be stored here."""
    node = Node(tmp_path / "toulouse", free_port(), GISC_NAME=TOULOUSE.spec, GISC_PAGE_RECORDS="10")
    try:
        node.ready()
        folder = tmp_path / "records"
        folder.mkdir()
        for number in range(RECORDS):
            name = f"urn:x-wmo:md:fr.meteofrance::B{number:03d}"
            (folder / f"{number}.xml").write_bytes(iso_record(name, title=f"Product {number}"))
        own = {"GISC_DATA_DIR": str(node.data_dir), "GISC_NAME": TOULOUSE.spec}
        assert manage("ingest", str(folder), **own).returncode == 0
        yield node
    finally:
        node.close()


def work() -> Run:
    """Do what a worker does that was called once, until the run has come to its end."""
    assert calls() == 1
    run = Run.objects.latest("pk")
    while run.is_open and run.not_before is None:
        tasks.harvest()
        run.refresh_from_db()
    calls()
    return run


def assert_usable(browser: Browser) -> None:
    """Whole on a desk and on a phone, and no barrier for anybody."""
    for width in (NARROW, WIDE):
        browser.widen_to(width)
        assert not browser.is_cut(), width
    assert browser.barriers() == []


def test_a_link_to_a_live_second_node_is_added_by_clicks_and_its_first_run_watched_to_the_end(
    operator: Browser, second_node: Node
) -> None:
    operator.open("/admin/")
    person = Counted(operator)
    person.click("Links")
    operator.driver.find_element(By.CSS_SELECTOR, "a[href$='/harvester/link/add/']").click()
    person.clicks += 1
    until(
        lambda: operator.driver.switch_to.active_element.get_attribute("name") == "base_url", 15, "the address is asked"
    )
    assert_usable(operator)
    person.write("base_url", f"{second_node.url}/oai")
    person.click("Ask")
    operator.sees("What: which records do we want?")
    for said in (
        "OAI-PMH 2.0",
        "to the second",
        "iso19139 (ISO 19139)",
        "compressed (gzip)",
        "30 records",
        "everybody's records",
    ):
        assert said in operator.text, said
    assert_usable(operator)
    person.click(f"into our set {TOULOUSE.spec} (new)")
    person.click("Save and harvest now")
    operator.sees("Waits for a worker")
    run = work()
    operator.sees("30 of 30")
    for said in ("done", "30 new, 0 updated", "The link toulouse is saved"):
        assert said in operator.text, said
    assert_usable(operator)
    assert run.state == Run.State.DONE and Record.objects.filter(deleted=False).count() == RECORDS
    print(f"\nadd a link: {person.clicks} clicks, {person.fields} field")
    assert person.clicks <= MOST_CLICKS and person.fields <= MOST_FIELDS
    assert operator.faults() == []


def press_tab_to(browser: Browser, selector: str) -> None:
    """Reach an element by the tab key alone, round the page if need be."""
    for _ in range(150):
        active = browser.driver.switch_to.active_element
        if browser.driver.execute_script("return arguments[0].matches(arguments[1])", active, selector):
            return
        active.send_keys(Keys.TAB)
    raise AssertionError(f"{selector} cannot be reached by the keyboard")


def type_here(browser: Browser, *keys: str) -> None:
    browser.driver.switch_to.active_element.send_keys(*keys)


def test_what_cannot_work_is_said_in_words_nothing_typed_is_lost_and_the_keyboard_is_enough(
    operator: Browser, provider: Provider, settings
) -> None:
    settings.GISC_BASE_URL = operator.url
    fill(provider, range(3))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')

    def guard(_: dict[str, str]) -> Response | None:
        said = provider.requests[-1].authorization
        return None if said is not None and said.password == "s3cret" else Response("no", status=401)

    provider.faults.append(guard)
    operator.open("/admin/harvester/link/add/")
    for address, said in {
        "http://127.0.0.1:9/oai": "connection refused",
        f"{operator.url}/oai": "This is the address of this node itself",
        f"{operator.url}/": "There is a web page at this address",
        provider.base_url: "The provider wants a user name and a password",
    }.items():
        press_tab_to(operator, "[name=base_url]")
        type_here(operator, Keys.CONTROL, "a", Keys.NULL, address, Keys.ENTER)
        operator.sees(said)
    assert operator.barriers() == []
    press_tab_to(operator, "[name=user]")
    type_here(operator, "tokyo", Keys.TAB, "s3cret", Keys.ENTER)
    operator.sees("What: which records do we want?")
    assert operator.field("password").get_attribute("value") == "s3cret"

    press_tab_to(operator, "[name=pick]")
    press_tab_to(operator, "[name=typed_set]")
    type_here(operator, "WIS-GISC-NOWHERE")
    press_tab_to(operator, "[name=name]")
    type_here(operator, "by-keyboard")
    press_tab_to(operator, "[value=harvest]")
    type_here(operator, Keys.ENTER)
    operator.sees("does not list the set 'WIS-GISC-NOWHERE'; it lists WIS-GISC-TOULOUSE")
    values = {
        name: operator.field(name).get_attribute("value")
        for name in ("base_url", "user", "password", "name", "typed_set")
    }
    assert values == {
        "base_url": provider.base_url,
        "user": "tokyo",
        "password": "s3cret",
        "name": "by-keyboard",
        "typed_set": "WIS-GISC-NOWHERE",
    }
    assert not Link.objects.exists()
    assert_usable(operator)

    press_tab_to(operator, "[name=pick]")
    type_here(operator, Keys.ARROW_DOWN)  # round to the first, the set that is listed
    press_tab_to(operator, "[value=harvest]")
    type_here(operator, Keys.ENTER)
    operator.sees("Waits for a worker")
    work()
    operator.sees("done, 1 rejected")
    operator.sees("urn:bad: the record is not an ISO 19139 record")
    link = Link.objects.get()
    assert (link.name, link.remote_set, link.access().password) == ("by-keyboard", TOULOUSE.spec, "s3cret")
    assert operator.faults() == []


def test_the_next_times_are_said_while_a_schedule_is_typed(operator: Browser, provider: Provider) -> None:
    fill(provider, range(1))
    operator.open(f"/admin/harvester/link/add/?base_url={provider.base_url}")
    operator.press("Ask")
    operator.sees("When: how often do we ask?")
    operator.driver.find_element(By.CSS_SELECTOR, "[data-fold=times] summary").click()
    operator.write("other_times", "daily at 03:15")
    operator.sees("03:15 UTC, ")
    assert operator.field("every").get_attribute("value") == "other", "what is typed is what counts"
    operator.write("windows", "04:00-05:00")
    operator.sees("03:15 UTC is not between 04:00 and 05:00 UTC")
    operator.write("windows", "")
    operator.sees("03:15 UTC, ")

    toulouse = MetadataSet.objects.create(spec=TOULOUSE.spec, kind="peer", name="Toulouse")
    link = Link.objects.create(name="saved", base_url=provider.base_url, local_set=toulouse)
    operator.open(f"/admin/harvester/link/{link.pk}/change/")
    operator.press("Schedule")
    operator.write("schedule", "weekly on Monday at 04:45")
    operator.sees("04:45 UTC, ")
    operator.write("schedule", "soon")
    until(lambda: "04:45 UTC" not in operator.text, 15, "the times of another schedule are still there")
    assert operator.faults() == []
