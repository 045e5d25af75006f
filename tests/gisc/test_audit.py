"""The audit log: what people did, with the values before and after, from where; and never a secret, nor a worker's writing."""

import argparse
import getpass
import json

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import get_commands, load_command_class
from django.db import connection
from django.db.models.signals import pre_delete, pre_save
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalogue import seams
from catalogue.models import MetadataSet
from gisc import roles, upkeep
from gisc.audit import collecting
from gisc.audit.commands import audited, hide_secrets, is_act
from gisc.audit.models import Act
from harvester.models import Conflict, Link, Run
from oaiprovider.models import Profile
from tests.support.link_admin import LINKS, form, unchanged
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db
FAR = "192.0.2.7"


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    made = Link(
        name="toulouse", base_url=TOULOUSE.base_url, prefix="iso19139", remote_set=TOULOUSE.spec, local_set=toulouse
    )
    made.set_password("s3cret")
    made.save()
    return made


def only() -> Act:
    return Act.objects.get()


def fields(act: Act) -> dict[str, list[str]]:
    return {name: pair for change in act.changes for name, pair in change["fields"].items()}


# --- The administration --------------------------------------------------------------------------------


def test_a_changed_link_has_its_values_before_and_after(admin_client: Client, link: Link) -> None:
    data = unchanged(link, name="renamed")
    assert admin_client.post(f"{LINKS}{link.pk}/change/", data, REMOTE_ADDR=FAR).status_code == 302
    act = only()
    assert (act.who, act.source, act.address, act.act) == ("admin", "administration", FAR, "changed")
    assert (act.model, act.object_id, act.object_name) == ("harvester.link", str(link.pk), "toulouse")
    assert fields(act)["name"] == ["toulouse", "renamed"]
    assert "interval_s" not in fields(act) or fields(act)["interval_s"][0] != fields(act)["interval_s"][1]


def test_a_new_password_of_a_link_is_told_and_not_written_down(admin_client: Client, link: Link) -> None:
    before = Link.objects.get().sealed_password
    admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link, user="tokyo", password="an0ther"))
    assert fields(only())["sealed_password"] == ["(secret)", "(another secret)"]
    written = json.dumps(only().changes) + only().answer
    assert "an0ther" not in written and "s3cret" not in written and str(before) not in written


def test_a_link_that_is_added_and_deleted(admin_client: Client, toulouse: MetadataSet) -> None:
    response = admin_client.post(f"{LINKS}add/plain/", form())
    assert response.status_code == 302, response.context["errors"]
    added = only()
    assert (added.act, added.changes[0]["what"], added.changes[0]["name"]) == ("added", "added", "toulouse")
    pk = Link.objects.get().pk
    admin_client.post(f"{LINKS}{pk}/delete/", {"post": "yes"})
    deleted = Act.objects.first()
    assert (deleted.act, deleted.changes[0]["what"], deleted.object_id) == ("deleted", "deleted", str(pk))


def test_what_changes_no_row_of_its_own_is_there_with_the_words_of_the_node(admin_client: Client, link: Link) -> None:
    admin_client.post(LINKS, {"action": "switch_back", "_selected_action": [str(link.pk)]})
    act = only()
    assert act.act == "Turn back to the link's own provider" and act.object_name == "toulouse"
    assert act.answer == "toulouse is served by its own provider already."


def test_a_settled_conflict_and_a_cancelled_run(admin_client: Client, link: Link) -> None:
    now = seams.now()
    conflict = Conflict.objects.create(
        link=link, identifier="urn:0", key="urn:0", kind=Conflict.Kind.DIFFERS, first_seen=now, last_seen=now
    )
    admin_client.post(
        "/admin/harvester/conflict/", {"action": "leave", "confirmed": "1", "_selected_action": [str(conflict.pk)]}
    )
    settled = fields(only())["settled"]
    assert settled[0] == "" and settled[1].startswith(f"{now:%Y}")
    run = Run.objects.create(link=link, state=Run.State.OPEN, begun=now)
    admin_client.post(f"{LINKS}{link.pk}/run/", {"cancel": "1"})
    assert Act.objects.first().act == "run: cancel"
    assert "cancelled" in Act.objects.first().answer
    admin_client.post("/admin/harvester/run/", {"action": "cancel", "_selected_action": [str(run.pk)]})
    assert Act.objects.first().answer.endswith("there is nothing to cancel.")


