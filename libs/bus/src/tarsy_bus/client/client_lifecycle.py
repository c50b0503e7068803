"""Life of a Kafka client: a start that can be cancelled, and a stop that always ends.

When its start is cancelled, aiokafka forgets a connection that it is opening. The connection would stay open until the
process ends. Its stop may raise CancelledError while the broker refuses connections. In a `finally`, that would replace
the real exception and make the caller's task look cancelled.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Protocol

import structlog
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from tarsy_bus.client.aiokafka_internals.client_tasks import abandon, fetch_task_died, send_task_died
from tarsy_bus.client.aiokafka_internals.connections import wait_no_more

log = structlog.get_logger(__name__)

START_SECONDS = 5.0
"""A cancelled start may take so long to come to an end."""
STOP_SECONDS = 5.0
ABANDON_SECONDS = 2.0


class Startable(Protocol):
    def start(self) -> Coroutine[object, object, None]: ...


class Stoppable(Protocol):
    def stop(self) -> Coroutine[object, object, None]: ...


class Closable(Protocol):
    """The admin client: it has `close` instead of `stop`."""

    def close(self) -> Coroutine[object, object, None]: ...


async def start_client(client: Startable) -> None:
    """Cancelled, it ends with the start, but no later than START_SECONDS after. The caller stops the client.

    Only a connection that is being opened is waited for.
    """
    starting = asyncio.create_task(client.start(), name="start of a Kafka client")
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        wait_no_more(client)
        await asyncio.wait([starting], timeout=START_SECONDS)
        if not starting.done():
            starting.cancel()
        elif not starting.cancelled():
            starting.exception()  # somebody has looked at it
        raise


async def stop_client(client: Stoppable | Closable, *, seconds: float | None = None) -> None:
    """Returns when the client has stopped, or was abandoned: because its stop failed, or took longer than
    `seconds` (STOP_SECONDS unless told).

    Raises nothing but the CancelledError of a caller that is cancelled meanwhile; the client is abandoned then.
    """
    # Runs in its own task, so that its exceptions are not raised here.
    limit = STOP_SECONDS if seconds is None else seconds
    stopping = asyncio.create_task(_stop_or_abandon(client, limit), name="stop of a Kafka client")
    try:
        await asyncio.wait([stopping])
    except asyncio.CancelledError:
        stopping.cancel()
        await asyncio.wait([stopping], timeout=ABANDON_SECONDS)
        raise


def is_cancelled() -> bool:
    """Somebody cancels the current task: a CancelledError is not aiokafka's own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def check_alive(consumer: AIOKafkaConsumer) -> None:
    """Raises KafkaError when the consumer's own fetch task has died: `getmany` would return nothing, for ever."""
    if fetch_task_died(consumer):
        raise KafkaError("the fetch task of a consumer has died")


async def _stop_or_abandon(client: Stoppable | Closable, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await _begin_orderly_stop(client)
    except (Exception, asyncio.CancelledError) as problem:  # noqa: BLE001 - whatever it is, nothing of the client may stay
        log.warning("kafka_client.not_stopped", client=type(client).__name__, reason=repr(problem))
        with suppress(Exception):
            async with asyncio.timeout(ABANDON_SECONDS):
                if isinstance(client, AIOKafkaProducer | AIOKafkaConsumer | AIOKafkaAdminClient):
                    await abandon(client)


def _begin_orderly_stop(client: Stoppable | Closable) -> Coroutine[object, object, None]:
    if isinstance(client, AIOKafkaAdminClient):
        return client.close()  # type: ignore[no-any-return]
    if isinstance(client, AIOKafkaProducer) and send_task_died(client):
        # Its stop would wait in a task of its own for records that nobody sends any more.
        return abandon(client)
    return client.stop()  # type: ignore[union-attr]
