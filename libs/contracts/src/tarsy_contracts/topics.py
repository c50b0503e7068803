"""The topics, in one table."""

from dataclasses import dataclass

LIMIT_BYTES = 4 * 1024 * 1024
"""Bounds every record and every batch that we write. What can outgrow it goes by reference."""

LOG_PARTITIONS = 12
"""Inbox, log, heads and held: the same number, fixed for the life of the cluster."""
QUEUE_PARTITIONS = 24

HOUR = 3_600_000
DAY = 24 * HOUR
FOREVER = -1


@dataclass(frozen=True, slots=True)
class Topic:
    """`retention_ms` is FOREVER or the time after which the broker may delete a record."""

    name: str
    partitions: int
    retention_ms: int
    compacted: bool = False

    def settings(self) -> dict[str, str]:
        policy = {"cleanup.policy": "compact"} if self.compacted else {"cleanup.policy": "delete"}
        return policy | {
            "retention.ms": str(self.retention_ms),
            # Also where the cluster's own default is to delete what outgrows a size.
            "retention.bytes": "-1",
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(LIMIT_BYTES + 64 * 1024),
        }


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
    def workers(self) -> str:
        return f"{self.prefix}.workers"

    @property
    def dead_letters(self) -> str:
        return f"{self.prefix}.dead-letters"

    def all(self) -> tuple[Topic, ...]:
        return (
            Topic(self.alerts, LOG_PARTITIONS, 7 * DAY),
            Topic(self.inbox, LOG_PARTITIONS, 7 * DAY),
            Topic(self.sessions, LOG_PARTITIONS, FOREVER),
            Topic(self.heads, LOG_PARTITIONS, FOREVER, compacted=True),
            Topic(self.held, LOG_PARTITIONS, FOREVER, compacted=True),
            Topic(self.tool_calls, QUEUE_PARTITIONS, HOUR),
            Topic(self.summaries, QUEUE_PARTITIONS, HOUR),
            Topic(self.results, QUEUE_PARTITIONS, 28 * DAY),
            Topic(self.stream, QUEUE_PARTITIONS, HOUR),
            Topic(self.control, 4, HOUR // 4),
            Topic(self.catalog, 1, FOREVER, compacted=True),
            Topic(self.workers, 1, HOUR // 4),
            Topic(self.dead_letters, 4, 28 * DAY),
        )
