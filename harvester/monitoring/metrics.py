"""Prometheus figures of links and runs, read from the database when they are scraped, so that any process gives all of them."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, OuterRef, QuerySet, Subquery
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from catalogue import seams
from catalogue.outage import ERRORS
from harvester.models import Conflict, Link, Reject, Run
from harvester.monitoring import status

logger = logging.getLogger(__name__)
_seen: tuple[str, ...] = ()  # names of the links that were read last


class LinkCollector(Collector):
    """`gisc_link_*`: what alerts on links need. Each link has a sample of each, but for those of single codes.

    Without the database the links that this process has seen last have NaN. `has_database`: whether to ask it at all.
    """

    def __init__(self, *, has_database: bool = True) -> None:
        self._has_database = has_database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the same metrics with and without the database: a scrape must answer while it is away."""
        global _seen
        if self._has_database:
            try:
                read, runs_age_s = _read_links(), _oldest_run_age_s()
            except ERRORS as exc:
                logger.warning("links not readable", extra={"reason": " ".join(str(exc).split())})
            else:
                _seen = tuple(link.name for link in read.links)
                yield from _families(read)
                yield _oldest_run(runs_age_s)
                return
        yield from _unknown_families(_seen)
        yield _oldest_run(math.nan)


@dataclass(frozen=True, slots=True)
class _Links:
    """All links, with what is counted beside their rows."""

    links: list[Link]
    open_links: set[int]
    conflicts: list[tuple[Any, ...]]
    rejects: list[tuple[Any, ...]]


def _read_links() -> _Links:
    return _Links(
        links=list(status.with_last_run(Link.objects.annotate(**_last_success()), purposes=[Run.Purpose.HARVEST])),
        open_links=set(Run.objects.filter(state=Run.State.OPEN).values_list("link_id", flat=True)),
        conflicts=list(_conflicts_that_wait()),
        rejects=list(_rejects_that_stand()),
    )


# One sample a link: name, help, and the value. Where none was ever measured it is NaN, an instant that never was is 0.
_OF_EACH: tuple[tuple[str, str, Callable[[Link, _Links], float]], ...] = (
    (
        "gisc_link_harvested_to_seconds",
        "Unix time up to which the link is complete; 0: it never was",
        lambda link, _: link.harvested_to.timestamp() if link.harvested_to else 0.0,
    ),
    (
        "gisc_link_last_success_seconds",
        "Unix time at which the last complete list of the link was stored; 0: there never was one",
        lambda link, _: done.timestamp() if (done := getattr(link, "last_success", None)) else 0.0,
    ),
    ("gisc_link_enabled", "1 if the link is harvested by schedule", lambda link, _: float(link.enabled)),
    (
        "gisc_link_interval_seconds",
        "between the starts of two runs, at most, if each is over in time",
        lambda link, _: float(link.longest_wait_s),
    ),
    ("gisc_link_failures", "failed runs in a row", lambda link, _: float(link.failures)),
    (
        "gisc_link_clock_skew_seconds",
        "the provider's clock minus ours; NaN: not measured yet",
        lambda link, _: math.nan if link.skew_s is None else link.skew_s,
    ),
    (
        "gisc_link_run_open",
        "1 while a run of the link is open",
        lambda link, read: float(link.pk in read.open_links),
    ),
    (
        "gisc_link_by_relay",
        "1 while another provider serves the link",
        lambda link, _: float(link.is_served_by_alternative),
    ),
    (
        "gisc_link_set_missing",
        "1 while the provider does not list the set that the link asks for",
        lambda link, _: float(link.lacks_remote_set),
    ),
    (
        "gisc_link_from_ignored",
        "1 while the provider lists what is older than was asked for",
        lambda link, _: float(link.from_ignored >= link.FROM_IS_IGNORED),
    ),
    (
        "gisc_link_in_doubt",
        "1 while it is doubted that the link has all that its provider has",
        lambda link, _: float(bool(link.doubts)),
    ),
    (
        "gisc_link_conflicts_waiting",
        "conflicts that wait for the operator",
        lambda link, _: float(status.count_conflicts_waiting(link)),
    ),
    (
        "gisc_link_rejects_standing",
        "rejects of the link that stand",
        lambda link, _: float(status.count_rejects_standing(link)),
    ),
)


