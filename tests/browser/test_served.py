"""What a data manager does with what is served, by clicks: sets, profiles, crosswalks; and what is refused."""

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import Group, User
from selenium.webdriver.common.by import By

from catalogue import bootstrap, validation
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from catalogue.models import MetadataSet, Quality
from catalogue.writing import quality, set_inclusion
from gisc.roles import Role, write_groups
from oaiprovider import models
from oaiprovider.models import Crosswalk, Profile
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support import looking, stylesheets, world

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "a data manager's password"


@pytest.fixture
def manager(browser: Browser) -> Browser:
    bootstrap.ensure_sets()
    models.ensure_any(using="default")
    write_groups("default")
    ingest.ingest(sources.documents([SAMPLES / "WIS-GISC-TOKYO"]), into=world.own_set())
    world.put(world.iso_record("urn:awkward", title="impossible"), into=world.peer_set(world.TOULOUSE))
    user = User.objects.create_user("manager", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=Role.DATA_MANAGER.value))
    browser.sign_in("manager", PASSWORD)
    return browser


def looks_well(browser: Browser, tmp_path: Path, name: str) -> None:
    """Show the page wide and narrow: everybody can use it, and nothing is cut. SCREENSHOTS=folder keeps the pictures."""
    for width in (WIDE, NARROW):
        browser.widen_to(width)
        browser.shoot(Path(os.environ.get("SCREENSHOTS", tmp_path)) / f"{name}-{width}.png")
        assert not browser.is_cut(), (name, width)
        assert browser.barriers() == [], (name, width)
    browser.widen_to(WIDE)
    assert browser.faults() == []


def tick(browser: Browser, label: str) -> None:
    browser.driver.find_element(By.XPATH, f"//label[contains(., {label!r})]//input").click()


def test_a_data_manager_defines_a_set_by_a_search_and_looks_at_the_quality_of_its_records(
    manager: Browser, tmp_path: Path, settings
) -> None:
    set_inclusion.ensure_set("RADAR", kind=MetadataSet.Kind.VIRTUAL)
    radar = MetadataSet.objects.get(spec="RADAR")
    manager.open(f"/admin/catalogue/metadataset/{radar.pk}/change/")
    looks_well(manager, tmp_path, "set-empty")
    manager.write("address", "q=radar&place=Tokyo")
    manager.press("Define by this search …")
    manager.sees("A search has no argument “place”")
    looks_well(manager, tmp_path, "set-search-refused")
    manager.driver.find_element(By.NAME, "address").clear()
    manager.write("address", "radar")
    manager.press("Look again")
    manager.sees("new in lists of RADAR")
    looks_well(manager, tmp_path, "set-search")
    manager.press("Define the set by it")
    manager.sees("Done: the records of RADAR follow.")
    found = looking.listed("RADAR")
    assert found and len(found) < len(looking.listed(world.OUR_SPEC))
    looks_well(manager, tmp_path, "set-defined")
    manager.open(f"/admin/catalogue/metadataset/{radar.pk}/search/?none=1")
    manager.sees("leave")
    looks_well(manager, tmp_path, "set-search-taken-away")

    settings.GISC_SCHEMA_DIR = ""
    validation.label_records(seconds=600)
    quality.count()
    manager.open("/admin/catalogue/quality/")
    manager.sees("Sets and centres as CSV")
    manager.sees("RADAR")
    looks_well(manager, tmp_path, "quality")
    manager.open(f"/admin/catalogue/quality/{Quality.objects.get(name='RADAR').pk}/change/")
    manager.sees("KPI-6 Keywords")
    looks_well(manager, tmp_path, "quality-of-set")
    identifier = next(iter(found))
    manager.open(f"/record?id={quote(identifier)}")
    manager.sees("Quality of the metadata")
    manager.driver.find_element(By.XPATH, "//summary[contains(., 'Key performance')]").click()
    looks_well(manager, tmp_path, "record-quality")


