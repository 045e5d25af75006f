"""Every page of a node on which something of everything is wrong: whole at both widths, without barriers, without faults."""

import os
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from catalogue import bootstrap, seams
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from catalogue.writing import overview
from gisc.alerts import watch
from gisc.alerts.models import Recipient
from gisc.demo import troubles
from gisc.demo.troubled_centres import Server
from harvester.admin import link_acts
from harvester.models import Alternative, Link, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support.runs import go_on

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "an operator's password"
SLOW = "delhi"


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


# What each centre's trouble makes of its link.
STATES = {
    **dict.fromkeys(("toulouse", "jeddah"), Run.State.DONE),
    **dict.fromkeys(("beijing", "brasilia", "moscow", "offenbach", "seoul", "washington"), status.PARTIAL),
    **dict.fromkeys(("exeter", "melbourne"), Run.State.FAILED),
    **dict.fromkeys((SLOW, "pretoria"), status.WAITING),
    "tehran": status.DISABLED,
}


def open_run(link: Link) -> Run:
    run = lifecycle.open_run(Link.objects.get(pk=link.pk), trigger="operator", full=False)
    return run or Run.objects.get(link=link, state=Run.State.OPEN)


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


# Pages that no row has, by the names of their routes.
FURTHER = (
    *("harvester_link_add", "harvester_link_import_csv", "harvester_centre_import_csv", "harvester_link_look"),
    *("second-factor", "oaiprovider_profile_preview", "oaiprovider_profile_export", "oaiprovider_crosswalk_try"),
)


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
    for path in (*pages(), *further, *all_acts):
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
    assert "\n".join(complaints) == ""
