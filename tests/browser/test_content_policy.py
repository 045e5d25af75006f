"""Pages keep the policy for scripts in a real browser: it complains of nothing, and asks no other host for anything."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from catalogue import seams
from catalogue.models import MetadataSet, Record
from harvester.models import Link, Run
from tests.browser.conftest import Browser
from tests.support import world
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"
PUBLIC = ["/", "/?q=data", "/record?id=urn:0", "/record?id=none", "/none", "/harvest/", "/oai/browse?verb=Identify"]
PUBLIC += ["/oai?verb=Identify", "/oai?verb=ListRecords&metadataPrefix=oai_dc", "/oai/browse?verb=ListSets"]
LISTS = ["harvester_link", "harvester_run", "harvester_reject", "harvester_linkday", "harvester_conflict"]
LISTS += ["catalogue_record", "catalogue_metadataset", "catalogue_claim", "oaiprovider_crosswalk"]
LISTS += ["oaiprovider_profile", "audit_act", "alerts_recipient", "alerts_message"]
LISTS += ["oaiprovider_identifydescription", "auth_user", "auth_group", "axes_accessattempt", "axes_accesslog"]
PAGES = ["index", "password_change", "harvester_link_add", "catalogue_metadataset_add", "auth_user_add"]
PAGES += ["oaiprovider_crosswalk_add", "oaiprovider_profile_add", "harvester_link_look"]
PAGES += ["alerts_recipient_add", "harvester_link_add_plain"]


def test_no_page_breaks_the_policy_or_asks_another_host(browser: Browser, toulouse: MetadataSet) -> None:
    world.put(world.iso_record("urn:0"))
    link = Link.objects.create(
        name="toulouse",
        base_url="http://127.0.0.1:9/oai",
        prefix="iso19139",
        remote_set=TOULOUSE.spec,
        local_set=toulouse,
    )
    run = Run.objects.create(link=link, state=Run.State.DONE, begun=seams.now())
    user = User.objects.create_superuser("operator", password=PASSWORD)
    seen = [look_at(browser, path) for path in PUBLIC]
    browser.sign_in("operator", PASSWORD)
    rows = {"harvester_link_change": link, "harvester_link_delete": link, "harvester_run_change": run}
    rows |= {"catalogue_record_change": Record.objects.get(), "auth_user_change": user}
    pages = [reverse(f"admin:{name}") for name in (*PAGES, *(f"{name}_changelist" for name in LISTS))]
    pages += [reverse(f"admin:{name}", args=[row.pk]) for name, row in rows.items()]
    pages += [reverse("second-factor")]
    seen += [look_at(browser, page) for page in (*pages, f"/admin/auth/user/{user.pk}/password/")]
    assert {path: found for path, found in seen if found} == {}
    assert browser.driver.execute_script("return typeof Alpine") == "object", "the scripts of the administration run"


def look_at(browser: Browser, path: str) -> tuple[str, list[str]]:
    """Open a page; what the browser complains of, and the addresses of other hosts that it asked for."""
    browser.open(path)
    asked = browser.driver.execute_script("return performance.getEntriesByType('resource').map(each => each.name)")
    faults = [fault for fault in browser.faults() if not (path in fault and "status of 404" in fault)]
    return path, faults + [address for address in asked if not address.startswith(browser.url)]
