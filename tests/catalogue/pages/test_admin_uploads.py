"""The pages of uploads: who may send, what is refused and why, what is asked before it is done, and what is told."""

import csv
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalogue.bulk import upload
from catalogue.models import MetadataSet, Record, Upload
from gisc.audit.models import Act
from gisc.roles import Role
from harvester.link_rules import Kind
from harvester.models import Link
from tests.support import world

pytestmark = pytest.mark.django_db
ADD, LIST = "/admin/catalogue/upload/add/", "/admin/catalogue/upload/"


@pytest.fixture(autouse=True)
def upload_dir(settings, tmp_path: Path) -> Path:
    settings.GISC_UPLOAD_DIR = tmp_path / "uploads"
    return settings.GISC_UPLOAD_DIR


def signed_in(role: Role) -> Client:
    user = User.objects.create_user(role.name.lower(), is_staff=True)
    user.groups.add(Group.objects.get(name=role.value))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def manager(toulouse: MetadataSet) -> Client:
    world.put(world.iso_record("urn:same"), world.iso_record("urn:changed"), world.iso_record("urn:gone"))
    world.bury("urn:gone")
    return signed_in(Role.DATA_MANAGER)


def files(*contents: bytes) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(f"{number}.xml", content) for number, content in enumerate(contents)]


def text(response) -> str:
    return " ".join(response.content.decode().split())


def send(client: Client, *contents: bytes, **fields: str):
    return client.post(ADD, {"set": world.OUR_SPEC, **fields, "files": files(*contents)}, follow=True)


def work() -> None:
    while upload.work(processes=1):
        pass


def test_a_data_manager_sends_looks_is_asked_and_stores(manager: Client, upload_dir: Path) -> None:
    page = send(
        manager,
        *(world.iso_record(f"urn:{name}", title="New words") for name in ("same", "changed", "gone")),
        world.iso_record("urn:new"),
        b"<a/>",
    )
    (made,) = Upload.objects.all()
    path = f"{LIST}{made.pk}/"
    assert "Nothing is stored before you say so." in text(page) and 'http-equiv="refresh"' in text(page)
    progress = manager.get(f"{path}progress/").json()
    assert progress["is_under_way"] and progress["text"] == "0 documents checked"
    assert [each.name for each in upload_dir.iterdir()] == [str(made.folder)], "nothing is left beside the folder"
    work()

    page = text(manager.get(f"{path}change/"))
    assert "Nothing is stored yet. This would change: 1 new, 2 changed, 1 brought back, 1 rejected." in page
    assert 'http-equiv="refresh"' not in page
    page = text(manager.get(f"{path}change/?show=rejected"))
    assert "is not an ISO 19139 record" in page and "urn:new" not in page
    answer = manager.post(f"{path}act/", {"store": "1", "group": ["new", "updated", "brought_back"]})
    assert "Store 4 documents?" in text(answer) and "are deleted records: they come back" in text(answer)
    assert not Record.objects.filter(identifier="urn:new").exists(), "it has only been asked"

    number = made.contents.get(identifier="urn:new").number
    chosen = {"store_chosen": "1", "number": [str(number), "x", "999"]}
    assert "Store 1 document?" in text(manager.post(f"{path}act/", chosen))
    assert "1 document is being stored" in text(manager.post(f"{path}act/", {**chosen, "sure": "1"}, follow=True))
    again = manager.post(f"{path}act/", {"store": "1", "group": "updated", "sure": "1"}, follow=True)
    assert "somebody else has begun to store" in text(again)
    work()
    page = text(manager.post(f"{path}act/", {"store": "1", "group": "updated", "sure": "1"}, follow=True))
    work()
    assert set(Record.objects.filter(deleted=False).values_list("identifier", flat=True)) == {
        *("urn:same", "urn:changed", "urn:new")
    }
    page = text(manager.post(f"{path}act/", {"close": "1"}, follow=True))
    assert "The upload is closed" in page and "3 of 5 documents were stored: 1 new, 2 changed." in page
    answer = manager.get(f"{path}report/")
    lines = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [line["result"] for line in lines] == ["updated", "updated", "", "new", ""]
    assert "attachment" in answer["Content-Disposition"]
    page = text(manager.get(f"{path}document/{number}/"))
    assert "Surface observations" in page and "urn:new" in page
    changed = made.contents.get(identifier="urn:changed").number
    page = text(manager.get(f"{path}document/{changed}/"))
    assert "identificationInfo / citation / title" in page and "the record when this was checked" in page
    acts = set(Act.objects.filter(model="catalogue.upload").values_list("act", flat=True))
    assert {"added", "act: close", "act: store, group, sure"} <= acts
    assert manager.post(f"{path}delete/", {"post": "yes"}).status_code == 302
    assert not Upload.objects.exists() and not list(upload_dir.iterdir())
    assert Record.objects.filter(identifier="urn:new").exists()


