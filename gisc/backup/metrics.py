"""Export metrics of the backups to Prometheus, read from the names of the archives at each scrape."""

import math
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from gisc.backup.schedule import BackupState


class BackupCollector(Collector):
    """Collects `gisc_backup_*`, always all of them: an alert on an age must not wait for a backup that never came."""

    def __init__(self, state: BackupState) -> None:
        self._state = state

    def collect(self) -> Iterator[GaugeMetricFamily]:
        state = self._state
        no_age = math.inf if state.is_configured else math.nan
        values = {
            "gisc_backup_configured": ("whether GISC_BACKUP_DIR is set", float(state.is_configured)),
            "gisc_backup_late": ("whether the last verified backup is too old, or missing", float(state.is_late)),
            "gisc_backup_age_seconds": (
                "age of the newest verified backup; +Inf: none, NaN: not configured",
                no_age if state.age_s is None else state.age_s,
            ),
            "gisc_backup_last_success_timestamp_seconds": (
                "Unix time of the newest verified backup; 0: none",
                state.made.timestamp() if state.made else 0.0,
            ),
        }
        for name, (text, value) in values.items():
            yield GaugeMetricFamily(name, text, value)
