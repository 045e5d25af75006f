"""Co-owners of a shared set that feed it by uploads harvest nothing from each other, and each upload says what is served."""

import json
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from catalogue import replay
from catalogue.models import JournalOutbox, JournalPosition, MetadataSet, Record
from catalogue.provenance import Provenance
from catalogue.writing import store
from harvester import tasks
from harvester.models import Conflict, Link
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support import world
from tests.support.commands import command
from tests.support.provider import Provider, identifier
from tests.support.runs import counters, go_on, harvest
from tests.support.world import iso_record

LATER = "2099-01-01T00:00:00Z"  # later than any datestamp of ours


@pytest.fixture
def shared(toulouse: MetadataSet) -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared", kind="shared")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


def record(number: int, title: str = "Ours", date: str = "2026-01-10") -> bytes:
    return iso_record(identifier(number), title=title, metadata_date=date)


def upload(
    folder: Path, *documents: bytes, spec: str = "shared01", revive: bool = False
) -> tuple[str | int | None, dict]:
    """Exit status and report of an upload."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for index, document in enumerate(documents):
        (folder / f"{index}.xml").write_bytes(document)
    status, out, _ = command("ingest", folder, "--set", spec, "--json", *(["--revive"] if revive else []))
    return status, json.loads(out)


def of_co_owner(link: Link, shared: MetadataSet, kind: str = "shared") -> Link:
    """The link's provider as the other owner of the shared set."""
    link.name, link.kind, link.remote_set, link.local_set = "co-owner", kind, "shared01", shared
    link.enabled = kind != "backup"
    return link


def has_there(provider: Provider, number: int, title: str, date: str, stamp: str = LATER) -> None:
    provider.entries[identifier(number)] = (stamp, record(number, title, date))


def titles() -> dict[str, str]:
    return dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))


# --- W42 ---------------------------------------------------------------------------------------------


@pytest.mark.spec("W42")
def test_a_set_into_which_we_upload_is_not_harvested_from_its_co_owner(
    link: Link, shared: MetadataSet, folder: Path
) -> None:
    upload(folder, record(0))
    shared.refresh_from_db()

    with pytest.raises(ValidationError, match=r"fed by us, too \(by uploads.*Make co-owner a link of the kind backup"):
        of_co_owner(link, shared).full_clean()
    of_co_owner(link, shared, kind="backup").full_clean()
    with pytest.raises(CommandError, match=r"The link was not added.*is fed by us, too"):
        command("link", "add", "other", "http://x.example.org/oai", "--set", "shared01")


@pytest.mark.spec("W42")
@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_uploaded_into_a_set_that_is_harvested_from_a_co_owner(
    link: Link, shared: MetadataSet, folder: Path, enabled: bool
) -> None:
    of_co_owner(link, shared).save()
    Link.objects.update(enabled=enabled)
    world.put(record(1))

    with pytest.raises(CommandError, match=r"link co-owner.*kind backup.*Nothing was stored"):
        upload(folder, record(0))
    with pytest.raises(CommandError, match=r"link co-owner.*Nothing was changed"):
        command("set", "move", "shared01", identifier(1))
    assert not Record.objects.filter(owner=shared).exists()

    link.delete()
    of_co_owner(link, shared, kind="backup").save()
    assert upload(folder, record(0))[0] == 0
    assert command("set", "move", "shared01", identifier(1))[0] == 0


@pytest.mark.spec("W42", "W43", "W44")
def test_a_link_that_a_version_before_has_allowed_overwrites_no_upload_and_shows_what_is_newer(
    link: Link, provider: Provider, shared: MetadataSet, folder: Path
) -> None:
    upload(folder, record(0), record(1), record(2))
    of_co_owner(link, shared).save()
    has_there(provider, 0, "Theirs, newer", "2026-01-11")
    has_there(provider, 1, "Theirs, older", "2026-01-09")
    has_there(provider, 3, "Theirs", "2026-01-11")
    provider.entries[identifier(2)] = (LATER, None)

    run = go_on(lifecycle.open_due_runs()[0])

    assert counters(run) == {"received": 4, "unchanged": 4}
    assert titles() == {identifier(number): "Ours" for number in range(3)}
    waiting = dict(Conflict.objects.filter(settled=None).values_list("identifier", "kind"))
    assert waiting == {
        identifier(0): "offered",
        identifier(3): "offered",
        identifier(2): "disputed",
        identifier(1): "differs",
    }
    assert "Nothing was stored; 2 records of the co-owner wait" in run.message
    seen = status.with_last_run(Link.objects.all()).get()
    assert "make it one of the kind backup" in [todo.text for todo in status.find_todos(seen)][-1]


