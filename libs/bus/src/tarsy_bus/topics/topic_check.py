"""Which settings a topic has to have: correctness rests on these, and Kafka allows others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tarsy_contracts.wire.topics import FOREVER, Topic, in_sync_copies

TIMESTAMPS = "message.timestamp.type"
POLICY = "cleanup.policy"
LARGEST = "max.message.bytes"
RETENTION = "retention.ms"
RETENTION_BYTES = "retention.bytes"
COMPRESSION = "compression.type"
IN_SYNC = "min.insync.replicas"
UNCLEAN = "unclean.leader.election.enable"
SEGMENT = "segment.ms"
SETTINGS = (TIMESTAMPS, POLICY, LARGEST, RETENTION, RETENTION_BYTES, COMPRESSION, IN_SYNC, UNCLEAN, SEGMENT)
OPTIONAL = (SEGMENT, COMPRESSION, IN_SYNC, UNCLEAN, RETENTION_BYTES)
"""Settings that a topic may be made without, where a cluster's policy refuses them: its own defaults hold then."""
UNLIMITED = -1
NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Present:
    """A topic as the cluster has it, with so many copies of each partition. `unreadable`: why its settings are not
    known."""

    partitions: int
    copies: int = 1
    settings: Mapping[str, str] = field(default_factory=dict)
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """The cluster's topics against those this version needs. `remarks`: differences that do no harm to the truth.

    `unavailable`: topics that the cluster has and cannot serve now, with the reason; nothing else is known of them.
    """

    missing: Sequence[Topic]
    misfits: Sequence[str]
    remarks: Sequence[str]
    unavailable: Sequence[str] = ()


def fit(wanted: Sequence[Topic], present: Mapping[str, Present], unavailable: Mapping[str, str] = NONE) -> Fit:
    """`unavailable`: the reason by the topic's name."""
    there = [(topic, present[topic.name]) for topic in wanted if topic.name in present]
    return Fit(
        missing=[topic for topic in wanted if topic.name not in present and topic.name not in unavailable],
        unavailable=[f"topic {topic.name}: {unavailable[topic.name]}" for topic in wanted if topic.name in unavailable],
        misfits=[f"topic {topic.name} {wrong}" for topic, found in there for wrong in _describe_misfits(topic, found)],
        remarks=[f"topic {topic.name} {one}" for topic, found in there for one in _describe_oddities(topic, found)],
    )


def _describe_misfits(topic: Topic, found: Present) -> Iterator[str]:
    if found.partitions < topic.partitions:
        yield f"has {found.partitions} partitions, not {topic.partitions}"
    if found.unreadable:
        yield f"does not tell its settings ({found.unreadable})"
        return
    wanted = topic.settings()
    for name in (TIMESTAMPS, POLICY):
        if (value := found.settings.get(name)) != wanted[name]:
            yield f"has {name}={value}, not {wanted[name]}"
    if int(found.settings.get(LARGEST, 0)) < int(wanted[LARGEST]):
        yield f"has {LARGEST}={found.settings.get(LARGEST)}, less than {wanted[LARGEST]}"
    if _is_kept_for_ever(topic):
        for name in (RETENTION, RETENTION_BYTES):
            if (value := found.settings.get(name)) != wanted[name]:
                yield f"has {name}={value}, not {wanted[name]}"


def _describe_oddities(topic: Topic, found: Present) -> Iterator[str]:
    if found.partitions > topic.partitions and not topic.may_grow:
        yield f"has {found.partitions} partitions: {topic.partitions} are used, as before somebody grew it"
    if not found.unreadable:
        yield from _describe_not_durable(found)
        if (value := found.settings.get(COMPRESSION, "producer")) != "producer":
            yield f"has {COMPRESSION}={value}: the broker compresses each record again, which costs it time"
        yield from _describe_short_retention(topic, found)


def _describe_not_durable(found: Present) -> Iterator[str]:
    """Absent settings are those of a cluster that does not tell them: nothing is said of these."""
    wanted, in_sync = in_sync_copies(found.copies), int(found.settings.get(IN_SYNC, 0))
    if 0 < in_sync < wanted:
        yield f"has {IN_SYNC}={in_sync}, less than {wanted}: acknowledged records may be lost with one broker"
    if in_sync > found.copies:
        yield f"has {IN_SYNC}={in_sync}, but {found.copies} copies: it takes no records"
    if (value := found.settings.get(UNCLEAN, "false")) != "false":
        yield f"has {UNCLEAN}={value}: acknowledged records may be lost when brokers fail"


def _describe_short_retention(topic: Topic, found: Present) -> Iterator[str]:
    if topic.compacted or _is_kept_for_ever(topic):
        return
    longest = topic.settings().get(SEGMENT)
    if longest is not None and int(value := found.settings.get(SEGMENT, longest)) > int(longest):
        yield f"has {SEGMENT}={value}, more than {longest}: its records are kept so much longer"
    kept = int(found.settings.get(RETENTION, UNLIMITED))
    if UNLIMITED < kept < topic.retention_ms:
        yield f"has {RETENTION}={kept}, less than {topic.retention_ms}"
    if (size := found.settings.get(RETENTION_BYTES, str(UNLIMITED))) != str(UNLIMITED):
        yield f"has {RETENTION_BYTES}={size}: what is larger loses its oldest records sooner"


def _is_kept_for_ever(topic: Topic) -> bool:
    return topic.retention_ms == FOREVER and not topic.compacted
