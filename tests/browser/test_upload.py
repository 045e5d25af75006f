"""An upload in a browser, by a data manager: sent, looked at, stored; whole on a desk and a phone, without barriers."""

import io
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User

from catalogue.bulk import upload
from catalogue.models import MetadataSet, Record, Upload
from gisc.roles import Role
from harvester.link_rules import Kind
from harvester.models import Link
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support import world

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "a data manager's password"


@pytest.fixture
def manager(browser: Browser, toulouse: MetadataSet, settings, tmp_path: Path) -> Browser:
    settings.GISC_UPLOAD_DIR = tmp_path / "uploads"
    world.put(*(world.iso_record(f"urn:x-wmo:md:int.wmo.wis::{name}") for name in ("SAME01", "CHANGED", "GONE01")))
    world.bury("urn:x-wmo:md:int.wmo.wis::GONE01")
    shared = MetadataSet.objects.create(spec="shared01", name="Shared records", kind=MetadataSet.Kind.SHARED)
    Link.objects.create(name="co-owner", base_url="http://127.0.0.1:9/oai", local_set=shared, kind=Kind.SHARED)
    account = User.objects.create_user("manager", password=PASSWORD, is_staff=True)
    account.groups.add(Group.objects.get(name=Role.DATA_MANAGER.value))
    browser.sign_in("manager", PASSWORD)
    return browser


def archive(file: Path) -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as found:
        for name in ("SAME01", "CHANGED", "GONE01", *(f"NEW{number:03}" for number in range(70))):
            words = {} if name == "SAME01" else {"title": "Surface synoptic observations of one station"}
            found.writestr(f"{name}.xml", world.iso_record(f"urn:x-wmo:md:int.wmo.wis::{name}", **words))
        found.writestr("broken.xml", b"<gmd:MD_Metadata>")
    file.write_bytes(packed.getvalue())
    return file


def looks_well(browser: Browser, tmp_path: Path, name: str) -> None:
    for width in (WIDE, NARROW):
        browser.widen_to(width)
        browser.shoot(tmp_path / f"{name}-{width}.png")
        assert not browser.is_cut(), (name, width)
        assert browser.barriers() == [], (name, width)
    browser.widen_to(WIDE)
    assert browser.faults() == []


def work() -> None:
    while upload.work(processes=1):
        pass


def test_a_data_manager_uploads_looks_and_stores(manager: Browser, tmp_path: Path) -> None:
    manager.open("/admin/catalogue/upload/")
    manager.sees("An upload brings documents from files into a set")
    manager.open("/admin/catalogue/upload/add/")
    manager.sees("Not possible:")
    assert not manager.driver.find_element("css selector", "[value=shared01]").is_enabled()
    looks_well(manager, tmp_path, "add")
    manager.field("files").send_keys(str(archive(tmp_path / "records.zip")))
    manager.press("Send and check")
    manager.sees("being checked")
    looks_well(manager, tmp_path, "under-way")
    work()  # the page finds out by itself
    manager.sees("This would change: 70 new, 1 changed, 1 brought back, 1 unchanged, 1 rejected.")
    looks_well(manager, tmp_path, "ready")
    manager.press("rejected 1")
    manager.sees("is not well-formed XML")
    manager.press("changed 1")
    manager.press("Surface synoptic observations of one station")
    manager.sees("What differs")
    looks_well(manager, tmp_path, "document")
    manager.driver.back()

    manager.press("Store what is ticked")
    manager.sees("Store 71 documents?")
    looks_well(manager, tmp_path, "question")
    assert Record.objects.filter(deleted=False).count() == 2
    manager.press("Store 71")
    manager.sees("71 documents are being stored.")
    work()
    manager.sees("71 of 74 documents were stored: 70 new, 1 changed.")
    assert Record.objects.filter(deleted=False).count() == 72
    manager.press("Close without storing the rest")
    manager.sees("The upload is closed.")
    looks_well(manager, tmp_path, "closed")
    manager.open("/admin/catalogue/upload/")
    manager.sees("records.zip")
    looks_well(manager, tmp_path, "list")
    assert Upload.objects.get().state == Upload.State.CLOSED
    assert Record.objects.get(key__endswith="GONE01").deleted, "it was not ticked"
