"""The room that is left on the disks of the node: for health and metrics."""

import logging
import math
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

_MB = 1_000_000
_LEAST_SHARE = 10  # chosen: a small file system, such as that of the metrics, is low at a tenth of its size


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The room of the file system that has one kind of files. None where it cannot be read, or nothing is configured."""

    kind: str
    free: int | None = None
    total: int | None = None
    is_readable: bool = True

    @property
    def is_low(self) -> bool:
        """Whether less than GISC_DISK_LOW_MB is free; on a small file system, less than a tenth of it."""
        if self.free is None or self.total is None:
            return False
        return self.free < min(settings.GISC_DISK_LOW_MB * _MB, self.total // _LEAST_SHARE)


def disks() -> list[DiskSpace]:
    """Return the room for data, journal, backups and metrics, always all of them."""
    metrics = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    folders = {
        "data": settings.GISC_DATA_DIR,
        "journal": settings.GISC_JOURNAL_DIR,
        "backup": settings.GISC_BACKUP_DIR,
        "metrics": Path(metrics) if metrics else None,
    }
    return [_space(kind, folder) for kind, folder in folders.items()]


def _space(kind: str, folder: Path | None) -> DiskSpace:
    if folder is None:
        return DiskSpace(kind)
    try:
        # A folder that is still to be made will be on the file system of the one above it.
        usage = shutil.disk_usage(next((place for place in (folder, *folder.parents) if place.exists()), folder))
    except OSError as exc:
        logger.warning("disk space not readable", extra={"path": str(folder), "reason": str(exc)})
        return DiskSpace(kind, is_readable=False)
    return DiskSpace(kind, usage.free, usage.total)


def report(found: list[DiskSpace]) -> dict[str, dict[str, object]]:
    """Return the room by kind of files, of those that are configured, for /health/ready; null where it cannot be read."""
    return {disk.kind: _report(disk) for disk in found if disk.free is not None or not disk.is_readable}


def _report(disk: DiskSpace) -> dict[str, object]:
    if disk.free is None or disk.total is None:
        return {"free_mb": None, "total_mb": None, "low": None}
    return {"free_mb": disk.free // _MB, "total_mb": disk.total // _MB, "low": disk.is_low}


class DiskCollector(Collector):
    """Collects `gisc_disk_*`, always of all kinds; NaN where a kind is not configured or cannot be read."""

    def __init__(self, found: list[DiskSpace]) -> None:
        self._found = found

    def collect(self) -> Iterator[GaugeMetricFamily]:
        free = GaugeMetricFamily("gisc_disk_free_bytes", "room for files of this kind", labels=["kind"])
        total = GaugeMetricFamily("gisc_disk_total_bytes", "size of their file system", labels=["kind"])
        low = GaugeMetricFamily("gisc_disk_low", "1 if less than GISC_DISK_LOW_MB is free there", labels=["kind"])
        for disk in self._found:
            free.add_metric([disk.kind], math.nan if disk.free is None else disk.free)
            total.add_metric([disk.kind], math.nan if disk.total is None else disk.total)
            low.add_metric([disk.kind], disk.is_low if disk.is_readable else math.nan)
        yield from (free, total, low)
