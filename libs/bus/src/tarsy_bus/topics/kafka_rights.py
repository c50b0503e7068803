"""Least rights on Kafka: which operations each service needs on which topics and groups.

Kafka derives Describe from Read and from Write. A producer of ours is idempotent, which since Kafka 2.8 needs no right
beyond Write on some topic; nothing here uses transactions, and only a retention run deletes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from tarsy_contracts.wire.topics import Topics

type Operation = Literal["Read", "Write", "Create", "Delete", "Describe", "DescribeConfigs"]
type Resource = Literal["topic", "group"]

PRINCIPAL_PREFIX = "User:tarsy-"
LOOKING: tuple[Operation, ...] = ("Describe", "DescribeConfigs")
"""For the check of all topics at the start of a service."""


@dataclass(frozen=True, slots=True)
class Right:
    """Operations on one topic or group, or, `prefixed`, on all whose names begin so."""

    resource: Resource
    name: str
    operations: tuple[Operation, ...]
    prefixed: bool = False

    def covers(self, resource: str, name: str) -> bool:
        return resource == self.resource and (name.startswith(self.name) if self.prefixed else name == self.name)


@dataclass(frozen=True, slots=True)
class KafkaUser:
    """One user of Kafka, `purpose` for people. Topics and groups are named without the prefix; a `*` ends the name of a
    group where all groups are meant whose names begin so.

    `checks`: it looks at the settings of all topics. `is_union`: it stands in for others. `optional_reads`: those of
    `reads` without which it does its work, and says what it goes without.
    """

    name: str
    purpose: str
    reads: tuple[str, ...] = ()
    optional_reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    checks: bool = True
    creates: bool = False
    is_union: bool = False

    def rights(self, topics: Topics) -> tuple[Right, ...]:
        """Each topic and group once."""
        return tuple(_merge_rights(self._list_rights(topics.prefix)))

    def list_required_rights(self, topics: Topics) -> tuple[Right, ...]:
        """Those without which it does not start."""
        needed = tuple(topic for topic in self.reads if topic not in self.optional_reads)
        return replace(self, reads=needed).rights(topics)

    def _list_rights(self, prefix: str) -> Iterator[Right]:
        if self.checks:
            creating: tuple[Operation, ...] = ("Create",) if self.creates else ()
            yield Right("topic", f"{prefix}.", (*creating, *LOOKING), prefixed=True)
        for topic in self.reads:
            yield Right("topic", f"{prefix}.{topic}", ("Read",))
        for topic in self.writes:
            yield Right("topic", f"{prefix}.{topic}", ("Write",))
        for topic in self.deletes:
            yield Right("topic", f"{prefix}.{topic}", ("Delete",))
        for group in self.groups:
            yield Right("group", f"{prefix}.{group.removesuffix('*')}", ("Read",), prefixed=group.endswith("*"))


INGEST = KafkaUser(
    "ingest",
    "alerts over HTTP and from `alerts`; heads show it the sessions that alerts join, workers how many sessions wait,"
    " the catalog which tools an alert may name",
    reads=("alerts", "heads", "workers", "catalog", "layout"),
    optional_reads=("catalog",),
    writes=("inbox", "dead-letters", "audit"),
    groups=("ingest",),
)
ORCHESTRATOR = KafkaUser(
    "orchestrator",
    "decides: the only writer of the session log",
    reads=("inbox", "sessions", "heads", "held", "catalog", "workers", "layout"),
    writes=(
        *("inbox", "sessions", "heads", "held", "tool-calls", "summaries", "stream", "control", "catalog", "workers"),
        "dead-letters",
    ),
    groups=("orchestrator",),
)
TOOL_GATEWAY = KafkaUser(
    "tool-gateway",
    "runs tools",
    reads=("tool-calls", "control", "sessions", "results", "mcp-tokens", "layout"),
    writes=("inbox", "results", "stream", "catalog", "mcp-tokens", "workers", "dead-letters"),
    groups=("tool-gateway",),
)
SUMMARIZER = KafkaUser(
    "summarizer",
    "summarizes long results",
    reads=("summaries", "control", "sessions", "results", "layout"),
    writes=("inbox", "stream", "workers", "dead-letters"),
    groups=("summarizer",),
)
TIMELINE = KafkaUser(
    "timeline",
    "API and PostgreSQL; a rebuild beside the live tables has a group of its own. It re-drives dead letters, and"
    " publishes `events`, where it reads how far they are published. In the catalog it writes the switch of actions",
    reads=("sessions", "catalog", "workers", "held", "control", "results", "dead-letters", "events", "layout"),
    writes=("inbox", "alerts", "dead-letters", "events", "audit", "catalog"),
    groups=("timeline*",),
)
WEBSOCKET_GATEWAY = KafkaUser(
    "websocket-gateway",
    "shows investigations live; logins at the page are on record",
    reads=("sessions", "stream", "layout"),
    writes=("audit",),
)
NOTIFIER = KafkaUser(
    "notifier",
    "tells Slack and webhooks; each receiver has a group of its own",
    reads=("events", "layout"),
    groups=("notifier*",),
)
SERVICES = (INGEST, ORCHESTRATOR, TOOL_GATEWAY, SUMMARIZER, TIMELINE, WEBSOCKET_GATEWAY, NOTIFIER)

TOPICS_APPLY = KafkaUser(
    "topics-apply",
    "`tarsy topics apply`; heads tell how many partitions there were, should that record be lost",
    reads=("layout", "heads"),
    writes=("layout",),
    creates=True,
)
RETENTION = KafkaUser(
    "retention",
    "`tarsy retention`: deletes records of the session log below every session that is still wanted",
    reads=("sessions", "heads", "layout"),
    deletes=("sessions",),
)
HEADS_REBUILD = KafkaUser(
    "heads-rebuild",
    "`tarsy heads rebuild`: makes the heads of a partition from its log, and sees whether an orchestrator owns it",
    reads=("sessions", "heads", "workers", "layout"),
    writes=("heads",),
)
UP = KafkaUser(
    "up",
    "`tarsy up --kafka`: all services and the topics, with one user",
    reads=tuple(dict.fromkeys(topic for user in SERVICES for topic in user.reads)),
    writes=tuple(dict.fromkeys(topic for user in (*SERVICES, TOPICS_APPLY) for topic in user.writes)),
    groups=tuple(group for user in SERVICES for group in user.groups),
    creates=True,
    is_union=True,
)
SERVERS_LOGIN = KafkaUser(
    "servers-login",
    "`tarsy servers login` and `logout`: writes a person's consent for an MCP server, encrypted, and who asked for it",
    reads=("mcp-tokens",),
    writes=("mcp-tokens", "audit"),
    checks=False,
)
ALERT_SENDER = KafkaUser("alert-sender", "systems that send alerts", writes=("alerts",), checks=False)
READER = KafkaUser(
    "reader",
    "systems that read investigations, with results that are too long for the log",
    reads=("sessions", "results"),
    groups=("reader*",),
    checks=False,
)
AUDITOR = KafkaUser(
    "auditor",
    "`tarsy audit`: who asked for what",
    reads=("audit",),
    checks=False,
)
CONSUMER = KafkaUser(
    "consumer",
    "other teams' programs that follow `events`, and nothing else",
    reads=("events",),
    groups=("consumer*",),
    checks=False,
)
USERS: Mapping[str, KafkaUser] = {
    user.name: user
    for user in (
        *SERVICES,
        TOPICS_APPLY,
        RETENTION,
        HEADS_REBUILD,
        UP,
        SERVERS_LOGIN,
        ALERT_SENDER,
        READER,
        AUDITOR,
        CONSUMER,
    )
}


def _merge_rights(rights: Iterable[Right]) -> Iterator[Right]:
    found: dict[tuple[Resource, str, bool], tuple[Operation, ...]] = {}
    for right in rights:
        key = (right.resource, right.name, right.prefixed)
        found[key] = (*found.get(key, ()), *right.operations)
    for (resource, name, prefixed), operations in found.items():
        yield Right(resource, name, tuple(dict.fromkeys(operations)), prefixed)
