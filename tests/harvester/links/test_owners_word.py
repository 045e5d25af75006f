"""The link's own provider, asked directly, has the last word on its set, and what is not served is never "the same"."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_httpserver import HTTPServer

from catalogue.models import MetadataSet, Record
from catalogue.provenance import Provenance
from catalogue.writing import store
from harvester.link_rules import Kind
from harvester.links import edit, failover
from harvester.models import Alternative, Conflict, Link, RemoteHeader, Run
from harvester.monitoring import status
from harvester.runs import comparison, lifecycle
from tests.support.commands import command
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, go_on, harvest
from tests.support.world import OFFENBACH, OUR_SPEC, TOULOUSE, iso_record, own_set, peer_set, put

LATE = "2026-02-20T00:00:00Z"


@pytest.fixture
def relay() -> Iterator[Provider]:
    """Another GISC that has the set, and says of no record from whom it has it."""
    with HTTPServer(host="127.0.0.1") as server:
        relay = Provider(server)
        fill(relay, range(3), stamp="2026-01-15T00:00:00Z")
        yield relay


@pytest.fixture
def harvested(link: Link, provider: Provider, relay: Provider) -> Link:
    """A link with an alternative that has harvested three records from its own provider."""
    Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
    fill(provider, range(3))
    harvest(link)
    return Link.objects.get(pk=link.pk)


def forge(relay: Provider, number: int = 0) -> None:
    """Give the relay a version of its own whose gmd:dateStamp is later than any of the provider's."""
    document = iso_record(identifier(number), title="Forged", metadata_date="2030-01-01")
    relay.entries[identifier(number)] = (LATE, document)


def title(number: int = 0) -> str:
    record = Record.objects.get(identifier=identifier(number))
    return "" if record.deleted else record.description.title


def work_off(*, first_only: bool = False) -> list[Run]:
    Link.objects.update(next_due=timezone.now())
    done = []
    while opened := lifecycle.open_due_runs():
        done += [go_on(run) for run in opened]
        if first_only:
            break
    return done


def compare(link: Link) -> Run:
    run = lifecycle.open_comparison(Link.objects.get(pk=link.pk), trigger="test", whole=True)
    assert run is not None
    return go_on(run)


def drift(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in comparison.DRIFT if getattr(run, name)}


# --- A relay that served the link --------------------------------------------------------------------


@pytest.mark.spec("W31", "W33", "W37")
@pytest.mark.parametrize("goes_on", [True, False], ids=["from where it was", "with the whole list"])
@pytest.mark.parametrize("strategy", Link.Strategy.values)
def test_a_later_metadata_date_of_a_relay_does_not_outlast_the_way_back(
    harvested: Link, relay: Provider, strategy: str, goes_on: bool
) -> None:
    Link.objects.update(strategy=strategy)
    forge(relay)
    failover.switch(Link.objects.get(), harvested.alternatives.get())
    work_off()
    assert title() == "Forged", "while its provider cannot be had, the newer version of the relay counts (W33)"

    failover.switch(Link.objects.get(), None, max_doubtful=1000 if goes_on else 0)
    runs = work_off()

    assert title() == "Product 0"
    assert [run.rejected for run in runs] == [0] * len(runs)
    assert not Conflict.objects.filter(settled=None).exists()


@pytest.mark.spec("W31", "W33")
def test_what_the_owner_has_replaced_does_not_come_back_with_its_relay(harvested: Link, relay: Provider) -> None:
    """Else a link that turns often would stamp the record anew each time."""
    forge(relay)
    for to in (harvested.alternatives.get(), None):
        failover.switch(Link.objects.get(), to)
        work_off()
    before = Record.objects.get(identifier=identifier(0))
    assert title() == "Product 0"

    failover.switch(Link.objects.get(), harvested.alternatives.get(), max_doubtful=0)
    rejects = [reject for run in work_off() for reject in run.rejects.all()]

    assert title() == "Product 0"
    assert Record.objects.get(identifier=identifier(0)).datestamp == before.datestamp
    assert {reject.reason_data["why"]["code"] for reject in rejects} == {"given-since"}
    relay.entries[identifier(0)] = (
        "2026-02-25T00:00:00Z",
        iso_record(identifier(0), title="Newer", metadata_date="2026-02-25"),
    )
    work_off()
    assert title() == "Newer", "another version, and a later one (W33)"


