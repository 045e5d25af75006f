"""A provider that deletes much of what it had: every header is correct, and nothing goes without a person (promise 5)."""

import pytest
from django.test import Client

from catalogue.models import Record
from harvester.guards import mass_deletion
from harvester.models import Conflict, Link, Run
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, go_on, harvest
from tests.support.world import iso_record

CONFLICTS = "/admin/harvester/conflict/"
LATER, LATEST = "2026-02-10T00:00:00Z", "2026-02-20T00:00:00Z"
MANY = mass_deletion.MIN_DELETIONS * 4

pytestmark = [pytest.mark.django_db, pytest.mark.spec("W9")]


@pytest.fixture
def full(link: Link, provider: Provider) -> Link:
    """A link that has brought many records."""
    provider.page_size = mass_deletion.MIN_DELETIONS
    fill(provider, range(MANY))
    harvest(link)
    assert here() == MANY
    return Link.objects.get()


def here() -> int:
    return Record.objects.filter(deleted=False).count()


def delete(provider: Provider, numbers: range, stamp: str = LATER) -> None:
    for number in numbers:
        provider.entries[identifier(number)] = (stamp, None)


def waiting() -> set[str]:
    return set(Conflict.objects.filter(kind="mass", settled=None).values_list("identifier", flat=True))


@pytest.mark.parametrize("strategy", Link.Strategy.values)
@pytest.mark.parametrize("whole", [False, True])
def test_a_provider_that_deletes_all_it_had_takes_little_with_it(
    full: Link, provider: Provider, strategy: str, whole: bool
) -> None:
    Link.objects.update(strategy=strategy)
    delete(provider, range(MANY))

    run = harvest(Link.objects.get(), full=whole)

    kept = MANY - mass_deletion.MIN_DELETIONS  # its first page is no more than surprises nobody
    assert run.state == Run.State.DONE
    assert here() == kept == len(waiting()) == run.rejects.count()
    assert counters(run) == {"received": MANY, "deleted": mass_deletion.MIN_DELETIONS, "rejected": kept}
    conflict = Conflict.objects.first()
    assert conflict.reason_text.endswith("more than 10 %) that it is kept until you decide.")
    assert (conflict.reason, conflict.reason_data["percent"]) == ("mass-deletion", 10)
    assert set(run.rejects.values_list("reason", flat=True)) == {"mass-deletion"}
    assert status.count_conflicts_waiting(status.with_last_run(Link.objects.all()).get()) == kept
    assert Link.objects.get().harvested_to > full.harvested_to, "the list was complete"


def test_what_waits_goes_neither_with_the_next_runs_nor_by_comparing(full: Link, provider: Provider) -> None:
    delete(provider, range(MANY))
    harvest(full)
    kept = here()
    for number in range(MANY - 5, MANY):  # a few of them, told again
        provider.entries[identifier(number)] = (LATEST, None)
    run = harvest(Link.objects.get())
    assert (run.deleted, run.rejected) == (0, 5)
    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True))
    assert here() == kept == len(waiting())


def test_the_operator_deletes_some_and_lets_a_comparison_delete_the_others(
    full: Link, provider: Provider, admin_client: Client
) -> None:
    delete(provider, range(MANY))
    harvest(full)
    kept = here()
    one = Conflict.objects.first()
    admin_client.post(CONFLICTS, {"action": "withdraw", "_selected_action": [one.pk]})
    assert here() == kept - 1 == len(waiting())

    go_on(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True, beyond_ceiling=True))
    assert (here(), waiting()) == (0, set())


def test_a_provider_that_takes_it_back_is_believed_and_so_is_its_next_deletion(full: Link, provider: Provider) -> None:
    delete(provider, range(MANY))
    harvest(full)
    fill(provider, range(MANY), stamp=LATEST)
    harvest(Link.objects.get())
    assert (here(), waiting()) == (MANY, set())

    provider.entries[identifier(MANY - 1)] = ("2026-02-25T00:00:00Z", None)
    run = harvest(Link.objects.get())
    assert (run.deleted, here(), waiting()) == (1, MANY - 1, set())


def test_a_share_that_is_allowed_goes_at_once(full: Link, provider: Provider) -> None:
    Link.objects.update(hold_percent=75)
    delete(provider, range(MANY * 3 // 4))
    harvest(Link.objects.get())
    assert (here(), waiting()) == (MANY // 4, set())


def test_tombstones_of_records_never_held_are_no_loss(link: Link, provider: Provider) -> None:
    provider.page_size = mass_deletion.MIN_DELETIONS
    fill(provider, range(10))
    delete(provider, range(10, MANY))
    run = harvest(link)
    assert (run.deleted, run.removed, here(), waiting()) == (MANY - 10, 0, 10, set())

    provider.entries[identifier(0)] = (LATEST, iso_record(identifier(0), title="Changed"))
    provider.entries[identifier(1)] = (LATEST, None)
    run = harvest(Link.objects.get())
    assert (run.removed, here(), waiting()) == (1, 9, set())
