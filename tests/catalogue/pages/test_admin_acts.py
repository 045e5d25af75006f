"""What a data manager does to records in the administration: said first, then done, and refused to everybody else."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalogue.admin import record_acts
from catalogue.models import MetadataSet, Record, RecordVersion
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.reading import record_history
from catalogue.writing import store
from gisc.audit.models import Act
from gisc.roles import Role
from tests.support.world import OUR_SPEC, TOULOUSE, iso_record, own_set, peer_set, put

pytestmark = pytest.mark.django_db
RECORDS = "/admin/catalogue/record/"


def someone(role: Role) -> Client:
    user = User.objects.create_user(role.name.lower(), is_staff=True)
    user.groups.add(Group.objects.get(name=role.value))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def manager() -> Client:
    return someone(Role.DATA_MANAGER)


@pytest.fixture
def shared() -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared 01", kind=MetadataSet.Kind.SHARED, fed_here=True)


@pytest.fixture
def records(shared: MetadataSet) -> dict[str, Record]:
    """Ours: a and b. By a link of a peer: c."""
    put(iso_record("urn:a", title="One"), iso_record("urn:b"))
    entry = store.prepare(iso_record("urn:c"), provenance=Provenance(link="toulouse"))
    store.put_entries([entry], into=peer_set(TOULOUSE), source="toulouse")
    return {record.key[-1]: record for record in Record.objects.all()}


def read(response) -> str:
    assert response.status_code == 200, (response.status_code, response.headers)
    return re.sub(r"\s+", " ", response.content.decode())


def chosen(records: dict[str, Record]) -> str:
    return ",".join(str(record.pk) for record in records.values())


def test_a_withdrawal_is_said_needs_a_reason_and_is_in_history_and_audit_log(
    manager: Client, records: dict[str, Record]
) -> None:
    form = {"action": "withdraw", "_selected_action": [str(r.pk) for r in records.values()]}
    page = read(manager.post(RECORDS, form))
    for words in (
        "Withdraw: 3 records?",
        "2 will be withdrawn",
        "1 stay as they are: not allowed here",
        "belongs to the set",
    ):
        assert words in page, words
    asked = {"chosen": chosen(records), "confirm": "1"}
    assert "Say why" in read(manager.post(f"{RECORDS}act/withdraw/", asked))
    assert not Record.objects.filter(deleted=True).exists()
    page = read(manager.post(f"{RECORDS}act/withdraw/", asked | {"reason": "obsolete since May"}, follow=True))
    assert "2 records were withdrawn; 1 stay as they were. Reason: obsolete since May" in page
    assert set(Record.objects.filter(deleted=True).values_list("key", flat=True)) == {"urn:a", "urn:b"}
    assert set(RecordVersion.objects.values_list("who", "act", "reason")) == {
        ("data_manager", "withdraw", "obsolete since May")
    }
    line = Act.objects.get(answer__contains="withdrawn")
    assert line.who == "data_manager" and "obsolete since May" in line.answer and len(line.changes) == 2
    history = read(manager.get(f"{RECORDS}{records['a'].pk}/history/"))
    assert "Withdrawn" in history and "obsolete since May" in history and "data_manager, at this node" in history


def test_a_move_asks_for_a_set_and_says_what_each_set_refuses(
    manager: Client, records: dict[str, Record], shared: MetadataSet, settings
) -> None:
    address = f"{RECORDS}act/move/"
    assert "Choose a set, then look again" in read(manager.get(address, {"chosen": chosen(records)}))
    asked = {"chosen": chosen(records), "into": str(shared.pk)}
    page = read(manager.post(address, asked | {"look": "1"}))
    assert "2 will be moved" in page and "came by the link toulouse" in page
    manager.post(address, asked | {"confirm": "1", "reason": "joint"})
    assert {r.key: r.owner.spec for r in Record.objects.select_related("owner")} == {
        "urn:a": "shared01",
        "urn:b": "shared01",
        "urn:c": TOULOUSE.spec,
    }
    assert "Nothing would change" in read(manager.post(address, asked))
    peers = peer_set(TOULOUSE)
    manager.post(address, {"chosen": chosen(records), "into": str(peers.pk), "confirm": "1"})
    assert Record.objects.get(key="urn:a").owner == shared, "a peer's set is not offered, nor taken"


def test_a_record_is_replaced_after_a_look_at_the_difference(manager: Client, records: dict[str, Record]) -> None:
    address = f"{RECORDS}{records['a'].pk}/replace/"
    assert "Choose a file first" in read(manager.post(address, {"look": "1"}))
    wrong = SimpleUploadedFile("b.xml", iso_record("urn:b"))
    assert "whose identifier stays" in read(manager.post(address, {"file": wrong}))
    page = read(manager.post(address, {"file": SimpleUploadedFile("a.xml", iso_record("urn:a", title="Two"))}))
    assert "line differs" in page and "Checks of the new content" in page
    document, seen = (re.search(f'name="{name}" value="([^"]+)"', page) for name in ("document", "seen"))
    assert document and seen
    form = {"document": document[1], "seen": seen[1], "confirm": "1", "reason": "typing error"}
    put(iso_record("urn:a", title="Meanwhile"))
    assert "look again" in read(manager.post(address, form))
    put(iso_record("urn:a", title="One"))
    assert manager.post(address, form).status_code == 302
    record = Record.objects.get(key="urn:a")
    assert b"Two" in payload.unpack(record.payload)
    newest = record_history.states(record)[0]
    assert (newest.act, newest.who, newest.reason) == ("replace", "data_manager", "typing error")
    assert "has this content already" in read(
        manager.post(address, {"file": SimpleUploadedFile("a", iso_record("urn:a", title="Two"))})
    )


def test_a_former_version_is_compared_and_restored_also_of_a_deleted_record(
    manager: Client, records: dict[str, Record]
) -> None:
    record = records["a"]
    put(iso_record("urn:a", title="Two"))
    store.withdraw(["urn:a"])
    history = f"{RECORDS}{record.pk}/history/"
    page = read(manager.get(history, {"from": "1", "to": "2"}))
    assert "line differs" in page and "Restore version 1" in page and "Restore version 3" not in page
    address = f"{RECORDS}{record.pk}/restore/1/"
    page = read(manager.get(address))
    assert "It comes back with this content" in page and "is brought back" in page
    assert manager.post(address, {"confirm": "1", "reason": "still measured"}).status_code == 302
    restored = Record.objects.get(key="urn:a")
    assert not restored.deleted and b"One" in payload.unpack(restored.payload)
    assert "has this content already" in read(manager.get(f"{RECORDS}{record.pk}/restore/4/"))
    assert manager.get(f"{RECORDS}{record.pk}/restore/77/").status_code == 302


def test_the_page_of_a_record_says_what_can_be_done_and_why_not(manager: Client, records: dict[str, Record]) -> None:
    ours, theirs = (read(manager.get(f"{RECORDS}{records[name].pk}/change/")) for name in "ac")
    assert f"act/withdraw/?chosen={records['a'].pk}" in ours and "Source: put in here." in ours
    assert "whose provider decides about its content" in theirs and "Ask its centre" in theirs
    assert "act/withdraw" not in theirs and f"{records['c'].pk}/replace/" not in theirs
    assert "This record cannot be changed here" in read(manager.get(f"{RECORDS}{records['c'].pk}/replace/"))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_others_look_and_change_nothing(role: Role, records: dict[str, Record]) -> None:
    client, pk = someone(role), records["a"].pk
    assert "act/withdraw" not in read(client.get(f"{RECORDS}{pk}/change/"))
    assert "Restore" not in read(client.get(f"{RECORDS}{pk}/history/"))
    client.post(RECORDS, {"action": "withdraw", "_selected_action": [str(pk)]})
    form = {"chosen": str(pk), "confirm": "1", "reason": "x"}
    for path in ("act/withdraw/", "act/move/", f"{pk}/replace/", f"{pk}/restore/1/"):
        assert client.post(f"{RECORDS}{path}", form).status_code == 403, path
    assert not RecordVersion.objects.exists()


def test_all_that_match_are_taken_up_to_a_bound(manager: Client) -> None:
    put(*(iso_record(f"urn:{n:03}") for n in range(60)))
    form = {"action": "withdraw", "_selected_action": ["0"], "select_across": "1"}
    assert "Withdraw: 60 records?" in read(manager.post(RECORDS, form))
    with record_acts.LIMITS.replaced(most=59):
        assert "More than 59 records match" in read(manager.post(RECORDS, form, follow=True))
    some = ",".join(map(str, Record.objects.values_list("pk", flat=True)))
    page = read(manager.post(f"{RECORDS}act/withdraw/", {"chosen": some, "confirm": "1", "reason": "x"}, follow=True))
    assert "60 records were withdrawn" in page and own_set().spec == OUR_SPEC
    for odd in ("", "x", "1,x,99999999999999999999", "-1"):
        assert manager.post(f"{RECORDS}act/withdraw/", {"chosen": odd, "confirm": "1", "reason": "x"}).status_code in (
            200,
            302,
        )