def test_relations_and_accounts(admin_client: Client, toulouse: MetadataSet) -> None:
    user = User.objects.create_user("yuki", password="before the change")
    viewer, operator = (Group.objects.get(name=name) for name in ("viewer", "operator"))
    user.groups.add(viewer)
    data = {"username": "yuki", "is_active": "on", "groups": [operator.pk]}
    data |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    assert admin_client.post(f"/admin/auth/user/{user.pk}/change/", data).status_code == 302
    assert fields(only())["groups"] == ["viewer", "operator"]
    secret = "a phrase that nobody guesses"
    page = f"/admin/auth/user/{user.pk}/password/"
    admin_client.post(page, {"password1": secret, "password2": secret, "usable_password": "true"})
    act = Act.objects.first()
    assert act.act == "password changed" and act.object_name == "yuki"
    assert fields(act) == {"password": ["(secret)", "(another secret)"]}
    user.refresh_from_db()
    assert user.password not in json.dumps(act.changes)


def test_looking_failing_and_signing_in_are_no_acts(admin_client: Client, link: Link) -> None:
    admin_client.get(LINKS)
    admin_client.get(f"{LINKS}{link.pk}/change/")
    assert admin_client.post(f"{LINKS}{link.pk}/change/", form(name="")).status_code == 200
    admin_client.post("/admin/harvester/reject/", {"action": "download", "_selected_action": ["1"]})
    Client().post("/admin/login/", {"username": "admin", "password": "password"})
    Client().post(f"{LINKS}{link.pk}/run/", {"run": "1"})
    assert not Act.objects.filter(model="harvester.link").exists()


def test_the_page_is_read_only_and_shows_before_and_after(admin_client: Client, link: Link) -> None:
    admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link, name="renamed"))
    act = only()
    page = admin_client.get("/admin/audit/act/").content.decode()
    assert "toulouse" in page and "Audit log" in page
    detail = admin_client.get(f"/admin/audit/act/{act.pk}/change/").content.decode()
    assert "renamed" in detail and "before" in detail
    for kind in ("change", "delete"):
        assert admin_client.post(f"/admin/audit/act/{act.pk}/{kind}/", {"post": "yes"}).status_code == 403
    assert admin_client.get("/admin/audit/act/add/").status_code == 403


# --- Secrets -------------------------------------------------------------------------------------------


def test_no_field_of_an_edited_table_that_is_sealed_or_hashed_is_written_down(toulouse: MetadataSet) -> None:
    from django.apps import apps

    sealed = [
        f"{label} {field.name}"
        for label in roles.edited_tables()
        for field in apps.get_model(label)._meta.concrete_fields
        if field.name.startswith("sealed") or "password" in field.name
    ]
    assert "harvester.link sealed_password" in sealed and "auth.user password" in sealed
    assert all(collecting.is_secret(name.rpartition(" ")[2]) for name in sealed)


# --- Workers -------------------------------------------------------------------------------------------


def test_what_a_worker_writes_costs_no_query_and_no_line(link: Link) -> None:
    link.refresh_from_db()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        link.save(update_fields=["next_due"])
    assert len([query for query in asked if "SELECT" in query["sql"]]) == 0
    assert not Act.objects.exists()


# --- The command line ----------------------------------------------------------------------------------


