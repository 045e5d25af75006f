"""Prometheus metrics of the endpoint: answers by verb and outcome (the HTTP status is always 200, P9), and their time."""

import functools

from prometheus_client import Counter, Histogram

from catalogue.reading.replica import Cause

OK = "ok"
_ANSWERS = Counter(
    "gisc_oai_answers",
    "answers of the endpoint; the outcome is ok, the first OAI-PMH error code, or an HTTP status other than 200",
    ["verb", "outcome"],
)
_SECONDS = Histogram(
    "gisc_oai_seconds",
    "how long it took to make an OAI-PMH answer, before it was compressed and sent",
    ["verb"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 100),
)
_REPLICA = Counter(
    "gisc_oai_replica_lists",
    "pages of lists that could be read from the replica; the outcome is ok, or why the primary was asked instead",
    ["outcome"],
)


for _outcome in (OK, *Cause):
    _REPLICA.labels(_outcome)


def count_replica(outcome: str) -> None:
    """Count a page of a list on a node with a replica."""
    _REPLICA.labels(outcome).inc()


def count_answer(verb: str, outcome: str, seconds: float) -> None:
    """Count an OAI-PMH document. `verb` is one of the six, or empty where the request had no valid one."""
    _answers(verb, outcome).inc()
    _seconds(verb).observe(seconds)


def count_other_response(status: int) -> None:
    """Count a response that is no OAI-PMH document, by its HTTP status."""
    _answers("", str(status)).inc()


# Cached, because the library looks a child up by its labels under a lock.
_answers = functools.cache(_ANSWERS.labels)
_seconds = functools.cache(_SECONDS.labels)

# There from the first scrape on, because alarms (docs/operations.md) count how often they came since.
for _status in ("500", "503"):
    _answers("", _status)
for _verb in ("ListRecords", "ListIdentifiers", "ListSets"):
    _answers(_verb, "badResumptionToken")
