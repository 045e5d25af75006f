"""Misplaced and disputed records: kept, shown, and settled by the operator (W23, W33)."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from catalogue.models import Record
from catalogue.reasons import Reason
from catalogue.writing import store
from harvester.links import conflict_acts, edit
from harvester.links.conflict_acts import Act
from harvester.models import Conflict, Link
from harvester.reasons import ActCode
from harvester.tasks import tick
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, harvest
from tests.support.world import OFFENBACH, TOULOUSE, bury, iso_record, own_set, peer_set, put

CONFLICTS = "/admin/harvester/conflict/"
STAMP = "2026-02-01T00:00:00Z"


def again(link: Link) -> dict[str, int]:
    link.refresh_from_db()
    return counters(harvest(link, full=True))


def act(client: Client, action: str, conflict: Conflict) -> str:
    form = {"action": action, "confirmed": "1", "_selected_action": [conflict.pk]}
    return client.post(f"{CONFLICTS}?state=all", form, follow=True).content.decode()


@pytest.fixture
def misplaced(link: Link, provider: Provider) -> Conflict:
    put(iso_record(identifier(0), title="Ours", metadata_date="2026-01-10"), into=own_set())
    document = iso_record(identifier(0), title="Theirs", metadata_date="2026-01-11")
    provider.entries[identifier(0)] = (STAMP, document)
    again(link)
    return Conflict.objects.get()


@pytest.mark.spec("W23")
def test_a_misplaced_record_is_told_with_both_dates_and_what_differs(misplaced: Conflict, admin_client: Client) -> None:
    assert (misplaced.kind, misplaced.identifier, misplaced.settled) == ("misplaced", identifier(0), None)
    assert f"{misplaced.metadata_date:%Y-%m-%d}" == "2026-01-11"
    listed = admin_client.get(f"{CONFLICTS}?state=waits").content.decode().replace("<wbr>", "")
    assert identifier(0) in listed and "misplaced" in listed
    page = admin_client.get(f"{CONFLICTS}{misplaced.pk}/change/").content.decode()
    assert "2026-01-10" in page and "2026-01-11" in page
    assert "<mark>Theirs</mark>" in page and "<mark>Ours</mark>" in page
    assert Record.objects.get().description.title == "Ours"


@pytest.mark.spec("W23")
def test_what_was_left_as_it_is_comes_up_again_only_when_the_provider_says_something_else(
    misplaced: Conflict, link: Link, provider: Provider, admin_client: Client
) -> None:
    assert "1 left as they are" in act(admin_client, "leave", misplaced)
    again(link)
    misplaced.refresh_from_db()
    assert (misplaced.settlement, misplaced.settlement_data) == ("left-as-it-is", {"by": "admin"})
    assert misplaced.settled is not None and misplaced.settlement_text == "Left as it is by admin."

    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="Theirs, changed"))
    again(link)
    misplaced.refresh_from_db()
    assert misplaced.settlement_text == ""
    assert misplaced.settled is None


@pytest.mark.spec("W23")
def test_a_record_that_was_ours_by_mistake_is_handed_over(
    misplaced: Conflict, link: Link, provider: Provider, admin_client: Client
) -> None:
    assert f"handed over to {TOULOUSE.spec}" in act(admin_client, "hand_over", misplaced)
    assert Record.objects.get().owner.spec == TOULOUSE.spec

    assert again(link)["updated"] == 1

    record = Record.objects.get()
    assert (record.description.title, record.owner.spec, record.set_specs) == ("Theirs", TOULOUSE.spec, [TOULOUSE.spec])
    misplaced.refresh_from_db()
    assert misplaced.settled is not None


@pytest.mark.spec("W23")
def test_the_provider_settles_it_by_withdrawing_the_record(misplaced: Conflict, link: Link, provider: Provider) -> None:
    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="Ours", metadata_date="2026-01-10"))
    again(link)
    misplaced.refresh_from_db()
    assert misplaced.settled is None, "the same content in the wrong set is still misplaced"


@pytest.mark.spec("W23", "W47")
def test_two_peers_that_differ_are_shown_and_the_owner_counts(link: Link, provider: Provider) -> None:
    put(iso_record(identifier(0), title="By Offenbach"), into=peer_set(OFFENBACH))
    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="By Toulouse"))

    again(link)

    assert Record.objects.get().description.title == "By Offenbach"
    conflict = Conflict.objects.get()
    assert (conflict.kind, conflict.settled) == ("differs", None)

    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="By Offenbach"))
    again(link)
    conflict.refresh_from_db()
    assert conflict.settled is not None and "agree again" in conflict.settlement_text


def test_an_act_that_is_refused_says_why_by_a_code(misplaced: Conflict) -> None:
    outcome = conflict_acts.settle(Act.WITHDRAW, [misplaced.pk], by="anna")
    assert outcome.refused == [(misplaced, Reason(ActCode.NOT_GONE))]
    bury(identifier(0))
    ((_, reason),) = conflict_acts.settle(Act.HAND_OVER, [misplaced.pk], by="anna").refused
    cause = {"code": "not-in-catalogue", "facts": {}}
    assert reason == Reason(ActCode.NOT_STORED, {"reason": cause})
    assert str(reason) == "the record is not in the catalogue"
    assert not Conflict.objects.filter(settled__isnull=False).exists()


def test_conflicts_and_rejects_are_counted_by_code_for_monitors_and_filtered_by_it(
    misplaced: Conflict, admin_client: Client
) -> None:
    assert (misplaced.reason, misplaced.reason_data) == (
        "belongs-to-other-set",
        {"owner": own_set().spec, "set": TOULOUSE.spec, "act": "change"},
    )
    assert misplaced.reason_text == (
        f"The record belongs to the set {own_set().spec}, so {TOULOUSE.spec} cannot change it."
    )

    def figures() -> set[str]:
        lines = admin_client.get("/metrics").content.decode().splitlines()
        return {line for line in lines if line.startswith(("gisc_link_conflicts{", "gisc_link_rejects{"))}

    rejects = 'gisc_link_rejects{link="toulouse",reason="belongs-to-other-set"} 1.0'
    conflict = 'gisc_link_conflicts{kind="misplaced",link="toulouse",reason="belongs-to-other-set"} 1.0'
    assert figures() == {rejects, conflict}
    for reason, number in (("belongs-to-other-set", 1), ("vanished", 0)):
        page = admin_client.get(f"{CONFLICTS}?reason={reason}")
        assert len(page.context["cl"].result_list) == number

    act(admin_client, "leave", misplaced)
    assert figures() == {rejects}


def test_only_what_fits_can_be_done(link: Link, provider: Provider, misplaced: Conflict, admin_client: Client) -> None:
    assert "only a record that its provider no longer has" in act(admin_client, "withdraw", misplaced)
    assert not Record.objects.get().deleted
    misplaced.refresh_from_db()
    assert misplaced.settled is None


def test_who_may_only_look_settles_nothing(misplaced: Conflict, client: Client) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_conflict"))
    client.force_login(looker)

    act(client, "leave", misplaced)

    misplaced.refresh_from_db()
    assert misplaced.settled is None


def test_an_idle_link_writes_no_conflict_rows(misplaced: Conflict, link: Link, provider: Provider) -> None:
    fill(provider, range(1, 3))
    again(link)
    assert Conflict.objects.count() == 1


# --- Conflicts that are over --------------------------------------------------------------------------


@pytest.mark.spec("W23")
def test_a_conflict_is_over_as_soon_as_the_owner_has_what_the_other_provider_has(
    link: Link, provider: Provider
) -> None:
    """Its link is not run again: its provider has nothing new to tell."""
    offenbach = peer_set(OFFENBACH)
    put(iso_record(identifier(0), title="By Offenbach"), into=offenbach)
    provider.entries[identifier(0)] = (STAMP, iso_record(identifier(0), title="By Toulouse"))
    again(link)
    conflict = Conflict.objects.get(settled=None)

    put(iso_record(identifier(0), title="By Toulouse"), into=offenbach)
    tick()
    conflict.refresh_from_db()
    assert (conflict.settlement, conflict.settled is None) == ("agreed", False)

    put(iso_record(identifier(0), title="By Offenbach"), into=offenbach)
    again(link)
    conflict.refresh_from_db()
    assert conflict.settled is None, "they disagree again, in the same words"


@pytest.mark.spec("W23")
def test_a_misplaced_record_that_is_withdrawn_is_the_providers(
    misplaced: Conflict, link: Link, provider: Provider
) -> None:
    store.withdraw([identifier(0)])
    tick()
    misplaced.refresh_from_db()
    assert misplaced.settlement == "outdated"

    link.refresh_from_db()
    harvest(link)

    record = Record.objects.get()
    assert (record.deleted, record.owner.spec, record.description.title) == (False, TOULOUSE.spec, "Theirs")


def test_a_link_that_asks_for_something_else_leaves_no_conflict_open(misplaced: Conflict, link: Link) -> None:
    link.refresh_from_db()
    link.remote_set = "WIS-GISC-OTHER"
    edit.save(link, ["remote_set"])
    misplaced.refresh_from_db()
    assert misplaced.settlement == "outdated"
    again(link)
    misplaced.refresh_from_db()
    assert misplaced.settled is None, "it is found again"
