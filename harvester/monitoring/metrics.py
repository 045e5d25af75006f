"""Prometheus figures by link, read from the database when they are scraped, so that any process gives all of them."""

from collections.abc import Iterator
from typing import Any

from django.db import DatabaseError
from django.db.models import Count, QuerySet
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from catalogue import seams
from harvester.models import Conflict, Link, Reject, Run
from harvester.monitoring import status
from harvester.rows import health, queue
from harvester.runs import comparison


class LinkCollector(Collector):
    """`gisc_link_*`: what alerts on links need."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        harvested_to = GaugeMetricFamily(
            "gisc_link_harvested_to_seconds", "Unix time up to which the link is complete", labels=["link"]
        )
        failures = GaugeMetricFamily("gisc_link_failures", "failed runs in a row", labels=["link"])
        drift = GaugeMetricFamily(
            "gisc_link_drift",
            "what the comparisons and total re-harvests of the link's cycle have found",
            labels=["link", "kind"],
        )
        skew = GaugeMetricFamily("gisc_link_clock_skew_seconds", "the provider's clock minus ours", labels=["link"])
        running = GaugeMetricFamily("gisc_link_run_open", "1 while a run of the link is open", labels=["link"])
        conflicts = GaugeMetricFamily(
            "gisc_link_conflicts", "conflicts that wait for the operator", labels=["link", "kind", "reason"]
        )
        rejects = GaugeMetricFamily("gisc_link_rejects", "rejects of the link that stand", labels=["link", "reason"])
        doubts = GaugeMetricFamily(
            "gisc_link_doubts",
            "1 for each doubt whether the link has all that its provider has, until all headers are compared",
            labels=["link", "code"],
        )
        by_relay = GaugeMetricFamily("gisc_link_by_relay", "1 while another provider serves the link", labels=["link"])
        set_missing = GaugeMetricFamily(
            "gisc_link_set_missing",
            "1 while the provider does not list the set that the link asks for",
            labels=["link"],
        )
        ignored = GaugeMetricFamily(
            "gisc_link_from_ignored", "1 while the provider lists what is older than was asked for", labels=["link"]
        )
        state = GaugeMetricFamily(
            "gisc_link_state", "1 for the state of the link, as its pages show it", labels=["link", "state"]
        )
        outcome = GaugeMetricFamily(
            "gisc_link_outcome",
            "1 for the outcome of the link's last harvest, with the code of its cause",
            labels=["link", "outcome", "cause"],
        )
        try:
            ticks = health.tick_ages()
            queue_state = queue.queue_state(seams.now())
            offset_s = health.host_clock_offset_s()
            drifts = comparison.drift_by_link()
            open_links = set(Run.objects.filter(state=Run.State.OPEN).values_list("link_id", flat=True))
            for link in status.with_last_run(Link.objects.all()):
                if link.harvested_to is not None:
                    harvested_to.add_metric([link.name], link.harvested_to.timestamp())
                if link.skew_s is not None:
                    skew.add_metric([link.name], link.skew_s)
                failures.add_metric([link.name], link.failures)
                for kind, number in drifts.get(link.pk, {}).items():
                    drift.add_metric([link.name, kind], number)
                for doubt in link.doubts:
                    doubts.add_metric([link.name, doubt["code"]], 1)
                ignored.add_metric([link.name], float(link.from_ignored >= link.FROM_IS_IGNORED))
                set_missing.add_metric([link.name], float(link.lacks_remote_set))
                by_relay.add_metric([link.name], float(link.is_served_by_alternative))
                running.add_metric([link.name], float(link.pk in open_links))
                state.add_metric([link.name, str(status.link_state(link)[0])], 1)
                if (run := status.last_run(link)) is not None:
                    cause = run.outcome_data.get("cause") or {}
                    outcome.add_metric([link.name, run.outcome, cause.get("code", "")], 1)
            for *labels, number in _conflicts_that_wait():
                conflicts.add_metric(labels, number)
            for *labels, number in _rejects_that_stand():
                rejects.add_metric(labels, number)
        except DatabaseError:
            return  # a scrape must answer while the database is away
        if ticks.oldest_s is not None:
            yield GaugeMetricFamily(
                "gisc_canary_age_seconds",
                "since both ticks, the harvester's and the catalogue's, have come through beat, broker, worker and database",
                ticks.oldest_s,
            )
        yield GaugeMetricFamily(
            "gisc_canary_late",
            "1 while that is longer ago than GISC_CANARY_SECONDS, or never was",
            ticks.is_late,
        )
        yield from _queue_metrics(queue_state)
        if offset_s is not None:
            yield GaugeMetricFamily("gisc_clock_offset_seconds", "NTP's time minus this host's", offset_s)
        yield from (
            harvested_to,
            failures,
            drift,
            doubts,
            skew,
            running,
            by_relay,
            set_missing,
            ignored,
            state,
            outcome,
        )
        yield from (conflicts, rejects)


def _queue_metrics(state: queue.QueueState) -> Iterator[GaugeMetricFamily]:
    yield GaugeMetricFamily("gisc_runs_working", "open runs that a worker works on", state.working)
    waiting = GaugeMetricFamily("gisc_runs_waiting", "open runs that wait, by what they wait for", labels=["for"])
    longest = GaugeMetricFamily(
        "gisc_run_longest_wait_seconds", "how long the first of them has waited", labels=["for"]
    )
    for cause, number in state.waiting.items():
        waiting.add_metric([cause], number)
        longest.add_metric([cause], state.longest_s[cause])
    yield from (waiting, longest)
    yield GaugeMetricFamily(
        "gisc_queue_stalled",
        "1 while runs wait for a worker and none was taken for GISC_CANARY_SECONDS",
        state.is_stalled,
    )


def _conflicts_that_wait() -> QuerySet[Conflict, tuple[Any, ...]]:
    """Count the conflicts that wait for the operator: link, kind, code of the reason, number."""
    waiting = Conflict.objects.filter(settled=None).order_by()
    return waiting.values_list("link__name", "kind", "reason").annotate(Count("pk"))


def _rejects_that_stand() -> QuerySet[Reject, tuple[Any, ...]]:
    """Count the rejects that stand: link, code of the reason, number."""
    standing = Reject.objects.standing().filter(link__isnull=False).order_by()
    return standing.values_list("link__name", "reason").annotate(Count("pk"))
