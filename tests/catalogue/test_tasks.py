"""The catalogue's tick: the chores that it runs by itself."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from catalogue import chores, journal, tasks, ticks
from catalogue.bulk import ingest
from catalogue.documents import sources
from catalogue.documents.sources import SAMPLES
from catalogue.models import CatalogueCanary, DayLived, JournalOutbox, Record
from catalogue.payloads import dictionaries
from tests.support import world
from tests.support.connections import backend, cut

FAILING = [
    "journal.count_waiting",
    "purge.count_day_and_purge",
    "validate.apply_async",
    "dictionaries.retrain_if_outgrown",
]


pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The arguments of the tasks that label records, in place of the broker."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(tasks.validate, "apply_async", lambda arguments, **_: found.append(arguments))
    return found


def buried_long_ago() -> None:
    world.put(world.iso_record("old"))
    world.bury("old")
    world.restamp("old", "2001-01-01T00:00:00Z")
    world.live_days(30)
    DayLived.objects.update(purge=None)


def test_a_tick_purges_flushes_the_journal_and_queues_validation(queued: list[tuple[Any, ...]], settings) -> None:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = 30
    buried_long_ago()
    JournalOutbox.objects.create(
        event=JournalOutbox.Event.LEFT, identifier="any", datestamp=timezone.now().replace(microsecond=0)
    )

    tasks.tick()

    assert not Record.objects.exists()
    assert not journal.count_waiting()
    assert queued == [(None,)]
    age_s = ticks.age_s(CatalogueCanary)
    assert age_s is not None and age_s < timedelta(minutes=1).total_seconds()


@dictionaries.LIMITS.replaced(outgrown=((40, 1000),))
def test_a_tick_trains_a_dictionary_when_the_catalogue_has_outgrown_the_newest(
    queued: list[tuple[Any, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    def trained() -> int:
        return [record.name for record in caplog.records].count("catalogue.payloads.dictionaries")

    with caplog.at_level(logging.INFO, logger="catalogue.payloads.dictionaries"):
        tasks.tick()
        assert not trained()
        ingest.ingest(sources.documents([SAMPLES]), into=world.own_set())
        tasks.tick()
    assert trained() == 1


@pytest.mark.parametrize("failing", FAILING)
def test_a_chore_that_fails_does_not_keep_a_tick_from_the_others(
    queued: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    settings,
    failing: str,
) -> None:
    settings.GISC_TOMBSTONE_RETENTION_DAYS = 30
    buried_long_ago()
    retrained = []
    monkeypatch.setattr(dictionaries, "retrain_if_outgrown", lambda: retrained.append(True))

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no good")

    module, _, name = failing.partition(".")
    fail.__name__ = name
    monkeypatch.setattr(getattr(tasks, module), name, fail)

    tasks.tick()

    assert Record.objects.exists() == (name == "count_day_and_purge")
    assert bool(queued) == (name != "apply_async")
    assert bool(retrained) == (name != "retrain_if_outgrown")
    assert "a chore of the tick failed" in caplog.text
    assert "no good" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_an_outage_of_the_database_ends_a_tick(caplog: pytest.LogCaptureFixture) -> None:
    done = []

    def lose() -> None:
        cut(backend())
        Record.objects.exists()

    with pytest.raises(OperationalError):
        chores.run_each([lose, lambda: done.append("another")])

    connection.close()
    assert not done
    assert "a chore of the tick failed" not in caplog.text
