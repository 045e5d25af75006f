"""Backup synchronisation of a shared set between its owners: by hand, shown first, confirmed (W42 to W44)."""

import pytest
from django.test import Client

from catalogue.models import MetadataSet, Record
from catalogue.provenance import Provenance
from catalogue.writing import store
from harvester.links import conflict_acts
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link
from harvester.runs import lifecycle
from tests.support.provider import Provider, identifier
from tests.support.runs import counters, harvest
from tests.support.world import iso_record

CONFLICTS = "/admin/harvester/conflict/"
LATER = "2099-01-01T00:00:00Z"  # later than any datestamp of ours
EARLIER = "2000-01-01T00:00:00Z"


def held(number: int, date: str, title: str = "Ours") -> tuple[bytes, str]:
    return iso_record(identifier(number), title=title, metadata_date=date), identifier(number)


@pytest.fixture
def shared(db: None) -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared", kind="shared")


@pytest.fixture
def backup(link: Link, shared: MetadataSet) -> Link:
    """The other owner of shared01; our version of 0 to 4 came from a centre of ours."""
    Link.objects.create(name="nc", kind="centre", base_url="http://nc.example.org/oai", remote_set="", local_set=shared)
    for number in range(5):
        document, _ = held(number, "2026-01-10")
        store.put_entries([store.prepare(document, provenance=Provenance(link="nc"))], into=shared, source="nc")
    store.put_entries([store.prepare_deletion(identifier(4))], into=shared, source="nc")
    link.name, link.kind, link.remote_set, link.local_set, link.enabled = "backup", "backup", "shared01", shared, False
    link.full_clean()
    link.save()
    return link


@pytest.fixture
def looked(backup: Link, provider: Provider) -> Link:
    """The co-owner was looked at: some of what it has is newer, some is not."""
    for number, stamp, date in (
        (0, LATER, "2026-01-11"),  # newer by both
        (1, EARLIER, "2026-01-11"),  # its OAI datestamp is not later
        (2, LATER, "2026-01-10"),  # its gmd:dateStamp is not later, though the text differs
        (5, LATER, "2026-01-11"),  # not held here
    ):
        provider.entries[identifier(number)] = (stamp, held(number, date, "Theirs")[0])
    provider.entries[identifier(3)] = (LATER, None)
    provider.entries[identifier(4)] = (LATER, held(4, "2026-01-11", "Theirs")[0])  # deleted here before
    provider.now = LATER
    run = harvest(backup)
    assert counters(run) == {"received": 6, "unchanged": 6}
    assert "Nothing was stored; 3 records of the co-owner wait" in run.message
    return Link.objects.get(pk=backup.pk)


def titles() -> dict[str, str]:
    return dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))


@pytest.mark.spec("W43", "W44")
def test_a_run_stores_nothing_and_shows_what_is_newer_at_the_co_owner(looked: Link) -> None:
    assert titles() == {identifier(number): "Ours" for number in range(4)}
    waiting = {row.identifier: row.kind for row in Conflict.objects.filter(settled=None)}
    assert waiting == {
        identifier(0): "offered",
        identifier(5): "offered",
        identifier(4): "offered",
        identifier(3): "disputed",
        identifier(1): "differs",
        identifier(2): "differs",
    }
    assert dict(Conflict.objects.values_list("identifier", "reason")) == {
        identifier(0): "co-owner-newer",
        identifier(5): "co-owner-new",
        identifier(4): "co-owner-deleted-here",
        identifier(3): "co-owner-deleted-live-here",
        identifier(1): "co-owner-dates-disagree",
        identifier(2): "co-owner-dates-disagree",
    }
    assert looked not in [run.link for run in lifecycle.open_due_runs()], "never by schedule"


@pytest.mark.spec("W43", "W44")
def test_a_batch_is_shown_again_and_stored_when_it_is_confirmed(
    looked: Link, provider: Provider, admin_client: Client
) -> None:
    offered = Conflict.objects.filter(kind="offered")
    form = {"action": "take_over", "_selected_action": [row.pk for row in Conflict.objects.all()]}

    shown = admin_client.post(CONFLICTS, form).content.decode()
    assert "tell the co-owner" in shown and all(row.identifier in shown for row in offered)
    assert identifier(3) not in shown, "what is only disputed is not taken over"
    assert "3 of those chosen: not done, because only what a co-owner of a shared set offers" in " ".join(shown.split())
    assert titles() == {identifier(number): "Ours" for number in range(4)}, "nothing before it is confirmed"

    confirmed = form | {"confirmed": "1", "_selected_action": [row.pk for row in offered]}
    said = admin_client.post(CONFLICTS, confirmed, follow=True).content.decode()
    assert "3 taken over" in said
    ours = {identifier(number): "Ours" for number in (1, 2, 3)}
    assert titles() == ours | {identifier(number): "Theirs" for number in (0, 4, 5)}
    record = Record.objects.get(identifier=identifier(0))
    assert record.provenance["link"] == "nc", "our centre goes on deciding"
    assert record.provenance["baseURL"] == provider.base_url and not record.claims.exists()
    assert not offered.filter(settled=None).exists()

    before = dict(Record.objects.values_list("identifier", "datestamp"))
    harvest(looked, full=True)
    assert not offered.filter(settled=None).exists(), "both have the same now"
    assert dict(Record.objects.values_list("identifier", "datestamp")) == before


@pytest.mark.spec("W43", "W44")
def test_what_has_changed_here_meanwhile_is_not_overwritten(looked: Link, admin_client: Client) -> None:
    newer = store.prepare(held(0, "2026-01-12", "Ours, newer")[0], provenance=Provenance(link="nc"))
    store.put_entries([newer], into=looked.local_set, source="nc")
    conflict = Conflict.objects.get(identifier=identifier(0))
    form = {"action": "take_over", "confirmed": "1", "_selected_action": [conflict.pk]}

    ((_, reason),) = conflict_acts.settle(Act.TAKE_OVER, [conflict.pk], by="anna").refused
    said = admin_client.post(CONFLICTS, form, follow=True).content.decode()

    assert "not newer than ours any more" in str(reason)
    assert "has been settled meanwhile, was left alone" in said, "the list has found that it is over"
    assert titles()[identifier(0)] == "Ours, newer"


@pytest.mark.spec("W43")
def test_what_only_the_co_owner_ever_had_goes_with_its_deletion_once_that_is_confirmed(
    looked: Link, provider: Provider, admin_client: Client
) -> None:
    def confirm() -> None:
        row = Conflict.objects.get(identifier=identifier(5))
        admin_client.post(
            CONFLICTS, {"action": "take_over", "confirmed": "1", "_selected_action": [row.pk]}, follow=True
        )

    confirm()
    assert identifier(5) in titles()
    provider.entries[identifier(5)] = ("2099-01-02T00:00:00Z", None)
    harvest(looked, full=True)
    assert identifier(5) in titles()

    confirm()

    assert identifier(5) not in titles()
