"""Conflicts with clicks, by a data manager: look at both versions, settle one, settle many, undo it; on a phone too."""

from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User

from catalogue.models import MetadataSet, Record
from catalogue.writing import store
from harvester.models import Conflict, Link
from tests.browser.conftest import NARROW, WIDE, Browser
from tests.support.broker import calls
from tests.support.provider import Provider, identifier
from tests.support.runs import harvest
from tests.support.world import OFFENBACH, TOULOUSE, iso_record, own_set, peer_set, put

pytestmark = pytest.mark.django_db(transaction=True)
CONFLICTS = "/admin/harvester/conflict/"
PASSWORD = "a data manager's password"


@pytest.fixture
def link(toulouse: MetadataSet, provider: Provider) -> Link:
    """A link with a misplaced record, one that another peer has otherwise, and four that have vanished."""
    put(iso_record(identifier(0), title="Surface observations of the day", keywords=["wind", "rain"]), into=own_set())
    put(iso_record(identifier(1), title="By Offenbach"), into=peer_set(OFFENBACH))
    theirs = iso_record(
        identifier(0),
        title="Surface observations of the night",
        keywords=["wind", "hail", "rain"],
        metadata_date="2026-01-11",
    )
    provider.entries[identifier(0)] = ("2026-02-01T00:00:00Z", theirs)
    for number in range(1, 6):
        provider.entries[identifier(number)] = (
            "2026-02-01T00:00:00Z",
            iso_record(identifier(number), title=f"By Toulouse, {number}"),
        )
    link = Link.objects.create(
        name="toulouse", base_url=provider.base_url, prefix="ISO19139", remote_set=TOULOUSE.spec, local_set=toulouse
    )
    harvest(link)
    link.refresh_from_db()
    for number in range(2, 6):
        row = link.headers.get(key=identifier(number))
        now = row.datestamp
        Conflict.objects.create(
            link=link,
            key=row.key,
            identifier=row.key,
            kind="vanished",
            reason="vanished",
            first_seen=now,
            last_seen=now,
        )
        del provider.entries[identifier(number)]
    return link


@pytest.fixture
def manager(browser: Browser) -> Browser:
    mina = User.objects.create_user("mina", password=PASSWORD, is_staff=True)
    mina.groups.add(Group.objects.get(name="data manager"))
    browser.sign_in("mina", PASSWORD)
    calls()
    return browser


def is_well(browser: Browser, path: str, picture: Path) -> None:
    """Open a page wide and narrow: everybody can use it, and nothing is cut."""
    for width in (WIDE, NARROW):
        browser.widen_to(width)
        browser.open(path)
        browser.shoot(picture.with_stem(f"{picture.stem}-{width}"))
        assert browser.barriers() == [], (path, width)
        assert not browser.is_cut(), (path, width)
    browser.widen_to(WIDE)


def test_a_data_manager_settles_conflicts_and_undoes_it(manager: Browser, link: Link, tmp_path: Path) -> None:
    is_well(manager, CONFLICTS, tmp_path / "list.png")
    assert len(Conflict.objects.filter(settled=None)) == 6

    # One, with both versions.
    manager.open(f"{CONFLICTS}?kind__exact=misplaced")
    manager.press(identifier(0))
    manager.sees("Whose version counts?")
    misplaced = Conflict.objects.get(kind="misplaced")
    page = f"{CONFLICTS}{misplaced.pk}/change/"
    is_well(manager, page, tmp_path / "misplaced.png")
    marked = manager.driver.execute_script(
        "return [...document.querySelectorAll('.gisc-diff mark')].map(each => each.textContent)"
    )
    assert "day" in marked and "night" in marked
    assert "Delete the record here, too" not in manager.text, "it does not fit"
    manager.press("Ask the provider now")
    manager.sees("The provider sends the same version as before.")
    manager.press("Tell the provider")
    assert "They differ in: " in manager.driver.find_element("id", "gisc-letter").get_attribute("value")
    manager.press("Hand the record over to the provider's set …")
    manager.sees("1 conflict?")
    assert f"The record moves from our own set to {TOULOUSE.spec}" in manager.text
    manager.shoot(tmp_path / "question.png")
    assert Record.objects.get(key=identifier(0)).owner == own_set(), "not before it is confirmed"
    manager.press("Hand the record over to the provider's set")
    manager.sees("1 handed over")
    assert Record.objects.get(key=identifier(0)).owner.spec == TOULOUSE.spec
    is_well(manager, page, tmp_path / "settled.png")
    manager.press("Undo …")
    manager.press("Undo")
    manager.sees("1 wait again.")
    assert Record.objects.get(key=identifier(0)).owner == own_set()

    # Many.
    manager.open(f"{CONFLICTS}?kind__exact=vanished")
    manager.act_on_all("Delete the record here, too")
    manager.sees("4 records are deleted here, too")
    manager.press("Do nothing")
    assert not Record.objects.filter(deleted=True).exists()
    manager.act_on_all("Delete the record here, too")
    manager.press("Delete the record here, too")
    manager.sees("4 deleted here.")
    assert Record.objects.filter(deleted=True).count() == 4
    is_well(manager, f"{CONFLICTS}?state=settled", tmp_path / "log.png")
    manager.sees("Deleted by mina.")
    store.put_entries([store.prepare(iso_record(identifier(5)))], into=link.local_set, source=link.name)
    manager.act_on_all("Undo, and let it wait again")
    manager.press("Undo")
    manager.sees("3 wait again.")
    manager.sees("not done, because the record has changed since")
    assert not Record.objects.filter(deleted=True).exists()
    assert manager.faults() == []
