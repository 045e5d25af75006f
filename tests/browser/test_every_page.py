"""Every page of a node on which something of everything is wrong: whole at both widths, without barriers, without faults."""

import os
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.urls import reverse

from catalogue import bootstrap
from catalogue.models import MetadataSet, Record
from catalogue.writing import overview
from harvester.admin import link_acts
from harvester.models import Link, Run
from harvester.monitoring import status
from oaiprovider.models import Profile
from tests.browser.conftest import NARROW, SLOW, WIDE, Browser

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"


# What each centre's trouble makes of its link.
STATES = {
    **dict.fromkeys(("toulouse", "jeddah"), Run.State.DONE),
    **dict.fromkeys(("beijing", "brasilia", "moscow", "offenbach", "seoul", "washington"), status.PARTIAL),
    **dict.fromkeys(("exeter", "melbourne"), Run.State.FAILED),
    **dict.fromkeys((SLOW, "pretoria"), status.WAITING),
    "tehran": status.DISABLED,
}


def pages() -> list[str]:
    """The start, the list, the form of a new row and of the newest row, of everything in the administration; the public pages."""
    paths = ["/admin/", "/", "/?q=climate", "/harvest/", "/oai/browse"]
    record = quote(Record.objects.filter(deleted=False).values_list("identifier", flat=True).order_by("pk")[0], safe="")
    paths += [f"/?set={bootstrap.own_set().spec}", f"/record?id={record}", f"/contacts?id={record}", "/glossary"]
    paths += [f"/ogcapi/{path}?f=html" for path in ("", "conformance", "openapi", "collections")]
    here = "/ogcapi/collections/WIS-CATALOGUE"
    paths += [f"{here}{path}?f=html" for path in ("", "/queryables", "/items", f"/items/{record}")]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        paths.append(reverse(f"{name}_changelist"))
        newest = model._default_manager.order_by("-pk").first()
        if newest is not None:
            paths.append(reverse(f"{name}_change", args=[newest.pk]))
    return paths


# Values of the program in the place of words.
_PYTHON = re.compile(r"\('\w.*?\)|\bNone\b(?!: it sees)|<[\w.]+ object at|lazy|&lt;")

# Pages that no row has, by the names of their routes.
FURTHER = (
    *("harvester_link_add", "harvester_link_import_csv", "harvester_centre_import_csv", "harvester_link_look"),
    *("second-factor", "oaiprovider_profile_preview", "oaiprovider_profile_export", "oaiprovider_crosswalk_try"),
)


def rows() -> list[str]:
    """The form of a new row, and what is about one row: its history, its removal, and what its table alone has."""
    superuser = RequestFactory().get("/admin/")
    superuser.user = User.objects.get(username="operator")
    paths = ["/admin/password_change/"]
    for model, page in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        if page.has_add_permission(superuser):
            paths.append(reverse(f"{name}_add"))
        newest = model._default_manager.order_by("-pk").first()
        if newest is not None and page.has_delete_permission(superuser, newest):
            paths.append(reverse(f"{name}_delete", args=[newest.pk]))
    seoul = Link.objects.get(name="seoul")
    record = Record.objects.get(pk=Record.objects.filter(deleted=False).values_list("pk", flat=True).order_by("pk")[0])
    virtual = MetadataSet.objects.create(spec="WIS-CLIMATE", name="Climate", kind=MetadataSet.Kind.VIRTUAL)
    for path, pk in (
        ("catalogue_record_history", record.pk),
        ("catalogue_record_replace", record.pk),
        ("harvester_link_history", seoul.pk),
        ("auth_user_password_change", superuser.user.pk),
        ("catalogue_metadataset_members", virtual.pk),
        ("catalogue_metadataset_search", virtual.pk),
        ("oaiprovider_profile_preview_one", Profile.objects.get(name="Any").pk),
    ):
        paths.append(reverse(f"admin:{path}", args=[pk]))
    for name in ("seoul", "exeter"):
        link = Link.objects.get(name=name)
        paths += [reverse("harvester:link", args=[name]), reverse("harvester:report", args=[link.report_key])]
        paths.append(reverse("harvester:run", args=[Run.objects.filter(link=link).latest("pk").pk]))
    return paths


def acts() -> list[str]:
    """The page of each act on a link that is asked for again before it is done: all have one template."""
    seoul, slow = status.with_last_run(Link.objects.filter(name__in=("seoul", SLOW)), successes=True)
    offered = {act.name: link.pk for link in (seoul, slow) for act in link_acts.acts_of(link)}
    assert {"run", "full", "compare", "cancel", "reset", "switch"} <= set(offered)
    return [reverse("admin:harvester_link_act", args=[pk, name]) for name, pk in offered.items()]


def test_every_page_is_whole_and_without_barriers(browser: Browser, links: dict[str, Link], tmp_path: Path) -> None:
    assert {name: status.link_state(link)[0] for name, link in links.items()} == STATES
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    shots = Path(os.environ["SCREENSHOTS"]) if "SCREENSHOTS" in os.environ else None
    complaints = []
    overview.count_if_outdated()  # the map of the start page
    further = [reverse(name if "-" in name else f"admin:{name}") for name in FURTHER]
    all_acts = acts()
    for path in (*pages(), *further, *rows(), *all_acts):
        browser.widen_to(WIDE)
        browser.open(path)
        if path not in all_acts[1:]:
            complaints += [f"{path}: {barrier}" for barrier in browser.barriers()]
        for width in (WIDE, NARROW):
            browser.widen_to(width)
            if browser.is_cut():
                complaints.append(f"{path} at {width}: wider than the window")
            if shots is not None:
                browser.shoot(shots / f"{path.strip('/').replace('/', '_').replace('?', '_') or 'home'}-{width}.png")
        complaints += [f"{path}: {fault}" for fault in browser.faults()]
        complaints += [f"{path}: {value}" for value in _PYTHON.findall(browser.text)]
    assert "\n".join(complaints) == ""


def test_lists_of_the_administration_show_all_their_columns_on_1280_pixels(
    browser: Browser, links: dict[str, Link]
) -> None:
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    browser.widen_to(1280)
    missing = "return (list => list && list.offsetWidth - list.parentElement.clientWidth)(document.querySelector('#result_list'))"
    widths = {}
    for model in admin.site._registry:
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        browser.open(path)
        widths[path] = browser.driver.execute_script(missing)
    assert {path: width for path, width in widths.items() if (width or 0) > 0} == {}
    assert widths[reverse("admin:harvester_link_changelist")] is not None
