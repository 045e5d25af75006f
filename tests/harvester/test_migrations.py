"""A node that has harvested before is upgraded: its links know what they would have written down."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from harvester.links import failover
from harvester.models import Alternative, Link, RemoteHeader
from harvester.runs import lifecycle
from tests.harvester.conftest import fill, identifier
from tests.harvester.provider import Provider


@pytest.mark.spec("H40")
@pytest.mark.django_db(transaction=True)
def test_links_that_have_harvested_before_get_their_headers_and_keep_their_place(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    lifecycle.work(lifecycle.open_run(link, trigger="test").pk)
    link.refresh_from_db()
    before = list(RemoteHeader.objects.order_by("key").values("key", "identifier", "datestamp", "deleted", "state"))
    assert len(before) == 3
    newest = sorted(name for _, name in MigrationExecutor(connection).loader.graph.leaf_nodes("harvester"))[-1]
    try:
        MigrationExecutor(connection).migrate([("harvester", "0001_initial")])
        MigrationExecutor(connection).migrate([("harvester", newest)])

        after = RemoteHeader.objects.order_by("key").values("key", "identifier", "datestamp", "deleted", "state")
        assert list(after) == before
        upgraded = Link.objects.get()
        assert upgraded.harvested_to == upgraded.newest == upgraded.first_response == link.harvested_to
        provider.entries.clear()
        lifecycle.work(lifecycle.open_run(upgraded, trigger="test").pk)
        assert Link.objects.get().harvested_to == link.harvested_to, identifier(0)
    finally:
        MigrationExecutor(connection).migrate([("harvester", newest)])


@pytest.mark.django_db(transaction=True)
def test_a_password_in_an_address_is_moved_to_where_it_is_not_shown(link: Link) -> None:
    newest = sorted(name for _, name in MigrationExecutor(connection).loader.graph.leaf_nodes("harvester"))[-1]
    Link.objects.update(base_url="https://tokyo:s3%40cret@gisc.example.org:8443/oai")
    try:
        MigrationExecutor(connection).migrate([("harvester", "0009_access")])
        MigrationExecutor(connection).migrate([("harvester", newest)])

        upgraded = Link.objects.get()
        assert upgraded.base_url == "https://gisc.example.org:8443/oai"
        assert (upgraded.access().user, upgraded.access().password) == ("tokyo", "s3@cret")
    finally:
        MigrationExecutor(connection).migrate([("harvester", newest)])


@pytest.mark.django_db(transaction=True)
def test_a_link_that_a_relay_serves_keeps_what_the_relay_said_and_asks_its_own_provider_whether_it_answers(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(2))
    relay = Alternative.objects.create(link=link, name="R", base_url=provider.base_url, remote_set="S")
    failover.switch(link, relay)
    lifecycle.work(lifecycle.open_run(Link.objects.get(), trigger="test").pk)
    newest = sorted(name for _, name in MigrationExecutor(connection).loader.graph.leaf_nodes("harvester"))[-1]
    try:
        MigrationExecutor(connection).migrate([("harvester", "0008_clocks")])
        MigrationExecutor(connection).migrate([("harvester", newest)])

        assert set(RemoteHeader.objects.values_list("alternative", "state")) == {(relay.pk, "held")}
        assert RemoteHeader.objects.count() == 2
        assert [standby.link for standby in failover.take_due_probes(timezone.now())] == [link]
        assert failover.switch(Link.objects.get(), None).harvested_to is None, "nothing is known of its own place"
    finally:
        MigrationExecutor(connection).migrate([("harvester", newest)])
