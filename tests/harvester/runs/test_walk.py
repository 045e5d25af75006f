"""The way of a harvested record reads like a story: how many functions and files it passes, and that facts are read once."""

import logging
from collections.abc import Iterator

import pytest

from catalogue import datestamps, seams
from harvester.models import Link
from tests.support.provider import fill
from tests.support.runs import counters, harvest
from tests.trace import report, traced

pytestmark = pytest.mark.django_db(transaction=True)

# The aim is 111 changes of file and 150 functions. What is reached must not be lost: lower these when the walk is shorter.
# They were 137 and 215 before links had a time of the day, and windows; 142 and 222 before search terms were made of each record
# (documents/search_terms, writing/vocabulary; parties, data policy and translations are read).
MAX_CHANGES_OF_FILE = 149
MAX_FUNCTIONS = 241


@pytest.fixture(autouse=True)
def _without_log() -> Iterator[None]:
    """Write no log: whether its lines are formatted depends on the tests before, and is no part of the way."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_one_harvested_record_is_a_short_walk(link, provider) -> None:
    """A run that lists one new record, in a process that has harvested before; and the very first one of a link."""
    provider.now = datestamps.write(seams.now())
    Link.objects.update(lateness_h=72)
    fill(provider, range(1))
    with traced() as trace:
        run = harvest(link)
    assert counters(run) == {"received": 1, "new": 1}, run.message
    report("first harvest of a process, one record", trace)
    provider.entries.clear()
    provider.now = datestamps.write(seams.now())  # else a slow machine has a remark on the provider's clock
    # The bound is that of two lists in one second, which a slow machine does not make: else clocks are compared once more.
    Link.objects.update(first_response=datestamps.parse(provider.now)[0])
    fill(provider, range(1, 2), stamp=provider.now)
    with traced() as trace:
        run = harvest(Link.objects.get())
    assert counters(run) == {"received": 1, "new": 1} and run.message == "", run.message
    report("one harvested record", trace)
    assert trace.changes_of_file <= MAX_CHANGES_OF_FILE
    assert trace.functions <= MAX_FUNCTIONS


def test_a_first_harvest_reads_each_fact_of_a_record_once(link, provider) -> None:
    """Of a hundred records: the key is made once, the datestamp parsed once, and at most two decisions are made."""
    records = 100
    fill(provider, range(records))
    provider.page_size = records
    provider.entries = {
        name: (f"2026-02-01T00:{number // 60:02}:{number % 60:02}Z", document)
        for number, (name, (_, document)) in enumerate(provider.entries.items())
    }
    with traced("oai_identifier", "lenient") as trace:
        run = harvest(link)
    assert counters(run) == {"received": records, "new": records}, run.message
    report("a hundred harvested records", trace)
    for name, (datestamp, _) in provider.entries.items():
        assert trace.arguments["oai_identifier", name] == 1
        assert trace.arguments["lenient", datestamp] == 1
    assert records <= trace.count("decide") <= 2 * records
