"""A change of SECRET_KEY: what the former key has sealed and signed stays good until it is sealed anew, and nothing is lost."""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.management.base import CommandError
from django.test import Client, override_settings

from catalogue import seams
from catalogue.models import MetadataSet
from catalogue.reading.lists import ListPosition
from gisc import embedded, file_locks, running_nodes, sealed_secrets
from gisc.alerts.models import Recipient
from gisc.backup import backup
from harvester.models import Link, Run
from harvester.net import access
from oaiprovider.protocol import tokens
from oaiprovider.protocol.errors import Refused
from oaiprovider.protocol.tokens import Token
from tests.support.commands import command

OLD, NEW = "the key of before, " * 4, "the key of today, " * 4
COOKIES = ({"name": "session", "value": "s3cret"},)


@pytest.fixture
def rotated(toulouse: MetadataSet) -> Iterator[Link]:
    """Secrets of all kinds that the former key has sealed, and a node that has another key now."""
    with override_settings(SECRET_KEY=OLD):
        link = Link(name="toulouse", base_url="http://toulouse.example.org/oai", remote_set="A", local_set=toulouse)
        link.user, link.proxy, link.proxy_user = "tokyo", "http://proxy.example.org:3128", "node"
        link.set_password("pass1")
        link.set_proxy_password("pass2")
        link.save()
        run = Run(link=link, state=Run.State.OPEN, begun=seams.now())
        run.sealed_cookies = run.seal_cookies(COOKIES)
        run.save()
        recipient = Recipient(name="duty")
        recipient.set_url("json://alerts.example.org/?token=s3cret", "JSON")
        recipient.save()
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[OLD]):
        yield link


def secrets_of(link: Link) -> list[object]:
    link.refresh_from_db()
    given = link.access_to_own_provider()
    return [given.password, given.proxy, Run.objects.get().cookies, Recipient.objects.get().read_url()]


def report(act: str) -> tuple[object, dict[str, Any]]:
    status, printed, _ = command("secrets", act, "--json")
    return status, json.loads(printed)


def warnings() -> list[str]:
    return [
        each.id
        for each in run_checks(tags=["database"], databases=["default"])
        if each.id in ("gisc.W004", "gisc.W005")
    ]


def test_what_the_former_key_sealed_is_opened_sealed_anew_and_then_needs_it_no_more(rotated: Link) -> None:
    before = secrets_of(rotated)
    assert before[0] == "pass1" and "pass2" in str(before[1]) and before[2] == COOKIES and "s3cret" in str(before[3])
    assert warnings() == ["gisc.W005"]
    assert report("status") == (0, {"present": 0, "former": 4, "unreadable": [], "former_keys": 1})
    assert report("reseal") == (0, {"resealed": 4, "present": 0, "unreadable": []})
    kept = Link.objects.get().sealed_password
    assert report("reseal") == (0, {"resealed": 0, "present": 4, "unreadable": []})
    assert Link.objects.get().sealed_password == kept, "the second time nothing is written"
    assert warnings() == []
    with override_settings(SECRET_KEY_FALLBACKS=[]):
        assert secrets_of(rotated) == before
        assert warnings() == []


def test_what_no_key_opens_is_named_and_stays_as_it_is(rotated: Link) -> None:
    sealed_before = rotated.sealed_password
    with override_settings(SECRET_KEY_FALLBACKS=[]):
        assert warnings() == ["gisc.W004"]
        names = ["duty: alert address", "toulouse: password", "toulouse: proxy password"]
        status, found = report("reseal")
        assert (status, sorted(found["unreadable"])) == (1, names), "a run goes on without cookies"
        assert report("status")[0] == 1
        _, text, _ = command("secrets", "reseal")
        assert "enter them again: toulouse: password" in text and "pass1" not in text
    assert Link.objects.get().sealed_password == sealed_before


def test_a_secret_that_changes_meanwhile_stays_as_it_was_written(
    rotated: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = access.reseal

    def slow(text: str, purpose: str) -> str:
        """While one is sealed anew, a person enters another password."""
        if purpose == "password":
            rotated.set_password("entered meanwhile")
            Link.objects.update(sealed_password=rotated.sealed_password)
        return original(text, purpose)

    monkeypatch.setattr(access, "reseal", slow)
    sealed_secrets.reseal()
    assert secrets_of(rotated)[0] == "entered meanwhile"


def test_each_column_with_sealed_secrets_is_sealed_anew() -> None:
    there = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.name.startswith("sealed_")
    }
    assert there == {(column.model, column.field) for column in sealed_secrets.COLUMNS}
    assert all(column.is_needed for column in sealed_secrets.COLUMNS if column.model is not Run)
    assert len({column.purpose for column in sealed_secrets.COLUMNS}) == len(there)