@pytest.mark.spec("W25", "W33")
@pytest.mark.parametrize("how", ["incremental", "whole", "comparison", "by headers"])
def test_what_a_version_before_has_rejected_is_asked_for_again_and_counts(
    harvested: Link, provider: Provider, relay: Provider, how: str
) -> None:
    """As an earlier version left it: the relay's content, and the owner's own entry rejected under its datestamp."""
    provider.page_size = 10
    served_by_relay(harvested, relay)
    RemoteHeader.objects.filter(alternative=None, identifier=identifier(0)).update(state="rejected")
    link = Link.objects.get()
    if how == "by headers":
        Link.objects.update(strategy=Link.Strategy.IDENTIFIERS)
        link.refresh_from_db()

    if how == "comparison":
        run = compare(link)
        assert drift(run) == {"stale": 1}
        assert "1 stale" in run.message
    else:
        harvest(link, full=how != "incremental")

    assert title() == "Product 0"
    assert drift(compare(link)) == {}


def served_by_relay(harvested: Link, relay: Provider, number: int = 0) -> None:
    """Let the catalogue have the relay's version, while the link is served by its own provider, which was not asked."""
    forge(relay, number)
    document = relay.entries[identifier(number)][1]
    provenance = Provenance(relay.base_url, identifier(number), LATE, link=harvested.name, relayed=True)
    assert document is not None
    store.put_entries([store.prepare(document, provenance=provenance)], into=harvested.local_set, source=harvested.name)
    assert title(number) == "Forged"


@pytest.mark.spec("W25", "W28")
@pytest.mark.parametrize("what", ["changed", "deleted"])
def test_a_comparison_finds_what_another_source_has_changed_here(
    harvested: Link, provider: Provider, relay: Provider, what: str
) -> None:
    """The provider's headers are what they were, and the link's table says that they are stored."""
    if what == "changed":
        served_by_relay(harvested, relay)
    else:
        entry = store.prepare_deletion(identifier(0))
        store.put_entries([entry], into=harvested.local_set, source=harvested.name)
    provider.asked.clear()

    run = compare(harvested)

    assert drift(run) == {"stale": 1}
    assert title() == "Product 0"
    assert [arguments["identifier"] for arguments in provider.asked_for("GetRecord")] == [identifier(0)]
    assert drift(compare(harvested)) == {}


