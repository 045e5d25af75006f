"""`/metrics` for Prometheus: counters of all processes of this host, and figures of links, journal, backups and disks."""

import os

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from catalogue.metrics import JournalCollector
from gisc.backup.metrics import BackupCollector
from gisc.disk_space import DiskCollector
from harvester.monitoring.metrics import LinkCollector


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """Return the counters of all processes that share PROMETHEUS_MULTIPROC_DIR, and figures read at each scrape."""
    counters = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counters = CollectorRegistry()
        multiprocess.MultiProcessCollector(counters)  # type: ignore[no-untyped-call]
    from_database = CollectorRegistry()
    from_database.register(LinkCollector())
    from_database.register(JournalCollector())
    from_database.register(BackupCollector())
    from_database.register(DiskCollector())
    return HttpResponse(generate_latest(counters) + generate_latest(from_database), content_type=CONTENT_TYPE_LATEST)