@pytest.mark.spec("W42")
def test_a_set_that_is_fed_no_more_may_be_harvested_again(link: Link, shared: MetadataSet, folder: Path) -> None:
    upload(folder, record(0))
    command("withdraw", identifier(0))
    of_co_owner(link, shared).save()
    with pytest.raises(CommandError, match="Nothing was changed"):
        command("set", "stop-feeding", "shared01")
    Link.objects.all().delete()

    assert command("set", "stop-feeding", "shared01")[0] == 0

    shared.refresh_from_db()
    of_co_owner(link, shared).full_clean()


# --- What an upload reports --------------------------------------------------------------------------


def by_centre(shared: MetadataSet, number: int, title: str, date: str) -> None:
    document = record(number, title, date)
    entry = store.prepare(document, provenance=Provenance("http://nc.example.org/oai", link="nc"))
    store.put_entries([entry], into=shared, source="nc")


@pytest.mark.spec("W33")
@pytest.mark.parametrize("again", [False, True], ids=["first", "said again"])
def test_an_upload_that_is_not_served_says_so_for_each_record(
    shared: MetadataSet, folder: Path, again: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    by_centre(shared, 0, "Theirs", "2026-01-20")
    by_centre(shared, 1, "Theirs", "2026-01-01")
    documents = [record(0), record(1), record(2)]
    if again:
        upload(folder, *documents)

    status, report = upload(folder, *documents)

    assert status == 1
    counts = {name: report[name] for name in ("offered", "new", "updated", "unchanged", "claimed", "rejected")}
    fresh = {"new": 1, "updated": 1, "unchanged": 0} if not again else {"new": 0, "updated": 0, "unchanged": 2}
    assert counts == {"offered": 3, "claimed": 1, "rejected": 0} | fresh
    (claim,) = report["claims"]
    assert (claim["identifier"], claim["code"]) == (identifier(0), "differs-from-other-source")
    assert claim["facts"]["source"] == "nc" and "(the link nc), which counts by gmd:dateStamp" in claim["reason"]
    assert titles() == {identifier(0): "Theirs", identifier(1): "Ours", identifier(2): "Ours"}

    status, out, err = command("ingest", folder, "--set", "shared01")
    assert status == 1 and "1 kept but not served" in out
    assert f"kept, but not served: {folder / '0.xml'} {identifier(0)} differs from" in err


def test_an_upload_with_the_content_that_is_served_is_unchanged(shared: MetadataSet, folder: Path) -> None:
    by_centre(shared, 0, "The same", "2026-01-10")
    status, report = upload(folder, record(0, "The same"))
    assert (status, report["unchanged"], report["claims"]) == (0, 1, [])


# --- Withdrawing -------------------------------------------------------------------------------------


@pytest.mark.spec("W45")
@pytest.mark.django_db(transaction=True)  # the journal is written after the commit
def test_who_uploaded_into_a_shared_set_withdraws_from_it(shared: MetadataSet, folder: Path) -> None:
    by_centre(shared, 1, "Theirs", "2026-01-01")
    upload(folder, record(0), record(1))

    status, out, err = command("withdraw", identifier(0), identifier(1))

    assert (status, out) == (
        0,
        "2 offered: 1 withdrawn, 0 withdrawn before, 1 still live at another source, 0 rejected\n",
    )
    assert f"still live: {identifier(1)} is deleted in shared01 and still live at another source" in err
    assert titles() == {identifier(1): "Theirs"}
    assert upload(folder, record(0, "Back"), revive=True)[1]["brought_back"] == 1
    assert titles() == {identifier(0): "Back", identifier(1): "Theirs"}


@pytest.mark.spec("W11")
def test_a_withdrawal_from_a_shared_set_is_replayed_on_a_node_that_is_rebuilt(
    shared: MetadataSet, folder: Path, tmp_path: Path
) -> None:
    upload(folder, record(0), record(1))
    store.withdraw([identifier(0)])
    event = JournalOutbox.objects.get()
    journal = tmp_path / "journal.jsonl"
    line = {"event": event.event, "identifier": event.identifier, "datestamp": f"{event.datestamp:%Y-%m-%dT%H:%M:%SZ}"}
    journal.write_text(json.dumps(line | {"sets": event.set_specs}) + "\n")
    JournalOutbox.objects.all().delete()
    upload(folder, record(0), record(1), revive=True)  # from the archive
    assert len(titles()) == 2
    JournalOutbox.objects.all().delete()
    JournalPosition.objects.all().delete()

    replay.replay([journal])

    assert titles() == {identifier(1): "Ours"}
    assert Record.objects.get(identifier=identifier(0)).set_specs == ["shared01"]


# --- Conflicts that are over -------------------------------------------------------------------------


@pytest.fixture
def offered(link: Link, provider: Provider, shared: MetadataSet, folder: Path) -> Conflict:
    """The co-owner offers a newer version of what we uploaded."""
    upload(folder, record(0))
    shared.refresh_from_db()
    of_co_owner(link, shared, kind="backup").save()
    has_there(provider, 0, "Theirs", "2026-01-11")
    harvest(Link.objects.get())
    return Conflict.objects.get(settled=None)


def state(conflict: Conflict) -> tuple[bool, str]:
    conflict.refresh_from_db()
    return conflict.settled is not None, conflict.settlement


@pytest.mark.spec("W43")
def test_an_offer_is_over_when_the_same_content_is_uploaded(offered: Conflict, folder: Path) -> None:
    upload(folder, record(0, "Theirs", "2026-01-11"))
    tasks.tick()
    assert state(offered) == (True, "agreed")


@pytest.mark.spec("W43")
def test_an_offer_is_over_when_a_centre_of_ours_brings_the_same(offered: Conflict, admin_client: Client) -> None:
    by_centre(offered.link.local_set, 0, "Theirs", "2026-01-11")
    page = admin_client.get("/admin/harvester/conflict/?state=waits")
    assert list(page.context["cl"].result_list) == []
    assert state(offered) == (True, "agreed")


@pytest.mark.spec("W43")
def test_an_offer_is_over_when_ours_is_newer_by_now_or_withdrawn(
    offered: Conflict, folder: Path, provider: Provider
) -> None:
    """Theirs has the datestamp of the moment, as a provider whose clock is right gives it."""
    Conflict.objects.update(last_seen=timezone.now())
    offered.link.headers.update(datestamp=timezone.now().replace(microsecond=0))
    other = record(0, "Ours, newer", "2026-01-12")
    upload(folder, other)
    tasks.tick()
    assert state(offered) == (True, "outdated")

    Conflict.objects.update(settled=None, settlement="")
    store.withdraw([identifier(0)])
    tasks.tick()
    assert state(offered) == (True, "outdated")


def test_an_offered_deletion_is_over_when_the_record_is_withdrawn(offered: Conflict, provider: Provider) -> None:
    provider.entries[identifier(0)] = (LATER, None)
    harvest(offered.link, full=True)
    assert Conflict.objects.get(settled=None).kind == "disputed"
    store.withdraw([identifier(0)])
    tasks.tick()
    assert state(offered) == (True, "agreed")


def test_an_offer_that_comes_back_waits_again(offered: Conflict, folder: Path, provider: Provider) -> None:
    upload(folder, record(0, "Theirs", "2026-01-11"))
    tasks.tick()
    upload(folder, record(0))

    harvest(Link.objects.get(), full=True)

    assert state(offered) == (False, "")


@pytest.mark.spec("W44")
def test_an_offer_is_over_when_an_operator_takes_the_same_from_another_co_owner(
    offered: Conflict, admin_client: Client
) -> None:
    twin = Conflict.objects.get()
    twin.pk, twin.link = None, Link.objects.create(
        name="third", kind="backup", base_url="http://t.example.org/oai", remote_set="shared01",
        local_set=offered.link.local_set, enabled=False,
    )  # fmt: skip
    twin.save()
    header = offered.link.headers.get()
    header.pk, header.link = None, twin.link
    header.save()
    form = {"action": "take_over", "confirmed": "1", "_selected_action": [offered.pk]}
    admin_client.post("/admin/harvester/conflict/", form, follow=True)
    assert titles() == {identifier(0): "Theirs"}
    assert state(offered)[1] == "taken-over" and state(twin)[1] == "agreed"
