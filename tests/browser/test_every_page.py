"""Every page of a node on which something of everything is wrong: whole at both widths, without barriers, without faults."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from catalogue import bootstrap
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from gisc.demo import troubles
from gisc.demo.troubled_centres import Server
from harvester.models import Link, Run
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
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        paths.append(reverse(f"{name}_changelist"))
        newest = model._default_manager.order_by("-pk").first()
        if newest is not None:
            paths.append(reverse(f"{name}_change", args=[newest.pk]))
    return paths


def test_every_page_is_whole_and_without_barriers(browser: Browser, links: dict[str, Link], tmp_path: Path) -> None:
    assert {name: status.link_state(link)[0] for name, link in links.items()} == STATES
    User.objects.create_superuser("operator", password=PASSWORD)
    browser.sign_in("operator", PASSWORD)
    shots = Path(os.environ["SCREENSHOTS"]) if "SCREENSHOTS" in os.environ else None
    complaints = []
    for path in pages():
        browser.widen_to(WIDE)
        browser.open(path)
        complaints += [f"{path}: {barrier}" for barrier in browser.barriers()]
        for width in (WIDE, NARROW):
            browser.widen_to(width)
            if browser.is_cut():
                complaints.append(f"{path} at {width}: wider than the window")
            if shots is not None:
                browser.shoot(shots / f"{path.strip('/').replace('/', '_').replace('?', '_') or 'home'}-{width}.png")
        complaints += [f"{path}: {fault}" for fault in browser.faults()]
    assert "\n".join(complaints) == ""
