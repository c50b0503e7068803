"""Prometheus metrics of the ingest."""

from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from prometheus_client import CollectorRegistry

from tarsy_contracts.alert import ALERT_SOURCES, AlertSource
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_service.telemetry.metric_kinds import MetricKinds

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15)

type AlertOutcome = Literal[
    "queued",
    "resolved",
    "ignored",
    "refused",
    "dead_letter",
    "not_written",
    "turned_away",
    "queue_full",
    "rate_limited",
]
REFUSED_WITH = (207, 400, 401, 413, 415, 422, 429)
"""Statuses of refusals; 207: of one alert among others."""
type BurialReason = Literal["refused", "too_large", "unparsable", "unforeseen"]


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        make = MetricKinds(registry)
        self._alerts = make.counter(
            "tarsy_ingest_alerts_total",
            "Alerts by how they came and what became of them; not_written counts each try, turned_away each request "
            "that was answered 503 at once, queue_full each that was because as many sessions wait as may, "
            "rate_limited each that was answered 429",
            ["source", "outcome"],
        )
        self._dead_letters = make.counter(
            "tarsy_ingest_dead_letters_total",
            "Records of the alerts topic that went to the dead letters, by reason",
            ["reason"],
        )
        self._refusals = make.counter(
            "tarsy_ingest_refusals_total",
            "Requests of senders that were refused, by the door and the status; 207 counts each wrong alert of a "
            "webhook whose others were taken. The log line alert.refused says why",
            ["door", "status"],
        )
        self._duration = make.histogram(
            "tarsy_ingest_intake_duration_seconds",
            "From an alert that was read to the moment when the inbox has it: masking and the write",
            buckets=SECONDS,
        )
        self._reader_failing = make.gauge(
            "tarsy_ingest_alerts_topic_failing",
            "1 while the alerts topic cannot be read; alerts over HTTP are taken all the same",
        )
        self._reader_failures = make.counter(
            "tarsy_ingest_alerts_topic_failures_total",
            "Times that reading the alerts topic failed; it is tried again with growing pauses",
        )
        self._pending = make.gauge(
            "tarsy_ingest_sessions_pending",
            "Sessions that wait, as owners announce it, and alerts accepted here that are not decided; above "
            "`queue.max_pending` alerts are sent away",
        )
        self._alerts_of = cache(self._alerts.labels)
        # From zero: an increase from nothing to one is none for Prometheus.
        for source in dict.fromkeys((*ALERT_SOURCES, *(form.source for form in FORMATS))):
            for outcome in get_args(AlertOutcome.__value__):
                self._alerts.labels(source, outcome)
        for reason in get_args(BurialReason.__value__):
            self._dead_letters.labels(reason)
        for door in ("api", *(form.source for form in FORMATS)):
            for status in REFUSED_WITH:
                self._refusals.labels(door, status)

    def count_refused(self, door: str, status: int) -> None:
        self._refusals.labels(door, status).inc()

    def watch(self, *, pending: Callable[[], int]) -> None:
        self._pending.set_function(pending)

    def count(self, source: AlertSource, outcome: AlertOutcome) -> None:
        self._alerts_of(source, outcome).inc()

    def count_buried(self, reason: BurialReason) -> None:
        self._dead_letters.labels(reason).inc()
        self.count("kafka", "dead_letter")

    def reads_alerts(self) -> None:
        self._reader_failing.set(0)

    def fails_to_read_alerts(self) -> None:
        self._reader_failing.set(1)
        self._reader_failures.inc()

    def count_queued(self, source: AlertSource, seconds: float) -> None:
        self._duration.observe(seconds)
        self.count(source, "queued")
