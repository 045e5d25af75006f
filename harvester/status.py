"""The state of all links and their last runs as plain values, for scripts and monitors."""

from typing import Any

from catalogue import datestamps
from harvester import overview
from harvester.models import Link, Run

COUNTERS = ("received", "new", "updated", "unchanged", "deleted", "rejected")


def status() -> dict[str, Any]:
    """`{"links": [...]}`: what each link harvests, up to when it is complete, and its last run."""
    return {"links": [_link(link) for link in overview.with_last_run(Link.objects.all())]}


def _link(link: Link) -> dict[str, Any]:
    last = overview.last_run(link)
    return {
        "name": link.name,
        "kind": link.kind,
        "base_url": link.base_url,
        "remote_set": link.remote_set,
        "local_set": link.local_set.spec,
        "enabled": link.enabled,
        "harvested_to": link.harvested_to and datestamps.write(link.harvested_to),
        "failures": link.failures,
        "last_run": last and run_facts(last),
    }


def run_facts(run: Run) -> dict[str, Any]:
    """One run: its state, times, counters and message."""
    return {
        "id": run.pk,
        "state": run.state,
        "begun": datestamps.write(run.begun),
        "finished": run.finished and datestamps.write(run.finished),
        **{name: getattr(run, name) for name in COUNTERS},
        "message": run.message,
    }