def test_a_harvest_notices_it_too_in_what_it_asks_for_again(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    provider.page_size = 10
    served_by_relay(harvested, relay)
    provider.asked.clear()

    harvest(harvested)

    assert title() == "Product 0"
    asked = [arguments["identifier"] for arguments in provider.asked_for("GetRecord")]
    assert asked in ([identifier(0)], []), "or it was listed again as a whole"


@pytest.mark.spec("W9", "W31")
def test_the_owners_deletion_counts_against_a_relays_later_version(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    provider.entries[identifier(0)] = ("2026-02-10T00:00:00Z", None)
    harvest(harvested)
    forge(relay)
    failover.switch(Link.objects.get(), harvested.alternatives.get())
    work_off()
    assert title() == "Forged"

    failover.switch(Link.objects.get(), None)
    work_off()

    assert Record.objects.get(identifier=identifier(0)).deleted
    assert drift(compare(harvested)) == {}


@pytest.mark.spec("W9", "W31")
def test_a_relays_deletion_does_not_outlast_the_owners_live_record(harvested: Link, relay: Provider) -> None:
    relay.entries[identifier(0)] = (LATE, None)
    failover.switch(Link.objects.get(), harvested.alternatives.get())
    work_off()
    assert Record.objects.get(identifier=identifier(0)).deleted

    failover.switch(Link.objects.get(), None)
    work_off()

    assert title() == "Product 0"


def test_a_provider_that_was_restored_from_a_backup_counts_with_its_older_version(
    harvested: Link, provider: Provider, relay: Provider
) -> None:
    """It has moved to another address as well, so that what is stored came from elsewhere."""
    newer = iso_record(identifier(0), title="Newer", metadata_date="2026-02-20")
    provider.entries[identifier(0)] = ("2026-02-20T00:00:00Z", newer)
    harvest(harvested)
    failover.switch(Link.objects.get(), harvested.alternatives.get())
    failover.switch(Link.objects.get(), None)
    provider.entries[identifier(0)] = ("2026-02-22T00:00:00Z", iso_record(identifier(0), title="Older"))
    link = Link.objects.get()
    link.base_url = provider.base_url.replace("localhost", "127.0.0.1")
    edit.save(link, ["base_url"])

    work_off()

    assert title() == "Older"


# --- A relay link beside the direct one --------------------------------------------------------------


@pytest.fixture
def relay_link(harvested: Link, relay: Provider) -> Link:
    """A link of the kind relay for the same set, which is enabled instead of the direct one."""
    Link.objects.filter(pk=harvested.pk).update(enabled=False)
    return Link.objects.create(
        name="by-offenbach",
        kind=Kind.RELAY,
        base_url=relay.base_url,
        remote_set=TOULOUSE.spec,
        local_set=harvested.local_set,
    )


@pytest.mark.spec("W31", "W33")
def test_a_relay_link_replaces_nothing_by_what_is_older(harvested: Link, relay: Provider, relay_link: Link) -> None:
    relay.entries[identifier(0)] = (LATE, iso_record(identifier(0), title="Older", metadata_date="2020-01-01"))

    run = harvest(relay_link)

    assert (counters(run), title()) == ({"received": 3, "unchanged": 2, "rejected": 1}, "Product 0")
    compared = compare(relay_link)
    assert drift(compared) == {"stale": 1, "not_served": 1}
    assert "1 of the listed is not served as the provider has it" in compared.message
    assert status.run_outcome(compared) == ("partial", "done, 1 not served")


@pytest.mark.spec("W31", "W33")
def test_what_a_relay_link_has_changed_is_the_owners_again_once_its_own_link_is_enabled(
    harvested: Link, provider: Provider, relay: Provider, relay_link: Link
) -> None:
    fill(provider, range(8, 9), stamp="2026-02-22T00:00:00Z")  # so that the others are not listed again
    harvest(harvested)
    forge(relay)
    relay.entries[identifier(1)] = (LATE, None)
    harvest(relay_link)
    assert (title(0), title(1)) == ("Forged", "")
    Link.objects.filter(pk=relay_link.pk).update(enabled=False)
    link = Link.objects.get(pk=harvested.pk)
    link.enabled = True
    edit.save(link, ["enabled"])

    (comparison_run,) = [run for run in work_off() if run.is_comparison]

    assert (title(0), title(1)) == ("Product 0", "Product 1")
    assert drift(comparison_run) == {"stale": 2}


def test_a_relay_link_that_has_moved_goes_on_with_what_it_brought_itself(
    harvested: Link, relay: Provider, relay_link: Link
) -> None:
    fill(relay, range(7, 8))
    harvest(relay_link)
    relay.entries[identifier(7)] = (LATE, iso_record(identifier(7), title="Corrected", metadata_date="2020-01-01"))
    relay_link = Link.objects.get(pk=relay_link.pk)
    relay_link.base_url = relay.base_url.replace("localhost", "127.0.0.1")

    harvest(relay_link, full=True)

    assert title(7) == "Corrected"


def test_a_relay_link_undoes_a_deletion_that_it_brought_itself(relay: Provider, relay_link: Link) -> None:
    fill(relay, range(7, 8))
    harvest(relay_link)
    relay.entries[identifier(7)] = ("2026-02-10T00:00:00Z", None)
    harvest(Link.objects.get(pk=relay_link.pk), full=True)
    assert title(7) == ""
    fill(relay, range(7, 8), stamp=LATE)

    harvest(Link.objects.get(pk=relay_link.pk), full=True)

    assert title(7) == "Product 7"


# --- Shared sets -------------------------------------------------------------------------------------


@pytest.fixture
def shared() -> MetadataSet:
    return MetadataSet.objects.create(spec="shared01", name="Shared 01", kind="shared")


@pytest.mark.spec("W33", "W45")
def test_in_a_shared_set_a_co_owners_direct_word_replaces_what_its_relay_said(
    link: Link, provider: Provider, relay: Provider, shared: MetadataSet
) -> None:
    link.kind, link.remote_set, link.local_set = Kind.SHARED, "shared01", shared
    link.save()
    Alternative.objects.create(link=link, name="Exeter", base_url=relay.base_url, remote_set="shared01")
    put_by("other", shared, 0, "By the other owner", "2026-01-20")
    put_by("other", shared, 1, "By the other owner", "2020-01-01")
    for number in (0, 1):
        document = iso_record(identifier(number), title="By this owner", metadata_date="2026-01-10")
        provider.entries[identifier(number)] = ("2026-02-01T00:00:00Z", document)
        forge(relay, number)
    del relay.entries[identifier(2)]
    harvest(link)
    failover.switch(Link.objects.get(), link.alternatives.get())
    work_off()
    assert title(0) == title(1) == "Forged"

    failover.switch(Link.objects.get(), None)
    work_off()

    assert (title(0), title(1)) == ("By the other owner", "By this owner"), "each owner's own words, and W33"


@pytest.mark.spec("W33", "W45")
def test_in_a_shared_set_the_other_owners_newer_version_refuses_nothing_of_a_link_that_was_relayed(
    link: Link, provider: Provider, relay: Provider, shared: MetadataSet
) -> None:
    """Its own version is stored beside, so that the record stays when the other owner deletes it."""
    link.kind, link.remote_set, link.local_set = Kind.SHARED, "shared01", shared
    link.save()
    Alternative.objects.create(link=link, name="Exeter", base_url=relay.base_url, remote_set="shared01")
    failover.switch(link, link.alternatives.get())
    failover.switch(Link.objects.get(), None)
    put_by("other", shared, 0, "By the other owner", "2026-01-20")
    fill(provider, range(1))

    run = harvest(Link.objects.get())

    assert (run.rejected, title()) == (0, "By the other owner")
    store.put_entries([store.prepare_deletion(identifier(0))], into=shared, source="other")
    assert title() == "Product 0"


def put_by(source: str, into: MetadataSet, number: int, name: str, date: str) -> None:
    document = iso_record(identifier(number), title=name, metadata_date=date)
    provenance = Provenance(f"http://{source}.example.org/oai", identifier(number), "2026-01-01", link=source)
    store.put_entries([store.prepare(document, provenance=provenance)], into=into, source=source)


# --- Uploads into a peer's set, and recoveries -------------------------------------------------------


def test_an_upload_into_a_set_that_is_harvested_does_not_overrule_its_owner(harvested: Link, tmp_path) -> None:
    (tmp_path / "one.xml").write_bytes(iso_record(identifier(0), title="Uploaded", metadata_date="2030-01-01"))
    (tmp_path / "new.xml").write_bytes(iso_record(identifier(9), title="Uploaded"))

    code, _, err = command("ingest", tmp_path, "--set", TOULOUSE.spec)

    assert (code, title(0), title(9)) == (1, "Product 0", "Uploaded")
    assert "came by the link toulouse, whose provider decides about its content" in err


@pytest.mark.spec("W25")
def test_what_was_uploaded_while_the_link_was_disabled_is_found_by_comparing(harvested: Link, tmp_path) -> None:
    Link.objects.update(enabled=False)
    (tmp_path / "one.xml").write_bytes(iso_record(identifier(0), title="Uploaded", metadata_date="2030-01-01"))
    assert command("ingest", tmp_path, "--set", TOULOUSE.spec)[0] == 0
    assert title() == "Uploaded"

    assert drift(compare(harvested)) == {"stale": 1}
    assert title() == "Product 0"


@pytest.mark.spec("W35")
def test_a_recovery_does_not_replace_what_a_centre_of_ours_has(link: Link, provider: Provider) -> None:
    put_by("jma", own_set(), 0, "By the centre", "2026-01-10")
    link.kind, link.local_set, link.remote_set, link.enabled = Kind.RECOVERY, own_set(), OUR_SPEC, False
    link.save()
    forge(provider)

    run = harvest(link)

    assert (title(), run.rejects.get().reason) == ("By the centre", "centre-decides")


# --- Comparisons report what is not served -----------------------------------------------------------


@pytest.mark.spec("W23", "W25")
def test_what_is_overruled_or_rejected_is_reported_by_every_comparison(harvested: Link, provider: Provider) -> None:
    put(iso_record(identifier(5), title="By Offenbach"), into=peer_set(OFFENBACH))
    put(iso_record(identifier(6), title="Ours"))
    fill(provider, range(5, 7), stamp=LATE)
    harvest(harvested)
    fill(provider, range(7, 8), stamp="2026-02-22T00:00:00Z")
    harvest(Link.objects.get())
    for _ in range(2):
        provider.asked.clear()
        run = compare(harvested)
        assert drift(run) == {"stale": 2, "not_served": 2}
        assert "2 stale" in run.message and run.outcome_data["not_served"] == 2
        assert [a["identifier"] for a in provider.asked_for("GetRecord")] == [identifier(6)], "the claim is stored"
    assert status.status_report()["links"][0]["drift"]["not_served"] == 2


def test_the_report_of_a_comparison_on_the_command_line_names_it(
    harvested: Link, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    put(iso_record(identifier(6), title="Ours"))
    fill(provider, range(6, 7), stamp=LATE)
    harvest(harvested)
    call_command("harvest", "toulouse", "--reconcile", "--json")
    assert '"not_served": 1' in capsys.readouterr().out


def test_a_table_of_an_earlier_version_gets_its_digests_by_comparing(harvested: Link, provider: Provider) -> None:
    """A header that is the same stands for the live record, unless the link's version is stored beside it."""
    put(iso_record(identifier(5), title="By Offenbach"), into=peer_set(OFFENBACH))
    fill(provider, range(5, 6), stamp=LATE)
    fill(provider, range(7, 8), stamp="2026-02-22T00:00:00Z")
    harvest(harvested)
    before = set(RemoteHeader.objects.values_list("identifier", "digest"))
    RemoteHeader.objects.update(digest=None)
    provider.asked.clear()

    assert drift(compare(harvested)) == {"stale": 1, "not_served": 1}

    assert {arguments["identifier"] for arguments in provider.asked_for("GetRecord")} <= {identifier(7)}
    assert set(RemoteHeader.objects.values_list("identifier", "digest")) == before
