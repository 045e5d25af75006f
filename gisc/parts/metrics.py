"""Export the states of the parts to Prometheus, always all of them: NaN where nothing is known."""

import math
from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from gisc.heartbeat import BEAT, RedisState
from gisc.parts.parts import Node, State
from harvester.messages import WaitsFor


class PartCollector(Collector):
    """Collects what was read of the parts of the node."""

    def __init__(self, node: Node) -> None:
        self._node, self._read = node, node.read

    def collect(self) -> Iterator[Metric]:
        states = GaugeMetricFamily(
            "gisc_part_state", "1 for the state of each part of the node, 0 for the others", labels=["part", "state"]
        )
        for part in self._node.parts:
            for state in State:
                states.add_metric([part.name, state], part.state == state)
        yield states
        yield GaugeMetricFamily("gisc_ready", "1 while /oai can answer rightly", self._node.is_ready)
        yield GaugeMetricFamily("gisc_database_up", "1 if PostgreSQL answers", self._read.database != "not reachable")
        yield from self._broker()
        yield from self._ticks()
        yield from self._queue()
        yield from self._clock()
        yield from self._journal()
        waiting = self._read.waiting_for_search
        yield GaugeMetricFamily(
            "gisc_search_waiting",
            "live records that no search finds yet, because their terms are still to be made; NaN: not known",
            math.nan if waiting is None else waiting,
        )

        replica = self._read.replica
        yield GaugeMetricFamily(
            "gisc_replica_lag_seconds",
            "how old the last commit is that the replica has replayed; 0 while it lacks nothing, NaN: not known, or no replica is set up",
            math.nan if replica is None or replica.lag_s is None else replica.lag_s,
        )

    def _broker(self) -> Iterator[Metric]:
        broker = self._read.broker
        is_known = broker.state == RedisState.OK
        yield GaugeMetricFamily(
            "gisc_redis_up", "1 if Redis answers and takes what is written", broker.state == RedisState.OK
        )
        yield GaugeMetricFamily(
            "gisc_workers_alive", "processes of the workers that run", broker.workers_alive if is_known else math.nan
        )
        yield GaugeMetricFamily(
            "gisc_workers_expected", "processes of the workers that should run", broker.workers_expected
        )
        yield CounterMetricFamily(
            "gisc_worker_restarts",
            "processes of the workers that took the place of others, since Redis was started",
            broker.restarts if is_known else math.nan,
        )
        yield GaugeMetricFamily(
            "gisc_beats_alive", "processes of beat that run", len(broker.alive(BEAT)) if is_known else math.nan
        )

    def _ticks(self) -> Iterator[Metric]:
        ticks = self._read.ticks
        age_s = math.nan if ticks is None else math.inf if ticks.oldest_s is None else ticks.oldest_s
        yield GaugeMetricFamily(
            "gisc_canary_age_seconds",
            "since all ticks, of the harvester, the catalogue and alerts, have come through beat, broker, worker and database; "
            "+Inf: never, NaN: not known",
            age_s,
        )
        yield GaugeMetricFamily(
            "gisc_canary_late",
            "1 while that is longer ago than GISC_CANARY_SECONDS, or never was; NaN: not known",
            math.nan if ticks is None else ticks.is_late,
        )

    def _queue(self) -> Iterator[Metric]:
        queue = self._read.queue
        yield GaugeMetricFamily(
            "gisc_runs_working", "open runs that a worker works on", math.nan if queue is None else queue.working
        )
        waiting = GaugeMetricFamily("gisc_runs_waiting", "open runs that wait, by what they wait for", labels=["for"])
        longest = GaugeMetricFamily(
            "gisc_run_longest_wait_seconds", "how long the first of them has waited", labels=["for"]
        )
        for cause in WaitsFor:
            waiting.add_metric([cause], math.nan if queue is None else queue.waiting[cause])
            longest.add_metric([cause], math.nan if queue is None else queue.longest_s[cause])
        yield from (waiting, longest)
        yield GaugeMetricFamily(
            "gisc_queue_stalled",
            "1 while runs wait for a worker and none was taken for GISC_CANARY_SECONDS",
            math.nan if queue is None else queue.is_stalled,
        )

    def _clock(self) -> Iterator[Metric]:
        clock = self._read.clock
        offset_s = None if clock is None else clock.offset_s
        yield GaugeMetricFamily(
            "gisc_clock_offset_seconds",
            "NTP's time minus this host's, as last measured; NaN: never measured",
            math.nan if offset_s is None else offset_s,
        )
        yield GaugeMetricFamily(
            "gisc_clock_known",
            "1 if an NTP server has answered the last check; 0: none is set, or none answers; NaN: not known",
            math.nan if clock is None else clock.is_known,
        )
        yield GaugeMetricFamily(
            "gisc_clock_age_seconds",
            "since the clock was last measured; NaN: never measured",
            math.nan if clock is None or clock.age_s is None else clock.age_s,
        )

    def _journal(self) -> Iterator[Metric]:
        journal = self._read.journal
        yield GaugeMetricFamily(
            "gisc_journal_waiting", "events that wait for the journal", math.nan if journal is None else journal.waiting
        )
        since = None if journal is None else journal.since
        yield GaugeMetricFamily(
            "gisc_journal_waiting_since_seconds",
            "Unix time of the oldest event that waits; 0: none waits",
            math.nan if journal is None else 0.0 if since is None else since.timestamp(),
        )
