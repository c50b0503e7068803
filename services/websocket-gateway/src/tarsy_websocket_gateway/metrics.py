"""What the gateway counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.connections = Gauge("tarsy_websocket_connections", "Clients that are connected", registry=registry)
        self.sent = Counter("tarsy_websocket_messages_sent_total", "Messages sent to clients", registry=registry)
        self.dropped = Counter(
            "tarsy_websocket_clients_dropped_total",
            "Clients that were closed as they read too slowly",
            registry=registry,
        )
