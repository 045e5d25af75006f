"""What a person does about conflicts: one or a thousand, by the administration or the command line, and how it is undone."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalogue import seams
from catalogue.models import MetadataSet, Record
from catalogue.writing import store
from harvester.links import conflict_acts
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link, RemoteHeader
from tests.support.many_commands import of_this_test
from tests.support.nodes import environment
from tests.support.paths import ROOT
from tests.support.provider import Provider, identifier
from tests.support.runs import harvest
from tests.support.waiting import until
from tests.support.world import OFFENBACH, TOULOUSE, iso_record, own_set, peer_set, put

CONFLICTS = "/admin/harvester/conflict/"
STAMP, LATER = "2026-02-01T00:00:00Z", "2026-02-10T00:00:00Z"
Kind = Conflict.Kind


@pytest.fixture
def misplaced(link: Link, provider: Provider) -> Conflict:
    put(iso_record(identifier(0), title="Ours", metadata_date="2026-01-10"), into=own_set())
    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="Theirs", metadata_date="2026-01-11"))
    again(link)
    return Conflict.objects.get()


def again(link: Link) -> None:
    link.refresh_from_db()
    harvest(link, full=True)


def titles() -> dict[str, str]:
    return dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))


def vanish(link: Link, into: MetadataSet, numbers: range) -> list[Conflict]:
    """Records of the link that its provider does not know any more, with a conflict each."""
    documents = [store.prepare(iso_record(identifier(number), title=f"Number {number}")) for number in numbers]
    store.put_entries(documents, into=into, source=link.name)
    now = seams.now()
    RemoteHeader.objects.bulk_create(
        RemoteHeader(link=link, key=entry.key, identifier=entry.key, state="vanished") for entry in documents
    )
    return Conflict.objects.bulk_create(
        Conflict(
            link=link,
            key=entry.key,
            identifier=entry.key,
            kind=Kind.VANISHED,
            reason="vanished",
            first_seen=now,
            last_seen=now,
        )
        for entry in documents
    )


# --- Which act fits what ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "reason", "has_version", "acts"),
    [
        ("misplaced", "belongs-to-other-set", True, "leave silence hand_over"),
        ("differs", "differs", True, "leave silence"),
        ("differs", "old-spelling", True, "leave silence"),
        ("disputed", "live-elsewhere", False, "leave"),
        ("disputed", "co-owner-deleted-live-here", False, "leave withdraw"),
        ("vanished", "vanished", False, "leave withdraw"),
        ("renamed", "renamed", False, "leave withdraw"),
        ("mass", "mass-deletion", False, "leave withdraw"),
        ("taken", "two-names", True, "leave silence"),
        ("offered", "co-owner-newer", True, "leave take_over"),
        ("offered", "co-owner-deleted", False, "leave take_over"),
    ],
)
def test_only_the_acts_that_fit_a_conflict_are_offered(
    link: Link, admin_client: Client, kind: str, reason: str, has_version: bool, acts: str
) -> None:
    now = seams.now()
    row = Conflict.objects.create(
        link=link, key="urn:0", identifier="urn:0", kind=kind, reason=reason, first_seen=now, last_seen=now,
        digest=b"x" if has_version else None,
        reason_data={"text": "", "owner": "A", "set": "B", "act": "change", "spelling": "", "stored": "", "header": "",
                     "record": "", "identifier": "", "deleted": 1, "listed": 2, "percent": 33},
    )  # fmt: skip
    assert [act.value for act in conflict_acts.acts_of(row)] == acts.split()
    assert set(conflict_acts.acts_of(row)) <= set(conflict_acts.acts_of_kind(kind))
    page = admin_client.get(f"{CONFLICTS}{row.pk}/change/").content.decode()
    found = [act.value for act in Act if f'name="action" value="{act.value}"' in page]
    assert found == acts.split()
    assert ("is not stored here" in page) is has_version, "only its digest is known"
    listed = admin_client.get(f"{CONFLICTS}?kind__exact={kind}").context["action_form"]
    assert {each for each, _ in listed.fields["action"].choices} - {""} <= {
        a.value for a in conflict_acts.acts_of_kind(kind)
    }


# --- Undoing ----------------------------------------------------------------------------------------


def test_a_handed_over_record_comes_back_until_the_providers_version_has_replaced_it(
    misplaced: Conflict, link: Link
) -> None:
    conflict_acts.settle(Act.HAND_OVER, [misplaced.pk], by="anna")
    assert Record.objects.get().owner.spec == TOULOUSE.spec
    assert conflict_acts.undo([misplaced.pk]).done == [misplaced]
    assert (Record.objects.get().owner, titles()) == (own_set(), {identifier(0): "Ours"})
    misplaced.refresh_from_db()
    assert (misplaced.settled, misplaced.settlement) == (None, "")

    conflict_acts.settle(Act.HAND_OVER, [misplaced.pk], by="anna")
    again(link)
    assert titles() == {identifier(0): "Theirs"}
    ((_, reason),) = conflict_acts.undo([misplaced.pk]).refused
    assert "came by the link" in str(reason) or "toulouse" in str(reason)
    assert titles() == {identifier(0): "Theirs"}


def test_what_was_deleted_comes_back_with_its_version_unless_it_has_changed_since(
    link: Link, toulouse: MetadataSet
) -> None:
    one, other = vanish(link, toulouse, range(2))
    pks = [one.pk, other.pk]
    before = titles()
    assert len(conflict_acts.settle(Act.WITHDRAW, pks, by="anna").done) == 2
    assert titles() == {}
    assert Conflict.objects.get(pk=one.pk).settlement_text == "Deleted by anna."
    store.put_entries([store.prepare(iso_record(identifier(1), title="Back again"))], into=toulouse, source=link.name)

    outcome = conflict_acts.undo(pks)

    assert outcome.done == [one]
    assert [(each, str(reason)) for each, reason in outcome.refused] == [
        (other, "the record has changed since; look at it on its own page")
    ]
    assert titles() == {identifier(0): before[identifier(0)], identifier(1): "Back again"}
    assert RemoteHeader.objects.get(key=one.key).deleted is False
    assert not Conflict.objects.get(pk=one.pk).ours


def test_what_a_person_did_not_settle_is_not_undone(misplaced: Conflict) -> None:
    Conflict.objects.update(settled=seams.now(), settlement="agreed")
    ((_, reason),) = conflict_acts.undo([misplaced.pk]).refused
    assert reason.code == "not-settled-by-act"
    assert conflict_acts.settle(Act.LEAVE, [misplaced.pk, 999_999], by="anna").unknown == 2


def test_what_is_silenced_stays_so_whatever_version_comes_but_a_deletion_is_news(
    link: Link, provider: Provider
) -> None:
    put(iso_record(identifier(0), title="By Offenbach"), into=peer_set(OFFENBACH))
    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="By Toulouse"))
    again(link)
    conflict = Conflict.objects.get()
    conflict_acts.settle(Act.SILENCE, [conflict.pk], by="anna")
    provider.entries[identifier(0)] = (LATER, iso_record(identifier(0), title="By Toulouse, changed"))
    again(link)
    conflict.refresh_from_db()
    assert (conflict.settlement, "changed" in bytes(conflict.raw or b"").decode()) == ("silenced", True)

    provider.entries[identifier(0)] = ("2026-02-11T00:00:00Z", None)
    again(link)
    conflict.refresh_from_db()
    assert (conflict.kind, conflict.settled) == ("mass", None)


# --- Asking the provider ------------------------------------------------------------------------------


def test_the_provider_is_asked_now_and_its_version_is_shown(
    misplaced: Conflict, provider: Provider, admin_client: Client
) -> None:
    Conflict.objects.update(raw=None)  # as if only its header had come
    page = f"{CONFLICTS}{misplaced.pk}/change/"
    assert "is not stored here" in admin_client.get(page).content.decode()

    def ask() -> str:
        return admin_client.post(f"{CONFLICTS}{misplaced.pk}/ask/", follow=True).content.decode()

    answer = ask()
    assert "the same version as before" in answer and "<mark>Theirs</mark>" in answer
    provider.entries[identifier(0)] = (LATER, iso_record(identifier(0), title="Third"))
    assert "another version by now" in ask()
    provider.entries[identifier(0)] = (LATER, None)
    assert "deleted, since 2026-02-10" in ask()
    del provider.entries[identifier(0)]
    assert "does not know the record" in ask()
    Link.objects.update(base_url="http://127.0.0.1:9/oai")
    assert "could not be asked" in ask()
    misplaced.refresh_from_db()
    assert misplaced.settled is None and titles() == {identifier(0): "Ours"}


def test_asking_leaves_a_settled_conflict_to_come_up_again_when_the_copy_changes(
    misplaced: Conflict, link: Link, provider: Provider, admin_client: Client
) -> None:
    conflict_acts.settle(Act.LEAVE, [misplaced.pk], by="anna")
    provider.entries[identifier(0)] = (LATER, iso_record(identifier(0), title="Third"))
    said = admin_client.post(f"{CONFLICTS}{misplaced.pk}/ask/", follow=True).content.decode()
    assert "another version by now, which the next run brings" in said
    again(link)
    misplaced.refresh_from_db()
    assert misplaced.settled is None


# --- Many at once ---------------------------------------------------------------------------------------


def test_a_thousand_are_settled_and_undone_without_a_query_for_each(link: Link, toulouse: MetadataSet) -> None:
    pks = [row.pk for row in vanish(link, toulouse, range(1000))]
    batches = 1000 // conflict_acts.BATCH
    with CaptureQueriesContext(connection) as queries:
        outcome = conflict_acts.settle(Act.WITHDRAW, pks, by="anna")
    assert len(outcome.done) == Record.objects.filter(deleted=True).count() == 1000
    assert len(queries) < 60 * batches
    with CaptureQueriesContext(connection) as queries:
        assert len(conflict_acts.undo(pks).done) == 1000
    assert len(queries) < 60 * batches
    assert not Record.objects.filter(deleted=True).exists()


def test_a_list_is_asked_about_with_counts_and_done_when_it_is_confirmed(
    link: Link, toulouse: MetadataSet, misplaced: Conflict, client: Client
) -> None:
    manager = User.objects.create_user("mina", is_staff=True)
    manager.groups.add(Group.objects.get(name="data manager"))
    client.force_login(manager)
    rows = vanish(link, toulouse, range(10, 70))
    Conflict.objects.filter(pk=rows[0].pk).update(first_seen=seams.now() - timedelta(days=8))
    across = {"action": "withdraw", "select_across": "1", "_selected_action": [rows[0].pk]}
    asked = " ".join(client.post(CONFLICTS, across).content.decode().split())
    assert "Delete the record here, too: 60 conflicts?" in asked
    assert f"60 records are deleted here, too, and harvesters of {TOULOUSE.spec} are told so." in asked
    assert "1 of those chosen: not done, because only a record that its provider no longer has" in asked
    assert "and 40 more" in asked
    assert Record.objects.filter(deleted=True).count() == 0

    old = {**across, "confirmed": "1", "number": "60"}
    assert "The number of conflicts is 61 by now" in client.post(CONFLICTS, old).content.decode()
    assert Record.objects.filter(deleted=True).count() == 0

    said = client.post(CONFLICTS, {**old, "number": "61"}, follow=True).content.decode()
    assert "60 deleted here." in said and "not done, because only a record" in said
    assert Record.objects.filter(deleted=True).count() == 60
    log = client.get(f"{CONFLICTS}?state=settled").content.decode()
    assert log.count("Deleted by mina.") == 50, "a page of the log"

    def found(query: str) -> int:
        return int(client.get(f"{CONFLICTS}?{query}").context["cl"].result_count)

    assert (found("state=settled&older=7"), found("state=settled&older=30")) == (1, 0)
    assert (found(""), found("state=all"), found("older=x")) == (1, 61, 1)
    assert found(f"state=all&link__local_set__id__exact={toulouse.pk}") == 61

    undone = {
        "action": "undo",
        "confirmed": "1",
        "select_across": "1",
        "number": "60",
        "_selected_action": [rows[0].pk],
    }
    assert "60 wait again." in client.post(f"{CONFLICTS}?state=settled", undone, follow=True).content.decode()
    assert not Record.objects.filter(deleted=True).exists()


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_a_viewer_settles_nothing_and_an_operator_may(misplaced: Conflict, client: Client, role: str) -> None:
    person = User.objects.create_user("pat", is_staff=True)
    person.groups.add(Group.objects.get(name=role))
    client.force_login(person)
    page = client.get(f"{CONFLICTS}{misplaced.pk}/change/").content.decode()
    assert ("Keep ours" in page) is (role == "operator")
    assert "Ours" in page
    assert client.post(f"{CONFLICTS}{misplaced.pk}/ask/").status_code == (302 if role == "operator" else 403)
    form = {"action": "leave", "confirmed": "1", "_selected_action": [misplaced.pk]}
    client.post(CONFLICTS, form)
    misplaced.refresh_from_db()
    assert (misplaced.settled is None) is (role == "viewer")


# --- The command line -----------------------------------------------------------------------------------


def test_the_command_line_has_the_same_acts(
    misplaced: Conflict, link: Link, capsys: pytest.CaptureFixture[str], admin_client: Client
) -> None:
    def say(*words: str) -> str:
        call_command("conflict", *words)
        return capsys.readouterr().out

    assert identifier(0) in say("list") and "misplaced" in say("list", "--link", link.name)
    (facts,) = json.loads(say("list", "--json"))
    assert (facts["id"], facts["kind"], facts["settled"]) == (misplaced.pk, "misplaced", None)
    shown = say("show", str(misplaced.pk))
    assert "They differ in: dateStamp; identificationInfo / citation / title" in shown
    assert f"verb=GetRecord&metadataPrefix={link.prefix}&identifier={identifier(0)}" in shown
    assert f"/harvest/report/{link.report_key}/" in shown
    assert f"conflict hand-over {misplaced.pk} --yes" in shown and "conflict delete" not in shown
    assert json.loads(say("show", str(misplaced.pk), "--json"))["acts"] == ["keep", "silence", "hand-over"]
    assert "the same version" in say("ask", str(misplaced.pk))

    assert "1 conflict. The record moves from our own set" in say("hand-over", "--kind", "misplaced")
    misplaced.refresh_from_db()
    assert misplaced.settled is None
    with pytest.raises(SystemExit):
        say("delete", str(misplaced.pk), "--yes")
    assert "only a record that its provider no longer has" in capsys.readouterr().out
    assert "1 done." in say("keep", str(misplaced.pk), "--yes")
    assert "Left as it is by" in say("list", "--settled")
    assert "Nothing was done" in say("undo", "--link", link.name)
    assert "1 done." in say("undo", str(misplaced.pk), "--yes")
    misplaced.refresh_from_db()
    assert misplaced.settled is None


@pytest.mark.django_db(transaction=True)
def test_what_is_killed_in_the_middle_leaves_each_conflict_settled_or_open(toulouse: MetadataSet, link: Link) -> None:
    rows = vanish(link, toulouse, range(4 * conflict_acts.BATCH))
    command = [sys.executable, str(ROOT / "manage.py"), "conflict", "delete", "--link", link.name, "--yes"]
    with subprocess.Popen(
        command, env=environment(**of_this_test()), stdout=subprocess.DEVNULL, process_group=0
    ) as process:
        until(lambda: Conflict.objects.filter(settled__isnull=False).exists(), 60, "the first batch is settled")
        os.kill(process.pid, signal.SIGKILL)
    settled = set(Conflict.objects.filter(settled__isnull=False).values_list("key", flat=True))
    assert len(settled) > 0 and len(settled) % conflict_acts.BATCH == 0
    assert settled == set(Record.objects.filter(deleted=True).values_list("key", flat=True))
    call_command("conflict", "delete", "--link", link.name, "--yes")
    assert Record.objects.filter(deleted=True).count() == len(rows)
    assert conflict_acts.undo([row.pk for row in rows]).refused == []