def test_a_data_manager_makes_a_set_shows_it_to_a_harvester_and_offers_a_format(
    manager: Browser, tmp_path: Path
) -> None:
    live = len(looking.listed(world.OUR_SPEC))
    manager.open("/admin/catalogue/metadataset/")
    looks_well(manager, tmp_path, "sets")
    manager.open("/admin/catalogue/metadataset/add/")
    manager.write("spec", "DRIVER")
    manager.write("name", "For DRIVER")
    manager.choose("kind", "virtual: made of other sets, or of what a search finds")
    manager.press("Save")
    manager.sees("Now choose what it is made of.")
    tick(manager, world.OUR_SPEC)
    manager.press("Include …")
    manager.sees(f"{live} records come new in lists of DRIVER")
    looks_well(manager, tmp_path, "set-include")
    manager.press("Include")
    manager.sees(f"Done: {world.OUR_SPEC} included in DRIVER.")
    assert len(looking.listed("DRIVER")) == live
    looks_well(manager, tmp_path, "set")
    union = MetadataSet.objects.get(spec="DRIVER")
    manager.open(f"/admin/catalogue/metadataset/{union.pk}/members/?act=exclude&spec={world.OUR_SPEC}")
    manager.sees(f"{live} records leave")
    looks_well(manager, tmp_path, "set-exclude")
    manager.open(f"/admin/catalogue/metadataset/{union.pk}/delete/")
    manager.sees("DRIVER cannot be deleted now.")
    looks_well(manager, tmp_path, "set-delete")

    manager.open("/admin/oaiprovider/profile/add/")
    manager.write("name", "DRIVER")
    manager.write("match", "DRIVER")
    manager.write("networks", "192.0.2.0/24")
    manager.driver.find_element(By.NAME, "everything").click()
    tick(manager, "DRIVER (virtual)")
    looks_well(manager, tmp_path, "profile-add")
    manager.press("Save")
    manager.sees("never give this profile to a peer GISC")
    looks_well(manager, tmp_path, "profiles")
    profile = Profile.objects.get(name="DRIVER")
    manager.open(f"/admin/oaiprovider/profile/{profile.pk}/preview/")
    manager.sees(f"It sees 1 set; a list of everything has {live} entries")
    manager.choose("verb", "GetRecord")
    manager.write("metadata_prefix", "oai_dc")
    manager.write("identifier", "urn:awkward")
    manager.press("Ask")
    manager.sees(f"it is in {world.TOULOUSE.spec}")
    manager.sees("idDoesNotExist")
    looks_well(manager, tmp_path, "profile-preview")
    manager.open("/admin/oaiprovider/profile/export/")
    manager.sees("DRIVER: “networks” is not in the file")
    looks_well(manager, tmp_path, "profile-export")

    manager.open("/admin/oaiprovider/crosswalk/add/")
    for field, value in (("prefix", "brief"), ("namespace", stylesheets.NAMESPACE), ("schema", stylesheets.SCHEMA)):
        manager.write(field, value)
    manager.driver.execute_script("arguments[0].value = arguments[1]", manager.field("stylesheet"), stylesheets.brief())
    manager.write("identifiers", "urn:awkward")
    looks_well(manager, tmp_path, "crosswalk-add")
    manager.follow_to_new_tab("Try on records")
    manager.sees("1 of them lacks this format.")
    manager.sees("The stylesheet ends with: no title.")
    looks_well(manager, tmp_path, "crosswalk-trial")
    assert not Crosswalk.objects.exists(), "a trial saves nothing"
    manager.driver.close()
    manager.driver.switch_to.window(manager.driver.window_handles[0])
    manager.press("Save and continue editing")
    manager.sees("gives ")
    looks_well(manager, tmp_path, "crosswalk")
    crosswalk = Crosswalk.objects.get()
    manager.open("/admin/oaiprovider/identifydescription/add/")
    looks_well(manager, tmp_path, "description-add")
    for refused in (
        f"/admin/oaiprovider/crosswalk/{crosswalk.pk}/delete/",  # it is offered: first it is switched off
        f"/admin/catalogue/metadataset/{world.own_set().pk}/delete/",
        "/admin/harvester/link/add/",
    ):
        manager.open(refused)
        manager.sees("You may not see this page")