def _families(read: _Links) -> Iterator[GaugeMetricFamily]:
    for name, text, value in _OF_EACH:
        family = GaugeMetricFamily(name, text, labels=["link"])
        for link in read.links:
            family.add_metric([link.name], value(link, read))
        yield family
    drift, doubts, state, outcome, conflicts, rejects = _families_by_code()
    for link in read.links:
        for kind, number in status.drift_of(link).items():
            drift.add_metric([link.name, kind], number)
        for doubt in link.doubts:
            doubts.add_metric([link.name, doubt["code"]], 1)
        state.add_metric([link.name, str(status.link_state(link)[0])], 1)
        if (run := status.last_run(link)) is not None:
            outcome.add_metric([link.name, run.outcome, (run.outcome_data.get("cause") or {}).get("code", "")], 1)
    for *labels, number in read.conflicts:
        conflicts.add_metric(labels, number)
    for *labels, number in read.rejects:
        rejects.add_metric(labels, number)
    yield from (drift, doubts, state, outcome, conflicts, rejects)


def _unknown_families(links: Iterable[str]) -> Iterator[GaugeMetricFamily]:
    for name, text, _ in _OF_EACH:
        family = GaugeMetricFamily(name, text, labels=["link"])
        for link in links:
            family.add_metric([link], math.nan)
        yield family
    yield from _families_by_code()


def _families_by_code() -> tuple[GaugeMetricFamily, ...]:
    """Make the metrics whose samples are there only for what there is: nothing to alert on, but to look at."""
    return (
        GaugeMetricFamily(
            "gisc_link_drift",
            "what the comparisons and total re-harvests of the link's cycle have found",
            labels=["link", "kind"],
        ),
        GaugeMetricFamily(
            "gisc_link_doubts",
            "1 for each doubt whether the link has all that its provider has, until all headers are compared",
            labels=["link", "code"],
        ),
        GaugeMetricFamily(
            "gisc_link_state", "1 for the state of the link, as its pages show it", labels=["link", "state"]
        ),
        GaugeMetricFamily(
            "gisc_link_outcome",
            "1 for the outcome of the link's last harvest, with the code of its cause",
            labels=["link", "outcome", "cause"],
        ),
        GaugeMetricFamily(
            "gisc_link_conflicts", "conflicts that wait for the operator", labels=["link", "kind", "reason"]
        ),
        GaugeMetricFamily("gisc_link_rejects", "rejects of the link that stand", labels=["link", "reason"]),
    )


def _oldest_run(age_s: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(
        "gisc_run_oldest_age_seconds", "since the oldest open run was begun; 0: none is open", age_s
    )


def _oldest_run_age_s() -> float:
    begun = Run.objects.filter(state=Run.State.OPEN).aggregate(first=Min("begun"))["first"]
    return 0.0 if begun is None else max((seams.now() - begun).total_seconds(), 0.0)


def _last_success() -> dict[str, Subquery]:
    """Annotation of links, in the query that reads them: when their newest complete list was stored."""
    complete = Run.objects.filter(link=OuterRef("pk"), purpose=Run.Purpose.HARVEST, state=Run.State.DONE)
    return {"last_success": Subquery(complete.order_by("-begun", "-pk").values("finished")[:1])}


def _conflicts_that_wait() -> QuerySet[Conflict, tuple[Any, ...]]:
    """Count the conflicts that wait for the operator: link, kind, code of the reason, number."""
    waiting = Conflict.objects.filter(settled=None).order_by()
    return waiting.values_list("link__name", "kind", "reason").annotate(Count("pk"))


def _rejects_that_stand() -> QuerySet[Reject, tuple[Any, ...]]:
    """Count the rejects that stand: link, code of the reason, number."""
    standing = Reject.objects.standing().filter(link__isnull=False).order_by()
    return standing.values_list("link__name", "reason").annotate(Count("pk"))
