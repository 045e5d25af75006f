"""What a data manager does to records, with clicks: by the list, by the page of a record, by its history; on a phone too."""

from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from selenium.webdriver.common.by import By

from catalogue import bootstrap
from catalogue.models import Category, MetadataSet, Record, RecordVersion
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reading.query import search
from catalogue.writing import store, visibility
from gisc import roles
from gisc.roles import Role
from tests.browser.conftest import Browser
from tests.support.world import TOULOUSE, iso_record, peer_set, put

pytestmark = pytest.mark.django_db(transaction=True)
RECORDS, PASSWORD = "/admin/catalogue/record/", "a data manager's password"
LONG = "urn:x-wmo:md:int.wmo.wis::A_LONG_IDENTIFIER_OF_A_RECORD_THAT_WRAPS_WHERE_IT_MAY_BE_BROKEN_00001"


@pytest.fixture
def manager(browser: Browser) -> Browser:
    bootstrap.ensure_sets()
    roles.write_groups("default")
    User.objects.create_user("keiko", password=PASSWORD, is_staff=True).groups.add(
        Group.objects.get(name=Role.DATA_MANAGER.value)
    )
    put(*(iso_record(f"urn:{name}", title=f"Buoys {name}") for name in "abc"), iso_record(LONG, title="Radar"))
    entry = store.prepare(iso_record("urn:theirs", title="Buoys of Toulouse"), provenance=Provenance(link="toulouse"))
    store.put_entries([entry], into=peer_set(TOULOUSE), source="toulouse")
    MetadataSet.objects.create(spec="shared01", name="Shared 01", kind=MetadataSet.Kind.SHARED, fed_here=True)
    browser.sign_in("keiko", PASSWORD)
    return browser


def test_records_are_found_replaced_compared_restored_moved_and_withdrawn(manager: Browser, tmp_path: Path) -> None:
    # A record is replaced by a file, after a look at what differs, and its former version is put back.
    radar = Record.objects.get(key=LONG)
    manager.open(f"{RECORDS}?q=radar")
    manager.sees("1 record matches.")
    manager.press(LONG)
    manager.press("Replace")
    file = tmp_path / "radar.xml"
    file.write_bytes(iso_record(LONG, title="Radar composite"))
    manager.field("file").send_keys(str(file))
    manager.press("Show the difference")
    manager.sees("1 line differs")
    assert manager.barriers() == []
    manager.write("reason", "the title was cut")
    manager.press("Replace")
    manager.sees("is replaced. Reason: the title was cut")
    assert b"Radar composite" in payload.unpack(Record.objects.get(key=LONG).payload)
    manager.press("History: 1 former version")
    manager.press("What differs from version 1")
    manager.sees("1 line differs")
    manager.press("Restore version 1")
    manager.sees("with a new datestamp")
    manager.driver.find_element(By.NAME, "confirm").click()
    manager.sees("is restored.")
    assert b"composite" not in payload.unpack(Record.objects.get(key=LONG).payload)

    # All that match are moved, then withdrawn; what is a peer's stays, and the page says so before.
    manager.open(f"{RECORDS}?q=buoys")
    manager.sees("4 records match.")
    manager.act_on_all("Move to another set ...")
    manager.choose("into", "shared01")
    manager.press("Look again")
    manager.sees("3 will be moved")
    manager.sees("came by the link toulouse")
    manager.press("Move to another set: 3 records")
    manager.sees("3 records were moved to shared01; 1 stay as they were")
    manager.open(f"{RECORDS}?q=buoys")
    manager.act_on_all("Withdraw ...")
    manager.sees("3 will be withdrawn")
    manager.press("Withdraw: 3 records")
    manager.sees("Say why")
    manager.write("reason", "the buoys were taken in")
    manager.press("Withdraw: 3 records")
    manager.sees("3 records were withdrawn")
    assert list(Record.objects.filter(deleted=True).values_list("key", flat=True).order_by("key")) == [
        "urn:a",
        "urn:b",
        "urn:c",
    ]
    assert RecordVersion.objects.filter(act="withdraw", who="keiko", reason="the buoys were taken in").count() == 3

    # One that not everybody may see: it is gone from the public search.
    members = Category.objects.create(name="members only")
    manager.open(f"{RECORDS}?q=radar")
    manager.act_on_all("Change who sees them ...")
    manager.sees("Who sees this record?")
    assert manager.barriers() == [] and not manager.is_cut()
    manager.choose("category", f"members only: {visibility.describe(members)}")
    manager.press("Set who sees them")
    manager.sees("Records that are seen by others now: 1 of 1")
    assert search.records("radar").filter(audience=0).count() == 0

    theirs = Record.objects.get(key="urn:theirs")
    some = ",".join(str(pk) for pk in Record.objects.values_list("pk", flat=True))
    for page in (
        RECORDS,
        f"{RECORDS}{radar.pk}/change/",
        f"{RECORDS}{theirs.pk}/change/",
        f"{RECORDS}{radar.pk}/history/?from=1&to=2",
        f"{RECORDS}{radar.pk}/replace/",
        f"{RECORDS}{radar.pk}/restore/2/",
        f"{RECORDS}act/withdraw/?chosen={some}",
        f"{RECORDS}act/move/?chosen={some}",
        "/admin/catalogue/journaloutbox/",
        f"/admin/catalogue/category/{members.pk}/change/",
        "/admin/catalogue/category/",
    ):
        manager.opens_well(page)
    assert manager.faults() == []
