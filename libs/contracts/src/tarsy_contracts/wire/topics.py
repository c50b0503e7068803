"""The topics, in one table."""

from dataclasses import dataclass

LIMIT_BYTES = 4 * 1024 * 1024
"""Bounds every record and every batch that we write. Content that can outgrow it goes by reference."""

LOG_PARTITIONS = 12
"""Inbox, log, heads, held and events: the same number, fixed for the life of the cluster. This one, where the first
`tarsy topics apply` was told no other; `ClusterLayout` says which."""
QUEUE_PARTITIONS = 24

HOUR = 3_600_000
DAY = 24 * HOUR
FOREVER = -1
EVENTS_KEPT_MS = 7 * DAY
"""How long the public topic keeps an event, where the first `tarsy topics apply` was told no other."""
SEGMENTS = 4
"""In how many steps a broker deletes a topic that is kept for a day at most: it deletes whole segments."""


@dataclass(frozen=True, slots=True)
class Topic:
    """`retention_ms` is FOREVER or the time after which the broker may delete a record.

    `may_grow`: partitions that somebody adds are used like ours. Each process writes to them from its next start on;
    readers find them by themselves.
    """

    name: str
    partitions: int
    retention_ms: int
    compacted: bool = False
    may_grow: bool = False

    def settings(self, copies: int = 1) -> dict[str, str]:
        """`copies`: of each partition. With three, acknowledged records are on at least two brokers."""
        own = {"cleanup.policy": "compact" if self.compacted else "delete"}
        if 0 < self.retention_ms <= DAY:
            # Kafka's own default is a week: so long would the first record of an hour's topic be kept.
            own["segment.ms"] = str(self.retention_ms // SEGMENTS)
        return own | {
            "retention.ms": str(self.retention_ms),
            # Also where the cluster's own default is to delete what outgrows a size.
            "retention.bytes": "-1",
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(LIMIT_BYTES + 64 * 1024),
            # Also where the cluster's own default is to compress everything again.
            "compression.type": "producer",
            "min.insync.replicas": str(in_sync_copies(copies)),
            "unclean.leader.election.enable": "false",
        }


def in_sync_copies(copies: int) -> int:
    """With fewer than three, a broker that is away would stop all writes."""
    return 2 if copies >= 3 else 1


@dataclass(frozen=True, slots=True)
class Topics:
    """All topic names under one prefix. Two systems with different prefixes can share a cluster."""

    prefix: str = "tarsy"

    @property
    def alerts(self) -> str:
        return f"{self.prefix}.alerts"

    @property
    def inbox(self) -> str:
        return f"{self.prefix}.inbox"

    @property
    def sessions(self) -> str:
        return f"{self.prefix}.sessions"

    @property
    def heads(self) -> str:
        return f"{self.prefix}.heads"

    @property
    def held(self) -> str:
        return f"{self.prefix}.held"

    @property
    def tool_calls(self) -> str:
        return f"{self.prefix}.tool-calls"

    @property
    def summaries(self) -> str:
        return f"{self.prefix}.summaries"

    @property
    def results(self) -> str:
        return f"{self.prefix}.results"

    @property
    def stream(self) -> str:
        return f"{self.prefix}.stream"

    @property
    def control(self) -> str:
        return f"{self.prefix}.control"

    @property
    def catalog(self) -> str:
        return f"{self.prefix}.catalog"

    @property
    def mcp_tokens(self) -> str:
        return f"{self.prefix}.mcp-tokens"

    @property
    def workers(self) -> str:
        return f"{self.prefix}.workers"

    @property
    def dead_letters(self) -> str:
        return f"{self.prefix}.dead-letters"

    @property
    def audit(self) -> str:
        return f"{self.prefix}.audit"

    @property
    def events(self) -> str:
        return f"{self.prefix}.events"

    @property
    def layout(self) -> str:
        return f"{self.prefix}.layout"

    def all(self, log_partitions: int = LOG_PARTITIONS) -> tuple[Topic, ...]:
        return (
            Topic(self.alerts, log_partitions, 7 * DAY, may_grow=True),
            Topic(self.inbox, log_partitions, 7 * DAY),
            Topic(self.sessions, log_partitions, FOREVER),
            Topic(self.heads, log_partitions, FOREVER, compacted=True),
            Topic(self.held, log_partitions, FOREVER, compacted=True),
            Topic(self.tool_calls, QUEUE_PARTITIONS, HOUR, may_grow=True),
            Topic(self.summaries, QUEUE_PARTITIONS, HOUR, may_grow=True),
            Topic(self.results, QUEUE_PARTITIONS, 28 * DAY, may_grow=True),
            Topic(self.stream, QUEUE_PARTITIONS, HOUR),
            Topic(self.control, 4, HOUR // 4),
            Topic(self.catalog, 1, FOREVER, compacted=True),
            Topic(self.mcp_tokens, 1, FOREVER, compacted=True),
            Topic(self.workers, 1, HOUR // 4),
            Topic(self.dead_letters, 4, 28 * DAY, may_grow=True),
            Topic(self.audit, 1, 365 * DAY),
            Topic(self.events, log_partitions, EVENTS_KEPT_MS),
            Topic(self.layout, 1, FOREVER),
        )