def test_bad_input_is_answered_by_a_sentence_and_leaves_nothing(manager: Client, upload_dir: Path, settings) -> None:
    settings.GISC_UPLOAD_MAX_MB = 1
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind=MetadataSet.Kind.SHARED)
    Link.objects.create(name="co-owner", base_url="http://127.0.0.1:9/oai", local_set=shared, kind=Kind.SHARED)
    assert "Choose one file or more" in text(manager.post(ADD, {"set": world.OUR_SPEC}))
    assert "0.xml: nothing is in it" in text(send(manager, b""))
    assert "Choose a set that takes uploads" in text(send(manager, b"x", set="shared01"))
    assert "Choose a set that takes uploads" in text(send(manager, b"x", set="WIS-CATALOGUE"))
    page = text(send(manager, b"x" * 700_000, b"y" * 700_000))
    assert "The files have more than 1 MB together; send them in parts, or use manage.py ingest." in page
    assert "Not possible:" in text(manager.get(ADD)) and "co-owner" in text(manager.get(ADD))
    assert not Upload.objects.exists()
    assert not list(upload_dir.iterdir()), "what was received is deleted"


def test_others_look_and_neither_send_nor_store(manager: Client, upload_dir: Path) -> None:
    send(manager, world.iso_record("urn:new"))
    work()
    path = f"{LIST}{Upload.objects.get().pk}/"
    for role in (Role.VIEWER, Role.OPERATOR):
        client = signed_in(role)
        assert send(client, b"x").status_code == 403
        assert client.get(ADD).status_code == 403
        page = text(client.get(f"{path}change/"))
        assert "urn:new" in page and 'name="store"' not in page and 'name="close"' not in page
        for act in ("store", "close", "stop", "again"):
            answer = client.post(f"{path}act/", {act: "1", "group": "new", "sure": "1"})
            assert answer.status_code == 403
        assert client.post(f"{path}delete/", {"post": "yes"}).status_code == 403
    assert Upload.objects.get().state == Upload.State.READY and not Record.objects.filter(identifier="urn:new").exists()
    assert len(list(upload_dir.iterdir())) == 1, "of those who may not send nothing is received"


def test_one_that_is_under_way_is_stopped_before_it_is_removed(manager: Client) -> None:
    send(manager, world.iso_record("urn:new"))
    path = f"{LIST}{Upload.objects.get().pk}/"
    manager.post(f"{path}delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": [str(Upload.objects.get().pk)], "post": "yes"}
    manager.post(LIST, chosen)
    assert Upload.objects.exists()
    assert "It is stopped" in text(manager.post(f"{path}act/", {"stop": "1"}, follow=True))
    assert "Nothing was stored." in text(manager.get(f"{path}change/")) or "No documents" in text(
        manager.get(f"{path}change/")
    )
    assert manager.post(LIST, chosen).status_code == 302 and not Upload.objects.exists()
