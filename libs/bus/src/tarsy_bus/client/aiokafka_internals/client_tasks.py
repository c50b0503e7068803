"""Tasks of aiokafka's clients: whether they have died, and an end of those that `stop` leaves behind."""

import asyncio
from collections.abc import Iterable
from itertools import chain

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError
from aiokafka.producer.message_accumulator import MessageAccumulator

from tarsy_bus.client.aiokafka_internals.inner_client import Client

COORDINATOR_TASKS = ("_coordination_task", "_heartbeat_task", "_commit_refresh_task", "_reset_committed_task")


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
            client._closed = True
            sending = client._sender.sender_task
            await client.client.close()
            _answer_metadata(client.client)
            # It would try to send for ever, each batch by itself.
            _fail_batches(client._message_accumulator, KafkaError("the producer was given up"))
            await _cancel_and_wait([sending])
        case AIOKafkaConsumer():
            coordinator, fetcher = client._coordinator, client._fetcher
            await _cancel_and_wait(getattr(coordinator, name, None) for name in COORDINATOR_TASKS)
            if fetcher is not None:
                await _cancel_and_wait([fetcher._fetch_task, *fetcher._pending_tasks])
            await client._client.close()
        case _:
            await client._client.close()


def _fail_batches(accumulator: MessageAccumulator, reason: KafkaError) -> None:
    """Takes the failure from waiters that nobody waits for: asyncio would print each as an error that nobody saw."""
    batches = [*chain.from_iterable(accumulator._batches.values()), *accumulator._pending_batches]
    accumulator.fail_all(reason)
    for batch in batches:
        batch._drain_waiter.exception()


def _answer_metadata(client: AIOKafkaClient) -> None:
    """A closed client fetches none: callers that still wait for the answer would do so for ever."""
    waited_for = client._md_update_fut
    if waited_for is not None and not waited_for.done():
        waited_for.set_result(False)


async def _cancel_and_wait(tasks: Iterable["asyncio.Task[object] | None"]) -> None:
    left = [task for task in tasks if task is not None and not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
