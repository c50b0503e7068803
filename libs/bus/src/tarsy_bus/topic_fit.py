"""Which settings a topic has to have: correctness rests on these, and Kafka allows others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tarsy_contracts.topics import FOREVER, Topic

TIMESTAMPS = "message.timestamp.type"
POLICY = "cleanup.policy"
LARGEST = "max.message.bytes"
RETENTION = "retention.ms"
RETENTION_BYTES = "retention.bytes"
SETTINGS = (TIMESTAMPS, POLICY, LARGEST, RETENTION, RETENTION_BYTES)
UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class Present:
    """A topic as the cluster has it. `unreadable` says why its settings are not known."""

    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """What the cluster has, against what this version needs. `remarks` are differences that do no harm to the truth."""

    missing: Sequence[Topic]
    misfits: Sequence[str]
    remarks: Sequence[str]


def fit(wanted: Sequence[Topic], present: Mapping[str, Present]) -> Fit:
    there = [(topic, present[topic.name]) for topic in wanted if topic.name in present]
    return Fit(
        missing=[topic for topic in wanted if topic.name not in present],
        misfits=[f"topic {topic.name} {wrong}" for topic, found in there for wrong in _wrong(topic, found)],
        remarks=[f"topic {topic.name} {short}" for topic, found in there for short in _short(topic, found)],
    )


def _wrong(topic: Topic, found: Present) -> Iterator[str]:
    if found.partitions != topic.partitions:
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


def _short(topic: Topic, found: Present) -> Iterator[str]:
    if topic.compacted or _is_kept_for_ever(topic) or found.unreadable:
        return
    kept = int(found.settings.get(RETENTION, UNLIMITED))
    if UNLIMITED < kept < topic.retention_ms:
        yield f"has {RETENTION}={kept}, less than {topic.retention_ms}"
    if (size := found.settings.get(RETENTION_BYTES, str(UNLIMITED))) != str(UNLIMITED):
        yield f"has {RETENTION_BYTES}={size}: what is larger loses its oldest records sooner"


def _is_kept_for_ever(topic: Topic) -> bool:
    return topic.retention_ms == FOREVER and not topic.compacted
