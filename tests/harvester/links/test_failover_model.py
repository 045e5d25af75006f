"""Whatever happens at a provider and its relay, and whenever a link turns between them, nothing is lost (W31, W32).

The relay copies the provider now and then, errs, and forges dates; the link harvests, turns to the relay and back. Back at its own provider it
holds what that holds, whatever order all this came in, and an idle round after that changes nothing.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from catalogue.models import Record
from harvester.links import failover
from harvester.models import Alternative, Link
from harvester.runs import lifecycle
from tests.support.provider import Provider, identifier
from tests.support.runs import at, go_on
from tests.support.world import TOULOUSE, iso_record

Step = tuple[str, int, bool]
# What happens, to which record, and whether the link harvests after it.
STEPS: st.SearchStrategy[Step] = st.tuples(
    st.sampled_from(["err", "write", "delete", "forge", "copy", "turn", "return"]), st.integers(0, 1), st.booleans()
)
OPENING = [("write", 0, False), ("write", 1, True), ("copy", 0, False), ("turn", 0, True)]


@pytest.fixture
def relay() -> Iterator[Provider]:
    with HTTPServer(host="127.0.0.1") as server:
        yield Provider(server)


class Story:
    """The provider, its relay and the link between; time passes by ten minutes with each step."""

    def __init__(self, link: Link, provider: Provider, relay: Provider) -> None:
        self.link, self.provider, self.relay = link, provider, relay
        self.steps = 0

    def play(self, what: str, number: int) -> None:
        self.steps += 1
        stamp = f"{at('2026-01-01T00:00:00Z') + timedelta(minutes=10 * self.steps):%Y-%m-%dT%H:%M:%SZ}"
        self.provider.now = self.relay.now = stamp
        getattr(self, f"_{what}")(number, stamp)

    def _write(self, number: int, stamp: str) -> None:
        version = date(2026, 1, 1) + timedelta(days=self.steps)
        document = iso_record(identifier(number), title=f"version {self.steps}", metadata_date=version.isoformat())
        self.provider.entries[identifier(number)] = (stamp, document)

    def _delete(self, number: int, stamp: str) -> None:
        if identifier(number) in self.provider.entries:
            self.provider.entries[identifier(number)] = (stamp, None)

    def _copy(self, _: int, stamp: str) -> None:
        """The relay stamps what has changed for it with its own time."""
        for name, (_since, document) in self.provider.entries.items():
            held = self.relay.entries.get(name)
            if held is None or held[1] != document:
                self.relay.entries[name] = (stamp, document)

    def _err(self, number: int, stamp: str) -> None:
        """The relay deletes what its provider has."""
        if identifier(number) in self.relay.entries:
            self.relay.entries[identifier(number)] = (stamp, None)

    def _forge(self, number: int, stamp: str) -> None:
        """The relay has a version of its own, with a gmd:dateStamp that is later than any of its provider."""
        if identifier(number) not in self.provider.entries:
            return  # nothing is deleted because it is not listed
        document = iso_record(identifier(number), title=f"forged {self.steps}", metadata_date="2027-01-01")
        self.relay.entries[identifier(number)] = (stamp, document)

    def _harvest(self, _: int, stamp: str) -> None:
        Link.objects.update(next_due=timezone.now())
        while opened := lifecycle.open_due_runs():
            for run in opened:
                assert go_on(run).state == "done"

    def _turn(self, _: int, stamp: str) -> None:
        failover.switch(self.link, self.link.alternatives.get())

    def _return(self, _: int, stamp: str) -> None:
        failover.switch(self.link, None)


def catalogue() -> dict[str, tuple[bool, str, datetime]]:
    rows = Record.objects.values_list("identifier", "deleted", "description__title", "datestamp")
    return {name: (deleted, title, stamp) for name, deleted, title, stamp in rows}


@pytest.mark.spec("W31", "W32")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(opening=st.sampled_from([OPENING, OPENING, OPENING, []]), steps=st.lists(STEPS, min_size=1, max_size=8))
def test_back_at_its_own_provider_a_link_holds_what_that_holds(
    link: Link, provider: Provider, relay: Provider, opening: list[Step], steps: list[Step]
) -> None:
    provider.entries.clear()
    relay.entries.clear()
    with transaction.atomic():
        Alternative.objects.create(link=link, name="Offenbach", base_url=relay.base_url, remote_set=TOULOUSE.spec)
        Link.objects.update(hold_percent=100)  # no deletion waits, of so few records
        link.refresh_from_db()
        story = Story(link, provider, relay)
        for what, number, harvests in [*opening, *steps, ("return", 0, True)]:
            story.play(what, number)
            if harvests:
                story.play("harvest", 0)

        there = {name for name, (_, document) in provider.entries.items() if document is not None}
        after = catalogue()
        assert {name for name, record in after.items() if not record[0]} == there
        for name in there:
            assert f">{after[name][1]}<".encode() in (provider.entries[name][1] or b"")
        story.play("harvest", 0)
        assert catalogue() == after, "an idle round changes nothing"
        transaction.set_rollback(True)
