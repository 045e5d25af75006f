"""`/metrics`: the figures of all processes of this host, those of the links and of the journal, for Prometheus."""

import os

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from catalogue.metrics import JournalCollector
from harvester.monitoring.metrics import LinkCollector


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """What was counted in any process, where they share PROMETHEUS_MULTIPROC_DIR, and what the database tells."""
    counted = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counted = CollectorRegistry()
        multiprocess.MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    told = CollectorRegistry()
    told.register(LinkCollector())
    told.register(JournalCollector())
    return HttpResponse(generate_latest(counted) + generate_latest(told), content_type=CONTENT_TYPE_LATEST)
