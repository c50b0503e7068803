"""Probe of a cluster, for people who look for what is wrong: its brokers, their addresses and their age."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from aiokafka.protocol.admin import ApiVersionRequest

from tarsy_bus.client.aiokafka_internals.connections import send_to_any_broker, try_connection
from tarsy_bus.client.connection import Bus

FETCH, DESCRIBE_TRANSACTIONS = 1, 65
OLDEST_FETCH_OF_4 = 4
"""Kafka 4.0 has removed older versions of the request (KIP-896)."""
ADDRESS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker with the address that it advertises."""

    id: int
    host: str
    port: int

    def __str__(self) -> str:
        return f"broker {self.id} at {self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    id: str
    brokers: Sequence[BrokerAddress]
    age: str
    is_too_old: bool


async def describe(client: AIOKafkaAdminClient) -> ClusterFacts:
    """Raises KafkaError."""
    described = await client.describe_cluster()
    answer = (await send_to_any_broker(client, ApiVersionRequest())).to_object()
    versions = {row["api_key"]: row["min_version"] for row in answer["api_versions"]}
    return ClusterFacts(
        id=str(described["cluster_id"]),
        brokers=[BrokerAddress(row["node_id"], row["host"], row["port"]) for row in described["brokers"]],
        age=_describe_version(versions),
        is_too_old=DESCRIBE_TRANSACTIONS not in versions,
    )


async def unreachable(bus: Bus, brokers: Sequence[BrokerAddress]) -> list[BrokerAddress]:
    """Brokers whose advertised address leads nowhere from here. All are tried at once."""
    reached = await asyncio.gather(*(_is_reached(bus, broker) for broker in brokers))
    return [broker for broker, there in zip(brokers, reached, strict=True) if not there]


async def _is_reached(bus: Bus, broker: BrokerAddress) -> bool:
    try:
        async with asyncio.timeout(ADDRESS_SECONDS):
            await try_connection(broker.host, broker.port, bus.client_arguments)
    except (OSError, KafkaError):
        return False
    return True


def _describe_version(oldest: Mapping[int, int]) -> str:
    """Brokers tell which requests they take, not their version. `oldest`: by the number of the request."""
    if DESCRIBE_TRANSACTIONS not in oldest:
        return "older than 3.0, or not Apache Kafka"
    return "4.0 or newer" if oldest.get(FETCH, 0) >= OLDEST_FETCH_OF_4 else "3.0 or newer, before 4.0"
