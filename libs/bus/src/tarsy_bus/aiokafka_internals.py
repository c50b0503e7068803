"""Private parts of aiokafka, all in one place: what it has no public way for.

`missing_parts` says which of them an upgrade has moved; a test asks it.
"""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from types import FunctionType

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient
from aiokafka.cluster import ClusterMetadata
from aiokafka.consumer.fetcher import Fetcher, PartitionRecords
from aiokafka.errors import KafkaError
from aiokafka.producer.message_accumulator import BatchBuilder, MessageAccumulator
from aiokafka.producer.sender import Sender
from aiokafka.record.default_records import DefaultRecordBatch
from aiokafka.record.legacy_records import LegacyRecordBatch
from aiokafka.record.util import decode_varint

__all__ = [
    "BatchBuilder",
    "DefaultRecordBatch",
    "Fetcher",
    "LegacyRecordBatch",
    "PartitionRecords",
    "abandon",
    "copy_with_names",
    "decode_varint",
    "fetch_task_died",
    "missing_parts",
    "pace_metadata",
    "send_task_died",
]

type Client = AIOKafkaProducer | AIOKafkaConsumer | AIOKafkaAdminClient

MOST_UPDATES, UPDATES_SECONDS = 5, 1.0
"""Limit of requests for metadata, and the seconds that it holds for. A client asks less at its start."""

COORDINATOR_TASKS = ("_coordination_task", "_heartbeat_task", "_commit_refresh_task", "_reset_committed_task")
READ_BY_US: tuple[tuple[type, str, tuple[str, ...]], ...] = (
    (AIOKafkaProducer, "__init__", ("_sender", "_message_accumulator", "client")),
    (AIOKafkaConsumer, "__init__", ("_client", "_coordinator", "_fetcher")),
    (AIOKafkaConsumer, "start", ("Fetcher",)),
    (AIOKafkaAdminClient, "__init__", ("_client",)),
    (AIOKafkaClient, "_md_synchronizer", ("_metadata_update",)),
    (Sender, "sender_task", ()),
    (MessageAccumulator, "fail_all", ()),
    (Fetcher, "__init__", ("_fetch_task", "_pending_tasks", "_closed")),
    (Fetcher, "_proc_fetch_request", ("MemoryRecords", "PartitionRecords")),
    (PartitionRecords, "_unpack_records", ()),
    (PartitionRecords, "_consumer_record", ()),
)
"""A class, a function or property of it, and the names that its code has to use."""


def send_task_died(producer: AIOKafkaProducer) -> bool:
    """The producer's own task that sends is over. A producer that has not started has none yet."""
    task = getattr(getattr(producer, "_sender", None), "sender_task", None)
    return task is not None and bool(task.done())


def fetch_task_died(consumer: AIOKafkaConsumer) -> bool:
    """The consumer's own task that fetches is over, and nobody has stopped it."""
    fetcher = getattr(consumer, "_fetcher", None)
    return fetcher is not None and fetcher._fetch_task.done() and not fetcher._closed


async def abandon(client: Client) -> None:
    """Ends what an unfinished `stop` leaves behind: tasks that would go on for ever, and open connections."""
    match client:
        case AIOKafkaProducer():
            sending = client._sender.sender_task
            await client.client.close()
            # It would try to send for ever, each batch by itself.
            client._message_accumulator.fail_all(KafkaError("the producer was given up"))
            await _cancel([sending])
        case AIOKafkaConsumer():
            coordinator, fetcher = client._coordinator, client._fetcher
            await _cancel(getattr(coordinator, name, None) for name in COORDINATOR_TASKS)
            if fetcher is not None:
                await _cancel([fetcher._fetch_task, *fetcher._pending_tasks])
            await client._client.close()
        case _:
            await client._client.close()


def pace_metadata(client: AIOKafkaProducer | AIOKafkaConsumer) -> None:
    """Bounds how often the client asks for metadata.

    aiokafka's fetcher asks again at once while a partition has no leader. With a broker that refuses connections it
    tried 2,600 times a second, and wrote a line about each.
    """
    inner: AIOKafkaClient = client.client if isinstance(client, AIOKafkaProducer) else client._client
    update, began = inner._metadata_update, deque[float](maxlen=MOST_UPDATES)
    now = asyncio.get_running_loop().time

    async def update_paced(cluster: ClusterMetadata, topics: Collection[str] | None) -> bool:
        if len(began) == MOST_UPDATES:
            await asyncio.sleep(max(0.0, began[0] + UPDATES_SECONDS - now()))
        began.append(now())
        return bool(await update(cluster, topics))

    inner._metadata_update = update_paced


def copy_with_names(function: FunctionType, **names: type[object]) -> FunctionType:
    """A copy of a function that finds other classes under these global names."""
    copy = FunctionType(
        function.__code__, function.__globals__ | names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def missing_parts() -> Iterator[str]:
    """Sentences about the parts that the installed aiokafka does not have where we look for them."""
    for owner, name, used in READ_BY_US:
        found = getattr(owner, name, None)
        if found is None:
            yield f"aiokafka's {owner.__name__} has no {name} any more: see tarsy_bus/aiokafka_internals.py"
            continue
        code = getattr(found, "__code__", None)
        known = () if code is None else (*code.co_names, *code.co_varnames)
        yield from (
            f"aiokafka's {owner.__name__}.{name} knows no {one} any more: see tarsy_bus/aiokafka_internals.py"
            for one in used
            if one not in known
        )


async def _cancel(tasks: Iterable["asyncio.Task[object] | None"]) -> None:
    left = [task for task in tasks if task is not None and not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
