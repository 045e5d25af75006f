"""The list of centres, its import, and the schedule of a link in a browser: whole on a desk and a phone, without barriers."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from catalogue.models import MetadataSet
from harvester.models import Centre, Link
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


@pytest.fixture
def operator(browser: Browser) -> Browser:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    return browser


def looks_well(browser: Browser, tmp_path: Path, name: str) -> None:
    for width in (WIDE, NARROW):
        browser.widen_to(width)
        browser.shoot(tmp_path / f"{name}-{width}.png")
        assert not browser.is_cut(), (name, width)
        assert browser.barriers() == [], (name, width)
    browser.widen_to(WIDE)
    assert browser.faults() == []


def test_an_operator_adds_a_centre_by_a_file_and_says_when_to_harvest_it(operator: Browser, tmp_path: Path) -> None:
    Centre.objects.all().delete()
    toulouse, _ = MetadataSet.objects.get_or_create(spec=TOULOUSE.spec, defaults={"name": "Toulouse"})
    link = Link.objects.create(
        name="toulouse", base_url=TOULOUSE.base_url, remote_set=TOULOUSE.spec, local_set=toulouse, enabled=False
    )
    Centre.objects.create(
        name="Toulouse",
        country="France",
        set_spec=TOULOUSE.spec,
        base_urls=["https://second.gisc-toulouse.example.org/a/rather/long/path/to/the/provider/oai"],
        is_active=True,
    )
    file = tmp_path / "centres.csv"
    file.write_text("name,country,set_spec,is_active\nExeter,United Kingdom,no set,yes\n", encoding="utf-8")

    operator.open("/admin/harvester/centre/")
    operator.sees("0 of 1 centre harvested, 1 missing: Toulouse (its link is disabled).")
    operator.press("Import CSV")
    operator.field("file").send_keys(str(file))
    operator.press("Import")
    operator.sees("Line 2 (no set)")
    looks_well(operator, tmp_path, "import")
    file.write_text("name,country,set_spec,is_active\nExeter,United Kingdom,WIS-GISC-EXETER,yes\n", encoding="utf-8")
    operator.field("file").send_keys(str(file))
    operator.press("Import")
    operator.sees("1 added, 0 changed, 0 as before.")
    operator.sees("0 of 2 centres harvested, 2 missing: Exeter (no link), Toulouse (its link is disabled).")
    looks_well(operator, tmp_path, "centres")

    operator.press("toulouse")
    operator.sees("Other addresses")
    operator.press("Schedule")
    operator.write("schedule", "fridays at noon")
    operator.press("Save and continue editing")
    operator.sees("“fridays at noon” is not understood; write “every 6 hours”")
    operator.press("Schedule 1")  # one error is there
    assert operator.field("schedule").get_attribute("value") == "fridays at noon", "nothing typed is lost"
    operator.write("schedule", "fri 12:00")
    operator.press("Save and continue editing")
    operator.press("Schedule")
    assert operator.field("schedule").get_attribute("value") == "weekly on Friday at 12:00 UTC"
    looks_well(operator, tmp_path, "schedule")
    link.refresh_from_db()
    assert (link.weekday, link.interval_s) == (4, 604_800)