def test_lists_and_sessions_go_on_with_a_new_key(client: Client, admin_user: User) -> None:
    now = seams.now().replace(microsecond=0)
    token = Token("ListRecords", "iso19139", "", None, now, ListPosition(now - timedelta(days=1), 7), 100, 1000, now)
    with override_settings(SECRET_KEY=OLD):
        text = tokens.encode(token)
        assert client.post("/admin/login/", {"username": "admin", "password": "password"}).status_code == 302
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=["another", OLD]):
        assert tokens.decode(text, verb="ListRecords", profile="", at=now) == token
        assert client.get("/admin/harvester/link/").status_code == 200
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[]):
        assert client.get("/admin/harvester/link/").status_code == 200, "the session is of the new key since"
        with pytest.raises(Refused):
            tokens.decode(text, verb="ListRecords", profile="", at=now)


def test_a_backup_of_before_the_change_is_of_this_node() -> None:
    with override_settings(SECRET_KEY=OLD):
        check = backup.key_check()
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[OLD]):
        assert backup.has_key_of(check) and backup.key_check() != check
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[]):
        assert not backup.has_key_of(check)


# --- A node whose key is in its data directory -----------------------------------------------------------


@pytest.fixture
def own_key(settings: Any, tmp_path: Path, db: None) -> Path:
    settings.GISC_DATA_DIR, settings.GISC_OWN_SECRET_KEY = tmp_path, True
    embedded.secret_key(tmp_path)
    return tmp_path


def test_a_node_makes_a_new_key_and_keeps_those_of_before_until_they_are_forgotten(own_key: Path) -> None:
    first = embedded.secret_key(own_key)
    assert report("rotate") == (0, {"rotated": True, "former_keys": 1})
    second = embedded.secret_key(own_key)
    assert second != first and embedded.former_keys(own_key) == [first] and len(second) > 80
    assert report("rotate")[1]["former_keys"] == 2
    assert embedded.former_keys(own_key) == [second, first]
    modes = {file.name: os.stat(file).st_mode & 0o777 for file in own_key.glob("secret*")}
    assert modes == {"secret_key": 0o600, "secret_key_fallbacks": 0o600}
    assert list(own_key.glob(".secret_key-*")) == []
    assert report("forget") == (0, {"forgotten": 2})
    assert embedded.former_keys(own_key) == [] and embedded.secret_key(own_key) not in (first, second)


def test_a_key_that_is_needed_is_not_forgotten_and_none_is_changed_under_a_running_node(
    own_key: Path, rotated: Link
) -> None:
    embedded.rotate_key(own_key)
    with pytest.raises(
        CommandError, match="4 secrets in the database need a former key; run manage.py secrets reseal first"
    ):
        command("secrets", "forget")
    assert len(embedded.former_keys(own_key)) == 1
    key = embedded.secret_key(own_key)
    lock = file_locks.FileLock(own_key / running_nodes.LOCK)
    lock.acquire()
    try:
        with pytest.raises(CommandError, match="the node runs, with the present key; stop it"):
            command("secrets", "rotate")
    finally:
        lock.release()
    assert embedded.secret_key(own_key) == key


@pytest.mark.parametrize("act", ["rotate", "forget"])
def test_a_key_of_the_environment_is_changed_there(act: str, db: None, settings: Any) -> None:
    settings.GISC_OWN_SECRET_KEY = False
    with pytest.raises(CommandError, match="SECRET_KEY is set in the environment of the node"):
        command("secrets", act)


def test_a_change_that_is_cut_off_loses_no_key(own_key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, replace = embedded.secret_key(own_key), os.replace

    def cut_off(draft: str, file: Path) -> None:
        if file.name == "secret_key":
            raise OSError("no room")
        replace(draft, file)

    monkeypatch.setattr(os, "replace", cut_off)
    with pytest.raises(OSError, match="no room"):
        embedded.rotate_key(own_key)
    assert embedded.secret_key(own_key) == key and embedded.former_keys(own_key) == [key]