def test_a_command_is_written_down_with_what_it_changed(toulouse: MetadataSet) -> None:
    with audited(["manage.py", "link", "add", "x"]):
        Link.objects.create(
            name="x", base_url="https://a.example/oai", prefix="iso19139", remote_set="", local_set=toulouse
        )
    act = only()
    assert (act.source, act.act, act.answer) == ("command line", "manage.py link add x", "done")
    assert act.who.startswith(getpass.getuser())
    assert act.changes[0]["what"] == "added" and act.object_name == str(Link.objects.get())


def test_a_command_that_fails_is_written_down_too() -> None:
    with pytest.raises(SystemExit), audited(["manage.py", "withdraw", "urn:0"]):
        raise SystemExit(1)
    assert only().answer == "ended with SystemExit"


def test_a_start_that_finds_its_administrator_is_no_act() -> None:
    with audited(["manage.py", "administrator"]):
        pass
    assert not Act.objects.exists()
    with audited(["manage.py", "administrator"]):
        User.objects.create_superuser("admin", password="x")
    assert only().changes[0]["what"] == "added" and only().object_name == "admin"


def test_commands_that_read_are_no_acts() -> None:
    assert is_act(["manage.py", "ingest", "a.xml"]) and is_act(["manage.py", "journal", "replay", "f"])
    for words in (("link", "list"), ("link", "show", "x"), ("catalogue", "stats"), ("migrate",), ("node",), ()):
        assert not is_act(["manage.py", *words]), words


def test_no_secret_of_a_command_is_written_down() -> None:
    words = [
        "link",
        "access",
        "x",
        "--password",
        "s3cret",
        "--proxy-password=s3cret",
        "http://u:s3cret@a.example/",
        "y",
    ]
    assert "s3cret" not in " ".join(hide_secrets(words))
    assert hide_secrets(["withdraw", "urn:a@b"]) == ["withdraw", "urn:a@b"]


# --- For how long --------------------------------------------------------------------------------------


def test_old_lines_go_with_the_tick(settings: object) -> None:
    from datetime import timedelta

    settings.GISC_AUDIT_RETENTION_DAYS = 30
    for days in (31, 29):
        Act.objects.create(at=seams.now() - timedelta(days=days), who=str(days), act="x")
    upkeep.clean_up()
    assert [act.who for act in Act.objects.all()] == ["29"]


def test_a_profile_tells_its_sets(admin_client: Client, toulouse: MetadataSet) -> None:
    profile = Profile.objects.create(name="driver", match="driver", everything=True)
    with collecting.collecting() as collected:
        profile.sets.add(toulouse)
        profile.everything = False
        profile.save()
    (change,) = collected.changes()
    assert change["fields"] == {"everything": ["True", "False"], "sets": ["", str(toulouse)]}


READING = {"list", "show", "check", "export", "status", "stats"}  # what these subcommands do changes nothing


@pytest.mark.parametrize("command", ["link", "centres", "set"])
def test_each_subcommand_that_changes_something_leaves_a_line(command: str) -> None:
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    (actions,) = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    unwritten = {name for name in actions.choices if not is_act(["manage.py", command, name])}
    assert unwritten <= READING


def test_nobody_listens_to_the_tables_while_no_act_is_in_progress(link: Link) -> None:
    """A listener would let Django read each row that a worker deletes."""
    assert not pre_delete.has_listeners(Link) and not pre_save.has_listeners(Link)
    with collecting.collecting(), collecting.collecting() as inner:
        assert pre_delete.has_listeners(Link)
        link.save()
    assert inner.before and not pre_delete.has_listeners(Link)


def test_what_the_node_counts_meanwhile_is_no_change_of_the_act(link: Link) -> None:
    with collecting.collecting() as collected:
        collected.touch(Link, link.pk)
        Link.objects.update(live_there=7, counted_there=seams.now())
        assert collected.changes() == []
        Link.objects.update(interval_s=7200)
        assert [list(change["fields"]) for change in collected.changes()] == [["interval_s"]]
