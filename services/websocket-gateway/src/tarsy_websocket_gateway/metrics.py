"""Prometheus metrics of the websocket-gateway."""

from collections.abc import Callable
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge

type DropReason = Literal["too_slow", "starting", "full", "expired"]
"""too_slow: it did not read; starting: log and timeline were not found yet; full: this instance has as
many as it may; expired: its credential has."""


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.connections = Gauge("tarsy_websocket_gateway_connections", "Clients that are connected", registry=registry)
        self._subscriptions = Gauge(
            "tarsy_websocket_gateway_subscriptions", "Channels that clients are subscribed to", registry=registry
        )
        self.sent = Counter(
            "tarsy_websocket_gateway_messages_sent_total", "Messages sent to clients", registry=registry
        )
        self._dropped = Counter(
            "tarsy_websocket_gateway_clients_dropped_total",
            "Clients that the gateway closed, or did not let in",
            ["reason"],
            registry=registry,
        )
        self.chunks = Counter(
            "tarsy_websocket_gateway_chunks_total",
            "Pieces of answers that were read for somebody who watches",
            registry=registry,
        )
        self._lag = Gauge(
            "tarsy_websocket_gateway_log_lag_seconds",
            "How long ago the last event that was read was appended, or none waited any more; 0 when none waits",
            registry=registry,
        )
        self._partitions = Gauge(
            "tarsy_websocket_gateway_log_partitions",
            "Partitions of the session log that are read, as somebody watches a session of them, or the list",
            registry=registry,
        )
        for reason in get_args(DropReason.__value__):
            self._dropped.labels(reason)

    def count_dropped(self, reason: DropReason) -> None:
        self._dropped.labels(reason).inc()

    def watch(
        self, *, subscriptions: Callable[[], int], lag_seconds: Callable[[], float], partitions: Callable[[], int]
    ) -> None:
        """They are asked when somebody looks."""
        self._partitions.set_function(partitions)
        self._subscriptions.set_function(subscriptions)
        self._lag.set_function(lag_seconds)
