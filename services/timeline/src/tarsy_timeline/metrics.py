"""Prometheus metrics of the timeline."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Literal, get_args

from prometheus_client import CollectorRegistry

from tarsy_contracts.api.dead_letters import RedriveOutcome
from tarsy_contracts.events import EVENTS
from tarsy_service.http.problems import ProblemError
from tarsy_service.telemetry.metric_kinds import MetricKinds
from tarsy_timeline.system.server_warnings import CATEGORIES, Category

OTHER = "other"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)

type Look = Callable[[], float]
type ResultRead = Literal["lines", "search", "download"]
type ReadOutcome = Literal["ok", "refused", "failed", "broken_off"]


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        make = MetricKinds(registry)
        self._projected = make.counter(
            "tarsy_timeline_events_projected_total", "Accepted events written to the tables, by type", ["type"]
        )
        self._dropped = make.counter(
            "tarsy_timeline_records_dropped_total",
            "Records of the log that continue no chain: written by a zombie, or twice",
        )
        self._lag_records = make.gauge(
            "tarsy_timeline_lag_records",
            "Records of the log that are not projected yet, as far as this projector has heard",
            ["partition"],
        )
        self._lag_seconds = make.gauge(
            "tarsy_timeline_lag_seconds",
            "How long ago the last projected event was appended, or none waited any more; 0 when none waits",
            ["partition"],
        )
        self.duration = make.histogram(
            "tarsy_timeline_projection_duration_seconds",
            "Duration of the transaction that writes a batch of events",
            buckets=SECONDS,
        )
        self.conflicts = make.counter(
            "tarsy_timeline_ledger_conflicts_total", "Batches that another projector had written already"
        )
        self._set_aside = make.counter(
            "tarsy_timeline_unprojected_total",
            "Accepted events that are not in the tables, or only in part, by type",
            ["type"],
        )
        self._published = make.counter(
            "tarsy_timeline_events_published_total",
            "Events written to the public topic, repeats included, by type",
            ["type"],
        )
        self._unpublished = make.counter(
            "tarsy_timeline_events_unpublished_total",
            "Accepted events that could not be written to the public topic, by type",
            ["type"],
        )
        for type in EVENTS:
            # An increase is seen only of what was 0 before.
            self._unpublished.labels(type)
        self._event_delay = make.histogram(
            "tarsy_timeline_event_delay_seconds",
            "How long after it was appended to the log an event was in the public topic",
            buckets=SECONDS,
        )
        self._unprojected = make.gauge(
            "tarsy_timeline_unprojected_records", "Records in the table `unprojected`, as this process last read it"
        )
        self._approvals = make.gauge(
            "tarsy_timeline_approvals_waiting",
            "Tool calls that wait for a person, as this process last read the tables",
        )
        self._approvals_oldest = make.gauge(
            "tarsy_timeline_approvals_oldest_seconds",
            "For how long the tool call waits for a person that has waited longest; 0 when none does",
        )
        self._warnings = make.gauge(
            "tarsy_timeline_warnings",
            "Warnings that the API tells now: MCP servers, events that were not projected, sessions that are set aside",
            ["category"],
        )
        self._result_reads = make.counter(
            "tarsy_timeline_result_reads_total",
            "Requests for results of tool calls, by what was asked for and how it was answered",
            ["kind", "outcome"],
        )
        self._redriven = make.counter(
            "tarsy_timeline_dead_letters_redriven_total",
            "Dead letters that an operator wanted to be re-driven, by outcome",
            ["outcome"],
        )
        for outcome in get_args(RedriveOutcome.__value__):
            self._redriven.labels(outcome)
        self._lags: dict[int, tuple[Look, Look]] = {}

    def count_projected(self, types: Mapping[str, int], *, dropped: int) -> None:
        for type, count in types.items():
            self._projected.labels(type if type in EVENTS else OTHER).inc(count)
        self._dropped.inc(dropped)

    def set_aside(self, type: str) -> None:
        self._set_aside.labels(type if type in EVENTS else OTHER).inc()

    def count_published(self, types: Mapping[str, int], appended: Iterable[datetime], now: datetime) -> None:
        """Events that are in the public topic `now`, and when they were appended to the log."""
        for type, count in types.items():
            self._published.labels(type).inc(count)
        for at in appended:
            self._event_delay.observe(max(0.0, (now - at).total_seconds()))

    def count_left_out(self, type: str) -> None:
        self._unpublished.labels(type).inc()

    @contextmanager
    def result_read(self, kind: ResultRead) -> Iterator[None]:
        """Counts the body, by the problem that it raises. A download counts when it begins."""
        outcome: ReadOutcome = "broken_off"
        try:
            yield
            outcome = "ok"
        except ProblemError as problem:
            outcome = "failed" if problem.status >= 500 else "refused"
            raise
        finally:
            self._result_reads.labels(kind, outcome).inc()

    def redriven(self, outcome: RedriveOutcome) -> None:
        self._redriven.labels(outcome).inc()

    def watch_approvals(self, count: Look, oldest_seconds: Look) -> None:
        self._approvals.set_function(count)
        self._approvals_oldest.set_function(oldest_seconds)

    def watch_unprojected(self, count: Look) -> None:
        self._unprojected.set_function(count)

    def watch(self, partition: int, *, records: Look, seconds: Look) -> None:
        """Both are asked when somebody looks: what stands still must not look as it did before."""
        self._lag_records.labels(str(partition)).set_function(records)
        self._lag_seconds.labels(str(partition)).set_function(seconds)
        self._lags[partition] = (records, seconds)

    def lags(self) -> list[tuple[float, float]]:
        """Records and seconds of each partition that is projected here, as they are now."""
        return [(records(), seconds()) for records, seconds in self._lags.values()]

    def watch_warnings(self, count: Callable[[Category], float]) -> None:
        for category in CATEGORIES:
            self._warnings.labels(category).set_function(partial(count, category))

    def forget_others(self, partitions: Collection[int]) -> None:
        """Removes the lag of partitions that others project now: they show it."""
        for partition in self._lags.keys() - set(partitions):
            del self._lags[partition]
            self._lag_records.remove(str(partition))
            self._lag_seconds.remove(str(partition))
