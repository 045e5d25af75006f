"""`/metrics` for Prometheus: counters of all processes of this host, and figures of links, journal, backups and disks."""

import os
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from catalogue.metrics import JournalCollector
from gisc import metrics_files
from gisc.backup.metrics import BackupCollector
from gisc.disk_space import DiskCollector
from harvester.monitoring.metrics import LinkCollector


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """Return the counters of all processes that share PROMETHEUS_MULTIPROC_DIR, and figures read at each scrape."""
    from_database = CollectorRegistry()
    from_database.register(LinkCollector())
    from_database.register(JournalCollector())
    from_database.register(BackupCollector())
    from_database.register(DiskCollector())
    return HttpResponse(_counters() + generate_latest(from_database), content_type=CONTENT_TYPE_LATEST)


def _counters() -> bytes:
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder is None:
        return generate_latest(REGISTRY)
    counters = CollectorRegistry()
    multiprocess.MultiProcessCollector(counters)  # type: ignore[no-untyped-call]
    with metrics_files.folded(Path(folder)):
        return generate_latest(counters)
