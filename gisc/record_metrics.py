"""Prometheus figures of stored records, read from the database when they are scraped."""

import logging
import math
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from catalogue.outage import ERRORS
from catalogue.writing import read_back

logger = logging.getLogger(__name__)


class RecordCollector(Collector):
    """`gisc_records_damaged`; NaN without the database. `has_database`: whether to ask it at all."""

    def __init__(self, *, has_database: bool) -> None:
        self._has_database = has_database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the same metrics with and without the database."""
        yield GaugeMetricFamily(
            "gisc_records_damaged",
            "live records whose stored metadata cannot be read back, so that lists leave them out; NaN: not known",
            self._count_damaged(),
        )

    def _count_damaged(self) -> float:
        if self._has_database:
            try:
                return read_back.damaged().count()
            except ERRORS as exc:
                logger.warning("damaged records not counted", extra={"reason": " ".join(str(exc).split())})
        return math.nan
