"""`/metrics` for Prometheus: counters of all processes of this host, and figures of parts, links, records, backups and disks.

The answer comes within seconds and has the same metrics, also while PostgreSQL or Redis is away or hangs.
"""

import os
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from catalogue.database_deadline import deadline
from gisc import metrics_files
from gisc.backup.metrics import BackupCollector
from gisc.disk_space import DiskCollector
from gisc.parts import parts
from gisc.parts.metrics import PartCollector
from gisc.record_metrics import RecordCollector
from harvester.monitoring.metrics import LinkCollector

_LINKS_DEADLINE_S = 5.0


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """Return the counters of all processes that share PROMETHEUS_MULTIPROC_DIR, and figures read at each scrape."""
    node = parts.read()
    figures = CollectorRegistry()
    figures.register(BackupCollector(node.read.backup))
    figures.register(DiskCollector(node.read.disks))
    figures.register(PartCollector(node))
    with deadline(_LINKS_DEADLINE_S):
        figures.register(LinkCollector(has_database=node.read.has_database))
        figures.register(RecordCollector(has_database=node.read.has_database))
        return HttpResponse(_counters() + generate_latest(figures), content_type=CONTENT_TYPE_LATEST)


def _counters() -> bytes:
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder is None:
        return generate_latest(REGISTRY)
    counters = CollectorRegistry()
    multiprocess.MultiProcessCollector(counters)  # type: ignore[no-untyped-call]
    with metrics_files.folded(Path(folder)):
        return generate_latest(counters)
