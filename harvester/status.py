"""The state of all links and their last runs as plain values, for scripts and monitors."""

from typing import Any

from catalogue import datestamps
from harvester import canary, overview, slices, switching
from harvester.models import Link, Run

COUNTERS = ("received", "new", "updated", "unchanged", "deleted", "rejected")


def status() -> dict[str, Any]:
    """`{"canary_age_s": seconds, "links": [...]}`: the canary, and what each link harvests, up to when it is complete, what comparing has found, and its last runs."""
    drifts = slices.drifts()
    age_s = canary.age_s()
    return {
        "canary_age_s": None if age_s is None else round(age_s, 1),
        "links": [_link(link, drifts.get(link.pk)) for link in overview.with_last_run(Link.objects.all())],
    }


def _link(link: Link, drift: dict[str, int] | None) -> dict[str, Any]:
    last, comparison = overview.last_run(link), overview.last_comparison(link)
    return {
        "name": link.name,
        "kind": link.kind,
        "base_url": link.base_url,
        "remote_set": link.remote_set,
        "local_set": link.local_set.spec,
        "enabled": link.enabled,
        "harvested_to": link.harvested_to and datestamps.write(link.harvested_to),
        "failures": link.failures,
        "clock_skew_s": None if link.skew_s is None else round(link.skew_s, 1),
        "moved_to": link.moved_to,
        "provider": switching.told(link) or "its own",
        "way_back": switching.way_back(link),
        "set": link.set_state or None,
        "compared": link.cycle_ended and datestamps.write(link.cycle_ended),
        "drift": drift,
        "last_run": last and run_facts(last),
        "last_comparison": comparison and run_facts(comparison),
    }


def run_facts(run: Run) -> dict[str, Any]:
    """One run: its state, times, counters and message."""
    return {
        "id": run.pk,
        "purpose": run.purpose,
        "state": run.state,
        "begun": datestamps.write(run.begun),
        "finished": run.finished and datestamps.write(run.finished),
        **{name: getattr(run, name) for name in (*COUNTERS, *(slices.DRIFT if run.is_comparison else ()))},
        "message": run.message,
        "warnings": run.warnings,
    }
