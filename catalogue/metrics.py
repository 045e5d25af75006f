"""Export metrics of the journal to Prometheus, read from the database at each scrape. No decisions."""

from collections.abc import Iterator

from django.db import DatabaseError
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from catalogue import journal


class JournalCollector(Collector):
    """Collects `gisc_journal_*`: deletions that are committed and not yet on disk outside the database (promise 6)."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        waiting = GaugeMetricFamily("gisc_journal_waiting", "events that wait for the journal")
        since = GaugeMetricFamily("gisc_journal_waiting_since_seconds", "Unix time of the oldest event that waits")
        try:
            waiting.add_metric([], journal.count_waiting())
            oldest = journal.waiting_since()
        except DatabaseError:
            return  # a scrape must answer while the database is away
        yield waiting
        if oldest is not None:
            since.add_metric([], oldest.timestamp())
            yield since
