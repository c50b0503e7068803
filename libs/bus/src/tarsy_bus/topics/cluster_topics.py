"""Topics as the cluster has them: those it serves, with their settings, and those it has but cannot serve now."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    InvalidTopicError,
    KafkaError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)
from aiokafka.protocol.metadata import MetadataRequest

from tarsy_bus.client.aiokafka_internals.connections import send_to_any_broker
from tarsy_bus.client.connection import Bus
from tarsy_bus.errors import BusError
from tarsy_bus.topics.cluster_layout import read_recorded_partitions
from tarsy_bus.topics.topic_check import SETTINGS, Present
from tarsy_contracts.wire.topics import LOG_PARTITIONS

ABSENT = tuple(one.errno for one in (UnknownTopicOrPartitionError, TopicAuthorizationFailedError, InvalidTopicError))
"""A topic that we may not describe looks like one that is missing; rights are checked by themselves."""
LISTED = 3
"""Partitions that a sentence names."""
PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ClusterTopics:
    """`unavailable`: why a topic that exists cannot be served now, by its name."""

    present: Mapping[str, Present] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)


class TopicsUnavailableError(BusError, KafkaError):  # type: ignore[misc] # aiokafka is untyped
    """Topics exist, and the cluster cannot serve them now; the message says each of them and why.

    It is an outage and may pass: the caller waits, and the operator looks at the brokers.
    """

    def __init__(self, topics: ClusterTopics) -> None:
        super().__init__("; ".join(f"topic {name}: {why}" for name, why in topics.unavailable.items()))

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The topics that exist. `recorded`: the number on record. `counts`: of the partitions of inbox, log and heads;
    none where log and heads are not both there, and so no session is."""

    topics: ClusterTopics
    recorded: int | None
    counts: Collection[int]

    @property
    def number(self) -> int:
        return self.recorded or min((LOG_PARTITIONS, *self.counts))


async def read_available_cluster(client: AIOKafkaAdminClient, bus: Bus, seconds: float) -> ClusterState:
    """Waits for topics that cannot be served now. Raises TopicsUnavailableError after so many seconds."""
    limit = time.monotonic() + seconds
    while (cluster := await read_cluster(client, bus)).topics.unavailable:
        if time.monotonic() > limit:
            raise TopicsUnavailableError(cluster.topics)
        await asyncio.sleep(PAUSE_SECONDS)
    return cluster


async def read_cluster(client: AIOKafkaAdminClient, bus: Bus) -> ClusterState:
    """Raises KafkaError."""
    topics = await read_topics(client, [topic.name for topic in bus.topics.all()])
    recorded = await read_recorded_partitions(bus) if bus.topics.layout in topics.present else None
    fixed = (bus.topics.inbox, bus.topics.sessions, bus.topics.heads)
    counts = [topics.present[name].partitions for name in fixed if name in topics.present]
    return ClusterState(topics, recorded, counts if {*fixed[1:]} <= topics.present.keys() else ())


async def read_topics(client: AIOKafkaAdminClient, names: Sequence[str]) -> ClusterTopics:
    """The existing ones of these topics; metadata and settings are requested at once. Raises KafkaError."""
    resources = [ConfigResource(ConfigResourceType.TOPIC, name, dict.fromkeys(SETTINGS)) for name in names]
    metadata, configured = await asyncio.gather(read_metadata(client, names), client.describe_configs(resources))
    settings = {row[3]: row for answer in configured for row in answer.resources}
    existing = [topic for topic in metadata["topics"] if topic["error_code"] not in ABSENT]
    reasons = {topic["topic"]: _why_unavailable(topic, settings.get(topic["topic"])) for topic in existing}
    return ClusterTopics(
        present={
            topic["topic"]: _to_present(topic["partitions"], settings[topic["topic"]])
            for topic in existing
            if not reasons[topic["topic"]]
        },
        unavailable={name: why for name, why in reasons.items() if why},
    )


async def read_metadata(client: AIOKafkaAdminClient, topics: Collection[str]) -> Mapping[str, Any]:
    """Metadata of the cluster and of these topics. aiokafka's own requests create a named topic. Without names they
    return all topics of the cluster, which may be thousands.
    """
    answer = await send_to_any_broker(client, MetadataRequest([*topics], allow_auto_topic_creation=False))
    found: Mapping[str, Any] = answer.to_object()
    return found


def _why_unavailable(topic: Mapping[str, Any], settings: Sequence[Any] | None) -> str:
    if topic["error_code"]:
        return f"the broker answers {for_code(topic['error_code']).__name__}"
    partitions = topic["partitions"]
    leaderless = sorted(one["partition"] for one in partitions if one["leader"] < 0)
    if leaderless:
        return f"{len(leaderless)} of {len(partitions)} partitions have no leader ({_join_first_numbers(leaderless)})"
    if settings is None or settings[0] == UnknownTopicOrPartitionError.errno:
        return "the brokers do not agree yet whether it is there"
    return ""


def _join_first_numbers(numbers: Sequence[int]) -> str:
    return ", ".join([*map(str, numbers[:LISTED]), *(["..."] if len(numbers) > LISTED else [])])


def _to_present(partitions: Sequence[Mapping[str, Sequence[int]]], settings: Sequence[Any]) -> Present:
    copies = min(len(partition["replicas"]) for partition in partitions)
    error, entries = settings[0], settings[4]
    if error:
        return Present(len(partitions), copies, unreadable=for_code(error).__name__)
    return Present(len(partitions), copies, {entry[0]: entry[1] for entry in entries})
