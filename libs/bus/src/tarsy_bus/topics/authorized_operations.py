"""Two questions that tell what a user may do on Kafka, which aiokafka does not ask: none of them does anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import override

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupAuthorizationFailedError, TopicAuthorizationFailedError
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.group import HeartbeatRequest
from aiokafka.protocol.types import Array, Boolean, Int16, Int32, Schema, String

from tarsy_bus.client.aiokafka_internals.connections import send_to_any_broker
from tarsy_bus.topics.kafka_rights import Operation

NOT_TOLD = -(2**31)
BITS: Mapping[Operation, int] = {"Read": 3, "Write": 4, "Create": 5, "Delete": 6, "Describe": 8, "DescribeConfigs": 10}
"""The number of each operation is its bit in an answer."""
NO_MEMBER = "none"
METADATA = 3
VERSION = 8
"""The first version that tells operations; Kafka has it since 2.3."""


class TopicOperationsResponse(Response):  # type: ignore[misc] # aiokafka is untyped
    API_KEY = METADATA
    API_VERSION = VERSION
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            Array(("node_id", Int32), ("host", String("utf-8")), ("port", Int32), ("rack", String("utf-8"))),
        ),
        ("cluster_id", String("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            Array(
                ("error_code", Int16),
                ("topic", String("utf-8")),
                ("is_internal", Boolean),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", Array(Int32)),
                        ("isr", Array(Int32)),
                        ("offline_replicas", Array(Int32)),
                    ),
                ),
                ("authorized_operations", Int32),
            ),
        ),
        ("cluster_authorized_operations", Int32),
    )


class TopicOperationsRequestStruct(RequestStruct):  # type: ignore[misc]
    API_KEY = METADATA
    API_VERSION = VERSION
    RESPONSE_TYPE = TopicOperationsResponse
    SCHEMA = Schema(
        ("topics", Array(String("utf-8"))),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_authorized_operations", Boolean),
        ("include_topic_authorized_operations", Boolean),
    )


class TopicOperationsRequest(Request[TopicOperationsRequestStruct]):  # type: ignore[misc]
    API_KEY = METADATA

    def __init__(self, topics: Sequence[str]) -> None:
        self._topics = list(topics)

    @override
    def build(self, request_struct_class: type[TopicOperationsRequestStruct]) -> TopicOperationsRequestStruct:
        return request_struct_class(self._topics, False, False, True)


@dataclass(frozen=True, slots=True)
class TopicOperations:
    """Our operations on a topic, as a broker tells them. `bits` by BITS; they count where there is no error."""

    error: int
    bits: int

    def lacks(self, operation: Operation) -> bool:
        if self.error == TopicAuthorizationFailedError.errno:
            return True
        return self.error == 0 and self.bits != NOT_TOLD and not self.bits >> BITS[operation] & 1


async def topic_operations(client: AIOKafkaAdminClient, topics: Sequence[str]) -> dict[str, TopicOperations]:
    """Raises KafkaError.

    NotImplementedError comes of a broker that is too old for the question.
    """
    answer = await send_to_any_broker(client, TopicOperationsRequest(topics))
    rows = answer.to_object()["topics"]
    return {row["topic"]: TopicOperations(row["error_code"], row["authorized_operations"]) for row in rows}


async def may_read_group(client: AIOKafkaAdminClient, group: str) -> bool:
    """A broker looks at the rights first, then whether it knows the member, which there is not. Raises KafkaError."""
    answer = await send_to_any_broker(client, HeartbeatRequest(group, 0, NO_MEMBER))
    return bool(answer.error_code != GroupAuthorizationFailedError.errno)
